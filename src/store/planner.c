/*
 * The planner: which batches a store() sends.  See planner.h.
 *
 * Orleans changes its cache while it sends, and needs a flag for the case
 * that sending fails half-way.  Here the whole plan is made first, with the
 * rows as they will be after it, so a plan that cannot be sent leaves nothing
 * to repair.
 */
#include "palloc.h"

#include "store/planner.h"

#define LONGEST_ETAG INT64_MAX /* 19 digits: what metadata is counted with */

/* ETag of a place in rows that a prepare will fill. */
#define NOT_YET INT64_C(-2)

typedef struct Planning
{
	const TxsPlanBase *base;
	const TxsStoreRequest *request;
	TxsPlan *plan;
	TxsKeyRow key;	   /* as the next batch writes it, but for the ETag */
	size_t batch_size; /* Orleans' count of the open batch's operations */
	int64_t obsolete_before; /* rows below it are dropped */
	bool key_changed;		 /* the new metadata waits for a batch */
} Planning;

static bool
fail(Planning *planning, TxsPlanError error, int64_t sequence, size_t size)
{
	planning->plan->error = error;
	planning->plan->sequence = sequence;
	planning->plan->size = size;
	return false;
}

static size_t
larger(TxsItemSize size)
{
	return Max(size.orleans, size.service);
}

