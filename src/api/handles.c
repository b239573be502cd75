/*
 * forget() and the view handles: what this session remembers.
 */
#include "api/arguments.h"

#include "foreign/foreign.h"
#include "funcapi.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(txstore_forget);
PG_FUNCTION_INFO_V1(txstore_handles);

Datum
txstore_forget(PG_FUNCTION_ARGS)
{
	const TxsStorage *storage = txs_arguments_storage(fcinfo, 1);
	TxsSlice partition = txs_arguments_partition(fcinfo, 0);

	PG_RETURN_BOOL(txs_handle_forget(storage, partition));
}

static void
put_handle(const TxsHandle *handle, void *arg)
{
	ReturnSetInfo *result = arg;
	const TxsKeyRow *key = &handle->base.key;
	ForeignServer *server =
		GetForeignServerExtended(handle->server, FSV_MISSING_OK);
	Datum values[7] = {0};
	bool isnull[7] = {false};

	/* The server of a handle may have been dropped since. */
	if (server == NULL)
		return;
	values[0] =
		DirectFunctionCall1(namein, CStringGetDatum(server->servername));
	values[1] = PointerGetDatum(
		cstring_to_text_with_len(handle->partition.data,
								 (int) handle->partition.length));
	isnull[2] = handle->must_load || key->etag == TXS_NO_ETAG;
	if (!isnull[2])
		values[2] = CStringGetTextDatum(psprintf(INT64_FORMAT, key->etag));
	isnull[3] = handle->must_load;
	values[3] = Int64GetDatum(key->committed);
	isnull[4] = handle->must_load;
	values[4] = Int32GetDatum(handle->base.nrows);
	values[5] = BoolGetDatum(handle->must_load);
	values[6] = Int64GetDatum((int64) handle->size);
	tuplestore_putvalues(result->setResult, result->setDesc, values, isnull);
}

Datum
txstore_handles(PG_FUNCTION_ARGS)
{
	InitMaterializedSRF(fcinfo, 0);
	txs_handle_list(put_handle, fcinfo->resultinfo);
	return (Datum) 0;
}
