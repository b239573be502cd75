/*
 * Keys of the role of an EC2 instance; see imds.h.
 */
#include "aws/imds.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "aws/key_answer.h"

#define TOKEN_PATH "/latest/api/token"
#define ROLES_PATH "/latest/meta-data/iam/security-credentials/"
#define TOKEN_TTL  "21600" /* seconds: six hours, the most */

static const char *check_url(const char *url);
static bool set_request(TxsImdsRequest *request, const char *method,
						const char *url, const char *path, const char *role);
static TxsFetch refused(int status, TxsFetchError *error);
static bool is_role_char(char c);

bool
txs_imds_is_disabled(const TxsEnvironment *environment)
{
	return txs_environment_is_true(environment->metadata_disabled);
}

const char *
txs_imds_url(const TxsEnvironment *environment, const TxsProfile *profile,
			 char *url, size_t size)
{
	const char *set = environment->metadata_endpoint;
	const char *mode = environment->metadata_endpoint_mode;
	size_t length;

	if (set == NULL && profile != NULL)
		set = profile->metadata_endpoint;
	if (mode == NULL && profile != NULL)
		mode = profile->metadata_endpoint_mode;
	if (set != NULL)
	{
		const char *problem = check_url(set);

		if (problem != NULL)
			return problem;
	}
	else if (mode == NULL || strcasecmp(mode, "ipv4") == 0)
		set = "http://169.254.169.254";
	else if (strcasecmp(mode, "ipv6") == 0)
		set = "http://[fd00:ec2::254]";
	else
		return "the metadata service's endpoint mode is neither IPv4 nor IPv6";

	length = strlen(set);
	while (length > 0 && set[length - 1] == '/')
		length--;
	if (length >= size)
		return "the metadata service's endpoint is too long";
	memcpy(url, set, length);
	url[length] = '\0';
	return NULL;
}

bool
txs_imds_ask_token(const char *url, TxsImdsRequest *request)
{
	request->header.name = "x-aws-ec2-metadata-token-ttl-seconds";
	request->header.value = TOKEN_TTL;
	return set_request(request, "PUT", url, TOKEN_PATH, "");
}

bool
txs_imds_ask_role(const char *url, const char *token, TxsImdsRequest *request)
{
	request->header.name = "x-aws-ec2-metadata-token";
	request->header.value = token;
	return set_request(request, "GET", url, ROLES_PATH, "");
}

bool
txs_imds_ask_keys(const char *url, const char *token, const char *role,
				  TxsImdsRequest *request)
{
	request->header.name = "x-aws-ec2-metadata-token";
	request->header.value = token;
	return set_request(request, "GET", url, ROLES_PATH, role);
}

TxsFetch
txs_imds_read_token(int status, TxsSlice body, char token[TXS_IMDS_TOKEN_SIZE],
					TxsFetchError *error)
{
	size_t i;

	memset(error, 0, sizeof(*error));
	token[0] = '\0';
	if (status != 200)
	{
		/* There is nothing that a newer token could do. */
		TxsFetch fetch = refused(status, error);

		return fetch == TXS_FETCH_NEW_TOKEN ? TXS_FETCH_FAILED : fetch;
	}
	error->problem = "the metadata service's token is empty, too long, or has "
					 "a character that none has";
	if (body.length == 0 || body.length >= TXS_IMDS_TOKEN_SIZE)
		return TXS_FETCH_FAILED;
	for (i = 0; i < body.length; i++)
	{
		if (body.data[i] <= ' ' || body.data[i] > '~')
			return TXS_FETCH_FAILED;
	}
	memcpy(token, body.data, body.length);
	token[body.length] = '\0';
	error->problem = NULL;
	return TXS_FETCH_DONE;
}

/* A list, in which there is one; a line break may end it. */
TxsFetch
txs_imds_read_role(int status, TxsSlice body, char role[TXS_IMDS_ROLE_SIZE],
				   TxsFetchError *error)
{
	size_t length = 0;

	memset(error, 0, sizeof(*error));
	role[0] = '\0';
	if (status == 404)
	{
		error->problem = "the instance has no role";
		return TXS_FETCH_FAILED;
	}
	if (status != 200)
		return refused(status, error);

	while (length < body.length && is_role_char(body.data[length]))
		length++;
	if (length == 0 || length >= TXS_IMDS_ROLE_SIZE ||
		(length < body.length && body.data[length] != '\n' &&
		 body.data[length] != '\r'))
	{
		error->problem = "the metadata service's answer is no role's name";
		return TXS_FETCH_FAILED;
	}
	memcpy(role, body.data, length);
	role[length] = '\0';
	return TXS_FETCH_DONE;
}

TxsFetch
txs_imds_read_keys(int status, TxsSlice body, TxsKeys *keys,
				   TxsFetchError *error)
{
	TxsFetch fetch = txs_key_answer_read(status, body, true, keys, error);

	return status == 401 ? refused(status, error) : fetch;
}

static const char *
check_url(const char *url)
{
	const char *at;

	if (strncasecmp(url, "http://", 7) != 0 &&
		strncasecmp(url, "https://", 8) != 0)
		return "the metadata service's endpoint is not a URL";
	at = strstr(url, "://") + 3;
	if (*at == '\0' || *at == '/')
		return "the metadata service's endpoint is not a URL";
	for (; *at != '\0'; at++)
	{
		if (*at <= ' ' || *at > '~' || strchr("\\?#@", *at) != NULL)
			return "the metadata service's endpoint is not a URL";
	}
	return NULL;
}

static bool
set_request(TxsImdsRequest *request, const char *method, const char *url,
			const char *path, const char *role)
{
	int length = snprintf(request->url, sizeof(request->url), "%s%s%s", url,
						  path, role);

	request->method = method;
	return length >= 0 && (size_t) length < sizeof(request->url);
}

static TxsFetch
refused(int status, TxsFetchError *error)
{
	if (status == 0)
	{
		error->problem = "the metadata service does not answer";
		return TXS_FETCH_AGAIN;
	}
	error->problem = "the metadata service has refused the request";
	if (status == 401)
		return TXS_FETCH_NEW_TOKEN;
	return status == 429 || status >= 500 ? TXS_FETCH_AGAIN : TXS_FETCH_FAILED;
}

/* IAM: letters, digits and _+=,.@- ; none needs to be encoded in a path. */
static bool
is_role_char(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
		   (c >= '0' && c <= '9') ||
		   (c != '\0' && strchr("_+=,.@-", c) != NULL);
}
