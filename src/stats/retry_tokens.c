/*
 * The buckets are in a little shared memory of the server's slack, so they
 * work whether or not the library is preloaded; see pgvector's
 * HnswInitLockTranche for the way.  The lock guards the list of endpoints and
 * how many of their tokens are taken.  Endpoints beyond the list share the last bucket.
 */
#include "stats/retry_tokens.h"

#include "common/hashfn.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "storage/spin.h"

#define BUCKETS 16

typedef struct Bucket
{
	uint64 endpoint; /* hash of its name; 0: free */
	int taken;
} Bucket;

typedef struct Shared
{
	slock_t lock;
	Bucket buckets[BUCKETS];
} Shared;

static Shared *shared = NULL;

static void
attach(void)
{
	bool found;
	int i;

	if (shared != NULL)
		return;
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	shared = ShmemInitStruct("txstore retry tokens", sizeof(Shared), &found);
	if (!found)
	{
		SpinLockInit(&shared->lock);
		for (i = 0; i < BUCKETS; i++)
		{
			shared->buckets[i].endpoint = 0;
			shared->buckets[i].taken = 0;
		}
	}
	LWLockRelease(AddinShmemInitLock);
}

/* The bucket of an endpoint; the lock must be held. */
static Bucket *
find_bucket(uint64 endpoint)
{
	int i;

	for (i = 0; i < BUCKETS - 1; i++)
	{
		Bucket *bucket = &shared->buckets[i];

		if (bucket->endpoint == 0)
			bucket->endpoint = endpoint;
		if (bucket->endpoint == endpoint)
			return bucket;
	}
	return &shared->buckets[BUCKETS - 1];
}

static uint64
hash_endpoint(const char *endpoint)
{
	uint64 hash = hash_bytes_extended((const unsigned char *) endpoint,
									  (int) strlen(endpoint), 0);

	return hash == 0 ? 1 : hash;
}

bool
txs_retry_tokens_take(const char *endpoint, int cost, int size)
{
	uint64 hash = hash_endpoint(endpoint);
	Bucket *bucket;
	bool taken;

	attach();
	SpinLockAcquire(&shared->lock);
	bucket = find_bucket(hash);
	taken = bucket->taken + cost <= size;
	if (taken)
		bucket->taken += cost;
	SpinLockRelease(&shared->lock);
	return taken;
}

void
txs_retry_tokens_give(const char *endpoint, int count)
{
	uint64 hash = hash_endpoint(endpoint);
	Bucket *bucket;

	attach();
	SpinLockAcquire(&shared->lock);
	bucket = find_bucket(hash);
	bucket->taken = Max(0, bucket->taken - count);
	SpinLockRelease(&shared->lock);
}
