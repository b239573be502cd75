/*
 * The list of endpoints is in a little shared memory of the server's slack, so
 * it works whether or not the library is preloaded; see pgvector's
 * HnswInitLockTranche for the way.  The lock guards all of it.  Endpoints
 * beyond the list share the last bucket of tokens; their skew is not kept.
 */
#include "stats/endpoints.h"

#include "common/hashfn.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "storage/spin.h"

#define ENDPOINTS 16

typedef struct Endpoint
{
	uint64 name; /* its hash; 0: free */
	int taken;	 /* tokens */
	int64 skew;	 /* seconds */
} Endpoint;

typedef struct Shared
{
	slock_t lock;
	Endpoint endpoints[ENDPOINTS + 1]; /* the last for all others */
} Shared;

static Shared *shared = NULL;

static void
attach(void)
{
	bool found;

	if (shared != NULL)
		return;
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	shared = ShmemInitStruct("txstore endpoints", sizeof(Shared), &found);
	if (!found)
	{
		memset(shared, 0, sizeof(Shared));
		SpinLockInit(&shared->lock);
	}
	LWLockRelease(AddinShmemInitLock);
}

static uint64
hash_name(const char *name)
{
	uint64 hash = hash_bytes_extended((const unsigned char *) name,
									  (int) strlen(name), 0);

	return hash == 0 ? 1 : hash;
}

/* Take the lock and find an endpoint, or make a place for it. */
static Endpoint *
lock_endpoint(const char *name)
{
	uint64 hash = hash_name(name);
	int i;

	attach();
	SpinLockAcquire(&shared->lock);
	for (i = 0; i < ENDPOINTS; i++)
	{
		Endpoint *endpoint = &shared->endpoints[i];

		if (endpoint->name == 0)
			endpoint->name = hash;
		if (endpoint->name == hash)
			return endpoint;
	}
	return &shared->endpoints[ENDPOINTS];
}

static void
unlock(void)
{
	SpinLockRelease(&shared->lock);
}

bool
txs_endpoints_take_tokens(const char *name, int cost, int size)
{
	Endpoint *endpoint = lock_endpoint(name);
	bool enough = endpoint->taken + cost <= size;

	if (enough)
		endpoint->taken += cost;
	unlock();
	return enough;
}

void
txs_endpoints_give_tokens(const char *name, int count)
{
	Endpoint *endpoint = lock_endpoint(name);

	endpoint->taken = Max(0, endpoint->taken - count);
	unlock();
}

int64
txs_endpoints_skew(const char *name)
{
	int64 skew = lock_endpoint(name)->skew;

	unlock();
	return skew;
}

void
txs_endpoints_set_skew(const char *name, int64 skew)
{
	Endpoint *endpoint = lock_endpoint(name);

	if (endpoint->name != 0)
		endpoint->skew = skew;
	unlock();
}

int
txs_endpoints_count(int *most)
{
	int count = 0;

	*most = ENDPOINTS;
	attach();
	SpinLockAcquire(&shared->lock);
	while (count < ENDPOINTS && shared->endpoints[count].name != 0)
		count++;
	unlock();
	return count;
}
