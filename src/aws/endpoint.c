/*
 * Where DynamoDB is; see endpoint.h.
 */
#include "aws/endpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_HOST  255 /* characters; DNS allows no more */
#define MAX_LABEL 63  /* between two dots, by the same rule */

/*
 * A partition of AWS: regions that share names.  All have FIPS endpoints and
 * dual stack, by the rules at least.
 */
typedef struct Partition
{
	const char *prefix;		   /* of its regions' names */
	const char *global_region; /* which stands for none of them */
	const char *suffix;		   /* of host names */
	const char *dual_stack_suffix;
	bool fips_in_name; /* dynamodb-fips without dual stack */
	bool has_accounts; /* hosts of an account */
} Partition;

/* The first that fits counts. */
static const Partition partitions[] = {
	{"cn-", "aws-cn-global", "amazonaws.com.cn",
	 "api.amazonwebservices.com.cn", true, false},
	{"us-gov-", "aws-us-gov-global", "amazonaws.com", "api.aws", false, false},
	{"eusc-", "aws-eusc-global", "amazonaws.eu", "api.amazonwebservices.eu",
	 true, false},
	{"us-iso-", "aws-iso-global", "c2s.ic.gov", "api.aws.ic.gov", true, false},
	{"us-isob-", "aws-iso-b-global", "sc2s.sgov.gov", "api.aws.scloud", true,
	 false},
	{"eu-isoe-", "aws-iso-e-global", "cloud.adc-e.uk",
	 "api.cloud-aws.adc-e.uk", true, false},
	{"us-isof-", "aws-iso-f-global", "csp.hci.ic.gov", "api.aws.hci.ic.gov",
	 true, false},
	{"", "aws-global", "amazonaws.com", "api.aws", true, true},
};

static const Partition *
find_partition(const char *region)
{
	const Partition *partition = partitions;

	while (strncmp(region, partition->prefix, strlen(partition->prefix)) !=
			   0 &&
		   strcmp(region, partition->global_region) != 0)
		partition++;
	return partition;
}

