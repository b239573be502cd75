/*
 * The execution of a lookup join; see lookup_paths.c.
 *
 * Rows of the outer side are taken in batches.  The partitions that they name
 * are asked for together; a row of the inner side that comes is joined with
 * the outer rows which named its partition.  Outer rows that found nothing
 * come at the end of their batch, where the join wants them.  So a batch is
 * all that is in memory, and rows come in no order.
 */
#include "fdw/fdw.h"

#include "access/stratnum.h"
#include "common/hashfn.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/ruleutils.h"

/* Outer rows of the first batch, the keys of a request; later ones grow. */
#define FIRST_BATCH 100
#define LARGEST_BATCH 800

/* A partition, or one state row of it, that an outer row names. */
typedef struct Lookup
{
	TxsSlice partition;
	int64 first; /* sequence ids */
	int64 last;
	int row;  /* of the batch */
	int next; /* the next lookup of the same partition; -1: none */
} Lookup;

typedef struct Chain
{
	TxsSlice partition; /* key */
	int first;			/* lookup */
} Chain;

typedef enum Phase
{
	PHASE_BATCH, /* a batch is to be taken */
	PHASE_JOIN,	 /* rows of the inner side come */
	PHASE_REST	 /* outer rows that found nothing */
} Phase;

typedef struct LookupState
{
	CustomScanState custom;
	TxsLookupPlan plan;
	PlanState *outer;
	ForeignScanState *inner;
	const char *service_id;
	int nvalues; /* of the inner side's quals, then of the lookups */
	TxsKeyValue *values;
	ExprState *condition;
	TupleTableSlot *outer_slot;
	TupleTableSlot *inner_slot; /* the row being joined */
	bool is_exhausted;			/* the outer side */
	Phase phase;
	int size; /* of the next batch */
	MemoryContext memory; /* of a batch: */
	int nrows;
	MinimalTuple *rows;
	bool *found;
	int nlookups;
	int room;
	Lookup *lookups;
	HTAB *chains;
	TxsScanRequest request;
	int lookup; /* the next one to be joined with the inner row; -1: none */
	int row;	/* PHASE_REST: the next one */
} LookupState;

static Node *make_state(CustomScan *scan);
static void begin(CustomScanState *node, EState *estate, int eflags);
static TupleTableSlot *execute(CustomScanState *node);
static void end(CustomScanState *node);
static void rescan(CustomScanState *node);
static void explain(CustomScanState *node, List *ancestors, ExplainState *es);

const CustomScanMethods txs_lookup_methods = {
	.CustomName = "Lookup Join",
	.CreateCustomScanState = make_state,
};

static const CustomExecMethods exec_methods = {
	.CustomName = "Lookup Join",
	.BeginCustomScan = begin,
	.ExecCustomScan = execute,
	.EndCustomScan = end,
	.ReScanCustomScan = rescan,
	.ExplainCustomScan = explain,
};

List *
txs_lookup_to_list(const TxsLookupPlan *plan)
{
	return list_make3(list_make1_int(plan->join), plan->parts, plan->types);
}

static void
plan_from_list(List *list, TxsLookupPlan *plan)
{
	plan->join = linitial_int(linitial(list));
	plan->parts = lsecond(list);
	plan->types = lthird(list);
}

static Node *
make_state(CustomScan *scan)
{
	LookupState *state = (LookupState *) newNode(sizeof(LookupState),
												 T_CustomScanState);

	state->custom.methods = &exec_methods;
	return (Node *) state;
}

/* ----------------------------------------------------- begin and end */

static void
prepare_values(LookupState *state, List *exprs)
{
	int count;
	const TxsKeyValue *own = txs_scan_values(state->inner, &count);
	int i;

	state->nvalues = count + list_length(state->plan.parts);
	state->values = palloc0(sizeof(TxsKeyValue) * state->nvalues);
	memcpy(state->values, own, sizeof(TxsKeyValue) * count);
	for (i = 0; i < list_length(state->plan.parts); i++)
	{
		TxsKeyValue *value = &state->values[count + i];

		value->part = list_nth_int(state->plan.parts, i);
		value->strategy = BTEqualStrategyNumber;
		value->type = list_nth_oid(state->plan.types, i);
		value->value =
			ExecInitExpr(list_nth(exprs, i), &state->custom.ss.ps);
	}
}

