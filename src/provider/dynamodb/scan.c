/*
 * The streams of a scan.
 *
 * As many streams as are allowed are on their way together; the next page of
 * a stream is asked for as soon as its last one is there, before that is
 * decoded.  So memory holds two pages a stream at most, whatever the table's
 * size.
 *
 * Rows of a partition come together: where the end of a page may cut a
 * partition in two, the scan stays with the stream until the partition ends.
 */
#include "provider/dynamodb/scan.h"

#include "miscadmin.h"
#include "utils/memutils.h"

/* Queries and batches that are on their way together. */
#define MAX_STREAMS 8

/* Answers in a row that get no further: empty, or with all keys left. */
#define MAX_IDLE_ANSWERS 10

/* Milliseconds to wait after the first of them; it doubles. */
#define IDLE_DELAY 25

/* One page of a stream, with its request, in memory of its own. */
typedef struct Leaf
{
	MemoryContext memory;
	TxsCall call;
	TxsRunningCall *running; /* NULL: not asked for, or taken */
	TxsScanPage page;
} Leaf;

typedef struct Stream
{
	int number;
	Leaf leaves[2];
	Leaf *current; /* whose rows are being read; NULL before the first */
	Leaf *next;	   /* asked for; NULL if the stream ends with current */
	int item;	   /* the next one of current */
	int idle_answers;
} Stream;

typedef struct RowScan
{
	MemoryContext memory;
	const TxsConnection *connection;
	const TxsScanRequest *request;
	TxsScanOperation operation;
	bool is_count;
	bool is_there;	 /* an answer has shown that the table exists */
	bool is_missing; /* one has said that it does not */
	int total;		 /* streams */
	int begun;
	int count; /* streams that are on their way */
	Stream *streams[TXS_MAX_SEGMENTS];
	Stream *current;   /* the one that is read */
	bool is_sticky;	   /* and must be read on, whatever others have */
	int64 given;	   /* rows */
	int64 limit;	   /* of the next page; 0: none */
	MemoryContext row; /* of the row given last */
	TxsScanCounters counters;
} RowScan;

