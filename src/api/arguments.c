/*
 * SQL arguments and results; see arguments.h.
 */
#include "api/arguments.h"

#include <time.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "orleans/time_text.h"

/* Attributes of txstore.state_version, from 0. */
enum
{
	VERSION_SEQUENCE,
	VERSION_ID,
	VERSION_TIMESTAMP,
	VERSION_MANAGER,
	VERSION_STATE,
	VERSION_ATTRIBUTES
};

/* Arguments of store(), from 0. */
enum
{
	STORE_PARTITION,
	STORE_ETAG,
	STORE_METADATA,
	STORE_PREPARES,
	STORE_COMMIT,
	STORE_ABORT,
	STORE_STORAGE
};

const TxsStorage *
txs_arguments_storage(FunctionCallInfo fcinfo, int n)
{
	return txs_storage_open(PG_ARGISNULL(n) ? NULL
											: NameStr(*PG_GETARG_NAME(n)));
}

TxsSlice
txs_arguments_bytes(Datum value)
{
	struct varlena *packed = PG_DETOAST_DATUM_PACKED(value);
	TxsSlice slice = {VARDATA_ANY(packed), VARSIZE_ANY_EXHDR(packed)};

	return slice;
}

TxsSlice
txs_arguments_partition(FunctionCallInfo fcinfo, int n)
{
	TxsSlice partition;

	if (PG_ARGISNULL(n))
		ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				errmsg("partition key must not be null"));
	partition = txs_arguments_bytes(PG_GETARG_DATUM(n));
	if (partition.length == 0)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("partition key must not be empty"));
	if (partition.length > TXS_MAX_PARTITION_KEY)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("partition key is too long"),
				errdetail("It has %zu bytes; the limit is %d.",
						  partition.length, TXS_MAX_PARTITION_KEY));
	return partition;
}

const char *
txs_arguments_text(FunctionCallInfo fcinfo, int n)
{
	return PG_ARGISNULL(n) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(n));
}

Datum
txs_arguments_datum(TxsSlice slice, bool *isnull)
{
	*isnull = slice.data == NULL;
	if (*isnull)
		return (Datum) 0;
	return PointerGetDatum(
		cstring_to_text_with_len(slice.data, (int) slice.length));
}

/* An attribute that Orleans leaves out when it is empty. */
static TxsSlice
optional_bytes(Datum value, bool isnull)
{
	TxsSlice slice = {NULL, 0};

	if (!isnull)
		slice = txs_arguments_bytes(value);
	if (slice.length == 0)
		slice.data = NULL;
	return slice;
}

static void
refuse_null(const char *what)
{
	ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			errmsg("%s must not be null", what));
}

/* Read one element of prepares. */
static void
read_version(HeapTupleHeader header, TxsStateRow *row)
{
	TupleDesc desc = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(header),
											HeapTupleHeaderGetTypMod(header));
	Datum values[VERSION_ATTRIBUTES];
	bool isnull[VERSION_ATTRIBUTES];
	HeapTupleData tuple = {
		.t_len = HeapTupleHeaderGetDatumLength(header),
		.t_data = header,
	};

	Assert(desc->natts == VERSION_ATTRIBUTES);
	heap_deform_tuple(&tuple, desc, values, isnull);
	ReleaseTupleDesc(desc);
	if (isnull[VERSION_SEQUENCE])
		refuse_null("sequence id of a prepare");
	if (isnull[VERSION_STATE])
		refuse_null("state of a prepare");

	memset(row, 0, sizeof(*row));
	row->etag = TXS_NO_ETAG;
	row->sequence = DatumGetInt64(values[VERSION_SEQUENCE]);
	row->transaction_id =
		optional_bytes(values[VERSION_ID], isnull[VERSION_ID]);
	row->timestamp =
		optional_bytes(values[VERSION_TIMESTAMP], isnull[VERSION_TIMESTAMP]);
	row->manager =
		optional_bytes(values[VERSION_MANAGER], isnull[VERSION_MANAGER]);
	row->state = optional_bytes(values[VERSION_STATE], false);
	if (row->timestamp.data != NULL && !txs_time_text_is_valid(row->timestamp))
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("invalid transaction timestamp: \"%.*s\"",
					   pg_mbcliplen(row->timestamp.data,
									(int) row->timestamp.length, 64),
					   row->timestamp.data),
				errhint("Its form is \"2024-01-02T03:04:05.1234567Z\"; "
						"prepare() makes it from a timestamptz."));
}

