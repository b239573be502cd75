/*
 * Rows to tuples and back, for the tables of an embedded storage.
 *
 * An attribute that a row does not have is NULL in its column.
 */
#include "provider/embedded/embedded.h"

#include "access/detoast.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "common/pg_prng.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"

void
txs_rows_partition_key(ScanKey key, TxsSlice partition)
{
	ScanKeyInit(key, TXS_KEYS_PARTITION + 1, BTEqualStrategyNumber, F_TEXTEQ,
				PointerGetDatum(
					cstring_to_text_with_len(partition.data,
											 (int) partition.length)));
}

void
txs_rows_partition_bound(ScanKey key, StrategyNumber strategy, TxsSlice bound)
{
	static const RegProcedure functions[] = {
		[BTLessStrategyNumber] = F_TEXT_LT,
		[BTLessEqualStrategyNumber] = F_TEXT_LE,
		[BTGreaterEqualStrategyNumber] = F_TEXT_GE,
	};

	ScanKeyInit(key, TXS_KEYS_PARTITION + 1, strategy, functions[strategy],
				PointerGetDatum(cstring_to_text_with_len(bound.data,
														 (int) bound.length)));
}

/* Bytes of a varlena column, copied; none for NULL. */
static TxsSlice
read_bytes(Datum value, bool isnull)
{
	TxsSlice slice = {NULL, 0};
	struct varlena *packed;
	char *copy;

	if (isnull)
		return slice;
	packed = PG_DETOAST_DATUM_PACKED(value);
	slice.length = VARSIZE_ANY_EXHDR(packed);
	copy = palloc(slice.length + 1);
	memcpy(copy, VARDATA_ANY(packed), slice.length);
	slice.data = copy;
	return slice;
}

static Datum
bytes_datum(TxsSlice slice, bool *isnull)
{
	*isnull = slice.data == NULL;
	if (*isnull)
		return (Datum) 0;
	return PointerGetDatum(
		cstring_to_text_with_len(slice.data, (int) slice.length));
}

TxsSlice
txs_rows_read_partition(Relation table, HeapTuple tuple)
{
	bool isnull;
	Datum value = heap_getattr(tuple, TXS_KEYS_PARTITION + 1,
							   RelationGetDescr(table), &isnull);

	return read_bytes(value, isnull);
}

/* Bytes of a column, copied, if they are wanted. */
static TxsSlice
read_wanted(bool wanted, Datum value, bool isnull)
{
	return wanted ? read_bytes(value, isnull) : (TxsSlice){NULL, 0};
}

void
txs_rows_read_key(Relation keys, HeapTuple tuple, int wanted, TxsKeyRow *row,
				  int64 *incarnation)
{
	Datum values[TXS_KEYS_COLUMNS];
	bool isnull[TXS_KEYS_COLUMNS];

	heap_deform_tuple(tuple, RelationGetDescr(keys), values, isnull);
	memset(row, 0, sizeof(*row));
	row->has_committed = !isnull[TXS_KEYS_COMMITTED];
	if (row->has_committed)
		row->committed = DatumGetInt64(values[TXS_KEYS_COMMITTED]);
	row->has_timestamp = !isnull[TXS_KEYS_TIMESTAMP];
	if (row->has_timestamp)
		row->timestamp = DatumGetInt64(values[TXS_KEYS_TIMESTAMP]);
	row->etag = isnull[TXS_KEYS_ETAG] ? TXS_NO_ETAG
									  : DatumGetInt64(values[TXS_KEYS_ETAG]);
	row->metadata =
		read_wanted(wanted & TXS_WANT_METADATA, values[TXS_KEYS_METADATA],
					isnull[TXS_KEYS_METADATA]);
	row->extra = read_wanted(wanted & TXS_WANT_EXTRA, values[TXS_KEYS_EXTRA],
							 isnull[TXS_KEYS_EXTRA]);
	*incarnation = DatumGetInt64(values[TXS_KEYS_INCARNATION]);
}

