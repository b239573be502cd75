/*
 * Bodies of requests, member for member as Orleans' own provider and its SDK
 * send them (spec transactional-storage 1.2).
 */
#include "provider/dynamodb/body.h"

#include "utils/uuid.h"

#define MUST_NOT_EXIST                                                        \
	"attribute_not_exists(PartitionKey) AND attribute_not_exists(RowKey)"
#define MUST_HAVE_ETAG "ETag = :currentETag"
#define MUST_LACK_ETAG                                                        \
	"attribute_exists(PartitionKey) AND attribute_not_exists(ETag)"

static void *
grow_block(void *block, size_t size)
{
	return block == NULL ? palloc(size) : repalloc_huge(block, size);
}

TxsSlice
txs_requests_table(const TxsStorage *storage)
{
	TxsWriter writer;

	txs_body_open(&writer);
	txs_body_table(&writer, storage);
	return txs_body_finish(&writer);
}

static void
put_throughput(TxsWriter *writer, const TxsStorage *storage)
{
	if (!storage->use_provisioned_throughput)
		return;
	txs_writer_name(writer, "ProvisionedThroughput");
	txs_writer_object(writer);
	txs_body_number(writer, "ReadCapacityUnits", storage->read_capacity_units);
	txs_body_number(writer, "WriteCapacityUnits",
					storage->write_capacity_units);
	txs_writer_object_end(writer);
}

static void
put_billing(TxsWriter *writer, const TxsStorage *storage)
{
	txs_body_text(writer, "BillingMode",
				  storage->use_provisioned_throughput ? "PROVISIONED"
													  : "PAY_PER_REQUEST");
}

static void
put_pair(TxsWriter *writer, const char *name, const char *value,
		 const char *second_name, const char *second_value)
{
	txs_writer_object(writer);
	txs_body_text(writer, name, value);
	txs_body_text(writer, second_name, second_value);
	txs_writer_object_end(writer);
}

TxsSlice
txs_requests_list_tables(const char *last)
{
	TxsWriter writer;

	txs_body_open(&writer);
	if (last != NULL)
		txs_body_text(&writer, "ExclusiveStartTableName", last);
	return txs_body_finish(&writer);
}

TxsSlice
txs_requests_create_table(const TxsStorage *storage)
{
	TxsWriter writer;

	txs_body_open(&writer);
	txs_writer_name(&writer, "AttributeDefinitions");
	txs_writer_array(&writer);
	put_pair(&writer, "AttributeName", "PartitionKey", "AttributeType", "S");
	put_pair(&writer, "AttributeName", "RowKey", "AttributeType", "S");
	txs_writer_array_end(&writer);
	put_billing(&writer, storage);
	txs_writer_name(&writer, "KeySchema");
	txs_writer_array(&writer);
	put_pair(&writer, "AttributeName", "PartitionKey", "KeyType", "HASH");
	put_pair(&writer, "AttributeName", "RowKey", "KeyType", "RANGE");
	txs_writer_array_end(&writer);
	put_throughput(&writer, storage);
	txs_body_table(&writer, storage);
	return txs_body_finish(&writer);
}

TxsSlice
txs_requests_update_table(const TxsStorage *storage)
{
	TxsWriter writer;

	txs_body_open(&writer);
	put_billing(&writer, storage);
	put_throughput(&writer, storage);
	txs_body_table(&writer, storage);
	return txs_body_finish(&writer);
}

/* The member Key: a row's two key attributes. */
static void
put_key(TxsWriter *writer, TxsSlice partition, bool is_key, int64 sequence)
{
	txs_writer_name(writer, "Key");
	txs_writer_object(writer);
	txs_body_key(writer, partition, is_key, sequence);
	txs_writer_object_end(writer);
}

TxsSlice
txs_requests_get_key(const TxsStorage *storage, TxsSlice partition)
{
	TxsWriter writer;

	txs_body_open(&writer);
	txs_writer_name(&writer, "ConsistentRead");
	txs_writer_bool(&writer, true);
	put_key(&writer, partition, true, 0);
	txs_body_table(&writer, storage);
	return txs_body_finish(&writer);
}

TxsSlice
txs_requests_query(const TxsStorage *storage, TxsSlice partition,
				   TxsSlice start)
{
	TxsWriter writer;

	txs_body_open(&writer);
	txs_writer_name(&writer, "ConsistentRead");
	txs_writer_bool(&writer, true);
	txs_body_start(&writer, start);
	txs_writer_name(&writer, "ExpressionAttributeValues");
	txs_writer_object(&writer);
	txs_body_value(&writer, ":partitionKey", partition.data, partition.length);
	txs_body_value(&writer, ":minRowKeyPrefix", "state_", 6);
	txs_body_value(&writer, ":maxRowKeyPrefix", "state_~", 7);
	txs_writer_object_end(&writer);
	txs_body_text(&writer, "KeyConditionExpression",
				  "PartitionKey = :partitionKey and RowKey between "
				  ":minRowKeyPrefix and :maxRowKeyPrefix");
	txs_body_text(&writer, "Select", "ALL_ATTRIBUTES");
	txs_body_table(&writer, storage);
	return txs_body_finish(&writer);
}

