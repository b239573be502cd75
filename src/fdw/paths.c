/*
 * What the planner gets to choose from: reading a whole storage, or the
 * partitions that quals or the other side of a join name.
 */
#include "fdw/fdw.h"

#include <math.h>

#include "access/stratnum.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/selfuncs.h"

/* Rows of a table that nobody has counted. */
#define UNKNOWN_PARTITIONS 100000.0
#define UNKNOWN_STATES	   2.0 /* of a partition */

/* Elements of an array that is not known when a query is planned. */
#define UNKNOWN_ELEMENTS 10.0

List *
txs_reading_to_list(const TxsReading *reading)
{
	return list_make5(makeBoolean(reading->backward),
					  makeBoolean(reading->is_count),
					  makeBoolean(reading->is_lookup),
					  makeBoolean(reading->is_exact),
					  makeFloat(psprintf(INT64_FORMAT, reading->limit)));
}

void
txs_reading_from_list(List *list, TxsReading *reading)
{
	reading->backward = boolVal(linitial(list));
	reading->is_count = boolVal(lsecond(list));
	reading->is_lookup = boolVal(lthird(list));
	reading->is_exact = boolVal(lfourth(list));
	reading->limit = strtoll(castNode(Float, list_nth(list, 4))->fval, NULL, 10);
}

static double
array_elements(Node *array)
{
	if (IsA(array, Const) && !((Const *) array)->constisnull)
	{
		ArrayType *values = DatumGetArrayTypeP(((Const *) array)->constvalue);

		return ArrayGetNItems(ARR_NDIM(values), ARR_DIMS(values));
	}
	if (IsA(array, ArrayExpr))
		return list_length(((ArrayExpr *) array)->elements);
	return UNKNOWN_ELEMENTS;
}

/* The values that a part may equal, by the qual that allows fewest; 0: any. */
static double
values_of(List *quals, TxsKeyPart part)
{
	double least = 0;
	ListCell *cell;

	foreach (cell, quals)
	{
		const TxsKeyQual *qual = lfirst(cell);
		double count =
			qual->is_array ? array_elements((Node *) qual->value) : 1;

		if (qual->part == part && qual->strategy == BTEqualStrategyNumber &&
			(least == 0 || count < least))
			least = Max(count, 1);
	}
	return least;
}

double
txs_paths_named(List *quals)
{
	double whole = values_of(quals, TXS_PART_PARTITION);
	double pieces = values_of(quals, TXS_PART_GRAIN_TYPE) *
					values_of(quals, TXS_PART_GRAIN_KEY) *
					values_of(quals, TXS_PART_STATE_NAME);

	if (whole == 0 || pieces == 0)
		return Max(whole, pieces);
	return Min(whole, pieces);
}

/* Is one partition named, by values that are not arrays? */
static bool
is_one_partition(List *quals)
{
	TxsNamed named = {0};
	ListCell *cell;
	bool is_many;

	foreach (cell, quals)
	{
		const TxsKeyQual *qual = lfirst(cell);

		txs_quals_name(&named, qual->part, qual->strategy, qual->is_array);
	}
	return txs_quals_are_named(&named, &is_many) && !is_many;
}

bool
txs_paths_is_full_key(const TxsRelation *relation, List *quals)
{
	ListCell *cell;

	if (relation->table->kind == TXS_KEYS_TABLE)
		return true;
	foreach (cell, quals)
	{
		const TxsKeyQual *qual = lfirst(cell);

		if ((qual->part == TXS_PART_SEQUENCE ||
			 qual->part == TXS_PART_ROW_KEY) &&
			qual->strategy == BTEqualStrategyNumber && !qual->is_array)
			return relation->table->kind == TXS_STATES_TABLE;
	}
	return false;
}

/* What the quals of a list of restrictions ask of the key. */
static List *
match_quals(PlannerInfo *root, const TxsForeignTable *table, RelOptInfo *rel,
			List *restrictions)
{
	List *quals = NIL;
	ListCell *cell;

	foreach (cell, restrictions)
	{
		RestrictInfo *restriction = lfirst_node(RestrictInfo, cell);
		TxsKeyQual *qual = palloc0(sizeof(TxsKeyQual));

		if (txs_quals_match(root, table, rel, restriction->clause, qual))
			quals = lappend(quals, qual);
	}
	return quals;
}

/* How many rows there are: as ANALYZE found, or as the provider thinks. */
static void
estimate_size(TxsRelation *relation, RelOptInfo *rel)
{
	const TxsStorage *storage = relation->table->storage;
	TxsEstimate estimate = {.keys = -1, .states = -1};
	bool is_states = relation->table->kind == TXS_STATES_TABLE;

	storage->provider->estimate(storage, &estimate);
	if (estimate.keys < 0)
		estimate.keys = UNKNOWN_PARTITIONS;
	if (estimate.states < 0)
		estimate.states = estimate.keys * UNKNOWN_STATES;
	relation->per_key =
		is_states ? Max(1, estimate.states / Max(1, estimate.keys)) : 1;
	if (rel->tuples < 0)
		rel->tuples = is_states ? estimate.states : estimate.keys;
	relation->partitions = Max(1, rel->tuples / relation->per_key);
}

