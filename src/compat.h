/*
 * Differences between PostgreSQL 15 and 18, in one place.  Nothing else in
 * this source tree may test PG_VERSION_NUM.
 */
#ifndef TXS_COMPAT_H
#define TXS_COMPAT_H

#include "postgres.h"

#include "access/genam.h"
#include "access/tableam.h"
#include "executor/executor.h"
#include "nodes/execnodes.h"
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

#endif /* TXS_COMPAT_H */
