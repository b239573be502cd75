/*
 * Options of servers and user mappings: a table of names, where each may
 * stand, for which provider, and how its value is read.
 *
 * Names are Orleans' own in snake case where Orleans has the option (spec
 * transactional-storage section 6).
 */
#include "compat.h"

#include "catalog/pg_attribute.h"
#include "catalog/pg_foreign_server.h"
#include "catalog/pg_foreign_table.h"
#include "catalog/pg_user_mapping.h"
#include "commands/defrem.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/varlena.h"

#include "provider/provider.h"

/* Where values go while a list of options is read. */
typedef struct Target
{
	TxsStorage storage;
	TxsMapping mapping;
	TxsTableOptions table;
	const char *attribute; /* of a column */
} Target;

typedef struct Option
{
	const char *name;
	Oid catalog;
	const TxsProvider *provider; /* NULL: every one has it */
	/* Read value, or return what the value must be. */
	const char *(*read)(const char *value, Target *target);
	const char *initial; /* the default, as a value; NULL: absent */
} Option;

static const char *
read_provider(const char *value, Target *target)
{
	if (strcmp(value, txs_embedded_provider.name) == 0)
		target->storage.provider = &txs_embedded_provider;
	else if (strcmp(value, txs_dynamodb_provider.name) == 0)
		target->storage.provider = &txs_dynamodb_provider;
	else
		return "Use embedded or dynamodb.";
	return NULL;
}

static const char *
read_schema_name(const char *value, Target *target)
{
	if (value[0] == '\0' || strlen(value) >= NAMEDATALEN)
		return "A schema's name has 1 to 63 bytes.";
	target->storage.schema_name = value;
	return NULL;
}

/* What a table name must be beyond this depends on the provider. */
static const char *
read_table_name(const char *value, Target *target)
{
	if (value[0] == '\0')
		return "A table's name is not empty.";
	target->storage.table_name = value;
	return NULL;
}