static void
read_prepares(ArrayType *array, TxsStoreRequest *request)
{
	TxsStateRow *rows;
	Datum *elements;
	bool *isnull;
	int16 length;
	bool by_value;
	char alignment;
	int i;

	get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &by_value, &alignment);
	deconstruct_array(array, ARR_ELEMTYPE(array), length, by_value, alignment,
					  &elements, &isnull, &request->nprepares);
	rows =
		palloc_extended(sizeof(TxsStateRow) * ((Size) request->nprepares + 1),
						MCXT_ALLOC_HUGE);
	for (i = 0; i < request->nprepares; i++)
	{
		if (isnull[i])
			refuse_null("a prepare");
		read_version(DatumGetHeapTupleHeader(elements[i]), &rows[i]);
	}
	request->prepares = rows;
}

void
txs_arguments_store(FunctionCallInfo fcinfo, TxsStoreCall *call)
{
	TxsStoreRequest *request = &call->request;

	memset(call, 0, sizeof(*call));
	call->storage = txs_arguments_storage(fcinfo, STORE_STORAGE);
	call->partition = txs_arguments_partition(fcinfo, STORE_PARTITION);
	call->expected_etag = txs_arguments_text(fcinfo, STORE_ETAG);
	if (PG_ARGISNULL(STORE_METADATA))
		ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				errmsg("metadata must not be null"),
				errhint("Pass the metadata that load() returned: it holds "
						"the commit records of transactions that are not yet "
						"confirmed everywhere."));
	request->metadata = optional_bytes(PG_GETARG_DATUM(STORE_METADATA), false);
	request->now = (int64) time(NULL);
	if (!PG_ARGISNULL(STORE_PREPARES))
		read_prepares(PG_GETARG_ARRAYTYPE_P(STORE_PREPARES), request);
	request->has_commit_up_to = !PG_ARGISNULL(STORE_COMMIT);
	if (request->has_commit_up_to)
		request->commit_up_to = PG_GETARG_INT64(STORE_COMMIT);
	request->has_abort_after = !PG_ARGISNULL(STORE_ABORT);
	if (request->has_abort_after)
		request->abort_after = PG_GETARG_INT64(STORE_ABORT);
}

static Datum
make_version(TupleDesc desc, const TxsStateRow *row)
{
	Datum values[VERSION_ATTRIBUTES];
	bool isnull[VERSION_ATTRIBUTES] = {false};
	TxsSlice state = row->state;

	/* A version always has a state; an empty one is left out of its item. */
	if (state.data == NULL)
		state.data = "";
	values[VERSION_SEQUENCE] = Int64GetDatum(row->sequence);
	values[VERSION_ID] =
		txs_arguments_datum(row->transaction_id, &isnull[VERSION_ID]);
	values[VERSION_TIMESTAMP] =
		txs_arguments_datum(row->timestamp, &isnull[VERSION_TIMESTAMP]);
	values[VERSION_MANAGER] =
		txs_arguments_datum(row->manager, &isnull[VERSION_MANAGER]);
	values[VERSION_STATE] = txs_arguments_datum(state, &isnull[VERSION_STATE]);
	return HeapTupleGetDatum(heap_form_tuple(desc, values, isnull));
}

Datum
txs_arguments_versions(Oid version_type, int count, const TxsStateRow *rows)
{
	Datum *elements;
	TupleDesc desc;
	int i;

	if (count == 0)
		return PointerGetDatum(construct_empty_array(version_type));
	desc = lookup_rowtype_tupdesc(version_type, -1);
	elements = palloc_extended(sizeof(Datum) * (Size) count, MCXT_ALLOC_HUGE);
	for (i = 0; i < count; i++)
		elements[i] = make_version(desc, &rows[i]);
	ReleaseTupleDesc(desc);
	return PointerGetDatum(construct_array(elements, count, version_type, -1,
										   false, TYPALIGN_DOUBLE));
}

void
txs_arguments_put_fact(const char *property, const char *value, void *arg)
{
	ReturnSetInfo *result = arg;
	Datum values[2];
	bool isnull[2] = {false, value == NULL};

	values[0] = CStringGetTextDatum(property);
	values[1] = value == NULL ? (Datum) 0 : CStringGetTextDatum(value);
	tuplestore_putvalues(result->setResult, result->setDesc, values, isnull);
}
