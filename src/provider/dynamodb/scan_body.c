/*
 * What a scan's requests ask for.
 *
 * Attributes go by placeholders, as their names may be reserved words; the
 * answer holds the key and the attributes that are wanted, and no others.
 */
#include "provider/dynamodb/scan.h"

#include "provider/dynamodb/body.h"
#include "provider/dynamodb/conditions.h"

/* Attributes and the bits that want them; TxsPlace knows some of the places. */
static const struct
{
	const char *name;
	const char *placeholder;
	int bit;
} attributes[] = {
	[TXS_PLACE_PARTITION] = {"PartitionKey", "#p", 0},
	[TXS_PLACE_ROW] = {"RowKey", "#r", 0},
	{"ETag", "#e", TXS_WANT_ETAG},
	[TXS_PLACE_COMMITTED] = {"CommittedSequenceId", "#c", TXS_WANT_COMMITTED},
	{"Metadata", "#m", TXS_WANT_METADATA},
	{"Timestamp", "#t", TXS_WANT_TIMESTAMP},
	{"GrainState", "#s", TXS_WANT_STATE},
	[TXS_PLACE_TRANSACTION] = {"TransactionId", "#i", TXS_WANT_TRANSACTION},
	{"TransactionTimestamp", "#d", TXS_WANT_TIME},
	{"TransactionManager", "#a", TXS_WANT_MANAGER},
};

TxsScanOperation
txs_scan_operation(const TxsScanRequest *request)
{
	if (request->all)
		return TXS_SCAN_TABLE;
	if (request->kinds == TXS_KEY_ROWS || request->sequences != NULL ||
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
			if (request->nsampled > 0)
				return request->nsampled;
			return request->limit > 0 ? 1 : Max(request->segments, 1);
		default:
			return request->npartitions;
	}
}

static bool
is_wanted(int wanted, int i)
{
	return attributes[i].bit == 0 || (wanted & attributes[i].bit);
}

/*
 * Are attributes wanted that have no names here?  There may be more of them
 * than an expression can hold.
 */
static bool
wants_all(int wanted)
{
	return (wanted & TXS_WANT_EXTRA) != 0;
}

char *
txs_dynamodb_describe_projection(int wanted)
{
	StringInfoData text;
	int i;

	if (wants_all(wanted))
		return pstrdup("all attributes");
	initStringInfo(&text);
	for (i = 0; i < (int) lengthof(attributes); i++)
	{
		if (is_wanted(wanted, i))
			appendStringInfo(&text, "%s%s", text.len > 0 ? ", " : "",
							 attributes[i].name);
	}
	return text.data;
}

static void
put_projection(TxsWriter *writer, const TxsScanRequest *request)
{
	StringInfoData text;
	int i;

	if (wants_all(request->wanted))
		return;
	initStringInfo(&text);
	for (i = 0; i < (int) lengthof(attributes); i++)
	{
		if (is_wanted(request->wanted, i))
			appendStringInfo(&text, "%s%s", text.len > 0 ? "," : "",
							 attributes[i].placeholder);
	}
	txs_body_text(writer, "ProjectionExpression", text.data);
}

/* What placeholders stand for: those of the projection, and those used. */
static void
put_names(TxsWriter *writer, const TxsScanRequest *request, bool projection,
		  int used)
{
	int i;

	projection &= !wants_all(request->wanted);
	if (!projection && used == 0)
		return;
	txs_writer_name(writer, "ExpressionAttributeNames");
	txs_writer_object(writer);
	for (i = 0; i < (int) lengthof(attributes); i++)
	{
		if ((projection && is_wanted(request->wanted, i)) || (used & (1 << i)))
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

/* The key of the row that is asked for in a partition. */
static void
put_key(TxsWriter *writer, const TxsScanRequest *request, int i)
{
	txs_body_key(writer, request->partitions[i],
				 request->kinds == TXS_KEY_ROWS,
				 request->sequences != NULL ? request->sequences[i]
											: request->first);
}

static TxsSlice
get_body(const TxsStorage *storage, const TxsScanRequest *request, int i)
{
	TxsWriter writer;

	txs_body_open(&writer);
	put_consistent(&writer, request);
	put_names(&writer, request, true, 0);
	txs_writer_name(&writer, "Key");
	txs_writer_object(&writer);
	put_key(&writer, request, i);
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
		put_key(writer, request, i);
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
		put_names(&writer, request, true, 0);
		put_keys(&writer, request, step->stream);
		put_projection(&writer, request);
		txs_writer_object_end(&writer);
		txs_writer_object_end(&writer);
	}
	txs_body_text(&writer, "ReturnConsumedCapacity", "TOTAL");
	return txs_body_finish(&writer);
}

/* Members of an object that was built beside the request. */
static void
put_values(TxsWriter *writer, TxsConditions *conditions)
{
	txs_writer_name(writer, "ExpressionAttributeValues");
	txs_writer_raw(writer, txs_body_finish(&conditions->values));
}

static void
put_filter(TxsWriter *writer, const TxsConditions *conditions)
{
	if (conditions->text.len > 0)
		txs_body_text(writer, "FilterExpression", conditions->text.data);
}

/* Rows of both kinds: all of the partition; states: those of a range. */
static TxsSlice
query_body(const TxsStorage *storage, const TxsScanRequest *request,
		   const TxsScanStep *step)
{
	bool is_range = request->kinds == TXS_STATE_ROWS;
	TxsConditions key;
	TxsConditions filter;
	TxsWriter writer;

	txs_conditions_begin(&key);
	txs_conditions_partition(&key, request->partitions[step->stream]);
	if (is_range)
		txs_conditions_rows(&key, request);
	txs_conditions_continue(&filter, &key);
	txs_conditions_attributes(&filter, request);

	txs_body_open(&writer);
	put_consistent(&writer, request);
	txs_body_start(&writer, step->start);
	put_names(&writer, request, !step->is_count, filter.used);
	put_values(&writer, &filter);
	put_filter(&writer, &filter);
	txs_body_text(&writer, "KeyConditionExpression", key.text.data);
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

static TxsSlice
scan_body(const TxsStorage *storage, const TxsScanRequest *request,
		  const TxsScanStep *step)
{
	bool is_sample = request->nsampled > 0;
	int segments =
		is_sample ? request->sample_of : txs_scan_streams(request);
	TxsConditions filter;
	TxsWriter writer;

	txs_conditions_begin(&filter);
	txs_conditions_bounds(&filter, request);
	if (request->kinds != (TXS_KEY_ROWS | TXS_STATE_ROWS))
		txs_conditions_rows(&filter, request);
	txs_conditions_attributes(&filter, request);

	txs_body_open(&writer);
	put_consistent(&writer, request);
	txs_body_start(&writer, step->start);
	put_names(&writer, request, !step->is_count, filter.used);
	if (filter.text.len > 0)
		put_values(&writer, &filter);
	put_filter(&writer, &filter);
	put_limit(&writer, step);
	if (!step->is_count)
		put_projection(&writer, request);
	txs_body_text(&writer, "ReturnConsumedCapacity", "TOTAL");
	if (segments > 1)
		txs_body_number(&writer, "Segment",
						is_sample ? request->sampled[step->stream]
								  : step->stream);
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
			return get_body(storage, request, step->stream);
		case TXS_SCAN_BATCH_GET:
			return batch_get_body(storage, request, step);
		case TXS_SCAN_QUERY:
			return query_body(storage, request, step);
		case TXS_SCAN_TABLE:
			break;
	}
	return scan_body(storage, request, step);
}
