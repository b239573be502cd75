/*
 * What signing one request costs: microseconds of CPU time, the median (and
 * the best) of several rounds.
 *
 * The request is a TransactWriteItems with 1.5 KB of body and a session token,
 * as store() of one state of 1 KB sends it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "aws/sigv4.h"

#define ROUNDS	   21
#define BODY_BYTES 1536

static char body[BODY_BYTES];
static char token[400];
static const TxsHeader headers[] = {
	{"content-type", "application/x-amz-json-1.0"},
	{"host", "dynamodb.us-east-1.amazonaws.com"},
	{"x-amz-date", "20261201T051500Z"},
	{"x-amz-target", "DynamoDB_20120810.TransactWriteItems"},
	{"x-amz-security-token", token}};
static TxsSigningInput input = {
	.method = "POST",
	.path = "/",
	.headers = headers,
	.nheaders = 5,
	.body = body,
	.body_length = sizeof(body),
	.region = "us-east-1",
	.service = "dynamodb",
	.timestamp = "20261201T051500Z",
};
static const TxsCredentials credentials = {
	"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", token};

/* Time that others take from us does not count. */
static double
seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double) now.tv_sec + (double) now.tv_nsec * 1e-9;
}

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;

	return (x > y) - (x < y);
}

/* With a key that is kept, or derived anew each time. */
static void
measure(TxsSigner *signer, const char *name, int repeat, bool warm)
{
	double times[ROUNDS];
	char authorization[1024];
	int round;
	int i;

	for (round = 0; round < ROUNDS; round++)
	{
		double start = seconds();

		for (i = 0; i < repeat; i++)
		{
			if (!warm)
				input.region = i % 2 == 0 ? "eu-west-1" : "us-east-1";
			if (!txs_sigv4_sign(signer, &input, &credentials, authorization,
								sizeof(authorization)))
				abort();
		}
		times[round] = (seconds() - start) * 1e6 / repeat;
	}
	qsort(times, ROUNDS, sizeof(times[0]), compare_doubles);
	printf("%8.3f us  (best %.3f)  %s\n", times[ROUNDS / 2], times[0], name);
}

int
main(int argc, char **argv)
{
	int repeat = argc > 1 ? atoi(argv[1]) : 5000;
	TxsSigner *signer = txs_sigv4_create();

	if (signer == NULL)
		abort();
	memset(body, 'b', sizeof(body));
	memset(token, 't', sizeof(token) - 1);
	measure(signer, "sign 1.5 KB, the key known", repeat, true);
	input.body_length = 0;
	measure(signer, "sign an empty body, the key known", repeat, true);
	input.body_length = sizeof(body);
	measure(signer, "sign 1.5 KB, the key derived anew", repeat, false);
	txs_sigv4_free(signer);
	return 0;
}
