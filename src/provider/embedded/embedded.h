/*
 * The embedded provider: the rows of a storage in two PostgreSQL tables.
 *
 * TABLE_keys has a row for each key row, TABLE_states one for each state
 * row, with the attributes of the items as columns.  They are ordinary tables
 * of the server's owner, reached here through their primary keys, without
 * SQL.  A key row carries an incarnation beside its ETag: a random number
 * given when the row is made, so that a partition that was deleted and made
 * anew is never taken for the old one.
 *
 * Locking: all state rows of a partition belong to whoever has updated its
 * key row, so a writer updates the key row first, on the condition that it is
 * the version that it has read.  Of two writers one finds it changed.
 */
#ifndef TXS_EMBEDDED_H
#define TXS_EMBEDDED_H

#include "compat.h"

#include "provider/provider.h"

/*
 * Columns of TABLE_keys, from 0.  Those that change with every write come
 * last: the server logs an update without what old and new row begin with.
 */
enum
{
	TXS_KEYS_PARTITION,
	TXS_KEYS_METADATA,
	TXS_KEYS_EXTRA,
	TXS_KEYS_INCARNATION,
	TXS_KEYS_COMMITTED,
	TXS_KEYS_TIMESTAMP,
	TXS_KEYS_ETAG,
	TXS_KEYS_COLUMNS
};

/* Columns of TABLE_states, from 0. */
enum
{
	TXS_STATES_PARTITION,
	TXS_STATES_SEQUENCE,
	TXS_STATES_STATE,
	TXS_STATES_ID,
	TXS_STATES_TIMESTAMP,
	TXS_STATES_MANAGER,
	TXS_STATES_ETAG,
	TXS_STATES_EXTRA,
	TXS_STATES_COLUMNS
};

typedef struct TxsColumn
{
	const char *name;
	Oid type;
	bool required;
} TxsColumn;

typedef struct TxsTable
{
	const char *suffix;
	int ncolumns;
	const TxsColumn *columns;
	int nkeys; /* the primary key is this many columns from the first */
} TxsTable;

extern const TxsTable txs_keys_table;
extern const TxsTable txs_states_table;

/* Both tables of a storage, open. */
typedef struct TxsTables
{
	Relation keys;
	Relation states;
	Oid keys_index; /* their primary keys */
	Oid states_index;
} TxsTables;

/* tables.c: find and check the tables */

/* Name of a table of a storage, palloc'd. */
extern char *txs_tables_name(const TxsStorage *storage, const TxsTable *table);

/* The schema of a storage's tables, and its Oid, or InvalidOid. */
extern const char *txs_tables_schema(const TxsStorage *storage);
extern Oid txs_tables_find_schema(const TxsStorage *storage);

/* Oid of a table of a storage, or InvalidOid. */
extern Oid txs_tables_find(const TxsStorage *storage, const TxsTable *table);

/*
 * Open both tables.  False where neither exists and the storage may make
 * them.  Raises HV00R where they do not exist otherwise, or are not tables of
 * the form that this provider makes; 42501 where they are not the server
 * owner's.
 */
extern bool txs_tables_open(const TxsStorage *storage, LOCKMODE lock,
							TxsTables *tables);

/* The lock is kept until the transaction ends. */
extern void txs_tables_close(TxsTables *tables);

/* create.c: make the tables, and say what there is */

/*
 * Make what is missing, as the server's owner; true if anything was.  Raises
 * what txs_tables_open() does.
 */
extern bool txs_create_initialize(const TxsStorage *storage);

/* Open both tables for writing, and make them first where that is due. */
extern void txs_create_open(const TxsStorage *storage, TxsTables *tables);

extern void txs_describe_tables(const TxsStorage *storage,
								TxsFactReceiver receive, void *arg);

/* rows.c: rows to tuples and back */

/* An index scan key for a partition key; the text is palloc'd. */
extern void txs_rows_partition_key(ScanKey key, TxsSlice partition);

/* The same for partition keys that are <, <= or >= something. */
extern void txs_rows_partition_bound(ScanKey key, StrategyNumber strategy,
									 TxsSlice bound);

/*
 * Read a row from a tuple.  Everything is copied into the current context;
 * texts and bytes that are not wanted (TXS_WANT_...) are left out.
 */
extern void txs_rows_read_key(Relation keys, HeapTuple tuple, int wanted,
							  TxsKeyRow *row, int64 *incarnation);
extern void txs_rows_read_state(Relation states, HeapTuple tuple, int wanted,
								TxsStateRow *row);

/* Partition key of a tuple of either table, copied. */
extern TxsSlice txs_rows_read_partition(Relation table, HeapTuple tuple);

/* Put a row into a slot of the table's type; values are palloc'd. */
extern void txs_rows_store_key(TupleTableSlot *slot, TxsSlice partition,
							   const TxsKeyRow *row, int64 incarnation);
extern void txs_rows_store_state(TupleTableSlot *slot, TxsSlice partition,
								 const TxsStateRow *row, int64 etag);

/* A new incarnation: random, never 0. */
extern int64 txs_rows_new_incarnation(void);

/* read.c */
extern void txs_embedded_load(const TxsStorage *storage, TxsSlice partition,
							  TxsRead *read);

/* scan.c */
extern void txs_embedded_scan(const TxsStorage *storage, TxsSlice partition,
							  TxsItemReceiver receive, void *arg);
extern void *txs_embedded_open_scan(const TxsStorage *storage,
									Snapshot snapshot);
extern void txs_embedded_start_scan(void *scan, const TxsScanRequest *request);
extern bool txs_embedded_next_row(void *scan, TxsItem *item);
extern void txs_embedded_close_scan(void *scan);
extern int64 txs_embedded_count_rows(void *scan);
extern void txs_embedded_list_tables(const TxsStorage *storage,
									 TxsTableReceiver receive, void *arg);
extern const char *txs_embedded_describe_shape(const TxsShape *shape);
extern void txs_embedded_estimate(const TxsStorage *storage,
								  TxsEstimate *estimate);
extern void txs_embedded_measure(const TxsStorage *storage,
								 TxsMeasure *measure);

/* target.c: a table under change, with its indexes and triggers */

typedef struct TxsTarget
{
	Relation table;
	Oid index; /* its primary key */
	EState *estate;
	ResultRelInfo *info;
	TupleTableSlot *slot;
} TxsTarget;

extern void txs_target_open(TxsTarget *target, Relation table, Oid index);
extern void txs_target_close(TxsTarget *target);

/* Insert what is in the slot.  False on a duplicate primary key. */
extern bool txs_target_insert(TxsTarget *target);

/*
 * Replace the tuple at tid by what is in the slot, or delete it.  new_key says
 * whether the primary key changes, too.  False when the tuple is no longer the
 * newest version, or the new key is a duplicate.
 */
extern bool txs_target_update(TxsTarget *target, ItemPointer tid,
							  bool new_key);
extern bool txs_target_delete(TxsTarget *target, ItemPointer tid);

/* write.c */
extern bool txs_embedded_apply(const TxsStorage *storage, TxsWrite *write);
extern bool txs_embedded_delete_partition(const TxsStorage *storage,
										  TxsSlice partition,
										  int64 expected_etag,
										  int64 incarnation, bool *found);

/* import.c */
extern void *txs_embedded_open_import(const TxsStorage *storage);
extern TxsCreated txs_embedded_create(void *import, const TxsItem *item,
									  int64 line);
extern void txs_embedded_close_import(void *import, TxsCreatedReceiver receive,
									  void *arg);

#endif /* TXS_EMBEDDED_H */
