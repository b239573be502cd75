/*
 * The instance's metadata service: its requests and answers.
 */
#include <string.h>

#include "aws/imds.h"
#include "creds_test.h"
#include "tap.h"

static void
expect_url(const char *endpoint, const char *mode, const char *expected)
{
	TxsEnvironment e = {.metadata_endpoint = endpoint,
						.metadata_endpoint_mode = mode};
	char url[64];
	const char *problem = txs_imds_url(&e, NULL, url, sizeof(url));

	ok(expected == NULL ? problem != NULL
						: problem == NULL && same_text(url, expected),
	   "imds: URL of %s, %s", endpoint != NULL ? endpoint : "-",
	   mode != NULL ? mode : "-");
}

static void
test_requests(void)
{
	TxsImdsRequest request;
	char url[TXS_IMDS_URL_SIZE];

	ok(txs_imds_ask_token("http://h", &request) &&
		   same_text(request.method, "PUT") &&
		   same_text(request.url, "http://h/latest/api/token") &&
		   same_text(request.header.value, "21600"),
	   "imds: a token is asked for with PUT");
	ok(txs_imds_ask_role("http://h", "t", &request) &&
		   same_text(request.method, "GET") &&
		   same_text(request.url, "http://h/latest/meta-data/iam/"
								  "security-credentials/") &&
		   same_text(request.header.name, "x-aws-ec2-metadata-token") &&
		   same_text(request.header.value, "t"),
	   "imds: the role is asked for with the token");
	ok(txs_imds_ask_keys("http://h", "t", "r", &request) &&
		   same_text(request.url, "http://h/latest/meta-data/iam/"
								  "security-credentials/r") &&
		   same_text(request.header.value, "t"),
	   "imds: and its keys");
	memset(url, 'h', sizeof(url) - 1);
	url[sizeof(url) - 1] = '\0';
	ok(!txs_imds_ask_keys(url, "t", "r", &request),
	   "imds: a URL that does not fit is an error");
}

static void
expect_token(int status, const char *body, TxsFetch fetch)
{
	char token[TXS_IMDS_TOKEN_SIZE];
	TxsFetchError error;
	TxsFetch got = txs_imds_read_token(status, slice(body), token, &error);

	ok(got == fetch && same_text(token, got == TXS_FETCH_DONE ? body : "") &&
		   (got == TXS_FETCH_DONE) == (error.problem == NULL),
	   "imds: token, status %d", status);
}

static void
expect_role(int status, const char *body, TxsFetch fetch, const char *expected)
{
	char role[TXS_IMDS_ROLE_SIZE];
	TxsFetchError error;
	TxsFetch got = txs_imds_read_role(status, slice(body), role, &error);

	ok(got == fetch && same_text(role, expected),
	   "imds: role \"%s\", status %d", expected, status);
}

static void
expect_keys(int status, const char *body, TxsFetch fetch)
{
	TxsKeys keys;
	TxsFetchError error;

	ok(txs_imds_read_keys(status, slice(body), &keys, &error) == fetch &&
		   (keys.access_key_id[0] != '\0') == (fetch == TXS_FETCH_DONE),
	   "imds: keys, status %d, %s", status, body);
}

void
test_imds(void)
{
#define S64	 "0123456789012345678901234567890123456789012345678901234567890123"
#define KEYS "\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"S\""
#define TIME "\"Expiration\":\"2026-12-01T05:38:59Z\""
	expect_url(NULL, NULL, "http://169.254.169.254");
	expect_url(NULL, "IPv6", "http://[fd00:ec2::254]");
	expect_url(NULL, "IPv5", NULL);
	expect_url("http://h:1/x//", "IPv5", "http://h:1/x");
	expect_url("h:1", NULL, NULL);
	expect_url("http://", NULL, NULL);
	expect_url("http://a@h", NULL, NULL);
	expect_url("http://h/?x", NULL, NULL);
	expect_url("http://h/" S64, NULL, NULL);
	test_requests();

	expect_token(200, "AQAE==", TXS_FETCH_DONE);
	expect_token(200, "", TXS_FETCH_FAILED);
	expect_token(200, "a\r\nb", TXS_FETCH_FAILED);
	expect_token(401, "", TXS_FETCH_FAILED);
	expect_token(403, "", TXS_FETCH_FAILED);
	expect_token(503, "", TXS_FETCH_AGAIN);
	expect_token(0, "", TXS_FETCH_AGAIN);

	expect_role(200, "my-role", TXS_FETCH_DONE, "my-role");
	expect_role(200, "one\ntwo\n", TXS_FETCH_DONE, "one");
	expect_role(200, S64, TXS_FETCH_DONE, S64);
	expect_role(200, S64 "5", TXS_FETCH_FAILED, "");
	expect_role(200, "", TXS_FETCH_FAILED, "");
	expect_role(200, "../x", TXS_FETCH_FAILED, "");
	expect_role(200, "<html>", TXS_FETCH_FAILED, "");
	expect_role(401, "", TXS_FETCH_NEW_TOKEN, "");
	expect_role(404, "", TXS_FETCH_FAILED, "");
	expect_role(500, "", TXS_FETCH_AGAIN, "");

	expect_keys(200,
				"{\"Code\":\"Success\"," KEYS ",\"Token\":\"T\"," TIME "}",
				TXS_FETCH_DONE);
	expect_keys(200, "{" KEYS "," TIME "}", TXS_FETCH_FAILED);
	expect_keys(200, "{" KEYS ",\"Token\":\"T\"}", TXS_FETCH_FAILED);
	expect_keys(200, "{\"Code\":\"Failed\",\"Message\":\"m\"}",
				TXS_FETCH_FAILED);
	expect_keys(401, "", TXS_FETCH_NEW_TOKEN);
	expect_keys(500, "", TXS_FETCH_AGAIN);
}
