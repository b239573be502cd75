/*
 * IMPORT FOREIGN SCHEMA: three foreign tables for each table of Orleans that
 * the provider finds, named by the table's name and what they show.
 */
#include "fdw/fdw.h"

#include "commands/defrem.h"
#include "foreign/foreign.h"
#include "utils/builtins.h"

typedef struct Import
{
	ImportForeignSchemaStmt *statement;
	const TxsStorage *storage;
	List *commands;
} Import;

static const struct
{
	TxsTableKind kind;
	const char *name;
} kinds[] = {
	{TXS_PARTITIONS_TABLE, "partitions"},
	{TXS_KEYS_TABLE, "keys"},
	{TXS_STATES_TABLE, "states"},
};

static void
import_table(Import *import, const char *table, int i)
{
	char *name = psprintf("%s_%s", table, kinds[i].name);
	StringInfoData sql;

	if (!IsImportableForeignTable(name, import->statement))
		return;
	if (strlen(name) >= NAMEDATALEN)
	{
		ereport(NOTICE, errmsg("skipping \"%s\": its name is too long for a "
							   "foreign table",
							   name));
		return;
	}
	initStringInfo(&sql);
	appendStringInfo(&sql, "CREATE FOREIGN TABLE %s (",
					 quote_identifier(name));
	txs_columns_define(&sql, kinds[i].kind);
	appendStringInfo(&sql, "\n) SERVER %s OPTIONS (kind '%s'",
					 quote_identifier(import->statement->server_name),
					 kinds[i].name);
	if (strcmp(table, import->storage->table_name) != 0)
		appendStringInfo(&sql, ", table_name %s", quote_literal_cstr(table));
	appendStringInfoChar(&sql, ')');
	import->commands = lappend(import->commands, sql.data);
}

static void
receive_table(const char *table, const char *problem, void *arg)
{
	int i;

	if (problem != NULL)
	{
		ereport(NOTICE, errmsg("skipping table \"%s\": %s", table, problem));
		return;
	}
	for (i = 0; i < (int) lengthof(kinds); i++)
		import_table(arg, table, i);
}

List *
txs_fdw_import(ImportForeignSchemaStmt *statement, Oid server)
{
	Import import = {.statement = statement};
	ListCell *cell;

	foreach (cell, statement->options)
	{
		DefElem *option = lfirst_node(DefElem, cell);

		ereport(ERROR, errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
				errmsg("invalid option \"%s\"", option->defname),
				errhint("IMPORT FOREIGN SCHEMA has no options here; set them "
						"for the server, or for the tables afterwards."));
	}
	import.storage = txs_storage_of_server(server, GetUserId());
	import.storage->provider->list_tables(import.storage, receive_table,
										  &import);
	return import.commands;
}
