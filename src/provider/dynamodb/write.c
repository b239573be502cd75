/*
 * Apply batches to a DynamoDB table, and delete a partition.
 *
 * A batch is one TransactWriteItems: its rows, and the key row last, each on
 * the condition of its ETag.  What is said of a batch that failed is what is
 * certain: a conflict only where the service found a condition unmet.
 */
#include "provider/dynamodb/dynamodb.h"

#include "miscadmin.h"
#include "utils/memutils.h"

static bool
is_missing_table(const TxsCall *call)
{
	return call->result == TXS_CALL_REFUSED && call->code != NULL &&
		   strcmp(call->code, "ResourceNotFoundException") == 0;
}

/* The transaction of one batch, in memory of its own. */
static TxsSlice
make_batch(const TxsStorage *storage, const TxsWrite *write,
		   const TxsBatch *batch)
{
	TxsTransaction transaction;
	TxsItem item = {.partition = write->partition};
	int i;

	txs_requests_begin(&transaction, storage);
	for (i = 0; i < batch->count; i++)
	{
		const TxsOperation *operation = &write->operations[batch->first + i];

		if (operation->is_delete)
		{
			txs_requests_delete(&transaction, write->partition,
								operation->sequence, false,
								operation->expected_etag);
			continue;
		}
		item.is_key = false;
		item.state = *operation->row;
		item.state.etag = operation->new_etag;
		txs_requests_put(&transaction, &item, operation->expected_etag);
	}
	item.is_key = true;
	item.key = batch->key;
	txs_requests_put(&transaction, &item, batch->expected_key_etag);
	return txs_requests_finish(&transaction);
}

/* One operation of a refused batch, in the words of Orleans (spec 1.4). */
static void
describe_operation(StringInfo text, int index, bool is_delete,
				   const char *row_key, int64 expected_etag,
				   const TxsReason *reason)
{
	appendStringInfo(text,
					 "%sTransactWriteItems[%d] Operation=%s Role=%s "
					 "RowKey=%s Condition=",
					 text->len > 0 ? " " : "", index,
					 is_delete ? "Delete" : "Put",
					 strcmp(row_key, TXS_KEY_ROW_KEY) == 0 ? "KeySynchronizer"
														   : "Data",
					 row_key);
	if (expected_etag == TXS_NO_ETAG)
		appendStringInfoString(text, "attribute_not_exists(PartitionKey) AND "
									 "attribute_not_exists(RowKey)");
	else
		appendStringInfo(text,
						 "ETag = :currentETag ExpectedETag=" INT64_FORMAT,
						 expected_etag);
	appendStringInfo(
		text, " CancellationReasonCode=%s CancellationReasonMessage=%s.",
		reason == NULL ? "Unavailable" : reason->code,
		reason == NULL || reason->message == NULL ? "Unavailable"
												  : reason->message);
}

static void
describe_conflict(TxsWrite *write, int number, const TxsCall *call)
{
	const TxsBatch *batch = &write->batches[number];
	StringInfoData text;
	int i;

	initStringInfo(&text);
	if (write->nbatches > 1)
		appendStringInfo(&text, "Batch %d of %d; %d before it are durable.",
						 number + 1, write->nbatches, number);
	for (i = 0; i <= batch->count; i++)
	{
		const TxsReason *reason =
			i < call->nreasons ? &call->reasons[i] : NULL;
		char row_key[TXS_STATE_ROW_KEY_LENGTH + 1] = TXS_KEY_ROW_KEY;

		if (i < batch->count)
		{
			const TxsOperation *operation =
				&write->operations[batch->first + i];

			txs_row_key_write(operation->sequence, row_key);
			row_key[TXS_STATE_ROW_KEY_LENGTH] = '\0';
			describe_operation(&text, i, operation->is_delete, row_key,
							   operation->expected_etag, reason);
		}
		else
			describe_operation(&text, i, false, row_key,
							   batch->expected_key_etag, reason);
	}
	write->conflict_batch = number;
	write->conflict_detail = text.data;
}

/* Raise what a batch's result means; a conflict is the caller's. */
static void
report_batch(TxsWrite *write, int number, const TxsCall *call)
{
	write->untouched = number == 0 && call->result == TXS_CALL_REFUSED;
	txs_errors_report(
		call,
		psprintf("could not store partition \"%.*s\" of storage \"%s\"",
				 (int) write->partition.length, write->partition.data,
				 call->connection->storage->name),
		call->progress);
}

/* Send one batch; false on a conflict. */
static bool
apply_batch(const TxsConnection *connection, TxsWrite *write, int number,
			MemoryContext caller)
{
	const TxsStorage *storage = connection->storage;
	TxsCall call = {
		.connection = connection,
		.operation = "TransactWriteItems",
		.is_write = true,
	};

	if (write->nbatches > 1)
		call.progress = psprintf("This was batch %d of %d; %d before it are "
								 "durable.",
								 number + 1, write->nbatches, number);
	call.body = make_batch(storage, write, &write->batches[number]);
	txs_client_call(&call);
	if (is_missing_table(&call) && storage->create_if_not_exists)
	{
		/* Whatever becomes of the table, this batch was refused. */
		write->untouched = number == 0;
		txs_dynamodb_initialize(storage);
		write->untouched = false;
		call.body = make_batch(storage, write, &write->batches[number]);
		txs_client_call(&call);
	}
	if (call.result == TXS_CALL_OK)
		return true;
	if (call.result != TXS_CALL_REFUSED || call.fault != TXS_FAULT_CONDITION)
		report_batch(write, number, &call);
	MemoryContextSwitchTo(caller);
	describe_conflict(write, number, &call);
	return false;
}

