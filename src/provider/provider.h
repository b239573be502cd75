/*
 * A storage, and the provider that keeps its rows.
 *
 * A storage is a foreign server of the wrapper txstore_fdw.  The functions
 * here resolve its name and options; the provider's functions move rows.
 * Providers know rows, not rules: what a store() does is decided above.
 */
#ifndef TXS_PROVIDER_H
#define TXS_PROVIDER_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/snapshot.h"

#include "orleans/batch.h"
#include "orleans/item.h"
#include "provider/scan.h"

typedef struct TxsProvider TxsProvider;

/* Where the rows of an embedded storage live. */
typedef enum TxsPersistence
{
	TXS_PERSISTED, /* tables as usual */
	TXS_VOLATILE,  /* unlogged tables: empty after a crash */
	TXS_SESSION	   /* temporary tables of the session that uses them */
} TxsPersistence;

/* A storage as its server's options describe it. */
typedef struct TxsStorage
{
	Oid server;
	Oid owner;
	Oid user; /* whose user mapping counts */
	const char *name;
	const TxsProvider *provider;
	const char *table_name;
	const char *service_id;
	bool create_if_not_exists;
	bool read_only;

	/* embedded */
	const char *schema_name; /* where the tables are */
	TxsPersistence persistence;

	/* dynamodb; texts are NULL where the option is absent */
	const char *endpoint;
	const char *region;
	const char *ca_file;
	const char *profile_name; /* in the shared files of the AWS tools */
	bool use_provisioned_throughput;
	bool update_if_exists;
	int read_capacity_units;
	int write_capacity_units;
	int request_timeout; /* milliseconds; 0: the setting's */
	int connect_timeout;
	bool consistent_read; /* of foreign tables */
	int scan_segments;
	bool use_remote_estimate; /* planning may ask how large a table is */
	bool analyze_whole;		  /* ANALYZE reads everything */
} TxsStorage;

/* A snapshot as one read returned it. */
typedef struct TxsRead
{
	TxsSnapshot snapshot; /* palloc'd in the caller's context */

	/*
	 * The last part of the running transaction that wrote any of what was
	 * read, or deleted what was not found, if one did: when that is rolled
	 * back, the snapshot never was.  No earlier part can be rolled back
	 * without it.
	 */
	TransactionId own_xid;
} TxsRead;

/* All batches of one store(), and what became of them. */
typedef struct TxsWrite
{
	TxsSlice partition;
	int64 incarnation; /* of the key row that the caller knows */
	const TxsOperation *operations;
	int nbatches;
	const TxsBatch *batches;

	/* set by apply */
	int64 new_incarnation;
	TransactionId own_xid;		 /* as in TxsRead */
	int conflict_batch;			 /* the batch that was refused, from 0 */
	int64 conflict_sequence;	 /* the row it met, or TXS_CONFLICT_KEY */
	int64 conflict_etag;		 /* the ETag that was expected of it */
	const char *conflict_detail; /* in the service's words; may be NULL */

	/*
	 * Set before an error is raised: nothing of this write is durable or ever
	 * will be, and no other writer was met.
	 */
	bool untouched;
} TxsWrite;

#define TXS_CONFLICT_KEY INT64_C(-1)

/* What import made of an item. */
typedef enum TxsCreated
{
	TXS_CREATED,
	TXS_CREATED_BEFORE,	   /* the same row is there already */
	TXS_CREATED_OTHER,	   /* another row has its key */
	TXS_CREATED_MEANWHILE, /* another session has just created the same row */
	TXS_CREATED_LATER	   /* close_import will tell */
} TxsCreated;

/* Takes what became of the item of a line, and refuses what must not be. */
typedef void (*TxsCreatedReceiver)(TxsCreated created, int64 line,
								   const TxsItem *item, void *arg);

/* How many rows a storage has; -1: not known. */
typedef struct TxsEstimate
{
	double keys;
	double states;
} TxsEstimate;

/* How large a storage is; -1: not known. */
typedef struct TxsMeasure
{
	double rows; /* of both kinds */
	double bytes;
} TxsMeasure;

