/*
 * What all sessions of the server know of an endpoint: the tokens for retries
 * that are taken, so that many sessions together do not storm a service that
 * is in trouble (spec dynamodb-client section 3), and by how much its clock
 * differs (section 1).
 */
#ifndef TXS_ENDPOINTS_H
#define TXS_ENDPOINTS_H

#include "postgres.h"

/*
 * Take tokens out of an endpoint's bucket, which holds size of them when it is
 * full; false, and none taken, if it has not that many.  endpoint is its host,
 * with the port.
 */
extern bool txs_endpoints_take_tokens(const char *endpoint, int cost,
									  int size);

/* Give tokens back, up to a full bucket. */
extern void txs_endpoints_give_tokens(const char *endpoint, int count);

/* Seconds by which an endpoint's clock is ahead of ours; 0 until it is set. */
extern int64 txs_endpoints_skew(const char *endpoint);
extern void txs_endpoints_set_skew(const char *endpoint, int64 skew);

/*
 * How many endpoints are known; *most is how many can be, before the others
 * share one bucket.
 */
extern int txs_endpoints_count(int *most);

#endif /* TXS_ENDPOINTS_H */
