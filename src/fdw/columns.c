/*
 * What columns of foreign tables show.
 *
 * A column is found by its name, or by its option attribute, which may be the
 * name of a field or of an item's attribute.  The column's type decides on the
 * form: bytes as bytea are exact, as jsonb they are decoded.
 */
#include "fdw/fdw.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

/* Kinds of tables, as bits. */
#define IN_PARTITIONS (1 << TXS_PARTITIONS_TABLE)
#define IN_KEYS		  (1 << TXS_KEYS_TABLE)
#define IN_STATES	  (1 << TXS_STATES_TABLE)
#define IN_ALL		  (IN_PARTITIONS | IN_KEYS | IN_STATES)

typedef struct FieldNeeds
{
	TxsField field;
	int kinds;
	int rows;	/* of partitions: the rows that it is made from */
	int wanted; /* attributes that it needs */
} FieldNeeds;

static const FieldNeeds fields[] = {
	{TXS_FIELD_PARTITION_KEY, IN_ALL, TXS_KEY_ROWS, 0},
	{TXS_FIELD_GRAIN_TYPE, IN_ALL, TXS_KEY_ROWS, 0},
	{TXS_FIELD_GRAIN_KEY, IN_ALL, TXS_KEY_ROWS, 0},
	{TXS_FIELD_STATE_NAME, IN_ALL, TXS_KEY_ROWS, 0},
	{TXS_FIELD_ROW_KEY, IN_KEYS | IN_STATES, 0, 0},
	{TXS_FIELD_SEQUENCE_ID, IN_STATES, 0, 0},
	{TXS_FIELD_ETAG, IN_ALL, TXS_KEY_ROWS, TXS_WANT_ETAG},
	{TXS_FIELD_COMMITTED, IN_PARTITIONS | IN_KEYS, TXS_KEY_ROWS,
	 TXS_WANT_COMMITTED},
	{TXS_FIELD_WRITTEN_AT, IN_PARTITIONS | IN_KEYS, TXS_KEY_ROWS,
	 TXS_WANT_TIMESTAMP},
	{TXS_FIELD_METADATA, IN_PARTITIONS | IN_KEYS, TXS_KEY_ROWS,
	 TXS_WANT_METADATA},
	{TXS_FIELD_COMMIT_RECORDS, IN_PARTITIONS | IN_KEYS, TXS_KEY_ROWS,
	 TXS_WANT_METADATA},
	{TXS_FIELD_STATE, IN_PARTITIONS | IN_STATES, TXS_STATE_ROWS,
	 TXS_WANT_STATE},
	{TXS_FIELD_TRANSACTION_ID, IN_PARTITIONS | IN_STATES, TXS_STATE_ROWS,
	 TXS_WANT_TRANSACTION},
	{TXS_FIELD_TRANSACTION_TIME, IN_PARTITIONS | IN_STATES, TXS_STATE_ROWS,
	 TXS_WANT_TIME},
	{TXS_FIELD_MANAGER, IN_STATES, TXS_STATE_ROWS, TXS_WANT_MANAGER},
	{TXS_FIELD_MANAGER_GRAIN, IN_STATES, TXS_STATE_ROWS, TXS_WANT_MANAGER},
	{TXS_FIELD_PENDING, IN_PARTITIONS, TXS_STATE_ROWS, TXS_WANT_MANAGER},
	{TXS_FIELD_IN_DOUBT, IN_PARTITIONS, TXS_STATE_ROWS, TXS_WANT_MANAGER},
	{TXS_FIELD_PENDING_VERSIONS, IN_PARTITIONS, TXS_STATE_ROWS,
	 TXS_WANT_MANAGER | TXS_WANT_TRANSACTION | TXS_WANT_TIME | TXS_WANT_STATE},
	{TXS_FIELD_EXTRA, IN_KEYS | IN_STATES, 0, TXS_WANT_EXTRA},
};

/*
 * Names: first those of columns that IMPORT makes, in their order.  Its types
 * are PostgreSQL's, whatever the search path has.
 */
