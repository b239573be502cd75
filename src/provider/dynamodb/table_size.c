/*
 * How large tables are: what DescribeTable said, kept for a while.
 *
 * The service counts about every six hours, so a figure that is a few minutes
 * old is as good as a new one.
 */
#include "provider/dynamodb/dynamodb.h"

#include "utils/hsearch.h"
#include "utils/timestamp.h"

/* Milliseconds for which a figure is kept where planning may ask. */
#define LIFETIME (5 * 60 * 1000)

/* Tables to keep figures of; with more, all are forgotten. */
#define MAX_TABLES 1000

/* State rows to a key row, where nobody has counted them apart. */
#define USUAL_STATES 2.0

#define MAX_NAME 256

typedef struct TableKey
{
	Oid server;
	char table[MAX_NAME];
} TableKey;

typedef struct TableSize
{
	TableKey key;
	int64 items;
	int64 bytes;
	TimestampTz at;
} TableSize;

static HTAB *sizes;

static TableSize *
find_size(const TxsStorage *storage, HASHACTION action)
{
	TableKey key;

	if (sizes == NULL)
	{
		HASHCTL control = {
			.keysize = sizeof(TableKey),
			.entrysize = sizeof(TableSize),
		};

		if (action == HASH_FIND)
			return NULL;
		sizes = hash_create("txstore table sizes", 16, &control,
							HASH_ELEM | HASH_BLOBS);
	}
	if (action == HASH_ENTER && hash_get_num_entries(sizes) >= MAX_TABLES)
	{
		hash_destroy(sizes);
		sizes = NULL;
		return find_size(storage, action);
	}
	memset(&key, 0, sizeof(key));
	key.server = storage->server;
	strlcpy(key.table, storage->table_name, sizeof(key.table));
	return hash_search(sizes, &key, action, NULL);
}

void
txs_table_size_note(const TxsStorage *storage, const TxsTableFacts *facts)
{
	TableSize *size = find_size(storage, HASH_ENTER);

	size->items = facts->items;
	size->bytes = facts->bytes;
	size->at = GetCurrentTimestamp();
}

/* Ask the service, which notes it; NULL where there is no table. */
static const TableSize *
ask(const TxsStorage *storage)
{
	TxsTableFacts facts;

	if (!txs_dynamodb_find_table(storage, &facts))
		return NULL;
	return find_size(storage, HASH_FIND);
}

void
txs_dynamodb_measure(const TxsStorage *storage, TxsMeasure *measure)
{
	const TableSize *size = ask(storage);

	measure->rows = size != NULL ? (double) size->items : 0;
	measure->bytes = size != NULL ? (double) size->bytes : 0;
}

void
txs_dynamodb_estimate(const TxsStorage *storage, TxsEstimate *estimate)
{
	const TableSize *size = find_size(storage, HASH_FIND);

	if (storage->use_remote_estimate &&
		(size == NULL || TimestampDifferenceExceeds(
							 size->at, GetCurrentTimestamp(), LIFETIME)))
		size = ask(storage);
	if (size == NULL || size->items < 0)
		return;
	estimate->keys = (double) size->items / (1 + USUAL_STATES);
	estimate->states = (double) size->items - estimate->keys;
}
