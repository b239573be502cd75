/*
 * Endpoints: botocore's cases, regions, URLs.
 */
#include <stdio.h>
#include <string.h>

#include "aws/endpoint.h"
#include "aws_test.h"
#include "tap.h"
#include "tree.h"

/* What the rule set says, and what we say. */
static const char *const problems[][2] = {
	{"Invalid Configuration: Missing Region", "there is no region"},
	{"Invalid Configuration: FIPS and custom endpoint are not supported",
	 "FIPS and a custom endpoint do not go together"},
	{"Invalid Configuration: Dualstack and custom endpoint are not supported",
	 "dual stack and a custom endpoint do not go together"},
	{"Invalid Configuration: FIPS and local endpoint are not supported",
	 "FIPS and a local endpoint do not go together"},
	{"Invalid Configuration: Dualstack and local endpoint are not supported",
	 "dual stack and a local endpoint do not go together"},
	{"Endpoint override is not supported for dual-stack endpoints. Please "
	 "enable dual-stack functionality by enabling the configuration. For more "
	 "details, see: https://docs.aws.amazon.com/sdkref/latest/guide/"
	 "feature-endpoints.html",
	 "a dual-stack endpoint must be asked for as such"},
	{"Invalid Configuration: AccountIdEndpointMode is required but account "
	 "endpoints are not supported in this partition",
	 "accounts of this region have no endpoint"},
	{"Invalid Configuration: AccountIdEndpointMode is required and FIPS is "
	 "enabled, but FIPS account endpoints are not supported",
	 "accounts have no FIPS endpoint"},
	{"AccountIdEndpointMode is required but no AccountID was provided or able "
	 "to be loaded",
	 "the account is not known"},
	{"Credentials-sourced account ID parameter is invalid",
	 "the account's number is none"},
};

/* NULL where the rule set has another error than those. */
static const char *
our_words(const char *theirs)
{
	size_t i;

	for (i = 0; i < sizeof(problems) / sizeof(problems[0]); i++)
	{
		if (strcmp(problems[i][0], theirs) == 0)
			return problems[i][1];
	}
	return NULL;
}

static TxsAccountMode
read_mode(const char *mode)
{
	if (mode == NULL || strcmp(mode, "disabled") == 0)
		return TXS_ACCOUNT_DISABLED;
	return strcmp(mode, "required") == 0 ? TXS_ACCOUNT_REQUIRED
										 : TXS_ACCOUNT_PREFERRED;
}

/* The same but for a slash at the end of the one expected. */
static bool
is_url(const char *got, const char *expected)
{
	size_t length = strlen(got);

	return strncmp(got, expected, length) == 0 &&
		   (strcmp(expected + length, "") == 0 ||
			strcmp(expected + length, "/") == 0);
}

static void
test_case(const Tree *one)
{
	const Tree *parameters = tree_get(one, "params");
	const Tree *listed = tree_get(parameters, "ResourceArnList");
	const Tree *expected = tree_get(one, "expect");
	const Tree *expected_endpoint = tree_get(expected, "endpoint");
	const char *url = tree_text(expected_endpoint, "url");
	const char *error = tree_text(expected, "error");
	const Tree *schemes =
		tree_get(tree_get(expected_endpoint, "properties"), "authSchemes");
	const char *region =
		schemes == NULL ? NULL : tree_text(schemes->first, "signingRegion");
	TxsEndpointInput input = {
		.region = tree_text(parameters, "Region"),
		.endpoint = tree_text(parameters, "Endpoint"),
		.use_fips = tree_bool(parameters, "UseFIPS", false),
		.use_dual_stack = tree_bool(parameters, "UseDualStack", false),
		.account_mode =
			read_mode(tree_text(parameters, "AccountIdEndpointMode")),
		.account_id = tree_text(parameters, "AccountId"),
		.arns = {tree_text(parameters, "ResourceArn"),
				 listed == NULL ? NULL : listed->first->text},
		.is_search = tree_bool(parameters, "IsSearchOperation", false),
	};
	TxsEndpoint endpoint;
	const char *problem = txs_endpoint_resolve(&input, &endpoint);
	bool held;

	if (region == NULL)
		region = input.region == NULL ? "us-east-1" : input.region;
	if (error != NULL)
		held = problem != NULL && our_words(error) != NULL &&
			   strcmp(problem, our_words(error)) == 0;
	else
		held = problem == NULL && is_url(endpoint.url, url) &&
			   strcmp(endpoint.region, region) == 0;
	if (!ok(held, "endpoint: %s", tree_text(one, "documentation")))
		diag("got %s, expected %s", problem == NULL ? endpoint.url : problem,
			 url == NULL ? error : url);
}

