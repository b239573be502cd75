/*
 * Read the rows of an embedded storage: all, or those of some partitions and
 * sequence ids.
 *
 * Both tables are read by a cursor each, in the order of their primary keys.
 * Where both kinds of rows are wanted, the cursors are merged: a key row comes
 * before its states.  Where all rows of one kind are, in any order, the table
 * is read as it lies.
 */
#include "provider/embedded/embedded.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xlog.h"
#include "catalog/pg_class.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "optimizer/plancat.h"
#include "storage/bufmgr.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/* A table that is read in the order of its primary key, or as it lies. */
typedef struct Cursor
{
	Relation table;
	Relation index;		/* NULL while the cursor is closed, or: */
	TableScanDesc heap; /* NULL where the index is read */
	TupleTableSlot *slot;
	SysScanDesc scan;
	ScanDirection direction;
	HeapTuple tuple;	/* next one, or NULL */
	TxsSlice partition; /* its partition, where cursors are merged */
} Cursor;

typedef struct RowScan
{
	bool has_tables; /* false: the storage has not been made yet */
	TxsTables tables;
	Snapshot snapshot;
	const TxsScanRequest *request;
	int partition; /* the next one of the request */
	bool merged;
	Cursor keys;
	Cursor states;
	MemoryContext open; /* of what the cursors hold while they are open */
	MemoryContext row;	/* of the row that was handed out last */
} RowScan;

static HeapTuple
next_tuple(Cursor *cursor)
{
	bool is_copy;

	if (cursor->heap == NULL)
		return systable_getnext_ordered(cursor->scan, cursor->direction);
	if (!table_scan_getnextslot(cursor->heap, ForwardScanDirection,
								cursor->slot))
		return NULL;
	return ExecFetchSlotHeapTuple(cursor->slot, false, &is_copy);
}

/* Go to the next row.  An index scan keeps what it allocates on the way. */
static void
advance(RowScan *scan, Cursor *cursor)
{
	MemoryContext caller = MemoryContextSwitchTo(scan->open);

	cursor->tuple = next_tuple(cursor);
	if (cursor->partition.data != NULL)
		pfree((void *) cursor->partition.data);
	cursor->partition.data = NULL;
	if (scan->merged && cursor->tuple != NULL)
		cursor->partition =
			txs_rows_read_partition(cursor->table, cursor->tuple);
	MemoryContextSwitchTo(caller);
}

static void
sequence_key(ScanKey key, StrategyNumber strategy, RegProcedure function,
			 int64 sequence)
{
	ScanKeyInit(key, TXS_STATES_SEQUENCE + 1, strategy, function,
				Int64GetDatum(sequence));
}

/*
 * Scan keys for the partitions that a request wants, where it names none;
 * returns how many.
 */
static int
bound_keys(const TxsScanRequest *request, ScanKey keys)
{
	int count = 0;

	if (request->low.data != NULL)
		txs_rows_partition_bound(&keys[count++], BTGreaterEqualStrategyNumber,
								 request->low);
	if (request->high.data != NULL)
		txs_rows_partition_bound(&keys[count++], BTLessEqualStrategyNumber,
								 request->high);
	if (request->prefix.data != NULL)
	{
		TxsSlice prefix = request->prefix;
		char *end = pnstrdup(prefix.data, prefix.length);

		/* What begins so comes before this; no text has a byte of 255. */
		end[prefix.length - 1]++;
		txs_rows_partition_bound(&keys[count++], BTGreaterEqualStrategyNumber,
								 prefix);
		txs_rows_partition_bound(&keys[count++], BTLessStrategyNumber,
								 (TxsSlice){end, prefix.length});
	}
	return count;
}

/* The sequence ids that are wanted of the partition that comes. */
static void
find_range(const RowScan *scan, int64 *first, int64 *last)
{
	const TxsScanRequest *request = scan->request;

	*first = request->first;
	*last = request->last;
	if (!request->all && request->sequences != NULL)
		*first = *last = request->sequences[scan->partition];
}

/* Open a cursor on a partition, or on all (data NULL). */
static void
open_cursor(RowScan *scan, Cursor *cursor, Relation table, Oid index,
			TxsSlice partition)
{
	const TxsScanRequest *request = scan->request;
	int64 first;
	int64 last;
	ScanKeyData keys[6];
	bool in_order = scan->merged || partition.data != NULL;
	int nkeys = 0;

	if (partition.data != NULL)
		txs_rows_partition_key(&keys[nkeys++], partition);
	else
		nkeys = bound_keys(request, keys);
	in_order |= nkeys > 0;
	find_range(scan, &first, &last);
	if (table == scan->tables.states && first > 0)
		sequence_key(&keys[nkeys++], BTGreaterEqualStrategyNumber, F_INT8GE,
					 first);
	if (table == scan->tables.states && last < PG_INT64_MAX)
		sequence_key(&keys[nkeys++], BTLessEqualStrategyNumber, F_INT8LE,
					 last);
	cursor->table = table;
	cursor->direction =
		request->backward ? BackwardScanDirection : ForwardScanDirection;
	cursor->partition.data = NULL;
	if (!in_order)
	{
		cursor->heap = table_beginscan(table, scan->snapshot, nkeys, keys);
		cursor->slot = table_slot_create(table, NULL);
	}
	else
	{
		cursor->index = index_open(index, AccessShareLock);
		cursor->scan = systable_beginscan_ordered(
			table, cursor->index, scan->snapshot, nkeys, keys);
	}
	advance(scan, cursor);
}

