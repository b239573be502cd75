/*
 * The embedded provider's functions, gathered; see embedded.h.
 */
#include "provider/embedded/embedded.h"

const TxsProvider txs_embedded_provider = {
	.name = "embedded",
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
