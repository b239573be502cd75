/*
 * initialize_storage() and describe_storage().
 */
#include "api/arguments.h"

#include "funcapi.h"
#include "miscadmin.h"

PG_FUNCTION_INFO_V1(txstore_initialize_storage);
PG_FUNCTION_INFO_V1(txstore_describe_storage);

Datum
txstore_initialize_storage(PG_FUNCTION_ARGS)
{
	const TxsStorage *storage = txs_arguments_storage(fcinfo, 0);

	txs_storage_require_writable(storage, "txstore.initialize_storage()");
	PG_RETURN_BOOL(storage->provider->initialize(storage));
}

Datum
txstore_describe_storage(PG_FUNCTION_ARGS)
{
	const TxsStorage *storage = txs_arguments_storage(fcinfo, 0);
	void *result = fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	txs_arguments_put_fact("storage", storage->name, result);
	txs_arguments_put_fact("provider", storage->provider->name, result);
	txs_arguments_put_fact("owner", GetUserNameFromId(storage->owner, false),
						   result);
	txs_arguments_put_fact("service id", storage->service_id, result);
	txs_arguments_put_fact("read only", storage->read_only ? "yes" : "no",
						   result);
	txs_arguments_put_fact("create if not exists",
						   storage->create_if_not_exists ? "yes" : "no",
						   result);
	storage->provider->describe(storage, txs_arguments_put_fact, result);
	return (Datum) 0;
}
