/*
 * Lookup joins: the rows of one side name partitions of a foreign table, which
 * are asked for a hundred at a time where a nested loop asks for one.
 *
 * PostgreSQL has no such join, so it is offered as a custom path beside those
 * that the planner knows.
 */
#include "fdw/fdw.h"

#include <math.h>

#include "access/stratnum.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"

/* Requests that are on their way together, as far as costs go. */
#define CONCURRENT 4.0

bool txs_enable_lookup_join = true;

static set_join_pathlist_hook_type next_hook;

static Plan *make_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path,
					   List *targets, List *clauses, List *plans);

static const CustomPathMethods path_methods = {
	.CustomName = "Lookup Join",
	.PlanCustomPath = make_plan,
};

/*
 * Is this one of our foreign tables, of a provider that takes many keys?  The
 * planner has asked nothing of a table that can have no rows.
 */
static bool
is_looked_up(RelOptInfo *rel)
{
	const TxsRelation *relation;

	if (rel->reloptkind != RELOPT_BASEREL || rel->fdwroutine == NULL ||
		rel->fdwroutine->GetForeignRelSize != txs_fdw_rel_size ||
		rel->fdw_private == NULL || !bms_is_empty(rel->lateral_relids))
		return false;
	relation = rel->fdw_private;
	return relation->table->storage->provider->costs.keys_per_request > 1;
}

/* Can this query have a lookup join?  Rows that are locked are read again. */
static bool
is_usual(PlannerInfo *root, RelOptInfo *outer, JoinType type)
{
	return (type == JOIN_INNER || type == JOIN_LEFT || type == JOIN_SEMI ||
			type == JOIN_ANTI) &&
		   root->rowMarks == NIL &&
		   (root->parse->commandType == CMD_SELECT ||
			root->parse->commandType == CMD_INSERT) &&
		   bms_is_empty(outer->lateral_relids) &&
		   outer->cheapest_total_path != NULL &&
		   outer->cheapest_total_path->param_info == NULL;
}

/*
 * The quals of a join by which a row of the outer side names rows of the inner
 * one.  Returns them with the table's own.
 */
static List *
find_lookups(PlannerInfo *root, RelOptInfo *outer, RelOptInfo *inner,
			 List *clauses, List **lookups)
{
	TxsRelation *relation = inner->fdw_private;
	ListCell *cell;

	*lookups = NIL;
	foreach (cell, clauses)
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, cell);
		TxsKeyQual *qual = palloc0(sizeof(TxsKeyQual));

		if (!clause->pseudoconstant &&
			txs_quals_match(root, relation->table, inner, clause->clause,
							qual) &&
			txs_quals_is_of_key(qual->part) && !qual->is_array &&
			qual->strategy == BTEqualStrategyNumber &&
			bms_is_subset(pull_varnos(root, (Node *) qual->value),
						  outer->relids))
			*lookups = lappend(*lookups, qual);
	}
	return list_concat_copy(relation->quals, *lookups);
}

/* A scan of the inner side, whose partitions the join will name. */
static Path *
make_inner_path(PlannerInfo *root, RelOptInfo *inner, double rows, bool exact)
{
	TxsReading reading = {.is_lookup = true, .is_exact = exact};

	return (Path *) txs_create_foreignscan_path(root, inner, rows, 0, 0, NIL,
												NULL,
												txs_reading_to_list(&reading));
}

static void
set_costs(CustomPath *path, const TxsRelation *relation, Path *outer,
		  double rows, bool exact)
{
	const TxsCosts *costs = &relation->table->storage->provider->costs;
	double requests = exact ? ceil(outer->rows / costs->keys_per_request)
							: ceil(outer->rows / CONCURRENT);

	path->path.startup_cost = outer->startup_cost + costs->request;
	path->path.total_cost =
		outer->total_cost + Max(requests, 1) * costs->request +
		rows * (costs->row + 2 * cpu_tuple_cost) +
		outer->rows * 2 * cpu_tuple_cost + path->path.rows * cpu_tuple_cost;
}

