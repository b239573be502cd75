/*
 * import_items(), import_items_from(), export_items(): rows as DynamoDB items
 * in JSON.
 */
#include "api/arguments.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/regproc.h"

PG_FUNCTION_INFO_V1(txstore_import_items);
PG_FUNCTION_INFO_V1(txstore_import_items_from);
PG_FUNCTION_INFO_V1(txstore_export_items);

/* Rows that import_items_from() holds in memory at a time. */
#define FETCH_ROWS 200

static TxsImport *
open_import(FunctionCallInfo fcinfo, const char *what)
{
	const TxsStorage *storage = txs_arguments_storage(fcinfo, 1);
	bool skip_unknown = !PG_ARGISNULL(2) && PG_GETARG_BOOL(2);

	txs_storage_require_writable(storage, what);
	return txs_import_open(storage, skip_unknown);
}

Datum
txstore_import_items(PG_FUNCTION_ARGS)
{
	TxsImport *import;
	Datum *elements;
	bool *isnull;
	int count;
	int i;

	if (PG_ARGISNULL(0))
		ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				errmsg("items must not be null"));
	import = open_import(fcinfo, "txstore.import_items()");
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(0), TEXTOID, -1, false,
					  TYPALIGN_INT, &elements, &isnull, &count);
	for (i = 0; i < count; i++)
	{
		TxsSlice line = {NULL, 0};

		if (!isnull[i])
			line = txs_arguments_bytes(elements[i]);
		txs_import_line(import, line);
	}
	PG_RETURN_INT64(txs_import_close(import));
}

/* Import what the last fetch brought. */
static void
import_fetched(TxsImport *import)
{
	uint64 i;

	for (i = 0; i < SPI_processed; i++)
	{
		TxsSlice line = {NULL, 0};
		bool isnull;
		Datum value = SPI_getbinval(SPI_tuptable->vals[i],
									SPI_tuptable->tupdesc, 1, &isnull);

		if (!isnull)
			line = txs_arguments_bytes(value);
		txs_import_line(import, line);
	}
}

/*
 * Import every row of a relation.  A scan that starts where another session
 * is, or where a failed import stopped, would give lines other numbers.
 */
static void
import_relation(TxsImport *import, Oid source)
{
	char *name = quote_qualified_identifier(get_namespace_name(
												get_rel_namespace(source)),
											get_rel_name(source));
	int gucs = NewGUCNestLevel();
	Portal portal;

	(void) set_config_option("synchronize_seqscans", "off", PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	SPI_connect();
	portal =
		SPI_cursor_open_with_args(NULL, psprintf("SELECT * FROM %s", name), 0,
								  NULL, NULL, NULL, false,
								  CURSOR_OPT_NO_SCROLL);
	if (portal->tupDesc->natts != 1 ||
		getBaseType(TupleDescAttr(portal->tupDesc, 0)->atttypid) != TEXTOID)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("\"%s\" must have one column, of type text",
					   get_rel_name(source)));
	do
	{
		MemoryContext fetched =
			AllocSetContextCreate(CurrentMemoryContext, "txstore lines",
								  ALLOCSET_DEFAULT_SIZES);
		MemoryContext caller;

		SPI_cursor_fetch(portal, true, FETCH_ROWS);
		caller = MemoryContextSwitchTo(fetched);
		import_fetched(import);
		MemoryContextSwitchTo(caller);
		MemoryContextDelete(fetched);
		SPI_freetuptable(SPI_tuptable);
	} while (SPI_processed > 0);
	SPI_cursor_close(portal);
	SPI_finish();
	AtEOXact_GUC(false, gucs);
}

Datum
txstore_import_items_from(PG_FUNCTION_ARGS)
{
	TxsImport *import;
	Oid source;

	if (PG_ARGISNULL(0))
		ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				errmsg("source must not be null"));
	source = PG_GETARG_OID(0);
	if (get_rel_name(source) == NULL)
		ereport(ERROR, errcode(ERRCODE_UNDEFINED_TABLE),
				errmsg("relation with OID %u does not exist", source));
	import = open_import(fcinfo, "txstore.import_items_from()");
	import_relation(import, source);
	PG_RETURN_INT64(txs_import_close(import));
}

typedef struct Export
{
	ReturnSetInfo *result;
	TxsWriter writer;
} Export;

static void *
grow_block(void *block, size_t size)
{
	return block == NULL ? palloc(size) : repalloc(block, size);
}

static void
put_item(const TxsItem *item, void *arg)
{
	Export *export = arg;
	Datum value;
	bool isnull = false;

	txs_writer_reset(&export->writer);
	txs_item_write(&export->writer, item);
	value =
		PointerGetDatum(cstring_to_text_with_len(export->writer.data,
												 (int) export->writer.length));
	tuplestore_putvalues(export->result->setResult, export->result->setDesc,
						 &value, &isnull);
	pfree(DatumGetPointer(value));
}

Datum
txstore_export_items(PG_FUNCTION_ARGS)
{
	const TxsStorage *storage = txs_arguments_storage(fcinfo, 1);
	TxsSlice partition = {NULL, 0};
	Export export = {.result = (ReturnSetInfo *) fcinfo->resultinfo};

	if (!PG_ARGISNULL(0))
		partition = txs_arguments_partition(fcinfo, 0);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	txs_writer_open(&export.writer, grow_block);
	storage->provider->scan(storage, partition, put_item, &export);
	return (Datum) 0;
}
