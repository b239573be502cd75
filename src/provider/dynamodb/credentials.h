/*
 * Credentials that sign a storage's requests: found when a call begins, and
 * fetched anew when they end.
 *
 * Which source counts is aws/source.c's.  Keys that a service hands out (to a
 * container, a web identity, an instance) are kept in shared memory, so that
 * one session fetches them for all (shared_keys.c, fetch.c).
 */
#ifndef TXS_DYNAMODB_CREDENTIALS_H
#define TXS_DYNAMODB_CREDENTIALS_H

#include "aws/keys.h"
#include "aws/lease.h"
#include "aws/source.h"
#include "provider/dynamodb/dynamodb.h"

/* What the server process has for AWS: environment and profile. */
typedef struct TxsIdentity
{
	TxsEnvironment environment;
	TxsProfile profile;
} TxsIdentity;

/* fetch.c */

/*
 * Fetch keys from the source of a choice that hands them out.  Unless DONE,
 * error says why.  Waits on the latch, for some seconds at most.
 */
extern TxsFetch txs_fetch_keys(const TxsIdentity *identity,
							   const TxsSourceChoice *choice,
							   const TxsConnection *connection, TxsKeys *keys,
							   TxsFetchError *error);

/*
 * Read a file of at most limit bytes; palloc'd, data NULL where there is none.
 * Returns NULL, or what is wrong.
 */
extern const char *txs_fetch_file(const char *path, size_t limit,
								  TxsSlice *content);

/* shared_keys.c */

/* What to do for keys of an identity; see txs_shared_keys_get(). */
typedef enum TxsKeysState
{
	TXS_KEYS_GOOD,	/* use them */
	TXS_KEYS_FETCH, /* fetch new ones: this session shall */
	TXS_KEYS_RENEW, /* the same; meanwhile, and if it fails, these serve */
	TXS_KEYS_WAIT	/* another session is about to fetch them */
} TxsKeysState;

/*
 * Keys of an identity, a hash of all that decides on whose they are.  refused
 * is the access key id that the service has just refused as expired, or NULL:
 * keys of that id are not good.  After FETCH and RENEW, txs_shared_keys_put()
 * or txs_shared_keys_fail() must follow; who dies is succeeded after some
 * seconds.
 */
extern TxsKeysState txs_shared_keys_get(uint64 identity, const char *refused,
										int64 now, TxsKeys *keys);

/* New keys for all; false where they have expired already. */
extern bool txs_shared_keys_put(uint64 identity, const TxsKeys *keys,
								bool is_imds, int64 now);

/* The fetch failed: true where the old keys serve on, which go to *keys. */
extern bool txs_shared_keys_fail(uint64 identity, int64 now, TxsKeys *keys);

#endif /* TXS_DYNAMODB_CREDENTIALS_H */
