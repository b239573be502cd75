/*
 * prepare() and partition_key(): values in Orleans' forms, without a storage.
 */
#include "api/arguments.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "orleans/time_text.h"

PG_FUNCTION_INFO_V1(txstore_prepare);
PG_FUNCTION_INFO_V1(txstore_partition_key);

static Datum
time_datum(TimestampTz at)
{
	char text[TXS_TIME_TEXT_LENGTH];

	if (TIMESTAMP_NOT_FINITE(at) || !txs_time_text_write(at, text))
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("transaction timestamp is out of range"),
				errdetail("Orleans knows the years 1 to 9999."));
	return PointerGetDatum(cstring_to_text_with_len(text, sizeof(text)));
}

Datum
txstore_prepare(PG_FUNCTION_ARGS)
{
	Datum values[5] = {0};
	bool isnull[5];
	TupleDesc desc;
	int i;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");

	/* sequence_id, state, transaction_id, at, manager */
	for (i = 0; i < 5; i++)
		isnull[i] = true;
	if (!PG_ARGISNULL(0) && PG_GETARG_INT64(0) < 0)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("sequence id must not be negative: " INT64_FORMAT,
					   PG_GETARG_INT64(0)));
	isnull[0] = PG_ARGISNULL(0);
	values[0] = PG_GETARG_DATUM(0);
	isnull[1] = PG_ARGISNULL(2);
	if (!isnull[1])
		values[1] = CStringGetTextDatum(DatumGetCString(
			DirectFunctionCall1(uuid_out, PG_GETARG_DATUM(2))));
	isnull[2] = PG_ARGISNULL(3);
	if (!isnull[2])
		values[2] = time_datum(PG_GETARG_TIMESTAMPTZ(3));
	isnull[3] = PG_ARGISNULL(4);
	values[3] = PG_GETARG_DATUM(4);
	isnull[4] = PG_ARGISNULL(1);
	values[4] = PG_GETARG_DATUM(1);
	PG_RETURN_DATUM(HeapTupleGetDatum(
		heap_form_tuple(BlessTupleDesc(desc), values, isnull)));
}

Datum
txstore_partition_key(PG_FUNCTION_ARGS)
{
	char *type = text_to_cstring(PG_GETARG_TEXT_PP(0));
	char *key = text_to_cstring(PG_GETARG_TEXT_PP(1));
	char *state = text_to_cstring(PG_GETARG_TEXT_PP(2));
	char *service = text_to_cstring(PG_GETARG_TEXT_PP(3));
	char *result;

	/* {grain id}_{service id}_{state name}, without escapes (spec 1.1). */
	result = psprintf("%s/%s_%s_%s", type, key, service, state);
	if (type[0] == '\0' || key[0] == '\0' || state[0] == '\0' ||
		service[0] == '\0')
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("parts of a partition key must not be empty"));
	if (strlen(result) > TXS_MAX_PARTITION_KEY)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("partition key is too long"),
				errdetail("It has %zu bytes; the limit is %d.", strlen(result),
						  TXS_MAX_PARTITION_KEY));
	PG_RETURN_TEXT_P(cstring_to_text(result));
}
