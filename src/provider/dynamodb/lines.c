/*
 * Lines: what a session keeps for each server and user that it has reached, from
 * its first call on.  A line has connections of its own (a pool), so that they can
 * be counted and closed apart from others, and counters of what went over them.
 *
 * A line is in use as long as the memory of a TxsConnection, which is that of a
 * call or of a scan, so also of an open cursor.  While it is, its connections are
 * not closed and it does not go away.
 *
 * When the catalogs say that a server has changed, its connections are closed at
 * once or at the end of their use, as postgres_fdw does; the line of a server that
 * is no more goes when lines are looked at the next time.
 */
#include "provider/dynamodb/dynamodb.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_foreign_server.h"
#include "foreign/foreign.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/syscache.h"

/* Bytes of the last error's text, with its end. */
#define MAX_ERROR 200

typedef struct LineKey
{
	Oid server;
	Oid user;
} LineKey;

struct TxsLine
{
	LineKey key;		/* must be first */
	uint32 server_hash; /* in the cache of servers */
	bool is_changed;	/* the server has, perhaps is no more */
	int uses;
	char *url;
	TxsPool *pool;
	int64 retries;
	int64 throttles;
	char last_error[MAX_ERROR]; /* "": none */
};

static HTAB *lines = NULL;
static bool any_is_changed = false; /* of the lines */

static void start(void);
static TxsLine *find_line(const TxsStorage *storage, const char *url);
static void end_use(void *arg);
static void look_at_changed(void);
static void note_change(Datum arg, int cache, uint32 hash);
static void report_in_use(const TxsLine *line);

TxsLine *
txs_lines_use(const TxsStorage *storage, const char *url)
{
	MemoryContextCallback *callback = palloc(sizeof(MemoryContextCallback));
	TxsLine *line;

	start();
	look_at_changed();
	line = find_line(storage, url);
	callback->func = end_use;
	callback->arg = line;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
	line->uses++;
	return line;
}

/* Called when a context goes: must not raise. */
static void
end_use(void *arg)
{
	TxsLine *line = arg;

	line->uses--;
	if (line->uses == 0 && line->is_changed)
		txs_pool_close(line->pool);
}

TxsPool *
txs_lines_pool(const TxsLine *line)
{
	return line->pool;
}

void
txs_lines_count_retry(TxsLine *line)
{
	line->retries++;
}

/*
 * The service's message is left out, as it may repeat what was sent; what libcurl
 * says is not.
 */
void
txs_lines_count_failure(TxsLine *line, const TxsCall *call)
{
	if (call->fault == TXS_FAULT_THROTTLED)
		line->throttles++;
	if (call->code != NULL)
		snprintf(line->last_error, MAX_ERROR, "%s: %s", call->operation,
				 call->code);
	else if (call->outcome != TXS_HTTP_ANSWERED && call->message != NULL)
		snprintf(line->last_error, MAX_ERROR, "%s: %s", call->operation,
				 call->message);
	else
		snprintf(line->last_error, MAX_ERROR,
				 "%s: status %d, no answer of DynamoDB", call->operation,
				 call->status);
}

void
txs_lines_list(TxsConnectionReceiver receive, void *arg)
{
	HASH_SEQ_STATUS status;
	TxsLine *line;

	if (lines == NULL)
		return;
	look_at_changed();
	hash_seq_init(&status, lines);
	while ((line = hash_seq_search(&status)) != NULL)
	{
		const TxsTraffic *traffic = txs_pool_traffic(line->pool);
		TxsConnectionFacts facts = {
			.server = line->key.server,
			.user = line->key.user,
			.endpoint = line->url,
			.sockets = txs_pool_sockets(line->pool),
			.in_use = line->uses > 0,
			.requests = traffic->requests,
			.retries = line->retries,
			.throttles = line->throttles,
			.bytes_sent = traffic->bytes_sent,
			.bytes_received = traffic->bytes_received,
			.last_error =
				line->last_error[0] == '\0' ? NULL : line->last_error,
		};

		receive(&facts, arg);
	}
}

