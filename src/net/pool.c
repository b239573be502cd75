/*
 * Pools: connections that are kept for one purpose, so that they can be counted
 * and closed apart from others.
 *
 * To libcurl a pool is a share handle with a cache of connections; all requests
 * are still driven by the session's one multi handle.  The cache goes with the
 * handle, which is how connections are closed: libcurl has no other way to close
 * some of them.  It refuses while a request has the handle.
 */
#include "postgres.h"

#include "lib/ilist.h"
#include "utils/memutils.h"

#include "net/transfer.h"

/*
 * Sockets that a session keeps, beside those of the pool in use: half of what
 * sockets.c allows, so that no request lacks one.
 */
#define MAX_KEPT_SOCKETS 32

struct TxsPool
{
	dlist_node node; /* the one used most recently is the first */
	CURLSH *share;	 /* NULL: no connection since it was closed */
	int transfers;	 /* that use it */
	bool must_close; /* when they have ended */
	TxsTraffic traffic;
};

static dlist_head pools = DLIST_STATIC_INIT(pools);

static CURLSH *make_share(void);
static void close_share(TxsPool *pool);

TxsPool *
txs_pool_create(void)
{
	TxsPool *pool = MemoryContextAllocZero(TopMemoryContext, sizeof(TxsPool));

	dlist_push_head(&pools, &pool->node);
	return pool;
}

void
txs_pool_free(TxsPool *pool)
{
	Assert(pool->transfers == 0);
	close_share(pool);
	dlist_delete(&pool->node);
	pfree(pool);
}

bool
txs_pool_close(TxsPool *pool)
{
	bool has_sockets = txs_pool_sockets(pool) > 0;

	pool->must_close = pool->transfers > 0;
	if (!pool->must_close)
		close_share(pool);
	return has_sockets;
}

int
txs_pool_sockets(const TxsPool *pool)
{
	return txs_sockets_count(pool);
}

const TxsTraffic *
txs_pool_traffic(const TxsPool *pool)
{
	return &pool->traffic;
}

/* -------------------------------------------------------- for transfers */

CURLSH *
txs_pool_begin(TxsPool *pool)
{
	if (pool->share == NULL)
		pool->share = make_share();
	if (pool->share == NULL)
		return NULL;
	pool->transfers++;
	dlist_move_head(&pools, &pool->node);
	return pool->share;
}

void
txs_pool_end(TxsPool *pool)
{
	pool->transfers--;
	if (pool->transfers > 0 || !pool->must_close)
		return;
	pool->must_close = false;
	close_share(pool);
}

void
txs_pool_count(TxsPool *pool, size_t sent, size_t received)
{
	pool->traffic.requests++;
	pool->traffic.bytes_sent += (int64) sent;
	pool->traffic.bytes_received += (int64) received;
}

void
txs_pools_make_room(const TxsPool *used)
{
	dlist_iter i;

	dlist_reverse_foreach(i, &pools)
	{
		TxsPool *pool = dlist_container(TxsPool, node, i.cur);

		if (txs_sockets_count(NULL) < MAX_KEPT_SOCKETS)
			return;
		if (pool != used && pool->transfers == 0)
			close_share(pool);
	}
}

void
txs_pools_end(void)
{
	dlist_iter i;

	dlist_foreach (i, &pools)
		close_share(dlist_container(TxsPool, node, i.cur));
}

/* Not to be said twice: the cache would be made anew over its connections. */
static CURLSH *
make_share(void)
{
	CURLSH *share = curl_share_init();

	if (share == NULL ||
		curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_CONNECT) ==
			CURLSHE_OK)
		return share;
	curl_share_cleanup(share);
	return NULL;
}

static void
close_share(TxsPool *pool)
{
	TxsGuard guard;

	if (pool->share == NULL)
		return;
	txs_guard_enter(&guard);
	if (curl_share_cleanup(pool->share) == CURLSHE_OK)
		pool->share = NULL;
	txs_guard_leave(&guard);
}
