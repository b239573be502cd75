/*
 * Find the tables of an embedded storage and see that they are what they
 * should be.
 *
 * Who may use the server reaches its tables without rights on them.  So the
 * tables must belong to the server's owner: otherwise anybody who may make a
 * server could name somebody else's tables in its options.
 */
#include "provider/embedded/embedded.h"

#include "access/relation.h"
#include "access/xlog.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "storage/lmgr.h"
#include "storage/sinval.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

static const TxsColumn keys_columns[TXS_KEYS_COLUMNS] = {
	[TXS_KEYS_PARTITION] = {"partition_key", TEXTOID, true},
	[TXS_KEYS_METADATA] = {"metadata", BYTEAOID, false},
	[TXS_KEYS_EXTRA] = {"extra", JSONOID, false},
	[TXS_KEYS_INCARNATION] = {"incarnation", INT8OID, true},
	[TXS_KEYS_COMMITTED] = {"committed_sequence_id", INT8OID, false},
	[TXS_KEYS_TIMESTAMP] = {"timestamp", INT8OID, false},
	[TXS_KEYS_ETAG] = {"etag", INT8OID, false},
};

static const TxsColumn states_columns[TXS_STATES_COLUMNS] = {
	[TXS_STATES_PARTITION] = {"partition_key", TEXTOID, true},
	[TXS_STATES_SEQUENCE] = {"sequence_id", INT8OID, true},
	[TXS_STATES_STATE] = {"state", BYTEAOID, false},
	[TXS_STATES_ID] = {"transaction_id", TEXTOID, false},
	[TXS_STATES_TIMESTAMP] = {"transaction_timestamp", TEXTOID, false},
	[TXS_STATES_MANAGER] = {"transaction_manager", BYTEAOID, false},
	[TXS_STATES_ETAG] = {"etag", INT8OID, false},
	[TXS_STATES_EXTRA] = {"extra", JSONOID, false},
};

const TxsTable txs_keys_table = {
	.suffix = "_keys",
	.ncolumns = TXS_KEYS_COLUMNS,
	.columns = keys_columns,
	.nkeys = 1,
};

const TxsTable txs_states_table = {
	.suffix = "_states",
	.ncolumns = TXS_STATES_COLUMNS,
	.columns = states_columns,
	.nkeys = 2,
};

char *
txs_tables_name(const TxsStorage *storage, const TxsTable *table)
{
	return psprintf("%s%s", storage->table_name, table->suffix);
}

const char *
txs_tables_schema(const TxsStorage *storage)
{
	return storage->persistence == TXS_SESSION ? "pg_temp"
											   : storage->schema_name;
}

Oid
txs_tables_find_schema(const TxsStorage *storage)
{
	if (storage->persistence == TXS_SESSION)
		return LookupExplicitNamespace("pg_temp", true);
	return get_namespace_oid(storage->schema_name, true);
}

Oid
txs_tables_find(const TxsStorage *storage, const TxsTable *table)
{
	Oid schema = txs_tables_find_schema(storage);

	if (!OidIsValid(schema))
		return InvalidOid;
	return get_relname_relid(txs_tables_name(storage, table), schema);
}

/* Report a table that is not as this provider makes it. */
static void
refuse_table(const TxsStorage *storage, Relation table, const char *problem)
{
	ereport(ERROR, errcode(ERRCODE_FDW_TABLE_NOT_FOUND),
			errmsg("\"%s.%s\" is not a table of an embedded storage",
				   txs_tables_schema(storage), RelationGetRelationName(table)),
			errdetail("%s", problem),
			errhint("Let the server's options schema_name and table_name "
					"name tables that initialize_storage() has made."));
}

static void
check_columns(const TxsStorage *storage, Relation table,
			  const TxsTable *expected)
{
	TupleDesc desc = RelationGetDescr(table);
	int i;

	if (desc->natts != expected->ncolumns)
		refuse_table(storage, table,
					 psprintf("It has %d columns instead of %d.", desc->natts,
							  expected->ncolumns));
	for (i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, i);

		if (column->attisdropped || column->attgenerated != '\0' ||
			column->atttypid != expected->columns[i].type ||
			strcmp(NameStr(column->attname), expected->columns[i].name) != 0)
			refuse_table(storage, table,
						 psprintf("Column %d is not \"%s\" of type %s.", i + 1,
								  expected->columns[i].name,
								  format_type_be(expected->columns[i].type)));
		if (column->attnotnull != expected->columns[i].required)
			refuse_table(storage, table,
						 psprintf("Column \"%s\" must %s.",
								  expected->columns[i].name,
								  column->attnotnull ? "allow nulls"
													 : "be NOT NULL"));
	}
	if (desc->constr != NULL && desc->constr->num_check > 0)
		refuse_table(storage, table,
					 "It has a CHECK constraint, which a store would not "
					 "check.");
}

/* Why target.c could not do what a trigger is there for; NULL if it can. */
static const char *
find_objection(const Trigger *trigger)
{
	int16 type = trigger->tgtype;

	if (trigger->tgenabled == TRIGGER_DISABLED ||
		(type & (TRIGGER_TYPE_INSERT | TRIGGER_TYPE_UPDATE |
				 TRIGGER_TYPE_DELETE)) == 0)
		return NULL;
	if (!TRIGGER_FOR_ROW(type))
		return "It has a statement trigger, which a store would not fire.";
	if (!TRIGGER_FOR_AFTER(type))
		return "It has a BEFORE trigger, which could change what is stored.";
	if (trigger->tgnattr > 0)
		return "It has a trigger for some columns only, which a store would "
			   "not fire.";
	if (trigger->tgoldtable != NULL || trigger->tgnewtable != NULL)
		return "It has a trigger with transition tables, which a store does "
			   "not fill.";
	return NULL;
}

