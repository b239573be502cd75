/*
 * diag(): what a report of a problem should have.
 */
#include "api/arguments.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_extension.h"
#include "commands/extension.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"

#include "net/http.h"
#include "stats/endpoints.h"

PG_FUNCTION_INFO_V1(txstore_diag);

/* The version that CREATE or ALTER EXTENSION has made, or NULL. */
static char *
read_extension_version(void)
{
	Relation extensions = table_open(ExtensionRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;
	char *version = NULL;

	ScanKeyInit(&key, Anum_pg_extension_extname, BTEqualStrategyNumber,
				F_NAMEEQ, CStringGetDatum("txstore"));
	scan = systable_beginscan(extensions, ExtensionNameIndexId, true, NULL, 1,
							  &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		bool isnull;
		Datum value = heap_getattr(tuple, Anum_pg_extension_extversion,
								   RelationGetDescr(extensions), &isnull);

		version = isnull ? NULL : TextDatumGetCString(value);
	}
	systable_endscan(scan);
	table_close(extensions, AccessShareLock);
	return version;
}

static void
put_libraries(ReturnSetInfo *result)
{
	TxsHttpLibraries libraries;

	txs_http_libraries(&libraries);
	txs_arguments_put_fact("libcurl, built with", libraries.curl_built,
						   result);
	txs_arguments_put_fact("libcurl", libraries.curl, result);
	txs_arguments_put_fact("TLS of libcurl", libraries.curl_tls, result);
	txs_arguments_put_fact("OpenSSL, built with", libraries.openssl_built,
						   result);
	txs_arguments_put_fact("OpenSSL", libraries.openssl, result);
	txs_arguments_put_fact("zlib, built with", libraries.zlib_built, result);
	txs_arguments_put_fact("zlib", libraries.zlib, result);
	txs_arguments_put_fact("name resolution",
						   libraries.resolves_beside ? "asynchronous"
													 : "blocking",
						   result);
}

/* Retry tokens and clocks of endpoints are in shared memory. */
static void
put_endpoints(ReturnSetInfo *result)
{
	int most;
	int count = txs_endpoints_count(&most);

	txs_arguments_put_fact("endpoints in shared memory",
						   psprintf("%d of %d", count, most), result);
}

Datum
txstore_diag(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	txs_arguments_put_fact("txstore, library", TXS_VERSION, result);
	txs_arguments_put_fact("txstore, extension", read_extension_version(),
						   result);
	txs_arguments_put_fact("PostgreSQL, built with", PG_VERSION, result);
	txs_arguments_put_fact("PostgreSQL",
						   GetConfigOption("server_version", false, false),
						   result);
	put_libraries(result);
	put_endpoints(result);
	txs_arguments_put_fact("default storage", txs_default_storage, result);
	return (Datum) 0;
}