/* Index of the first row that is not below sequence. */
static int
find_row(const TxsPlan *plan, int64_t sequence)
{
	int low = 0;
	int high = plan->nrows;

	while (low < high)
	{
		int middle = low + (high - low) / 2;

		if (plan->rows[middle].sequence < sequence)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool
has_row(const TxsPlan *plan, int position, int64_t sequence)
{
	return position < plan->nrows && plan->rows[position].sequence == sequence;
}

/* Close the open batch with the key row as it is now. */
static bool
close_batch(Planning *planning)
{
	TxsPlan *plan = planning->plan;
	TxsBatch *batch = &plan->batches[plan->nbatches];
	size_t size;

	if (planning->key.etag == LONGEST_ETAG)
		return fail(planning, TXS_PLAN_ETAG_EXHAUSTED, 0, 0);

	batch->first = plan->nbatches == 0 ? 0 : batch[-1].first + batch[-1].count;
	batch->count = plan->noperations - batch->first;
	batch->expected_key_etag = planning->key.etag;
	planning->key.etag++; /* TXS_NO_ETAG becomes 0 */
	batch->key = planning->key;
	batch->key_size =
		txs_size_of_key(planning->base->partition_length, &batch->key).orleans;
	plan->nbatches++;
	planning->batch_size = 0;
	planning->key_changed = false;

	size =
		larger(txs_size_of_key(planning->base->partition_length, &batch->key));
	if (size > TXS_MAX_ITEM_SIZE)
		return fail(planning, TXS_PLAN_METADATA_TOO_LARGE, 0, size);
	return true;
}

static int
open_operations(const Planning *planning)
{
	const TxsPlan *plan = planning->plan;

	if (plan->nbatches == 0)
		return plan->noperations;
	return plan->noperations - plan->batches[plan->nbatches - 1].first -
		   plan->batches[plan->nbatches - 1].count;
}

static bool
add_operation(Planning *planning, TxsOperation operation)
{
	TxsPlan *plan = planning->plan;

	if (open_operations(planning) > 0 &&
		planning->batch_size + operation.size > TXS_MAX_BATCH_DATA &&
		!close_batch(planning))
		return false;

	plan->operations[plan->noperations++] = operation;
	planning->batch_size += operation.size;
	if (open_operations(planning) == TXS_MAX_BATCH_OPERATIONS)
		return close_batch(planning);
	return true;
}

static bool
add_delete(Planning *planning, const TxsRowRef *row)
{
	TxsOperation operation = {
		.is_delete = true,
		.sequence = row->sequence,
		.expected_etag = row->etag,
		.size = row->size,
	};

	if (row->etag == TXS_NO_ETAG)
		return fail(planning, TXS_PLAN_ROW_WITHOUT_ETAG, row->sequence, 0);
	return add_operation(planning, operation);
}

/* Put a prepare's row in the place that make_places() has made. */
static bool
add_put(Planning *planning, const TxsStateRow *prepare)
{
	TxsPlan *plan = planning->plan;
	TxsRowRef *row = &plan->rows[find_row(plan, prepare->sequence)];
	TxsStateRow stored = *prepare;
	TxsItemSize size;
	TxsOperation operation = {
		.sequence = prepare->sequence,
		.expected_etag = TXS_NO_ETAG,
		.row = prepare,
	};

	if (row->etag == TXS_NO_ETAG)
		return fail(planning, TXS_PLAN_ROW_WITHOUT_ETAG, row->sequence, 0);
	if (row->etag == LONGEST_ETAG)
		return fail(planning, TXS_PLAN_ETAG_EXHAUSTED, row->sequence, 0);
	if (row->etag != NOT_YET)
		operation.expected_etag = row->etag;
	operation.new_etag = operation.expected_etag + 1;

	stored.etag = operation.new_etag;
	size = txs_size_of_state(planning->base->partition_length, &stored);
	if (larger(size) > TXS_MAX_ITEM_SIZE)
		return fail(planning, TXS_PLAN_STATE_TOO_LARGE, prepare->sequence,
					larger(size));
	operation.size = size.orleans;

	row->etag = operation.new_etag;
	row->size = size.orleans;
	return add_operation(planning, operation);
}

static int
compare_sequences(const void *a, const void *b)
{
	int64_t left = *(const int64_t *) a;
	int64_t right = *(const int64_t *) b;

	return (left > right) - (left < right);
}

/* The sequences of all prepares, ascending; see that no two are equal. */
static bool
sort_prepares(Planning *planning, int64_t *sequences)
{
	const TxsStoreRequest *request = planning->request;
	int i;

	for (i = 0; i < request->nprepares; i++)
	{
		sequences[i] = request->prepares[i].sequence;
		if (sequences[i] < 0)
			return fail(planning, TXS_PLAN_NEGATIVE_SEQUENCE, sequences[i], 0);
	}
	if (request->has_commit_up_to && request->commit_up_to < 0)
		return fail(planning, TXS_PLAN_NEGATIVE_SEQUENCE,
					request->commit_up_to, 0);
	if (request->has_abort_after && request->abort_after < 0)
		return fail(planning, TXS_PLAN_NEGATIVE_SEQUENCE, request->abort_after,
					0);

	qsort(sequences, request->nprepares, sizeof(int64_t), compare_sequences);
	for (i = 1; i < request->nprepares; i++)
	{
		if (sequences[i] == sequences[i - 1])
			return fail(planning, TXS_PLAN_DUPLICATE_SEQUENCE, sequences[i],
						0);
	}
	return true;
}

/* What can be refused before any operation is planned. */
static bool
check_request(Planning *planning)
{
	const TxsStoreRequest *request = planning->request;
	const TxsKeyRow *old = &planning->base->key;
	TxsKeyRow longest = {0};
	size_t size;

	/* The committed row would go, and no later load() could answer. */
	if (request->has_abort_after && request->abort_after < old->committed)
		return fail(planning, TXS_PLAN_ABORTS_COMMITTED, request->abort_after,
					0);

	longest.etag = LONGEST_ETAG;
	longest.has_committed = true;
	longest.committed = old->committed;
	if (request->has_commit_up_to && request->commit_up_to > old->committed)
		longest.committed = request->commit_up_to;
	longest.has_timestamp = true;
	longest.timestamp = request->now;
	longest.metadata = request->metadata;
	size = larger(txs_size_of_key(planning->base->partition_length, &longest));
	if (size > TXS_MAX_ITEM_SIZE)
		return fail(planning, TXS_PLAN_METADATA_TOO_LARGE, 0, size);
	return true;
}

/*
 * Delete the rows above abort_after, from the highest.  A row that a prepare
 * of the same call replaces stays: one conditional overwrite, since a
 * transaction cannot delete and put the same item.
 */
static bool
plan_aborts(Planning *planning, const int64_t *sequences)
{
	const TxsStoreRequest *request = planning->request;
	TxsPlan *plan = planning->plan;
	int first;
	int kept;
	int i;

	if (!request->has_abort_after || request->abort_after == INT64_MAX)
		return true;

	first = find_row(plan, request->abort_after + 1);
	kept = plan->nrows;
	for (i = plan->nrows - 1; i >= first; i--)
	{
		int64_t sequence = plan->rows[i].sequence;

		if (sequence >= planning->obsolete_before &&
			bsearch(&sequence, sequences, request->nprepares, sizeof(int64_t),
					compare_sequences) != NULL)
			plan->rows[--kept] = plan->rows[i];
		else if (!add_delete(planning, &plan->rows[i]))
			return false;
	}
	memmove(plan->rows + first, plan->rows + kept,
			sizeof(TxsRowRef) * (plan->nrows - kept));
	plan->nrows -= kept - first;
	return true;
}

/*
 * Make a place in rows for each prepare that has none, all in one go: many
 * prepares in an unlucky order must not take quadratic time.
 */
static void
make_places(Planning *planning, const int64_t *sequences)
{
	TxsPlan *plan = planning->plan;
	int from = plan->nrows - 1;
	int missing = 0;
	int i;

	for (i = planning->request->nprepares - 1;
		 i >= 0 && sequences[i] >= planning->obsolete_before; i--)
		missing += !has_row(plan, find_row(plan, sequences[i]), sequences[i]);
	plan->nrows += missing;

	/* From the highest; once all are made, the other rows are in place. */
	for (i = planning->request->nprepares - 1; missing > 0; i--)
	{
		TxsRowRef place = {.sequence = sequences[i], .etag = NOT_YET};

		for (; from >= 0 && plan->rows[from].sequence > sequences[i]; from--)
			plan->rows[from + missing] = plan->rows[from];
		if (from < 0 || plan->rows[from].sequence < sequences[i])
			plan->rows[from + missing--] = place;
	}
}

static bool
plan_prepares(Planning *planning, const int64_t *sequences)
{
	const TxsStoreRequest *request = planning->request;
	int i;

	make_places(planning, sequences);

	for (i = 0; i < request->nprepares; i++)
	{
		/* At the commit point a prepare overwrites the committed row. */
		if (request->prepares[i].sequence >= planning->obsolete_before &&
			!add_put(planning, &request->prepares[i]))
			return false;
	}
	return true;
}

/* From here on batches carry the new metadata and commit position. */
static void
change_key(Planning *planning)
{
	const TxsStoreRequest *request = planning->request;

	planning->key.metadata = request->metadata;
	planning->key.timestamp = request->now;
	planning->key.has_timestamp = true;
	if (request->has_commit_up_to &&
		request->commit_up_to > planning->key.committed)
		planning->key.committed = request->commit_up_to;
	planning->key_changed = true;
}

/* Delete the rows below the commit point, from the lowest. */
static bool
plan_obsolete(Planning *planning)
{
	TxsPlan *plan = planning->plan;
	int count = find_row(plan, planning->obsolete_before);
	int i;

	for (i = 0; i < count; i++)
	{
		if (!add_delete(planning, &plan->rows[i]))
			return false;
	}
	memmove(plan->rows, plan->rows + count,
			sizeof(TxsRowRef) * (plan->nrows - count));
	plan->nrows -= count;
	return true;
}

/* A commit position without its row would leave a corrupted partition. */
static bool
check_commit(Planning *planning)
{
	int64_t committed = planning->key.committed;

	if (committed == planning->base->key.committed ||
		has_row(planning->plan, find_row(planning->plan, committed),
				committed))
		return true;
	return fail(planning, TXS_PLAN_NO_ROW_TO_COMMIT, committed, 0);
}

static bool
make_plan(Planning *planning, int64_t *sequences)
{
	if (!sort_prepares(planning, sequences) || !check_request(planning) ||
		!plan_aborts(planning, sequences) ||
		!plan_prepares(planning, sequences))
		return false;
	change_key(planning);
	if (!plan_obsolete(planning))
		return false;
	if ((open_operations(planning) > 0 || planning->key_changed) &&
		!close_batch(planning))
		return false;
	return check_commit(planning);
}

TxsPlan *
txs_plan_store(const TxsPlanBase *base, const TxsStoreRequest *request)
{
	/* Each old row is deleted or replaced once, each prepare put once. */
	size_t most = (size_t) base->nrows + request->nprepares;
	TxsPlan *plan = palloc0(sizeof(TxsPlan));
	int64_t *sequences = palloc(sizeof(int64_t) * (request->nprepares + 1));
	Planning planning = {
		.base = base,
		.request = request,
		.plan = plan,
		.key = base->key,
		.obsolete_before = request->has_commit_up_to ? request->commit_up_to
													 : base->key.committed,
	};

	plan->operations = palloc(sizeof(TxsOperation) * (most + 1));
	plan->batches = palloc(sizeof(TxsBatch) * (most + 2));
	plan->rows = palloc(sizeof(TxsRowRef) * (most + 1));
	plan->nrows = base->nrows;
	memcpy(plan->rows, base->rows, sizeof(TxsRowRef) * base->nrows);

	/* A put replaces the whole item: what Orleans does not know is lost. */
	planning.key.extra.data = NULL;
	planning.key.extra.length = 0;
	planning.key.has_committed = true;

	make_plan(&planning, sequences);
	pfree(sequences);
	return plan;
}