bool
txs_dynamodb_apply(const TxsStorage *storage, TxsWrite *write)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext memory =
		AllocSetContextCreate(caller, "txstore batch", ALLOCSET_DEFAULT_SIZES);
	TxsConnection *connection;
	bool applied = true;
	int i;

	/* What is found before anything is sent leaves the handle as it was. */
	write->untouched = true;
	connection = txs_settings_connect(storage);
	for (i = 0; applied && i < write->nbatches; i++)
	{
		MemoryContextSwitchTo(memory);
		write->untouched = false;
		applied = apply_batch(connection, write, i, caller);
		MemoryContextReset(memory);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(memory);
	return applied;
}

/* What is deleted: what delete_partition() has read of a partition. */
typedef struct Doomed
{
	MemoryContext memory;
	bool has_key;
	TxsKeyRow key;
	int count;
	int size;
	TxsRowRef *rows;
} Doomed;

static void
receive_doomed(const TxsItem *item, void *arg)
{
	Doomed *doomed = arg;
	MemoryContext caller = MemoryContextSwitchTo(doomed->memory);

	if (item->is_key)
	{
		doomed->has_key = true;
		doomed->key = item->key;
		if (item->key.metadata.data != NULL)
			doomed->key.metadata.data =
				memcpy(palloc(item->key.metadata.length + 1),
					   item->key.metadata.data, item->key.metadata.length);
		if (item->key.extra.data != NULL)
			doomed->key.extra.data =
				pnstrdup(item->key.extra.data, item->key.extra.length);
	}
	else
	{
		if (doomed->count == doomed->size)
		{
			doomed->size *= 2;
			doomed->rows =
				repalloc_huge(doomed->rows, sizeof(TxsRowRef) * doomed->size);
		}
		doomed->rows[doomed->count].sequence = item->state.sequence;
		doomed->rows[doomed->count++].etag = item->state.etag;
	}
	MemoryContextSwitchTo(caller);
}

/* The ETag that a row which is there must still have. */
static int64
etag_of(int64 etag)
{
	return etag == TXS_NO_ETAG ? TXS_ETAG_ABSENT : etag;
}

/*
 * Delete some rows, and the key row with them if they are the last; otherwise
 * it gets the next ETag.
 */
static TxsSlice
make_deletion(const TxsStorage *storage, TxsSlice partition, Doomed *doomed,
			  int first, int count)
{
	bool is_last = first + count == doomed->count;
	TxsTransaction transaction;
	int i;

	txs_requests_begin(&transaction, storage);
	for (i = first; i < first + count; i++)
		txs_requests_delete(&transaction, partition, doomed->rows[i].sequence,
							false, etag_of(doomed->rows[i].etag));
	if (!doomed->has_key)
		txs_requests_check_absent(&transaction, partition);
	else if (is_last)
		txs_requests_delete(&transaction, partition, 0, true,
							etag_of(doomed->key.etag));
	else
	{
		TxsItem item = {.partition = partition,
						.is_key = true,
						.key = doomed->key};

		item.key.etag++;
		txs_requests_put(&transaction, &item, etag_of(doomed->key.etag));
	}
	return txs_requests_finish(&transaction);
}

/* Send the deletions; false on a conflict before anything is deleted. */
static bool
delete_rows(const TxsConnection *connection, TxsSlice partition,
			Doomed *doomed)
{
	int first = 0;

	do
	{
		int count = Min(doomed->count - first, TXS_MAX_BATCH_OPERATIONS);
		TxsCall call = {
			.connection = connection,
			.operation = "TransactWriteItems",
			.is_write = true,
		};

		CHECK_FOR_INTERRUPTS();
		if (first > 0)
			call.progress = psprintf("%d state rows are deleted.", first);
		call.body = make_deletion(connection->storage, partition, doomed,
								  first, count);
		txs_client_call(&call);
		if (first == 0 && call.result == TXS_CALL_REFUSED &&
			call.fault == TXS_FAULT_CONDITION)
			return false;
		if (call.result != TXS_CALL_OK)
			txs_errors_report(
				&call,
				psprintf("could not delete partition \"%.*s\" of storage "
						 "\"%s\"",
						 (int) partition.length, partition.data,
						 connection->storage->name),
				call.progress);
		doomed->key.etag++;
		first += count;
	} while (first < doomed->count);
	return true;
}

bool
txs_dynamodb_delete_partition(const TxsStorage *storage, TxsSlice partition,
							  int64 expected_etag, int64 incarnation,
							  bool *found)
{
	TxsConnection *connection = txs_settings_connect(storage);
	Doomed doomed = {.memory = CurrentMemoryContext, .size = 16};

	doomed.key.etag = TXS_NO_ETAG;
	doomed.rows = palloc(sizeof(TxsRowRef) * doomed.size);
	txs_dynamodb_pages(connection, "Query", txs_requests_rows, partition,
					   receive_doomed, &doomed);
	*found = doomed.has_key || doomed.count > 0;
	if (doomed.key.etag != expected_etag)
		return false;
	return !*found || delete_rows(connection, partition, &doomed);
}