typedef struct ColumnName
{
	const char *name;
	TxsField field;
	const char *type; /* of IMPORT's column; NULL: it makes none */
} ColumnName;

#define KEY_TEXT "pg_catalog.text COLLATE pg_catalog.\"C\""

static const ColumnName names[] = {
	{"partition_key", TXS_FIELD_PARTITION_KEY, KEY_TEXT},
	{"grain_type", TXS_FIELD_GRAIN_TYPE, KEY_TEXT},
	{"grain_key", TXS_FIELD_GRAIN_KEY, KEY_TEXT},
	{"state_name", TXS_FIELD_STATE_NAME, KEY_TEXT},
	{"sequence_id", TXS_FIELD_SEQUENCE_ID, "bigint"},
	{"row_key", TXS_FIELD_ROW_KEY, KEY_TEXT},
	{"etag", TXS_FIELD_ETAG, "pg_catalog.text"},
	{"committed_sequence_id", TXS_FIELD_COMMITTED, "bigint"},
	{"written_at", TXS_FIELD_WRITTEN_AT, "timestamp with time zone"},
	{"metadata", TXS_FIELD_METADATA, "pg_catalog.jsonb"},
	{"metadata_bytes", TXS_FIELD_METADATA, "pg_catalog.bytea"},
	{"commit_records", TXS_FIELD_COMMIT_RECORDS, "bigint"},
	{"transaction_id", TXS_FIELD_TRANSACTION_ID, "pg_catalog.text"},
	{"transaction_timestamp", TXS_FIELD_TRANSACTION_TIME,
	 "timestamp with time zone"},
	{"transaction_timestamp_text", TXS_FIELD_TRANSACTION_TIME,
	 "pg_catalog.text"},
	{"manager_grain", TXS_FIELD_MANAGER_GRAIN, "pg_catalog.text"},
	{"transaction_manager", TXS_FIELD_MANAGER, "pg_catalog.bytea"},
	{"state", TXS_FIELD_STATE, "pg_catalog.jsonb"},
	{"state_bytes", TXS_FIELD_STATE, "pg_catalog.bytea"},
	{"pending", TXS_FIELD_PENDING, "bigint"},
	{"in_doubt", TXS_FIELD_IN_DOUBT, "boolean"},
	{"pending_versions", TXS_FIELD_PENDING_VERSIONS, "pg_catalog.jsonb"},

	/* what Orleans calls them */
	{"PartitionKey", TXS_FIELD_PARTITION_KEY, NULL},
	{"RowKey", TXS_FIELD_ROW_KEY, NULL},
	{"ETag", TXS_FIELD_ETAG, NULL},
	{"CommittedSequenceId", TXS_FIELD_COMMITTED, NULL},
	{"Timestamp", TXS_FIELD_WRITTEN_AT, NULL},
	{"Metadata", TXS_FIELD_METADATA, NULL},
	{"GrainState", TXS_FIELD_STATE, NULL},
	{"TransactionId", TXS_FIELD_TRANSACTION_ID, NULL},
	{"TransactionTimestamp", TXS_FIELD_TRANSACTION_TIME, NULL},
	{"TransactionManager", TXS_FIELD_MANAGER, NULL},
};

static const FieldNeeds *
field_of(TxsField field)
{
	int i;

	for (i = 0; i < (int) lengthof(fields); i++)
	{
		if (fields[i].field == field)
			return &fields[i];
	}
	elog(ERROR, "unknown field %d", field);
}

static const ColumnName *
find_name(const char *text)
{
	int i;

	for (i = 0; i < (int) lengthof(names); i++)
	{
		if (strcmp(names[i].name, text) == 0)
			return &names[i];
	}
	return NULL;
}

