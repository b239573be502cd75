/*
 * Differences between PostgreSQL 15 and 18, in one place.  Nothing else in
 * this source tree may test PG_VERSION_NUM.
 */
#ifndef TXS_COMPAT_H
#define TXS_COMPAT_H

#include "postgres.h"

/* The planner's nodes are declared in an old style. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#pragma GCC diagnostic pop

#include "access/genam.h"
#include "access/stratnum.h"
#include "access/tableam.h"
#include "commands/vacuum.h"
#include "executor/executor.h"
#include "nodes/execnodes.h"
#include "miscadmin.h"
#include "nodes/plannodes.h"
#include "optimizer/pathnode.h"
#include "storage/latch.h"
#include "utils/acl.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/wait_event.h"

#if PG_VERSION_NUM < 150000 || PG_VERSION_NUM >= 190000
#error "txstore supports PostgreSQL 15 to 18"
#endif

#include "catalog/pg_class.h"
#include "catalog/pg_foreign_server.h"

#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* 18 took EXPLAIN's header apart. */
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#else
#include "commands/explain.h"
#endif

/* 18 has it in front of a declaration. */
#if PG_VERSION_NUM < 180000
#define pg_noreturn pg_attribute_noreturn()
#endif

/* 16 replaced a function per kind of object by one. */
static inline AclResult
txs_server_aclcheck(Oid server, Oid user, AclMode mode)
{
#if PG_VERSION_NUM >= 160000
	return object_aclcheck(ForeignServerRelationId, server, user, mode);
#else
	return pg_foreign_server_aclcheck(server, user, mode);
#endif
}

/* 18 added the question whether a deferrable primary key will do. */
static inline Oid
txs_primary_key_index(Relation relation)
{
#if PG_VERSION_NUM >= 180000
	return RelationGetPrimaryKeyIndex(relation, false);
#else
	return RelationGetPrimaryKeyIndex(relation);
#endif
}

/*
 * 16 tells BRIN indexes from others when a row is updated in place.  Returns
 * whether index entries are needed; *summarizing says that only BRIN's are.
 */
static inline TM_Result
txs_tuple_update(Relation relation, ItemPointer tid, TupleTableSlot *slot,
				 CommandId command, Snapshot snapshot, TM_FailureData *failure,
				 bool *needs_index, bool *summarizing)
{
	LockTupleMode lockmode;
	TM_Result result;
#if PG_VERSION_NUM >= 160000
	TU_UpdateIndexes update = TU_None;

	result =
		table_tuple_update(relation, tid, slot, command, snapshot,
						   InvalidSnapshot, true, failure, &lockmode, &update);
	*needs_index = update != TU_None;
	*summarizing = update == TU_Summarizing;
#else
	result = table_tuple_update(relation, tid, slot, command, snapshot,
								InvalidSnapshot, true, failure, &lockmode,
								needs_index);
	*summarizing = false;
#endif
	return result;
}

static inline List *
txs_insert_index_entries(ResultRelInfo *target, TupleTableSlot *slot,
						 EState *estate, bool update, bool summarizing)
{
#if PG_VERSION_NUM >= 160000
	return ExecInsertIndexTuples(target, slot, estate, update, false, NULL,
								 NIL, summarizing);
#else
	return ExecInsertIndexTuples(target, slot, estate, update, false, NULL,
								 NIL);
#endif
}

/* A set that lives as long as the session; 17 ties sets to resource owners. */
static inline WaitEventSet *
txs_create_wait_event_set(int nevents)
{
#if PG_VERSION_NUM >= 170000
	return CreateWaitEventSet(NULL, nevents);
#else
	return CreateWaitEventSet(TopMemoryContext, nevents);
#endif
}

/* 17 lets extensions name what they wait for. */
static inline uint32
txs_wait_event(const char *name)
{
#if PG_VERSION_NUM >= 170000
	return WaitEventExtensionNew(name);
#else
	return PG_WAIT_EXTENSION;
#endif
}

/* 18 wants to know whether it is ANALYZE that may wait. */
static inline void
txs_analyze_delay_point(void)
{
#if PG_VERSION_NUM >= 180000
	vacuum_delay_point(true);
#else
	vacuum_delay_point();
#endif
}

/* Whose rights and user mapping count for a foreign scan. */
static inline Oid
txs_scan_user(ForeignScan *scan, EState *estate)
{
	Oid user;
#if PG_VERSION_NUM >= 160000
	user = scan->checkAsUser;
#else
	Index relid = scan->scan.scanrelid > 0
					  ? scan->scan.scanrelid
					  : (Index) bms_next_member(scan->fs_relids, -1);

	user = exec_rt_fetch(relid, estate)->checkAsUser;
#endif
	return OidIsValid(user) ? user : GetUserId();
}

/* 17 added restrictions of a join, 18 the number of disabled nodes. */
static inline ForeignPath *
txs_create_foreignscan_path(PlannerInfo *root, RelOptInfo *rel, double rows,
							Cost startup, Cost total, List *pathkeys,
							Relids outer, List *private)
{
#if PG_VERSION_NUM >= 180000
	return create_foreignscan_path(root, rel, NULL, rows, 0, startup, total,
								   pathkeys, outer, NULL, NIL, private);
#elif PG_VERSION_NUM >= 170000
	return create_foreignscan_path(root, rel, NULL, rows, startup, total,
								   pathkeys, outer, NULL, NIL, private);
#else
	return create_foreignscan_path(root, rel, NULL, rows, startup, total,
								   pathkeys, outer, NULL, private);
#endif
}

static inline ForeignPath *
txs_create_foreign_upper_path(PlannerInfo *root, RelOptInfo *rel,
							  PathTarget *target, double rows, Cost startup,
							  Cost total, List *private)
{
#if PG_VERSION_NUM >= 180000
	return create_foreign_upper_path(root, rel, target, rows, 0, startup,
									 total, NIL, NULL, NIL, private);
#elif PG_VERSION_NUM >= 170000
	return create_foreign_upper_path(root, rel, target, rows, startup, total,
									 NIL, NULL, NIL, private);
#else
	return create_foreign_upper_path(root, rel, target, rows, startup, total,
									 NIL, NULL, private);
#endif
}

static inline bool
txs_pathkey_is_descending(PathKey *key)
{
#if PG_VERSION_NUM >= 180000
	return key->pk_cmptype == COMPARE_GT;
#else
	return key->pk_strategy == BTGreaterStrategyNumber;
#endif
}

#endif /* TXS_COMPAT_H */
