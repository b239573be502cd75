/*
 * initialize_storage() and describe_storage().
 */
#include "api/arguments.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(txstore_initialize_storage);
PG_FUNCTION_INFO_V1(txstore_describe_storage);

Datum
txstore_initialize_storage(PG_FUNCTION_ARGS)
{
	const TxsStorage *storage = txs_arguments_storage(fcinfo, 0);

	txs_storage_require_writable(storage, "txstore.initialize_storage()");
	PG_RETURN_BOOL(storage->provider->initialize(storage));
}

static void
put_fact(const char *property, const char *value, void *arg)
{
	ReturnSetInfo *result = arg;
	Datum values[2];
	bool isnull[2] = {false, value == NULL};

	values[0] = CStringGetTextDatum(property);
	values[1] = value == NULL ? (Datum) 0 : CStringGetTextDatum(value);
	tuplestore_putvalues(result->setResult, result->setDesc, values, isnull);
}

Datum
txstore_describe_storage(PG_FUNCTION_ARGS)
{
	const TxsStorage *storage = txs_arguments_storage(fcinfo, 0);
	void *result = fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	put_fact("storage", storage->name, result);
	put_fact("provider", storage->provider->name, result);
	put_fact("owner", GetUserNameFromId(storage->owner, false), result);
	put_fact("service id", storage->service_id, result);
	put_fact("read only", storage->read_only ? "yes" : "no", result);
	put_fact("create if not exists",
			 storage->create_if_not_exists ? "yes" : "no", result);
	storage->provider->describe(storage, put_fact, result);
	return (Datum) 0;
}
