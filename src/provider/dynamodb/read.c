/*
 * Read partitions of a DynamoDB table: one as a snapshot, or all rows.
 */
#include "provider/dynamodb/dynamodb.h"

#include "miscadmin.h"
#include "provider/dynamodb/sorted_rows.h"
#include "utils/memutils.h"

/* How often Orleans tries to get a snapshot that is whole (spec 1.3). */
#define SNAPSHOT_ATTEMPTS 5

static char *
load_message(const TxsConnection *connection, TxsSlice partition)
{
	return psprintf("could not load partition \"%.*s\" of storage \"%s\"",
					(int) partition.length, partition.data,
					connection->storage->name);
}

/* Has the service refused because there is no table, which may be made? */
static bool
is_not_made(const TxsCall *call)
{
	return call->result == TXS_CALL_REFUSED && call->code != NULL &&
		   strcmp(call->code, "ResourceNotFoundException") == 0 &&
		   call->connection->storage->create_if_not_exists;
}

void
txs_dynamodb_read_item(const TxsConnection *connection, const char *operation,
					   TxsSlice partition, TxsSlice raw, TxsItem *item)
{
	TxsItemError error;

	switch (txs_item_read(raw, item, &error))
	{
		case TXS_ITEM_OK:
			break;
		case TXS_ITEM_MALFORMED:
			ereport(ERROR, errcode(ERRCODE_DATA_CORRUPTED),
					errmsg("partition \"%.*s\" of storage \"%s\" has a row "
						   "that is none",
						   (int) item->partition.length, item->partition.data,
						   connection->storage->name),
					errdetail("%s on table \"%s\": %s.", operation,
							  connection->storage->table_name, error.message));
			break;
		case TXS_ITEM_INVALID:
		case TXS_ITEM_FOREIGN:
			txs_errors_report_answer(connection, operation, partition,
									 error.message);
	}
}

/* What txs_dynamodb_pages() hands to its receiver of raw items. */
typedef struct AnswerPage
{
	const TxsConnection *connection;
	const char *operation;
	TxsSlice partition;
	TxsItemReceiver receive;
	void *arg;
} AnswerPage;

static void
receive_raw(TxsSlice raw, void *arg)
{
	AnswerPage *page = arg;
	TxsItem item;

	CHECK_FOR_INTERRUPTS();
	txs_dynamodb_read_item(page->connection, page->operation, page->partition,
						   raw, &item);
	page->receive(&item, page->arg);
}

bool
txs_dynamodb_pages(const TxsConnection *connection, const char *operation,
				   TxsSlice (*make_body)(const TxsStorage *, TxsSlice,
										 TxsSlice),
				   TxsSlice partition, TxsItemReceiver receive, void *arg)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext memory =
		AllocSetContextCreate(caller, "txstore page", ALLOCSET_DEFAULT_SIZES);
	AnswerPage page = {connection, operation, partition, receive, arg};
	TxsSlice start = {NULL, 0};
	bool exists = true;

	do
	{
		TxsCall call = {.connection = connection, .operation = operation};
		TxsSlice last;

		MemoryContextSwitchTo(memory);
		call.body = make_body(connection->storage, partition, start);
		txs_client_call(&call);
		exists = !is_not_made(&call);
		if (!exists)
			break;
		if (call.result != TXS_CALL_OK)
			txs_errors_report(&call,
							  partition.data != NULL
								  ? load_message(connection, partition)
								  : psprintf("could not read storage \"%s\"",
											 connection->storage->name),
							  NULL);
		if (!txs_answers_page(call.answer, receive_raw, &page, &last))
			txs_errors_report_answer(connection, operation, partition,
									 "it is no page of items");
		if (last.data != NULL && start.data != NULL &&
			last.length == start.length &&
			memcmp(last.data, start.data, last.length) == 0)
			txs_errors_report_answer(connection, operation, partition,
									 "its pages do not go on");
		MemoryContextSwitchTo(caller);
		start.data =
			last.data == NULL ? NULL : pnstrdup(last.data, last.length);
		start.length = last.length;
		MemoryContextReset(memory);
	} while (start.data != NULL);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(memory);
	return exists;
}

/* Read the key row; false where the table does not exist. */
static bool
read_key(const TxsConnection *connection, TxsSlice partition, bool *found,
		 TxsKeyRow *key)
{
	TxsCall call = {.connection = connection, .operation = "GetItem"};
	TxsSlice raw;
	TxsItem item;

	call.body = txs_requests_get_key(connection->storage, partition);
	txs_client_call(&call);
	memset(key, 0, sizeof(*key));
	key->etag = TXS_NO_ETAG;
	*found = false;
	if (is_not_made(&call))
		return false;
	if (call.result != TXS_CALL_OK)
		txs_errors_report(&call, load_message(connection, partition), NULL);
	if (!txs_answers_item(call.answer, &raw))
		txs_errors_report_answer(connection, "GetItem", partition,
								 "it is no item's answer");
	if (raw.data == NULL)
		return true;
	txs_dynamodb_read_item(connection, "GetItem", partition, raw, &item);
	if (!item.is_key || item.partition.length != partition.length ||
		memcmp(item.partition.data, partition.data, partition.length) != 0)
		txs_errors_report_answer(connection, "GetItem", partition,
								 "it is another row than was asked for");
	*key = item.key;
	*found = true;
	return true;
}

