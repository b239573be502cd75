/*
 * Fuzzes the part of src/orleans that takes foreign bytes: the input is a
 * DynamoDB item in JSON, an attribute's value, a row key, a partition key, a
 * participant, metadata, a time's text and a time, one after the other.
 */
#include "palloc.h"

#include "fuzz.h"
#include "orleans/item.h"
#include "orleans/item_value.h"
#include "orleans/participant.h"
#include "orleans/partition_key.h"
#include "orleans/time_text.h"
#include "palloc_reset.h"

static void check_item(TxsSlice text);
static void check_refusal(TxsItemStatus status, const TxsItemError *error,
						  TxsSlice text);
static void check_row(const TxsItem *item);
static void check_state_row(const TxsStateRow *row);
static void check_extra(TxsSlice extra);
static void check_writing(const TxsItem *item, TxsSlice text);
static void check_wrapped(const TxsItem *item, TxsSlice json);
static void check_cut(TxsSlice json, size_t length);
static void check_same(const TxsItem *item, TxsSlice json);
static void check_value(TxsSlice text);
static void check_row_key(TxsSlice text);
static void check_partition_key(TxsSlice text);
static void check_participant(TxsSlice text);
static void check_time(TxsSlice text);
static bool is_json(TxsSlice text);
static bool has_no_nul(TxsSlice text);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	TxsSlice text = {exact_copy(data, size), size};

	check_item(text);
	check_value(text);
	check_row_key(text);
	check_partition_key(text);
	check_participant(text);
	check_time(text);
	free((char *) text.data);
	txs_palloc_reset();
	return 0;
}

static void
check_item(TxsSlice text)
{
	TxsItem item;
	TxsItemError error;
	TxsItemStatus status = txs_item_read(text, &item, &error);

	if (status != TXS_ITEM_OK)
		check_refusal(status, &error, text);
	else
	{
		require(error.message[0] == '\0');
		check_row(&item);
		check_writing(&item, text);
	}
}

/* There is a message, in one piece; whose row key is known is an item. */
static void
check_refusal(TxsItemStatus status, const TxsItemError *error, TxsSlice text)
{
	size_t length = strnlen(error->message, TXS_ITEM_MESSAGE_LENGTH);

	require(length > 0 && length < TXS_ITEM_MESSAGE_LENGTH - 1);
	require(error->message[length - 1] != '.');
	require(txs_utf8_is_valid(error->message, length));
	if (status != TXS_ITEM_INVALID)
		require(is_json(text));
}

static void
check_row(const TxsItem *item)
{
	require(item->partition.length > 0 &&
			item->partition.length <= TXS_MAX_PARTITION_KEY);
	require(has_no_nul(item->partition));
	if (item->is_key)
	{
		require(item->key.etag >= TXS_NO_ETAG);
		require(item->key.committed >= 0);
		require(item->key.has_committed || item->key.committed == 0);
		require(item->key.has_timestamp || item->key.timestamp == 0);
		check_extra(item->key.extra);
	}
	else
		check_state_row(&item->state);
}

static void
check_state_row(const TxsStateRow *row)
{
	bool foreign;

	require(row->sequence >= 0 && row->etag >= TXS_NO_ETAG);
	require(has_no_nul(row->transaction_id));
	require(row->timestamp.data == NULL ||
			txs_time_text_is_valid(row->timestamp));
	require(row->extra_size == txs_extra_size(row->extra, &foreign));
	require(row->extra_foreign == foreign);
	require(row->extra.data != NULL || row->extra_size == 0);
	check_extra(row->extra);
}

/* An object of one line, and at least one member, or none at all. */
static void
check_extra(TxsSlice extra)
{
	if (extra.data == NULL)
		return;
	require(is_json(extra) && extra.length > 2 && extra.data[0] == '{');
	require(memchr(extra.data, '\n', extra.length) == NULL);
	require(has_no_nul(extra));
}

/* What is written reads as the same row, whole, wrapped and spread out. */
static void
check_writing(const TxsItem *item, TxsSlice text)
{
	TxsWriter writer;
	TxsSlice json;

	txs_writer_open(&writer, realloc);
	txs_item_write(&writer, item);
	require(!writer.failed && !memchr(writer.data, '\n', writer.length));
	json.length = writer.length;
	json.data = exact_copy(writer.data, writer.length);
	free(writer.data);

	require(is_json(json));
	check_same(item, json);
	check_wrapped(item, json);
	check_cut(json, text.length % json.length);
	check_cut(json, json.length - 1);
	free((char *) json.data);
}

static void
check_wrapped(const TxsItem *item, TxsSlice json)
{
	TxsWriter writer;

	txs_writer_open(&writer, realloc);
	txs_writer_object(&writer);
	txs_writer_name(&writer, "Item");
	require(txs_writer_raw(&writer, json));
	txs_writer_object_end(&writer);
	/* One level more than the limit allows is not for the wrapped item. */
	if (is_json((TxsSlice){writer.data, writer.length}))
		check_same(item, (TxsSlice){writer.data, writer.length});
	free(writer.data);
}

