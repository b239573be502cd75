/*
 * connections(), disconnect() and disconnect_all(): this session's connections.
 */
#include "api/arguments.h"

#include "foreign/foreign.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#define COLUMNS 11

PG_FUNCTION_INFO_V1(txstore_connections);
PG_FUNCTION_INFO_V1(txstore_disconnect);
PG_FUNCTION_INFO_V1(txstore_disconnect_all);

static Datum
name_datum(const char *name, bool *isnull)
{
	*isnull = name == NULL;
	return *isnull ? (Datum) 0
				   : DirectFunctionCall1(namein, CStringGetDatum(name));
}

/* What is gone in the meantime, be it server or user, has no name. */
static void
put_connection(const TxsConnectionFacts *facts, void *arg)
{
	ReturnSetInfo *result = arg;
	ForeignServer *server =
		GetForeignServerExtended(facts->server, FSV_MISSING_OK);
	Datum values[COLUMNS];
	bool isnull[COLUMNS] = {false};
	int n = 0;

	values[n] =
		name_datum(server == NULL ? NULL : server->servername, &isnull[n]);
	n++;
	values[n] = name_datum(GetUserNameFromId(facts->user, true), &isnull[n]);
	n++;
	values[n++] = CStringGetTextDatum(facts->endpoint);
	values[n++] = Int32GetDatum(facts->sockets);
	values[n++] = BoolGetDatum(facts->in_use);
	values[n++] = Int64GetDatum(facts->requests);
	values[n++] = Int64GetDatum(facts->retries);
	values[n++] = Int64GetDatum(facts->throttles);
	values[n++] = Int64GetDatum(facts->bytes_sent);
	values[n++] = Int64GetDatum(facts->bytes_received);
	isnull[n] = facts->last_error == NULL;
	values[n] = isnull[n] ? (Datum) 0 : CStringGetTextDatum(facts->last_error);
	tuplestore_putvalues(result->setResult, result->setDesc, values, isnull);
}

Datum
txstore_connections(PG_FUNCTION_ARGS)
{
	InitMaterializedSRF(fcinfo, 0);
	txs_storage_list_connections(put_connection, fcinfo->resultinfo);
	return (Datum) 0;
}

/* No right on the server is asked for: what is closed is the session's own. */
Datum
txstore_disconnect(PG_FUNCTION_ARGS)
{
	const char *name = PG_ARGISNULL(0) ? NULL : NameStr(*PG_GETARG_NAME(0));

	PG_RETURN_BOOL(txs_storage_disconnect(txs_storage_server(name)));
}

Datum
txstore_disconnect_all(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(txs_storage_disconnect(InvalidOid));
}
