/*
 * Keys from a container's agent; see container.h.
 */
#include "aws/container.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "aws/key_answer.h"

#define ECS_AGENT "http://169.254.170.2"

/* An HTTP header's line is seldom allowed more. */
#define MAX_TOKEN 8192

static bool is_allowed(const char *url);
static bool is_allowed_host(const char *host);
static bool is_visible(const char *text);

bool
txs_container_is_there(const TxsEnvironment *environment)
{
	return environment->container_relative_uri != NULL ||
		   environment->container_full_uri != NULL;
}

const char *
txs_container_url(const TxsEnvironment *environment, char *url, size_t size)
{
	const char *relative = environment->container_relative_uri;
	const char *full = environment->container_full_uri;
	int length;

	if (relative == NULL && full == NULL)
		return "there is no container";
	if (!is_visible(relative != NULL ? relative : full))
		return "the container's URI has a character that none has";
	/* Without the slash, "@host/" would go elsewhere. */
	if (relative != NULL && relative[0] != '/')
		return "the container's relative URI does not begin with a slash";
	if (relative == NULL && !is_allowed(full))
		return "the container's URI is neither https nor of an address that "
			   "an agent has";
	length = snprintf(url, size, "%s%s", relative != NULL ? ECS_AGENT : "",
					  relative != NULL ? relative : full);
	if (length < 0 || (size_t) length >= size)
		return "the container's URI is too long";
	return NULL;
}

const char *
txs_container_token(const TxsEnvironment *environment, TxsSlice file,
					TxsSlice *value)
{
	size_t i;

	value->data = NULL;
	value->length = 0;
	if (environment->container_token_file != NULL)
	{
		if (file.data == NULL || file.length == 0)
			return "the container's token file is empty";
		*value = file;
	}
	else if (environment->container_token != NULL)
	{
		value->data = environment->container_token;
		value->length = strlen(value->data);
	}
	if (value->length > MAX_TOKEN)
		return "the container's token is too long";
	for (i = 0; i < value->length; i++)
	{
		unsigned char c = (unsigned char) value->data[i];

		if (c < 0x20 || c == 0x7F)
			return "the container's token has a line break or another "
				   "control character";
	}
	return NULL;
}

TxsFetch
txs_container_read(int status, TxsSlice body, TxsKeys *keys,
				   TxsFetchError *error)
{
	return txs_key_answer_read(status, body, false, keys, error);
}

static bool
is_allowed(const char *url)
{
	bool is_https = strncasecmp(url, "https://", 8) == 0;
	const char *host = url + (is_https ? 8 : 7);
	const char *after;
	char copy[64];

	if (!is_https && strncasecmp(url, "http://", 7) != 0)
		return false;
	after = host + strcspn(host, host[0] == '[' ? "]/?#" : ":/?#");
	if (host[0] == '[' && *after++ != ']')
		return false;
	if (after == host || memchr(host, '@', after - host) != NULL)
		return false; /* a user before the host: nobody means that */
	if (!is_https)
	{
		if ((size_t) (after - host) >= sizeof(copy))
			return false;
		memcpy(copy, host, after - host);
		copy[after - host] = '\0';
		if (!is_allowed_host(copy))
			return false;
	}
	if (*after == ':')
		after += 1 + strspn(after + 1, "0123456789");
	return *after == '\0' || strchr("/?#", *after) != NULL;
}

/* IPv6 in brackets.  Addresses are compared, not their spellings. */
static bool
is_allowed_host(const char *host)
{
	static const char *const v6[] = {"::1", "fd00:ec2::23"};
	char inner[64];
	unsigned char address[16];
	unsigned char allowed[16];
	size_t i;

	if (strcasecmp(host, "localhost") == 0)
		return true;
	if (host[0] != '[')
		return inet_pton(AF_INET, host, address) == 1 &&
			   (address[0] == 127 || strcmp(host, "169.254.170.2") == 0 ||
				strcmp(host, "169.254.170.23") == 0);

	strcpy(inner, host + 1);
	inner[strlen(inner) - 1] = '\0';
	if (inet_pton(AF_INET6, inner, address) != 1)
		return false;
	for (i = 0; i < sizeof(v6) / sizeof(v6[0]); i++)
	{
		if (inet_pton(AF_INET6, v6[i], allowed) == 1 &&
			memcmp(address, allowed, sizeof(address)) == 0)
			return true;
	}
	return false;
}

/* A backslash is read in different ways by different parsers. */
static bool
is_visible(const char *text)
{
	for (; *text != '\0'; text++)
	{
		if (*text <= ' ' || *text > '~' || *text == '\\')
			return false;
	}
	return true;
}
