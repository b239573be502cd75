/*
 * The foreign tables of a storage: partitions, keys, states.
 *
 * A table's options and columns say what a row of it is (table.c, columns.c);
 * the planner finds what a query's quals ask of the keys (quals.c, paths.c);
 * the executor asks the provider for rows (request.c, scan.c), puts actors
 * together from them (partitions.c) and makes values of them (values.c).
 *
 * All quals are checked again on the rows that come, so what is asked of the
 * provider may be more than what was asked for, never less.
 */
#ifndef TXS_FDW_H
#define TXS_FDW_H

#include "compat.h"

#include "foreign/fdwapi.h"
#include "nodes/pathnodes.h"

#include "provider/provider.h"

/* columns.c: what a column shows */

typedef enum TxsField
{
	TXS_FIELD_DROPPED, /* the column is no more */
	TXS_FIELD_PARTITION_KEY,
	TXS_FIELD_GRAIN_TYPE,
	TXS_FIELD_GRAIN_KEY,
	TXS_FIELD_STATE_NAME,
	TXS_FIELD_ROW_KEY,
	TXS_FIELD_SEQUENCE_ID,
	TXS_FIELD_ETAG,
	TXS_FIELD_COMMITTED,
	TXS_FIELD_WRITTEN_AT,
	TXS_FIELD_METADATA,
	TXS_FIELD_COMMIT_RECORDS,
	TXS_FIELD_STATE,
	TXS_FIELD_TRANSACTION_ID,
	TXS_FIELD_TRANSACTION_TIME,
	TXS_FIELD_MANAGER,
	TXS_FIELD_MANAGER_GRAIN,
	TXS_FIELD_PENDING,
	TXS_FIELD_IN_DOUBT,
	TXS_FIELD_PENDING_VERSIONS,
	TXS_FIELD_EXTRA /* an attribute that Orleans does not know */
} TxsField;

typedef struct TxsTableColumn
{
	const char *name;
	TxsField field;
	const char *attribute; /* EXTRA: its name */
	Oid type;
	int32 typmod;
	Oid base; /* of a domain: what it is made of; type otherwise */
	int32 base_typmod;
	FmgrInfo input; /* of base, where values are made from their text */
	Oid input_param;
	void *domain; /* what domain_check() keeps */
} TxsTableColumn;

/* A foreign table, as its options describe it. */
typedef struct TxsForeignTable
{
	Oid oid;
	const char *name;
	TxsTableKind kind;
	const TxsStorage *storage; /* with the table's own table name */
	bool consistent_read;
	int scan_segments;
	int ncolumns; /* including dropped ones */
	TxsTableColumn *columns;
} TxsForeignTable;

/*
 * Which field a column of a kind of table shows; attribute is its option or
 * NULL, *extra gets the name of an attribute that Orleans does not know.
 * Raises HV005 for a column that stands for nothing, HV004 for a type that
 * cannot show the field.
 */
extern TxsField txs_columns_find(TxsTableKind kind, const char *table,
								 const char *column, const char *attribute,
								 Oid type, const char **extra);

/* Rows (TXS_KEY_ROWS ...) and attributes (TXS_WANT_...) that a field needs. */
extern int txs_columns_rows(TxsTableKind kind, TxsField field);
extern int txs_columns_wanted(TxsField field);

/* Does one of some columns (their numbers, from 1) show this? */
extern bool txs_columns_have(const TxsForeignTable *table, List *columns,
							 TxsField field);

/* Columns as IMPORT FOREIGN SCHEMA makes them, for CREATE FOREIGN TABLE. */
extern void txs_columns_define(StringInfo sql, TxsTableKind kind);

/* table.c */

/*
 * Read a foreign table's options and columns, in the current context.  user is
 * whose user mapping counts.  Raises HV005 or HV004 for a column that cannot
 * be, 42501 where the table's owner may not use the server.
 */
extern TxsForeignTable *txs_table_open(Oid table, Oid user);

/* values.c: values of a row */

/* A row of a foreign table; what it has not is NULL. */
typedef struct TxsTableRow
{
	TxsSlice partition;
	const TxsKeyRow *key;
	const TxsStateRow *state;
	int64 pending; /* partitions only */
	bool in_doubt;
	int nversions; /* pending ones that were kept */
	const TxsStateRow *versions;
} TxsTableRow;

/*
 * The value of a column in a row.  Raises HV004 for a value that does not fit.
 * Values are in the current context; they do not refer to the row.
 */
extern Datum txs_values_make(const TxsForeignTable *table,
							 TxsTableColumn *column, const TxsTableRow *row,
							 bool *isnull);

/*
 * versions.c: the pending versions of an actor, as a jsonb array of objects
 * with the members sequence_id, transaction_id, transaction_timestamp,
 * manager_grain and state.
 */
extern Datum txs_versions_make(const TxsTableRow *row);

