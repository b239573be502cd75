/*
 * Retries: the SDKs' own cases, what is classified how, and the clock.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws/retry.h"
#include "aws_test.h"
#include "tap.h"
#include "tree.h"

/*
 * One case of retry2026.json that has DynamoDB's base and attempts, or is about
 * costs: a bucket is kept here as the sessions keep it.
 */
static void
test_case(const Tree *one)
{
	const char *name = tree_text(one, "name");
	long tokens = tree_number(one, "initial_tokens", TXS_RETRY_TOKENS);
	const char *service = tree_text(one, "service");
	bool delays = service != NULL && strcmp(service, "dynamodb") == 0;
	int taken = 0;
	int retries = 0;
	const Tree *step;
	int number = 0;

	for (step = tree_get(one, "steps")->first; step != NULL; step = step->next)
	{
		int status = (int) tree_number(step, "status", 0);
		const char *outcome = tree_text(step, "outcome");
		const char *code = tree_text(step, "error_code");
		TxsFault fault;
		int cost;

		number++;
		if (status == 200)
		{
			tokens += taken > 0 ? taken : 1;
			if (tokens > TXS_RETRY_TOKENS)
				tokens = TXS_RETRY_TOKENS;
			taken = retries = 0;
		}
		else
		{
			fault = txs_retry_classify(status, code, NULL, 0);
			cost = txs_retry_cost(fault);
			ok(cost > 0, "%s, step %d: is retried", name, number);
			if (strcmp(outcome, "max_attempts_exceeded") == 0)
				ok(!delays || retries + 1 == TXS_RETRY_ATTEMPTS,
				   "%s, step %d: attempts", name, number);
			else if (tokens >= cost)
			{
				int delay = txs_retry_delay(fault, retries, 1.0, NULL);

				ok(strcmp(outcome, "retry") == 0, "%s, step %d: retry", name,
				   number);
				/* Others wait twice as long as DynamoDB's clients. */
				if (delays || fault == TXS_FAULT_THROTTLED)
					ok(delay == tree_number(step, "delay_ms", -1),
					   "%s, step %d: delay %d", name, number, delay);
				tokens -= cost;
				taken = cost;
				retries++;
			}
			else
				ok(strcmp(outcome, "retry_quota_exceeded") == 0,
				   "%s, step %d: no tokens left", name, number);
		}
		ok(tokens == tree_number(step, "quota_after", -1),
		   "%s, step %d: %ld tokens", name, number, tokens);
	}
}

static void
test_skew_case(const Tree *one)
{
	long skew = tree_number(one, "observed_skew_s", 0);
	const Tree *observed = tree_get(one, "observed_skew_s");
	bool known = observed != NULL && observed->kind == TXS_TOKEN_NUMBER;
	bool expected = tree_bool(one, "retry", false);
	/* 2026-12-01 05:15:00 */
	int64_t server_time = 1796102100;
	int64_t got =
		txs_retry_skew(tree_text(one, "code"),
					   known ? "Tue, 01 Dec 2026 05:15:00 GMT" : NULL,
					   server_time - skew, 0);

	ok(got == (expected ? skew : 0), "clock: %s, %ld s",
	   tree_text(one, "code"), known ? skew : 0);
}

typedef struct Classified
{
	int status;
	const char *code;
	const char *reasons[3];
	TxsFault fault;
} Classified;

static const Classified classified[] = {
	{400,
	 "TransactionCanceledException",
	 {"None", "TransactionConflict"},
	 TXS_FAULT_CONFLICT},
	{400,
	 "TransactionCanceledException",
	 {"TransactionConflict", "ConditionalCheckFailed"},
	 TXS_FAULT_CONDITION},
	{400,
	 "TransactionCanceledException",
	 {"None", "ConditionalCheckFailed"},
	 TXS_FAULT_CONDITION},
	{400,
	 "TransactionCanceledException",
	 {"ThrottlingError", "None"},
	 TXS_FAULT_THROTTLED},
	{400,
	 "TransactionCanceledException",
	 {"ProvisionedThroughputExceeded"},
	 TXS_FAULT_THROTTLED},
	{400,
	 "TransactionCanceledException",
	 {"ThrottlingError", "TransactionConflict"},
	 TXS_FAULT_CONFLICT},
	{400,
	 "TransactionCanceledException",
	 {"ValidationError", "TransactionConflict"},
	 TXS_FAULT_FINAL},
	{400,
	 "TransactionCanceledException",
	 {"SomethingNew", "TransactionConflict"},
	 TXS_FAULT_FINAL},
	{400, "TransactionCanceledException", {"None"}, TXS_FAULT_FINAL},
	{400, "TransactionCanceledException", {NULL}, TXS_FAULT_FINAL},
	{400, "TransactionInProgressException", {NULL}, TXS_FAULT_IN_PROGRESS},
	{400, "TransactionConflictException", {NULL}, TXS_FAULT_CONFLICT},
	{400, "ThrottlingException", {NULL}, TXS_FAULT_THROTTLED},
	{400,
	 "ProvisionedThroughputExceededException",
	 {NULL},
	 TXS_FAULT_THROTTLED},
	{429, NULL, {NULL}, TXS_FAULT_THROTTLED},
	{500, "InternalServerError", {NULL}, TXS_FAULT_TRANSIENT},
	{503, NULL, {NULL}, TXS_FAULT_TRANSIENT},
	{400, "ExpiredTokenException", {NULL}, TXS_FAULT_CREDENTIALS},
	{400, "InvalidSignatureException", {NULL}, TXS_FAULT_CLOCK},
	{400, "ValidationException", {NULL}, TXS_FAULT_FINAL},
	{400, "ResourceNotFoundException", {NULL}, TXS_FAULT_FINAL},
	{400, "IdempotentParameterMismatchException", {NULL}, TXS_FAULT_FINAL},
	{413, NULL, {NULL}, TXS_FAULT_FINAL},
};

