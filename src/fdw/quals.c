/*
 * Which quals ask something that the provider can answer before it gives rows:
 * of parts of the key (partitions that equal something, begin with something or
 * lie within bounds; sequence ids and row keys within bounds), and of a few
 * attributes.
 *
 * A qual counts only where its meaning is that of the bytes: equality and
 * beginnings of texts under any deterministic collation, order of texts under
 * C alone.
 */
#include "fdw/fdw.h"

#include "access/stratnum.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

/* The column that an expression is, of this relation; NULL for others. */
static const TxsTableColumn *
column_of(const TxsForeignTable *table, RelOptInfo *rel, Node *node)
{
	Var *var;

	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	var = (Var *) node;
	if (!IsA(node, Var) || var->varno != rel->relid || var->varlevelsup != 0 ||
		var->varattno < 1 || var->varattno > table->ncolumns)
		return NULL;
	return &table->columns[var->varattno - 1];
}

/* Does a column show texts as they are?  Others may cut them. */
static bool
is_whole_text(const TxsTableColumn *column)
{
	return column->base == TEXTOID ||
		   (column->base == VARCHAROID && column->base_typmod < 0);
}

/* The part that a column shows, by which its field can be asked for. */
static bool
part_of(const TxsForeignTable *table, const TxsTableColumn *column,
		TxsKeyPart *part)
{
	if (column->field != TXS_FIELD_SEQUENCE_ID &&
		column->field != TXS_FIELD_COMMITTED && !is_whole_text(column))
		return false;
	switch (column->field)
	{
		case TXS_FIELD_PARTITION_KEY:
			*part = TXS_PART_PARTITION;
			return true;
		case TXS_FIELD_GRAIN_TYPE:
			*part = TXS_PART_GRAIN_TYPE;
			return true;
		case TXS_FIELD_GRAIN_KEY:
			*part = TXS_PART_GRAIN_KEY;
			return true;
		case TXS_FIELD_STATE_NAME:
			*part = TXS_PART_STATE_NAME;
			return true;
		case TXS_FIELD_SEQUENCE_ID:
			*part = TXS_PART_SEQUENCE;
			return true;
		case TXS_FIELD_ROW_KEY:
			*part = TXS_PART_ROW_KEY;
			return table->kind == TXS_STATES_TABLE;
		case TXS_FIELD_COMMITTED:
			*part = TXS_PART_COMMITTED;
			return true;
		case TXS_FIELD_TRANSACTION_ID:
			*part = TXS_PART_TRANSACTION;
			return table->kind == TXS_STATES_TABLE;
		default:
			return false;
	}
}

bool
txs_quals_is_bytewise(Oid collation)
{
	return collation == C_COLLATION_OID;
}

static bool
is_number(TxsKeyPart part)
{
	return part == TXS_PART_SEQUENCE || part == TXS_PART_COMMITTED;
}

bool
txs_quals_is_of_partition(TxsKeyPart part)
{
	return part <= TXS_PART_STATE_NAME;
}

bool
txs_quals_is_of_key(TxsKeyPart part)
{
	return part <= TXS_PART_ROW_KEY;
}

void
txs_quals_name(TxsNamed *named, TxsKeyPart part, int strategy, bool is_array)
{
	int bit = 1 << part;

	if (strategy != BTEqualStrategyNumber)
		return;
	/* A single value leaves at most one of an array. */
	if (!is_array)
		named->arrays &= ~bit;
	else if (!(named->parts & bit))
		named->arrays |= bit;
	named->parts |= bit;
}

bool
txs_quals_are_named(const TxsNamed *named, bool *is_many)
{
	const int whole = 1 << TXS_PART_PARTITION;
	const int pieces = (1 << TXS_PART_GRAIN_TYPE) | (1 << TXS_PART_GRAIN_KEY) |
					   (1 << TXS_PART_STATE_NAME);
	bool is_whole = (named->parts & whole) != 0;
	bool is_pieces = (named->parts & pieces) == pieces;

	*is_many = !(is_whole && !(named->arrays & whole)) &&
			   !(is_pieces && !(named->arrays & pieces));
	return is_whole || is_pieces;
}

