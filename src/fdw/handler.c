/*
 * The wrapper's functions, gathered.
 */
#include "fdw/fdw.h"

#include "fmgr.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(txstore_fdw_handler);

/*
 * Foreign tables are read only: a raw write would break the rules of ETags and
 * sequences.
 */
static void
refuse_change(const char *table)
{
	ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			errmsg("cannot change foreign table \"%s\"", table),
			errdetail("The rows of a storage keep rules that single changes "
					  "would break."),
			errhint("Use txstore.store() to write a partition."));
}

static List *
plan_modify(PlannerInfo *root, ModifyTable *plan, Index relid, int subplan)
{
	refuse_change(get_rel_name(planner_rt_fetch(relid, root)->relid));
	return NIL;
}

static void
truncate_tables(List *relations, DropBehavior behavior, bool restart_sequences)
{
	refuse_change(RelationGetRelationName((Relation) linitial(relations)));
}

static int
is_updatable(Relation relation)
{
	return 0;
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
	routine->ExecForeignTruncate = truncate_tables;
	routine->AnalyzeForeignTable = txs_fdw_analyze;
	routine->ImportForeignSchema = txs_fdw_import;
	PG_RETURN_POINTER(routine);
}