static void
begin(CustomScanState *node, EState *estate, int eflags)
{
	LookupState *state = (LookupState *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	List *conditions;

	plan_from_list(scan->custom_private, &state->plan);
	state->outer = ExecInitNode(linitial(scan->custom_plans), estate, eflags);
	state->inner = castNode(ForeignScanState,
							ExecInitNode(lsecond(scan->custom_plans), estate,
										 eflags));
	node->custom_ps = list_make2(state->outer, state->inner);
	conditions = list_copy_tail(scan->custom_exprs,
								list_length(state->plan.parts));
	state->condition = ExecInitQual(conditions, &node->ss.ps);
	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		return;
	prepare_values(state, scan->custom_exprs);
	state->service_id = txs_scan_table(state->inner)->storage->service_id;
	state->outer_slot =
		ExecInitExtraTupleSlot(estate, ExecGetResultType(state->outer),
							   &TTSOpsMinimalTuple);
	state->memory =
		AllocSetContextCreate(CurrentMemoryContext, "txstore lookup batch",
							  ALLOCSET_DEFAULT_SIZES);
	state->size = FIRST_BATCH;
}

static void
end(CustomScanState *node)
{
	LookupState *state = (LookupState *) node;

	ExecEndNode(state->outer);
	ExecEndNode(&state->inner->ss.ps);
}

static void
rescan(CustomScanState *node)
{
	LookupState *state = (LookupState *) node;

	state->phase = PHASE_BATCH;
	state->is_exhausted = false;
	state->size = FIRST_BATCH;
	if (state->custom.ss.ps.chgParam != NULL)
	{
		UpdateChangedParamSet(state->outer, state->custom.ss.ps.chgParam);
		UpdateChangedParamSet(&state->inner->ss.ps,
							  state->custom.ss.ps.chgParam);
	}
	if (state->outer->chgParam == NULL)
		ExecReScan(state->outer);
	ExecReScan(&state->inner->ss.ps);
}

/* --------------------------------------------------- rows of the join */

/* The columns of one side in the row of the join; slot NULL: all NULL. */
static void
fill_side(TupleTableSlot *row, int first, int count, TupleTableSlot *slot)
{
	if (slot == NULL)
	{
		memset(row->tts_isnull + first, true, sizeof(bool) * count);
		return;
	}
	slot_getallattrs(slot);
	memcpy(row->tts_values + first, slot->tts_values, sizeof(Datum) * count);
	memcpy(row->tts_isnull + first, slot->tts_isnull, sizeof(bool) * count);
}

/* Make the row of the join of an outer row and an inner one or none. */
static TupleTableSlot *
make_row(LookupState *state, int outer, TupleTableSlot *inner)
{
	TupleTableSlot *row = state->custom.ss.ss_ScanTupleSlot;
	int left = state->outer_slot->tts_tupleDescriptor->natts;

	ExecClearTuple(row);
	ExecStoreMinimalTuple(state->rows[outer], state->outer_slot, false);
	fill_side(row, 0, left, state->outer_slot);
	fill_side(row, left, row->tts_tupleDescriptor->natts - left, inner);
	return ExecStoreVirtualTuple(row);
}

/* ------------------------------------------------------------- batches */

static void
add_lookup(LookupState *state, TxsSlice partition, int row,
		   const TxsScanRequest *request)
{
	Lookup *lookup;
	Chain *chain;
	bool found;

	if (state->nlookups == state->room)
	{
		state->room *= 2;
		state->lookups =
			repalloc(state->lookups, sizeof(Lookup) * state->room);
	}
	lookup = &state->lookups[state->nlookups];
	chain = hash_search(state->chains, &partition, HASH_ENTER, &found);
	lookup->partition = partition;
	lookup->first = request->first;
	lookup->last = request->last;
	lookup->row = row;
	lookup->next = found ? chain->first : -1;
	chain->first = state->nlookups++;
}

/* What an outer row looks up. */
static void
find_lookups(LookupState *state, int row)
{
	ExprContext *econtext = state->custom.ss.ps.ps_ExprContext;
	TxsScanRequest request;
	int i;

	econtext->ecxt_scantuple = make_row(state, row, NULL);
	if (!txs_request_make(state->values, state->nvalues, state->service_id,
						  econtext, &request) ||
		request.all)
		return;
	for (i = 0; i < request.npartitions; i++)
		add_lookup(state, request.partitions[i], row, &request);
}

static uint32
hash_slice(const void *key, Size size)
{
	const TxsSlice *slice = key;

	return hash_bytes((const unsigned char *) slice->data,
					  (int) slice->length);
}

static int
match_slices(const void *left, const void *right, Size size)
{
	const TxsSlice *a = left;
	const TxsSlice *b = right;

	return a->length != b->length || memcmp(a->data, b->data, a->length) != 0;
}

static void
reset_batch(LookupState *state)
{
	HASHCTL control = {
		.keysize = sizeof(TxsSlice),
		.entrysize = sizeof(Chain),
		.hash = hash_slice,
		.match = match_slices,
		.hcxt = state->memory,
	};

	MemoryContextReset(state->memory);
	state->nrows = 0;
	state->rows = palloc(sizeof(MinimalTuple) * state->size);
	state->found = palloc0(sizeof(bool) * state->size);
	state->nlookups = 0;
	state->room = state->size;
	state->lookups = palloc(sizeof(Lookup) * state->room);
	state->chains =
		hash_create("txstore lookups", state->size, &control,
					HASH_ELEM | HASH_FUNCTION | HASH_COMPARE | HASH_CONTEXT);
}

static int
compare_lookups(const void *left, const void *right)
{
	const Lookup *a = *(const Lookup *const *) left;
	const Lookup *b = *(const Lookup *const *) right;
	int order = memcmp(a->partition.data, b->partition.data,
					   Min(a->partition.length, b->partition.length));

	if (order == 0 && a->partition.length != b->partition.length)
		order = a->partition.length < b->partition.length ? -1 : 1;
	if (order == 0 && a->first != b->first)
		order = a->first < b->first ? -1 : 1;
	return order;
}

/* Do all lookups name one sequence id each? */
static bool
are_single(const LookupState *state)
{
	int i;

	for (i = 0; i < state->nlookups; i++)
	{
		if (state->lookups[i].first != state->lookups[i].last)
			return false;
	}
	return true;
}

/* Ask for what is looked up: each partition, or row, once. */
static void
look_up(LookupState *state)
{
	int count = state->nlookups;
	const Lookup **sorted = palloc(sizeof(Lookup *) * Max(count, 1));
	TxsSlice *partitions = palloc(sizeof(TxsSlice) * Max(count, 1));
	int64 *sequences = palloc(sizeof(int64) * Max(count, 1));
	bool single = are_single(state);
	TxsScanRequest *request = &state->request;
	int i;

	for (i = 0; i < count; i++)
		sorted[i] = &state->lookups[i];
	qsort(sorted, count, sizeof(Lookup *), compare_lookups);
	memset(request, 0, sizeof(*request));
	request->first = PG_INT64_MAX;
	for (i = 0; i < count; i++)
	{
		int last = request->npartitions - 1;

		request->first = Min(request->first, sorted[i]->first);
		request->last = Max(request->last, sorted[i]->last);
		if (last >= 0 &&
			match_slices(&partitions[last], &sorted[i]->partition, 0) == 0 &&
			(!single || sequences[last] == sorted[i]->first))
			continue;
		partitions[request->npartitions] = sorted[i]->partition;
		sequences[request->npartitions++] = sorted[i]->first;
	}
	request->partitions = partitions;
	request->sequences = single ? sequences : NULL;
	txs_scan_look_up(state->inner, request);
}

/* Take the next rows of the outer side; false where there are none. */
static bool
take_batch(LookupState *state)
{
	MemoryContext caller = MemoryContextSwitchTo(state->memory);
	int i;

	reset_batch(state);
	while (state->nrows < state->size && !state->is_exhausted)
	{
		TupleTableSlot *slot;

		MemoryContextSwitchTo(caller);
		slot = ExecProcNode(state->outer);
		MemoryContextSwitchTo(state->memory);
		if (TupIsNull(slot))
			state->is_exhausted = true;
		else
			state->rows[state->nrows++] = ExecCopySlotMinimalTuple(slot);
	}
	for (i = 0; i < state->nrows; i++)
		find_lookups(state, i);
	if (state->nlookups > 0)
		look_up(state);
	state->size = Min(state->size * 2, LARGEST_BATCH);
	state->lookup = -1;
	state->row = 0;
	MemoryContextSwitchTo(caller);
	return state->nrows > 0;
}

/* ------------------------------------------------------------- joining */

/* Does the join's condition hold of the row that was made? */
static bool
is_joined(LookupState *state, TupleTableSlot *row)
{
	ExprContext *econtext = state->custom.ss.ps.ps_ExprContext;

	ResetExprContext(econtext);
	econtext->ecxt_scantuple = row;
	return ExecQual(state->condition, econtext);
}

/* Go to the next row of the inner side; false at the end of the batch's. */
static bool
next_inner(LookupState *state)
{
	TxsSlice partition;
	const Chain *chain;

	if (state->nlookups == 0)
		return false;
	state->inner_slot = ExecProcNode(&state->inner->ss.ps);
	if (TupIsNull(state->inner_slot))
		return false;
	partition = txs_scan_partition(state->inner);
	chain = hash_search(state->chains, &partition, HASH_FIND, NULL);
	state->lookup = chain == NULL ? -1 : chain->first;
	return true;
}

/* The next row of the batch that was joined; NULL at the end. */
static TupleTableSlot *
next_joined(LookupState *state)
{
	JoinType type = state->plan.join;

	for (;;)
	{
		const Lookup *lookup;
		TupleTableSlot *row;

		if (state->lookup < 0)
		{
			if (!next_inner(state))
				return NULL;
			continue;
		}
		lookup = &state->lookups[state->lookup];
		state->lookup = lookup->next;
		if (state->found[lookup->row] &&
			(type == JOIN_SEMI || type == JOIN_ANTI))
			continue;
		row = make_row(state, lookup->row, state->inner_slot);
		if (!is_joined(state, row))
			continue;
		state->found[lookup->row] = true;
		if (type != JOIN_ANTI)
			return row;
	}
}

/* The next outer row of the batch that found nothing, if it is wanted. */
static TupleTableSlot *
next_rest(LookupState *state)
{
	if (state->plan.join != JOIN_LEFT && state->plan.join != JOIN_ANTI)
		return NULL;
	while (state->row < state->nrows)
	{
		int row = state->row++;

		if (!state->found[row])
			return make_row(state, row, NULL);
	}
	return NULL;
}

static TupleTableSlot *
next_row(ScanState *node)
{
	LookupState *state = (LookupState *) node;
	TupleTableSlot *row;

	for (;;)
	{
		switch (state->phase)
		{
			case PHASE_BATCH:
				if (!take_batch(state))
					return ExecClearTuple(node->ss_ScanTupleSlot);
				state->phase = PHASE_JOIN;
				break;
			case PHASE_JOIN:
				row = next_joined(state);
				if (row != NULL)
					return row;
				state->phase = PHASE_REST;
				break;
			case PHASE_REST:
				row = next_rest(state);
				if (row != NULL)
					return row;
				state->phase = PHASE_BATCH;
				break;
		}
	}
}

static bool
recheck(ScanState *node, TupleTableSlot *slot)
{
	return true;
}

static TupleTableSlot *
execute(CustomScanState *node)
{
	return ExecScan(&node->ss, next_row, recheck);
}

/* ------------------------------------------------------------- EXPLAIN */

static void
explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	TxsLookupPlan plan;
	List *context;
	List *conditions;
	const char *type;

	plan_from_list(scan->custom_private, &plan);
	type = plan.join == JOIN_INNER	? "Inner"
		   : plan.join == JOIN_LEFT ? "Left"
		   : plan.join == JOIN_SEMI ? "Semi"
									: "Anti";
	ExplainPropertyText("Join Type", type, es);
	context = set_deparse_context_plan(es->deparse_cxt, &scan->scan.plan,
									   ancestors);
	conditions =
		list_copy_tail(scan->custom_exprs, list_length(plan.parts));
	ExplainPropertyText("Join Condition",
						deparse_expression((Node *) make_ands_explicit(
											   conditions),
										   context, true, false),
						es);
}
