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
	[TXS_PART_SEQUENCE] = "sequence_id",
	[TXS_PART_ROW_KEY] = "row_key",
};

static const char *const operator_names[] = {
	[BTLessStrategyNumber] = "<",	 [BTLessEqualStrategyNumber] = "<=",
	[BTEqualStrategyNumber] = "=",	 [BTGreaterEqualStrategyNumber] = ">=",
	[BTGreaterStrategyNumber] = ">",
};

/* What is asked of the key, as text. */
static char *
key_condition(ForeignScanState *node, const TxsScanPlan *plan,
			  ExplainState *es)
{
	List *values = ((ForeignScan *) node->ss.ps.plan)->fdw_exprs;
	List *context =
		set_deparse_context_plan(es->deparse_cxt, node->ss.ps.plan, NIL);
	StringInfoData text;
	int i;

	initStringInfo(&text);
	for (i = 0; i < list_length(values); i++)
	{
		bool is_array = list_nth_int(plan->arrays, i);

		appendStringInfo(&text, "%s%s %s %s%s%s", i > 0 ? " AND " : "",
						 part_names[list_nth_int(plan->parts, i)],
						 operator_names[list_nth_int(plan->strategies, i)],
						 is_array ? "ANY (" : "",
						 deparse_expression(list_nth(values, i), context,
											false, false),
						 is_array ? ")" : "");
	}
	return text.data;
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
	if (plan.parts != NIL)
		ExplainPropertyText("Key Condition", key_condition(node, &plan, es),
							es);
	if (plan.reading.backward)
		ExplainPropertyText("Direction", "backward", es);
	if (plan.reading.limit > 0)
		ExplainPropertyInteger("Rows Wanted", NULL, plan.reading.limit, es);
	if (es->analyze)
		explain_counters(node, es);
}
