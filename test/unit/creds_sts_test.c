/*
 * Web identities: the request to STS and its answers.
 */
#include <string.h>

#include "aws/sts.h"
#include "creds_test.h"
#include "tap.h"

#define ROLE "arn:aws:iam::123456789012:role/r"

static void
expect_url(const char *endpoint, const char *region, const char *expected)
{
	char url[TXS_STS_URL_SIZE];
	const char *problem = txs_sts_url(endpoint, region, url, sizeof(url));

	ok(expected == NULL ? problem != NULL
						: problem == NULL && same_text(url, expected),
	   "sts: URL of %s, %s", endpoint != NULL ? endpoint : "-",
	   region != NULL ? region : "-");
}

static void
test_request(void)
{
	TxsStsRequest request = {ROLE, "s", {NULL, 0}, 7};
	char body[256];
	size_t length;

	request.token = slice("a.b/c+\n");
	ok(txs_sts_write(&request, body, sizeof(body), &length) != NULL,
	   "sts: a session name has two characters");
	request.session_name = "s@x";
	ok(txs_sts_write(&request, body, sizeof(body) - 1, &length) == NULL,
	   "sts: a request");
	body[length] = '\0';
	ok(same_text(body, "Action=AssumeRoleWithWebIdentity&Version=2011-06-15"
					   "&RoleArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2Fr"
					   "&RoleSessionName=s%40x&WebIdentityToken=a.b%2Fc%2B"),
	   "sts: its body");
	ok(txs_sts_write(&request, body, length - 1, &length) != NULL &&
		   length == 0,
	   "sts: a body that does not fit is an error");
	request.session_name = NULL;
	txs_sts_write(&request, body, sizeof(body) - 1, &length);
	body[length] = '\0';
	ok(strstr(body, "&RoleSessionName=txstore-7&") != NULL,
	   "sts: a session name is made");
	request.token = slice(" \n");
	ok(txs_sts_write(&request, body, sizeof(body), &length) != NULL,
	   "sts: an empty token is an error");
	request.token = slice("abcd");
	request.role_arn = "x";
	ok(txs_sts_write(&request, body, sizeof(body), &length) != NULL,
	   "sts: a role is an ARN");
}

static void
expect(const char *what, int status, const char *body, TxsFetch fetch,
	   const char *code)
{
	TxsKeys keys;
	TxsFetchError error;
	TxsFetch got;

	memset(&keys, 'x', sizeof(keys));
	got = txs_sts_read(status, slice(body), &keys, &error);
	ok(got == fetch && (got == TXS_FETCH_DONE) == (error.problem == NULL) &&
		   same_text(error.code, code),
	   "sts: %s", what);
	if (got == TXS_FETCH_DONE)
		ok(same_text(keys.access_key_id, "ASIA") &&
			   same_text(keys.secret_access_key, "S&/") &&
			   same_text(keys.session_token, "T=") &&
			   keys.expires_at == 1796103539,
		   "sts: %s: keys", what);
	else
		ok(keys.access_key_id[0] == '\0' && keys.secret_access_key[0] == '\0',
		   "sts: %s: nothing is left", what);
}

#define ANSWER(id, token, time)                                               \
	"<AssumeRoleWithWebIdentityResponse xmlns=\"https://sts.amazonaws.com/"   \
	"doc/2011-06-15/\">\n<AssumeRoleWithWebIdentityResult><Audience>a"        \
	"</Audience><Credentials>" id                                             \
	"<SecretAccessKey>S&amp;/</SecretAccessKey><SessionToken> " token         \
	"\n</SessionToken><Expiration>" time "</Expiration></Credentials>"        \
	"</AssumeRoleWithWebIdentityResult><ResponseMetadata/>"                   \
	"</AssumeRoleWithWebIdentityResponse>"
#define ID "<AccessKeyId>ASIA</AccessKeyId>"
#define ERROR(code)                                                           \
	"<ErrorResponse><Error><Type>Sender</Type><Code>" code                    \
	"</Code><Message>SECRET</Message></Error></ErrorResponse>"

static void
test_answers(void)
{
	expect("an answer", 200, ANSWER(ID, "T=", "2026-12-01T05:38:59Z"),
		   TXS_FETCH_DONE, "");
	expect("no id", 200, ANSWER("", "T=", "2026-12-01T05:38:59Z"),
		   TXS_FETCH_FAILED, "");
	expect("two ids", 200, ANSWER(ID ID, "T=", "2026-12-01T05:38:59Z"),
		   TXS_FETCH_FAILED, "");
	expect("no token", 200, ANSWER(ID, "", "2026-12-01T05:38:59Z"),
		   TXS_FETCH_FAILED, "");
	expect("no time", 200, ANSWER(ID, "T=", "tomorrow"), TXS_FETCH_FAILED, "");
	expect("an unknown entity", 200, ANSWER(ID, "&x;", "2026-12-01T05:38:59Z"),
		   TXS_FETCH_FAILED, "");
	expect("no XML", 200, "{}", TXS_FETCH_FAILED, "");
	expect("a provider out of reach", 400, ERROR("IDPCommunicationError"),
		   TXS_FETCH_AGAIN, "IDPCommunicationError");
	expect("an old token", 400, ERROR("ExpiredTokenException"),
		   TXS_FETCH_FAILED, "ExpiredTokenException");
	expect("an error without XML", 403, "x", TXS_FETCH_FAILED, "");
	expect("a server's error", 503, "", TXS_FETCH_AGAIN, "");
	expect("no answer", 0, "", TXS_FETCH_AGAIN, "");
}

void
test_sts(void)
{
	expect_url(NULL, "eu-west-1", "https://sts.eu-west-1.amazonaws.com/");
	expect_url(NULL, "cn-north-1", "https://sts.cn-north-1.amazonaws.com.cn/");
	expect_url(NULL, "us-iso-east-1", "https://sts.us-iso-east-1.c2s.ic.gov/");
	expect_url("http://h:1", "r", "http://h:1/");
	expect_url("http://h:1/", NULL, "http://h:1/");
	expect_url(NULL, NULL, NULL);
	expect_url(NULL, "evil.com/", NULL);
	expect_url("h:1", "r", NULL);
	expect_url("", "r", NULL);
	test_request();
	test_answers();
}
