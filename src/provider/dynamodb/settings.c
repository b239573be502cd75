/*
 * How to reach a DynamoDB table: endpoint, credentials and times, from a
 * server's options, the user's mapping and the settings.
 */
#include "provider/dynamodb/dynamodb.h"

#include "catalog/pg_user_mapping.h"
#include "foreign/foreign.h"
#include "miscadmin.h"
#include "utils/syscache.h"

int txs_request_timeout = 15000;
int txs_connect_timeout = 3000;

/* Credentials that Orleans uses for every endpoint that is a URL. */
#define DUMMY_KEY_ID "dummy"
#define DUMMY_SECRET "dummyKey"

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
		input.region = "us-east-1";
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

/* The options of the user's mapping, or of PUBLIC's; false without one. */
static bool
read_mapping(const TxsStorage *storage, TxsMapping *mapping)
{
	Oid users[] = {storage->user, InvalidOid};
	int i;

	for (i = 0; i < 2; i++)
	{
		HeapTuple tuple =
			SearchSysCache2(USERMAPPINGUSERSERVER, ObjectIdGetDatum(users[i]),
							ObjectIdGetDatum(storage->server));
		UserMapping *found;

		if (!HeapTupleIsValid(tuple))
			continue;
		ReleaseSysCache(tuple);
		found = GetUserMapping(users[i], storage->server);
		txs_options_apply_mapping(found->options, mapping);
		return true;
	}
	return false;
}

static void
choose_credentials(const TxsStorage *storage, TxsCredentials *credentials)
{
	TxsMapping mapping = {NULL};
	bool has_mapping = read_mapping(storage, &mapping);

	if (mapping.access_key_id != NULL)
	{
		credentials->access_key_id = mapping.access_key_id;
		credentials->secret_access_key = mapping.secret_access_key;
		credentials->session_token = mapping.session_token;
		return;
	}
	if (!has_mapping && storage->endpoint != NULL)
	{
		credentials->access_key_id = DUMMY_KEY_ID;
		credentials->secret_access_key = DUMMY_SECRET;
		return;
	}
	ereport(ERROR, errcode(ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION),
			errmsg("no credentials for server \"%s\"", storage->name),
			errhint("Give some to the user with CREATE USER MAPPING ... "
					"OPTIONS (access_key_id ..., secret_access_key ...)."));
}

TxsConnection *
txs_settings_connect(const TxsStorage *storage)
{
	TxsConnection *connection = palloc0(sizeof(TxsConnection));

	connection->storage = storage;
	resolve_endpoint(storage, &connection->endpoint);
	choose_credentials(storage, &connection->credentials);
	connection->request_timeout = storage->request_timeout > 0
									  ? storage->request_timeout
									  : txs_request_timeout;
	connection->connect_timeout = storage->connect_timeout > 0
									  ? storage->connect_timeout
									  : txs_connect_timeout;
	return connection;
}