void
txs_rows_read_state(Relation states, HeapTuple tuple, int wanted,
					TxsStateRow *row)
{
	Datum values[TXS_STATES_COLUMNS];
	bool isnull[TXS_STATES_COLUMNS];

	heap_deform_tuple(tuple, RelationGetDescr(states), values, isnull);
	memset(row, 0, sizeof(*row));
	row->sequence = DatumGetInt64(values[TXS_STATES_SEQUENCE]);
	row->etag = isnull[TXS_STATES_ETAG]
					? TXS_NO_ETAG
					: DatumGetInt64(values[TXS_STATES_ETAG]);
	if (wanted & TXS_WANT_STATE)
		row->state =
			read_bytes(values[TXS_STATES_STATE], isnull[TXS_STATES_STATE]);
	else if (!isnull[TXS_STATES_STATE])
		row->state.length =
			toast_raw_datum_size(values[TXS_STATES_STATE]) - VARHDRSZ;
	row->transaction_id =
		read_wanted(wanted & TXS_WANT_TRANSACTION, values[TXS_STATES_ID],
					isnull[TXS_STATES_ID]);
	row->timestamp =
		read_wanted(wanted & TXS_WANT_TIME, values[TXS_STATES_TIMESTAMP],
					isnull[TXS_STATES_TIMESTAMP]);
	row->manager =
		read_wanted(wanted & TXS_WANT_MANAGER, values[TXS_STATES_MANAGER],
					isnull[TXS_STATES_MANAGER]);
	row->extra = read_wanted(wanted & TXS_WANT_EXTRA, values[TXS_STATES_EXTRA],
							 isnull[TXS_STATES_EXTRA]);
	row->extra_size = txs_extra_size(row->extra, &row->extra_foreign);
}

/* A bigint column that holds NULL where the row has no such attribute. */
static void
set_number(TupleTableSlot *slot, int column, bool present, int64 value)
{
	slot->tts_isnull[column] = !present;
	slot->tts_values[column] = present ? Int64GetDatum(value) : (Datum) 0;
}

static void
set_bytes(TupleTableSlot *slot, int column, TxsSlice bytes)
{
	slot->tts_values[column] = bytes_datum(bytes, &slot->tts_isnull[column]);
}

void
txs_rows_store_key(TupleTableSlot *slot, TxsSlice partition,
				   const TxsKeyRow *row, int64 incarnation)
{
	ExecClearTuple(slot);
	set_bytes(slot, TXS_KEYS_PARTITION, partition);
	set_number(slot, TXS_KEYS_COMMITTED, row->has_committed, row->committed);
	set_bytes(slot, TXS_KEYS_METADATA, row->metadata);
	set_number(slot, TXS_KEYS_TIMESTAMP, row->has_timestamp, row->timestamp);
	set_number(slot, TXS_KEYS_ETAG, row->etag != TXS_NO_ETAG, row->etag);
	set_number(slot, TXS_KEYS_INCARNATION, true, incarnation);
	set_bytes(slot, TXS_KEYS_EXTRA, row->extra);
	ExecStoreVirtualTuple(slot);
}

void
txs_rows_store_state(TupleTableSlot *slot, TxsSlice partition,
					 const TxsStateRow *row, int64 etag)
{
	ExecClearTuple(slot);
	set_bytes(slot, TXS_STATES_PARTITION, partition);
	set_number(slot, TXS_STATES_SEQUENCE, true, row->sequence);
	set_bytes(slot, TXS_STATES_STATE, row->state);
	set_bytes(slot, TXS_STATES_ID, row->transaction_id);
	set_bytes(slot, TXS_STATES_TIMESTAMP, row->timestamp);
	set_bytes(slot, TXS_STATES_MANAGER, row->manager);
	set_number(slot, TXS_STATES_ETAG, etag != TXS_NO_ETAG, etag);
	set_bytes(slot, TXS_STATES_EXTRA, row->extra);
	ExecStoreVirtualTuple(slot);
}

int64
txs_rows_new_incarnation(void)
{
	return (int64) (pg_prng_uint64(&pg_global_prng_state) >> 1) | 1;
}