/* host NULL: the URL is refused. */
static void
test_url(const char *url, const char *host, bool secure, bool loopback)
{
	TxsEndpointInput input = {.region = "us-east-1", .endpoint = url};
	TxsEndpoint endpoint;
	const char *problem = txs_endpoint_resolve(&input, &endpoint);

	if (host == NULL)
	{
		ok(problem != NULL, "refused: %s", url);
		return;
	}
	ok(problem == NULL && strcmp(endpoint.host, host) == 0 &&
		   endpoint.is_secure == secure && endpoint.is_loopback == loopback,
	   "host of %s", url);
}

/* url NULL: the region is refused. */
static void
test_region(const char *region, const char *url)
{
	TxsEndpointInput input = {.region = region};
	TxsEndpoint endpoint;
	const char *problem = txs_endpoint_resolve(&input, &endpoint);

	if (url == NULL)
		ok(problem != NULL &&
			   strcmp(problem, "the region's name is none") == 0,
		   "refused: region \"%s\"", region);
	else
		ok(problem == NULL && strcmp(endpoint.url, url) == 0 &&
			   strcmp(endpoint.region, region) == 0 && endpoint.is_secure &&
			   !endpoint.is_loopback,
		   "region %s", region);
}

static void
test_regions(void)
{
#define LABEL_63                                                              \
	"a23456789a123456789a123456789a123456789a123456789a123456789a123"

	test_region("xx-moon-7", "https://dynamodb.xx-moon-7.amazonaws.com");
	test_region("cn-moon-7", "https://dynamodb.cn-moon-7.amazonaws.com.cn");
	test_region("us-isob-east-1",
				"https://dynamodb.us-isob-east-1.sc2s.sgov.gov");
	test_region("us-isof-south-1",
				"https://dynamodb.us-isof-south-1.csp.hci.ic.gov");
	test_region("eu-isoe-west-1",
				"https://dynamodb.eu-isoe-west-1.cloud.adc-e.uk");
	test_region("eusc-de-east-1",
				"https://dynamodb.eusc-de-east-1.amazonaws.eu");
	test_region("aws-cn-global",
				"https://dynamodb.aws-cn-global.amazonaws.com.cn");
	test_region(LABEL_63, "https://dynamodb." LABEL_63 ".amazonaws.com");
	test_region(LABEL_63 "4", NULL);
	test_region("", NULL);
	test_region("-us-east-1", NULL);
	test_region("us-east-1-", NULL);
	test_region("us.east.1", NULL);
	test_region("us-east-1/", NULL);
	test_region("us east 1", NULL);
	test_region("us-east-1\t", NULL);
	test_region("us-\xC3\xA9st-1", NULL);
}

/* An ARN that is not that of a table of this region names no account. */
static void
test_arn(const char *arn, const char *url)
{
	TxsEndpointInput input = {.region = "us-east-1",
							  .account_mode = TXS_ACCOUNT_PREFERRED,
							  .arns = {NULL, arn}};
	TxsEndpoint endpoint;

	ok(txs_endpoint_resolve(&input, &endpoint) == NULL &&
		   strcmp(endpoint.url, url) == 0,
	   "ARN \"%s\"", arn);
}

