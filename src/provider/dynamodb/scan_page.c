/*
 * Take the answers to a scan's requests apart.
 *
 * Only where items are is noted here; they are read one by one when they are
 * wanted, so that the next page can be asked for before.
 */
#include "provider/dynamodb/scan.h"

static bool
skip(TxsReader *reader)
{
	TxsSlice raw;

	return txs_reader_raw(reader, &raw);
}

static void
add_item(TxsScanPage *page, int *size, TxsSlice item)
{
	if (page->nitems == *size)
	{
		*size = *size == 0 ? 64 : *size * 2;
		page->items =
			page->items == NULL
				? palloc(sizeof(TxsSlice) * *size)
				: repalloc_huge(page->items, sizeof(TxsSlice) * (Size) *size);
	}
	page->items[page->nitems++] = item;
}

static bool
read_items(TxsReader *reader, TxsScanPage *page)
{
	int size = 0;
	TxsSlice raw;

	if (page->items != NULL || txs_reader_next(reader) != TXS_TOKEN_ARRAY)
		return false;
	while (txs_reader_raw(reader, &raw))
		add_item(page, &size, raw);
	return reader->token == TXS_TOKEN_ARRAY_END;
}

static bool
is_null(TxsSlice raw)
{
	return raw.length == 4 && memcmp(raw.data, "null", 4) == 0;
}

/* The item of an answer to GetItem, which has none where there is no row. */
static bool
read_item(TxsReader *reader, TxsScanPage *page)
{
	int size = 0;
	TxsSlice raw;

	if (page->nitems > 0 || !txs_reader_raw(reader, &raw))
		return false;
	if (!is_null(raw))
		add_item(page, &size, raw);
	return true;
}

/* {"TABLE":[items]}; false unless there is one table. */
static bool
read_responses(TxsReader *reader, TxsScanPage *page)
{
	if (txs_reader_next(reader) != TXS_TOKEN_OBJECT)
		return false;
	while (txs_reader_next(reader) == TXS_TOKEN_NAME)
	{
		if (!read_items(reader, page))
			return false;
	}
	return reader->token == TXS_TOKEN_OBJECT_END;
}

/* An object, where an empty one, null and none mean the same. */
static bool
read_object(TxsReader *reader, TxsSlice *object)
{
	TxsReader inner;

	if (!txs_reader_raw(reader, object))
		return false;
	if (is_null(*object))
	{
		object->data = NULL;
		return true;
	}
	txs_reader_open(&inner, object->data, object->length);
	if (txs_reader_next(&inner) != TXS_TOKEN_OBJECT)
		return false;
	if (txs_reader_next(&inner) == TXS_TOKEN_OBJECT_END)
		object->data = NULL;
	return true;
}

/* The text of PartitionKey in a key, as it is written. */
static void
read_partition(TxsSlice key, TxsSlice *partition)
{
	TxsReader reader;

	txs_reader_open(&reader, key.data, key.length);
	txs_reader_next(&reader);
	while (txs_reader_next(&reader) == TXS_TOKEN_NAME)
	{
		bool is_partition = txs_reader_is(&reader, "PartitionKey");

		if (!is_partition)
		{
			if (!skip(&reader))
				return;
			continue;
		}
		if (txs_reader_next(&reader) == TXS_TOKEN_OBJECT &&
			txs_reader_next(&reader) == TXS_TOKEN_NAME &&
			txs_reader_next(&reader) == TXS_TOKEN_STRING)
			*partition = reader.value;
		return;
	}
}

static bool
read_count(TxsReader *reader, int64 *count)
{
	return txs_reader_next(reader) == TXS_TOKEN_NUMBER &&
		   txs_number_to_int64(reader->value, count) && *count >= 0;
}

/* {"CapacityUnits":2.5,...}, or an array of one for each table. */
static bool
read_capacity(TxsReader *reader, TxsScanPage *page)
{
	TxsSlice raw;
	TxsReader inner;
	TxsToken token;

	if (!txs_reader_raw(reader, &raw))
		return false;
	txs_reader_open(&inner, raw.data, raw.length);
	while ((token = txs_reader_next(&inner)) != TXS_TOKEN_END &&
		   token != TXS_TOKEN_ERROR)
	{
		if (token == TXS_TOKEN_NAME && inner.depth <= 2 &&
			txs_reader_is(&inner, "CapacityUnits") &&
			txs_reader_next(&inner) == TXS_TOKEN_NUMBER)
			page->capacity +=
				strtod(pnstrdup(inner.value.data, inner.value.length), NULL);
	}
	return true;
}

static bool
read_member(TxsReader *reader, TxsScanPage *page, bool *has_rows)
{
	if (txs_reader_is(reader, "Items"))
		return *has_rows = read_items(reader, page);
	if (txs_reader_is(reader, "Item"))
		return read_item(reader, page);
	if (txs_reader_is(reader, "Responses"))
		return *has_rows = read_responses(reader, page);
	if (txs_reader_is(reader, "LastEvaluatedKey"))
		return read_object(reader, &page->last_key);
	if (txs_reader_is(reader, "UnprocessedKeys"))
		return read_object(reader, &page->unprocessed);
	if (txs_reader_is(reader, "Count"))
		return read_count(reader, &page->count);
	if (txs_reader_is(reader, "ScannedCount"))
		return read_count(reader, &page->scanned);
	if (txs_reader_is(reader, "ConsumedCapacity"))
		return read_capacity(reader, page);
	return skip(reader);
}

bool
txs_scan_read_page(TxsScanOperation operation, bool is_count, TxsSlice answer,
				   TxsScanPage *page)
{
	TxsReader reader;
	bool has_rows = operation == TXS_SCAN_GET;

	memset(page, 0, sizeof(*page));
	page->count = -1;
	page->scanned = -1;
	txs_reader_open(&reader, answer.data, answer.length);
	if (txs_reader_next(&reader) != TXS_TOKEN_OBJECT)
		return false;
	while (txs_reader_next(&reader) == TXS_TOKEN_NAME)
	{
		if (!read_member(&reader, page, &has_rows))
			return false;
	}
	if (reader.token != TXS_TOKEN_OBJECT_END ||
		txs_reader_next(&reader) != TXS_TOKEN_END)
		return false;
	if (page->last_key.data != NULL)
		read_partition(page->last_key, &page->last_partition);
	return is_count ? page->count >= 0 : has_rows;
}
