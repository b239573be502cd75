/*
 * The wrapper's functions, gathered.
 */
#include "fdw/fdw.h"

#include "fmgr.h"
#include "parser/parsetree.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(txstore_fdw_handler);

/*
 * Foreign tables are read only: a raw write would break the rules of ETags and
 * sequences.
 */
pg_noreturn static void
refuse_change(const char *table)
{
	ereport(ERROR, errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
			errmsg("cannot change foreign table \"%s\"", table),
			errdetail("The rows of a storage keep rules that single changes "
					  "would break."),
			errhint("Use txstore.store() to write a partition."));
}

static List *
plan_modify(PlannerInfo *root, ModifyTable *plan, Index relid, int subplan)
{
	refuse_change(get_rel_name(planner_rt_fetch(relid, root)->relid));
}

static void
truncate_tables(List *relations, DropBehavior behavior, bool restart_sequences)
{
	refuse_change(RelationGetRelationName((Relation) linitial(relations)));
}

/* COPY FROM, and a row that is to go into a partition. */
static void
begin_insert(ModifyTableState *node, ResultRelInfo *target)
{
	refuse_change(RelationGetRelationName(target->ri_RelationDesc));
}

/* Must be there for begin_insert() to be called; never is. */
static TupleTableSlot *
insert_row(EState *estate, ResultRelInfo *target, TupleTableSlot *slot,
		   TupleTableSlot *plan_slot)
{
	refuse_change(RelationGetRelationName(target->ri_RelationDesc));
}

/*
 * No row can be changed, and who asks is told so.  But the executor asks, too,
 * before it calls begin_insert(), and its error would have no hint.  It is known
 * by its lock, which nothing else takes on a foreign table: LOCK TABLE does not,
 * and DDL takes stronger ones.
 */
static int
is_updatable(Relation relation)
{
	return CheckRelationLockedByMe(relation, RowExclusiveLock, false)
			   ? 1 << CMD_INSERT
			   : 0;
}

Datum
txstore_fdw_handler(PG_FUNCTION_ARGS)
{
	FdwRoutine *routine = makeNode(FdwRoutine);

	routine->GetForeignRelSize = txs_fdw_rel_size;
	routine->GetForeignPaths = txs_fdw_paths;
	routine->GetForeignUpperPaths = txs_fdw_upper_paths;
	routine->GetForeignPlan = txs_fdw_plan;
	routine->BeginForeignScan = txs_fdw_begin;
	routine->IterateForeignScan = txs_fdw_iterate;
	routine->ReScanForeignScan = txs_fdw_rescan;
	routine->EndForeignScan = txs_fdw_end;
	routine->ExplainForeignScan = txs_fdw_explain;
	routine->IsForeignRelUpdatable = is_updatable;
	routine->PlanForeignModify = plan_modify;
	routine->BeginForeignInsert = begin_insert;
	routine->ExecForeignInsert = insert_row;
	routine->ExecForeignTruncate = truncate_tables;
	routine->AnalyzeForeignTable = txs_fdw_analyze;
	routine->ImportForeignSchema = txs_fdw_import;
	PG_RETURN_POINTER(routine);
}
