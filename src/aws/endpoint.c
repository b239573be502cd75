/*
 * Where DynamoDB is; see endpoint.h.
 */
#include "aws/endpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A partition of AWS: regions that share names. */
typedef struct Partition
{
	const char *prefix; /* of its regions' names */
	const char *suffix; /* of host names */
	const char *dual_stack_suffix;
	bool fips_in_name; /* dynamodb-fips without dual stack */
} Partition;

/* The first that fits counts. */
static const Partition partitions[] = {
	{"cn-", "amazonaws.com.cn", "api.amazonwebservices.com.cn", true},
	{"us-gov-", "amazonaws.com", "api.aws", false},
	{"eusc-", "amazonaws.eu", "api.amazonwebservices.eu", true},
	{"us-iso-", "c2s.ic.gov", "api.aws.ic.gov", true},
	{"us-isob-", "sc2s.sgov.gov", "api.aws.scloud", true},
	{"eu-isoe-", "cloud.adc-e.uk", "api.cloud-aws.adc-e.uk", true},
	{"us-isof-", "csp.hci.ic.gov", "api.aws.hci.ic.gov", true},
	{"", "amazonaws.com", "api.aws", true},
};

static const Partition *
find_partition(const char *region)
{
	const Partition *partition = partitions;

	while (strncmp(region, partition->prefix, strlen(partition->prefix)) != 0)
		partition++;
	return partition;
}

/* May this stand in a host's name, as one label? */
static bool
is_label(const char *text)
{
	size_t length = strlen(text);

	return length >= 1 && length <= 63 && text[0] != '-' &&
		   text[length - 1] != '-' &&
		   strspn(text, "abcdefghijklmnopqrstuvwxyz"
						"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == length;
}

/*
 * Take a URL apart: scheme, host, port, and nothing else but a slash.  Returns
 * what is wrong, or NULL.
 */
static const char *
read_url(const char *url, TxsEndpoint *endpoint)
{
	const char *own_port;
	const char *host;
	const char *end;
	const char *port;
	size_t length;
	size_t host_length;

	endpoint->is_secure = strncmp(url, "https://", 8) == 0;
	if (!endpoint->is_secure && strncmp(url, "http://", 7) != 0)
		return "the endpoint is not a URL of http or https";
	own_port = endpoint->is_secure ? "443" : "80";
	host = url + (endpoint->is_secure ? 8 : 7);
	length = strcspn(host, "/?#");
	end = host + length;
	if (strcmp(end, "") != 0 && strcmp(end, "/") != 0)
		return "the endpoint has a path";
	if (length == 0 || length >= sizeof(endpoint->host) ||
		memchr(host, '@', length) != NULL)
		return "the endpoint has no host that can be used";

	/* Colons within brackets are the address's. */
	port = host[0] == '[' ? memchr(host, ']', length) : host;
	if (port == NULL)
		return "the endpoint has no host that can be used";
	port = memchr(port, ':', end - port);
	host_length = port == NULL ? length : (size_t) (port - host);
	if (host_length == 0)
		return "the endpoint has no host that can be used";
	if (port != NULL)
	{
		size_t digits = end - port - 1;

		if (digits < 1 || digits > 5 ||
			strspn(port + 1, "0123456789") != digits || atoi(port + 1) < 1 ||
			atoi(port + 1) > 65535)
			return "the endpoint's port is no port";
		if (digits == strlen(own_port) &&
			strncmp(port + 1, own_port, digits) == 0)
			length = host_length;
	}
	snprintf(endpoint->host, sizeof(endpoint->host), "%.*s", (int) length,
			 host);
	snprintf(endpoint->url, sizeof(endpoint->url), "%.*s", (int) (end - url),
			 url);
	endpoint->is_loopback =
		(host_length == 9 && strncmp(host, "localhost", 9) == 0) ||
		strncmp(host, "127.", 4) == 0 ||
		(host_length == 5 && strncmp(host, "[::1]", 5) == 0);
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

const char *
txs_endpoint_resolve(const TxsEndpointInput *input, TxsEndpoint *endpoint)
{
	const Partition *partition;
	char url[512];

	memset(endpoint, 0, sizeof(*endpoint));
	if (input->region == NULL)
		return "there is no region";
	if (!is_label(input->region))
		return "the region's name is none";
	snprintf(endpoint->region, sizeof(endpoint->region), "%s", input->region);
	if (input->endpoint != NULL)
		return use_override(input, endpoint);
	if (strcmp(input->region, "local") == 0)
		return use_local(input, endpoint);
	partition = find_partition(input->region);
	snprintf(url, sizeof(url), "https://dynamodb%s.%s.%s",
			 input->use_fips &&
					 (partition->fips_in_name || input->use_dual_stack)
				 ? "-fips"
				 : "",
			 input->region,
			 input->use_dual_stack ? partition->dual_stack_suffix
								   : partition->suffix);
	return read_url(url, endpoint);
}
