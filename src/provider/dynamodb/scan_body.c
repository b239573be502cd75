/*
 * What a scan's requests ask for.
 *
 * Attributes go by placeholders, as their names may be reserved words; the
 * answer holds the key and the attributes that are wanted, and no others.
 */
#include "provider/dynamodb/scan.h"

#include "provider/dynamodb/body.h"

/* Attributes and the bits that want them. */
static const struct
{
	const char *name;
	const char *placeholder;
	int bit;
} attributes[] = {
	{"PartitionKey", "#p", 0},
	{"RowKey", "#r", 0},
	{"ETag", "#e", TXS_WANT_ETAG},
	{"CommittedSequenceId", "#c", TXS_WANT_COMMITTED},
	{"Metadata", "#m", TXS_WANT_METADATA},
	{"Timestamp", "#t", TXS_WANT_TIMESTAMP},
	{"GrainState", "#s", TXS_WANT_STATE},
	{"TransactionId", "#i", TXS_WANT_TRANSACTION},
	{"TransactionTimestamp", "#d", TXS_WANT_TIME},
	{"TransactionManager", "#a", TXS_WANT_MANAGER},
};

TxsScanOperation
txs_scan_operation(const TxsScanRequest *request)
{
	if (request->all)
		return TXS_SCAN_TABLE;
	if (request->kinds == TXS_KEY_ROWS ||
		(request->kinds == TXS_STATE_ROWS && request->first == request->last))
		return request->npartitions == 1 ? TXS_SCAN_GET : TXS_SCAN_BATCH_GET;
	return TXS_SCAN_QUERY;
}

const char *
txs_scan_operation_name(TxsScanOperation operation)
{
	static const char *const names[] = {
		[TXS_SCAN_GET] = "GetItem",
		[TXS_SCAN_BATCH_GET] = "BatchGetItem",
		[TXS_SCAN_QUERY] = "Query",
		[TXS_SCAN_TABLE] = "Scan",
	};

	return names[operation];
}

int
txs_scan_streams(const TxsScanRequest *request)
{
	switch (txs_scan_operation(request))
	{
		case TXS_SCAN_BATCH_GET:
			return (request->npartitions + TXS_BATCH_KEYS - 1) /
				   TXS_BATCH_KEYS;
		case TXS_SCAN_TABLE:
			return request->limit > 0 ? 1 : Max(request->segments, 1);
		default:
			return request->npartitions;
	}
}

static bool
is_wanted(const TxsScanRequest *request, int i)
{
	return attributes[i].bit == 0 || (request->wanted & attributes[i].bit);
}

/* Does the request want attributes that have no names here? */
static bool
wants_all(const TxsScanRequest *request)
{
	return (request->wanted & TXS_WANT_EXTRA) != 0;
}

static void
put_projection(TxsWriter *writer, const TxsScanRequest *request)
{
	StringInfoData text;
	int i;

	if (wants_all(request))
		return;
	initStringInfo(&text);
	for (i = 0; i < (int) lengthof(attributes); i++)
	{
		if (is_wanted(request, i))
			appendStringInfo(&text, "%s%s", text.len > 0 ? "," : "",
							 attributes[i].placeholder);
	}
	txs_body_text(writer, "ProjectionExpression", text.data);
}

/* What placeholders stand for: those of the projection, or of the key alone. */
static void
put_names(TxsWriter *writer, const TxsScanRequest *request, bool projection,
		  bool partition, bool row)
{
	int i;

	projection &= !wants_all(request);
	if (!projection && !partition && !row)
		return;
	txs_writer_name(writer, "ExpressionAttributeNames");
	txs_writer_object(writer);
	for (i = 0; i < (int) lengthof(attributes); i++)
	{
		if ((projection && is_wanted(request, i)) || (partition && i == 0) ||
			(row && i == 1))
			txs_body_text(writer, attributes[i].placeholder,
						  attributes[i].name);
	}
	txs_writer_object_end(writer);
}

static void
put_consistent(TxsWriter *writer, const TxsScanRequest *request)
{
	txs_writer_name(writer, "ConsistentRead");
	txs_writer_bool(writer, request->consistent);
}

static void
put_limit(TxsWriter *writer, const TxsScanStep *step)
{
	if (step->limit > 0)
		txs_body_number(writer, "Limit", step->limit);
}

static TxsSlice
get_body(const TxsStorage *storage, const TxsScanRequest *request,
		 TxsSlice partition)
{
	TxsWriter writer;

	txs_body_open(&writer);
	put_consistent(&writer, request);
	put_names(&writer, request, true, false, false);
	txs_writer_name(&writer, "Key");
	txs_writer_object(&writer);
	txs_body_key(&writer, partition, request->kinds == TXS_KEY_ROWS,
				 request->first);
	txs_writer_object_end(&writer);
	put_projection(&writer, request);
	txs_body_text(&writer, "ReturnConsumedCapacity", "TOTAL");
	txs_body_table(&writer, storage);
	return txs_body_finish(&writer);
}

static void
put_keys(TxsWriter *writer, const TxsScanRequest *request, int stream)
{
	int first = stream * TXS_BATCH_KEYS;
	int end = Min(first + TXS_BATCH_KEYS, request->npartitions);
	int i;

	txs_writer_name(writer, "Keys");
	txs_writer_array(writer);
	for (i = first; i < end; i++)
	{
		txs_writer_object(writer);
		txs_body_key(writer, request->partitions[i],
					 request->kinds == TXS_KEY_ROWS, request->first);
		txs_writer_object_end(writer);
	}
	txs_writer_array_end(writer);
}

