/*
 * The shared files of the AWS tools; see profile.h.
 *
 * A file is a row of lines: section headers, properties, and lines that go on
 * with the property before them, which they are indented under.  A property
 * that begins empty is a block: what is indented under it are properties of
 * its own (of which only a service's endpoint_url is of interest).
 */
#include "aws/profile.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A property and where it goes. */
typedef struct Place
{
	const char *name;
	size_t offset;
} Place;

static const Place places[] = {
	{"aws_access_key_id", offsetof(TxsProfile, access_key_id)},
	{"aws_secret_access_key", offsetof(TxsProfile, secret_access_key)},
	{"aws_session_token", offsetof(TxsProfile, session_token)},
	{"aws_account_id", offsetof(TxsProfile, account_id)},
	{"region", offsetof(TxsProfile, region)},
	{"role_arn", offsetof(TxsProfile, role_arn)},
	{"role_session_name", offsetof(TxsProfile, role_session_name)},
	{"web_identity_token_file", offsetof(TxsProfile, web_identity_token_file)},
	{"source_profile", offsetof(TxsProfile, source_profile)},
	{"credential_source", offsetof(TxsProfile, credential_source)},
	{"credential_process", offsetof(TxsProfile, credential_process)},
	{"sso_session", offsetof(TxsProfile, sso_session)},
	{"sso_start_url", offsetof(TxsProfile, sso_start_url)},
	{"endpoint_url", offsetof(TxsProfile, endpoint_url)},
	{"services", offsetof(TxsProfile, services)},
	{"ignore_configured_endpoint_urls",
	 offsetof(TxsProfile, ignore_endpoint_urls)},
	{"ec2_metadata_service_endpoint", offsetof(TxsProfile, metadata_endpoint)},
	{"ec2_metadata_service_endpoint_mode",
	 offsetof(TxsProfile, metadata_endpoint_mode)},
};

/* Blocks of a section services, and where their endpoint_url goes. */
static const Place services[] = {
	{"dynamodb", offsetof(TxsProfile, dynamodb_endpoint_url)},
	{"sts", offsetof(TxsProfile, sts_endpoint_url)},
};

#define NPLACES	  (sizeof(places) / sizeof(places[0]))
#define NSERVICES (sizeof(services) / sizeof(services[0]))

/* A walk over a file, for the sections of one name. */
typedef struct Scan
{
	const char *name;	 /* of the profile, or of the section services */
	const char *prefix;	 /* before the name: profile, services or NULL */
	TxsProfile *profile; /* what the file says of it */
	bool has_prefixed;	 /* [profile default] was there: [default] is not it */

	bool in_section; /* there was a header */
	bool is_wanted;	 /* the section is of that name */
	bool has_property;
	size_t indent;		  /* of the property's line */
	bool is_block;		  /* its value began empty */
	char **value;		  /* where a value that goes on is kept, or NULL */
	const Place *service; /* of the block, or NULL */
	const char *problem;
} Scan;

static bool scan_file(Scan *scan, TxsProfileFile file, TxsSlice text,
					  TxsProfileError *error);
static void read_line(Scan *scan, TxsSlice line);
static void read_header(Scan *scan, TxsSlice line);
static bool is_wanted(Scan *scan, TxsSlice name);
static bool strip_prefix(TxsSlice *name, const char *prefix);
static void strip_quotes(TxsSlice *name);
static void read_property(Scan *scan, TxsSlice line);
static void continue_property(Scan *scan, TxsSlice line);
static bool split(TxsSlice line, TxsSlice *name, TxsSlice *value);
static const Place *find_place(const Place *list, size_t length,
							   TxsSlice name);
static void set_value(Scan *scan, char **value, TxsSlice text);
static void add_line(Scan *scan, char **value, TxsSlice text);
static void merge(TxsProfile *profile, TxsProfile *other);
static void move_value(char **to, char **from);
static void forget(char **value);
static char **value_at(TxsProfile *profile, const Place *place);
static TxsSlice without_comment(TxsSlice line);
static TxsSlice trim(TxsSlice text);
static bool is_blank(char c);
static bool spells(TxsSlice text, const char *word);

