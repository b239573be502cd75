/*
 * Import into a DynamoDB table.
 *
 * Nothing that was created can be undone, so all lines are read and checked
 * first, into a sort.  Then rows are created partition by partition, states
 * before the key row: until that is there, a partition reads as fresh.  Each
 * put is on the condition that there is no such row; where there is one, the
 * partition is read and what is the same is skipped.  So an import that failed
 * can be repeated.
 */
#include "provider/dynamodb/dynamodb.h"

#include "miscadmin.h"
#include "provider/dynamodb/sorted_rows.h"
#include "utils/memutils.h"

/* Actions of one transaction (AWS limit). */
#define MAX_ACTIONS (TXS_MAX_BATCH_OPERATIONS + 1)

/* A row that waits to be created. */
typedef struct Waiting
{
	TxsItem item;
	int64 line;
} Waiting;

typedef struct Import
{
	const TxsStorage *storage;
	TxsConnection *connection;
	TxsSortedRows *rows;
	MemoryContext batch; /* of the rows that wait; reset when they are sent */

	int count;
	size_t size; /* bytes of the rows that wait, by the larger count */
	Waiting waiting[MAX_ACTIONS];

	TxsCreatedReceiver receive;
	void *arg;
} Import;

void *
txs_dynamodb_open_import(const TxsStorage *storage)
{
	Import *import = palloc0(sizeof(Import));

	import->storage = storage;
	import->connection = txs_settings_connect(storage);
	import->rows = txs_sorted_rows_begin();
	import->batch =
		AllocSetContextCreate(CurrentMemoryContext, "txstore import batch",
							  ALLOCSET_DEFAULT_SIZES);
	return import;
}

TxsCreated
txs_dynamodb_create(void *arg, const TxsItem *item, int64 line)
{
	Import *import = arg;

	txs_sorted_rows_put(import->rows, item, line);
	return TXS_CREATED_LATER;
}

static bool
same_slice(TxsSlice a, TxsSlice b)
{
	return a.length == b.length && memcmp(a.data, b.data, a.length) == 0;
}

/* Have two items the same key? */
static bool
same_key(const TxsItem *a, const TxsItem *b)
{
	return a->is_key == b->is_key && same_slice(a->partition, b->partition) &&
		   (a->is_key || a->state.sequence == b->state.sequence);
}

/* An item in the current context, by way of its JSON. */
static void
copy_item(const TxsItem *item, TxsItem *copy)
{
	TxsWriter writer;
	TxsItemError error;
	TxsSlice json;

	txs_requests_write_item(&writer, item);
	json.data = writer.data;
	json.length = writer.length;
	if (txs_item_read(json, copy, &error) != TXS_ITEM_OK)
		elog(ERROR, "copied row is no item: %s", error.message);
}

/* A row that two lines give: refuse it if they differ. */
static void
check_duplicates(Import *import)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext memories[2];
	TxsItem items[2];
	bool has_before = false;
	int current = 0;
	TxsItem item;
	int64 line;
	int i;

	for (i = 0; i < 2; i++)
		memories[i] = AllocSetContextCreate(caller, "txstore row",
											ALLOCSET_DEFAULT_SIZES);
	while (txs_sorted_rows_get(import->rows, &item, &line))
	{
		CHECK_FOR_INTERRUPTS();
		if (has_before && same_key(&items[current], &item) &&
			!txs_item_equals(&items[current], &item))
			import->receive(TXS_CREATED_OTHER, line, &item, import->arg);
		current = 1 - current;
		MemoryContextReset(memories[current]);
		MemoryContextSwitchTo(memories[current]);
		copy_item(&item, &items[current]);
		MemoryContextSwitchTo(caller);
		has_before = true;
	}
	for (i = 0; i < 2; i++)
		MemoryContextDelete(memories[i]);
	txs_sorted_rows_rewind(import->rows);
}

/* Of the rows that wait: which are there, the same or another? */
typedef struct Comparison
{
	Import *import;
	TxsCreated found[MAX_ACTIONS]; /* CREATED: none is there */
} Comparison;

static void
compare_item(const TxsItem *item, void *arg)
{
	Comparison *comparison = arg;
	Import *import = comparison->import;
	int i;

	for (i = 0; i < import->count; i++)
	{
		if (same_key(&import->waiting[i].item, item))
			comparison->found[i] =
				txs_item_equals(&import->waiting[i].item, item)
					? TXS_CREATED_BEFORE
					: TXS_CREATED_OTHER;
	}
}

/*
 * Report the rows that are there already, and take them off those that wait.
 * True if there were any.
 */
static bool
remove_present(Import *import)
{
	Comparison comparison = {.import = import};
	int kept = 0;
	int count = import->count;
	int i;

	for (i = 0; i < count; i++)
		comparison.found[i] = TXS_CREATED;
	txs_dynamodb_pages(import->connection, "Query", txs_requests_rows,
					   import->waiting[0].item.partition, compare_item,
					   &comparison);
	for (i = 0; i < count; i++)
	{
		const Waiting *waiting = &import->waiting[i];

		if (comparison.found[i] != TXS_CREATED)
			import->receive(comparison.found[i], waiting->line, &waiting->item,
							import->arg);
		else
			import->waiting[kept++] = *waiting;
	}
	import->count = kept;
	return kept < count;
}

