/*
 * Parts of request bodies; see body.h.
 */
#include "provider/dynamodb/body.h"

static void *
grow_block(void *block, size_t size)
{
	return block == NULL ? palloc(size) : repalloc_huge(block, size);
}

void
txs_body_open(TxsWriter *writer)
{
	txs_writer_open(writer, grow_block);
	txs_writer_object(writer);
}

TxsSlice
txs_body_finish(TxsWriter *writer)
{
	txs_writer_object_end(writer);
	return (TxsSlice){writer->data, writer->length};
}

void
txs_body_text(TxsWriter *writer, const char *name, const char *text)
{
	txs_writer_name(writer, name);
	txs_writer_string(writer, text, strlen(text));
}

void
txs_body_number(TxsWriter *writer, const char *name, int64 number)
{
	char digits[TXS_NUMBER_MAX_LENGTH];
	TxsSlice json = {digits, txs_number_from_int64(number, digits)};

	txs_writer_name(writer, name);
	txs_writer_raw(writer, json);
}

void
txs_body_value(TxsWriter *writer, const char *name, const char *data,
			   size_t length)
{
	txs_writer_name(writer, name);
	txs_writer_object(writer);
	txs_writer_name(writer, "S");
	txs_writer_string(writer, data, length);
	txs_writer_object_end(writer);
}

void
txs_body_number_value(TxsWriter *writer, const char *name, int64 number)
{
	txs_writer_name(writer, name);
	txs_writer_object(writer);
	txs_writer_name(writer, "N");
	txs_writer_int64_string(writer, number);
	txs_writer_object_end(writer);
}

void
txs_body_table(TxsWriter *writer, const TxsStorage *storage)
{
	txs_body_text(writer, "TableName", storage->table_name);
}

static void
put_row_key(TxsWriter *writer, bool is_key, int64 sequence)
{
	char row_key[TXS_STATE_ROW_KEY_LENGTH];

	if (is_key)
	{
		txs_body_value(writer, "RowKey", TXS_KEY_ROW_KEY,
					   strlen(TXS_KEY_ROW_KEY));
		return;
	}
	txs_row_key_write(sequence, row_key);
	txs_body_value(writer, "RowKey", row_key, sizeof(row_key));
}

void
txs_body_key(TxsWriter *writer, TxsSlice partition, bool is_key,
			 int64 sequence)
{
	txs_body_value(writer, "PartitionKey", partition.data, partition.length);
	put_row_key(writer, is_key, sequence);
}

void
txs_body_start(TxsWriter *writer, TxsSlice start)
{
	if (start.data == NULL)
		return;
	txs_writer_name(writer, "ExclusiveStartKey");
	txs_writer_raw(writer, start);
}
