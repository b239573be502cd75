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
 * costs.
 */
static void
test_case(const Tree *one)
{
	const char *name = tree_text(one, "name");
	int tokens = (int) tree_number(one, "initial_tokens", TXS_RETRY_TOKENS);
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
			txs_retry_give(&tokens, taken > 0 ? taken : 1);
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
			else if (txs_retry_take(&tokens, cost))
			{
				int delay = txs_retry_delay(fault, retries, 1.0, NULL);

				ok(strcmp(outcome, "retry") == 0, "%s, step %d: retry", name,
				   number);
				/* Others wait twice as long as DynamoDB's clients. */
				if (delays || fault == TXS_FAULT_THROTTLED)
					ok(delay == tree_number(step, "delay_ms", -1),
					   "%s, step %d: delay %d", name, number, delay);
				taken = cost;
				retries++;
			}
			else
				ok(strcmp(outcome, "retry_quota_exceeded") == 0,
				   "%s, step %d: no tokens left", name, number);
		}
		ok(tokens == tree_number(step, "quota_after", -1),
		   "%s, step %d: %d tokens", name, number, tokens);
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
	int64_t got = 0;

	ok(txs_retry_skew(tree_text(one, "code"),
					  known ? "Tue, 01 Dec 2026 05:15:00 GMT" : NULL,
					  server_time - skew, 0, &got) == expected &&
		   got == (expected ? skew : 0),
	   "clock: %s, %ld s", tree_text(one, "code"), known ? skew : 0);
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
	ok(txs_retry_delay(TXS_FAULT_THROTTLED, 1, 1.0, NULL) == 2000,
	   "throttled: 1 s, doubled");
	ok(txs_retry_delay(TXS_FAULT_CONFLICT, 1, 1.0, NULL) == 50,
	   "a conflict is soon over");
	ok(txs_retry_delay(TXS_FAULT_IN_PROGRESS, 0, 1.0, NULL) == 1000 &&
		   txs_retry_delay(TXS_FAULT_IN_PROGRESS, 9, 1.0, NULL) == 2000,
	   "in progress: 1 s, at most 2 s");
	ok(txs_retry_delay(fault, 0, 1.0, "1500") == 1500, "a hint");
	ok(txs_retry_delay(fault, 0, 1.0, "0") == 25, "a hint is no less");
	ok(txs_retry_delay(fault, 0, 1.0, "10000") == 5025, "a hint's ceiling");
	ok(txs_retry_delay(fault, 0, 1.0, "soon") == 25, "a hint that is none");
	ok(txs_retry_delay(fault, 0, 1.0, "-5") == 25, "a hint below zero");
	ok(txs_retry_delay(fault, 0, 1.0, "1500ms") == 25,
	   "a hint with more than a number");
	ok(txs_retry_delay(fault, 0, 1.0, "99999999999999999999") == 5025,
	   "a hint beyond numbers");
	ok(txs_retry_cost(TXS_FAULT_FINAL) == 0, "what is final is not retried");
	ok(txs_retry_cost(TXS_FAULT_CONDITION) == 0, "nor is a condition");
}

static void
test_tokens(void)
{
	int tokens = 14;

	ok(txs_retry_take(&tokens, 14) && tokens == 0, "tokens: the last ones");
	txs_retry_give(&tokens, 4);
	ok(!txs_retry_take(&tokens, 5) && tokens == 4,
	   "tokens: what is too little stays");
	txs_retry_give(&tokens, TXS_RETRY_TOKENS - 5);
	ok(tokens == TXS_RETRY_TOKENS - 1, "tokens: one short of full");
	txs_retry_give(&tokens, 14);
	ok(tokens == TXS_RETRY_TOKENS, "tokens: never more than full");
}

/* Does this date, received at a time, say that the clock is off by so much? */
static bool
is_off(const char *date, int64_t received_at, int64_t applied,
	   int64_t expected)
{
	int64_t skew;

	return txs_retry_skew("InvalidSignatureException", date, received_at,
						  applied, &skew) &&
		   skew == expected;
}