static const char *
read_service_id(const char *value, Target *target)
{
	if (value[0] == '\0')
		return "A service id is not empty.";
	target->storage.service_id = value;
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
read_create_if_not_exists(const char *value, Target *target)
{
	return read_bool(value, &target->storage.create_if_not_exists);
}

static const char *
read_update_if_exists(const char *value, Target *target)
{
	return read_bool(value, &target->storage.update_if_exists);
}

static const char *
read_use_provisioned_throughput(const char *value, Target *target)
{
	return read_bool(value, &target->storage.use_provisioned_throughput);
}

static const char *
read_read_only(const char *value, Target *target)
{
	return read_bool(value, &target->storage.read_only);
}

static const char *
read_persistence(const char *value, Target *target)
{
	if (strcmp(value, "persisted") == 0)
		target->storage.persistence = TXS_PERSISTED;
	else if (strcmp(value, "volatile") == 0)
		target->storage.persistence = TXS_VOLATILE;
	else if (strcmp(value, "none") == 0)
		target->storage.persistence = TXS_SESSION;
	else
		return "Use persisted, volatile or none.";
	return NULL;
}

/* A text that is not empty and can stand in a header. */
static const char *
read_word(const char *value, const char **result)
{
	const char *c;

	for (c = value; *c != '\0'; c++)
	{
		if (*c <= ' ' || *c == 0x7f)
			return "The value must not contain blanks or control characters.";
	}
	if (value[0] == '\0')
		return "The value must not be empty.";
	*result = value;
	return NULL;
}

static const char *
read_endpoint(const char *value, Target *target)
{
	if (strncmp(value, "http://", 7) != 0 &&
		strncmp(value, "https://", 8) != 0)
		return "An endpoint is a URL that begins with http:// or https://.";
	return read_word(value, &target->storage.endpoint);
}

static const char *
read_region(const char *value, Target *target)
{
	return read_word(value, &target->storage.region);
}

static const char *
read_ca_file(const char *value, Target *target)
{
	if (value[0] != '/')
		return "Use an absolute path.";
	target->storage.ca_file = value;
	return NULL;
}

static const char *
read_profile_name(const char *value, Target *target)
{
	if (value[0] == '\0')
		return "A profile's name is not empty.";
	target->storage.profile_name = value;
	return NULL;
}

static const char *
read_units(const char *value, int *result)
{
	if (parse_int(value, result, 0, NULL) && *result >= 1)
		return NULL;
	return "Use a whole number from 1.";
}

static const char *
read_read_capacity_units(const char *value, Target *target)
{
	return read_units(value, &target->storage.read_capacity_units);
}

static const char *
read_write_capacity_units(const char *value, Target *target)
{
	return read_units(value, &target->storage.write_capacity_units);
}

static const char *
read_time(const char *value, int *result)
{
	if (parse_int(value, result, GUC_UNIT_MS, NULL) && *result >= 1)
		return NULL;
	return "Use a time such as 500ms or 10s.";
}

static const char *
read_request_timeout(const char *value, Target *target)
{
	return read_time(value, &target->storage.request_timeout);
}

static const char *
read_connect_timeout(const char *value, Target *target)
{
	return read_time(value, &target->storage.connect_timeout);
}

static const char *
read_access_key_id(const char *value, Target *target)
{
	return read_word(value, &target->mapping.access_key_id);
}

static const char *
read_secret_access_key(const char *value, Target *target)
{
	return read_word(value, &target->mapping.secret_access_key);
}

static const char *
read_session_token(const char *value, Target *target)
{
	return read_word(value, &target->mapping.session_token);
}

static const char *
read_credentials_required(const char *value, Target *target)
{
	return read_bool(value, &target->mapping.credentials_required);
}

static const char *
read_consistent_read(const char *value, Target *target)
{
	return read_bool(value, &target->storage.consistent_read);
}

static const char *
read_segments(const char *value, int *result)
{
	/* The service takes up to a million; each may have a connection here. */
	if (parse_int(value, result, 0, NULL) && *result >= 1 && *result <= 64)
		return NULL;
	return "Use a whole number from 1 to 64.";
}

static const char *
read_scan_segments(const char *value, Target *target)
{
	return read_segments(value, &target->storage.scan_segments);
}

static const char *
read_use_remote_estimate(const char *value, Target *target)
{
	return read_bool(value, &target->storage.use_remote_estimate);
}

/* postgres_fdw's words, as far as they have a meaning here. */
static const char *
read_sampling(const char *value, bool *whole)
{
	*whole = strcmp(value, "off") == 0;
	if (*whole || strcmp(value, "auto") == 0)
		return NULL;
	return "Use auto or off.";
}

static const char *
read_analyze_sampling(const char *value, Target *target)
{
	return read_sampling(value, &target->storage.analyze_whole);
}

static const char *
read_kind(const char *value, Target *target)
{
	if (strcmp(value, "partitions") == 0)
		target->table.kind = TXS_PARTITIONS_TABLE;
	else if (strcmp(value, "keys") == 0)
		target->table.kind = TXS_KEYS_TABLE;
	else if (strcmp(value, "states") == 0)
		target->table.kind = TXS_STATES_TABLE;
	else
		return "Use partitions, keys or states.";
	return NULL;
}

static const char *
read_table_table_name(const char *value, Target *target)
{
	if (value[0] == '\0')
		return "A table's name is not empty.";
	target->table.table_name = value;
	return NULL;
}

static const char *
read_table_consistent_read(const char *value, Target *target)
{
	target->table.has_consistent_read = true;
	return read_bool(value, &target->table.consistent_read);
}

static const char *
read_table_scan_segments(const char *value, Target *target)
{
	return read_segments(value, &target->table.scan_segments);
}

static const char *
read_table_use_remote_estimate(const char *value, Target *target)
{
	target->table.has_remote_estimate = true;
	return read_bool(value, &target->table.use_remote_estimate);
}

static const char *
read_table_analyze_sampling(const char *value, Target *target)
{
	target->table.has_sampling = true;
	return read_sampling(value, &target->table.analyze_whole);
}

static const char *
read_attribute(const char *value, Target *target)
{
	if (value[0] == '\0')
		return "An attribute's name is not empty.";
	target->attribute = value;
	return NULL;
}

static const Option options[] = {
	{"provider", ForeignServerRelationId, NULL, read_provider, "embedded"},
	{"table_name", ForeignServerRelationId, NULL, read_table_name,
	 "OrleansTransactionalState"},
	{"service_id", ForeignServerRelationId, NULL, read_service_id, "default"},
	{"create_if_not_exists", ForeignServerRelationId, NULL,
	 read_create_if_not_exists, "true"},
	{"read_only", ForeignServerRelationId, NULL, read_read_only, "false"},

	{"schema_name", ForeignServerRelationId, &txs_embedded_provider,
	 read_schema_name, "txstore_data"},
	{"persistence", ForeignServerRelationId, &txs_embedded_provider,
	 read_persistence, "persisted"},

	{"region", ForeignServerRelationId, &txs_dynamodb_provider, read_region,
	 NULL},
	{"endpoint", ForeignServerRelationId, &txs_dynamodb_provider,
	 read_endpoint, NULL},
	{"ca_file", ForeignServerRelationId, &txs_dynamodb_provider, read_ca_file,
	 NULL},
	{"profile_name", ForeignServerRelationId, &txs_dynamodb_provider,
	 read_profile_name, NULL},
	{"use_provisioned_throughput", ForeignServerRelationId,
	 &txs_dynamodb_provider, read_use_provisioned_throughput, "true"},
	{"read_capacity_units", ForeignServerRelationId, &txs_dynamodb_provider,
	 read_read_capacity_units, "10"},
	{"write_capacity_units", ForeignServerRelationId, &txs_dynamodb_provider,
	 read_write_capacity_units, "5"},
	{"update_if_exists", ForeignServerRelationId, &txs_dynamodb_provider,
	 read_update_if_exists, "false"},
	{"request_timeout", ForeignServerRelationId, &txs_dynamodb_provider,
	 read_request_timeout, NULL},
	{"connect_timeout", ForeignServerRelationId, &txs_dynamodb_provider,
	 read_connect_timeout, NULL},

	{"consistent_read", ForeignServerRelationId, &txs_dynamodb_provider,
	 read_consistent_read, "true"},
	{"scan_segments", ForeignServerRelationId, &txs_dynamodb_provider,
	 read_scan_segments, "4"},
	{"use_remote_estimate", ForeignServerRelationId, &txs_dynamodb_provider,
	 read_use_remote_estimate, "false"},
	{"analyze_sampling", ForeignServerRelationId, &txs_dynamodb_provider,
	 read_analyze_sampling, "auto"},

	{"kind", ForeignTableRelationId, NULL, read_kind, NULL},
	{"table_name", ForeignTableRelationId, NULL, read_table_table_name, NULL},
	{"consistent_read", ForeignTableRelationId, NULL,
	 read_table_consistent_read, NULL},
	{"scan_segments", ForeignTableRelationId, NULL, read_table_scan_segments,
	 NULL},
	{"use_remote_estimate", ForeignTableRelationId, NULL,
	 read_table_use_remote_estimate, NULL},
	{"analyze_sampling", ForeignTableRelationId, NULL,
	 read_table_analyze_sampling, NULL},

	{"attribute", AttributeRelationId, NULL, read_attribute, NULL},

	{"access_key_id", UserMappingRelationId, NULL, read_access_key_id, NULL},
	{"secret_access_key", UserMappingRelationId, NULL, read_secret_access_key,
	 NULL},
	{"session_token", UserMappingRelationId, NULL, read_session_token, NULL},
	{"credentials_required", UserMappingRelationId, NULL,
	 read_credentials_required, "true"},
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

/* Report a bad value.  Of a user mapping's, which may be secrets, none is
 * shown. */
static void
refuse_value(const Option *option, const char *value, const char *problem)
{
	ereport(ERROR, errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
			option->catalog == UserMappingRelationId
				? errmsg("invalid value for option \"%s\"", option->name)
				: errmsg("invalid value for option \"%s\": \"%s\"",
						 option->name, value),
			errhint("%s", problem));
}

static void
apply_defaults(Oid catalog, Target *target)
{
	int i;

	memset(target, 0, sizeof(*target));
	for (i = 0; i < (int) lengthof(options); i++)
	{
		if (options[i].catalog == catalog && options[i].initial != NULL)
			options[i].read(options[i].initial, target);
	}
}

/* Options of a server that another provider has, and what is missing. */
static void
check_server(List *list, const TxsStorage *storage)
{
	ListCell *cell;

	foreach (cell, list)
	{
		const char *name = ((DefElem *) lfirst(cell))->defname;
		const Option *option = find_option(name, ForeignServerRelationId);

		if (option->provider != NULL && option->provider != storage->provider)
			ereport(ERROR, errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
					errmsg("provider \"%s\" has no option \"%s\"",
						   storage->provider->name, name),
					errhint("It is an option of provider \"%s\".",
							option->provider->name));
	}
	if (storage->profile_name != NULL && !superuser())
		ereport(ERROR, errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				errmsg("permission denied to set profile_name"),
				errhint("Only a superuser may choose among the profiles of "
						"the database server."));
	storage->provider->check(storage);
}

static void
check_mapping(const TxsMapping *mapping)
{
	if ((mapping->access_key_id == NULL) !=
			(mapping->secret_access_key == NULL) ||
		(mapping->session_token != NULL && mapping->access_key_id == NULL))
		ereport(ERROR, errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
				errmsg("access_key_id and secret_access_key go together"),
				errhint("Give both, and session_token as well if the "
						"credentials have one."));
	if (!mapping->credentials_required && !superuser())
		ereport(ERROR, errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				errmsg("permission denied to set credentials_required to "
					   "false"),
				errhint("Only a superuser may let others use the credentials "
						"of the database server."));
}

static void
check_table(const TxsTableOptions *table)
{
	if (table->kind == TXS_NO_TABLE)
		ereport(ERROR, errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
				errmsg("a foreign table of a storage needs the option kind"),
				errhint("Use OPTIONS (kind 'partitions'), 'keys' or 'states', "
						"or let IMPORT FOREIGN SCHEMA make the tables."));
}

void
txs_options_check(List *list, Oid catalog)
{
	Target target;
	ListCell *cell;

	apply_defaults(catalog, &target);
	foreach (cell, list)
	{
		DefElem *element = lfirst(cell);
		const Option *option = find_option(element->defname, catalog);
		const char *problem;

		if (option == NULL)
			refuse_name(element->defname, catalog);
		problem = option->read(defGetString(element), &target);
		if (problem != NULL)
			refuse_value(option, defGetString(element), problem);
	}
	if (catalog == ForeignServerRelationId)
		check_server(list, &target.storage);
	else if (catalog == UserMappingRelationId)
		check_mapping(&target.mapping);
	else if (catalog == ForeignTableRelationId)
		check_table(&target.table);
}

static void
apply(List *list, Oid catalog, Target *target)
{
	ListCell *cell;

	apply_defaults(catalog, target);
	foreach (cell, list)
	{
		DefElem *element = lfirst(cell);
		const Option *option = find_option(element->defname, catalog);

		if (option != NULL)
			option->read(pstrdup(defGetString(element)), target);
	}
}

void
txs_options_apply(List *list, TxsStorage *storage)
{
	Oid server = storage->server;
	Oid owner = storage->owner;
	const char *name = storage->name;
	Target target;

	apply(list, ForeignServerRelationId, &target);
	*storage = target.storage;
	storage->server = server;
	storage->owner = owner;
	storage->name = name;
}

void
txs_options_apply_mapping(List *list, TxsMapping *mapping)
{
	Target target;

	apply(list, UserMappingRelationId, &target);
	*mapping = target.mapping;
}

void
txs_options_apply_table(List *list, TxsTableOptions *table)
{
	Target target;

	apply(list, ForeignTableRelationId, &target);
	*table = target.table;
}

const char *
txs_options_attribute(List *list)
{
	Target target;

	apply(list, AttributeRelationId, &target);
	return target.attribute;
}