static void
close_cursor(Cursor *cursor)
{
	if (cursor->heap != NULL)
	{
		ExecDropSingleTupleTableSlot(cursor->slot);
		table_endscan(cursor->heap);
	}
	if (cursor->index != NULL)
	{
		systable_endscan_ordered(cursor->scan);
		index_close(cursor->index, NoLock);
	}
	cursor->heap = NULL;
	cursor->index = NULL;
	cursor->tuple = NULL;
}

static void
open_cursors(RowScan *scan, TxsSlice partition)
{
	MemoryContext caller = MemoryContextSwitchTo(scan->open);

	if (scan->request->kinds & TXS_KEY_ROWS)
		open_cursor(scan, &scan->keys, scan->tables.keys,
					scan->tables.keys_index, partition);
	if (scan->request->kinds & TXS_STATE_ROWS)
		open_cursor(scan, &scan->states, scan->tables.states,
					scan->tables.states_index, partition);
	MemoryContextSwitchTo(caller);
}

static void
close_cursors(RowScan *scan)
{
	close_cursor(&scan->states);
	close_cursor(&scan->keys);
	MemoryContextReset(scan->open);
}

/*
 * Does a snapshot know a table?  One that was made later has no row for it, and
 * may go while the scan goes on, by ROLLBACK TO.
 */
static bool
is_known(Relation table, Snapshot snapshot)
{
	Relation catalog;
	ScanKeyData key;
	SysScanDesc scan;
	bool found;

	if (table->rd_createSubid == InvalidSubTransactionId)
		return true;
	catalog = table_open(RelationRelationId, AccessShareLock);
	ScanKeyInit(&key, Anum_pg_class_oid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(RelationGetRelid(table)));
	scan =
		systable_beginscan(catalog, ClassOidIndexId, true, snapshot, 1, &key);
	found = HeapTupleIsValid(systable_getnext(scan));
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return found;
}

static bool
open_tables(const TxsStorage *storage, Snapshot snapshot, TxsTables *tables)
{
	if (!txs_tables_open(storage, AccessShareLock, tables))
		return false;
	if (is_known(tables->keys, snapshot) && is_known(tables->states, snapshot))
		return true;
	txs_tables_close(tables);
	return false;
}

void *
txs_embedded_open_scan(const TxsStorage *storage, Snapshot snapshot)
{
	RowScan *scan = palloc0(sizeof(RowScan));

	scan->snapshot = snapshot;
	scan->has_tables = open_tables(storage, snapshot, &scan->tables);
	scan->open = AllocSetContextCreate(CurrentMemoryContext, "txstore cursors",
									   ALLOCSET_SMALL_SIZES);
	scan->row = AllocSetContextCreate(CurrentMemoryContext, "txstore row",
									  ALLOCSET_DEFAULT_SIZES);
	return scan;
}

void
txs_embedded_start_scan(void *arg, const TxsScanRequest *request)
{
	RowScan *scan = arg;

	close_cursors(scan);
	scan->request = request;
	scan->merged = request->kinds == (TXS_KEY_ROWS | TXS_STATE_ROWS);
	scan->partition = 0;
	if (scan->has_tables && request->all)
		open_cursors(scan, (TxsSlice){NULL, 0});
}

/* Does the key row come next?  In a partition it comes before the states. */
static bool
key_is_next(const Cursor *keys, const Cursor *states)
{
	int order;

	if (keys->tuple == NULL || states->tuple == NULL)
		return keys->tuple != NULL;
	order = memcmp(keys->partition.data, states->partition.data,
				   Min(keys->partition.length, states->partition.length));
	if (order == 0)
		return keys->partition.length <= states->partition.length;
	return order < 0;
}

/* Read the row that a cursor has come to. */
static void
read_row(const RowScan *scan, const Cursor *cursor, TxsItem *item)
{
	int64 incarnation;

	memset(item, 0, sizeof(*item));
	item->is_key = cursor == &scan->keys;
	item->partition = txs_rows_read_partition(cursor->table, cursor->tuple);
	if (item->is_key)
		txs_rows_read_key(cursor->table, cursor->tuple, scan->request->wanted,
						  &item->key, &incarnation);
	else
		txs_rows_read_state(cursor->table, cursor->tuple,
							scan->request->wanted, &item->state);
}

