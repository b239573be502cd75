/*
 * Load a partition of an embedded storage.
 */
#include "provider/embedded/embedded.h"

#include "access/htup_details.h"
#include "access/relscan.h"
#include "access/transam.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/snapmgr.h"

/*
 * Push a snapshot that sees what is there now, or, where the isolation level
 * asks for it, what was there when the transaction began; in both cases with
 * what this transaction has written so far, also in the running statement.
 */
static void
push_snapshot(void)
{
	PushActiveSnapshot(GetTransactionSnapshot());
}

/* Keep who wrote a tuple that was read, if that was this transaction. */
static void
note_writer(HeapTuple tuple, TxsRead *read)
{
	TransactionId writer = HeapTupleHeaderGetXmin(tuple->t_data);

	if (TransactionIdIsCurrentTransactionId(writer) &&
		TransactionIdFollows(writer, read->own_xid))
		read->own_xid = writer;
}

static void
read_key(const TxsTables *tables, TxsSlice partition, TxsRead *read)
{
	TxsSnapshot *snapshot = &read->snapshot;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	snapshot->key.etag = TXS_NO_ETAG;
	txs_rows_partition_key(&key, partition);
	scan = systable_beginscan(tables->keys, tables->keys_index, true,
							  GetActiveSnapshot(), 1, &key);
	tuple = systable_getnext(scan);
	if (tuple != NULL)
	{
		txs_rows_read_key(tables->keys, tuple, TXS_WANT_ALL, &snapshot->key,
						  &snapshot->incarnation);
		snapshot->has_key = true;
		note_writer(tuple, read);
	}
	systable_endscan(scan);
}

static void
read_states(const TxsTables *tables, TxsSlice partition, TxsRead *read)
{
	TxsSnapshot *snapshot = &read->snapshot;
	Relation index = index_open(tables->states_index, AccessShareLock);
	int size = 4;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	snapshot->rows = palloc(sizeof(TxsStateRow) * size);
	txs_rows_partition_key(&key, partition);
	scan = systable_beginscan_ordered(tables->states, index,
									  GetActiveSnapshot(), 1, &key);
	while ((tuple = systable_getnext_ordered(scan, ForwardScanDirection)) !=
		   NULL)
	{
		bool isnull;
		int64 sequence = DatumGetInt64(
			heap_getattr(tuple, TXS_STATES_SEQUENCE + 1,
						 RelationGetDescr(tables->states), &isnull));

		CHECK_FOR_INTERRUPTS();
		if (snapshot->nrows == size)
		{
			size *= 2;
			snapshot->rows = repalloc_huge(snapshot->rows,
										   sizeof(TxsStateRow) * (Size) size);
		}
		txs_rows_read_state(tables->states, tuple,
							sequence >= snapshot->key.committed
								? TXS_WANT_ALL
								: TXS_WANT_ALL & ~TXS_WANT_STATE,
							&snapshot->rows[snapshot->nrows++]);
		note_writer(tuple, read);
	}
	systable_endscan_ordered(scan);
	index_close(index, NoLock);
}

/*
 * Who has deleted or updated the row that a scan has just returned, or
 * InvalidTransactionId.  Others may lock the row meanwhile, so its page is
 * locked for the look.
 */
static TransactionId
read_deleter(SysScanDesc scan, HeapTuple tuple)
{
	Buffer buffer = ((BufferHeapTupleTableSlot *) scan->slot)->buffer;
	HeapTupleHeader header = tuple->t_data;
	TransactionId deleter = InvalidTransactionId;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	if (!(header->t_infomask & HEAP_XMAX_INVALID) &&
		!HEAP_XMAX_IS_LOCKED_ONLY(header->t_infomask))
		deleter = HeapTupleHeaderGetUpdateXid(header);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	return deleter;
}

/*
 * Keep who deleted rows of a partition that has no key row, if that was this
 * transaction: what was not found is there again when it is rolled back.
 */
static void
note_deletions(Relation table, Oid index, TxsSlice partition, TxsRead *read)
{
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	txs_rows_partition_key(&key, partition);
	scan = systable_beginscan(table, index, true, SnapshotAny, 1, &key);
	while ((tuple = systable_getnext(scan)) != NULL)
	{
		TransactionId deleter = read_deleter(scan, tuple);

		CHECK_FOR_INTERRUPTS();
		if (TransactionIdIsCurrentTransactionId(deleter) &&
			TransactionIdFollows(deleter, read->own_xid))
			read->own_xid = deleter;
	}
	systable_endscan(scan);
}

void
txs_embedded_load(const TxsStorage *storage, TxsSlice partition, TxsRead *read)
{
	TxsTables tables;

	memset(read, 0, sizeof(*read));
	read->snapshot.key.etag = TXS_NO_ETAG;
	if (!txs_tables_open(storage, AccessShareLock, &tables))
		return;

	push_snapshot();
	read_key(&tables, partition, read);
	read_states(&tables, partition, read);
	if (!read->snapshot.has_key &&
		TransactionIdIsValid(GetTopTransactionIdIfAny()))
	{
		note_deletions(tables.keys, tables.keys_index, partition, read);
		note_deletions(tables.states, tables.states_index, partition, read);
	}
	PopActiveSnapshot();
	txs_tables_close(&tables);
}
