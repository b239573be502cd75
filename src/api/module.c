/*
 * The module: what PostgreSQL asks of a library, and the settings.
 */
#include "compat.h"

#include "fmgr.h"
#include "utils/guc.h"

#include "fdw/fdw.h"
#include "provider/dynamodb/dynamodb.h"
#include "store/store.h"

PG_MODULE_MAGIC;

void _PG_init(void);

void
_PG_init(void)
{
	DefineCustomStringVariable(
		"txstore.default_storage",
		"The storage that functions use when they are given none.",
		"The name of a foreign server of the wrapper txstore_fdw.",
		&txs_default_storage, "embedded", PGC_USERSET, 0, NULL, NULL, NULL);

	/* A third of it is kept when it is full; see handle.c. */
	DefineCustomIntVariable(
		"txstore.max_handle_memory",
		"The most memory for what a session remembers of partitions.",
		"The partitions that were used least are forgotten first; they must "
		"be loaded again before they can be stored.",
		&txs_max_handle_memory, 16 * 1024, 256, MAX_KILOBYTES, PGC_USERSET,
		GUC_UNIT_KB, NULL, NULL, NULL);

	/* TransactionInProgress needs ten (spec dynamodb-client section 3). */
	DefineCustomIntVariable(
		"txstore.request_timeout",
		"The most time for one call to a DynamoDB table, with all retries.",
		"It also holds during COMMIT.  A server's option of this name comes "
		"first.",
		&txs_request_timeout, 15000, 1, 3600 * 1000, PGC_USERSET, GUC_UNIT_MS,
		NULL, NULL, NULL);

	DefineCustomIntVariable(
		"txstore.connect_timeout",
		"The most time for connecting to a DynamoDB endpoint.",
		"A server's option of this name comes first.", &txs_connect_timeout,
		3000, 1, 3600 * 1000, PGC_USERSET, GUC_UNIT_MS, NULL, NULL, NULL);

	DefineCustomBoolVariable(
		"txstore.enable_lookup_join",
		"Lets the planner use joins that look up many partitions at a time.",
		NULL, &txs_enable_lookup_join, true, PGC_USERSET, GUC_EXPLAIN, NULL,
		NULL, NULL);

	MarkGUCPrefixReserved("txstore");
	txs_statistics_install();
	txs_lookup_install();
}
