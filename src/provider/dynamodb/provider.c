/*
 * The DynamoDB provider's functions, gathered; see dynamodb.h.
 */
#include "provider/dynamodb/dynamodb.h"

const TxsProvider txs_dynamodb_provider = {
	.name = "dynamodb",
	.check = txs_settings_check,
	.load = txs_dynamodb_load,
	.apply = txs_dynamodb_apply,
	.delete_partition = txs_dynamodb_delete_partition,
	.open_import = txs_dynamodb_open_import,
	.create = txs_dynamodb_create,
	.close_import = txs_dynamodb_close_import,
	.scan = txs_dynamodb_scan,
	.open_scan = txs_dynamodb_open_scan,
	.start_scan = txs_dynamodb_start_scan,
	.next_row = txs_dynamodb_next_row,
	.close_scan = txs_dynamodb_close_scan,
	.count_rows = txs_dynamodb_count_rows,
	.counters = txs_dynamodb_counters,
	.list_tables = txs_dynamodb_list_tables,
	.describe_shape = txs_dynamodb_describe_shape,
	.describe_projection = txs_dynamodb_describe_projection,
	.estimate = txs_dynamodb_estimate,
	.measure = txs_dynamodb_measure,
	.costs = {.request = 100,
			  .row = 0.05,
			  .rows_per_page = 500,
			  .keys_per_request = 100},
	.filters = true,
	.initialize = txs_dynamodb_initialize,
	.describe = txs_dynamodb_describe,
	.list_connections = txs_lines_list,
	.disconnect = txs_lines_disconnect,
};