static void
test_classified(void)
{
	size_t i;

	for (i = 0; i < sizeof(classified) / sizeof(classified[0]); i++)
	{
		const Classified *one = &classified[i];
		int count = 0;

		while (count < 3 && one->reasons[count] != NULL)
			count++;
		ok(txs_retry_classify(one->status, one->code, one->reasons, count) ==
			   one->fault,
		   "classified: %d %s %s", one->status,
		   one->code == NULL ? "-" : one->code,
		   one->reasons[0] == NULL ? "" : one->reasons[0]);
	}
}

static void
test_delays(void)
{
	TxsFault fault = TXS_FAULT_TRANSIENT;

	ok(txs_retry_delay(fault, 0, 0.0, NULL) == 0, "jitter may be nothing");
	ok(txs_retry_delay(fault, 1, 0.5, NULL) == 25, "half of the second delay");
	ok(txs_retry_delay(fault, 100, 1.0, NULL) == 20000, "at most 20 s");
	ok(txs_retry_delay(fault, 0, 1.0, "1500") == 1500, "a hint");
	ok(txs_retry_delay(fault, 0, 1.0, "0") == 25, "a hint is no less");
	ok(txs_retry_delay(fault, 0, 1.0, "10000") == 5025, "a hint's ceiling");
	ok(txs_retry_delay(fault, 0, 1.0, "soon") == 25, "a hint that is none");
	ok(txs_retry_delay(fault, 0, 1.0, "-5") == 25, "a hint below zero");
	ok(txs_retry_delay(fault, 0, 1.0, "99999999999999999999") == 5025,
	   "a hint beyond numbers");
	ok(txs_retry_cost(TXS_FAULT_FINAL) == 0, "what is final is not retried");
	ok(txs_retry_cost(TXS_FAULT_CONDITION) == 0, "nor is a condition");
}

static void
test_dates(void)
{
	const char *code = "InvalidSignatureException";

	ok(txs_retry_skew(code, "Thu, 01 Jan 1970 00:10:00 GMT", 0, 0) == 600,
	   "date: the epoch");
	ok(txs_retry_skew(code, "Thu, 29 Feb 2024 23:59:59 GMT", 1709250599, 0) ==
		   600,
	   "date: a leap day");
	ok(txs_retry_skew(code, "Tue, 01 Dec 2026 05:15:00 GMT", 1796101500,
					  600) == 0,
	   "a skew that was applied explains nothing");
	ok(txs_retry_skew(code, "Tue, 01 Dec 2026 05:15:00 GMT", 1796102100,
					  600) == 0,
	   "a skew that is none any more is 0, too");
	ok(txs_retry_skew(code, "2026-12-01T05:15:00Z", 0, 0) == 0,
	   "another form of date");
	ok(txs_retry_skew(code, "Tue, 01 Foo 2026 05:15:00 GMT", 0, 0) == 0,
	   "a month that is none");
	ok(txs_retry_skew(code, "Tue, 01 anF 2026 05:15:00 GMT", 0, 0) == 0,
	   "a month across two names");
}

void
test_retry(const char *vectors)
{
	char path[2048];
	Tree *tree;
	const Tree *one;

	snprintf(path, sizeof(path), "%s/retry/retry2026.json", vectors);
	tree = tree_read(path);
	for (one = tree_get(tree, "cases")->first; one != NULL; one = one->next)
		test_case(one);
	tree_free(tree);
	snprintf(path, sizeof(path), "%s/retry/clockskew.json", vectors);
	tree = tree_read(path);
	for (one = tree_get(tree, "cases")->first; one != NULL; one = one->next)
		test_skew_case(one);
	tree_free(tree);
	test_classified();
	test_delays();
	test_dates();
}
