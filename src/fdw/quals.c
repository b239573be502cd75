/*
 * Which quals ask something of a part of the key that the provider can answer
 * by its keys: partition keys equal to something, sequence ids and row keys
 * within bounds.
 *
 * A qual counts only where its meaning is that of the keys' bytes: equality
 * of texts under any deterministic collation, order of texts under C alone.
 */
#include "fdw/fdw.h"

#include "access/stratnum.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
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

static bool
part_of(const TxsForeignTable *table, const TxsTableColumn *column,
		TxsKeyPart *part)
{
	switch (column->field)
	{
		case TXS_FIELD_PARTITION_KEY:
			*part = TXS_PART_PARTITION;
			return true;
		case TXS_FIELD_SEQUENCE_ID:
			*part = TXS_PART_SEQUENCE;
			return true;
		case TXS_FIELD_ROW_KEY:
			*part = TXS_PART_ROW_KEY;
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

/* Can the provider's keys answer this comparison? */
static bool
is_answerable(TxsKeyPart part, Oid operator, Oid collation, int *strategy)
{
	Oid family =
		part == TXS_PART_SEQUENCE ? INTEGER_BTREE_FAM_OID : TEXT_BTREE_FAM_OID;

	*strategy = get_op_opfamily_strategy(operator, family);
	if (*strategy == InvalidStrategy)
		return false;
	if (part == TXS_PART_SEQUENCE)
		return true;
	if (*strategy == BTEqualStrategyNumber)
		return OidIsValid(collation) &&
			   get_collation_isdeterministic(collation);
	return part == TXS_PART_ROW_KEY && txs_quals_is_bytewise(collation);
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
			return part == TXS_PART_SEQUENCE ? type : InvalidOid;
		case TEXTOID:
		case VARCHAROID:
		case NAMEOID:
			return part != TXS_PART_SEQUENCE ? type : InvalidOid;
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

static bool
match(PlannerInfo *root, const TxsForeignTable *table, RelOptInfo *rel,
	  Node *left, Node *right, Oid operator, Oid collation, bool is_array,
	  TxsKeyQual *qual)
{
	const TxsTableColumn *column = column_of(table, rel, left);

	if (column == NULL || !part_of(table, column, &qual->part) ||
		!OidIsValid(operator) ||
		!is_answerable(qual->part, operator, collation, &qual->strategy) ||
		!is_known(root, rel, right))
		return false;
	if (is_array && qual->strategy != BTEqualStrategyNumber)
		return false;
	qual->type = readable_type(qual->part, right, is_array);
	if (!OidIsValid(qual->type))
		return false;
	qual->is_array = is_array;
	qual->value = (Expr *) right;
	return true;
}

bool
txs_quals_match(PlannerInfo *root, const TxsForeignTable *table,
				RelOptInfo *rel, Expr *clause, TxsKeyQual *qual)
{
	qual->clause = clause;
	if (IsA(clause, OpExpr) && list_length(((OpExpr *) clause)->args) == 2)
	{
		OpExpr *op = (OpExpr *) clause;
		Node *left = linitial(op->args);
		Node *right = lsecond(op->args);

		return match(root, table, rel, left, right, op->opno, op->inputcollid,
					 false, qual) ||
			   match(root, table, rel, right, left, get_commutator(op->opno),
					 op->inputcollid, false, qual);
	}
	if (IsA(clause, ScalarArrayOpExpr))
	{
		ScalarArrayOpExpr *op = (ScalarArrayOpExpr *) clause;

		return op->useOr &&
			   match(root, table, rel, linitial(op->args), lsecond(op->args),
					 op->opno, op->inputcollid, true, qual);
	}
	return false;
}
