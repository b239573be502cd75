/*
 * The plan of a scan.  Everything that is known is kept in lists of nodes, so
 * that a cached plan can be copied and run any number of times.
 */
#include "fdw/fdw.h"

#include "access/stratnum.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/planmain.h"
#include "optimizer/restrictinfo.h"

/* Columns of a relation that its targets and clauses need, from 1. */
static List *
find_columns(const TxsForeignTable *table, RelOptInfo *rel, List *clauses)
{
	Bitmapset *attributes = NULL;
	List *columns = NIL;
	ListCell *cell;
	bool all;
	int i;

	pull_varattnos((Node *) rel->reltarget->exprs, rel->relid, &attributes);
	foreach (cell, clauses)
		pull_varattnos((Node *) lfirst_node(RestrictInfo, cell)->clause,
					   rel->relid, &attributes);
	all = bms_is_member(-FirstLowInvalidHeapAttributeNumber, attributes);
	for (i = 1; i <= table->ncolumns; i++)
	{
		if (table->columns[i - 1].field != TXS_FIELD_DROPPED &&
			(all || bms_is_member(i - FirstLowInvalidHeapAttributeNumber,
								  attributes)))
			columns = lappend_int(columns, i);
	}
	return columns;
}

void
txs_plan_find_wanted(const TxsForeignTable *table, List *columns,
					 TxsScanPlan *plan)
{
	ListCell *cell;

	plan->kinds =
		table->kind == TXS_STATES_TABLE ? TXS_STATE_ROWS : TXS_KEY_ROWS;
	foreach (cell, columns)
	{
		TxsField field = table->columns[lfirst_int(cell) - 1].field;

		plan->kinds |= txs_columns_rows(table->kind, field);
		plan->wanted |= txs_columns_wanted(field);
	}
	if (table->kind == TXS_PARTITIONS_TABLE && (plan->kinds & TXS_STATE_ROWS))
		plan->wanted |= TXS_WANT_COMMITTED;
}

/*
 * Does the provider look at attributes?  Where it knows the full keys, it gets
 * the rows at once; and an actor's rows belong together.
 */
static bool
looks_at_attributes(const TxsForeignTable *table, const TxsScanPlan *plan)
{
	TxsShape shape;

	txs_plan_shape(plan, &shape);
	return table->storage->provider->filters &&
		   plan->kinds != (TXS_KEY_ROWS | TXS_STATE_ROWS) &&
		   !(shape.has_partitions &&
			 (shape.has_sequence || plan->kinds == TXS_KEY_ROWS));
}

static void
add_qual(TxsScanPlan *plan, const TxsKeyQual *qual, List **exprs)
{
	plan->parts = lappend_int(plan->parts, qual->part);
	plan->strategies = lappend_int(plan->strategies, qual->strategy);
	plan->arrays = lappend_int(plan->arrays, qual->is_array);
	plan->types = lappend_oid(plan->types, qual->type);
	*exprs = lappend(*exprs, qual->value);
}

/* Add what clauses ask of the key, then what they ask of attributes. */
static void
find_quals(PlannerInfo *root, const TxsForeignTable *table, RelOptInfo *rel,
		   List *clauses, TxsScanPlan *plan, List **exprs)
{
	List *filters = NIL;
	ListCell *cell;

	foreach (cell, clauses)
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, cell);
		TxsKeyQual *qual = palloc0(sizeof(TxsKeyQual));

		if (!txs_quals_match(root, table, rel, clause->clause, qual))
			continue;
		if (txs_quals_is_of_key(qual->part))
			add_qual(plan, qual, exprs);
		else
			filters = lappend(filters, qual);
	}
	if (!looks_at_attributes(table, plan))
		return;
	foreach (cell, filters)
		add_qual(plan, lfirst(cell), exprs);
}

static List *
plan_to_list(const TxsScanPlan *plan)
{
	List *reading = txs_reading_to_list(&plan->reading);

	return lappend(lappend(list_make5(reading, plan->parts, plan->strategies,
									  plan->arrays, plan->types),
						   plan->columns),
				   list_make2_int(plan->kinds, plan->wanted));
}

void
txs_plan_read(ForeignScan *scan, TxsScanPlan *plan)
{
	List *list = scan->fdw_private;

	txs_reading_from_list(linitial(list), &plan->reading);
	plan->parts = lsecond(list);
	plan->strategies = lthird(list);
	plan->arrays = lfourth(list);
	plan->types = list_nth(list, 4);
	plan->columns = list_nth(list, 5);
	plan->kinds = linitial_int(list_nth(list, 6));
	plan->wanted = lsecond_int(list_nth(list, 6));
}

void
txs_plan_shape(const TxsScanPlan *plan, TxsShape *shape)
{
	TxsNamed named = {0};
	int i;

	memset(shape, 0, sizeof(*shape));
	shape->kinds = plan->kinds;
	shape->is_count = plan->reading.is_count;
	for (i = 0; i < list_length(plan->parts); i++)
	{
		TxsKeyPart part = list_nth_int(plan->parts, i);
		int strategy = list_nth_int(plan->strategies, i);
		bool is_array = list_nth_int(plan->arrays, i);

		txs_quals_name(&named, part, strategy, is_array);
		if (part == TXS_PART_GRAIN_TYPE ||
			(part == TXS_PART_PARTITION && strategy != BTEqualStrategyNumber))
			shape->has_range = true;
		if ((part == TXS_PART_SEQUENCE || part == TXS_PART_ROW_KEY) &&
			strategy == BTEqualStrategyNumber && !is_array)
			shape->has_sequence = true;
	}
	shape->has_partitions = txs_quals_are_named(&named, &shape->is_many);
	if (plan->reading.is_lookup)
	{
		shape->has_partitions = shape->is_many = true;
		shape->has_sequence |= plan->reading.is_exact;
	}
}

/* The plan of a count: its quals are those of the relation counted. */
static ForeignScan *
plan_count(PlannerInfo *root, RelOptInfo *rel, TxsScanPlan *plan,
		   ForeignPath *path, List *targets)
{
	TxsRelation *relation = rel->fdw_private;
	RelOptInfo *counted = find_base_rel(root, relation->relid);
	List *shown = NIL;
	List *exprs = NIL;
	ListCell *cell;

	txs_plan_find_wanted(relation->table, NIL, plan);
	find_quals(root, relation->table, counted, counted->baserestrictinfo, plan,
			   &exprs);
	foreach (cell, path->path.pathtarget->exprs)
		shown = lappend(shown,
						makeTargetEntry(lfirst(cell), list_length(shown) + 1,
										NULL, false));
	return make_foreignscan(targets, NIL, 0, exprs, plan_to_list(plan), shown,
							NIL, NULL);
}

ForeignScan *
txs_fdw_plan(PlannerInfo *root, RelOptInfo *rel, Oid table, ForeignPath *path,
			 List *targets, List *clauses, Plan *outer)
{
	TxsRelation *relation = rel->fdw_private;
	TxsScanPlan plan = {0};
	List *exprs = NIL;

	txs_reading_from_list(path->fdw_private, &plan.reading);
	if (plan.reading.is_count)
		return plan_count(root, rel, &plan, path, targets);
	plan.columns = find_columns(relation->table, rel, clauses);
	txs_plan_find_wanted(relation->table, plan.columns, &plan);
	find_quals(root, relation->table, rel, clauses, &plan, &exprs);
	return make_foreignscan(targets, extract_actual_clauses(clauses, false),
							rel->relid, exprs, plan_to_list(&plan), NIL, NIL,
							outer);
}