/* What reading costs, in the planner's units. */
typedef struct TxsCosts
{
	double request; /* of some rows by their keys, or a page */
	double row;
	double rows_per_page;
	double keys_per_request; /* full keys that one request may name */
} TxsCosts;

typedef void (*TxsItemReceiver)(const TxsItem *item, void *arg);

/* Takes a table's name; problem says why it is none for Orleans, or is NULL. */
typedef void (*TxsTableReceiver)(const char *table, const char *problem,
								 void *arg);
typedef void (*TxsFactReceiver)(const char *property, const char *value,
								void *arg);

/* What a session has of a server, for a user. */
typedef struct TxsConnectionFacts
{
	Oid server;
	Oid user;
	const char *endpoint;
	int sockets; /* open */
	bool in_use; /* by a call or a cursor */
	int64 requests;
	int64 retries;
	int64 throttles; /* attempts that the service has throttled */
	int64 bytes_sent;
	int64 bytes_received;
	const char *last_error; /* of an attempt; NULL: none */
} TxsConnectionFacts;

typedef void (*TxsConnectionReceiver)(const TxsConnectionFacts *facts,
									  void *arg);

/*
 * All of them raise HV00R where the storage's table does not exist and may
 * not be made.  Reading from a storage that has not been made yet finds
 * nothing; writing makes it first.
 */
struct TxsProvider
{
	const char *name; /* value of the server option provider */

	/* Raise HV00D where a server's options do not fit together. */
	void (*check)(const TxsStorage *storage);

	/*
	 * Read one partition as one consistent snapshot.  Bytes of states below
	 * the committed one are not fetched.
	 */
	void (*load)(const TxsStorage *storage, TxsSlice partition, TxsRead *read);

	/* Apply all batches in order; false when a condition did not hold. */
	bool (*apply)(const TxsStorage *storage, TxsWrite *write);

	/*
	 * Delete all rows of a partition whose key row has this ETag (and
	 * incarnation, unless 0): state rows first, the key row last.  *found
	 * says whether there was anything.  False on a conflict.
	 */
	bool (*delete_partition)(const TxsStorage *storage, TxsSlice partition,
							 int64 expected_etag, int64 incarnation,
							 bool *found);

	/*
	 * Create rows that are not there: open, any number of create, close.  A
	 * provider that cannot undo what it has created does so at the end.
	 */
	void *(*open_import)(const TxsStorage *storage);
	TxsCreated (*create)(void *import, const TxsItem *item, int64 line);
	void (*close_import)(void *import, TxsCreatedReceiver receive, void *arg);

	/*
	 * Hand out the rows of one partition, or of all (data NULL), ordered by
	 * partition key and row key.  An item is gone when receive returns.
	 */
	void (*scan)(const TxsStorage *storage, TxsSlice partition,
				 TxsItemReceiver receive, void *arg);

	/*
	 * Scan rows for a foreign table: open, any number of start, each with any
	 * number of next_row until it is false, close.  Rows are seen as the
	 * snapshot has them, where the provider knows snapshots.  The request must
	 * stay as it is; a row is gone at the next call.  Within a partition rows
	 * come in the order of row keys; a partition's rows come together.
	 */
	void *(*open_scan)(const TxsStorage *storage, Snapshot snapshot);
	void (*start_scan)(void *scan, const TxsScanRequest *request);
	bool (*next_row)(void *scan, TxsItem *item);
	void (*close_scan)(void *scan);

	/* Count the rows of a scan that was started, in place of next_row. */
	int64 (*count_rows)(void *scan);

	/* What a scan has cost; may be NULL. */
	const TxsScanCounters *(*counters)(void *scan);

	/* Hand out the tables that could be storages, in order of their names. */
	void (*list_tables)(const TxsStorage *storage, TxsTableReceiver receive,
						void *arg);

	/* What it does for requests of a shape, in a few words. */
	const char *(*describe_shape)(const TxsShape *shape);

	/* Attributes its requests ask for, of TXS_WANT_...; NULL: none is sent. */
	char *(*describe_projection)(int wanted);