/* May this stand in a host's name, as one label? */
static bool
is_label(const char *text)
{
	size_t length = strlen(text);

	return length >= 1 && length <= MAX_LABEL && text[0] != '-' &&
		   text[length - 1] != '-' &&
		   strspn(text, "abcdefghijklmnopqrstuvwxyz"
						"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == length;
}

/*
 * Length of the host that text begins with: a name, or an IPv6 address in
 * brackets; 0 where it begins with none.  Underscores are in many a name of
 * an inner network.
 */
static size_t
host_length(const char *text)
{
	size_t length;

	if (text[0] != '[')
		return strspn(text, "abcdefghijklmnopqrstuvwxyz"
							"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._");
	length = strspn(text + 1, "0123456789abcdefABCDEF:.");
	return length > 0 && text[1 + length] == ']' ? length + 2 : 0;
}

/* 127.0.0.0/8: four numbers and no name that begins like them. */
static bool
is_loopback_address(const char *host, size_t length)
{
	int parts = 0;
	size_t at = 0;

	while (at < length)
	{
		size_t digits = strspn(host + at, "0123456789");

		if (digits < 1 || digits > 3 || atoi(host + at) > 255 ||
			(parts == 0 && atoi(host) != 127))
			return false;
		parts++;
		at += digits;
		if (at < length && (host[at++] != '.' || at == length))
			return false;
	}
	return parts == 4;
}

static bool
is_loopback(const char *host, size_t length)
{
	return (length == 9 && strncmp(host, "localhost", 9) == 0) ||
		   (length == 5 && strncmp(host, "[::1]", 5) == 0) ||
		   is_loopback_address(host, length);
}

/*
 * Take a URL apart: scheme, host, port, and nothing else but a slash.  Returns
 * what is wrong, or NULL.
 */
static const char *
read_url(const char *url, TxsEndpoint *endpoint)
{
	const char *host;
	const char *end;
	size_t length;
	int port = 0;

	endpoint->is_secure = strncmp(url, "https://", 8) == 0;
	if (!endpoint->is_secure && strncmp(url, "http://", 7) != 0)
		return "the endpoint is not a URL of http or https";
	host = url + (endpoint->is_secure ? 8 : 7);
	length = host_length(host);
	end = host + length;
	if (length == 0 || length > MAX_HOST ||
		(*end != '\0' && strchr(":/?#", *end) == NULL))
		return "the endpoint has no host that can be used";
	if (*end == ':')
	{
		size_t digits = strspn(end + 1, "0123456789");

		port = digits <= 5 ? atoi(end + 1) : 0;
		end += 1 + digits;
		if (port < 1 || port > 65535 ||
			(*end != '\0' && strchr("/?#", *end) == NULL))
			return "the endpoint's port is no port";
	}
	if (strcmp(end, "") != 0 && strcmp(end, "/") != 0)
		return "the endpoint has a path";

	if (port == 0 || port == (endpoint->is_secure ? 443 : 80))
		snprintf(endpoint->host, sizeof(endpoint->host), "%.*s", (int) length,
				 host);
	else
		snprintf(endpoint->host, sizeof(endpoint->host), "%.*s:%d",
				 (int) length, host, port);
	snprintf(endpoint->url, sizeof(endpoint->url), "%.*s", (int) (end - url),
			 url);
	endpoint->is_loopback = is_loopback(host, length);
	return NULL;
}

/* The dual-stack name of a region, which nothing may override by hand. */
static bool
is_dual_stack_host(const TxsEndpointInput *input, const TxsEndpoint *endpoint)
{
	char host[300];

	if (input->region == NULL)
		return false;
	snprintf(host, sizeof(host), "dynamodb.%s.%s", input->region,
			 find_partition(input->region)->dual_stack_suffix);
	return strcmp(endpoint->host, host) == 0;
}

static const char *
use_override(const TxsEndpointInput *input, TxsEndpoint *endpoint)
{
	const char *problem;

	if (input->use_fips)
		return "FIPS and a custom endpoint do not go together";
	if (input->use_dual_stack)
		return "dual stack and a custom endpoint do not go together";
	problem = read_url(input->endpoint, endpoint);
	if (problem == NULL && is_dual_stack_host(input, endpoint))
		return "a dual-stack endpoint must be asked for as such";
	return problem;
}

static const char *
use_local(const TxsEndpointInput *input, TxsEndpoint *endpoint)
{
	if (input->use_fips)
		return "FIPS and a local endpoint do not go together";
	if (input->use_dual_stack)
		return "dual stack and a local endpoint do not go together";
	snprintf(endpoint->region, sizeof(endpoint->region), "us-east-1");
	return read_url("http://localhost:8000", endpoint);
}

/*
 * The account of a table's ARN, arn:partition:dynamodb:region:account:resource,
 * if it is of this region.  False where it is anything else.
 */
static bool
read_account(const char *arn, const char *region, char *account)
{
	const char *parts[6];
	size_t lengths[6];
	int i;

	for (i = 0; i < 6; i++)
	{
		parts[i] = arn;
		lengths[i] = i < 5 ? strcspn(arn, ":") : strlen(arn);
		arn += lengths[i];
		if (i < 5 && *arn++ != ':')
			return false;
	}
	if (lengths[0] != 3 || strncmp(parts[0], "arn", 3) != 0 ||
		lengths[1] == 0 || lengths[2] != 8 ||
		strncmp(parts[2], "dynamodb", 8) != 0 ||
		lengths[3] != strlen(region) ||
		strncmp(parts[3], region, lengths[3]) != 0 || lengths[4] > MAX_LABEL ||
		lengths[5] == 0)
		return false;
	memcpy(account, parts[4], lengths[4]);
	account[lengths[4]] = '\0';
	return is_label(account);
}

/*
 * The account whose host is to be used, "" for none.  Returns what is wrong,
 * or NULL.
 */
static const char *
find_account(const TxsEndpointInput *input, const Partition *partition,
			 char *account)
{
	bool required = input->account_mode == TXS_ACCOUNT_REQUIRED;
	int i;

	account[0] = '\0';
	if (input->account_mode == TXS_ACCOUNT_DISABLED)
		return NULL;
	if (input->use_fips)
		return required ? "accounts have no FIPS endpoint" : NULL;
	if (!partition->has_accounts)
		return required ? "accounts of this region have no endpoint" : NULL;
	for (i = 0; i < 2; i++)
	{
		if (input->arns[i] != NULL &&
			read_account(input->arns[i], input->region, account))
			return NULL;
	}
	account[0] = '\0';
	if (input->account_id == NULL)
		return required ? "the account is not known" : NULL;
	if (!is_label(input->account_id))
		return "the account's number is none";
	strcpy(account, input->account_id);
	return NULL;
}

/* The name that the rules give. */
static const char *
use_rules(const TxsEndpointInput *input, TxsEndpoint *endpoint)
{
	const Partition *partition = find_partition(input->region);
	const char *suffix = input->use_dual_stack ? partition->dual_stack_suffix
											   : partition->suffix;
	const char *search = input->is_search ? "search-" : "";
	char account[MAX_LABEL + 1];
	char url[512];
	const char *problem = find_account(input, partition, account);

	if (problem != NULL)
		return problem;
	if (account[0] != '\0')
		snprintf(url, sizeof(url), "https://%s.%sddb.%s.%s", account, search,
				 input->region, suffix);
	else
		snprintf(url, sizeof(url), "https://%sdynamodb%s.%s.%s", search,
				 input->use_fips &&
						 (partition->fips_in_name || input->use_dual_stack)
					 ? "-fips"
					 : "",
				 input->region, suffix);
	return read_url(url, endpoint);
}

const char *
txs_endpoint_resolve(const TxsEndpointInput *input, TxsEndpoint *endpoint)
{
	memset(endpoint, 0, sizeof(*endpoint));
	if (input->region == NULL && input->endpoint == NULL)
		return "there is no region";
	if (input->region != NULL && !is_label(input->region))
		return "the region's name is none";
	snprintf(endpoint->region, sizeof(endpoint->region), "%s",
			 input->region == NULL ? "us-east-1" : input->region);
	if (input->endpoint != NULL)
		return use_override(input, endpoint);
	if (strcmp(input->region, "local") == 0)
		return use_local(input, endpoint);
	return use_rules(input, endpoint);
}
