/*
 * load(), store(), plan_store(), delete_partition(): the protocol in SQL.
 */
#include "api/arguments.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(txstore_load);
PG_FUNCTION_INFO_V1(txstore_store);
PG_FUNCTION_INFO_V1(txstore_plan_store);
PG_FUNCTION_INFO_V1(txstore_delete_partition);

/* Results of load(), from 0. */
enum
{
	LOAD_ETAG,
	LOAD_COMMITTED,
	LOAD_STATE,
	LOAD_METADATA,
	LOAD_PENDING,
	LOAD_RESULTS
};

/* Results of plan_store(), from 0. */
enum
{
	PLAN_BATCH,
	PLAN_OPERATION,
	PLAN_ACTION,
	PLAN_ROW_KEY,
	PLAN_CONDITION,
	PLAN_EXPECTED_ETAG,
	PLAN_NEW_ETAG,
	PLAN_BYTES,
	PLAN_RESULTS
};

static Datum
etag_datum(int64 etag)
{
	char text[TXS_NUMBER_MAX_LENGTH];
	size_t length = txs_number_from_int64(etag, text);

	return PointerGetDatum(cstring_to_text_with_len(text, (int) length));
}

/* Bytes that are never null in an answer. */
static Datum
bytes_datum(TxsSlice slice)
{
	return PointerGetDatum(
		cstring_to_text_with_len(slice.data == NULL ? "" : slice.data,
								 (int) slice.length));
}

Datum
txstore_load(PG_FUNCTION_ARGS)
{
	const TxsStorage *storage = txs_arguments_storage(fcinfo, 1);
	TxsSlice partition = txs_arguments_partition(fcinfo, 0);
	Datum values[LOAD_RESULTS] = {0};
	bool isnull[LOAD_RESULTS] = {false};
	TxsLoaded loaded;
	TupleDesc desc;
	Oid array_type;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	array_type = TupleDescAttr(desc, LOAD_PENDING)->atttypid;
	txs_load(storage, partition, &loaded);

	isnull[LOAD_ETAG] = loaded.key->etag == TXS_NO_ETAG;
	if (!isnull[LOAD_ETAG])
		values[LOAD_ETAG] = etag_datum(loaded.key->etag);
	values[LOAD_COMMITTED] = Int64GetDatum(loaded.key->committed);
	isnull[LOAD_STATE] = loaded.committed == NULL;
	if (!isnull[LOAD_STATE])
		values[LOAD_STATE] = bytes_datum(loaded.committed->state);
	values[LOAD_METADATA] = bytes_datum(loaded.key->metadata);
	values[LOAD_PENDING] =
		txs_arguments_versions(get_element_type(array_type), loaded.npending,
							   loaded.pending);
	PG_RETURN_DATUM(HeapTupleGetDatum(
		heap_form_tuple(BlessTupleDesc(desc), values, isnull)));
}

Datum
txstore_store(PG_FUNCTION_ARGS)
{
	TxsStoreCall call;

	txs_arguments_store(fcinfo, &call);
	txs_storage_require_writable(call.storage, "txstore.store()");
	PG_RETURN_DATUM(etag_datum(txs_store(&call)));
}

/* One row of plan_store(). */
typedef struct PlanRow
{
	int batch;
	int operation;
	bool is_delete;
	TxsSlice row_key;
	int64 expected_etag;
	int64 new_etag;
	size_t bytes;
} PlanRow;

static void
put_plan_row(ReturnSetInfo *result, const PlanRow *row)
{
	Datum values[PLAN_RESULTS] = {0};
	bool isnull[PLAN_RESULTS] = {false};
	const char *condition = "ETag = :currentETag";

	if (row->expected_etag == TXS_NO_ETAG)
		condition = "attribute_not_exists(PartitionKey) AND "
					"attribute_not_exists(RowKey)";
	values[PLAN_BATCH] = Int32GetDatum(row->batch + 1);
	values[PLAN_OPERATION] = Int32GetDatum(row->operation);
	values[PLAN_ACTION] =
		CStringGetTextDatum(row->is_delete ? "delete" : "put");
	values[PLAN_ROW_KEY] =
		PointerGetDatum(cstring_to_text_with_len(row->row_key.data,
												 (int) row->row_key.length));
	values[PLAN_CONDITION] = CStringGetTextDatum(condition);
	isnull[PLAN_EXPECTED_ETAG] = row->expected_etag == TXS_NO_ETAG;
	values[PLAN_EXPECTED_ETAG] = Int64GetDatum(row->expected_etag);
	isnull[PLAN_NEW_ETAG] = row->is_delete;
	values[PLAN_NEW_ETAG] = Int64GetDatum(row->new_etag);
	values[PLAN_BYTES] = Int32GetDatum((int32) row->bytes);
	tuplestore_putvalues(result->setResult, result->setDesc, values, isnull);
}

static void
put_operation(ReturnSetInfo *result, const TxsOperation *operation, int batch,
			  int number)
{
	char row_key[TXS_STATE_ROW_KEY_LENGTH];
	PlanRow row = {
		.batch = batch,
		.operation = number,
		.is_delete = operation->is_delete,
		.row_key = {row_key, sizeof(row_key)},
		.expected_etag = operation->expected_etag,
		.new_etag = operation->new_etag,
		.bytes = operation->size,
	};

	txs_row_key_write(operation->sequence, row_key);
	put_plan_row(result, &row);
}

static void
put_batch(ReturnSetInfo *result, const TxsPlan *plan, int number)
{
	const TxsBatch *batch = &plan->batches[number];
	PlanRow key = {
		.batch = number,
		.operation = batch->count,
		.row_key = {TXS_KEY_ROW_KEY, strlen(TXS_KEY_ROW_KEY)},
		.expected_etag = batch->expected_key_etag,
		.new_etag = batch->key.etag,
		.bytes = batch->key_size,
	};
	int i;

	for (i = 0; i < batch->count; i++)
		put_operation(result, &plan->operations[batch->first + i], number, i);
	put_plan_row(result, &key);
}

Datum
txstore_plan_store(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	TxsStoreCall call;
	TxsPlan *plan;
	int i;

	InitMaterializedSRF(fcinfo, 0);
	txs_arguments_store(fcinfo, &call);
	plan = txs_store_plan(&call);
	for (i = 0; i < plan->nbatches; i++)
		put_batch(result, plan, i);
	return (Datum) 0;
}

Datum
txstore_delete_partition(PG_FUNCTION_ARGS)
{
	const TxsStorage *storage = txs_arguments_storage(fcinfo, 2);
	TxsSlice partition = txs_arguments_partition(fcinfo, 0);

	txs_storage_require_writable(storage, "txstore.delete_partition()");
	PG_RETURN_BOOL(
		txs_store_delete(storage, partition, txs_arguments_text(fcinfo, 1)));
}
