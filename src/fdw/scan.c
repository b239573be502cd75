/*
 * The executor's side of a scan: ask for rows when the first is wanted, make
 * values of those columns that the query needs, one row after the other.
 */
#include "fdw/fdw.h"

#include "miscadmin.h"

typedef struct TxsScan
{
	TxsForeignTable *table;
	TxsScanPlan plan;
	void *rows;		 /* the provider's scan; NULL until it is needed */
	bool is_started; /* since the last rescan */
	bool is_empty;	 /* no row can match */
	bool is_counted;
	TxsScanRequest request;
	MemoryContext request_memory;
	int nvalues;
	TxsKeyValue *values;
	TxsActors *actors;	/* of a table of partitions */
	TxsSlice partition; /* of the row that came last */
	const TxsScanRequest *wanted; /* of a lookup join; NULL before the first */
} TxsScan;

/* The table that is scanned, or whose rows are counted. */
static Oid
scanned_table(ForeignScanState *node)
{
	Index relid;

	if (node->ss.ss_currentRelation != NULL)
		return RelationGetRelid(node->ss.ss_currentRelation);
	relid =
		(Index) bms_next_member(((ForeignScan *) node->ss.ps.plan)->fs_relids,
								-1);
	return exec_rt_fetch(relid, node->ss.ps.state)->relid;
}

static void
prepare_values(ForeignScanState *node, TxsScan *scan)
{
	List *exprs = ((ForeignScan *) node->ss.ps.plan)->fdw_exprs;
	int i;

	scan->nvalues = list_length(scan->plan.parts);
	scan->values = palloc0(sizeof(TxsKeyValue) * Max(scan->nvalues, 1));
	for (i = 0; i < scan->nvalues; i++)
	{
		TxsKeyValue *value = &scan->values[i];

		value->part = list_nth_int(scan->plan.parts, i);
		value->strategy = list_nth_int(scan->plan.strategies, i);
		value->is_array = list_nth_int(scan->plan.arrays, i);
		value->type = list_nth_oid(scan->plan.types, i);
		value->value = ExecInitExpr(list_nth(exprs, i), (PlanState *) node);
	}
}

void
txs_fdw_begin(ForeignScanState *node, int eflags)
{
	ForeignScan *plan = (ForeignScan *) node->ss.ps.plan;
	TxsScan *scan = palloc0(sizeof(TxsScan));

	node->fdw_state = scan;
	txs_plan_read(plan, &scan->plan);
	scan->table = txs_table_open(scanned_table(node),
								 txs_scan_user(plan, node->ss.ps.state));
	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		return;
	prepare_values(node, scan);
	scan->request_memory =
		AllocSetContextCreate(CurrentMemoryContext, "txstore request",
							  ALLOCSET_SMALL_SIZES);
}

const TxsForeignTable *
txs_scan_table(ForeignScanState *node)
{
	return ((const TxsScan *) node->fdw_state)->table;
}

const TxsKeyValue *
txs_scan_values(ForeignScanState *node, int *count)
{
	const TxsScan *scan = node->fdw_state;

	*count = scan->nvalues;
	return scan->values;
}

void
txs_scan_look_up(ForeignScanState *node, const TxsScanRequest *request)
{
	TxsScan *scan = node->fdw_state;

	scan->wanted = request;
	scan->is_started = false;
}

TxsSlice
txs_scan_partition(ForeignScanState *node)
{
	return ((const TxsScan *) node->fdw_state)->partition;
}

const TxsScanCounters *
txs_scan_counters(ForeignScanState *node)
{
	const TxsScan *scan = node->fdw_state;
	const TxsProvider *provider = scan->table->storage->provider;

	if (scan->rows == NULL || provider->counters == NULL)
		return NULL;
	return provider->counters(scan->rows);
}

/* Find out which rows are wanted; false if there can be none. */
static bool
make_request(ForeignScanState *node, TxsScan *scan)
{
	TxsScanRequest *request = &scan->request;

	if (!scan->plan.reading.is_lookup)
		return txs_request_make(scan->values, scan->nvalues,
								scan->table->storage->service_id,
								node->ss.ps.ps_ExprContext, request);
	if (scan->wanted == NULL)
		return false;
	request->all = false;
	request->npartitions = scan->wanted->npartitions;
	request->partitions = scan->wanted->partitions;
	request->sequences = scan->wanted->sequences;
	request->first = scan->wanted->first;
	request->last = scan->wanted->last;
	return true;
}

