/*
 * Make the tables of an embedded storage, and say what there is.
 *
 * Tables are made by SQL, as the server's owner, whoever asks for it.  They
 * do not belong to the extension: dropping it must not delete anyone's data.
 */
#include "provider/embedded/embedded.h"

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_foreign_data_wrapper.h"
#include "executor/spi.h"
#include "foreign/foreign.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

/*
 * A store() updates one key row in place, which needs room on its page, and
 * mostly replaces one state row, so vacuum should come early.  State is mostly
 * text that a reader wants whole: it is not worth compressing.
 */
static const char create_keys[] =
	"CREATE %1$s TABLE %2$s ("
	" partition_key text COLLATE \"C\" PRIMARY KEY,"
	" metadata bytea,"
	" extra json,"
	" incarnation bigint NOT NULL,"
	" committed_sequence_id bigint,"
	" \"timestamp\" bigint,"
	" etag bigint"
	") USING heap WITH (fillfactor = 70,"
	" autovacuum_vacuum_scale_factor = 0.05);"
	"ALTER TABLE %2$s ALTER COLUMN metadata SET STORAGE EXTERNAL;"
	"COMMENT ON TABLE %2$s IS 'Key rows of a txstore storage.  Read them with"
	" txstore.load(); a change by hand corrupts the storage.'";

static const char create_states[] =
	"CREATE %1$s TABLE %2$s ("
	" partition_key text COLLATE \"C\" NOT NULL,"
	" sequence_id bigint NOT NULL,"
	" state bytea,"
	" transaction_id text COLLATE \"C\","
	" transaction_timestamp text COLLATE \"C\","
	" transaction_manager bytea,"
	" etag bigint,"
	" extra json,"
	" PRIMARY KEY (partition_key, sequence_id)"
	") USING heap WITH (autovacuum_vacuum_scale_factor = 0.05,"
	" autovacuum_vacuum_insert_scale_factor = 0.2);"
	"ALTER TABLE %2$s ALTER COLUMN state SET STORAGE EXTERNAL;"
	"COMMENT ON TABLE %2$s IS 'State rows of a txstore storage.  Read them"
	" with txstore.load(); a change by hand corrupts the storage.'";

static const char *const table_kinds[] = {
	[TXS_PERSISTED] = "",
	[TXS_VOLATILE] = "UNLOGGED",
	[TXS_SESSION] = "TEMPORARY",
};

static void
execute(const char *command)
{
	if (SPI_execute(command, false, 0) < 0)
		elog(ERROR, "could not execute \"%s\"", command);
}

/* Make one table if it does not exist; true if it was made. */
static bool
create_table(const TxsStorage *storage, const TxsTable *table,
			 const char *command)
{
	const char *name;

	if (OidIsValid(txs_tables_find(storage, table)))
		return false;
	name = quote_qualified_identifier(txs_tables_schema(storage),
									  txs_tables_name(storage, table));
	execute(psprintf(command, table_kinds[storage->persistence], name));
	return true;
}

/* The schema of temporary tables makes itself. */
static bool
lacks_schema(const TxsStorage *storage)
{
	return storage->persistence != TXS_SESSION &&
		   !OidIsValid(txs_tables_find_schema(storage));
}

/*
 * As the owner, with nobody else's schemas in sight.  A restricted operation
 * could not make temporary tables.
 */
static bool
create_as_owner(const TxsStorage *storage)
{
	int gucs = NewGUCNestLevel();
	bool created = false;
	int context;
	Oid user;

	GetUserIdAndSecContext(&user, &context);
	SetUserIdAndSecContext(storage->owner,
						   context | SECURITY_LOCAL_USERID_CHANGE |
							   (storage->persistence == TXS_SESSION
									? 0
									: SECURITY_RESTRICTED_OPERATION));
	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	SPI_connect();
	if (lacks_schema(storage))
	{
		execute(psprintf("CREATE SCHEMA %s",
						 quote_identifier(storage->schema_name)));
		created = true;
	}
	created |= create_table(storage, &txs_keys_table, create_keys);
	created |= create_table(storage, &txs_states_table, create_states);
	SPI_finish();
	AtEOXact_GUC(false, gucs);
	SetUserIdAndSecContext(user, context);
	return created;
}