	/*
	 * Say how many rows there are, for the planner, without asking anybody
	 * where the storage has not use_remote_estimate.
	 */
	void (*estimate)(const TxsStorage *storage, TxsEstimate *estimate);

	/* Find out how large the storage is. */
	void (*measure)(const TxsStorage *storage, TxsMeasure *measure);
	TxsCosts costs;
	bool filters; /* does it look at a request's filters? */

	/*
	 * Hand out what this session has of servers, in no order, and close the
	 * sockets of one server or (InvalidOid) of all that are not in use: true
	 * if there were any, a warning where they are in use.  Both may be NULL.
	 */
	void (*list_connections)(TxsConnectionReceiver receive, void *arg);
	bool (*disconnect)(Oid server);

	/* Make what is missing; true if anything was. */
	bool (*initialize)(const TxsStorage *storage);
	void (*describe)(const TxsStorage *storage, TxsFactReceiver receive,
					 void *arg);
};

extern const TxsProvider txs_embedded_provider;
extern const TxsProvider txs_dynamodb_provider;

/* storage.c */

/*
 * The storage of this name, or of txstore.default_storage for NULL, in the
 * current memory context.  Raises 42704 (no such server), 42809 (not
 * a storage), 42501 (no USAGE on it).
 */
extern const TxsStorage *txs_storage_open(const char *name);

/*
 * The server of a storage of this name, or of txstore.default_storage for NULL,
 * whatever the user's rights.  Raises 42704 and 42809 as txs_storage_open().
 */
extern Oid txs_storage_server(const char *name);

/* The same functions of all providers together; see TxsProvider. */
extern void txs_storage_list_connections(TxsConnectionReceiver receive,
										 void *arg);
extern bool txs_storage_disconnect(Oid server);

/*
 * The storage of a server, for a user whose rights were checked.  It is the
 * caller's to change.
 */
extern TxsStorage *txs_storage_of_server(Oid server, Oid user);

/*
 * Raise 25006 unless the storage and the transaction allow writing; what
 * names the SQL function, as in "txstore.store()".
 */
extern void txs_storage_require_writable(const TxsStorage *storage,
										 const char *what);

/* The setting txstore.default_storage; never NULL. */
extern char *txs_default_storage;

/* options.c */

/*
 * Check the options of an object of the given catalog (DefElems, as the
 * wrapper's validator gets them).  Raises HV00D with the nearest name as a
 * hint, or with what the value must be.
 */
extern void txs_options_check(List *options, Oid catalog);

/* Fill in a storage from a server's options, which were checked, and
 * defaults.  Texts are palloc'd. */
extern void txs_options_apply(List *options, TxsStorage *storage);

/* What a user mapping says; texts are NULL where the option is absent. */
typedef struct TxsMapping
{
	const char *access_key_id;
	const char *secret_access_key;
	const char *session_token;
	bool credentials_required; /* false: the server's own will do */
} TxsMapping;

/* Fill in a mapping from its options, which were checked, and defaults. */
extern void txs_options_apply_mapping(List *options, TxsMapping *mapping);

/* What a row of a foreign table is. */
typedef enum TxsTableKind
{
	TXS_NO_TABLE,
	TXS_PARTITIONS_TABLE, /* an actor */
	TXS_KEYS_TABLE,		  /* a key row */
	TXS_STATES_TABLE	  /* a state row */
} TxsTableKind;

/* What a foreign table's options say. */
typedef struct TxsTableOptions
{
	TxsTableKind kind;
	const char *table_name; /* NULL: the server's */
	bool has_consistent_read;
	bool consistent_read;
	int scan_segments; /* 0: the server's */
	bool has_remote_estimate;
	bool use_remote_estimate;
	bool has_sampling;
	bool analyze_whole;
} TxsTableOptions;

extern void txs_options_apply_table(List *options, TxsTableOptions *table);

/* The option attribute of a column, or NULL. */
extern const char *txs_options_attribute(List *options);

#endif /* TXS_PROVIDER_H */
