/*
 * Import: items in JSON, one a line, become rows that are not there yet.
 */
#include "compat.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "store/store.h"

struct TxsImport
{
	const TxsStorage *storage;
	void *target; /* the provider's */
	bool skip_unknown;
	int64 lines;
	int64 created;
	int64 skipped_same;
	int64 skipped_unknown;
	MemoryContext row; /* reset after each line */
};

TxsImport *
txs_import_open(const TxsStorage *storage, bool skip_unknown)
{
	TxsImport *import = palloc0(sizeof(TxsImport));

	import->storage = storage;
	import->skip_unknown = skip_unknown;
	import->row = AllocSetContextCreate(CurrentMemoryContext, "txstore import",
										ALLOCSET_DEFAULT_SIZES);
	import->target = storage->provider->open_import(storage);
	return import;
}

static void
refuse_line(const TxsImport *import, TxsItemStatus status,
			const TxsItemError *error)
{
	ereport(ERROR,
			errcode(status == TXS_ITEM_MALFORMED
						? ERRCODE_DATA_CORRUPTED
						: ERRCODE_INVALID_PARAMETER_VALUE),
			errmsg("cannot import line " INT64_FORMAT ": %s", import->lines,
				   error->message),
			status == TXS_ITEM_FOREIGN
				? errhint("Pass skip_unknown => true to leave out such "
						  "items.")
				: 0);
}

static void
refuse_duplicate(const TxsImport *import, int64 line, const TxsItem *item)
{
	char row[TXS_STATE_ROW_KEY_LENGTH + 1] = TXS_KEY_ROW_KEY;

	if (!item->is_key)
	{
		txs_row_key_write(item->state.sequence, row);
		row[TXS_STATE_ROW_KEY_LENGTH] = '\0';
	}
	ereport(ERROR, errcode(ERRCODE_UNIQUE_VIOLATION),
			errmsg("cannot import line " INT64_FORMAT
				   ": another row is already there",
				   line),
			errdetail("Row \"%s\" of partition \"%.*s\" of storage \"%s\" "
					  "exists and is not the same.",
					  row, (int) item->partition.length, item->partition.data,
					  import->storage->name));
}

static void
refuse_meanwhile(const TxsImport *import, int64 line, const TxsItem *item)
{
	ereport(ERROR, errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			errmsg("cannot import line " INT64_FORMAT
				   ": another session has just created the same row",
				   line),
			errdetail("It is in partition \"%.*s\" of storage \"%s\".",
					  (int) item->partition.length, item->partition.data,
					  import->storage->name),
			errhint("Import again: what is there by then is skipped."));
}

/*
 * No table of the service holds an item that is too large by both counts: the
 * service itself counts no more than the smaller one.
 */
static void
check_size(const TxsImport *import, const TxsItem *item)
{
	size_t partition = item->partition.length;
	TxsItemSize size = item->is_key
						   ? txs_size_of_key(partition, &item->key)
						   : txs_size_of_state(partition, &item->state);
	size_t smaller = Min(size.orleans, size.service);

	if (smaller <= TXS_MAX_ITEM_SIZE)
		return;
	ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			errmsg("cannot import line " INT64_FORMAT ": it is too large",
				   import->lines),
			errdetail("The item has %zu bytes; the limit is %d.", smaller,
					  TXS_MAX_ITEM_SIZE));
}

/* Count what was created, and refuse what was not. */
static void
receive_created(TxsCreated created, int64 line, const TxsItem *item, void *arg)
{
	TxsImport *import = arg;

	switch (created)
	{
		case TXS_CREATED:
			import->created++;
			break;
		case TXS_CREATED_BEFORE:
			import->skipped_same++;
			break;
		case TXS_CREATED_OTHER:
			refuse_duplicate(import, line, item);
			break;
		case TXS_CREATED_MEANWHILE:
			refuse_meanwhile(import, line, item);
			break;
		case TXS_CREATED_LATER:
			break;
	}
}

static void
create_row(TxsImport *import, const TxsItem *item)
{
	const TxsProvider *provider = import->storage->provider;

	check_size(import, item);
	receive_created(provider->create(import->target, item, import->lines),
					import->lines, item, import);
}

void
txs_import_line(TxsImport *import, TxsSlice line)
{
	MemoryContext caller = MemoryContextSwitchTo(import->row);
	TxsItemStatus status = TXS_ITEM_INVALID;
	TxsItemError error = {"it is null"};
	TxsItem item;

	CHECK_FOR_INTERRUPTS();
	import->lines++;
	if (line.data != NULL)
		status = txs_item_read(line, &item, &error);
	if (status == TXS_ITEM_OK)
		create_row(import, &item);
	else if (status == TXS_ITEM_FOREIGN && import->skip_unknown)
		import->skipped_unknown++;
	else
		refuse_line(import, status, &error);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(import->row);
}

int64
txs_import_close(TxsImport *import)
{
	import->storage->provider->close_import(import->target, receive_created,
											import);
	MemoryContextDelete(import->row);
	if (import->skipped_same > 0)
		ereport(NOTICE,
				errmsg_plural("skipped " INT64_FORMAT
							  " item that is already there",
							  "skipped " INT64_FORMAT
							  " items that are already there",
							  import->skipped_same, import->skipped_same));
	if (import->skipped_unknown > 0)
		ereport(NOTICE, errmsg_plural("skipped " INT64_FORMAT
									  " item that is no row of a partition",
									  "skipped " INT64_FORMAT
									  " items that are no rows of a partition",
									  import->skipped_unknown,
									  import->skipped_unknown));
	return import->created;
}
