/*
 * Handles: what the session remembers between load() and store().
 *
 * A handle outlives transactions, so it must die with what it saw: it keeps
 * the transaction id that wrote its rows while that transaction runs, and
 * demands load() when that part of the transaction is rolled back.
 *
 * All handles are in one context of bounded size.  When it has grown past two
 * thirds of txstore.max_handle_memory, the handles used last move to a new
 * one until that is a third full, and the others are dropped with the old
 * context.  So the bound holds also while they move; only the handle used
 * last stays whatever its size.
 */
#include "compat.h"

#include "access/transam.h"
#include "access/xact.h"
#include "common/hashfn.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "store/store.h"

int txs_max_handle_memory = 16 * 1024;

typedef struct HandleKey
{
	Oid server;
	Oid user;
	TxsSlice partition;
} HandleKey;

/* An entry of the table. */
typedef struct Entry
{
	HandleKey key; /* the partition's bytes are the handle's */
	TxsHandle *handle;
	dlist_node used; /* in by_use */
	dlist_node own;	 /* in unsettled, while the handle has an own_xid */
} Entry;

/* The context of everything here, NULL before the first load(). */
static MemoryContext context = NULL;
static HTAB *table = NULL;

/* All entries, the one used last at the head. */
static dlist_head by_use = DLIST_STATIC_INIT(by_use);

/* The entries whose handles have an own_xid. */
static dlist_head unsettled = DLIST_STATIC_INIT(unsettled);

static bool callbacks_are_registered = false;

static uint32
hash_key(const void *key, Size size)
{
	const HandleKey *k = key;
	uint32 hash = hash_bytes((const unsigned char *) k->partition.data,
							 (int) k->partition.length);

	(void) size;
	return hash_combine(hash_combine(hash, k->server), k->user);
}

static int
compare_keys(const void *a, const void *b, Size size)
{
	const HandleKey *left = a;
	const HandleKey *right = b;

	(void) size;
	if (left->server != right->server || left->user != right->user ||
		left->partition.length != right->partition.length)
		return 1;
	return memcmp(left->partition.data, right->partition.data,
				  left->partition.length);
}

static HandleKey
make_key(const TxsStorage *storage, TxsSlice partition)
{
	HandleKey key = {storage->server, GetUserId(), partition};

	return key;
}

static Entry *
find_entry(const HandleKey *key)
{
	if (table == NULL)
		return NULL;
	return hash_search(table, key, HASH_FIND, NULL);
}

static void
remove_entry(Entry *entry)
{
	TxsHandle *handle = entry->handle;

	dlist_delete(&entry->used);
	if (TransactionIdIsValid(handle->own_xid))
		dlist_delete(&entry->own);
	hash_search(table, &entry->key, HASH_REMOVE, NULL);
	pfree(handle);
}

/* What the end of a transaction, or of a part of it, means to a handle. */
typedef enum Fate
{
	RUNNING, /* what it saw can still be rolled back */
	SETTLED, /* what it saw is there for all */
	UNDONE,	 /* what it saw never was */
	UNKNOWN	 /* prepared: another session decides */
} Fate;

static void
settle_handles(Fate (*fate_of)(TransactionId xid))
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &unsettled)
	{
		Entry *entry = dlist_container(Entry, own, iter.cur);
		TxsHandle *handle = entry->handle;
		Fate fate = fate_of(handle->own_xid);

		if (fate == RUNNING)
			continue;
		dlist_delete(&entry->own);
		handle->own_xid = InvalidTransactionId;
		handle->must_load |= fate == UNDONE;
		if (fate == UNKNOWN)
			remove_entry(entry);
	}
}

static Fate
fate_at_commit(TransactionId xid)
{
	(void) xid;
	return SETTLED;
}

static Fate
fate_at_abort(TransactionId xid)
{
	(void) xid;
	return UNDONE;
}

static Fate
fate_at_prepare(TransactionId xid)
{
	(void) xid;
	return UNKNOWN;
}

/* When this is asked, the ids of the part that aborts are current no more. */
static Fate
fate_at_rollback_to(TransactionId xid)
{
	return TransactionIdIsCurrentTransactionId(xid) ? RUNNING : UNDONE;
}

static void
end_transaction(XactEvent event, void *arg)
{
	(void) arg;
	if (event == XACT_EVENT_COMMIT)
		settle_handles(fate_at_commit);
	else if (event == XACT_EVENT_ABORT)
		settle_handles(fate_at_abort);
	else if (event == XACT_EVENT_PREPARE)
		settle_handles(fate_at_prepare);
}

static void
end_subtransaction(SubXactEvent event, SubTransactionId self,
				   SubTransactionId parent, void *arg)
{
	(void) self;
	(void) parent;
	(void) arg;
	if (event == SUBXACT_EVENT_ABORT_SUB)
		settle_handles(fate_at_rollback_to);
}

/*
 * Go on with an empty table in a context of its own; the caller drops the old
 * ones.  Nothing has changed if memory runs out on the way.
 */