/* quals.c: what quals ask of keys and attributes */

typedef enum TxsKeyPart
{
	TXS_PART_PARTITION,
	TXS_PART_GRAIN_TYPE, /* with the two below: a partition */
	TXS_PART_GRAIN_KEY,
	TXS_PART_STATE_NAME,
	TXS_PART_SEQUENCE,
	TXS_PART_ROW_KEY,
	TXS_PART_COMMITTED, /* attributes, which a service can look at */
	TXS_PART_TRANSACTION
} TxsKeyPart;

/* Strategies of quals beside those of btree. */
#define TXS_BEGINS_WITH 101
#define TXS_LIKE		102

/* A qual on a part of the key; the value is known before rows are read. */
typedef struct TxsKeyQual
{
	TxsKeyPart part;
	int strategy;  /* of btree, as in BTLessStrategyNumber, or as above */
	bool is_array; /* equal to one of an array's elements */
	bool is_exact; /* the provider can leave out all rows that do not match */
	Oid type;	   /* of value or of its elements: a base type */
	Expr *value;
} TxsKeyQual;

/* The parts that name partitions, of a set of parts that equal something. */
typedef struct TxsNamed
{
	int parts;	/* bits, as 1 << TXS_PART_PARTITION */
	int arrays; /* those that equal one of several values */
} TxsNamed;

/* Take a qual into account. */
extern void txs_quals_name(TxsNamed *named, TxsKeyPart part, int strategy,
						   bool is_array);

/* Are partitions named?  *is_many says whether there may be several. */
extern bool txs_quals_are_named(const TxsNamed *named, bool *is_many);

/* Is this part one of a partition key, or all of it?  Or one of a key? */
extern bool txs_quals_is_of_partition(TxsKeyPart part);
extern bool txs_quals_is_of_key(TxsKeyPart part);

/*
 * Does a collation surely order texts by their bytes?  (The server's own
 * function is in a header that wants ICU's.)
 */
extern bool txs_quals_is_bytewise(Oid collation);

/*
 * Does a clause of a query ask something of a part of this relation's key?  The
 * value may refer to other relations, which the caller looks at.
 */
extern bool txs_quals_match(PlannerInfo *root, const TxsForeignTable *table,
							RelOptInfo *rel, Expr *clause, TxsKeyQual *qual);

/* request.c: from quals to a request, when their values are known */

/* A qual, ready to be evaluated. */
typedef struct TxsKeyValue
{
	TxsKeyPart part;
	int strategy;
	bool is_array;
	Oid type; /* as in TxsKeyQual */
	ExprState *value;
} TxsKeyValue;

/* operands.c: what quals compare with, as bytes */

/* A text of one of the types text, varchar or name; refers to the datum. */
extern TxsSlice txs_operand_text(Datum value, Oid type);

/* The bytes with which all texts begin that a pattern of LIKE matches. */
extern TxsSlice txs_operand_prefix(TxsSlice pattern);

/* The elements of an array but NULLs; returns how many. */
extern int txs_operand_elements(Datum array, Datum **elements);

/* partition_quals.c: which partitions */

/* The texts that a part of a partition key may equal. */
typedef struct TxsChoice
{
	bool is_given;
	int count;
	TxsSlice *texts; /* sorted */
} TxsChoice;

/* What is known of the pieces of partition keys; all 0 to begin with. */
typedef struct TxsPieces
{
	TxsChoice type;
	TxsChoice key;
	TxsChoice name;
} TxsPieces;

/* Narrow a request's partitions by a qual on a partition key or a piece. */
extern void txs_partition_quals_apply(TxsScanRequest *request,
									  TxsPieces *pieces,
									  const TxsKeyValue *value, Datum datum);

/* All quals have been applied: what the pieces say together. */
extern void txs_partition_quals_finish(TxsScanRequest *request,
									   const TxsPieces *pieces,
									   const char *service_id);

/*
 * Evaluate all values and set partitions, sequences and filters of a request;
 * false where no row can match.  What it sets is in the current context.
 */
extern bool txs_request_make(const TxsKeyValue *values, int count,
							 const char *service_id, ExprContext *econtext,
							 TxsScanRequest *request);

/* partitions.c: actors from rows */

typedef struct TxsActors TxsActors;

/*
 * Put actors together from the rows that a scan gives: key rows, and state
 * rows where wanted says that they are needed; pending versions are counted, and
 * kept if they are to be shown.  Where rows do not belong
 * together, since another wrote between two requests, the partition is loaded
 * anew.
 */
extern TxsActors *txs_actors_begin(const TxsForeignTable *table, void *scan,
								   bool keep_versions);

/* The scan has been started, or started again. */
extern void txs_actors_restart(TxsActors *actors,
							   const TxsScanRequest *request);

/* The next actor, valid until the next call; false at the end. */
extern bool txs_actors_next(TxsActors *actors, TxsTableRow *row);

