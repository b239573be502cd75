/*
 * The embedded provider's functions, gathered; see embedded.h.
 */
#include "provider/embedded/embedded.h"

static void
check_options(const TxsStorage *storage)
{
	int longest = NAMEDATALEN - 1 - (int) strlen(txs_states_table.suffix);

	if (strlen(storage->table_name) > (size_t) longest)
		ereport(ERROR, errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
				errmsg("invalid value for option \"table_name\": \"%s\"",
					   storage->table_name),
				errhint("A storage's table name has 1 to %d bytes, since "
						"suffixes are added to it.",
						longest));
}

const TxsProvider txs_embedded_provider = {
	.name = "embedded",
	.check = check_options,
	.load = txs_embedded_load,
	.apply = txs_embedded_apply,
	.delete_partition = txs_embedded_delete_partition,
	.open_import = txs_embedded_open_import,
	.create = txs_embedded_create,
	.close_import = txs_embedded_close_import,
	.scan = txs_embedded_scan,
	.initialize = txs_create_initialize,
	.describe = txs_describe_tables,
};
