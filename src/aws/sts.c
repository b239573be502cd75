/*
 * Keys for a web identity; see sts.h.
 */
#include "aws/sts.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "aws/iso_time.h"
#include "aws/xml.h"

/* STS's own limits (model of AssumeRoleWithWebIdentity). */
#define MIN_TOKEN 4
#define MAX_TOKEN 20000
#define MIN_ROLE  20
#define MAX_ROLE  2048
#define MIN_NAME  2
#define MAX_NAME  64

/* Regions whose name begins so are in a partition with a domain of its own. */
typedef struct Partition
{
	const char *prefix;
	const char *domain;
} Partition;

static const Partition partitions[] = {
	{"cn-", "amazonaws.com.cn"},	{"eusc-", "amazonaws.eu"},
	{"us-isob-", "sc2s.sgov.gov"},	{"us-isof-", "csp.hci.ic.gov"},
	{"us-iso-", "c2s.ic.gov"},		{"eu-isoe-", "cloud.adc-e.uk"},
	{"eu-isof-", "csp.hci.ic.gov"}, {"", "amazonaws.com"},
};

/* A body under construction. */
typedef struct Form
{
	char *at;
	char *end;
	bool full;
} Form;

static bool is_region(const char *region);
static bool is_session_name(const char *name);
static TxsSlice trim_token(TxsSlice token);
static void put_text(Form *form, const char *text);
static void put_encoded(Form *form, const char *text, size_t length);
static void put_char(Form *form, char c);
static TxsFetch read_error(int status, TxsSlice body, TxsFetchError *error);
static const char *read_keys(TxsSlice body, TxsKeys *keys);

const char *
txs_sts_url(const char *endpoint, const char *region, char *url, size_t size)
{
	const Partition *partition = partitions;
	int length;

	if (endpoint != NULL)
	{
		size_t end = strlen(endpoint);

		if (strncasecmp(endpoint, "http://", 7) != 0 &&
			strncasecmp(endpoint, "https://", 8) != 0)
			return "the endpoint of STS is not a URL";
		length = snprintf(url, size, "%s%s", endpoint,
						  endpoint[end - 1] == '/' ? "" : "/");
	}
	else if (region == NULL)
		return "a web identity needs a region";
	else if (!is_region(region))
		return "the region is not the name of one";
	else
	{
		while (strncmp(region, partition->prefix, strlen(partition->prefix)) !=
			   0)
			partition++;
		length = snprintf(url, size, "https://sts.%s.%s/", region,
						  partition->domain);
	}
	if (length < 0 || (size_t) length >= size)
		return "the endpoint of STS is too long";
	return NULL;
}

const char *
txs_sts_write(const TxsStsRequest *request, char *body, size_t size,
			  size_t *length)
{
	TxsSlice token = trim_token(request->token);
	const char *name = request->session_name;
	char made[MAX_NAME];
	Form form = {body, body + size, false};

	*length = 0;
	if (name == NULL)
	{
		snprintf(made, sizeof(made), "txstore-%lld", (long long) request->now);
		name = made;
	}
	if (strlen(request->role_arn) < MIN_ROLE ||
		strlen(request->role_arn) > MAX_ROLE)
		return "the role is not an ARN";
	if (!is_session_name(name))
		return "the role session name has other than 2 to 64 letters, digits "
			   "and _=,.@+-";
	if (token.length < MIN_TOKEN)
		return "the web identity token file is empty";
	if (token.length > MAX_TOKEN)
		return "the web identity token is too long";

	put_text(&form, "Action=AssumeRoleWithWebIdentity&Version=2011-06-15"
					"&RoleArn=");
	put_encoded(&form, request->role_arn, strlen(request->role_arn));
	put_text(&form, "&RoleSessionName=");
	put_encoded(&form, name, strlen(name));
	put_text(&form, "&WebIdentityToken=");
	put_encoded(&form, token.data, token.length);
	if (form.full)
		return "the request to STS is too long";
	*length = form.at - body;
	return NULL;
}

TxsFetch
txs_sts_read(int status, TxsSlice body, TxsKeys *keys, TxsFetchError *error)
{
	txs_keys_wipe(keys);
	memset(error, 0, sizeof(*error));
	if (status != 200)
		return read_error(status, body, error);
	error->problem = read_keys(body, keys);
	if (error->problem == NULL)
		return TXS_FETCH_DONE;
	txs_keys_wipe(keys);
	return TXS_FETCH_FAILED;
}

