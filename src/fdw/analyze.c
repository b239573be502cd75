/*
 * ANALYZE of foreign tables: a sample of rows.
 *
 * A storage that is read in parts is read in a few of them, chosen at random;
 * any other, and one that is small, as a whole.  What is too wide for
 * statistics is not kept, so that memory does not grow with the size of states.
 */
#include "fdw/fdw.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "common/pg_prng.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/sampling.h"
#include "utils/snapmgr.h"

/* Bytes of a part; one answer of the service has about as many. */
#define PART_SIZE (1024 * 1024.0)

/* Parts that the service can make of a table. */
#define MAX_PARTS 1000000

/* Rows to read for one of the sample: an actor has rows of its states, too. */
#define ROWS_FOR_ONE 3.0

/* Bytes that are read without counting rows, and at most. */
#define SMALL_SIZE (8 * 1024 * 1024.0)
#define MOST_SIZE  (64 * 1024 * 1024.0)

/* ANALYZE takes wider values than this for unusual (its WIDTH_THRESHOLD). */
#define MAX_WIDTH 1024

typedef struct Sample
{
	TxsForeignTable *table;
	TxsScanPlan plan;
	TxsMeasure measure;
	TxsScanRequest request;
	void *scan;
	TxsActors *actors; /* of a table of partitions */
	TxsTableRow row;   /* the one that was read last */
	TxsItem item;
	double seen;
	ReservoirStateData reservoir;
	double skip; /* rows until the next one that is kept; below 0: unknown */
	HeapTuple *rows;
	int kept;
	int wanted; /* rows to keep at most */
	Datum *values;
	bool *nulls;
	MemoryContext memory; /* of a row's values */
} Sample;

/* Choose parts at random, if the storage is large. */
static void
choose_parts(Sample *sample)
{
	const TxsMeasure *measure = &sample->measure;
	double size = sample->wanted * ROWS_FOR_ONE * measure->bytes /
				  Max(measure->rows, 1);
	BlockSamplerData sampler;
	int *parts;
	int count;
	int total;

	size = Max(Min(size, MOST_SIZE), SMALL_SIZE);
	if (sample->table->storage->analyze_whole || measure->rows <= 0 ||
		measure->bytes <= size)
		return;
	total = (int) Min(ceil(measure->bytes / PART_SIZE), MAX_PARTS);
	count = (int) ceil(total * (size / measure->bytes));
	parts = palloc(sizeof(int) * count);
	BlockSampler_Init(&sampler, (BlockNumber) total, count,
					  pg_prng_uint32(&pg_global_prng_state));
	while (BlockSampler_HasMore(&sampler))
		parts[sample->request.nsampled++] = (int) BlockSampler_Next(&sampler);
	sample->request.sampled = parts;
	sample->request.sample_of = total;
}

static void
begin(Sample *sample, Relation relation)
{
	TxsForeignTable *table =
		txs_table_open(RelationGetRelid(relation), GetUserId());
	const TxsProvider *provider = table->storage->provider;
	List *columns = NIL;
	int i;

	sample->table = table;
	for (i = 1; i <= table->ncolumns; i++)
	{
		if (table->columns[i - 1].field != TXS_FIELD_DROPPED)
			columns = lappend_int(columns, i);
	}
	sample->plan.columns = columns;
	txs_plan_find_wanted(table, columns, &sample->plan);
	provider->measure(table->storage, &sample->measure);

	sample->request.kinds = sample->plan.kinds;
	sample->request.wanted = sample->plan.wanted;
	sample->request.all = true;
	sample->request.last = PG_INT64_MAX;
	sample->request.segments = table->scan_segments;
	choose_parts(sample);

	sample->values = palloc(sizeof(Datum) * Max(table->ncolumns, 1));
	sample->nulls = palloc(sizeof(bool) * Max(table->ncolumns, 1));
	sample->memory =
		AllocSetContextCreate(CurrentMemoryContext, "txstore sample",
							  ALLOCSET_DEFAULT_SIZES);
	sample->scan = provider->open_scan(table->storage, GetActiveSnapshot());
	provider->start_scan(sample->scan, &sample->request);
	if (table->kind == TXS_PARTITIONS_TABLE)
	{
		sample->actors =
			txs_actors_begin(table, sample->scan,
							 txs_columns_have(table, columns,
											  TXS_FIELD_PENDING_VERSIONS));
		txs_actors_restart(sample->actors, &sample->request);
	}
	sample->skip = -1;
	reservoir_init_selection_state(&sample->reservoir, sample->wanted);
}

static const TxsScanCounters *
counters(const Sample *sample)
{
	const TxsProvider *provider = sample->table->storage->provider;

	return provider->counters == NULL ? NULL
									  : provider->counters(sample->scan);
}

/* Has more been read than a sample is worth?  The size known is hours old. */
static bool
is_enough(const Sample *sample)
{
	const TxsScanCounters *so_far = counters(sample);

	return so_far != NULL && !sample->table->storage->analyze_whole &&
		   (double) so_far->bytes > 2 * MOST_SIZE;
}