static void
make_table(void)
{
	MemoryContext made =
		AllocSetContextCreate(CurrentMemoryContext, "txstore handles",
							  ALLOCSET_SMALL_INITSIZE, ALLOCSET_SMALL_INITSIZE,
							  64 * 1024);
	HASHCTL control = {0};
	HTAB *empty;

	control.keysize = sizeof(HandleKey);
	control.entrysize = sizeof(Entry);
	control.hash = hash_key;
	control.match = compare_keys;
	control.hcxt = made;
	empty =
		hash_create("txstore handles", 64, &control,
					HASH_ELEM | HASH_FUNCTION | HASH_COMPARE | HASH_CONTEXT);
	if (!callbacks_are_registered)
	{
		RegisterXactCallback(end_transaction, NULL);
		RegisterSubXactCallback(end_subtransaction, NULL);
		callbacks_are_registered = true;
	}
	MemoryContextSetParent(made, TopMemoryContext);
	context = made;
	table = empty;
}

/* A handle and all that belongs to it, in one chunk of the context. */
static TxsHandle *
copy_handle(const TxsHandle *source)
{
	const TxsPlanBase *base = &source->base;
	Size rows = sizeof(TxsRowRef) * (Size) base->nrows;
	Size size = MAXALIGN(sizeof(TxsHandle)) + MAXALIGN(rows) +
				source->partition.length + base->key.metadata.length;
	char *chunk = MemoryContextAllocHuge(context, size);
	TxsHandle *handle = (TxsHandle *) chunk;

	*handle = *source;
	chunk += MAXALIGN(sizeof(TxsHandle));
	if (rows > 0)
		memcpy(chunk, base->rows, rows);
	handle->base.rows = (TxsRowRef *) chunk;
	chunk += MAXALIGN(rows);
	memcpy(chunk, source->partition.data, source->partition.length);
	handle->partition.data = chunk;
	chunk += source->partition.length;
	if (base->key.metadata.length > 0)
	{
		memcpy(chunk, base->key.metadata.data, base->key.metadata.length);
		handle->base.key.metadata.data = chunk;
	}
	handle->base.key.extra.data = NULL;
	handle->size = GetMemoryChunkSpace(handle);
	return handle;
}

/* Add a copy of a handle to the table, as the one used last or first. */
static void
add_handle(const TxsHandle *source, bool last)
{
	TxsHandle *handle = copy_handle(source);
	HandleKey key = {handle->server, handle->user, handle->partition};
	bool found;
	Entry *entry = hash_search(table, &key, HASH_ENTER, &found);

	Assert(!found);
	entry->handle = handle;
	if (last)
		dlist_push_tail(&by_use, &entry->used);
	else
		dlist_push_head(&by_use, &entry->used);
	if (TransactionIdIsValid(handle->own_xid))
		dlist_push_head(&unsettled, &entry->own);
}

/* Drop the handles that were used least, if there are too many. */
static void
bound_memory(void)
{
	Size limit = (Size) txs_max_handle_memory * 1024;
	MemoryContext old_context = context;
	dlist_head old;
	dlist_iter iter;

	if (MemoryContextMemAllocated(context, true) <= limit / 3 * 2)
		return;

	make_table();
	MemoryContextSetParent(old_context, CurrentMemoryContext);
	dlist_init(&unsettled);
	dlist_init(&old);
	while (!dlist_is_empty(&by_use))
		dlist_push_tail(&old, dlist_pop_head_node(&by_use));
	dlist_foreach (iter, &old)
	{
		Entry *entry = dlist_container(Entry, used, iter.cur);

		if (!dlist_is_empty(&by_use) &&
			MemoryContextMemAllocated(context, true) + entry->handle->size >
				limit / 3)
			break;
		add_handle(entry->handle, true);
	}
	MemoryContextDelete(old_context);
}

TxsHandle *
txs_handle_find(const TxsStorage *storage, TxsSlice partition)
{
	HandleKey key = make_key(storage, partition);
	Entry *entry = find_entry(&key);

	if (entry == NULL)
		return NULL;
	dlist_move_head(&by_use, &entry->used);
	return entry->handle;
}

void
txs_handle_set(const TxsStorage *storage, TxsSlice partition,
			   const TxsPlanBase *base, int64 incarnation,
			   TransactionId own_xid)
{
	HandleKey key = make_key(storage, partition);
	Entry *entry = find_entry(&key);
	TxsHandle handle = {
		.server = key.server,
		.user = key.user,
		.partition = partition,
		.must_load = base == NULL,
		.incarnation = incarnation,
		.own_xid = own_xid,
	};

	if (base != NULL)
		handle.base = *base;
	if (context == NULL)
		make_table();
	if (entry != NULL)
		remove_entry(entry);
	add_handle(&handle, false);
	bound_memory();
}

bool
txs_handle_forget(const TxsStorage *storage, TxsSlice partition)
{
	HandleKey key = make_key(storage, partition);
	Entry *entry = find_entry(&key);

	if (entry == NULL)
		return false;
	remove_entry(entry);
	return true;
}

void
txs_handle_list(void (*receive)(const TxsHandle *handle, void *arg), void *arg)
{
	dlist_iter iter;

	if (context == NULL)
		return;
	dlist_foreach (iter, &by_use)
	{
		const Entry *entry = dlist_container(Entry, used, iter.cur);

		if (entry->handle->user == GetUserId())
			receive(entry->handle, arg);
	}
}
