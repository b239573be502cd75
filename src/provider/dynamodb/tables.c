/*
 * Make a DynamoDB table as Orleans makes it, and say what there is (spec
 * transactional-storage section 6).
 */
#include "provider/dynamodb/dynamodb.h"

/* How often Orleans looks whether a table is ready, in milliseconds. */
#define POLL_INTERVAL 2000

/* How often a table that should be there may be missed. */
#define MAX_MISSED 5

/* Call one operation on the table; false where there is no table. */
static bool
call_table(const TxsConnection *connection, const char *operation,
		   TxsSlice body, bool is_write, TxsSlice *answer)
{
	TxsCall call = {
		.connection = connection,
		.operation = operation,
		.body = body,
		.is_write = is_write,
	};

	txs_client_call(&call);
	if (call.result == TXS_CALL_OK)
	{
		*answer = call.answer;
		return true;
	}
	if (call.code != NULL &&
		(strcmp(call.code, "ResourceNotFoundException") == 0 ||
		 strcmp(call.code, "ResourceInUseException") == 0))
		return false;
	txs_errors_report(&call,
					  psprintf("could not look after the table of storage "
							   "\"%s\"",
							   connection->storage->name),
					  NULL);
	return false;
}

/* Describe the table; false where there is none. */
static bool
describe(const TxsConnection *connection, TxsTableFacts *facts)
{
	TxsSlice all = {NULL, 0};
	TxsSlice answer;

	if (!call_table(connection, "DescribeTable",
					txs_requests_table(connection->storage), false, &answer))
		return false;
	if (!txs_answers_table(answer, facts))
		txs_errors_report_answer(connection, "DescribeTable", all,
								 "it describes no table");
	txs_table_size_note(connection->storage, facts);
	return true;
}

bool
txs_dynamodb_find_table(const TxsStorage *storage, TxsTableFacts *facts)
{
	return describe(txs_settings_connect(storage), facts);
}

static void
report_status(const TxsConnection *connection, const char *status)
{
	ereport(ERROR, errcode(ERRCODE_FDW_TABLE_NOT_FOUND),
			errmsg("table \"%s\" of storage \"%s\" is not ready",
				   connection->storage->table_name, connection->storage->name),
			errdetail("Its status is %s.", status));
}

/*
 * Wait until the table is active.  Just after it was made, an answer may not
 * know of it yet.
 */
static void
wait_until_active(const TxsConnection *connection, TxsTableFacts *facts)
{
	int missed = 0;

	for (;;)
	{
		if (!describe(connection, facts))
		{
			if (++missed > MAX_MISSED)
				report_status(connection, "that it does not exist");
		}
		else if (strcmp(facts->status, "ACTIVE") == 0)
			return;
		else if (strcmp(facts->status, "CREATING") != 0 &&
				 strcmp(facts->status, "UPDATING") != 0)
			report_status(connection, facts->status);
		txs_http_pause(POLL_INTERVAL);
	}
}

static void
check_keys(const TxsConnection *connection, const TxsTableFacts *facts)
{
	if (facts->has_orleans_keys)
		return;
	ereport(ERROR, errcode(ERRCODE_FDW_TABLE_NOT_FOUND),
			errmsg("table \"%s\" of storage \"%s\" has other keys",
				   connection->storage->table_name, connection->storage->name),
			errdetail("The keys of Orleans' table are PartitionKey (hash) "
					  "and RowKey (range)."),
			errhint("Let the option table_name name another table."));
}

/*
 * Which attribute ends an item's life, or NULL.  False where the service does
 * not say: a role may not be allowed to ask, and not every server knows the
 * question.
 */
static bool
find_time_to_live(const TxsConnection *connection, const char **attribute)
{
	TxsCall call = {
		.connection = connection,
		.operation = "DescribeTimeToLive",
		.body = txs_requests_table(connection->storage),
	};

	txs_client_call(&call);
	if (call.result != TXS_CALL_OK)
	{
		if (call.code != NULL &&
			(strcmp(call.code, "AccessDeniedException") == 0 ||
			 strcmp(call.code, "UnknownOperationException") == 0))
			return false;
		txs_errors_report(&call,
						  psprintf("could not look after the table of storage "
								   "\"%s\"",
								   connection->storage->name),
						  NULL);
	}
	if (!txs_answers_time_to_live(call.answer, attribute))
		txs_errors_report_answer(connection, "DescribeTimeToLive",
								 (TxsSlice){NULL, 0},
								 "it describes no time to live");
	return true;
}

/* As Orleans: time to live is looked at, and left alone. */
static void
warn_of_time_to_live(const TxsConnection *connection)
{
	const char *attribute;

	if (find_time_to_live(connection, &attribute) && attribute != NULL)
		ereport(WARNING,
				errmsg("table \"%s\" of storage \"%s\" has a time to live",
					   connection->storage->table_name,
					   connection->storage->name),
				errdetail("DynamoDB deletes items by their attribute %s.",
						  attribute),
				errhint(
					"No item of a transactional state should end by itself; "
					"turn it off with UpdateTimeToLive."));
}

static bool
is_provisioned(const TxsTableFacts *facts)
{
	if (facts->billing != NULL)
		return strcmp(facts->billing, "PAY_PER_REQUEST") != 0;
	return facts->read_units > 0;
}

