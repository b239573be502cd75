/*
 * Change a table of an embedded storage: one row version at a time, with its
 * indexes and AFTER triggers, like the executor does for UPDATE.
 *
 * The table's owner may add indexes and AFTER ROW triggers; what would not be
 * honoured here (other triggers, CHECK constraints, a partition's bounds) is
 * refused when the table is opened.
 */
#include "provider/embedded/embedded.h"

#include "access/xact.h"
#include "commands/trigger.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

void
txs_target_open(TxsTarget *target, Relation table, Oid index)
{
	target->table = table;
	target->index = index;
	target->estate = CreateExecutorState();
	target->info = makeNode(ResultRelInfo);
	InitResultRelInfo(target->info, table, 0, NULL, 0);
	ExecOpenIndices(target->info, false);

	/* Where triggers look for the table; what they miss they open. */
	target->estate->es_opened_result_relations = list_make1(target->info);
	target->slot =
		MakeSingleTupleTableSlot(RelationGetDescr(table), &TTSOpsVirtual);
	if (target->info->ri_TrigDesc != NULL)
		AfterTriggerBeginQuery();
}

void
txs_target_close(TxsTarget *target)
{
	if (target->info->ri_TrigDesc != NULL)
		AfterTriggerEndQuery(target->estate);
	ExecDropSingleTupleTableSlot(target->slot);
	ExecCloseResultRelations(target->estate);
	ExecResetTupleTable(target->estate->es_tupleTable, false);
	FreeExecutorState(target->estate);
}

/* Is the error being handled a duplicate of the target's primary key? */
static bool
is_duplicate_key(const TxsTarget *target, const ErrorData *error)
{
	const char *name;

	/* Not every error allows a look into the catalogs. */
	if (error->sqlerrcode != ERRCODE_UNIQUE_VIOLATION ||
		error->constraint_name == NULL)
		return false;
	name = get_rel_name(target->index);
	return name != NULL && strcmp(error->constraint_name, name) == 0;
}

/*
 * Insert the index entries of a new row.  False on a duplicate of the primary
 * key; the caller must then raise an error of its own, since the row stays.
 */
static bool
insert_entries(TxsTarget *target, List **recheck)
{
	MemoryContext caller = CurrentMemoryContext;
	volatile bool inserted = true;

	PG_TRY();
	{
		*recheck = txs_insert_index_entries(target->info, target->slot,
											target->estate, false, false);
	}
	PG_CATCH();
	{
		ErrorData *error;

		MemoryContextSwitchTo(caller);
		error = CopyErrorData();
		if (!is_duplicate_key(target, error))
			PG_RE_THROW();
		FlushErrorState();
		FreeErrorData(error);
		inserted = false;
	}
	PG_END_TRY();
	return inserted;
}

bool
txs_target_insert(TxsTarget *target)
{
	List *recheck = NIL;

	table_tuple_insert(target->table, target->slot, GetCurrentCommandId(true),
					   0, NULL);
	if (!insert_entries(target, &recheck))
		return false;
	ExecARInsertTriggers(target->estate, target->info, target->slot, recheck,
						 NULL);
	list_free(recheck);
	ResetPerTupleExprContext(target->estate);
	return true;
}

bool
txs_target_update(TxsTarget *target, ItemPointer tid, bool new_key)
{
	List *recheck = NIL;
	TM_FailureData failure;
	bool needs_index;
	bool summarizing;

	if (txs_tuple_update(target->table, tid, target->slot,
						 GetCurrentCommandId(true), GetActiveSnapshot(),
						 &failure, &needs_index, &summarizing) != TM_Ok)
		return false;
	if (new_key)
	{
		if (!insert_entries(target, &recheck))
			return false;
	}
	else if (needs_index)
		recheck = txs_insert_index_entries(target->info, target->slot,
										   target->estate, true, summarizing);
	ExecARUpdateTriggers(target->estate, target->info, NULL, NULL, tid, NULL,
						 target->slot, recheck, NULL, false);
	list_free(recheck);
	ResetPerTupleExprContext(target->estate);
	return true;
}

bool
txs_target_delete(TxsTarget *target, ItemPointer tid)
{
	TM_FailureData failure;

	if (table_tuple_delete(target->table, tid, GetCurrentCommandId(true),
						   GetActiveSnapshot(), InvalidSnapshot, true,
						   &failure, false) != TM_Ok)
		return false;
	ExecARDeleteTriggers(target->estate, target->info, tid, NULL, NULL, false);
	return true;
}