/* Does it explain nothing? */
static bool
is_right(const char *date, int64_t received_at, int64_t applied)
{
	int64_t skew;

	return !txs_retry_skew("InvalidSignatureException", date, received_at,
						   applied, &skew);
}

static void
test_skew(void)
{
	const char *date = "Tue, 01 Dec 2026 05:15:00 GMT";

	ok(is_right(date, 1796101500, 600),
	   "a skew that was applied explains nothing");
	ok(is_off(date, 1796102100, 600, 0),
	   "a clock that was set right meanwhile needs no skew any more");
	ok(is_off(date, 1796102100 - 900, 600, 900),
	   "a skew that has grown is taken whole");
	ok(is_right(date, 1796102100 - 240, 0) &&
		   is_right(date, 1796102100 + 240, 0),
	   "four minutes explain nothing");
	ok(is_off(date, 1796102100 - 241, 0, 241) &&
		   is_off(date, 1796102100 + 241, 0, -241),
	   "a second more does, either way");
}

static const char *const wrong_dates[] = {
	"",
	"GMT",
	"2026-12-01T05:15:00Z",
	"Tue, 01 Foo 2026 05:15:00 GMT",
	"Tue, 01 anF 2026 05:15:00 GMT",
	"Tue, 00 Dec 2026 05:15:00 GMT",
	"Tue, 32 Dec 2026 05:15:00 GMT",
	"Tue, 01 Dec 2026 24:15:00 GMT",
	"Tue, 01 Dec 2026 05:60:00 GMT",
	"Tue, 01 Dec 2026 05:15:61 GMT",
	"Tue, 01 Dec 2026 05:15:00 UTC",
	"Tue, 01 Dec 2026 05:15:00 GMT ",
	"Tue,001 Dec 2026 05:15:00 GMT",
	"Tue, 01-Dec-2026 05:15:00 GMT",
	"Tue, 01 Dec 2026 05.15.00 GMT",
	"Tue, +1 Dec 2026 05:15:00 GMT",
};

static void
test_dates(void)
{
	size_t i;

	ok(is_off("Thu, 01 Jan 1970 00:10:00 GMT", 0, 0, 600), "date: the epoch");
	ok(is_off("Thu, 29 Feb 2024 23:59:59 GMT", 1709250599, 0, 600),
	   "date: a leap day");
	ok(is_off("Fri, 01 Mar 2024 00:00:00 GMT", 1709250600, 0, 600),
	   "date: the day after");
	ok(is_off("Mon, 01 Mar 2100 00:00:00 GMT", 4107541800, 0, 600),
	   "date: in a year that is no leap year");
	for (i = 0; i < sizeof(wrong_dates) / sizeof(wrong_dates[0]); i++)
		ok(is_right(wrong_dates[i], 0, 0), "no date: \"%s\"", wrong_dates[i]);
	ok(is_right(NULL, 0, 0), "no date at all");
}

void
test_retry(const char *vectors)
{
	char path[2048];
	Tree *tree;
	const Tree *one;
	int count = 0;

	snprintf(path, sizeof(path), "%s/retry/retry2026.json", vectors);
	tree = tree_read(path);
	for (one = tree_get(tree, "cases")->first; one != NULL; one = one->next)
	{
		test_case(one);
		count++;
	}
	ok(count == 14, "all cases of retries are there");
	tree_free(tree);
	snprintf(path, sizeof(path), "%s/retry/clockskew.json", vectors);
	tree = tree_read(path);
	for (one = tree_get(tree, "cases")->first; one != NULL; one = one->next)
	{
		test_skew_case(one);
		count++;
	}
	ok(count == 14 + 12, "all cases of clocks are there");
	tree_free(tree);
	test_classified();
	test_tokens();
	test_delays();
	test_skew();
	test_dates();
}
