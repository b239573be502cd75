/*
 * Apply batches to an embedded storage, and delete a partition.
 *
 * A batch updates its key row first: the update succeeds only for the newest
 * version of the row, so from then on this transaction alone changes the
 * partition, and another that had read the same version finds a conflict.
 * Inside PostgreSQL the order within a batch cannot be seen.
 */
#include "provider/embedded/embedded.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/catalog.h"
#include "miscadmin.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

typedef struct Writer
{
	TxsTables tables;
	TxsTarget keys;
	TxsTarget states;
} Writer;

/* As for UPDATE and DELETE: a subscriber must be able to follow. */
static void
check_published(Relation table)
{
	CheckCmdReplicaIdentity(table, CMD_UPDATE);
	CheckCmdReplicaIdentity(table, CMD_DELETE);
}

static void
open_writer(Writer *writer, const TxsStorage *storage)
{
	txs_create_open(storage, &writer->tables);
	check_published(writer->tables.keys);
	check_published(writer->tables.states);
	txs_target_open(&writer->keys, writer->tables.keys,
					writer->tables.keys_index);
	txs_target_open(&writer->states, writer->tables.states,
					writer->tables.states_index);
}

static void
close_writer(Writer *writer)
{
	txs_target_close(&writer->states);
	txs_target_close(&writer->keys);
	txs_tables_close(&writer->tables);
}

/*
 * Find the key row of a partition as the active snapshot sees it: its place,
 * ETag and incarnation.
 */
static bool
find_key(const TxsTables *tables, TxsSlice partition, ItemPointer tid,
		 int64 *etag, int64 *incarnation)
{
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	txs_rows_partition_key(&key, partition);
	scan = systable_beginscan(tables->keys, tables->keys_index, true,
							  GetActiveSnapshot(), 1, &key);
	tuple = systable_getnext(scan);
	if (tuple != NULL)
	{
		TupleDesc desc = RelationGetDescr(tables->keys);
		bool isnull;

		*tid = tuple->t_self;
		*incarnation = DatumGetInt64(
			heap_getattr(tuple, TXS_KEYS_INCARNATION + 1, desc, &isnull));
		*etag = DatumGetInt64(
			heap_getattr(tuple, TXS_KEYS_ETAG + 1, desc, &isnull));
		if (isnull)
			*etag = TXS_NO_ETAG;
	}
	systable_endscan(scan);
	return tuple != NULL;
}

/* Find a state row: its place and ETag. */
static bool
find_state(const TxsTables *tables, TxsSlice partition, int64 sequence,
		   ItemPointer tid, int64 *etag)
{
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple tuple;

	txs_rows_partition_key(&keys[0], partition);
	ScanKeyInit(&keys[1], TXS_STATES_SEQUENCE + 1, BTEqualStrategyNumber,
				F_INT8EQ, Int64GetDatum(sequence));
	scan = systable_beginscan(tables->states, tables->states_index, true,
							  GetActiveSnapshot(), 2, keys);
	tuple = systable_getnext(scan);
	if (tuple != NULL)
	{
		bool isnull;

		*tid = tuple->t_self;
		*etag = DatumGetInt64(heap_getattr(tuple, TXS_STATES_ETAG + 1,
										   RelationGetDescr(tables->states),
										   &isnull));
		if (isnull)
			*etag = TXS_NO_ETAG;
	}
	systable_endscan(scan);
	return tuple != NULL;
}

/* The first key row of a partition. */
static bool
insert_key(Writer *writer, TxsWrite *write, const TxsBatch *batch)
{
	write->new_incarnation = txs_rows_new_incarnation();
	txs_rows_store_key(writer->keys.slot, write->partition, &batch->key,
					   write->new_incarnation);
	return txs_target_insert(&writer->keys);
}

static bool
apply_key(Writer *writer, TxsWrite *write, const TxsBatch *batch)
{
	ItemPointerData tid;
	int64 incarnation;
	int64 etag;

	if (batch->expected_key_etag == TXS_NO_ETAG)
		return insert_key(writer, write, batch);
	if (!find_key(&writer->tables, write->partition, &tid, &etag,
				  &incarnation) ||
		etag != batch->expected_key_etag ||
		incarnation != write->new_incarnation)
		return false;
	txs_rows_store_key(writer->keys.slot, write->partition, &batch->key,
					   incarnation);
	return txs_target_update(&writer->keys, &tid, false);
}

/* Find the row that an operation changes, if its condition holds. */
static bool
find_expected(Writer *writer, TxsWrite *write, const TxsOperation *operation,
			  ItemPointer tid)
{
	int64 etag;

	write->conflict_sequence = operation->sequence;
	write->conflict_etag = operation->expected_etag;
	return find_state(&writer->tables, write->partition, operation->sequence,
					  tid, &etag) &&
		   etag == operation->expected_etag;
}

/*
 * Insert a row; in the place of one that this batch deletes, if there is one.
 */
static bool
apply_insert(Writer *writer, TxsWrite *write, const TxsOperation *insert,
			 const TxsOperation *delete)
{
	ItemPointerData tid;

	if (delete != NULL && !find_expected(writer, write, delete, &tid))
		return false;
	write->conflict_sequence = insert->sequence;
	write->conflict_etag = insert->expected_etag;
	txs_rows_store_state(writer->states.slot, write->partition, insert->row,
						 insert->new_etag);
	if (delete != NULL)
		return txs_target_update(&writer->states, &tid, true);
	return txs_target_insert(&writer->states);
}