/* The strategy of a function that compares with a pattern or a beginning. */
static int
matching_strategy(Oid function)
{
	switch (function)
	{
		case F_STARTS_WITH:
			return TXS_BEGINS_WITH;
		case F_TEXTLIKE:
			return TXS_LIKE;
		default:
			return InvalidStrategy;
	}
}

/* Can the provider answer this comparison? */
static bool
is_answerable(TxsKeyPart part, int strategy, Oid collation)
{
	if (strategy == InvalidStrategy)
		return false;
	if (is_number(part))
		return strategy <= BTMaxStrategyNumber;
	if (!OidIsValid(collation) || !get_collation_isdeterministic(collation))
		return false;
	if (strategy == BTEqualStrategyNumber)
		return true;
	if (part != TXS_PART_PARTITION && part != TXS_PART_ROW_KEY)
		return false;
	return strategy > BTMaxStrategyNumber || txs_quals_is_bytewise(collation);
}

/* Does the provider leave out all rows for which this is not true? */
static bool
is_exact(TxsKeyPart part, int strategy, bool is_array)
{
	switch (part)
	{
		case TXS_PART_PARTITION:
			return strategy == BTEqualStrategyNumber;
		case TXS_PART_SEQUENCE:
		case TXS_PART_ROW_KEY:
			return strategy <= BTMaxStrategyNumber && !is_array;
		default:
			return false;
	}
}

/*
 * The base type of a value that request.c can read for this part, or of an
 * array's elements; InvalidOid for others.
 */
static Oid
readable_type(TxsKeyPart part, Node *value, bool is_array)
{
	Oid type = exprType(value);

	type = getBaseType(is_array ? get_base_element_type(type) : type);
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
			return is_number(part) ? type : InvalidOid;
		case TEXTOID:
		case VARCHAROID:
		case NAMEOID:
			return is_number(part) ? InvalidOid : type;
		default:
			return InvalidOid;
	}
}

/* Is a value known before rows of this relation are read? */
static bool
is_known(PlannerInfo *root, RelOptInfo *rel, Node *value)
{
	return !bms_is_member(rel->relid, pull_varnos(root, value)) &&
		   !contain_volatile_functions(value) && !contain_subplans(value);
}

/* Does "column, strategy, value" ask something of a part? */
static bool
match(PlannerInfo *root, const TxsForeignTable *table, RelOptInfo *rel,
	  Node *left, Node *right, int strategy, Oid collation, bool is_array,
	  TxsKeyQual *qual)
{
	const TxsTableColumn *column = column_of(table, rel, left);

	if (column == NULL || !part_of(table, column, &qual->part) ||
		!is_answerable(qual->part, strategy, collation) ||
		!is_known(root, rel, right))
		return false;
	if (is_array && (strategy != BTEqualStrategyNumber ||
					 !(txs_quals_is_of_partition(qual->part) ||
					   qual->part == TXS_PART_SEQUENCE ||
					   qual->part == TXS_PART_ROW_KEY)))
		return false;
	qual->type = readable_type(qual->part, right, is_array);
	if (!OidIsValid(qual->type))
		return false;
	qual->strategy = strategy;
	qual->is_array = is_array;
	qual->is_exact = is_exact(qual->part, strategy, is_array);
	qual->value = (Expr *) right;
	return true;
}

/* The strategy of an operator between this column and a value. */
static int
strategy_of(const TxsForeignTable *table, RelOptInfo *rel, Node *node,
			Oid operator)
{
	const TxsTableColumn *column = column_of(table, rel, node);
	TxsKeyPart part;
	int strategy;

	if (column == NULL || !part_of(table, column, &part) ||
		!OidIsValid(operator))
		return InvalidStrategy;
	strategy = get_op_opfamily_strategy(operator,
										is_number(part) ? INTEGER_BTREE_FAM_OID
														: TEXT_BTREE_FAM_OID);
	return strategy != InvalidStrategy
			   ? strategy
			   : matching_strategy(get_opcode(operator));
}