/* Ask the provider for the rows that quals leave. */
static void
start(ForeignScanState *node, TxsScan *scan)
{
	const TxsProvider *provider = scan->table->storage->provider;
	MemoryContext caller;

	scan->is_started = true;
	scan->request.kinds = scan->plan.kinds;
	scan->request.wanted = scan->plan.wanted;
	scan->request.backward = scan->plan.reading.backward;
	scan->request.limit = scan->plan.reading.limit;
	scan->request.consistent = scan->table->consistent_read;
	scan->request.segments = scan->table->scan_segments;
	MemoryContextReset(scan->request_memory);
	caller = MemoryContextSwitchTo(scan->request_memory);
	scan->is_empty = !make_request(node, scan);
	MemoryContextSwitchTo(node->ss.ps.state->es_query_cxt);
	if (!scan->is_empty)
	{
		if (scan->rows == NULL)
			scan->rows = provider->open_scan(scan->table->storage,
											 node->ss.ps.state->es_snapshot);
		if (scan->actors == NULL && scan->table->kind == TXS_PARTITIONS_TABLE)
			scan->actors =
				txs_actors_begin(scan->table, scan->rows,
								 txs_columns_have(scan->table,
												  scan->plan.columns,
												  TXS_FIELD_PENDING_VERSIONS));
		provider->start_scan(scan->rows, &scan->request);
		if (scan->actors != NULL)
			txs_actors_restart(scan->actors, &scan->request);
	}
	MemoryContextSwitchTo(caller);
}

/* The next row of the table; false at the end. */
static bool
next_row(TxsScan *scan, TxsItem *item, TxsTableRow *row)
{
	if (scan->is_empty)
		return false;
	if (scan->actors != NULL)
		return txs_actors_next(scan->actors, row);
	if (!scan->table->storage->provider->next_row(scan->rows, item))
		return false;
	memset(row, 0, sizeof(*row));
	row->partition = item->partition;
	row->key = item->is_key ? &item->key : NULL;
	row->state = item->is_key ? NULL : &item->state;
	return true;
}

/* The one row of a count. */
static bool
make_count(TxsScan *scan, TupleTableSlot *slot)
{
	int64 count = 0;

	if (scan->is_counted)
		return false;
	scan->is_counted = true;
	if (!scan->is_empty)
		count = scan->table->storage->provider->count_rows(scan->rows);
	slot->tts_values[0] = Int64GetDatum(count);
	slot->tts_isnull[0] = false;
	return true;
}

static void
make_values(const TxsScan *scan, const TxsTableRow *row, TupleTableSlot *slot)
{
	ListCell *cell;

	memset(slot->tts_isnull, true,
		   sizeof(bool) * slot->tts_tupleDescriptor->natts);
	foreach (cell, scan->plan.columns)
	{
		int column = lfirst_int(cell) - 1;

		slot->tts_values[column] =
			txs_values_make(scan->table, &scan->table->columns[column], row,
							&slot->tts_isnull[column]);
	}
}

TupleTableSlot *
txs_fdw_iterate(ForeignScanState *node)
{
	TxsScan *scan = node->fdw_state;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;
	TxsItem item;
	TxsTableRow row;

	ExecClearTuple(slot);
	if (!scan->is_started)
		start(node, scan);
	if (scan->plan.reading.is_count)
	{
		if (make_count(scan, slot))
			ExecStoreVirtualTuple(slot);
		return slot;
	}
	if (next_row(scan, &item, &row))
	{
		scan->partition = row.partition;
		make_values(scan, &row, slot);
		ExecStoreVirtualTuple(slot);
	}
	return slot;
}

void
txs_fdw_rescan(ForeignScanState *node)
{
	TxsScan *scan = node->fdw_state;

	scan->is_started = false;
	scan->is_counted = false;
}

void
txs_fdw_end(ForeignScanState *node)
{
	TxsScan *scan = node->fdw_state;

	if (scan != NULL && scan->rows != NULL)
		scan->table->storage->provider->close_scan(scan->rows);
}