static void
add_lookup_path(PlannerInfo *root, RelOptInfo *join, RelOptInfo *outer,
				RelOptInfo *inner, JoinType type, List *clauses)
{
	const TxsRelation *relation = inner->fdw_private;
	List *parts = NIL;
	List *types = NIL;
	List *values = NIL;
	CustomPath *path;
	List *lookups;
	List *quals = find_lookups(root, outer, inner, clauses, &lookups);
	bool exact = txs_paths_is_full_key(relation, quals);
	Path *source = outer->cheapest_total_path;
	double rows = source->rows * (exact ? 1 : relation->per_key);
	ListCell *cell;

	if (txs_paths_named(quals) == 0 || txs_paths_named(relation->quals) > 0)
		return;
	foreach (cell, lookups)
	{
		const TxsKeyQual *qual = lfirst(cell);

		parts = lappend_int(parts, qual->part);
		types = lappend_oid(types, qual->type);
		values = lappend(values, qual->value);
	}

	path = makeNode(CustomPath);
	path->path.pathtype = T_CustomScan;
	path->path.parent = join;
	path->path.pathtarget = join->reltarget;
	path->path.rows = join->rows;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->methods = &path_methods;
	path->custom_paths =
		list_make2(source, make_inner_path(root, inner, rows, exact));
	path->custom_private =
		list_make5(list_make1_int(type), parts, types, values, clauses);
	set_costs(path, relation, source, rows, exact);
	add_path(join, &path->path);
}

static bool
has_constant(List *clauses)
{
	ListCell *cell;

	foreach (cell, clauses)
	{
		if (lfirst_node(RestrictInfo, cell)->pseudoconstant)
			return true;
	}
	return false;
}

static void
add_paths(PlannerInfo *root, RelOptInfo *join, RelOptInfo *outer,
		  RelOptInfo *inner, JoinType type, JoinPathExtraData *extra)
{
	if (next_hook != NULL)
		next_hook(root, join, outer, inner, type, extra);
	if (txs_enable_lookup_join && is_looked_up(inner) &&
		is_usual(root, outer, type) && !has_constant(extra->restrictlist))
		add_lookup_path(root, join, outer, inner, type, extra->restrictlist);
}

/* Columns of the two sides' plans, one after the other. */
static List *
make_scan_targets(List *plans)
{
	List *targets = NIL;
	ListCell *cell;
	ListCell *column;

	foreach (cell, plans)
	{
		foreach (column, ((Plan *) lfirst(cell))->targetlist)
		{
			TargetEntry *entry = lfirst_node(TargetEntry, column);

			targets = lappend(targets,
							  makeTargetEntry(copyObject(entry->expr),
											  list_length(targets) + 1, NULL,
											  false));
		}
	}
	return targets;
}

static Plan *
make_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *targets,
		  List *ignored, List *plans)
{
	TxsLookupPlan plan = {
		.join = linitial_int(linitial(path->custom_private)),
		.parts = lsecond(path->custom_private),
		.types = lthird(path->custom_private),
	};
	List *values = lfourth(path->custom_private);
	List *clauses = list_nth(path->custom_private, 4);
	List *joined;
	List *others = NIL;
	CustomScan *scan = makeNode(CustomScan);

	if (IS_OUTER_JOIN(plan.join))
		extract_actual_join_clauses(clauses, rel->relids, &joined, &others);
	else
		joined = extract_actual_clauses(clauses, false);
	scan->scan.plan.targetlist = targets;
	scan->scan.plan.qual = others;
	scan->scan.scanrelid = 0;
	scan->flags = path->flags;
	scan->custom_plans = plans;
	scan->custom_exprs = list_concat_copy(values, joined);
	scan->custom_private = txs_lookup_to_list(&plan);
	scan->custom_scan_tlist = make_scan_targets(plans);
	scan->custom_relids = bms_copy(rel->relids);
	scan->methods = &txs_lookup_methods;
	return &scan->scan.plan;
}

void
txs_lookup_install(void)
{
	RegisterCustomScanMethods(&txs_lookup_methods);
	next_hook = set_join_pathlist_hook;
	set_join_pathlist_hook = add_paths;
}