void *
txs_dynamodb_open_scan(const TxsStorage *storage, Snapshot snapshot)
{
	MemoryContext memory =
		AllocSetContextCreate(CurrentMemoryContext, "txstore scan",
							  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(memory);
	RowScan *scan = palloc0(sizeof(RowScan));

	scan->memory = memory;
	scan->connection = txs_settings_connect(storage);
	scan->row =
		AllocSetContextCreate(memory, "txstore row", ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(caller);
	return scan;
}

/* ------------------------------------------------------------ asking */

/* Ask for a stream's next page, which goes on where the last one ended. */
static void
ask(RowScan *scan, Stream *stream, Leaf *leaf, const TxsScanPage *last,
	int delay)
{
	MemoryContext caller = MemoryContextSwitchTo(leaf->memory);
	TxsScanStep step = {
		.stream = stream->number,
		.limit = scan->limit,
		.is_count = scan->is_count,
	};

	if (last != NULL)
	{
		step.start = last->last_key;
		step.remain = last->unprocessed;
	}
	memset(&leaf->call, 0, sizeof(leaf->call));
	leaf->call.connection = scan->connection;
	leaf->call.operation = txs_scan_operation_name(scan->operation);
	leaf->call.body =
		txs_scan_body(scan->connection->storage, scan->request, &step);
	leaf->running = txs_client_begin(&leaf->call, delay);
	scan->counters.requests++;
	MemoryContextSwitchTo(caller);
}

static Stream *
begin_stream(RowScan *scan)
{
	Stream *stream = MemoryContextAllocZero(scan->memory, sizeof(Stream));
	int i;

	for (i = 0; i < 2; i++)
		stream->leaves[i].memory =
			AllocSetContextCreate(scan->memory, "txstore page",
								  ALLOCSET_DEFAULT_SIZES);
	stream->number = scan->begun++;
	stream->next = &stream->leaves[0];
	ask(scan, stream, stream->next, NULL, 0);
	return stream;
}

/* Streams that may be on their way together. */
static int
most_streams(const RowScan *scan)
{
	if (scan->request->limit > 0)
		return 1;
	return scan->operation == TXS_SCAN_TABLE ? Max(scan->request->segments, 1)
											 : MAX_STREAMS;
}

static void
begin_streams(RowScan *scan)
{
	while (scan->count < most_streams(scan) && scan->begun < scan->total)
		scan->streams[scan->count++] = begin_stream(scan);
}

static void
end_stream(RowScan *scan, Stream *stream)
{
	int i;

	for (i = 0; scan->streams[i] != stream; i++)
		;
	scan->streams[i] = scan->streams[--scan->count];
	for (i = 0; i < 2; i++)
		MemoryContextDelete(stream->leaves[i].memory);
	pfree(stream);
	if (scan->current == stream)
		scan->current = NULL;
}

static void
end_streams(RowScan *scan)
{
	while (scan->count > 0)
		end_stream(scan, scan->streams[0]);
	scan->is_sticky = false;
}

void
txs_dynamodb_start_scan(void *arg, const TxsScanRequest *request)
{
	RowScan *scan = arg;

	end_streams(scan);
	scan->request = request;
	scan->operation = txs_scan_operation(request);
	scan->total = txs_scan_streams(request);
	scan->begun = 0;
	scan->given = 0;
	scan->limit = request->limit;
	scan->is_count = false;
	scan->is_there = scan->is_missing = false;
}

/* ----------------------------------------------------------- answers */

/* May the storage be one that has not been made yet?  Then it is empty. */
static bool
is_not_made(const TxsCall *call)
{
	return call->result == TXS_CALL_REFUSED && call->code != NULL &&
		   strcmp(call->code, "ResourceNotFoundException") == 0 &&
		   call->connection->storage->create_if_not_exists;
}

static bool
is_same(TxsSlice a, TxsSlice b)
{
	return a.length == b.length && memcmp(a.data, b.data, a.length) == 0;
}

static bool
goes_on(const TxsScanPage *page)
{
	return page->last_key.data != NULL || page->unprocessed.data != NULL;
}

static void
count_page(RowScan *scan, const Leaf *leaf)
{
	TxsScanCounters *counters = &scan->counters;
	const TxsScanPage *page = &leaf->page;
	int64 returned = page->count >= 0 ? page->count : page->nitems;

	counters->pages++;
	counters->retries += leaf->call.attempts - 1;
	counters->returned += returned;
	counters->scanned += page->scanned >= 0 ? page->scanned : returned;
	counters->bytes += leaf->call.answer.length;
	counters->capacity += page->capacity;
}

/* The partition that a stream reads; data NULL for a segment or a batch. */
static TxsSlice
partition_of(const RowScan *scan, int stream)
{
	if (scan->operation == TXS_SCAN_GET || scan->operation == TXS_SCAN_QUERY)
		return scan->request->partitions[stream];
	return (TxsSlice){NULL, 0};
}

/* The table exists; then no answer of the same scan may have said otherwise. */
static void
see_table(RowScan *scan)
{
	scan->is_there = true;
	if (scan->is_missing)
		ereport(ERROR, errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				errmsg("the table of storage \"%s\" was made while it was "
					   "read",
					   scan->connection->storage->name),
				errhint("Try again."));
}

/* Take apart the answer that is there. */
static void
read_answer(RowScan *scan, const Stream *stream, Leaf *leaf)
{
	const TxsCall *call = &leaf->call;
	MemoryContext caller = MemoryContextSwitchTo(leaf->memory);

	leaf->running = NULL;
	memset(&leaf->page, 0, sizeof(leaf->page));
	if (is_not_made(call) && !scan->is_there)
		scan->is_missing = true;
	else if (call->result != TXS_CALL_OK)
		txs_errors_report(call,
						  psprintf("could not read storage \"%s\"",
								   scan->connection->storage->name),
						  NULL);
	else if (!txs_scan_read_page(scan->operation, scan->is_count, call->answer,
								 &leaf->page))
		txs_errors_report_answer(scan->connection, call->operation,
								 partition_of(scan, stream->number),
								 "it is no page of items");
	else
		see_table(scan);
	count_page(scan, leaf);
	MemoryContextSwitchTo(caller);
}

/*
 * Is a page no further than the one before it?  Keys that no row has are not
 * among its items, but fewer are left.
 */
static bool
is_standing(const TxsScanPage *page, const TxsScanPage *last)
{
	if (last == NULL)
		return false;
	if (page->unprocessed.data != NULL)
		return page->nitems == 0 && last->unprocessed.data != NULL &&
			   page->unprocessed.length >= last->unprocessed.length;
	return page->last_key.data != NULL && last->last_key.data != NULL &&
		   is_same(page->last_key, last->last_key);
}

/*
 * Take account of a page that may not have got any further.  It is asked for
 * again, but not for ever.
 */
static void
count_idle(const RowScan *scan, Stream *stream, bool is_standing)
{
	if (!is_standing)
		stream->idle_answers = 0;
	else if (++stream->idle_answers > MAX_IDLE_ANSWERS)
		ereport(ERROR, errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				errmsg("could not read storage \"%s\"",
					   scan->connection->storage->name),
				errdetail("%d answers to %s got no further.",
						  stream->idle_answers,
						  txs_scan_operation_name(scan->operation)),
				errhint("Try again later, or give the table more capacity."));
}

/* How long to wait before the next page is asked for. */
static int
idle_delay(const Stream *stream)
{
	return stream->idle_answers == 0 ? 0
									 : IDLE_DELAY << (stream->idle_answers - 1);
}

/* The first rows may be enough; if they are not, pages grow. */
static void
grow_limit(RowScan *scan)
{
	if (scan->limit > 0)
		scan->limit = scan->limit < 10000 ? scan->limit * 4 : 0;
}

/* Ask for the page after the current one, if there is one and it is due. */
static void
ask_ahead(RowScan *scan, Stream *stream)
{
	Leaf *current = stream->current;
	Leaf *other = current == &stream->leaves[0] ? &stream->leaves[1]
												: &stream->leaves[0];

	if (stream->next != NULL || !goes_on(&current->page))
		return;
	grow_limit(scan);
	MemoryContextReset(other->memory);
	stream->next = other;
	ask(scan, stream, other, &current->page, idle_delay(stream));
}

/* Is it certain that more rows are wanted than have been given? */
static bool
wants_more(const RowScan *scan)
{
	return scan->request->limit == 0 || scan->given >= scan->request->limit;
}

/* The page that has arrived becomes the current one. */
static void
turn_page(RowScan *scan, Stream *stream)
{
	Leaf *last = stream->current;
	const TxsScanPage *page = &stream->next->page;
	bool standing;

	read_answer(scan, stream, stream->next);
	standing = is_standing(page, last != NULL ? &last->page : NULL);
	if (standing && page->nitems > 0)
		txs_errors_report_answer(scan->connection,
								 stream->next->call.operation,
								 partition_of(scan, stream->number),
								 "its pages do not go on");
	count_idle(scan, stream, standing);
	stream->current = stream->next;
	stream->next = NULL;
	stream->item = 0;
	if (wants_more(scan))
		ask_ahead(scan, stream);
}

/* ------------------------------------------------- choosing a stream */

static bool
has_item(const Stream *stream)
{
	return stream->current != NULL &&
		   stream->item < stream->current->page.nitems;
}

/* Has a stream's next page arrived? */
static bool
has_arrived(Stream *stream)
{
	return stream->next != NULL && txs_client_is_done(stream->next->running);
}

static bool
has_ended(const Stream *stream)
{
	return stream->current != NULL && stream->next == NULL &&
		   !has_item(stream) && !goes_on(&stream->current->page);
}

/* Bring a stream to its next item, without waiting; true if it is there. */
static bool
advance(RowScan *scan, Stream *stream)
{
	for (;;)
	{
		if (has_item(stream))
			return true;
		if (stream->current != NULL && stream->next == NULL)
			ask_ahead(scan, stream);
		if (!has_arrived(stream))
			return false;
		turn_page(scan, stream);
	}
}

/* Wait for one stream, or for any. */
static void
wait_for(RowScan *scan, Stream *stream)
{
	TxsRunningCall *calls[TXS_MAX_SEGMENTS];
	instr_time start;
	instr_time end;
	int count = 0;
	int i;

	for (i = 0; i < scan->count; i++)
	{
		if (scan->streams[i]->next != NULL &&
			(stream == NULL || stream == scan->streams[i]))
			calls[count++] = scan->streams[i]->next->running;
	}
	INSTR_TIME_SET_CURRENT(start);
	txs_client_wait(calls, count);
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	scan->counters.wait_microseconds += INSTR_TIME_GET_MICROSEC(end);
}

/* Find a stream that has an item, other than one; NULL if none has now. */
static Stream *
find_ready(RowScan *scan, const Stream *other)
{
	int i = 0;

	while (i < scan->count)
	{
		Stream *stream = scan->streams[i];

		if (stream != other && advance(scan, stream))
			return stream;
		if (stream != other && has_ended(stream))
			end_stream(scan, stream);
		else
			i++;
	}
	return NULL;
}

/* Go to a stream that has an item; false when all streams have ended. */
static bool
choose_stream(RowScan *scan)
{
	for (;;)
	{
		Stream *current = scan->current;

		if (current != NULL && advance(scan, current))
			return true;
		if (current != NULL && has_ended(current))
		{
			end_stream(scan, current);
			scan->is_sticky = false;
		}
		if (!scan->is_sticky)
		{
			begin_streams(scan);
			scan->current = find_ready(scan, NULL);
			if (scan->current != NULL)
				return true;
			if (scan->count == 0 && scan->begun == scan->total)
				return false;
		}
		if (scan->count > 0)
			wait_for(scan, scan->is_sticky ? scan->current : NULL);
	}
}

/* --------------------------------------------------------------- rows */

/* Read an item; false for a row that is none of Orleans'. */
static bool
read_row(RowScan *scan, TxsSlice raw, TxsItem *item)
{
	MemoryContext caller = MemoryContextSwitchTo(scan->row);
	TxsItemError error;
	TxsItemStatus status;

	MemoryContextReset(scan->row);
	status = txs_item_read(raw, item, &error);
	if (status != TXS_ITEM_OK && status != TXS_ITEM_FOREIGN)
		txs_dynamodb_read_item(scan->connection,
							   txs_scan_operation_name(scan->operation),
							   partition_of(scan, scan->current->number), raw,
							   item);
	MemoryContextSwitchTo(caller);
	return status == TXS_ITEM_OK;
}

/* Was this row asked for?  The service may be something else. */
static bool
is_asked_for(const RowScan *scan, const TxsItem *item)
{
	const TxsScanRequest *request = scan->request;

	if (!(request->kinds & (item->is_key ? TXS_KEY_ROWS : TXS_STATE_ROWS)))
		return false;
	return item->is_key || request->kinds != TXS_STATE_ROWS ||
		   (item->state.sequence >= request->first &&
			item->state.sequence <= request->last);
}

/*
 * Must the scan stay with this stream after this row?  A Query's rows are all
 * of one partition; in a table's segment the last partition of a page may go
 * on.
 */
static bool
is_cut(const RowScan *scan, const TxsItem *item)
{
	const TxsScanPage *page = &scan->current->current->page;

	if (scan->operation == TXS_SCAN_QUERY)
		return true;
	return scan->operation == TXS_SCAN_TABLE && page->last_key.data != NULL &&
		   txs_reader_unescapes_to(page->last_partition, item->partition);
}

bool
txs_dynamodb_next_row(void *arg, TxsItem *item)
{
	RowScan *scan = arg;

	CHECK_FOR_INTERRUPTS();
	while (choose_stream(scan))
	{
		Stream *stream = scan->current;

		if (!read_row(scan, stream->current->page.items[stream->item++], item))
			continue;
		if (!is_asked_for(scan, item))
			txs_errors_report_answer(scan->connection,
									 txs_scan_operation_name(scan->operation),
									 partition_of(scan, stream->number),
									 "it has another row than was asked for");
		scan->is_sticky = is_cut(scan, item);
		scan->given++;
		return true;
	}
	return false;
}

int64
txs_dynamodb_count_rows(void *arg)
{
	RowScan *scan = arg;
	int64 count = 0;
	TxsItem item;

	if (scan->operation == TXS_SCAN_QUERY || scan->operation == TXS_SCAN_TABLE)
	{
		int64 before = scan->counters.returned;

		scan->is_count = true;
		/* A server that sends items, too, has counted them. */
		while (choose_stream(scan))
			scan->current->item = scan->current->current->page.nitems;
		return scan->counters.returned - before;
	}
	while (txs_dynamodb_next_row(scan, &item))
		count++;
	return count;
}

const TxsScanCounters *
txs_dynamodb_counters(void *arg)
{
	return &((RowScan *) arg)->counters;
}

void
txs_dynamodb_close_scan(void *arg)
{
	MemoryContextDelete(((RowScan *) arg)->memory);
}

const char *
txs_dynamodb_describe_shape(const TxsShape *shape)
{
	bool is_full_key = shape->kinds == TXS_KEY_ROWS ||
					   (shape->kinds == TXS_STATE_ROWS && shape->has_sequence);

	if (!shape->has_partitions)
		return shape->is_count ? "Scan, count" : "Scan";
	if (!is_full_key)
		return shape->is_count ? "Query, count" : "Query";
	return shape->is_many ? "BatchGetItem" : "GetItem";
}