static bool
next_row(Sample *sample)
{
	TxsTableRow *row = &sample->row;

	if (is_enough(sample))
		return false;
	if (sample->actors != NULL)
		return txs_actors_next(sample->actors, row);
	if (!sample->table->storage->provider->next_row(sample->scan,
													&sample->item))
		return false;
	memset(row, 0, sizeof(*row));
	row->partition = sample->item.partition;
	row->key = sample->item.is_key ? &sample->item.key : NULL;
	row->state = sample->item.is_key ? NULL : &sample->item.state;
	return true;
}

/*
 * A value that is as good for statistics, which take no notice of what is wide
 * but of its width: that is given as twice MAX_WIDTH.
 */
static Datum
shorten(Oid type, Datum value)
{
	char *text;
	int length;

	if (type != TEXTOID && type != VARCHAROID && type != BYTEAOID &&
		type != JSONBOID)
		return value;
	length = (int) VARSIZE_ANY_EXHDR(DatumGetPointer(value));
	if (length <= 2 * MAX_WIDTH)
		return value;
	if (type == JSONBOID)
	{
		text = palloc0(2 * MAX_WIDTH + 1);
		memset(text, ' ', 2 * MAX_WIDTH);
		text[0] = text[2 * MAX_WIDTH - 1] = '"';
		return DirectFunctionCall1(jsonb_in, CStringGetDatum(text));
	}
	text = VARDATA_ANY(DatumGetPointer(value));
	if (type != BYTEAOID)
		length = pg_mbcliplen(text, length, 2 * MAX_WIDTH);
	return PointerGetDatum(
		cstring_to_text_with_len(text, Min(length, 2 * MAX_WIDTH)));
}

static HeapTuple
make_tuple(Sample *sample, TupleDesc descriptor)
{
	MemoryContext caller = MemoryContextSwitchTo(sample->memory);
	HeapTuple tuple;
	ListCell *cell;

	memset(sample->nulls, true, sizeof(bool) * sample->table->ncolumns);
	foreach (cell, sample->plan.columns)
	{
		int i = lfirst_int(cell) - 1;
		TxsTableColumn *column = &sample->table->columns[i];

		sample->values[i] =
			txs_values_make(sample->table, column, &sample->row,
							&sample->nulls[i]);
		if (!sample->nulls[i])
			sample->values[i] = shorten(column->base, sample->values[i]);
	}
	MemoryContextSwitchTo(caller);
	tuple = heap_form_tuple(descriptor, sample->values, sample->nulls);
	MemoryContextReset(sample->memory);
	return tuple;
}

/* Where the row that was read goes to in the sample; -1: nowhere. */
static int
choose_place(Sample *sample)
{
	int place = -1;

	if (sample->kept < sample->wanted)
		place = sample->kept++;
	else
	{
		if (sample->skip < 0)
			sample->skip = reservoir_get_next_S(&sample->reservoir,
												sample->seen, sample->wanted);
		if (sample->skip <= 0)
		{
			place = (int) (sample->wanted *
						   sampler_random_fract(
							   &sample->reservoir.randstate));
			heap_freetuple(sample->rows[place]);
		}
		sample->skip -= 1;
	}
	sample->seen += 1;
	return place;
}

/* Rows of the table, from those that were seen. */
static double
total_rows(const Sample *sample)
{
	const TxsScanCounters *cost = counters(sample);

	if (sample->request.nsampled == 0 || cost->scanned == 0)
		return sample->seen;
	return rint(sample->seen * Max(sample->measure.rows, cost->scanned) /
				(double) cost->scanned);
}

static int
sample_rows(Relation relation, int elevel, HeapTuple *rows, int wanted,
			double *total, double *dead)
{
	Sample sample = {.rows = rows, .wanted = wanted};
	const char *name = RelationGetRelationName(relation);

	begin(&sample, relation);
	while (next_row(&sample))
	{
		int place;

		txs_analyze_delay_point();
		place = choose_place(&sample);
		if (place >= 0)
			rows[place] = make_tuple(&sample, RelationGetDescr(relation));
	}
	*total = total_rows(&sample);
	*dead = 0;
	if (sample.request.nsampled > 0)
		ereport(elevel,
				errmsg("\"%s\": read %d of %d parts, containing %.0f rows; %d "
					   "rows in sample, %.0f estimated total rows",
					   name, sample.request.nsampled, sample.request.sample_of,
					   sample.seen, sample.kept, *total));
	else
		ereport(elevel,
				errmsg("\"%s\": table contains %.0f rows, %d rows in sample",
					   name, *total, sample.kept));
	sample.table->storage->provider->close_scan(sample.scan);
	return sample.kept;
}

bool
txs_fdw_analyze(Relation relation, AcquireSampleRowsFunc *function,
				BlockNumber *pages)
{
	TxsForeignTable *table =
		txs_table_open(RelationGetRelid(relation), GetUserId());
	TxsMeasure measure;

	table->storage->provider->measure(table->storage, &measure);
	*function = sample_rows;
	*pages = (BlockNumber) Min(ceil(Max(measure.bytes, 1) / BLCKSZ),
							   (double) MaxBlockNumber);
	return true;
}