static void
check_triggers(const TxsStorage *storage, Relation table)
{
	int count = table->trigdesc == NULL ? 0 : table->trigdesc->numtriggers;
	int i;

	for (i = 0; i < count; i++)
	{
		const char *objection = find_objection(&table->trigdesc->triggers[i]);

		if (objection != NULL)
			refuse_table(storage, table, objection);
	}
}

/* Oid of the primary key's index, which must be the one we would make. */
static Oid
check_index(const TxsStorage *storage, Relation table,
			const TxsTable *expected)
{
	Oid oid = txs_primary_key_index(table);
	Relation index;
	bool valid;
	int i;

	if (!OidIsValid(oid))
		refuse_table(storage, table, "It has no primary key.");
	index = index_open(oid, AccessShareLock);
	valid = index->rd_index->indnkeyatts == expected->nkeys &&
			index->rd_index->indimmediate &&
			index->rd_indcollation[0] == C_COLLATION_OID;
	for (i = 0; valid && i < expected->nkeys; i++)
		valid = index->rd_index->indkey.values[i] == i + 1;
	index_close(index, NoLock);
	if (!valid)
		refuse_table(storage, table, "It has another primary key.");
	return oid;
}

/* Rows are inserted and read here, and in no table above or below. */
static void
check_inheritance(const TxsStorage *storage, Relation table)
{
	if (table->rd_rel->relispartition)
		refuse_table(storage, table, "It is a partition of another table.");

	/* relhassubclass may be left over from a child that was dropped. */
	if (table->rd_rel->relhassubclass &&
		find_inheritance_children(RelationGetRelid(table), NoLock) != NIL)
		refuse_table(storage, table, "Other tables inherit from it.");
}

static void
check_table(const TxsStorage *storage, Relation table,
			const TxsTable *expected)
{
	/*
	 * Not "has the rights of": a superuser has them on every table, also on
	 * one that somebody has put in the way, with triggers that would run as
	 * whoever writes.
	 */
	if (table->rd_rel->relowner != storage->owner)
		ereport(ERROR, errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				errmsg("table \"%s.%s\" does not belong to the owner of "
					   "server \"%s\"",
					   txs_tables_schema(storage),
					   RelationGetRelationName(table), storage->name),
				errhint("Give table and server the same owner."));
	if (table->rd_rel->relkind != RELKIND_RELATION)
		refuse_table(storage, table, "It is not an ordinary table.");
	check_inheritance(storage, table);
	if (RecoveryInProgress() && !RelationIsPermanent(table))
		ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				errmsg("cannot read storage \"%s\" during recovery",
					   storage->name),
				errdetail("Its tables are not WAL-logged, so a standby does "
						  "not have their rows."));
	check_columns(storage, table, expected);
	check_triggers(storage, table);
}

/* Report that the storage is not there, or only half of it. */
static void
refuse_missing(const TxsStorage *storage, bool half)
{
	ereport(ERROR, errcode(ERRCODE_FDW_TABLE_NOT_FOUND),
			errmsg("tables of storage \"%s\" do not exist", storage->name),
			half ? errdetail("Only one of the tables \"%s%s\" and \"%s%s\" "
							 "exists in schema \"%s\".",
							 storage->table_name, txs_keys_table.suffix,
							 storage->table_name, txs_states_table.suffix,
							 txs_tables_schema(storage))
				 : errdetail("The server's option create_if_not_exists is "
							 "false."),
			errhint("Call initialize_storage() to make them."));
}

/*
 * Find and lock a table.  While we wait for the lock, the name may pass to
 * another table, as when a new one is swapped in: then that one is meant.
 */
static Oid
lock_table(const TxsStorage *storage, const TxsTable *table, LOCKMODE lock)
{
	for (;;)
	{
		uint64 seen = SharedInvalidMessageCounter;
		Oid oid = txs_tables_find(storage, table);

		if (!OidIsValid(oid))
			return InvalidOid;
		LockRelationOid(oid, lock);
		if (seen == SharedInvalidMessageCounter ||
			oid == txs_tables_find(storage, table))
			return oid;
		UnlockRelationOid(oid, lock);
	}
}

bool
txs_tables_open(const TxsStorage *storage, LOCKMODE lock, TxsTables *tables)
{
	Oid keys = lock_table(storage, &txs_keys_table, lock);
	Oid states = lock_table(storage, &txs_states_table, lock);

	if (!OidIsValid(keys) && !OidIsValid(states) &&
		storage->create_if_not_exists)
		return false;
	if (!OidIsValid(keys) || !OidIsValid(states))
		refuse_missing(storage, OidIsValid(keys) || OidIsValid(states));

	/* Whatever has the name: check_table() says what is wrong with it. */
	tables->keys = relation_open(keys, NoLock);
	tables->states = relation_open(states, NoLock);
	check_table(storage, tables->keys, &txs_keys_table);
	check_table(storage, tables->states, &txs_states_table);
	tables->keys_index = check_index(storage, tables->keys, &txs_keys_table);
	tables->states_index =
		check_index(storage, tables->states, &txs_states_table);
	return true;
}

void
txs_tables_close(TxsTables *tables)
{
	relation_close(tables->states, NoLock);
	relation_close(tables->keys, NoLock);
}
