/*
 * Keys that a service has handed out, for all sessions of the server; see
 * credentials.h.
 *
 * They lie in the slack of the server's shared memory, as the endpoints of
 * stats/ do.  No lock is held while keys are fetched: a session says that it
 * fetches, and for how long others shall leave that to it.
 */
#include "provider/dynamodb/credentials.h"

#include "common/pg_prng.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"

#define PLACES 4

/* Seconds after which a session that fetches is taken for dead. */
#define FETCH_PATIENCE 20

typedef struct Place
{
	uint64 identity; /* 0: free */
	bool has_keys;
	TxsKeys keys;
	TxsLease lease;
	int64 fetching_until; /* seconds since 1970; 0: nobody fetches */
	int64 used_at;
} Place;

typedef struct Shared
{
	int tranche;
	LWLock lock;
	Place places[PLACES];
} Shared;

static Shared *shared = NULL;

static void
attach(void)
{
	bool found;

	if (shared != NULL)
		return;
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	shared = ShmemInitStruct("txstore keys", sizeof(Shared), &found);
	if (!found)
	{
		memset(shared, 0, sizeof(Shared));
		shared->tranche = LWLockNewTrancheId();
		LWLockInitialize(&shared->lock, shared->tranche);
	}
	LWLockRelease(AddinShmemInitLock);
	LWLockRegisterTranche(shared->tranche, "TxstoreKeys");
}

/* The place of an identity: its own, a free one, or the one not used longest. */
static Place *
find_place(uint64 identity, int64 now)
{
	Place *oldest = &shared->places[0];
	Place *place = NULL;
	int i;

	for (i = 0; i < PLACES && place == NULL; i++)
	{
		if (shared->places[i].identity == identity)
			place = &shared->places[i];
		else if (shared->places[i].used_at < oldest->used_at)
			oldest = &shared->places[i];
	}
	if (place == NULL)
	{
		place = oldest;
		txs_keys_wipe(&place->keys);
		memset(place, 0, sizeof(Place));
		place->identity = identity;
	}
	place->used_at = now;
	return place;
}

/* Somebody must fetch: is it this session? */
static TxsKeysState
claim(Place *place, int64 now, TxsKeysState state)
{
	if (now < place->fetching_until)
		return state == TXS_KEYS_RENEW ? TXS_KEYS_GOOD : TXS_KEYS_WAIT;
	place->fetching_until = now + FETCH_PATIENCE;
	return state;
}

static TxsKeysState
decide(Place *place, const char *refused, int64 now)
{
	if (!place->has_keys)
		return claim(place, now, TXS_KEYS_FETCH);
	if (refused != NULL && strcmp(place->keys.access_key_id, refused) == 0)
		txs_lease_refuse(&place->lease);
	switch (txs_lease_check(&place->lease, now))
	{
		case TXS_REFRESH_NONE:
			return TXS_KEYS_GOOD;
		case TXS_REFRESH_ADVISORY:
			return claim(place, now, TXS_KEYS_RENEW);
		case TXS_REFRESH_MANDATORY:
			break;
	}
	return claim(place, now, TXS_KEYS_FETCH);
}

TxsKeysState
txs_shared_keys_get(uint64 identity, const char *refused, int64 now,
					TxsKeys *keys)
{
	TxsKeysState state;
	Place *place;

	attach();
	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	place = find_place(identity, now);
	state = decide(place, refused, now);
	*keys = place->keys;
	LWLockRelease(&shared->lock);
	return state;
}

bool
txs_shared_keys_put(uint64 identity, const TxsKeys *keys, bool is_imds,
					int64 now)
{
	Place *place;
	TxsLease lease;
	bool is_good;

	attach();
	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	place = find_place(identity, now);
	place->fetching_until = 0;
	is_good = txs_lease_start(&lease, is_imds, keys->expires_at, now,
							  pg_prng_double(&pg_global_prng_state));
	if (is_good)
	{
		place->keys = *keys;
		place->lease = lease;
		place->has_keys = true;
	}
	LWLockRelease(&shared->lock);
	return is_good;
}

bool
txs_shared_keys_fail(uint64 identity, int64 now, TxsKeys *keys)
{
	Place *place;
	bool serves;

	attach();
	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	place = find_place(identity, now);
	place->fetching_until = 0;
	serves = place->has_keys &&
			 txs_lease_keep(&place->lease, now,
							pg_prng_double(&pg_global_prng_state));
	*keys = place->keys;
	LWLockRelease(&shared->lock);
	return serves;
}