/* An item that is cut short is none. */
static void
check_cut(TxsSlice json, size_t length)
{
	char *cut = exact_copy(json.data, length);
	TxsItem item;
	TxsItemError error;

	require(txs_item_read((TxsSlice){cut, length}, &item, &error) ==
			TXS_ITEM_INVALID);
	require(error.message[0] != '\0');
	free(cut);
}

/* The row is what the text says, and is written as it was. */
static void
check_same(const TxsItem *item, TxsSlice json)
{
	TxsItem again;
	TxsItemError error;
	TxsWriter once;
	TxsWriter twice;

	require(txs_item_read(json, &again, &error) == TXS_ITEM_OK);
	require(txs_item_equals(item, &again) && txs_item_equals(&again, item));
	require(again.state.extra_size == item->state.extra_size);
	require(again.state.extra_foreign == item->state.extra_foreign);

	txs_writer_open(&once, realloc);
	txs_writer_open(&twice, realloc);
	txs_item_write(&once, item);
	txs_item_write(&twice, &again);
	require(once.length == twice.length &&
			memcmp(once.data, twice.data, once.length) == 0);
	free(once.data);
	free(twice.data);
}

/* A value is whole JSON; a text counts what it is without its escapes. */
static void
check_value(TxsSlice text)
{
	TxsReader reader;
	TxsItemValue value;
	const char *problem;

	txs_reader_open(&reader, text.data, text.length);
	problem = txs_item_value_read(&reader, &value);
	require(problem == NULL || *problem != '\0');
	if (problem != NULL)
		return;
	require(reader.token == TXS_TOKEN_OBJECT_END && reader.depth == 0);
	require((value.type == '\0') == (value.content.data == NULL));
	if (value.type == 'S')
	{
		char *plain = exact_block(value.content.length);

		require(txs_reader_unescape(value.content, plain) == value.size);
		free(plain);
	}
	if (value.type == 'B' && !value.escaped)
	{
		char *bytes = exact_block(value.content.length / 4 * 3);
		size_t length;

		if (txs_base64_decode(value.content, bytes, &length))
			require(length == value.size);
		free(bytes);
	}
}

static void
check_row_key(TxsSlice text)
{
	int64_t sequence = 0;
	char again[TXS_STATE_ROW_KEY_LENGTH];

	if (txs_row_key_read(text, &sequence) == TXS_ROW_KEY_STATE)
	{
		require(sequence >= 0 && text.length == sizeof(again));
		txs_row_key_write(sequence, again);
		require(memcmp(again, text.data, sizeof(again)) == 0);
	}

	memcpy(&sequence, text.data, Min(text.length, 8));
	txs_row_key_write(sequence, again);
	require((txs_row_key_read((TxsSlice){again, sizeof(again)}, &sequence) ==
			 TXS_ROW_KEY_STATE) == (sequence >= 0));
}

/* Every time that is written can be read. */
/* All parts of the key, in their order, or but the type. */
static void
check_partition_key(TxsSlice text)
{
	TxsPartitionParts parts;

	txs_partition_key_split(text, "default", &parts);
	require((parts.grain_key.data == NULL) == (parts.state_name.data == NULL));
	if (parts.grain_key.data == NULL)
		return;
	require(parts.grain_type.data == text.data);
	require(parts.grain_key.data == text.data + parts.grain_type.length + 1);
	require(parts.state_name.data == parts.grain_key.data +
										 parts.grain_key.length +
										 strlen("_default_"));
	require(parts.state_name.data + parts.state_name.length ==
			text.data + text.length);
}

static void
check_participant(TxsSlice text)
{
	char *grain = exact_block(text.length);
	size_t length = txs_participant_grain(text, grain);

	require(length <= text.length);
	require(length == 0 || memchr(grain, '/', length) != NULL);
	require(txs_metadata_commit_records(text) <= (int) text.length);
	free(grain);
}

static void
check_time(TxsSlice text)
{
	char out[TXS_TIME_TEXT_LENGTH];
	int64_t microseconds = 0;

	if (txs_time_text_is_valid(text))
		require(text.length == TXS_TIME_TEXT_LENGTH);
	memcpy(&microseconds, text.data, Min(text.length, 8));
	if (txs_time_text_write(microseconds, out))
		require(txs_time_text_is_valid((TxsSlice){out, sizeof(out)}));
	/* Most of all 64-bit values are no time of the years 1 to 9999. */
	if (txs_time_text_write(microseconds / 64, out))
		require(txs_time_text_is_valid((TxsSlice){out, sizeof(out)}));
}

static bool
is_json(TxsSlice text)
{
	TxsReader reader;
	TxsSlice raw;

	txs_reader_open(&reader, text.data, text.length);
	return txs_reader_raw(&reader, &raw) &&
		   txs_reader_next(&reader) == TXS_TOKEN_END;
}

static bool
has_no_nul(TxsSlice text)
{
	return text.length == 0 || memchr(text.data, 0, text.length) == NULL;
}