/* Does the table's capacity differ from what the options say? */
static bool
differs(const TxsStorage *storage, const TxsTableFacts *facts)
{
	if (!storage->use_provisioned_throughput)
		return is_provisioned(facts);
	return !is_provisioned(facts) ||
		   facts->read_units != storage->read_capacity_units ||
		   facts->write_units != storage->write_capacity_units;
}

static bool
create_or_update(const TxsConnection *connection)
{
	const TxsStorage *storage = connection->storage;
	TxsTableFacts facts;
	TxsSlice answer;

	if (!describe(connection, &facts))
	{
		/* Somebody may have made it meanwhile: then it is in use. */
		call_table(connection, "CreateTable",
				   txs_requests_create_table(storage), true, &answer);
		wait_until_active(connection, &facts);
		check_keys(connection, &facts);
		return true;
	}
	check_keys(connection, &facts);
	if (!storage->update_if_exists || !differs(storage, &facts))
		return false;
	wait_until_active(connection, &facts);
	if (call_table(connection, "UpdateTable",
				   txs_requests_update_table(storage), true, &answer))
	{
		wait_until_active(connection, &facts);
		return true;
	}

	/* In use: by an earlier attempt of this one, or by somebody else. */
	wait_until_active(connection, &facts);
	if (differs(storage, &facts))
		report_status(connection, "that somebody else is changing it");
	return true;
}

bool
txs_dynamodb_initialize(const TxsStorage *storage)
{
	TxsConnection *connection = txs_settings_connect(storage);
	bool has_changed = create_or_update(connection);

	warn_of_time_to_live(connection);
	return has_changed;
}

static const char *
count_text(int64 count)
{
	return count < 0 ? "not said" : psprintf(INT64_FORMAT, count);
}

static const char *
capacity_text(const TxsTableFacts *facts)
{
	if (!is_provisioned(facts))
		return "on demand";
	return psprintf(INT64_FORMAT " read units, " INT64_FORMAT " write units",
					facts->read_units, facts->write_units);
}

static const char *
time_to_live_text(const TxsConnection *connection)
{
	const char *attribute;

	if (!find_time_to_live(connection, &attribute))
		return "not said";
	return attribute == NULL ? "off" : psprintf("by attribute %s", attribute);
}

/* What initialize_storage() would do. */
static const char *
plan_text(const TxsStorage *storage, const TxsTableFacts *facts)
{
	if (facts == NULL)
		return storage->use_provisioned_throughput
				   ? psprintf("create the table with %d read units and %d "
							  "write units",
							  storage->read_capacity_units,
							  storage->write_capacity_units)
				   : "create the table, on demand";
	if (!facts->has_orleans_keys)
		return "fail, since the table has other keys";
	if (!differs(storage, facts))
		return "do nothing";
	return storage->update_if_exists
			   ? "change the capacity to what the options say"
			   : "do nothing (update_if_exists is false)";
}

void
txs_dynamodb_describe(const TxsStorage *storage, TxsFactReceiver receive,
					  void *arg)
{
	TxsConnection *connection = txs_settings_connect(storage);
	TxsTableFacts facts;
	bool exists = describe(connection, &facts);

	receive("status",
			!exists								  ? "not initialized"
			: strcmp(facts.status, "ACTIVE") == 0 ? "ready"
												  : facts.status,
			arg);
	receive("endpoint", connection->endpoint.url, arg);
	receive("region", connection->endpoint.region, arg);
	receive("table", storage->table_name, arg);
	if (exists)
	{
		receive("keys",
				facts.has_orleans_keys ? "PartitionKey, RowKey" : "others",
				arg);
		receive("capacity", capacity_text(&facts), arg);
		receive("items (some hours old)", count_text(facts.items), arg);
		receive("bytes (some hours old)", count_text(facts.bytes), arg);
		receive("time to live", time_to_live_text(connection), arg);
		if (facts.has_orleans_keys && differs(storage, &facts))
			receive("not as the options say", "the capacity", arg);
	}
	receive("initialize_storage() would",
			plan_text(storage, exists ? &facts : NULL), arg);
}

/* Look at a table that was listed; one that is gone meanwhile is left out. */
static void
describe_listed(const TxsConnection *connection, const char *name,
				TxsTableReceiver receive, void *arg)
{
	TxsStorage storage = *connection->storage;
	TxsConnection listed = *connection;
	TxsTableFacts facts;

	storage.table_name = name;
	listed.storage = &storage;
	if (describe(&listed, &facts))
		receive(name, facts.has_orleans_keys ? NULL : "it has other keys",
				arg);
}

void
txs_dynamodb_list_tables(const TxsStorage *storage, TxsTableReceiver receive,
						 void *arg)
{
	TxsConnection *connection = txs_settings_connect(storage);
	const char *last = NULL;

	do
	{
		TxsCall call = {
			.connection = connection,
			.operation = "ListTables",
			.body = txs_requests_list_tables(last),
		};
		List *names;
		ListCell *cell;

		txs_errors_call(&call,
						psprintf("could not list the tables of server \"%s\"",
								 storage->name));
		if (!txs_answers_tables(call.answer, &names, &last))
			txs_errors_report_answer(connection, "ListTables",
									 (TxsSlice){NULL, 0},
									 "it lists no tables");
		foreach (cell, names)
			describe_listed(connection, lfirst(cell), receive, arg);
	} while (last != NULL);
}