bool
txs_profile_read(const char *name, TxsSlice config, TxsSlice credentials,
				 TxsProfile *profile, TxsProfileError *error)
{
	TxsProfile other;
	Scan scan;
	bool done;

	memset(profile, 0, sizeof(*profile));
	memset(&other, 0, sizeof(other));
	memset(error, 0, sizeof(*error));

	memset(&scan, 0, sizeof(scan));
	scan.name = name;
	scan.prefix = "profile";
	scan.profile = profile;
	done = scan_file(&scan, TXS_PROFILE_CONFIG, config, error);

	if (done)
	{
		memset(&scan, 0, sizeof(scan));
		scan.name = name;
		scan.profile = &other;
		done = scan_file(&scan, TXS_PROFILE_CREDENTIALS, credentials, error);
		merge(profile, &other);
	}
	if (done && profile->services != NULL)
	{
		memset(&scan, 0, sizeof(scan));
		scan.name = profile->services;
		scan.prefix = "services";
		scan.profile = profile;
		done = scan_file(&scan, TXS_PROFILE_CONFIG, config, error);
	}

	txs_profile_free(&other);
	if (!done)
		txs_profile_free(profile);
	return done;
}

void
txs_profile_free(TxsProfile *profile)
{
	size_t i;

	for (i = 0; i < NPLACES; i++)
		forget(value_at(profile, &places[i]));
	for (i = 0; i < NSERVICES; i++)
		forget(value_at(profile, &services[i]));
	profile->found = false;
}

static bool
scan_file(Scan *scan, TxsProfileFile file, TxsSlice text,
		  TxsProfileError *error)
{
	static const char byte_order_mark[] = "\xEF\xBB\xBF";
	const char *at = text.data;
	const char *end = text.length > 0 ? at + text.length : at;
	int line = 0;

	if (text.length > TXS_PROFILE_MAX_TEXT)
		scan->problem = "the file is too large";
	else if (text.length > 0 && memchr(at, '\0', text.length) != NULL)
		scan->problem = "the file has a NUL byte";
	else if (text.length >= 3 && memcmp(at, byte_order_mark, 3) == 0)
		at += 3;

	while (at < end && scan->problem == NULL)
	{
		const char *newline = memchr(at, '\n', end - at);
		TxsSlice slice = {at, (newline != NULL ? newline : end) - at};

		line++;
		read_line(scan, slice);
		at = newline != NULL ? newline + 1 : end;
	}
	error->problem = scan->problem;
	error->file = file;
	error->line = line;
	return scan->problem == NULL;
}

/*
 * The AWS CLI ignores a comment also where it is indented, and goes by the
 * property's own indentation, so that whole sections can be indented.
 */
static void
read_line(Scan *scan, TxsSlice line)
{
	TxsSlice content = trim(line);
	size_t indent = content.data - line.data;

	if (content.length == 0 || *content.data == '#' || *content.data == ';')
		return;
	if (scan->has_property && indent > scan->indent)
		continue_property(scan, content);
	else if (*content.data == '[')
		read_header(scan, content);
	else if (scan->in_section)
	{
		scan->indent = indent;
		read_property(scan, content);
	}
	else
		scan->problem = "there is a property before the first section";
}

/* What follows the closing bracket does not matter. */
static void
read_header(Scan *scan, TxsSlice line)
{
	const char *close = memchr(line.data, ']', line.length);
	TxsSlice name = {line.data + 1, 0};

	if (close == NULL)
	{
		scan->problem = "a section has no closing bracket";
		return;
	}
	name.length = close - name.data;
	scan->in_section = true;
	scan->is_wanted = is_wanted(scan, trim(name));
	scan->has_property = false;
	if (scan->is_wanted)
		scan->profile->found = true;
}

static bool
is_wanted(Scan *scan, TxsSlice name)
{
	bool prefixed;

	if (scan->prefix == NULL)
		return spells(name, scan->name);

	prefixed = strip_prefix(&name, scan->prefix);
	if (!spells(name, scan->name))
		return false;
	if (prefixed)
	{
		if (strcmp(scan->prefix, "profile") == 0 && !scan->has_prefixed)
			txs_profile_free(scan->profile); /* what [default] said */
		scan->has_prefixed = true;
		return true;
	}
	return strcmp(scan->prefix, "profile") == 0 && spells(name, "default") &&
		   !scan->has_prefixed;
}

/* A name with blanks needs quotes; without them it is no name. */
static bool
strip_prefix(TxsSlice *name, const char *prefix)
{
	size_t length = strlen(prefix);
	TxsSlice rest = {name->data + length, 0};
	size_t i;

	if (name->length <= length || memcmp(name->data, prefix, length) != 0 ||
		!is_blank(name->data[length]))
		return false;
	rest.length = name->length - length;
	*name = trim(rest);
	if (*name->data == '"' || *name->data == '\'')
		strip_quotes(name);
	else
	{
		for (i = 0; i < name->length; i++)
		{
			if (is_blank(name->data[i]))
				name->length = 0;
		}
	}
	return true;
}

static void
strip_quotes(TxsSlice *name)
{
	if (name->length >= 2 && name->data[name->length - 1] == *name->data)
	{
		name->data++;
		name->length -= 2;
	}
}

