/*
 * Containers: where we ask, with which token, and what they answer.
 */
#include <string.h>

#include "aws/container.h"
#include "creds_test.h"
#include "tap.h"

static const char *const allowed[] = {
	"https://example.com/x",
	"https://example.com:8443/",
	"http://localhost/x",
	"http://LOCALHOST:80/x",
	"http://127.0.0.1:51679/x?y=z",
	"http://127.255.0.9/",
	"http://169.254.170.2/x",
	"http://169.254.170.23/v1/credentials",
	"http://[::1]:80/",
	"http://[fd00:ec2::23]/v1/credentials",
	"http://[FD00:EC2:0::23]/x",
};

static const char *const refused[] = {
	"http://example.com/x",
	"http://169.254.169.254/x",
	"http://169.254.170.3/x",
	"http://127.0.0.1.example.com/",
	"http://localhost.example.com/",
	"http://localhost@example.com/",
	"http://localhost\\@example.com/",
	"http://127.0.0.1:80@example.com/",
	"http://127.1/",
	"http://[::1",
	"http://[::1]x/",
	"http://[::2]/",
	"http://[]/",
	"http:///x",
	"ftp://localhost/",
	"localhost/x",
	"http://localhost/\r\nX: y",
	"http://localhost/ x",
	"https:///x",
	"https://user@example.com/",
	"https://example.com\\x/",
};

static void
test_urls(void)
{
	TxsEnvironment e = {NULL};
	char url[64];
	size_t i;

	ok(!txs_container_is_there(&e) &&
		   txs_container_url(&e, url, sizeof(url)) != NULL,
	   "container: none");
	for (i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
	{
		e.container_full_uri = allowed[i];
		ok(txs_container_url(&e, url, sizeof(url)) == NULL &&
			   same_text(url, allowed[i]),
		   "container: %s", allowed[i]);
	}
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
	{
		e.container_full_uri = refused[i];
		ok(txs_container_url(&e, url, sizeof(url)) != NULL,
		   "container: refused URI %d", (int) i);
	}
	e.container_relative_uri = "/v2/x";
	ok(txs_container_url(&e, url, 27) == NULL &&
		   same_text(url, "http://169.254.170.2/v2/x"),
	   "container: the relative URI comes first");
	ok(txs_container_url(&e, url, 25) != NULL,
	   "container: a URI that does not fit is an error");
	e.container_relative_uri = "@example.com/";
	ok(txs_container_url(&e, url, sizeof(url)) != NULL,
	   "container: the relative URI begins with a slash");
}

static void
test_tokens(void)
{
	TxsEnvironment e = {.container_token = "V"};
	TxsSlice none = {NULL, 0};
	TxsSlice value;

	ok(txs_container_token(&e, none, &value) == NULL && value.length == 1 &&
		   *value.data == 'V',
	   "container: the token of the variable");
	e.container_token_file = "/f";
	ok(txs_container_token(&e, slice("FF"), &value) == NULL &&
		   value.length == 2,
	   "container: the file's token comes first");
	ok(txs_container_token(&e, none, &value) != NULL,
	   "container: an empty file is an error");
	ok(txs_container_token(&e, slice("F\nX: y"), &value) != NULL &&
		   txs_container_token(&e, slice("F\r"), &value) != NULL,
	   "container: a token has no line break");
	e.container_token_file = e.container_token = NULL;
	ok(txs_container_token(&e, none, &value) == NULL && value.data == NULL,
	   "container: there need not be a token");
}

static void
expect(const char *what, int status, const char *body, TxsFetch fetch,
	   const char *code)
{
	TxsKeys keys;
	TxsFetchError error;
	TxsFetch got;

	memset(&keys, 'x', sizeof(keys));
	got = txs_container_read(status, slice(body), &keys, &error);
	ok(got == fetch && (got == TXS_FETCH_DONE) == (error.problem == NULL) &&
		   same_text(error.code, code),
	   "container: %s", what);
	ok(got == TXS_FETCH_DONE ? keys.access_key_id[0] == 'A'
							 : keys.access_key_id[0] == '\0' &&
								   keys.secret_access_key[0] == '\0' &&
								   keys.session_token[0] == '\0',
	   "container: %s: keys, or nothing", what);
}

static void
test_answers(void)
{
#define KEYS "\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"S\\/\""
	expect("keys", 200,
		   "{" KEYS ",\"Token\":\"T\",\"RoleArn\":{\"x\":[1]},"
		   "\"Expiration\":\"2026-12-01T05:38:59Z\"}",
		   TXS_FETCH_DONE, "");
	expect("lasting keys", 200, "{" KEYS ",\"Token\":null}", TXS_FETCH_DONE,
		   "");
	expect("200 without keys", 200,
		   "{\"Code\":\"AssumeRoleUnauthorizedAccess\",\"Message\":\"m\"}",
		   TXS_FETCH_FAILED, "AssumeRoleUnauthorizedAccess");
	expect("no time", 200, "{" KEYS ",\"Expiration\":\"soon\"}",
		   TXS_FETCH_FAILED, "");
	expect("a number as a token", 200, "{" KEYS ",\"Token\":1}",
		   TXS_FETCH_AGAIN, "");
	expect("an id with a NUL", 200,
		   "{\"AccessKeyId\":\"A\\u0000\",\"SecretAccessKey\":\"S\"}",
		   TXS_FETCH_FAILED, "");
	expect("a token with a line break", 200, "{" KEYS ",\"Token\":\"T\\n\"}",
		   TXS_FETCH_FAILED, "");
	expect("an answer cut short", 200, "{" KEYS, TXS_FETCH_AGAIN, "");
	expect("more than an answer", 200, "{" KEYS "}x", TXS_FETCH_AGAIN, "");
	expect("an empty answer", 200, "", TXS_FETCH_AGAIN, "");
	expect("no answer", 0, "", TXS_FETCH_AGAIN, "");
	expect("a server's error", 500, "", TXS_FETCH_AGAIN, "");
	expect("too many requests", 429, "", TXS_FETCH_AGAIN, "");
	expect("refused", 400, "{\"Code\":\"A B\"}", TXS_FETCH_FAILED, "");
	expect("keys with an error's status", 403, "{" KEYS "}", TXS_FETCH_FAILED,
		   "");
#undef KEYS
}

void
test_container(void)
{
	test_urls();
	test_tokens();
	test_answers();
}