static void
send_waiting(Import *import, TxsCall *call)
{
	TxsTransaction transaction;
	int i;

	txs_requests_begin(&transaction, import->storage);
	for (i = 0; i < import->count; i++)
		txs_requests_put(&transaction, &import->waiting[i].item, TXS_NO_ETAG);
	memset(call, 0, sizeof(*call));
	call->connection = import->connection;
	call->operation = "TransactWriteItems";
	call->is_write = true;
	call->body = txs_requests_finish(&transaction);
	txs_client_call(call);
}

static void
report_import(Import *import, const TxsCall *call)
{
	TxsSlice partition = import->waiting[0].item.partition;

	txs_errors_report(call,
					  psprintf("could not import partition \"%.*s\" into "
							   "storage \"%s\"",
							   (int) partition.length, partition.data,
							   import->storage->name),
					  "Partitions before it are there; import again to go "
					  "on.");
}

/* Create the rows that wait, all of one partition. */
static void
flush(Import *import)
{
	MemoryContext caller = MemoryContextSwitchTo(import->batch);
	int i;

	while (import->count > 0)
	{
		TxsCall call;

		CHECK_FOR_INTERRUPTS();
		send_waiting(import, &call);
		if (call.result == TXS_CALL_REFUSED &&
			call.fault == TXS_FAULT_CONDITION)
		{
			/* Rows may come and go; that this one meets none is no reason to
			 * ask for ever. */
			if (!remove_present(import))
				report_import(import, &call);
			continue;
		}
		if (call.result != TXS_CALL_OK)
			report_import(import, &call);
		for (i = 0; i < import->count; i++)
			import->receive(TXS_CREATED, import->waiting[i].line,
							&import->waiting[i].item, import->arg);
		import->count = 0;
	}
	MemoryContextSwitchTo(caller);
	MemoryContextReset(import->batch);
	import->size = 0;
}

static size_t
larger_size(const TxsItem *item)
{
	TxsItemSize size =
		item->is_key ? txs_size_of_key(item->partition.length, &item->key)
					 : txs_size_of_state(item->partition.length, &item->state);

	return Max(size.orleans, size.service) + item->key.extra.length;
}

/* Let a row wait; send those that do first, if it does not fit to them. */
static void
add(Import *import, const TxsItem *item, int64 line)
{
	size_t size = larger_size(item);
	MemoryContext caller;

	if (import->count == MAX_ACTIONS ||
		(import->count > 0 &&
		 (import->size + size > TXS_MAX_BATCH_DATA ||
		  !same_slice(import->waiting[0].item.partition, item->partition))))
		flush(import);
	caller = MemoryContextSwitchTo(import->batch);
	copy_item(item, &import->waiting[import->count].item);
	import->waiting[import->count++].line = line;
	import->size += size;
	MemoryContextSwitchTo(caller);
}

/* A partition's key row, which is created after its states. */
typedef struct HeldKey
{
	MemoryContext memory;
	bool held;
	TxsItem item;
	int64 line;
} HeldKey;

static void
release_key(Import *import, HeldKey *key)
{
	if (key->held)
		add(import, &key->item, key->line);
	key->held = false;
	MemoryContextReset(key->memory);
}

static void
create_rows(Import *import)
{
	MemoryContext caller = CurrentMemoryContext;
	HeldKey key = {.memory = AllocSetContextCreate(caller, "txstore key row",
												   ALLOCSET_DEFAULT_SIZES)};
	TxsItem before = {.is_key = false};
	TxsSlice partition = {NULL, 0};
	bool has_before = false;
	TxsItem item;
	int64 line;

	while (txs_sorted_rows_get(import->rows, &item, &line))
	{
		if (has_before && before.is_key == item.is_key &&
			same_slice(partition, item.partition) &&
			(item.is_key || before.state.sequence == item.state.sequence))
		{
			/* The same row again, which check_duplicates() has compared. */
			import->receive(TXS_CREATED_BEFORE, line, &item, import->arg);
			continue;
		}
		if (!has_before || !same_slice(partition, item.partition))
		{
			release_key(import, &key);
			partition.data =
				pnstrdup(item.partition.data, item.partition.length);
			partition.length = item.partition.length;
		}
		before.is_key = item.is_key;
		before.state.sequence = item.is_key ? 0 : item.state.sequence;
		has_before = true;
		if (!item.is_key)
		{
			add(import, &item, line);
			continue;
		}
		MemoryContextSwitchTo(key.memory);
		copy_item(&item, &key.item);
		key.line = line;
		key.held = true;
		MemoryContextSwitchTo(caller);
	}
	release_key(import, &key);
	flush(import);
	MemoryContextDelete(key.memory);
}

void
txs_dynamodb_close_import(void *arg, TxsCreatedReceiver receive,
						  void *receive_arg)
{
	Import *import = arg;

	import->receive = receive;
	import->arg = receive_arg;
	txs_sorted_rows_sort(import->rows);
	check_duplicates(import);
	if (import->storage->create_if_not_exists)
		txs_dynamodb_initialize(import->storage);
	create_rows(import);
	txs_sorted_rows_end(import->rows);
	MemoryContextDelete(import->batch);
	pfree(import);
}
