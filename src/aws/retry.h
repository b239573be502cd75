/*
 * When and whether to try again: the rules of the AWS SDKs since November
 * 2026, and where we do better (spec dynamodb-client section 3).
 *
 * Values in, values out: no clock, no randomness, no waiting of its own.
 */
#ifndef TXS_RETRY_H
#define TXS_RETRY_H

#include <stdbool.h>
#include <stdint.h>

#define TXS_RETRY_ATTEMPTS 4   /* in all, for DynamoDB */
#define TXS_RETRY_TOKENS   500 /* of a full bucket */

/* What an attempt that did not succeed means. */
typedef enum TxsFault
{
	TXS_FAULT_FINAL,	 /* the service has refused: do not try again */
	TXS_FAULT_CONDITION, /* final: a condition of a write did not hold */
	TXS_FAULT_TRANSIENT, /* 5xx, a lost connection, a broken answer */
	TXS_FAULT_THROTTLED,
	TXS_FAULT_IN_PROGRESS, /* the same write is still being decided */
	TXS_FAULT_CONFLICT,	   /* another transaction held an item */
	TXS_FAULT_CREDENTIALS, /* expired or unknown: fetch new ones, try once */
	TXS_FAULT_CLOCK		   /* perhaps the clock: see txs_retry_skew() */
} TxsFault;

/*
 * The fault that an error answer means.  code is the part of __type after the
 * last '#'; reasons are the codes of CancellationReasons, in order, none where
 * the answer has none.
 */
extern TxsFault txs_retry_classify(int status, const char *code,
								   const char *const *reasons, int nreasons);

/* Tokens that a retry after this fault costs; 0: it takes none. */
extern int txs_retry_cost(TxsFault fault);

/*
 * Take what a retry costs out of a bucket; false, and nothing taken, where too
 * little is left.  A success gives back what the last retry before it cost, or
 * 1 where there was none; a bucket never holds more than TXS_RETRY_TOKENS.
 */
extern bool txs_retry_take(int *tokens, int cost);
extern void txs_retry_give(int *tokens, int count);

/*
 * Milliseconds to wait before retry number index, from 0.  random is from
 * [0, 1).  hint is the answer's x-amz-retry-after or NULL.
 */
extern int txs_retry_delay(TxsFault fault, int index, double random,
						   const char *hint);

/*
 * Does the clock explain the fault?  Then *skew is the seconds by which the
 * server's is ahead of ours, to be applied from now on; it may be 0, where
 * what was applied is what is wrong.  date is the answer's header Date or
 * NULL, received_at the Unix time when it came, applied what had been added to
 * our clock for the attempt.
 */
extern bool txs_retry_skew(const char *code, const char *date,
						   int64_t received_at, int64_t applied,
						   int64_t *skew);

#endif /* TXS_RETRY_H */