static TxsSlice
batch_get_body(const TxsStorage *storage, const TxsScanRequest *request,
			   const TxsScanStep *step)
{
	TxsWriter writer;

	txs_body_open(&writer);
	txs_writer_name(&writer, "RequestItems");
	if (step->remain.data != NULL)
		txs_writer_raw(&writer, step->remain);
	else
	{
		txs_writer_object(&writer);
		txs_writer_name(&writer, storage->table_name);
		txs_writer_object(&writer);
		put_consistent(&writer, request);
		put_names(&writer, request, true, false, false);
		put_keys(&writer, request, step->stream);
		put_projection(&writer, request);
		txs_writer_object_end(&writer);
		txs_writer_object_end(&writer);
	}
	txs_body_text(&writer, "ReturnConsumedCapacity", "TOTAL");
	return txs_body_finish(&writer);
}

static void
put_sequence(TxsWriter *writer, const char *name, int64 sequence)
{
	char row_key[TXS_STATE_ROW_KEY_LENGTH];

	txs_row_key_write(sequence, row_key);
	txs_body_value(writer, name, row_key, sizeof(row_key));
}

/* The values :f and :l: bounds of row keys.  Without bounds, malformed row keys
 * are seen, too. */
static void
put_range(TxsWriter *writer, const TxsScanRequest *request)
{
	if (request->first == 0 && request->last == PG_INT64_MAX)
	{
		txs_body_value(writer, ":f", "state_", 6);
		txs_body_value(writer, ":l", "state_~", 7);
		return;
	}
	put_sequence(writer, ":f", request->first);
	put_sequence(writer, ":l", request->last);
}

/* Rows of both kinds: all of the partition; states: those of a range. */
static TxsSlice
query_body(const TxsStorage *storage, const TxsScanRequest *request,
		   const TxsScanStep *step)
{
	TxsSlice partition = request->partitions[step->stream];
	bool is_range = request->kinds == TXS_STATE_ROWS;
	TxsWriter writer;

	txs_body_open(&writer);
	put_consistent(&writer, request);
	txs_body_start(&writer, step->start);
	put_names(&writer, request, !step->is_count, true, is_range);
	txs_writer_name(&writer, "ExpressionAttributeValues");
	txs_writer_object(&writer);
	txs_body_value(&writer, ":p", partition.data, partition.length);
	if (is_range)
		put_range(&writer, request);
	txs_writer_object_end(&writer);
	txs_body_text(&writer, "KeyConditionExpression",
				  is_range ? "#p = :p AND #r BETWEEN :f AND :l" : "#p = :p");
	put_limit(&writer, step);
	if (!step->is_count)
		put_projection(&writer, request);
	txs_body_text(&writer, "ReturnConsumedCapacity", "TOTAL");
	if (request->backward)
	{
		txs_writer_name(&writer, "ScanIndexForward");
		txs_writer_bool(&writer, false);
	}
	if (step->is_count)
		txs_body_text(&writer, "Select", "COUNT");
	txs_body_table(&writer, storage);
	return txs_body_finish(&writer);
}

/* The rows of one kind, where not both are wanted. */
static void
put_filter(TxsWriter *writer, const TxsScanRequest *request)
{
	txs_writer_name(writer, "ExpressionAttributeValues");
	txs_writer_object(writer);
	if (request->kinds == TXS_KEY_ROWS)
		txs_body_value(writer, ":k", TXS_KEY_ROW_KEY, strlen(TXS_KEY_ROW_KEY));
	else
		put_range(writer, request);
	txs_writer_object_end(writer);
	txs_body_text(writer, "FilterExpression",
				  request->kinds == TXS_KEY_ROWS ? "#r = :k"
												 : "#r BETWEEN :f AND :l");
}

static TxsSlice
scan_body(const TxsStorage *storage, const TxsScanRequest *request,
		  const TxsScanStep *step)
{
	bool is_filtered = request->kinds != (TXS_KEY_ROWS | TXS_STATE_ROWS);
	int segments = txs_scan_streams(request);
	TxsWriter writer;

	txs_body_open(&writer);
	put_consistent(&writer, request);
	txs_body_start(&writer, step->start);
	put_names(&writer, request, !step->is_count, false, is_filtered);
	if (is_filtered)
		put_filter(&writer, request);
	put_limit(&writer, step);
	if (!step->is_count)
		put_projection(&writer, request);
	txs_body_text(&writer, "ReturnConsumedCapacity", "TOTAL");
	if (segments > 1)
		txs_body_number(&writer, "Segment", step->stream);
	if (step->is_count)
		txs_body_text(&writer, "Select", "COUNT");
	txs_body_table(&writer, storage);
	if (segments > 1)
		txs_body_number(&writer, "TotalSegments", segments);
	return txs_body_finish(&writer);
}

TxsSlice
txs_scan_body(const TxsStorage *storage, const TxsScanRequest *request,
			  const TxsScanStep *step)
{
	switch (txs_scan_operation(request))
	{
		case TXS_SCAN_GET:
			return get_body(storage, request,
							request->partitions[step->stream]);
		case TXS_SCAN_BATCH_GET:
			return batch_get_body(storage, request, step);
		case TXS_SCAN_QUERY:
			return query_body(storage, request, step);
		case TXS_SCAN_TABLE:
			break;
	}
	return scan_body(storage, request, step);
}
