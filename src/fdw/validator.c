/*
 * The validator of the wrapper txstore_fdw: every option of a server, user
 * mapping or foreign table is checked when it is given.
 */
#include "compat.h"

#include "access/reloptions.h"
#include "fmgr.h"

#include "provider/provider.h"

PG_FUNCTION_INFO_V1(txstore_fdw_validator);

Datum
txstore_fdw_validator(PG_FUNCTION_ARGS)
{
	txs_options_check(untransformRelOptions(PG_GETARG_DATUM(0)),
					  PG_GETARG_OID(1));
	PG_RETURN_VOID();
}