TxsSlice
txs_requests_rows(const TxsStorage *storage, TxsSlice partition,
				  TxsSlice start)
{
	TxsWriter writer;

	txs_body_open(&writer);
	txs_writer_name(&writer, "ConsistentRead");
	txs_writer_bool(&writer, true);
	txs_body_start(&writer, start);
	if (partition.data != NULL)
	{
		txs_writer_name(&writer, "ExpressionAttributeValues");
		txs_writer_object(&writer);
		txs_body_value(&writer, ":partitionKey", partition.data,
					   partition.length);
		txs_writer_object_end(&writer);
		txs_body_text(&writer, "KeyConditionExpression",
					  "PartitionKey = :partitionKey");
	}
	txs_body_table(&writer, storage);
	return txs_body_finish(&writer);
}

void
txs_requests_write_item(TxsWriter *writer, const TxsItem *item)
{
	txs_writer_open(writer, grow_block);
	txs_item_write(writer, item);
}

/* A token of its own for each transaction: a UUID, as the SDKs use. */
static void
put_token(TxsWriter *writer)
{
	pg_uuid_t uuid;
	char text[37];
	int i;
	int length = 0;

	if (!pg_strong_random(uuid.data, UUID_LEN))
		ereport(ERROR, errcode(ERRCODE_INTERNAL_ERROR),
				errmsg("could not generate random values"));
	uuid.data[6] = (uuid.data[6] & 0x0f) | 0x40;
	uuid.data[8] = (uuid.data[8] & 0x3f) | 0x80;
	for (i = 0; i < UUID_LEN; i++)
		length +=
			snprintf(text + length, sizeof(text) - length,
					 i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
					 uuid.data[i]);
	txs_body_text(writer, "ClientRequestToken", text);
}

void
txs_requests_begin(TxsTransaction *transaction, const TxsStorage *storage)
{
	transaction->storage = storage;
	txs_body_open(&transaction->writer);
	put_token(&transaction->writer);
	txs_writer_name(&transaction->writer, "TransactItems");
	txs_writer_array(&transaction->writer);
}

static void
put_condition(TxsWriter *writer, int64 expected_etag)
{
	if (expected_etag == TXS_NO_ETAG || expected_etag == TXS_ETAG_ABSENT)
	{
		txs_body_text(writer, "ConditionExpression",
					  expected_etag == TXS_NO_ETAG ? MUST_NOT_EXIST
												   : MUST_LACK_ETAG);
		return;
	}
	txs_body_text(writer, "ConditionExpression", MUST_HAVE_ETAG);
	txs_writer_name(writer, "ExpressionAttributeValues");
	txs_writer_object(writer);
	txs_writer_name(writer, ":currentETag");
	txs_writer_object(writer);
	txs_writer_name(writer, "N");
	txs_writer_int64_string(writer, expected_etag);
	txs_writer_object_end(writer);
	txs_writer_object_end(writer);
}

static void
begin_action(TxsWriter *writer, const char *name)
{
	txs_writer_object(writer);
	txs_writer_name(writer, name);
	txs_writer_object(writer);
}

static void
end_action(TxsTransaction *transaction)
{
	txs_body_table(&transaction->writer, transaction->storage);
	txs_writer_object_end(&transaction->writer);
	txs_writer_object_end(&transaction->writer);
}

void
txs_requests_put(TxsTransaction *transaction, const TxsItem *item,
				 int64 expected_etag)
{
	TxsWriter *writer = &transaction->writer;

	begin_action(writer, "Put");
	put_condition(writer, expected_etag);
	txs_writer_name(writer, "Item");
	txs_item_write(writer, item);
	end_action(transaction);
}

void
txs_requests_delete(TxsTransaction *transaction, TxsSlice partition,
					int64 sequence, bool is_key, int64 expected_etag)
{
	TxsWriter *writer = &transaction->writer;

	begin_action(writer, "Delete");
	put_condition(writer, expected_etag);
	put_key(writer, partition, is_key, sequence);
	end_action(transaction);
}

void
txs_requests_check_absent(TxsTransaction *transaction, TxsSlice partition)
{
	begin_action(&transaction->writer, "ConditionCheck");
	put_condition(&transaction->writer, TXS_NO_ETAG);
	put_key(&transaction->writer, partition, true, 0);
	end_action(transaction);
}

TxsSlice
txs_requests_finish(TxsTransaction *transaction)
{
	txs_writer_array_end(&transaction->writer);
	return txs_body_finish(&transaction->writer);
}