static bool
match_operator(PlannerInfo *root, const TxsForeignTable *table,
			   RelOptInfo *rel, OpExpr *op, TxsKeyQual *qual)
{
	Node *left;
	Node *right;

	if (list_length(op->args) != 2)
		return false;
	left = linitial(op->args);
	right = lsecond(op->args);
	return match(root, table, rel, left, right,
				 strategy_of(table, rel, left, op->opno), op->inputcollid,
				 false, qual) ||
		   match(root, table, rel, right, left,
				 strategy_of(table, rel, right, get_commutator(op->opno)),
				 op->inputcollid, false, qual);
}

static bool
match_function(PlannerInfo *root, const TxsForeignTable *table,
			   RelOptInfo *rel, FuncExpr *function, TxsKeyQual *qual)
{
	return function->funcid == F_STARTS_WITH &&
		   match(root, table, rel, linitial(function->args),
				 lsecond(function->args), TXS_BEGINS_WITH,
				 function->inputcollid, false, qual);
}

/*
 * Of an alternative, which may be several conditions: the partitions that it
 * names by one value.
 */
static bool
match_alternative(PlannerInfo *root, const TxsForeignTable *table,
				  RelOptInfo *rel, Node *node, TxsKeyQual *qual)
{
	ListCell *cell;

	if (IsA(node, OpExpr))
		return match_operator(root, table, rel, (OpExpr *) node, qual) &&
			   qual->part == TXS_PART_PARTITION &&
			   qual->strategy == BTEqualStrategyNumber;
	if (!is_andclause(node))
		return false;
	foreach (cell, ((BoolExpr *) node)->args)
	{
		if (match_alternative(root, table, rel, lfirst(cell), qual))
		{
			qual->is_exact = false;
			return true;
		}
	}
	return false;
}

/* Alternatives that name a partition each are an array of partitions. */
static bool
match_alternatives(PlannerInfo *root, const TxsForeignTable *table,
				   RelOptInfo *rel, BoolExpr *or, TxsKeyQual *qual)
{
	ArrayExpr *array = makeNode(ArrayExpr);
	bool exact = true;
	ListCell *cell;

	foreach (cell, or->args)
	{
		Oid type = qual->type;

		if (!match_alternative(root, table, rel, lfirst(cell), qual) ||
			(array->elements != NIL && type != qual->type))
			return false;
		exact &= qual->is_exact;
		array->elements = lappend(array->elements, qual->value);
	}
	array->element_typeid = qual->type;
	array->array_typeid = get_array_type(qual->type);
	array->array_collid = get_typcollation(qual->type);
	array->location = -1;
	qual->value = (Expr *) array;
	qual->is_array = true;
	qual->is_exact = exact;
	return true;
}

bool
txs_quals_match(PlannerInfo *root, const TxsForeignTable *table,
				RelOptInfo *rel, Expr *clause, TxsKeyQual *qual)
{
	if (IsA(clause, OpExpr))
		return match_operator(root, table, rel, (OpExpr *) clause, qual);
	if (IsA(clause, FuncExpr))
		return match_function(root, table, rel, (FuncExpr *) clause, qual);
	if (is_orclause(clause))
		return match_alternatives(root, table, rel, (BoolExpr *) clause, qual);
	if (IsA(clause, ScalarArrayOpExpr))
	{
		ScalarArrayOpExpr *op = (ScalarArrayOpExpr *) clause;
		Node *left = linitial(op->args);

		return op->useOr &&
			   match(root, table, rel, left, lsecond(op->args),
					 strategy_of(table, rel, left, op->opno), op->inputcollid,
					 true, qual);
	}
	return false;
}
