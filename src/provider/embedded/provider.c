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
	.open_scan = txs_embedded_open_scan,
	.start_scan = txs_embedded_start_scan,
	.next_row = txs_embedded_next_row,
	.close_scan = txs_embedded_close_scan,
	.count_rows = txs_embedded_count_rows,
	.list_tables = txs_embedded_list_tables,
	.describe_shape = txs_embedded_describe_shape,
	.estimate = txs_embedded_estimate,
	.measure = txs_embedded_measure,
	.costs = {.request = 4,
			  .row = 0.005,
			  .rows_per_page = 100,
			  .keys_per_request = 1},
	.initialize = txs_create_initialize,
	.describe = txs_describe_tables,
};