static void
test_arns(void)
{
	const char *plain = "https://dynamodb.us-east-1.amazonaws.com";

	test_arn("arn:aws:dynamodb:us-east-1:123456789012:table/a:b",
			 "https://123456789012.ddb.us-east-1.amazonaws.com");
	test_arn("arn:aws:dynamodb:us-east-1:123456789012:", plain);
	test_arn("arn:aws:dynamodb:us-east-1:123456789012", plain);
	test_arn("arn:aws:dynamodb:us-east-1::table/a", plain);
	test_arn("arn:aws:dynamodb:us-east-1:a.b:table/a", plain);
	test_arn("arn:aws:dynamodb:us-east-1:" LABEL_63 "4:table/a", plain);
	test_arn("arn:aws:dynamodb:us-east:123456789012:table/a", plain);
	test_arn("arn:aws:dynamodbs:us-east-1:123456789012:table/a", plain);
	test_arn("arn::dynamodb:us-east-1:123456789012:table/a", plain);
	test_arn("arx:aws:dynamodb:us-east-1:123456789012:table/a", plain);
}

void
test_endpoint(const char *vectors)
{
	char path[2048];
	Tree *tree;
	const Tree *one;
	int count = 0;

	snprintf(path, sizeof(path), "%s/endpoints/endpoint-tests-1.json",
			 vectors);
	tree = tree_read(path);
	for (one = tree_get(tree, "testCases")->first; one != NULL;
		 one = one->next)
	{
		test_case(one);
		count++;
	}
	ok(count == 548, "all of botocore's cases are there");
	tree_free(tree);

	test_regions();
	test_arns();
	test_url("http://localhost:8000", "localhost:8000", false, true);
	test_url("http://127.255.0.9", "127.255.0.9", false, true);
	test_url("http://127.0.0.1.example.com", "127.0.0.1.example.com", false,
			 false);
	test_url("http://127.example.com", "127.example.com", false, false);
	test_url("http://127.0.0", "127.0.0", false, false);
	test_url("http://127.0.0.1.", "127.0.0.1.", false, false);
	test_url("http://127.0.0.256", "127.0.0.256", false, false);
	test_url("http://128.0.0.1", "128.0.0.1", false, false);
	test_url("http://dynamo_db.inner:08000", "dynamo_db.inner:8000", false,
			 false);
	test_url("http://[::1]example.com", NULL, false, false);
	test_url("http://[]", NULL, false, false);
	test_url("http://[fe80::1%25eth0]", NULL, false, false);
	test_url("http://example .com", NULL, false, false);
	test_url("http://example.com\thost", NULL, false, false);
	test_url("http://example.com:80a", NULL, false, false);
	test_url("http://example.com:000080", NULL, false, false);
	test_url("http://example.com:", NULL, false, false);
	test_url("http://example.com#part", NULL, false, false);
	test_url("http://" LABEL_63 "." LABEL_63 "." LABEL_63 "." LABEL_63 "."
			 "a",
			 NULL, false, false);
	test_url("", NULL, false, false);
	test_url("http://127.0.0.1:8000/", "127.0.0.1:8000", false, true);
	test_url("http://[::1]:8000", "[::1]:8000", false, true);
	test_url("https://[2001:db8::1]", "[2001:db8::1]", true, false);
	test_url("https://example.com:443", "example.com", true, false);
	test_url("http://example.com:80", "example.com", false, false);
	test_url("https://example.com:80", "example.com:80", true, false);
	test_url("http://localhost.example.com", "localhost.example.com", false,
			 false);
	test_url("https://example.com/path", NULL, false, false);
	test_url("https://example.com?query", NULL, false, false);
	test_url("https://", NULL, false, false);
	test_url("https://:443", NULL, false, false);
	test_url("https://user@example.com", NULL, false, false);
	test_url("https://example.com:0", NULL, false, false);
	test_url("https://example.com:65536", NULL, false, false);
	test_url("https://example.com:port", NULL, false, false);
	test_url("https://[::1", NULL, false, false);
	test_url("ftp://example.com", NULL, false, false);
}
