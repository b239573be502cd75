/*
 * Write a row as a DynamoDB item in JSON; see item.h.
 */
#include "orleans/item.h"

#include <string.h>

/* {"S":...}: a value of one type. */
static void
write_text(TxsWriter *writer, const char *name, TxsSlice text)
{
	if (text.data == NULL)
		return;
	txs_writer_name(writer, name);
	txs_writer_object(writer);
	txs_writer_name(writer, "S");
	txs_writer_string(writer, text.data, text.length);
	txs_writer_object_end(writer);
}

static void
write_bytes(TxsWriter *writer, const char *name, TxsSlice bytes)
{
	if (bytes.data == NULL)
		return;
	txs_writer_name(writer, name);
	txs_writer_object(writer);
	txs_writer_name(writer, "B");
	txs_writer_base64(writer, bytes.data, bytes.length);
	txs_writer_object_end(writer);
}

static void
write_number(TxsWriter *writer, const char *name, bool present, int64_t number)
{
	if (!present)
		return;
	txs_writer_name(writer, name);
	txs_writer_object(writer);
	txs_writer_name(writer, "N");
	txs_writer_int64_string(writer, number);
	txs_writer_object_end(writer);
}

static void
write_extra(TxsWriter *writer, TxsSlice extra)
{
	if (extra.data != NULL)
		txs_writer_members(writer, extra);
}

static void
write_key_row(TxsWriter *writer, const TxsKeyRow *row)
{
	write_number(writer, "CommittedSequenceId", row->has_committed,
				 row->committed);
	write_bytes(writer, "Metadata", row->metadata);
	write_number(writer, "Timestamp", row->has_timestamp, row->timestamp);
	write_number(writer, "ETag", row->etag != TXS_NO_ETAG, row->etag);
	write_extra(writer, row->extra);
}

static void
write_state_row(TxsWriter *writer, const TxsStateRow *row)
{
	write_bytes(writer, "GrainState", row->state);
	write_text(writer, "TransactionId", row->transaction_id);
	write_text(writer, "TransactionTimestamp", row->timestamp);
	write_bytes(writer, "TransactionManager", row->manager);
	write_number(writer, "ETag", row->etag != TXS_NO_ETAG, row->etag);
	write_extra(writer, row->extra);
}

void
txs_item_write(TxsWriter *writer, const TxsItem *item)
{
	char row_key[TXS_STATE_ROW_KEY_LENGTH];
	TxsSlice state_key = {row_key, sizeof(row_key)};
	TxsSlice key_key = {TXS_KEY_ROW_KEY, strlen(TXS_KEY_ROW_KEY)};

	txs_writer_object(writer);
	write_text(writer, "PartitionKey", item->partition);
	if (item->is_key)
	{
		write_text(writer, "RowKey", key_key);
		write_key_row(writer, &item->key);
	}
	else
	{
		txs_row_key_write(item->state.sequence, row_key);
		write_text(writer, "RowKey", state_key);
		write_state_row(writer, &item->state);
	}
	txs_writer_object_end(writer);
}
