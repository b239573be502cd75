/*
 * Every item that Orleans wrote, in its tables and in its requests, comes
 * back to the byte, and its size is the sum of its attributes.
 */
#include "input.h"
#include "item_test.h"
#include "palloc_reset.h"
#include "tap.h"

/* What the recordings hold, so that none can be left out unseen. */
#define ITEMS		 3110
#define PLACEHOLDERS 25

typedef struct Counts
{
	int items;
	int placeholders; /* items with bytes that were too many to be recorded */
} Counts;

static bool check_file(const char *path, Counts *counts);
static bool check_values(TxsReader *reader, Counts *counts);
static bool check_list(TxsReader *reader, Counts *counts);
static bool check_item(TxsSlice text, Counts *counts);
static bool has_placeholder(TxsSlice text);
static size_t count_attributes(TxsSlice text);

void
test_recordings(int count, char **paths)
{
	Counts counts = {0, 0};
	int i;

	for (i = 0; i < count; i++)
		ok(check_file(paths[i], &counts), "items come back: %s", paths[i]);
	ok(counts.items == ITEMS && counts.placeholders == PLACEHOLDERS,
	   "all items of the recordings were seen");
	diag("%d items, %d without their bytes", counts.items,
		 counts.placeholders);
}

/* A line is an array of items, or a request and its response. */
static bool
check_file(const char *path, Counts *counts)
{
	TxsSlice text = read_file(path);
	bool good = text.data != NULL;
	size_t at = 0;

	while (good && at < text.length)
	{
		const char *start = text.data + at;
		const char *newline = memchr(start, '\n', text.length - at);
		size_t length =
			newline != NULL ? (size_t) (newline - start) : text.length - at;
		TxsReader reader;

		txs_reader_open(&reader, start, length);
		if (*start == '[')
			good = check_list(&reader, counts);
		else
			good = check_values(&reader, counts);
		at += length + 1;
	}
	free((char *) text.data);
	return good;
}

/* Put and GetItem have "Item", Query and Scan "Items". */
static bool
check_values(TxsReader *reader, Counts *counts)
{
	bool good = true;

	while (good && txs_reader_next(reader) != TXS_TOKEN_END)
	{
		TxsSlice item;

		if (reader->token == TXS_TOKEN_ERROR)
			return false;
		if (reader->token != TXS_TOKEN_NAME)
			continue;
		if (txs_reader_is(reader, "Items"))
			good = check_list(reader, counts);
		else if (txs_reader_is(reader, "Item"))
			good = txs_reader_raw(reader, &item) && check_item(item, counts);
	}
	return good;
}

static bool
check_list(TxsReader *reader, Counts *counts)
{
	TxsSlice item;

	if (txs_reader_next(reader) != TXS_TOKEN_ARRAY)
		return false;
	while (txs_reader_raw(reader, &item))
	{
		if (!check_item(item, counts))
			return false;
	}
	return reader->token == TXS_TOKEN_ARRAY_END;
}

static bool
check_item(TxsSlice text, Counts *counts)
{
	TxsItem item;
	TxsItemError error;
	TxsItemStatus status = read_item(text, &item, &error);
	TxsItemSize size;
	bool good;

	if (has_placeholder(text))
	{
		counts->placeholders++;
		return status == TXS_ITEM_INVALID;
	}
	counts->items++;
	if (status != TXS_ITEM_OK)
	{
		diag("%s: %.*s", error.message, (int) Min(text.length, 200),
			 text.data);
		return false;
	}
	if (item.is_key)
		size = txs_size_of_key(item.partition.length, &item.key);
	else
		size = txs_size_of_state(item.partition.length, &item.state);
	good = writes(&item, text) && size.orleans == count_attributes(text);
	txs_palloc_reset();
	return good;
}

/* The recorder put "(300069 bytes)" for a value too large to keep. */
static bool
has_placeholder(TxsSlice text)
{
	size_t i;

	for (i = 0; i + 8 < text.length; i++)
	{
		if (memcmp(text.data + i, " bytes)\"", 8) == 0)
			return true;
	}
	return false;
}

/* Names, texts (none has an escape) and numbers as they are; bytes decoded. */
static size_t
count_attributes(TxsSlice text)
{
	TxsReader reader;
	size_t size = 0;

	txs_reader_open(&reader, text.data, text.length);
	txs_reader_next(&reader);
	while (txs_reader_next(&reader) == TXS_TOKEN_NAME)
	{
		bool bytes;

		size += reader.value.length;
		txs_reader_next(&reader);
		txs_reader_next(&reader);
		bytes = txs_reader_is(&reader, "B");
		txs_reader_next(&reader);
		size += bytes ? reader.value.length / 4 * 3 : reader.value.length;
		while (bytes && reader.value.length > 0 &&
			   reader.value.data[--reader.value.length] == '=')
			size--;
		txs_reader_next(&reader);
	}
	return size;
}