bool
txs_lines_disconnect(Oid server)
{
	bool is_closed = false;
	HASH_SEQ_STATUS status;
	TxsLine *line;

	if (lines == NULL)
		return false;
	look_at_changed();
	hash_seq_init(&status, lines);
	while ((line = hash_seq_search(&status)) != NULL)
	{
		if (OidIsValid(server) && line->key.server != server)
			continue;
		if (line->uses == 0)
			is_closed |= txs_pool_close(line->pool);
		else if (txs_pool_sockets(line->pool) > 0)
			report_in_use(line);
	}

	/* What fetching credentials has left. */
	if (!OidIsValid(server))
		txs_http_close_idle();
	return is_closed;
}

static void
report_in_use(const TxsLine *line)
{
	ForeignServer *server =
		GetForeignServerExtended(line->key.server, FSV_MISSING_OK);

	if (server == NULL)
		ereport(WARNING, errmsg("cannot close connections of a dropped server "
								"because they are still in use"));
	else
		ereport(WARNING, errmsg("cannot close connections of server \"%s\" "
								"because they are still in use",
								server->servername));
}

/* ------------------------------------------------------------- the lines */

static void
start(void)
{
	HASHCTL control = {
		.keysize = sizeof(LineKey),
		.entrysize = sizeof(TxsLine),
	};

	if (lines != NULL)
		return;
	lines = hash_create("txstore lines", 8, &control, HASH_ELEM | HASH_BLOBS);
	CacheRegisterSyscacheCallback(FOREIGNSERVEROID, note_change, (Datum) 0);
}

/*
 * One that an error keeps from being whole is not kept.  Connections to another url
 * were closed, or will be, when the server was altered.
 */
static TxsLine *
find_line(const TxsStorage *storage, const char *url)
{
	LineKey key = {storage->server, storage->user};
	TxsLine *line = hash_search(lines, &key, HASH_FIND, NULL);
	char *copy;

	if (line != NULL && strcmp(line->url, url) == 0)
		return line;
	copy = MemoryContextStrdup(TopMemoryContext, url);
	if (line != NULL)
		pfree(line->url);
	else
	{
		TxsPool *pool = txs_pool_create();

		line = hash_search(lines, &key, HASH_ENTER, NULL);
		memset((char *) line + sizeof(LineKey), 0,
			   sizeof(TxsLine) - sizeof(LineKey));
		line->pool = pool;
		line->server_hash =
			GetSysCacheHashValue1(FOREIGNSERVEROID,
								  ObjectIdGetDatum(key.server));
	}
	line->url = copy;
	return line;
}

static void
remove_line(TxsLine *line)
{
	txs_pool_free(line->pool);
	pfree(line->url);
	hash_search(lines, &line->key, HASH_REMOVE, NULL);
}

/*
 * Is a server there?  The catalogs' cache would remember each one that is not for
 * as long as the session lasts.
 */
static bool
is_there(Oid server)
{
	Relation servers = table_open(ForeignServerRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	bool found;

	ScanKeyInit(&key, Anum_pg_foreign_server_oid, BTEqualStrategyNumber,
				F_OIDEQ, ObjectIdGetDatum(server));
	scan = systable_beginscan(servers, ForeignServerOidIndexId, true, NULL, 1,
							  &key);
	found = HeapTupleIsValid(systable_getnext(scan));
	systable_endscan(scan);
	table_close(servers, AccessShareLock);
	return found;
}

/* Forget lines of servers that are no more, unless they are in use. */
static void
look_at_changed(void)
{
	HASH_SEQ_STATUS status;
	TxsLine *line;

	if (!any_is_changed)
		return;
	any_is_changed = false;
	hash_seq_init(&status, lines);
	while ((line = hash_seq_search(&status)) != NULL)
	{
		if (!line->is_changed)
			continue;
		if (line->uses > 0)
		{
			any_is_changed = true;
			continue;
		}
		line->is_changed = false;
		if (!is_there(line->key.server))
			remove_line(line);
	}
}

/* May come at any time that catalogs are read, not within a call of libcurl. */
static void
note_change(Datum arg, int cache, uint32 hash)
{
	HASH_SEQ_STATUS status;
	TxsLine *line;

	hash_seq_init(&status, lines);
	while ((line = hash_seq_search(&status)) != NULL)
	{
		if (hash != 0 && line->server_hash != hash)
			continue;
		line->is_changed = true;
		any_is_changed = true;
		if (line->uses == 0)
			txs_pool_close(line->pool);
	}
}