/* paths.c: what the planner gets to choose from */

/* What is known of a foreign table while a query is planned. */
typedef struct TxsRelation
{
	TxsForeignTable *table;
	Oid user;
	Index relid;
	List *quals;	   /* TxsKeyQual: what the table's own quals ask of keys */
	double partitions; /* in the storage, estimated */
	double per_key;	   /* rows of a partition */
} TxsRelation;

/* How a plan reads, beside its quals. */
typedef struct TxsReading
{
	bool backward;
	bool is_count;	/* of rows: the one row of the result */
	bool is_lookup; /* partitions come from a lookup join ... */
	bool is_exact;	/* ... which names single rows of them */
	int64 limit;	/* rows that may be enough; 0: nothing is known */
} TxsReading;

/* The partitions that quals name, estimated; 0 where they name none. */
extern double txs_paths_named(List *quals);

/* Is one row of each partition named? */
extern bool txs_paths_is_full_key(const TxsRelation *relation, List *quals);

/* As a list that can be copied, and back. */
extern List *txs_reading_to_list(const TxsReading *reading);
extern void txs_reading_from_list(List *list, TxsReading *reading);

extern void txs_fdw_rel_size(PlannerInfo *root, RelOptInfo *rel, Oid table);
extern void txs_fdw_paths(PlannerInfo *root, RelOptInfo *rel, Oid table);
extern void txs_fdw_upper_paths(PlannerInfo *root, UpperRelationKind stage,
								RelOptInfo *input, RelOptInfo *output,
								void *extra);

/* statistics.c: install the hook; once, when the library is loaded. */
extern void txs_statistics_install(void);

/*
 * lookup_paths.c: joins that look up the partitions which many rows of the
 * other side name, with few requests.
 */
extern bool txs_enable_lookup_join; /* the setting txstore.enable_lookup_join */

/* Install the hook; once, when the library is loaded. */
extern void txs_lookup_install(void);

/* lookup_scan.c: their execution */

/* What the plan of a lookup join holds in custom_private. */
typedef struct TxsLookupPlan
{
	JoinType join;
	List *parts; /* of each value that is looked up: TxsKeyPart ... */
	List *types; /* ... and type; the values are first in custom_exprs */
} TxsLookupPlan;

extern List *txs_lookup_to_list(const TxsLookupPlan *plan);
extern const struct CustomScanMethods txs_lookup_methods;

/* plan.c: the chosen path as a plan */
extern ForeignScan *txs_fdw_plan(PlannerInfo *root, RelOptInfo *rel, Oid table,
								 ForeignPath *path, List *targets,
								 List *clauses, Plan *outer);

/* What a plan holds: fdw_private, taken apart.  fdw_exprs are the values of
 * quals. */
typedef struct TxsScanPlan
{
	TxsReading reading;
	int kinds;	 /* of rows */
	int wanted;	 /* attributes */
	List *parts; /* of each qual: TxsKeyPart, ... */
	List *strategies;
	List *arrays;
	List *types;
	List *columns; /* that the query needs: their numbers, from 1 */
} TxsScanPlan;

/* Set the rows and attributes from which columns (their numbers) are made. */
extern void txs_plan_find_wanted(const TxsForeignTable *table, List *columns,
								 TxsScanPlan *plan);

extern void txs_plan_read(ForeignScan *scan, TxsScanPlan *plan);
extern void txs_plan_shape(const TxsScanPlan *plan, TxsShape *shape);

/* scan.c, explain.c */
extern const TxsForeignTable *txs_scan_table(ForeignScanState *node);
/* What a scan has cost so far; NULL where nobody counts. */
extern const TxsScanCounters *txs_scan_counters(ForeignScanState *node);

/* The values of a scan's quals, ready to be evaluated. */
extern const TxsKeyValue *txs_scan_values(ForeignScanState *node, int *count);

/*
 * For a lookup join: the partitions that are wanted next, and the sequence ids
 * as in TxsScanRequest.  They stay the caller's until the next rescan.
 */
extern void txs_scan_look_up(ForeignScanState *node,
							 const TxsScanRequest *request);

/* The partition of the row that came last. */
extern TxsSlice txs_scan_partition(ForeignScanState *node);

extern void txs_fdw_begin(ForeignScanState *node, int eflags);
extern TupleTableSlot *txs_fdw_iterate(ForeignScanState *node);
extern void txs_fdw_rescan(ForeignScanState *node);
extern void txs_fdw_end(ForeignScanState *node);
extern void txs_fdw_explain(ForeignScanState *node, ExplainState *es);

/* analyze.c */
extern bool txs_fdw_analyze(Relation relation, AcquireSampleRowsFunc *function,
							BlockNumber *pages);

/* import.c */
extern List *txs_fdw_import(ImportForeignSchemaStmt *statement, Oid server);

#endif /* TXS_FDW_H */
