/*
 * The functions of src/net, for tests.
 */
#include "postgres.h"

#include <openssl/err.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "portability/instr_time.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "net/http.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(http_request);
PG_FUNCTION_INFO_V1(http_loop);
PG_FUNCTION_INFO_V1(http_pause);
PG_FUNCTION_INFO_V1(http_close_idle);
PG_FUNCTION_INFO_V1(http_openssl_error);
PG_FUNCTION_INFO_V1(http_nest);
PG_FUNCTION_INFO_V1(http_nested);

#define COLUMNS 13

static const char *const outcomes[] = {
	[TXS_HTTP_ANSWERED] = "answered", [TXS_HTTP_UNSENT] = "unsent",
	[TXS_HTTP_STALE] = "stale",		  [TXS_HTTP_LOST] = "lost",
	[TXS_HTTP_LATE] = "late",		  [TXS_HTTP_TOO_LARGE] = "too large",
};

static char *nested_url;		   /* to be asked in the hook, or NULL */
static const char *nested_outcome; /* what became of it, or NULL */

static void send_nested(ErrorData *message);
static void read_arguments(FunctionCallInfo fcinfo, TxsHttpRequest *request);
static void read_headers(ArrayType *array, TxsHttpRequest *request);
static TxsSlice read_bytes(Datum datum);
static Datum text_or_null(const char *value, bool *is_null);

/* http_request(url, body, method, headers "Name: value"[], …) */
Datum
http_request(PG_FUNCTION_ARGS)
{
	TxsHttpRequest request = {0};
	TxsHttpAnswer answer;
	TupleDesc descriptor;
	Datum values[COLUMNS];
	bool nulls[COLUMNS] = {false};
	bytea *body;

	read_arguments(fcinfo, &request);
	txs_http_send(&request, &answer);

	body = palloc(VARHDRSZ + answer.body.length);
	SET_VARSIZE(body, VARHDRSZ + answer.body.length);
	if (answer.body.length > 0)
		memcpy(VARDATA(body), answer.body.data, answer.body.length);
	values[0] = CStringGetTextDatum(outcomes[answer.outcome]);
	values[1] = BoolGetDatum(answer.timed_out);
	values[2] = Int32GetDatum(answer.status);
	values[3] = PointerGetDatum(body);
	values[4] = Int64GetDatum(answer.crc32);
	values[5] = BoolGetDatum(answer.new_connection);
	values[6] = Float8GetDatum(answer.received_at / 1e6);
	values[7] = text_or_null(answer.expected_crc32, &nulls[7]);
	values[8] = text_or_null(answer.request_id, &nulls[8]);
	values[9] = text_or_null(answer.date, &nulls[9]);
	values[10] = text_or_null(answer.retry_after, &nulls[10]);
	values[11] = text_or_null(answer.error_type, &nulls[11]);
	values[12] = text_or_null(answer.problem, &nulls[12]);

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "the result is no row");
	PG_RETURN_DATUM(
		HeapTupleGetDatum(heap_form_tuple(descriptor, values, nulls)));
}

static void
read_arguments(FunctionCallInfo fcinfo, TxsHttpRequest *request)
{
	request->url = text_to_cstring(PG_GETARG_TEXT_PP(0));
	request->body = read_bytes(PG_GETARG_DATUM(1));
	request->method = text_to_cstring(PG_GETARG_TEXT_PP(2));
	read_headers(PG_GETARG_ARRAYTYPE_P(3), request);
	if (!PG_ARGISNULL(4))
		request->ca_file = text_to_cstring(PG_GETARG_TEXT_PP(4));
	request->connect_timeout = PG_GETARG_INT32(5);
	request->timeout = PG_GETARG_INT32(6);
	request->max_answer = PG_GETARG_INT64(7);
}