/* Parts of a key are compared before rows are read, so they have one type. */
static bool
is_type_for(TxsField field, Oid type)
{
	switch (field)
	{
		case TXS_FIELD_PARTITION_KEY:
		case TXS_FIELD_ROW_KEY:
			return type == TEXTOID || type == VARCHAROID;
		case TXS_FIELD_SEQUENCE_ID:
			return type == INT8OID;
		case TXS_FIELD_STATE:
		case TXS_FIELD_METADATA:
		case TXS_FIELD_MANAGER:
			return type == BYTEAOID || type == JSONBOID || type == JSONOID ||
				   type == TEXTOID;
		case TXS_FIELD_IN_DOUBT:
			return type == BOOLOID;
		case TXS_FIELD_PENDING_VERSIONS:
			return type == JSONBOID;
		case TXS_FIELD_EXTRA:
			return type == TEXTOID || type == JSONBOID;
		default:
			return true;
	}
}

static const char *
types_for(TxsField field)
{
	switch (field)
	{
		case TXS_FIELD_PARTITION_KEY:
		case TXS_FIELD_ROW_KEY:
			return "text";
		case TXS_FIELD_SEQUENCE_ID:
			return "bigint";
		case TXS_FIELD_IN_DOUBT:
			return "boolean";
		case TXS_FIELD_PENDING_VERSIONS:
			return "jsonb";
		case TXS_FIELD_EXTRA:
			return "text or jsonb";
		default:
			return "bytea, jsonb, json or text";
	}
}

TxsField
txs_columns_find(TxsTableKind kind, const char *table, const char *column,
				 const char *attribute, Oid type, const char **extra)
{
	const ColumnName *name = find_name(attribute != NULL ? attribute : column);
	TxsField field = name == NULL ? TXS_FIELD_EXTRA : name->field;

	*extra = field == TXS_FIELD_EXTRA ? attribute : NULL;
	if ((field == TXS_FIELD_EXTRA && attribute == NULL) ||
		!(field_of(field)->kinds & (1 << kind)))
		ereport(ERROR, errcode(ERRCODE_FDW_INVALID_COLUMN_NAME),
				errmsg("column \"%s\" of foreign table \"%s\" stands for "
					   "nothing that the table shows",
					   column, table),
				errhint(
					"Name the item's attribute with OPTIONS (attribute "
					"...), or let IMPORT FOREIGN SCHEMA make the table."));
	if (!is_type_for(field, type))
		ereport(ERROR, errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
				errmsg("column \"%s\" of foreign table \"%s\" cannot be of "
					   "type %s",
					   column, table, format_type_be(type)),
				errhint("Its type can be %s.", types_for(field)));
	return field;
}

int
txs_columns_rows(TxsTableKind kind, TxsField field)
{
	switch (kind)
	{
		case TXS_KEYS_TABLE:
			return TXS_KEY_ROWS;
		case TXS_STATES_TABLE:
			return TXS_STATE_ROWS;
		default:
			return TXS_KEY_ROWS | field_of(field)->rows;
	}
}

int
txs_columns_wanted(TxsField field)
{
	return field_of(field)->wanted;
}

bool
txs_columns_have(const TxsForeignTable *table, List *columns, TxsField field)
{
	ListCell *cell;

	foreach (cell, columns)
	{
		if (table->columns[lfirst_int(cell) - 1].field == field)
			return true;
	}
	return false;
}

void
txs_columns_define(StringInfo sql, TxsTableKind kind)
{
	const char *comma = "";
	int i;

	for (i = 0; i < (int) lengthof(names) && names[i].type != NULL; i++)
	{
		bool required = names[i].field == TXS_FIELD_PARTITION_KEY ||
						names[i].field == TXS_FIELD_ROW_KEY ||
						names[i].field == TXS_FIELD_SEQUENCE_ID;

		if (!(field_of(names[i].field)->kinds & (1 << kind)))
			continue;
		/* All key rows have one row key. */
		if (kind == TXS_KEYS_TABLE && names[i].field == TXS_FIELD_ROW_KEY)
			continue;
		appendStringInfo(sql, "%s\n\t%s %s%s", comma, names[i].name,
						 names[i].type, required ? " NOT NULL" : "");
		comma = ",";
	}
}
