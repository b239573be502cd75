/*
 * Options of servers and user mappings: a table of names, where each may
 * stand, how its value is read, and where it goes in a TxsStorage.
 *
 * Names are Orleans' own in snake case where Orleans has the option (spec
 * transactional-storage section 6).
 */
#include "compat.h"

#include "catalog/pg_foreign_server.h"
#include "commands/defrem.h"
#include "utils/builtins.h"
#include "utils/varlena.h"

#include "provider/provider.h"

typedef struct Option
{
	const char *name;
	Oid catalog;
	/* Read value into storage, or return what the value must be. */
	const char *(*read)(const char *value, TxsStorage *storage);
	const char *initial; /* the default, as a value */
} Option;

/* Identifiers end at 63 bytes, and the longest suffix is "_states". */
#define LONGEST_TABLE_NAME (NAMEDATALEN - 1 - 7)

static const char *
read_provider(const char *value, TxsStorage *storage)
{
	if (strcmp(value, txs_embedded_provider.name) != 0)
		return "The only provider of this version is \"embedded\".";
	storage->provider = &txs_embedded_provider;
	return NULL;
}

static const char *
read_schema_name(const char *value, TxsStorage *storage)
{
	if (value[0] == '\0' || strlen(value) >= NAMEDATALEN)
		return "A schema's name has 1 to 63 bytes.";
	storage->schema_name = value;
	return NULL;
}

static const char *
read_table_name(const char *value, TxsStorage *storage)
{
	if (value[0] == '\0' || strlen(value) > LONGEST_TABLE_NAME)
		return "A storage's table name has 1 to 56 bytes, since suffixes "
			   "are added to it.";
	storage->table_name = value;
	return NULL;
}

static const char *
read_service_id(const char *value, TxsStorage *storage)
{
	if (value[0] == '\0')
		return "A service id is not empty.";
	storage->service_id = value;
	return NULL;
}

static const char *
read_bool(const char *value, bool *result)
{
	if (parse_bool(value, result))
		return NULL;
	return "Use true or false.";
}

static const char *
read_create_if_not_exists(const char *value, TxsStorage *storage)
{
	return read_bool(value, &storage->create_if_not_exists);
}

static const char *
read_read_only(const char *value, TxsStorage *storage)
{
	return read_bool(value, &storage->read_only);
}

static const char *
read_persistence(const char *value, TxsStorage *storage)
{
	if (strcmp(value, "persisted") == 0)
		storage->persistence = TXS_PERSISTED;
	else if (strcmp(value, "volatile") == 0)
		storage->persistence = TXS_VOLATILE;
	else if (strcmp(value, "none") == 0)
		storage->persistence = TXS_SESSION;
	else
		return "Use persisted, volatile or none.";
	return NULL;
}

static const Option options[] = {
	{"provider", ForeignServerRelationId, read_provider, "embedded"},
	{"schema_name", ForeignServerRelationId, read_schema_name, "txstore_data"},
	{"table_name", ForeignServerRelationId, read_table_name,
	 "OrleansTransactionalState"},
	{"service_id", ForeignServerRelationId, read_service_id, "default"},
	{"create_if_not_exists", ForeignServerRelationId,
	 read_create_if_not_exists, "true"},
	{"persistence", ForeignServerRelationId, read_persistence, "persisted"},
	{"read_only", ForeignServerRelationId, read_read_only, "false"},
};

static const Option *
find_option(const char *name, Oid catalog)
{
	int i;

	for (i = 0; i < (int) lengthof(options); i++)
	{
		if (options[i].catalog == catalog &&
			strcmp(options[i].name, name) == 0)
			return &options[i];
	}
	return NULL;
}

/* The option of this catalog whose name is nearest, if one is near. */
static const char *
nearest_name(const char *name, Oid catalog)
{
	const char *nearest = NULL;
	int distance = Min(4, (int) strlen(name) / 2) + 1;
	int i;

	if (strlen(name) >= NAMEDATALEN)
		return NULL;
	for (i = 0; i < (int) lengthof(options); i++)
	{
		const char *candidate = options[i].name;
		int d;

		if (options[i].catalog != catalog)
			continue;
		d = varstr_levenshtein_less_equal(name, (int) strlen(name), candidate,
										  (int) strlen(candidate), 1, 1, 1,
										  distance - 1, true);
		if (d < distance)
		{
			nearest = candidate;
			distance = d;
		}
	}
	return nearest;
}

static void
refuse_name(const char *name, Oid catalog)
{
	const char *nearest = nearest_name(name, catalog);
	StringInfoData valid;
	int i;

	initStringInfo(&valid);
	for (i = 0; i < (int) lengthof(options); i++)
	{
		if (options[i].catalog == catalog)
			appendStringInfo(&valid, "%s%s", valid.len > 0 ? ", " : "",
							 options[i].name);
	}
	ereport(ERROR, errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
			errmsg("invalid option \"%s\"", name),
			nearest != NULL
				? errhint("Perhaps you meant the option \"%s\".", nearest)
			: valid.len > 0
				? errhint("Valid options in this context are: %s.", valid.data)
				: errhint("There are no valid options in this context."));
}

void
txs_options_check(List *list, Oid catalog)
{
	TxsStorage scratch;
	ListCell *cell;

	foreach (cell, list)
	{
		DefElem *element = lfirst(cell);
		const Option *option = find_option(element->defname, catalog);
		const char *problem;

		if (option == NULL)
			refuse_name(element->defname, catalog);
		problem = option->read(defGetString(element), &scratch);
		if (problem != NULL)
			ereport(ERROR, errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
					errmsg("invalid value for option \"%s\": \"%s\"",
						   option->name, defGetString(element)),
					errhint("%s", problem));
	}
}

void
txs_options_apply(List *list, TxsStorage *storage)
{
	ListCell *cell;
	int i;

	for (i = 0; i < (int) lengthof(options); i++)
		options[i].read(options[i].initial, storage);
	foreach (cell, list)
	{
		DefElem *element = lfirst(cell);
		const Option *option =
			find_option(element->defname, ForeignServerRelationId);

		if (option != NULL)
			option->read(pstrdup(defGetString(element)), storage);
	}
}