void
txs_fdw_rel_size(PlannerInfo *root, RelOptInfo *rel, Oid table)
{
	TxsRelation *relation = palloc0(sizeof(TxsRelation));

	relation->user = OidIsValid(rel->userid) ? rel->userid : GetUserId();
	relation->relid = rel->relid;
	relation->table = txs_table_open(table, relation->user);
	relation->quals =
		match_quals(root, relation->table, rel, rel->baserestrictinfo);
	rel->fdw_private = relation;
	estimate_size(relation, rel);
	set_baserel_size_estimates(root, rel);
	if (txs_paths_named(relation->quals) > 0)
	{
		double rows =
			txs_paths_named(relation->quals) *
			(txs_paths_is_full_key(relation, relation->quals) ? 1 : relation->per_key);

		rel->rows = clamp_row_est(Min(rel->rows, rows));
	}
}

/* Costs of one reading with the given quals, which gives rows. */
static void
cost_reading(const TxsRelation *relation, RelOptInfo *rel, List *quals,
			 double rows, Cost *startup, Cost *total)
{
	const TxsProvider *provider = relation->table->storage->provider;
	double named = txs_paths_named(quals);
	double read = named > 0 ? Max(rows, named) : Max(rel->tuples, 1);
	double requests;

	if (named == 0)
		requests = 1 + read / provider->costs.rows_per_page;
	else if (txs_paths_is_full_key(relation, quals))
		requests = ceil(named / provider->costs.keys_per_request);
	else
		requests = named;
	*startup = provider->costs.request + rel->baserestrictcost.startup;
	*total = *startup + (requests - 1) * provider->costs.request +
			 read * (provider->costs.row + cpu_tuple_cost +
					 rel->baserestrictcost.per_tuple);
}

static void
add_reading(PlannerInfo *root, RelOptInfo *rel, List *quals, double rows,
			List *pathkeys, Relids outer, const TxsReading *reading)
{
	Cost startup;
	Cost total;

	cost_reading(rel->fdw_private, rel, quals, rows, &startup, &total);
	add_path(rel, (Path *) txs_create_foreignscan_path(
					  root, rel, rows, startup, total, pathkeys, outer,
					  txs_reading_to_list(reading)));
}

/* Does an order by this column follow that of row keys? */
static bool
is_ordered_by(const TxsRelation *relation, EquivalenceClass *class, Oid family)
{
	ListCell *cell;

	foreach (cell, class->ec_members)
	{
		Node *node = (Node *) ((EquivalenceMember *) lfirst(cell))->em_expr;
		Var *var;
		TxsField field;

		while (IsA(node, RelabelType))
			node = (Node *) ((RelabelType *) node)->arg;
		var = (Var *) node;
		if (!IsA(node, Var) || var->varno != relation->relid ||
			var->varattno < 1)
			continue;
		field = relation->table->columns[var->varattno - 1].field;
		if (field == TXS_FIELD_SEQUENCE_ID && family == INTEGER_BTREE_FAM_OID)
			return true;
		if (field == TXS_FIELD_ROW_KEY && family == TEXT_BTREE_FAM_OID &&
			txs_quals_is_bytewise(class->ec_collation))
			return true;
	}
	return false;
}

/*
 * Can one partition be read in the order that the query wants?  Then backward
 * says which way.
 */
static bool
has_wanted_order(PlannerInfo *root, const TxsRelation *relation,
				 bool *backward)
{
	PathKey *key;

	if (relation->table->kind != TXS_STATES_TABLE ||
		!is_one_partition(relation->quals) ||
		list_length(root->query_pathkeys) != 1)
		return false;
	key = linitial(root->query_pathkeys);
	if (!is_ordered_by(relation, key->pk_eclass, key->pk_opfamily))
		return false;
	*backward = txs_pathkey_is_descending(key);
	return true;
}

/* The rows that are enough for the query's LIMIT, if no other table adds any. */
static int64
wanted_rows(PlannerInfo *root, RelOptInfo *rel)
{
	if (root->limit_tuples < 1 || root->limit_tuples > PG_INT32_MAX ||
		!bms_equal(root->all_baserels, rel->relids))
		return 0;
	return (int64) root->limit_tuples;
}

