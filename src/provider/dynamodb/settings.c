/*
 * How to reach a DynamoDB table: endpoint and times, from a server's options
 * and the settings.
 */
#include "provider/dynamodb/dynamodb.h"

int txs_request_timeout = 15000;
int txs_connect_timeout = 3000;

/* DynamoDB's rule for a table's name. */
static bool
is_table_name(const char *name)
{
	size_t length = strlen(name);

	return length >= 3 && length <= 255 &&
		   strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
						"0123456789_.-") == length;
}

static void
resolve_endpoint(const TxsStorage *storage, TxsEndpoint *endpoint)
{
	TxsEndpointInput input = {
		.region = storage->region,
		.endpoint = storage->endpoint,
	};
	const char *problem;

	/* As Orleans: whoever names a URL shares it with a silo. */
	if (input.region == NULL && input.endpoint != NULL)
		input.region = TXS_SOURCE_DUMMY_REGION;
	problem = txs_endpoint_resolve(&input, endpoint);
	if (problem != NULL)
		ereport(ERROR, errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
				errmsg("invalid region or endpoint: %s", problem),
				errhint("Set the option region to a region's name such as "
						"us-east-1, or endpoint to a URL."));
}

void
txs_settings_check(const TxsStorage *storage)
{
	TxsEndpoint endpoint;

	if (!is_table_name(storage->table_name))
		ereport(ERROR, errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
				errmsg("invalid value for option \"table_name\": \"%s\"",
					   storage->table_name),
				errhint("A DynamoDB table's name has 3 to 255 letters, "
						"digits, hyphens, dots and underscores."));
	if (storage->region == NULL && storage->endpoint == NULL)
		ereport(ERROR, errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
				errmsg("provider \"dynamodb\" needs the option region or "
					   "endpoint"));
	resolve_endpoint(storage, &endpoint);
	if (!endpoint.is_secure && !endpoint.is_loopback)
		ereport(WARNING,
				errmsg("endpoint \"%s\" is reached without "
					   "encryption",
					   endpoint.url),
				errhint("Use https, unless the network is your own."));
}

TxsConnection *
txs_settings_connect(const TxsStorage *storage)
{
	TxsConnection *connection = palloc0(sizeof(TxsConnection));

	connection->storage = storage;
	resolve_endpoint(storage, &connection->endpoint);
	connection->request_timeout = storage->request_timeout > 0
									  ? storage->request_timeout
									  : txs_request_timeout;
	connection->connect_timeout = storage->connect_timeout > 0
									  ? storage->connect_timeout
									  : txs_connect_timeout;
	txs_credentials_find(connection);
	connection->line = txs_lines_use(storage, connection->endpoint.url);
	return connection;
}
