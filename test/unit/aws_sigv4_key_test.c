/*
 * The cached signing key: what it depends on, and what is refused.
 */
#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws/sigv4.h"
#include "aws_test.h"
#include "tap.h"

#define AUTHORIZATION_SIZE 1024

static const TxsHeader plain_headers[] = {{"host",
										   "dynamodb.us-east-1.amazonaws.com"},
										  {"x-amz-date", "20261130T235959Z"}};

static const TxsSigningInput plain_input = {
	.method = "POST",
	.path = "/",
	.headers = plain_headers,
	.nheaders = 2,
	.body = "{}",
	.body_length = 2,
	.region = "us-east-1",
	.service = "dynamodb",
	.timestamp = "20261130T235959Z",
};

static const TxsCredentials plain_credentials = {"AKIDEXAMPLE", "secret",
												 NULL};

/*
 * After the plain request, does signer sign as a fresh one does, and other
 * than before?
 */
static void
check_change(const char *what, const TxsSigningInput *input,
			 const TxsCredentials *credentials)
{
	TxsSigner *used = txs_sigv4_create();
	TxsSigner *fresh = txs_sigv4_create();
	char before[AUTHORIZATION_SIZE];
	char again[AUTHORIZATION_SIZE];
	char changed[AUTHORIZATION_SIZE];
	char expected[AUTHORIZATION_SIZE];
	bool done;

	done =
		txs_sigv4_sign(used, &plain_input, &plain_credentials, before,
					   sizeof(before)) &&
		txs_sigv4_sign(used, input, credentials, changed, sizeof(changed)) &&
		txs_sigv4_sign(used, &plain_input, &plain_credentials, again,
					   sizeof(again)) &&
		txs_sigv4_sign(fresh, input, credentials, expected, sizeof(expected));
	ok(done && strcmp(changed, expected) == 0, "a new %s is noticed", what);
	ok(done && strcmp(strstr(changed, "Signature="),
					  strstr(before, "Signature=")) != 0,
	   "the signature depends on the %s", what);
	ok(done && strcmp(before, again) == 0, "the old %s is, too", what);
	txs_sigv4_free(used);
	txs_sigv4_free(fresh);
}

static void
test_changes(void)
{
	TxsSigningInput input = plain_input;
	TxsCredentials credentials = plain_credentials;

	credentials.secret_access_key = "secret2";
	check_change("secret", &input, &credentials);
	input.timestamp = "20261201T000000Z";
	check_change("day", &input, &plain_credentials);
	input = plain_input;
	input.region = "us-east-2";
	check_change("region", &input, &plain_credentials);
	input = plain_input;
	input.service = "sts";
	check_change("service", &input, &plain_credentials);
	input.region = "us-east-1dynamo";
	input.service = "db";
	check_change("split of region and service", &input, &plain_credentials);
	input = plain_input;
	input.body = "{ }";
	input.body_length = 3;
	check_change("body", &input, &plain_credentials);
	input = plain_input;
	input.body = "a\0b";
	input.body_length = 3;
	check_change("body with a NUL", &input, &plain_credentials);
}

static void
test_refusals(void)
{
	TxsSigner *signer = txs_sigv4_create();
	TxsSigningInput input = plain_input;
	TxsHeader headers[TXS_SIGV4_MAX_HEADERS + 1];
	char authorization[AUTHORIZATION_SIZE];
	char expected[AUTHORIZATION_SIZE];
	int i;

	for (i = 0; i < TXS_SIGV4_MAX_HEADERS + 1; i++)
		headers[i] = plain_headers[i % 2];
	input.headers = headers;
	input.nheaders = TXS_SIGV4_MAX_HEADERS + 1;
	ok(!txs_sigv4_sign(signer, &input, &plain_credentials, authorization,
					   sizeof(authorization)),
	   "too many headers are refused");
	input.nheaders--;
	ok(txs_sigv4_sign(signer, &input, &plain_credentials, authorization,
					  sizeof(authorization)),
	   "as many as may be are not");

	input = plain_input;
	input.timestamp = "2026";
	ok(!txs_sigv4_sign(signer, &input, &plain_credentials, authorization,
					   sizeof(authorization)),
	   "a timestamp of another form is refused");

	/* What others left in the queue is not ours to see, only ours to clear. */
	ERR_raise(ERR_LIB_USER, 1);
	ok(!txs_sigv4_sign(signer, &plain_input, &plain_credentials, authorization,
					   20) &&
		   ERR_peek_error() == 0,
	   "after a failure OpenSSL has no error left");

	txs_sigv4_sign(signer, &plain_input, &plain_credentials, expected,
				   sizeof(expected));
	input = plain_input;
	input.path = "";
	ok(txs_sigv4_sign(signer, &input, &plain_credentials, authorization,
					  sizeof(authorization)) &&
		   strcmp(authorization, expected) == 0,
	   "no path is the path /");
	input.keep_path = true;
	ok(txs_sigv4_sign(signer, &input, &plain_credentials, authorization,
					  sizeof(authorization)) &&
		   strcmp(authorization, expected) == 0,
	   "no path is the path / where it is kept as it is, too");
	txs_sigv4_free(signer);
	txs_sigv4_free(NULL);
}

/* Larger than any block that the signer has had. */
static void
test_large_headers(void)
{
	size_t length = 100000;
	char *token = malloc(length + 1);
	TxsHeader headers[] = {plain_headers[0],
						   plain_headers[1],
						   {"x-amz-security-token", token}};
	TxsSigningInput input = plain_input;
	TxsSigner *signer = txs_sigv4_create();
	TxsSigner *fresh = txs_sigv4_create();
	char authorization[AUTHORIZATION_SIZE];
	char expected[AUTHORIZATION_SIZE];

	memset(token, 't', length);
	token[length] = '\0';
	input.headers = headers;
	input.nheaders = 3;
	txs_sigv4_sign(signer, &plain_input, &plain_credentials, authorization,
				   sizeof(authorization));
	ok(txs_sigv4_sign(signer, &input, &plain_credentials, authorization,
					  sizeof(authorization)) &&
		   txs_sigv4_sign(fresh, &input, &plain_credentials, expected,
						  sizeof(expected)) &&
		   strcmp(authorization, expected) == 0,
	   "a large header is signed");
	txs_sigv4_free(signer);
	txs_sigv4_free(fresh);
	free(token);
}

void
test_sigv4_key(void)
{
	test_changes();
	test_refusals();
	test_large_headers();
}
