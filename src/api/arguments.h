/*
 * SQL arguments and results of the functions in this folder.
 */
#ifndef TXS_ARGUMENTS_H
#define TXS_ARGUMENTS_H

#include "compat.h"

#include "fmgr.h"

#include "store/store.h"

/*
 * Argument n as a storage: its name, or null for the default.  Raises what
 * txs_storage_open() does.
 */
extern const TxsStorage *txs_arguments_storage(FunctionCallInfo fcinfo, int n);

/*
 * Argument n as a partition key.  Raises 22004 for null, 22023 for a text
 * that is empty or longer than a key can be.
 */
extern TxsSlice txs_arguments_partition(FunctionCallInfo fcinfo, int n);

/* Argument n as a C string, or NULL. */
extern const char *txs_arguments_text(FunctionCallInfo fcinfo, int n);

/* A text or bytea datum's bytes, detoasted, not copied unless need be. */
extern TxsSlice txs_arguments_bytes(Datum value);

/*
 * The arguments of store() and plan_store() as far as they can be wrong by
 * themselves.  Raises 22004 for null metadata, a null prepare, or one
 * without sequence id or state; 22023 for a malformed time.
 */
extern void txs_arguments_store(FunctionCallInfo fcinfo, TxsStoreCall *call);

/* An array of txstore.state_version; the type is the array's, not the rows'. */
extern Datum txs_arguments_versions(Oid version_type, int count,
									const TxsStateRow *rows);

/* bytea and text datums of a slice; an absent one is null. */
extern Datum txs_arguments_datum(TxsSlice slice, bool *isnull);

/* Add a row (property, value) to a result, a ReturnSetInfo; value may be NULL. */
extern void txs_arguments_put_fact(const char *property, const char *value,
								   void *result);

#endif /* TXS_ARGUMENTS_H */