static void
read_property(Scan *scan, TxsSlice line)
{
	bool in_services =
		scan->prefix != NULL && strcmp(scan->prefix, "services") == 0;
	TxsSlice name;
	TxsSlice value;
	const Place *place;

	if (!split(without_comment(line), &name, &value))
	{
		scan->problem = "a property has no equals sign";
		return;
	}
	scan->has_property = true;
	scan->is_block = value.length == 0;
	scan->value = NULL;
	scan->service = NULL;
	if (!scan->is_wanted)
		return;
	if (in_services)
	{
		scan->service = find_place(services, NSERVICES, name);
		return;
	}
	place = find_place(places, NPLACES, name);
	if (place != NULL)
	{
		scan->value = value_at(scan->profile, place);
		set_value(scan, scan->value, value);
	}
}

/* There are no comments at the end of these lines. */
static void
continue_property(Scan *scan, TxsSlice line)
{
	TxsSlice name;
	TxsSlice value;

	if (!scan->is_block)
	{
		if (scan->value != NULL)
			add_line(scan, scan->value, line);
	}
	else if (!split(line, &name, &value))
		scan->problem = "a line of a block has no equals sign";
	else if (scan->service != NULL && name.length == strlen("endpoint_url") &&
			 strncasecmp(name.data, "endpoint_url", name.length) == 0)
		set_value(scan, value_at(scan->profile, scan->service), value);
}

static bool
split(TxsSlice line, TxsSlice *name, TxsSlice *value)
{
	const char *equals = memchr(line.data, '=', line.length);

	if (equals == NULL)
		return false;
	name->data = line.data;
	name->length = equals - line.data;
	*name = trim(*name);
	value->data = equals + 1;
	value->length = line.data + line.length - value->data;
	*value = trim(*value);
	return true;
}

/* As in the CLI, the case of a property's name does not matter. */
static const Place *
find_place(const Place *list, size_t length, TxsSlice name)
{
	size_t i;

	for (i = 0; i < length; i++)
	{
		if (strlen(list[i].name) == name.length &&
			strncasecmp(list[i].name, name.data, name.length) == 0)
			return &list[i];
	}
	return NULL;
}

static void
set_value(Scan *scan, char **value, TxsSlice text)
{
	forget(value);
	if (text.length > 0)
		add_line(scan, value, text);
}

static void
add_line(Scan *scan, char **value, TxsSlice text)
{
	size_t before = *value != NULL ? strlen(*value) + 1 : 0;
	char *longer;

	if (before + text.length > TXS_PROFILE_MAX_VALUE)
	{
		scan->problem = "a value is too long";
		return;
	}
	longer = malloc(before + text.length + 1);
	if (longer == NULL)
	{
		scan->problem = "out of memory";
		return;
	}
	if (before > 0)
	{
		memcpy(longer, *value, before - 1);
		longer[before - 1] = '\n';
	}
	memcpy(longer + before, text.data, text.length);
	longer[before + text.length] = '\0';
	forget(value);
	*value = longer;
}

/* Values of other win, and leave it. */
static void
merge(TxsProfile *profile, TxsProfile *other)
{
	size_t i;

	if (other->access_key_id != NULL || other->secret_access_key != NULL)
	{
		forget(&profile->access_key_id);
		forget(&profile->secret_access_key);
		forget(&profile->session_token);
		forget(&profile->account_id);
	}
	else
		forget(&other->session_token);
	for (i = 0; i < NPLACES; i++)
		move_value(value_at(profile, &places[i]), value_at(other, &places[i]));
	profile->found = profile->found || other->found;
}

static void
move_value(char **to, char **from)
{
	if (*from == NULL)
		return;
	forget(to);
	*to = *from;
	*from = NULL;
}

static void
forget(char **value)
{
	if (*value == NULL)
		return;
	OPENSSL_cleanse(*value, strlen(*value));
	free(*value);
	*value = NULL;
}

static char **
value_at(TxsProfile *profile, const Place *place)
{
	return (char **) ((char *) profile + place->offset);
}

/* A comment needs a blank before it. */
static TxsSlice
without_comment(TxsSlice line)
{
	size_t i;

	for (i = 1; i < line.length; i++)
	{
		if ((line.data[i] == '#' || line.data[i] == ';') &&
			is_blank(line.data[i - 1]))
			line.length = i;
	}
	return line;
}

static TxsSlice
trim(TxsSlice text)
{
	while (text.length > 0 && is_blank(*text.data))
	{
		text.data++;
		text.length--;
	}
	while (text.length > 0 && is_blank(text.data[text.length - 1]))
		text.length--;
	return text;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool
spells(TxsSlice text, const char *word)
{
	return text.length == strlen(word) &&
		   memcmp(text.data, word, text.length) == 0;
}