/* Readings of the partitions that other relations name, in a join. */
static void
add_parameterized(PlannerInfo *root, RelOptInfo *rel, List *clauses,
				  List **seen)
{
	TxsRelation *relation = rel->fdw_private;
	ListCell *cell;

	foreach (cell, clauses)
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, cell);
		TxsReading reading = {0};
		ParamPathInfo *param;
		TxsKeyQual qual;
		Relids outer;
		List *quals;

		if (!join_clause_is_movable_to(clause, rel) ||
			!txs_quals_match(root, relation->table, rel, clause->clause,
							 &qual) ||
			!txs_quals_is_of_partition(qual.part))
			continue;
		outer = bms_del_member(bms_union(clause->clause_relids,
										 rel->lateral_relids),
							   rel->relid);
		if (bms_is_empty(outer))
			continue;
		/* The same one for the same outer relations. */
		param = get_baserel_parampathinfo(root, rel, outer);
		if (list_member_ptr(*seen, param))
			continue;
		*seen = lappend(*seen, param);
		quals = list_concat_copy(relation->quals,
								 match_quals(root, relation->table, rel,
											 param->ppi_clauses));
		if (txs_paths_named(quals) == 0)
			continue;
		add_reading(root, rel, quals,
					Min(param->ppi_rows,
						txs_paths_named(quals) * relation->per_key),
					NIL, outer, &reading);
	}
}

static bool
is_of_partition(TxsField field)
{
	return field == TXS_FIELD_PARTITION_KEY || field == TXS_FIELD_GRAIN_TYPE ||
		   field == TXS_FIELD_GRAIN_KEY || field == TXS_FIELD_STATE_NAME;
}

static bool
is_key_member(PlannerInfo *root, RelOptInfo *rel, EquivalenceClass *class,
			  EquivalenceMember *member, void *arg)
{
	TxsRelation *relation = rel->fdw_private;
	Node *node = (Node *) member->em_expr;
	Var *var;

	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	var = (Var *) node;
	if (!IsA(node, Var) || var->varno != rel->relid || var->varattno < 1)
		return false;
	return is_of_partition(
		relation->table->columns[var->varattno - 1].field);
}

void
txs_fdw_paths(PlannerInfo *root, RelOptInfo *rel, Oid table)
{
	TxsRelation *relation = rel->fdw_private;
	TxsReading reading = {0};
	List *seen = NIL;
	List *implied;

	if (root->query_pathkeys == NIL)
		reading.limit = wanted_rows(root, rel);
	add_reading(root, rel, relation->quals, rel->rows, NIL,
				rel->lateral_relids, &reading);
	if (has_wanted_order(root, relation, &reading.backward))
	{
		reading.limit = wanted_rows(root, rel);
		add_reading(root, rel, relation->quals, rel->rows,
					root->query_pathkeys, rel->lateral_relids, &reading);
	}

	add_parameterized(root, rel, rel->joininfo, &seen);
	if (!rel->has_eclass_joins)
		return;
	implied =
		generate_implied_equalities_for_column(root, rel, is_key_member, NULL,
											   rel->lateral_referencers);
	add_parameterized(root, rel, implied, &seen);
}

/* Is the query nothing but a count(*) over this relation? */
static bool
is_plain_count(PlannerInfo *root)
{
	Query *query = root->parse;
	PathTarget *target = root->upper_targets[UPPERREL_GROUP_AGG];
	Aggref *aggregate;

	if (query->groupClause != NIL || query->groupingSets != NIL ||
		root->hasHavingQual || list_length(target->exprs) != 1)
		return false;
	aggregate = linitial(target->exprs);
	return IsA(aggregate, Aggref) && aggregate->aggfnoid == F_COUNT_ &&
		   aggregate->aggfilter == NULL && aggregate->agglevelsup == 0;
}

/* Do the quals that go to the provider say all that the query's say? */
static bool
are_exact(const TxsRelation *relation, RelOptInfo *rel)
{
	ListCell *cell;

	if (list_length(relation->quals) != list_length(rel->baserestrictinfo))
		return false;
	foreach (cell, relation->quals)
	{
		const TxsKeyQual *qual = lfirst(cell);

		if (!qual->is_exact)
			return false;
	}
	return true;
}

void
txs_fdw_upper_paths(PlannerInfo *root, UpperRelationKind stage,
					RelOptInfo *input, RelOptInfo *output, void *extra)
{
	TxsRelation *relation = input->fdw_private;
	TxsReading reading = {.is_count = true};
	Cost startup;
	Cost total;

	if (stage != UPPERREL_GROUP_AGG || relation == NULL ||
		input->reloptkind != RELOPT_BASEREL ||
		!bms_is_empty(input->lateral_relids) ||
		!is_plain_count(root) || !are_exact(relation, input))
		return;
	output->fdw_private = relation;
	cost_reading(relation, input, relation->quals, input->rows, &startup,
				 &total);
	add_path(output, (Path *) txs_create_foreign_upper_path(
						 root, output, root->upper_targets[UPPERREL_GROUP_AGG],
						 1, total - cpu_tuple_cost, total,
						 txs_reading_to_list(&reading)));
}
