/*
 * The module: what PostgreSQL asks of a library, and the settings.
 */
#include "compat.h"

#include "fmgr.h"
#include "utils/guc.h"

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

	MarkGUCPrefixReserved("txstore");
}