/* Make what is missing, as the server's owner; true if anything was. */
static bool
create_tables(const TxsStorage *storage)
{
	bool created;

	if (OidIsValid(txs_tables_find(storage, &txs_keys_table)) &&
		OidIsValid(txs_tables_find(storage, &txs_states_table)))
		return false;

	/*
	 * One session at a time; the other then finds them made.  The lock is on
	 * the wrapper, since two storages may share a schema, or even tables.  Of
	 * temporary tables each session has its own.
	 */
	if (storage->persistence != TXS_SESSION)
		LockDatabaseObject(ForeignDataWrapperRelationId,
						   GetForeignServer(storage->server)->fdwid, 0,
						   ShareUpdateExclusiveLock);
	PushActiveSnapshot(GetTransactionSnapshot());
	created = create_as_owner(storage);
	PopActiveSnapshot();
	CommandCounterIncrement();
	return created;
}

bool
txs_create_initialize(const TxsStorage *storage)
{
	bool created = create_tables(storage);
	TxsTables tables;

	/* What was there before may be of no use: better said now. */
	if (txs_tables_open(storage, AccessShareLock, &tables))
		txs_tables_close(&tables);
	return created;
}

void
txs_create_open(const TxsStorage *storage, TxsTables *tables)
{
	if (txs_tables_open(storage, RowExclusiveLock, tables))
		return;
	create_tables(storage);
	if (!txs_tables_open(storage, RowExclusiveLock, tables))
		elog(ERROR, "tables of storage \"%s\" have vanished", storage->name);
}

static const char relation_persistence[] = {
	[TXS_PERSISTED] = RELPERSISTENCE_PERMANENT,
	[TXS_VOLATILE] = RELPERSISTENCE_UNLOGGED,
	[TXS_SESSION] = RELPERSISTENCE_TEMP,
};

static const char *const persistence_names[] = {
	[TXS_PERSISTED] = "persisted",
	[TXS_VOLATILE] = "volatile",
	[TXS_SESSION] = "none (this session)",
};

static void
describe_table(const TxsStorage *storage, const TxsTable *table,
			   const char *what, TxsFactReceiver receive, void *arg)
{
	Oid oid = txs_tables_find(storage, table);
	Relation relation;

	receive(psprintf("%s table", what),
			quote_qualified_identifier(txs_tables_schema(storage),
									   txs_tables_name(storage, table)),
			arg);
	if (!OidIsValid(oid))
		return;
	relation = relation_open(oid, AccessShareLock);
	receive(psprintf("%s (estimated)", what),
			relation->rd_rel->reltuples < 0
				? "not counted yet"
				: psprintf("%.0f", relation->rd_rel->reltuples),
			arg);
	receive(psprintf("%s bytes", what),
			psprintf(INT64_FORMAT,
					 DatumGetInt64(DirectFunctionCall1(
						 pg_total_relation_size, ObjectIdGetDatum(oid)))),
			arg);
	if (relation->rd_rel->relpersistence !=
		relation_persistence[storage->persistence])
		receive("not as the options say",
				storage->persistence == TXS_PERSISTED
					? "the table is not WAL-logged"
					: "the table is WAL-logged",
				arg);
	relation_close(relation, NoLock);
}

/* What initialize_storage() would make. */
static const char *
describe_missing(const TxsStorage *storage)
{
	StringInfoData missing;

	initStringInfo(&missing);
	if (lacks_schema(storage))
		appendStringInfo(&missing, "create schema %s, ",
						 quote_identifier(storage->schema_name));
	if (!OidIsValid(txs_tables_find(storage, &txs_keys_table)))
		appendStringInfoString(&missing, "create the keys table, ");
	if (!OidIsValid(txs_tables_find(storage, &txs_states_table)))
		appendStringInfoString(&missing, "create the states table, ");
	if (missing.len == 0)
		return "do nothing";
	missing.data[missing.len - 2] = '\0';
	return missing.data;
}

void
txs_describe_tables(const TxsStorage *storage, TxsFactReceiver receive,
					void *arg)
{
	const char *missing = describe_missing(storage);
	bool ready = strcmp(missing, "do nothing") == 0;

	receive("status", ready ? "ready" : "not initialized", arg);
	describe_table(storage, &txs_keys_table, "keys", receive, arg);
	describe_table(storage, &txs_states_table, "states", receive, arg);
	receive("persistence", persistence_names[storage->persistence], arg);
	receive("initialize_storage() would", missing, arg);
}