static void
read_headers(ArrayType *array, TxsHttpRequest *request)
{
	Datum *elements;
	TxsHeader *headers;
	int n;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &elements, NULL,
					  &n);
	headers = palloc(sizeof(TxsHeader) * Max(n, 1));
	for (int i = 0; i < n; i++)
	{
		char *line = TextDatumGetCString(elements[i]);
		char *colon = strchr(line, ':');

		*colon = '\0';
		headers[i].name = line;
		headers[i].value = colon[1] == ' ' ? colon + 2 : colon + 1;
	}
	request->headers = headers;
	request->nheaders = n;
}

static TxsSlice
read_bytes(Datum datum)
{
	bytea *bytes = DatumGetByteaPP(datum);
	TxsSlice slice = {VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes)};

	return slice;
}

static Datum
text_or_null(const char *value, bool *is_null)
{
	*is_null = value == NULL;
	return value == NULL ? (Datum) 0 : CStringGetTextDatum(value);
}

Datum
http_loop(PG_FUNCTION_ARGS)
{
	int times = PG_GETARG_INT32(2);
	Datum *microseconds = palloc(sizeof(Datum) * times);
	MemoryContext loop = AllocSetContextCreate(CurrentMemoryContext, "loop",
											   ALLOCSET_DEFAULT_SIZES);
	TxsHeader header = {"Content-Type", "application/x-amz-json-1.0"};
	TxsHttpRequest request = {.method = "POST",
							  .headers = &header,
							  .nheaders = 1,
							  .connect_timeout = 5000,
							  .timeout = 20000,
							  .max_answer = 16 * 1024 * 1024};
	MemoryContext old;

	request.url = text_to_cstring(PG_GETARG_TEXT_PP(0));
	request.body = read_bytes(PG_GETARG_DATUM(1));
	if (!PG_ARGISNULL(3))
		request.ca_file = text_to_cstring(PG_GETARG_TEXT_PP(3));
	old = MemoryContextSwitchTo(loop);
	for (int i = 0; i < times; i++)
	{
		TxsHttpAnswer answer;
		instr_time start, end;

		INSTR_TIME_SET_CURRENT(start);
		txs_http_send(&request, &answer);
		INSTR_TIME_SET_CURRENT(end);
		INSTR_TIME_SUBTRACT(end, start);
		if (answer.outcome != TXS_HTTP_ANSWERED)
			elog(ERROR, "no answer: %s", answer.problem);
		microseconds[i] = Float8GetDatum(INSTR_TIME_GET_DOUBLE(end) * 1000000);
		MemoryContextReset(loop);
	}
	MemoryContextSwitchTo(old);
	PG_RETURN_ARRAYTYPE_P(construct_array(microseconds, times, FLOAT8OID,
										  sizeof(float8), true,
										  TYPALIGN_DOUBLE));
}

Datum
http_pause(PG_FUNCTION_ARGS)
{
	txs_http_pause(PG_GETARG_INT32(0));
	PG_RETURN_VOID();
}

Datum
http_close_idle(PG_FUNCTION_ARGS)
{
	txs_http_close_idle();
	PG_RETURN_VOID();
}

Datum
http_openssl_error(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64((int64) ERR_peek_error());
}

Datum
http_nest(PG_FUNCTION_ARGS)
{
	nested_url = MemoryContextStrdup(TopMemoryContext,
									 text_to_cstring(PG_GETARG_TEXT_PP(0)));
	nested_outcome = NULL;
	emit_log_hook = send_nested;
	PG_RETURN_VOID();
}

static void
send_nested(ErrorData *message)
{
	TxsHttpRequest request = {.method = "GET",
							  .url = nested_url,
							  .connect_timeout = 5000,
							  .timeout = 20000,
							  .max_answer = 1024};
	TxsHttpAnswer answer;

	if (nested_url == NULL ||
		strstr(message->message, "memory contexts") == NULL)
		return;
	nested_url = NULL;
	txs_http_send(&request, &answer);
	nested_outcome = outcomes[answer.outcome];
}

Datum
http_nested(PG_FUNCTION_ARGS)
{
	if (nested_outcome == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(nested_outcome));
}