static bool
apply_update(Writer *writer, TxsWrite *write, const TxsOperation *operation)
{
	ItemPointerData tid;

	if (!find_expected(writer, write, operation, &tid))
		return false;
	if (operation->is_delete)
		return txs_target_delete(&writer->states, &tid);
	txs_rows_store_state(writer->states.slot, write->partition, operation->row,
						 operation->new_etag);
	return txs_target_update(&writer->states, &tid, false);
}

/*
 * May a row be replaced by one with another sequence id?  Nobody can tell it
 * from a delete and an insert, but triggers and logical decoding.
 */
static bool
may_replace(const Writer *writer)
{
	return writer->states.info->ri_TrigDesc == NULL &&
		   !RelationIsLogicallyLogged(writer->tables.states);
}

/* The first delete among the operations of a batch from *next on. */
static const TxsOperation *
next_delete(const TxsOperation *operations, int count, int *next)
{
	while (*next < count)
	{
		const TxsOperation *operation = &operations[(*next)++];

		if (operation->is_delete)
			return operation;
	}
	return NULL;
}

/*
 * In the plan's order, but that an insert takes the place of the next delete.
 * So an actor that replaces its state again and again stays on its page, where
 * the old version's room is reclaimed without vacuum.
 */
static bool
apply_states(Writer *writer, TxsWrite *write, const TxsOperation *operations,
			 int count)
{
	int replaceable = may_replace(writer) ? count : 0;
	int replaced = 0; /* deletes between here and there are done */
	int i;

	for (i = 0; i < count; i++)
	{
		const TxsOperation *operation = &operations[i];
		bool applied = true;

		CHECK_FOR_INTERRUPTS();
		if (operation->expected_etag == TXS_NO_ETAG)
		{
			replaced = Max(replaced, i + 1);
			applied =
				apply_insert(writer, write, operation,
							 next_delete(operations, replaceable, &replaced));
		}
		else if (!operation->is_delete || i >= replaced)
			applied = apply_update(writer, write, operation);
		if (!applied)
			return false;
	}
	return true;
}

static bool
apply_batch(Writer *writer, TxsWrite *write, const TxsBatch *batch)
{
	write->conflict_sequence = TXS_CONFLICT_KEY;
	write->conflict_etag = batch->expected_key_etag;
	if (!apply_key(writer, write, batch))
		return false;
	return apply_states(writer, write, &write->operations[batch->first],
						batch->count);
}

/*
 * Apply every batch under a snapshot of its own, which sees the batch before.
 */
static bool
apply_batches(Writer *writer, TxsWrite *write)
{
	MemoryContext rows =
		AllocSetContextCreate(CurrentMemoryContext, "txstore write",
							  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(rows);
	bool applied = true;
	int i;

	for (i = 0; applied && i < write->nbatches; i++)
	{
		write->conflict_batch = i;
		PushActiveSnapshot(GetTransactionSnapshot());
		applied = apply_batch(writer, write, &write->batches[i]);
		PopActiveSnapshot();
		CommandCounterIncrement();
		MemoryContextReset(rows);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(rows);
	return applied;
}

bool
txs_embedded_apply(const TxsStorage *storage, TxsWrite *write)
{
	Writer writer;
	bool applied;

	write->new_incarnation = write->incarnation;
	open_writer(&writer, storage);
	applied = apply_batches(&writer, write);
	write->own_xid = GetCurrentTransactionId();
	if (applied)
		close_writer(&writer);
	return applied;
}

/* Delete all state rows of a partition; false on a conflict. */
static bool
delete_states(Writer *writer, TxsSlice partition, bool *found)
{
	const TxsTables *tables = &writer->tables;
	bool deleted = true;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	txs_rows_partition_key(&key, partition);
	scan = systable_beginscan(tables->states, tables->states_index, true,
							  GetActiveSnapshot(), 1, &key);
	while (deleted && (tuple = systable_getnext(scan)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		*found = true;
		deleted = txs_target_delete(&writer->states, &tuple->t_self);
	}
	systable_endscan(scan);
	return deleted;
}

/* Hold the key row at tid; false when another version has taken its place. */
static bool
lock_key(Writer *writer, ItemPointer tid)
{
	TupleTableSlot *slot = table_slot_create(writer->tables.keys, NULL);
	TM_FailureData failure;
	TM_Result result;

	result = table_tuple_lock(writer->tables.keys, tid, GetActiveSnapshot(),
							  slot, GetCurrentCommandId(true),
							  LockTupleExclusive, LockWaitBlock, 0, &failure);
	ExecDropSingleTupleTableSlot(slot);
	return result == TM_Ok;
}

static bool
delete_rows(Writer *writer, TxsSlice partition, int64 expected_etag,
			int64 expected_incarnation, bool *found)
{
	ItemPointerData tid;
	int64 incarnation;
	int64 etag;

	*found = find_key(&writer->tables, partition, &tid, &etag, &incarnation);
	if (!*found)
		return expected_etag == TXS_NO_ETAG &&
			   delete_states(writer, partition, found);
	if (etag != expected_etag ||
		(expected_incarnation != 0 && incarnation != expected_incarnation))
		return false;
	return lock_key(writer, &tid) && delete_states(writer, partition, found) &&
		   txs_target_delete(&writer->keys, &tid);
}

bool
txs_embedded_delete_partition(const TxsStorage *storage, TxsSlice partition,
							  int64 expected_etag, int64 incarnation,
							  bool *found)
{
	Writer writer;
	bool deleted;

	open_writer(&writer, storage);
	PushActiveSnapshot(GetTransactionSnapshot());
	deleted =
		delete_rows(&writer, partition, expected_etag, incarnation, found);
	PopActiveSnapshot();
	CommandCounterIncrement();
	if (deleted)
		close_writer(&writer);
	return deleted;
}
