/*
 * Sizes of rows as DynamoDB items, counted in two ways.
 *
 * Orleans adds up the UTF-8 bytes of each attribute's name and of its value,
 * where a number counts the length of its text (spec transactional-storage
 * 1.6).  The service does the same but packs numbers (spec dynamodb-client
 * section 7).  Orleans' count cuts batches; both limit an item.
 */
#include "orleans/row.h"

#include <string.h>

static void
add_bytes(TxsItemSize *size, const char *name, size_t length)
{
	size->orleans += strlen(name) + length;
	size->service += strlen(name) + length;
}

/* A byte string or text that Orleans leaves out when it is empty. */
static void
add_optional(TxsItemSize *size, const char *name, TxsSlice value)
{
	if (value.length > 0)
		add_bytes(size, name, value.length);
}

static void
add_number(TxsItemSize *size, const char *name, int64_t value)
{
	char text[TXS_NUMBER_MAX_LENGTH];
	size_t length = txs_number_from_int64(value, text);
	TxsSlice slice = {text, length};

	size->orleans += strlen(name) + length;
	size->service += strlen(name) + txs_number_counted_bytes(slice);
}

TxsItemSize
txs_size_of_key(size_t partition_length, const TxsKeyRow *row)
{
	TxsItemSize size = {0, 0};

	add_bytes(&size, "PartitionKey", partition_length);
	add_bytes(&size, "RowKey", strlen(TXS_KEY_ROW_KEY));
	if (row->has_committed)
		add_number(&size, "CommittedSequenceId", row->committed);
	add_optional(&size, "Metadata", row->metadata);
	if (row->has_timestamp)
		add_number(&size, "Timestamp", row->timestamp);
	if (row->etag != TXS_NO_ETAG)
		add_number(&size, "ETag", row->etag);
	return size;
}

TxsItemSize
txs_size_of_state(size_t partition_length, const TxsStateRow *row)
{
	TxsItemSize size = {0, 0};

	add_bytes(&size, "PartitionKey", partition_length);
	add_bytes(&size, "RowKey", TXS_STATE_ROW_KEY_LENGTH);
	add_optional(&size, "GrainState", row->state);
	add_optional(&size, "TransactionId", row->transaction_id);
	add_optional(&size, "TransactionTimestamp", row->timestamp);
	add_optional(&size, "TransactionManager", row->manager);
	if (row->etag != TXS_NO_ETAG)
		add_number(&size, "ETag", row->etag);
	size.orleans += row->extra_size;
	size.service += row->extra_size;
	return size;
}