/* The cursor that has come to the next row; NULL at the end. */
static Cursor *
find_next(RowScan *scan)
{
	const TxsScanRequest *request = scan->request;

	CHECK_FOR_INTERRUPTS();
	while (scan->keys.tuple == NULL && scan->states.tuple == NULL)
	{
		if (!scan->has_tables || request->all ||
			scan->partition == request->npartitions)
			return NULL;
		close_cursors(scan);
		open_cursors(scan, request->partitions[scan->partition]);
		scan->partition++;
	}
	return key_is_next(&scan->keys, &scan->states) ? &scan->keys
												   : &scan->states;
}

bool
txs_embedded_next_row(void *arg, TxsItem *item)
{
	RowScan *scan = arg;
	Cursor *cursor = find_next(scan);
	MemoryContext caller;

	if (cursor == NULL)
		return false;
	MemoryContextReset(scan->row);
	caller = MemoryContextSwitchTo(scan->row);
	read_row(scan, cursor, item);
	MemoryContextSwitchTo(caller);
	advance(scan, cursor);
	return true;
}

int64
txs_embedded_count_rows(void *arg)
{
	RowScan *scan = arg;
	Cursor *cursor;
	int64 count = 0;

	while ((cursor = find_next(scan)) != NULL)
	{
		count++;
		advance(scan, cursor);
	}
	return count;
}

void
txs_embedded_close_scan(void *arg)
{
	RowScan *scan = arg;

	close_cursors(scan);
	if (scan->has_tables)
		txs_tables_close(&scan->tables);
	MemoryContextDelete(scan->open);
	MemoryContextDelete(scan->row);
	pfree(scan);
}

void
txs_embedded_scan(const TxsStorage *storage, TxsSlice partition,
				  TxsItemReceiver receive, void *arg)
{
	TxsScanRequest request = {
		.kinds = TXS_KEY_ROWS | TXS_STATE_ROWS,
		.wanted = TXS_WANT_ALL,
		.all = partition.data == NULL,
		.npartitions = 1,
		.partitions = &partition,
		.last = PG_INT64_MAX,
	};
	void *scan;
	TxsItem item;

	PushActiveSnapshot(GetTransactionSnapshot());
	scan = txs_embedded_open_scan(storage, GetActiveSnapshot());
	txs_embedded_start_scan(scan, &request);
	while (txs_embedded_next_row(scan, &item))
		receive(&item, arg);
	txs_embedded_close_scan(scan);
	PopActiveSnapshot();
}

/* The server's own table, whether or not it has been made. */
void
txs_embedded_list_tables(const TxsStorage *storage, TxsTableReceiver receive,
						 void *arg)
{
	receive(storage->table_name, NULL, arg);
}

const char *
txs_embedded_describe_shape(const TxsShape *shape)
{
	if (shape->has_partitions || shape->has_range)
		return "index scan";
	return shape->kinds == (TXS_KEY_ROWS | TXS_STATE_ROWS) ? "full index scan"
														   : "table scan";
}

/* Rows of a table by its size and what ANALYZE found; -1 if it cannot be read. */
static double
estimate_rows(const TxsStorage *storage, const TxsTable *table)
{
	Oid oid = txs_tables_find(storage, table);
	Relation relation =
		OidIsValid(oid) ? try_relation_open(oid, AccessShareLock) : NULL;
	BlockNumber pages;
	double rows = -1;
	double visible;

	if (relation == NULL)
		return -1;
	/* An unlogged table has no file on a standby. */
	if (!RecoveryInProgress() || RelationIsPermanent(relation))
		estimate_rel_size(relation, NULL, &pages, &rows, &visible);
	relation_close(relation, AccessShareLock);
	return rows;
}

void
txs_embedded_estimate(const TxsStorage *storage, TxsEstimate *estimate)
{
	estimate->keys = estimate_rows(storage, &txs_keys_table);
	estimate->states = estimate_rows(storage, &txs_states_table);
}

static double
table_bytes(const TxsStorage *storage, const TxsTable *table)
{
	Oid oid = txs_tables_find(storage, table);
	Relation relation =
		OidIsValid(oid) ? try_relation_open(oid, AccessShareLock) : NULL;
	double bytes;

	if (relation == NULL)
		return 0;
	bytes = (double) RelationGetNumberOfBlocks(relation) * BLCKSZ;
	relation_close(relation, AccessShareLock);
	return bytes;
}

void
txs_embedded_measure(const TxsStorage *storage, TxsMeasure *measure)
{
	measure->rows = -1;
	measure->bytes = table_bytes(storage, &txs_keys_table) +
					 table_bytes(storage, &txs_states_table);
}
