/*
 * Endpoints: botocore's cases but those of accounts and of searches, and URLs.
 */
#include <stdio.h>
#include <string.h>

#include "aws/endpoint.h"
#include "aws_test.h"
#include "tap.h"
#include "tree.h"

/*
 * Is this a case of what txstore does not have: searches, and endpoints of an
 * account where they are not disabled?
 */
static bool
is_left_out(const Tree *parameters)
{
	const char *mode = tree_text(parameters, "AccountIdEndpointMode");
	bool has_account = tree_get(parameters, "AccountId") != NULL ||
					   tree_get(parameters, "ResourceArn") != NULL ||
					   tree_get(parameters, "ResourceArnList") != NULL;

	if (tree_bool(parameters, "IsSearchOperation", false))
		return true;
	if (mode != NULL && strcmp(mode, "required") == 0)
		return true;
	return has_account && (mode == NULL || strcmp(mode, "disabled") != 0);
}

static void
test_case(const Tree *one)
{
	const Tree *parameters = tree_get(one, "params");
	const Tree *expected = tree_get(one, "expect");
	const char *url = tree_text(tree_get(expected, "endpoint"), "url");
	TxsEndpointInput input = {
		.region = tree_text(parameters, "Region"),
		.endpoint = tree_text(parameters, "Endpoint"),
		.use_fips = tree_bool(parameters, "UseFIPS", false),
		.use_dual_stack = tree_bool(parameters, "UseDualStack", false),
	};
	TxsEndpoint endpoint;
	const char *problem;

	/* Orleans and we sign for us-east-1 where only a URL is given; that is
	 * decided before this. */
	if (input.region == NULL && input.endpoint != NULL)
		input.region = "us-east-1";
	problem = txs_endpoint_resolve(&input, &endpoint);
	if (!ok(url == NULL
				? problem != NULL
				: problem == NULL &&
					  strncmp(endpoint.url, url, strlen(endpoint.url)) == 0 &&
					  (url[strlen(endpoint.url)] == '\0' ||
					   strcmp(url + strlen(endpoint.url), "/") == 0),
			"endpoint: %s", tree_text(one, "documentation")))
		diag("got %s, expected %s", problem == NULL ? endpoint.url : problem,
			 url == NULL ? "an error" : url);
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
		if (is_left_out(tree_get(one, "params")))
			continue;
		test_case(one);
		count++;
	}
	ok(count >= 137, "as many of botocore's cases: %d", count);
	tree_free(tree);

	test_url("http://localhost:8000", "localhost:8000", false, true);
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
