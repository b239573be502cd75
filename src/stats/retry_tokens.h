/*
 * Tokens for retries, shared by all sessions of the server: one bucket an
 * endpoint, so that many sessions together do not storm a service that is in
 * trouble (spec dynamodb-client section 3).
 */
#ifndef TXS_RETRY_TOKENS_H
#define TXS_RETRY_TOKENS_H

#include "postgres.h"

/*
 * Take tokens out of an endpoint's bucket, which holds size of them when it is
 * full; false, and none taken, if it has not that many.
 */
extern bool txs_retry_tokens_take(const char *endpoint, int cost, int size);

/* Give tokens back, up to a full bucket. */
extern void txs_retry_tokens_give(const char *endpoint, int count);

#endif /* TXS_RETRY_TOKENS_H */