/* State rows as they arrive. */
typedef struct States
{
	const TxsConnection *connection;
	TxsSlice partition;
	int64 committed; /* bytes of lower states are not kept */
	MemoryContext memory;
	TxsSnapshot *snapshot;
	int size;
} States;

static TxsSlice
copy_slice(TxsSlice slice)
{
	TxsSlice copy = slice;

	if (slice.data != NULL)
	{
		char *data = palloc(slice.length + 1);

		memcpy(data, slice.data, slice.length);
		copy.data = data;
	}
	return copy;
}

static void
receive_state(const TxsItem *item, void *arg)
{
	States *states = arg;
	TxsSnapshot *snapshot = states->snapshot;
	MemoryContext caller;
	TxsStateRow *row;

	if (item->is_key || item->partition.length != states->partition.length ||
		memcmp(item->partition.data, states->partition.data,
			   item->partition.length) != 0)
		txs_errors_report_answer(states->connection, "Query",
								 states->partition,
								 "it has another row than was asked for");
	if (snapshot->nrows > 0 &&
		item->state.sequence <= snapshot->rows[snapshot->nrows - 1].sequence)
		txs_errors_report_answer(states->connection, "Query",
								 states->partition,
								 "its rows are not in order");

	caller = MemoryContextSwitchTo(states->memory);
	if (snapshot->nrows == states->size)
	{
		states->size *= 2;
		snapshot->rows =
			repalloc_huge(snapshot->rows, sizeof(TxsStateRow) * states->size);
	}
	row = &snapshot->rows[snapshot->nrows++];
	*row = item->state;
	if (row->sequence >= states->committed)
		row->state = copy_slice(row->state);
	else
		row->state.data = NULL;
	row->transaction_id = copy_slice(row->transaction_id);
	row->timestamp = copy_slice(row->timestamp);
	row->manager = copy_slice(row->manager);
	row->extra = copy_slice(row->extra);
	MemoryContextSwitchTo(caller);
}

/* Read the key row, the states and the key row again; true if whole. */
static bool
read_snapshot(const TxsConnection *connection, TxsSlice partition,
			  TxsSnapshot *snapshot)
{
	TxsKeyRow before;
	bool found;
	States states = {
		.connection = connection,
		.partition = partition,
		.memory = CurrentMemoryContext,
		.snapshot = snapshot,
		.size = 4,
	};

	memset(snapshot, 0, sizeof(*snapshot));
	snapshot->key.etag = TXS_NO_ETAG;
	snapshot->rows = palloc(sizeof(TxsStateRow) * states.size);
	if (!read_key(connection, partition, &found, &before))
		return true;
	states.committed = before.committed;
	if (!txs_dynamodb_pages(connection, "Query", txs_requests_query, partition,
							receive_state, &states))
		return true;
	if (!read_key(connection, partition, &snapshot->has_key, &snapshot->key))
		return true;
	return before.etag == snapshot->key.etag && found == snapshot->has_key;
}

void
txs_dynamodb_load(const TxsStorage *storage, TxsSlice partition, TxsRead *read)
{
	TxsConnection *connection = txs_settings_connect(storage);
	int i;

	memset(read, 0, sizeof(*read));
	for (i = 0; i < SNAPSHOT_ATTEMPTS; i++)
	{
		if (read_snapshot(connection, partition, &read->snapshot))
			return;
	}
	ereport(ERROR, errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			errmsg("%s: it changed while it was read",
				   load_message(connection, partition)),
			errdetail("%d attempts found its ETag changed; the last one had "
					  "ETag " INT64_FORMAT " at its end.",
					  SNAPSHOT_ATTEMPTS, read->snapshot.key.etag),
			errhint("Try again."));
}

static void
sort_item(const TxsItem *item, void *arg)
{
	txs_sorted_rows_put(arg, item, 0);
}

static void
scan_table(const TxsConnection *connection, TxsItemReceiver receive, void *arg)
{
	TxsSlice all = {NULL, 0};
	TxsSortedRows *rows = txs_sorted_rows_begin();
	TxsItem item;
	int64 line;

	txs_dynamodb_pages(connection, "Scan", txs_requests_rows, all, sort_item,
					   rows);
	txs_sorted_rows_sort(rows);
	while (txs_sorted_rows_get(rows, &item, &line))
	{
		CHECK_FOR_INTERRUPTS();
		receive(&item, arg);
	}
	txs_sorted_rows_end(rows);
}

void
txs_dynamodb_scan(const TxsStorage *storage, TxsSlice partition,
				  TxsItemReceiver receive, void *arg)
{
	TxsConnection *connection = txs_settings_connect(storage);

	/* A table's rows come in the order of hashes. */
	if (partition.data == NULL)
		scan_table(connection, receive, arg);
	else
		txs_dynamodb_pages(connection, "Query", txs_requests_rows, partition,
						   receive, arg);
}
