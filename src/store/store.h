/*
 * The store engine: what a partition is and how it changes.
 *
 * load() reads a partition and leaves a handle in the session; store() plans
 * on what the handle remembers, and applies.  Knows rows and rules; no table,
 * no network.  The functions here are the SQL functions without their SQL.
 */
#ifndef TXS_STORE_H
#define TXS_STORE_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "provider/provider.h"
#include "store/planner.h"

/* handle.c */

/*
 * What a session remembers of one partition between load() and store(): its
 * key row and, of each state row, sequence id, ETag and size.
 */
typedef struct TxsHandle
{
	Oid server;
	Oid user;
	TxsSlice partition;
	bool must_load; /* of no use until the next load() */
	int64 incarnation;
	TxsPlanBase base;
	TransactionId own_xid; /* as in TxsRead, while that transaction runs */
	Size size;			   /* bytes, with all that belongs to it */
} TxsHandle;

/* The setting txstore.max_handle_memory, in kilobytes. */
extern int txs_max_handle_memory;

/*
 * The current user's handle of a partition, or NULL.  It counts as used, and
 * is valid until the next call of any of these functions.
 */
extern TxsHandle *txs_handle_find(const TxsStorage *storage,
								  TxsSlice partition);

/*
 * Remember a partition.  What the arguments refer to is copied; none of it
 * may belong to a handle.  base may be NULL: then the handle only demands
 * load().
 */
extern void txs_handle_set(const TxsStorage *storage, TxsSlice partition,
						   const TxsPlanBase *base, int64 incarnation,
						   TransactionId own_xid);

/* Forget a partition; true if there was a handle. */
extern bool txs_handle_forget(const TxsStorage *storage, TxsSlice partition);

/* Call receive for each handle of the current user, last used first. */
extern void txs_handle_list(void (*receive)(const TxsHandle *handle,
											void *arg),
							void *arg);

/* load.c */

/* What load() answers; palloc'd. */
typedef struct TxsLoaded
{
	const TxsKeyRow *key;		  /* etag TXS_NO_ETAG: fresh */
	const TxsStateRow *committed; /* NULL: none */
	int npending;
	const TxsStateRow *pending;
} TxsLoaded;

/*
 * Read a partition and remember it in a handle.  Raises XX001 where it
 * contradicts itself, 54000 where the answer would pass 1 GB.
 */
extern void txs_load(const TxsStorage *storage, TxsSlice partition,
					 TxsLoaded *loaded);

/* store.c */

/* The arguments of store() and plan_store(), in values. */
typedef struct TxsStoreCall
{
	const TxsStorage *storage;
	TxsSlice partition;
	const char *expected_etag; /* NULL or blank: fresh */
	TxsStoreRequest request;
} TxsStoreCall;

/*
 * Store and return the new ETag.  Raises 55000 without a usable handle, 22023
 * and 54000 for what can be known before writing (the handle stays usable),
 * 40001 when another writer came first.
 */
extern int64 txs_store(const TxsStoreCall *call);

/* The plan that txs_store() would apply.  Raises the same, but not 40001. */
extern TxsPlan *txs_store_plan(const TxsStoreCall *call);

/*
 * Delete a partition against its ETag; true if there was anything.  Raises
 * 22023 for an ETag that is none, 40001 when it is not the stored one.
 */
extern bool txs_store_delete(const TxsStorage *storage, TxsSlice partition,
							 const char *expected_etag);

/* import.c */

typedef struct TxsImport TxsImport;

extern TxsImport *txs_import_open(const TxsStorage *storage,
								  bool skip_unknown);

/*
 * Take one line: an item in JSON.  data NULL stands for SQL's null.  Raises
 * 22023 or XX001 for what is no item, 23505 where another row is there
 * already, 40001 where another session creates the same one right now; the
 * message names the line.
 */
extern void txs_import_line(TxsImport *import, TxsSlice line);

/* Finish; returns the number of rows that were created, and gives notice of
 * those that were skipped. */
extern int64 txs_import_close(TxsImport *import);

#endif /* TXS_STORE_H */
