/*
 * A sort of PostgreSQL's over (partition key, sequence id, line, item's JSON).
 * A key row has sequence id -1, so that it comes before its states.
 */
#include "provider/dynamodb/sorted_rows.h"
#include "provider/dynamodb/dynamodb.h"

#include "access/tupdesc.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplesort.h"

enum
{
	COLUMN_PARTITION,
	COLUMN_SEQUENCE,
	COLUMN_LINE,
	COLUMN_JSON,
	COLUMNS
};

struct TxsSortedRows
{
	Tuplesortstate *sort;
	TupleTableSlot *in;
	TupleTableSlot *out;
	MemoryContext row; /* of the row that is read or written */
	TxsWriter writer;
};

/* operator 664: text < text; 412: bigint < bigint (pg_operator.dat) */
#define TEXT_LESS 664
#define INT8_LESS 412

TxsSortedRows *
txs_sorted_rows_begin(void)
{
	TxsSortedRows *rows = palloc0(sizeof(TxsSortedRows));
	AttrNumber keys[] = {COLUMN_PARTITION + 1, COLUMN_SEQUENCE + 1,
						 COLUMN_LINE + 1};
	Oid operators[] = {TEXT_LESS, INT8_LESS, INT8_LESS};
	Oid collations[] = {C_COLLATION_OID, InvalidOid, InvalidOid};
	bool nulls_first[] = {false, false, false};
	TupleDesc desc = CreateTemplateTupleDesc(COLUMNS);

	TupleDescInitEntry(desc, COLUMN_PARTITION + 1, "partition", TEXTOID, -1,
					   0);
	TupleDescInitEntry(desc, COLUMN_SEQUENCE + 1, "sequence", INT8OID, -1, 0);
	TupleDescInitEntry(desc, COLUMN_LINE + 1, "line", INT8OID, -1, 0);
	TupleDescInitEntry(desc, COLUMN_JSON + 1, "json", TEXTOID, -1, 0);
	rows->sort =
		tuplesort_begin_heap(desc, 3, keys, operators, collations, nulls_first,
							 work_mem, NULL, TUPLESORT_RANDOMACCESS);
	rows->in = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	rows->out = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	rows->row =
		AllocSetContextCreate(CurrentMemoryContext, "txstore sorted row",
							  ALLOCSET_DEFAULT_SIZES);
	return rows;
}

void
txs_sorted_rows_put(TxsSortedRows *rows, const TxsItem *item, int64 line)
{
	TupleTableSlot *slot = rows->in;
	MemoryContext caller = MemoryContextSwitchTo(rows->row);

	txs_requests_write_item(&rows->writer, item);
	ExecClearTuple(slot);
	memset(slot->tts_isnull, 0, sizeof(bool) * COLUMNS);
	slot->tts_values[COLUMN_PARTITION] = PointerGetDatum(
		cstring_to_text_with_len(item->partition.data,
								 (int) item->partition.length));
	slot->tts_values[COLUMN_SEQUENCE] =
		Int64GetDatum(item->is_key ? -1 : item->state.sequence);
	slot->tts_values[COLUMN_LINE] = Int64GetDatum(line);
	slot->tts_values[COLUMN_JSON] =
		PointerGetDatum(cstring_to_text_with_len(rows->writer.data,
												 (int) rows->writer.length));
	ExecStoreVirtualTuple(slot);
	tuplesort_puttupleslot(rows->sort, slot);
	ExecClearTuple(slot);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(rows->row);
}

void
txs_sorted_rows_sort(TxsSortedRows *rows)
{
	tuplesort_performsort(rows->sort);
}

bool
txs_sorted_rows_get(TxsSortedRows *rows, TxsItem *item, int64 *line)
{
	MemoryContext caller;
	TxsItemError error;
	TxsSlice json;
	text *value;
	bool isnull;

	MemoryContextReset(rows->row);
	if (!tuplesort_gettupleslot(rows->sort, true, false, rows->out, NULL))
		return false;
	caller = MemoryContextSwitchTo(rows->row);
	value = DatumGetTextPP(slot_getattr(rows->out, COLUMN_JSON + 1, &isnull));
	json.data = VARDATA_ANY(value);
	json.length = VARSIZE_ANY_EXHDR(value);
	*line = DatumGetInt64(slot_getattr(rows->out, COLUMN_LINE + 1, &isnull));
	if (txs_item_read(json, item, &error) != TXS_ITEM_OK)
		elog(ERROR, "sorted row is no item: %s", error.message);
	MemoryContextSwitchTo(caller);
	return true;
}

void
txs_sorted_rows_rewind(TxsSortedRows *rows)
{
	tuplesort_rescan(rows->sort);
}

void
txs_sorted_rows_end(TxsSortedRows *rows)
{
	ExecDropSingleTupleTableSlot(rows->in);
	ExecDropSingleTupleTableSlot(rows->out);
	tuplesort_end(rows->sort);
	MemoryContextDelete(rows->row);
	pfree(rows);
}
