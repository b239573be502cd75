/*
 * What EXPLAIN shows of a scan: the operation, which part of the key it goes
 * by, and what is read of a row.
 */
#include "fdw/fdw.h"

#include "access/stratnum.h"
#include "utils/builtins.h"
#include "utils/ruleutils.h"

static const char *const part_names[] = {
	[TXS_PART_PARTITION] = "partition_key",
	[TXS_PART_GRAIN_TYPE] = "grain_type",
	[TXS_PART_GRAIN_KEY] = "grain_key",
	[TXS_PART_STATE_NAME] = "state_name",
	[TXS_PART_SEQUENCE] = "sequence_id",
	[TXS_PART_ROW_KEY] = "row_key",
	[TXS_PART_COMMITTED] = "committed_sequence_id",
	[TXS_PART_TRANSACTION] = "transaction_id",
};

static const char *
operator_name(int strategy)
{
	static const char *const names[] = {
		[BTLessStrategyNumber] = "<",	 [BTLessEqualStrategyNumber] = "<=",
		[BTEqualStrategyNumber] = "=",	 [BTGreaterEqualStrategyNumber] = ">=",
		[BTGreaterStrategyNumber] = ">",
	};

	if (strategy == TXS_BEGINS_WITH)
		return "^@";
	return strategy == TXS_LIKE ? "~~" : names[strategy];
}

/*
 * What is asked of the key, or of the rows that are looked at, as text; NULL
 * for nothing.
 */
static char *
conditions(ForeignScanState *node, const TxsScanPlan *plan, bool of_key,
		   ExplainState *es)
{
	List *values = ((ForeignScan *) node->ss.ps.plan)->fdw_exprs;
	List *context =
		set_deparse_context_plan(es->deparse_cxt, node->ss.ps.plan, NIL);
	StringInfoData text;
	TxsShape shape;
	int i;

	initStringInfo(&text);
	txs_plan_shape(plan, &shape);
	for (i = 0; i < list_length(values); i++)
	{
		TxsKeyPart part = list_nth_int(plan->parts, i);
		bool is_array = list_nth_int(plan->arrays, i);

		if ((shape.has_partitions && txs_quals_is_of_key(part)) != of_key)
			continue;
		appendStringInfo(&text, "%s%s %s %s%s%s", text.len > 0 ? " AND " : "",
						 part_names[part],
						 operator_name(list_nth_int(plan->strategies, i)),
						 is_array ? "ANY (" : "",
						 deparse_expression(list_nth(values, i), context,
											false, false),
						 is_array ? ")" : "");
	}
	return text.len > 0 ? text.data : NULL;
}

static void
explain_conditions(ForeignScanState *node, const TxsScanPlan *plan,
				   ExplainState *es)
{
	char *key = conditions(node, plan, true, es);
	char *filter = conditions(node, plan, false, es);

	if (key != NULL)
		ExplainPropertyText("Key Condition", key, es);
	if (filter != NULL)
		ExplainPropertyText("Scan Filter", filter, es);
}

/* What the scan has cost, where the provider counts that. */
static void
explain_counters(ForeignScanState *node, ExplainState *es)
{
	const TxsScanCounters *counters = txs_scan_counters(node);

	if (counters == NULL)
		return;
	ExplainPropertyInteger("Requests", NULL, counters->requests, es);
	ExplainPropertyInteger("Retries", NULL, counters->retries, es);
	ExplainPropertyInteger("Pages", NULL, counters->pages, es);
	ExplainPropertyInteger("Items Scanned", NULL, counters->scanned, es);
	ExplainPropertyInteger("Items Returned", NULL, counters->returned, es);
	ExplainPropertyInteger("Bytes", NULL, counters->bytes, es);
	ExplainPropertyFloat("Capacity Units", NULL, counters->capacity, 1, es);
	if (es->timing)
		ExplainPropertyFloat("Time Waiting", "ms",
							 counters->wait_microseconds / 1000.0, 3, es);
}

/* What requests ask for of each row, and of the storage at a time. */
static void
explain_extent(const TxsForeignTable *table, const TxsScanPlan *plan,
			   const TxsShape *shape, ExplainState *es)
{
	const TxsProvider *provider = table->storage->provider;

	if (provider->describe_projection == NULL)
		return;
	if (!plan->reading.is_count)
		ExplainPropertyText("Projection",
							provider->describe_projection(plan->wanted), es);
	if (!shape->has_partitions)
		ExplainPropertyInteger(
			"Segments", NULL,
			plan->reading.limit > 0 ? 1 : table->scan_segments, es);
}

void
txs_fdw_explain(ForeignScanState *node, ExplainState *es)
{
	TxsScanPlan plan;
	TxsShape shape;
	const TxsForeignTable *table = txs_scan_table(node);

	txs_plan_read((ForeignScan *) node->ss.ps.plan, &plan);
	txs_plan_shape(&plan, &shape);
	if (plan.reading.is_count)
		ExplainPropertyText("Count Of", quote_identifier(table->name), es);
	ExplainPropertyText("Request",
						table->storage->provider->describe_shape(&shape), es);
	explain_conditions(node, &plan, es);
	explain_extent(table, &plan, &shape, es);
	if (plan.reading.backward)
		ExplainPropertyText("Direction", "backward", es);
	if (plan.reading.limit > 0)
		ExplainPropertyInteger("Rows Wanted", NULL, plan.reading.limit, es);
	if (es->analyze)
		explain_counters(node, es);
}