/* It becomes a part of a host's name. */
static bool
is_region(const char *region)
{
	size_t length = strspn(region, "abcdefghijklmnopqrstuvwxyz0123456789-");

	return length > 0 && length < 64 && region[length] == '\0' &&
		   region[0] != '-' && region[length - 1] != '-';
}

static bool
is_session_name(const char *name)
{
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz"
								 "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
								 "0123456789_=,.@+-");

	return length >= MIN_NAME && length <= MAX_NAME && name[length] == '\0';
}

/* Who writes such a file by hand has a line break at its end. */
static TxsSlice
trim_token(TxsSlice token)
{
	while (token.length > 0 &&
		   memchr(" \t\r\n", token.data[token.length - 1], 4) != NULL)
		token.length--;
	return token;
}

static void
put_text(Form *form, const char *text)
{
	for (; *text != '\0'; text++)
		put_char(form, *text);
}

/* Percent encoding of all but RFC 3986's unreserved characters. */
static void
put_encoded(Form *form, const char *text, size_t length)
{
	static const char digits[] = "0123456789ABCDEF";
	size_t i;

	for (i = 0; i < length; i++)
	{
		unsigned char c = (unsigned char) text[i];

		if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
			(c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
			c == '~')
			put_char(form, (char) c);
		else
		{
			put_char(form, '%');
			put_char(form, digits[c >> 4]);
			put_char(form, digits[c & 15]);
		}
	}
}

static void
put_char(Form *form, char c)
{
	if (form->at == form->end)
		form->full = true;
	else
		*form->at++ = c;
}

/*
 * IDPCommunicationError: STS could not reach the identity provider, "retry" is
 * what its documentation says.
 */
static TxsFetch
read_error(int status, TxsSlice body, TxsFetchError *error)
{
	static const char *const again[] = {"IDPCommunicationError", "Throttling",
										"ThrottlingException",
										"RequestLimitExceeded",
										"TooManyRequestsException"};
	TxsXmlField code = {"ErrorResponse/Error/Code", {NULL, 0}};
	size_t i;

	if (txs_xml_read(body, &code, 1) == NULL)
		txs_keys_set_code(error, code.value.data, code.value.length);
	error->problem =
		status == 0 ? "STS does not answer" : "STS has refused the request";
	for (i = 0; i < sizeof(again) / sizeof(again[0]); i++)
	{
		if (strcmp(error->code, again[i]) == 0)
			return TXS_FETCH_AGAIN;
	}
	return status == 0 || status == 429 || status >= 500 ? TXS_FETCH_AGAIN
														 : TXS_FETCH_FAILED;
}

static const char *
read_keys(TxsSlice body, TxsKeys *keys)
{
#define RESULT                                                                \
	"AssumeRoleWithWebIdentityResponse/AssumeRoleWithWebIdentityResult"
	TxsXmlField fields[] = {
		{RESULT "/Credentials/AccessKeyId", {NULL, 0}},
		{RESULT "/Credentials/SecretAccessKey", {NULL, 0}},
		{RESULT "/Credentials/SessionToken", {NULL, 0}},
		{RESULT "/Credentials/Expiration", {NULL, 0}},
	};
#undef RESULT
	const char *problem = txs_xml_read(body, fields, 4);
	TxsCredentials view;
	int i;

	if (problem != NULL)
		return problem;
	for (i = 0; i < 4; i++)
	{
		if (fields[i].value.length == 0)
			return "the answer of STS has no keys, token or expiration";
	}
	if (!txs_xml_unescape(fields[0].value, keys->access_key_id,
						  sizeof(keys->access_key_id)) ||
		!txs_xml_unescape(fields[1].value, keys->secret_access_key,
						  sizeof(keys->secret_access_key)) ||
		!txs_xml_unescape(fields[2].value, keys->session_token,
						  sizeof(keys->session_token)))
		return "a value in the answer of STS is too long";
	if (!txs_iso_time_read(fields[3].value, &keys->expires_at))
		return "the expiration in the answer of STS is no time";
	view = txs_keys_view(keys);
	return txs_keys_check(&view);
}
