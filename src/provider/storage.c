/*
 * From the name of a storage to what its server says.
 *
 * Every call of the extension passes here, so what a server's options say is
 * kept for the session until the catalog says that a server has changed.
 */
#include "compat.h"

#include "catalog/dependency.h"
#include "catalog/pg_foreign_data_wrapper.h"
#include "catalog/pg_foreign_server.h"
#include "commands/extension.h"
#include "foreign/foreign.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "provider/provider.h"

#define WRAPPER_NAME "txstore_fdw"

char *txs_default_storage = NULL;

/*
 * Storages known so far, in a context of their own.  A change of any server
 * makes all of them stale; they are freed at the next look-up.  Callers get
 * copies, since a look-up may come while an outer call still uses its own.
 */
static MemoryContext known_context = NULL;
static List *known = NIL;
static bool known_is_stale = false;
static bool callback_is_registered = false;

static void
forget_known(Datum arg, int cache, uint32 hash)
{
	(void) arg;
	(void) cache;
	(void) hash;
	known_is_stale = true;
}

static void
prepare_known(void)
{
	if (!callback_is_registered)
	{
		CacheRegisterSyscacheCallback(FOREIGNSERVEROID, forget_known,
									  (Datum) 0);
		CacheRegisterSyscacheCallback(FOREIGNDATAWRAPPEROID, forget_known,
									  (Datum) 0);
		callback_is_registered = true;
	}
	if (known_context == NULL)
		known_context =
			AllocSetContextCreate(CacheMemoryContext, "txstore storages",
								  ALLOCSET_SMALL_SIZES);
}

static TxsStorage *
find_known(Oid server)
{
	ListCell *cell;

	foreach (cell, known)
	{
		TxsStorage *storage = lfirst(cell);

		if (storage->server == server)
			return storage;
	}
	return NULL;
}

/*
 * pg_dump restores a server that the extension has made as the extension makes
 * it: with options of its own, it would have lost its rows there.
 */
static void
refuse_altered_member(const ForeignServer *server)
{
	Oid extension =
		getExtensionOfObject(ForeignServerRelationId, server->serverid);
	ListCell *cell;

	if (!OidIsValid(extension) ||
		extension !=
			getExtensionOfObject(ForeignDataWrapperRelationId, server->fdwid))
		return;
	foreach (cell, server->options)
	{
		const char *option = lfirst_node(DefElem, cell)->defname;

		if (strcmp(option, "provider") != 0)
			ereport(ERROR, errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
					errmsg("server \"%s\" belongs to extension \"%s\" and "
						   "cannot have the option \"%s\"",
						   server->servername, get_extension_name(extension),
						   option),
					errdetail("pg_dump would not keep it."),
					errhint("Take it away with ALTER SERVER ... OPTIONS (DROP "
							"...), and give the option to a server of your "
							"own with CREATE SERVER."));
	}
}

static void
require_wrapper(const ForeignServer *server)
{
	ForeignDataWrapper *wrapper = GetForeignDataWrapper(server->fdwid);

	if (strcmp(wrapper->fdwname, WRAPPER_NAME) != 0)
		ereport(ERROR, errcode(ERRCODE_WRONG_OBJECT_TYPE),
				errmsg("server \"%s\" is not a storage", server->servername),
				errdetail("Its foreign-data wrapper is \"%s\".",
						  wrapper->fdwname),
				errhint("A storage is a server of the foreign-data wrapper "
						"\"%s\".",
						WRAPPER_NAME));
}

/* Read a server from the catalogs and remember it. */
static TxsStorage *
read_storage(Oid server_oid)
{
	ForeignServer *server = GetForeignServer(server_oid);
	MemoryContext caller;
	TxsStorage *storage;

	require_wrapper(server);
	refuse_altered_member(server);

	caller = MemoryContextSwitchTo(known_context);
	storage = palloc0(sizeof(TxsStorage));
	storage->server = server_oid;
	storage->owner = server->owner;
	storage->name = pstrdup(server->servername);
	txs_options_apply(server->options, storage);
	known = lappend(known, storage);
	MemoryContextSwitchTo(caller);
	return storage;
}

static const char *
copy_text(const char *text)
{
	return text == NULL ? NULL : pstrdup(text);
}

static TxsStorage *
copy_storage(const TxsStorage *storage, Oid user)
{
	TxsStorage *copy = palloc(sizeof(TxsStorage));

	*copy = *storage;
	copy->user = user;
	copy->name = pstrdup(storage->name);
	copy->schema_name = copy_text(storage->schema_name);
	copy->table_name = pstrdup(storage->table_name);
	copy->service_id = pstrdup(storage->service_id);
	copy->endpoint = copy_text(storage->endpoint);
	copy->region = copy_text(storage->region);
	copy->ca_file = copy_text(storage->ca_file);
	copy->profile_name = copy_text(storage->profile_name);
	return copy;
}

static Oid
find_server(const char *name)
{
	Oid server = get_foreign_server_oid(name, true);

	if (!OidIsValid(server))
		ereport(ERROR, errcode(ERRCODE_UNDEFINED_OBJECT),
				errmsg("storage \"%s\" does not exist", name),
				errhint("Use CREATE SERVER ... FOREIGN DATA WRAPPER "
						"txstore_fdw to create one."));
	return server;
}

const TxsStorage *
txs_storage_open(const char *name)
{
	Oid server;

	if (name == NULL)
		name = txs_default_storage;
	server = find_server(name);
	if (txs_server_aclcheck(server, GetUserId(), ACL_USAGE) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_FOREIGN_SERVER, name);
	return txs_storage_of_server(server, GetUserId());
}

Oid
txs_storage_server(const char *name)
{
	Oid server = find_server(name == NULL ? txs_default_storage : name);

	require_wrapper(GetForeignServer(server));
	return server;
}

TxsStorage *
txs_storage_of_server(Oid server, Oid user)
{
	TxsStorage *storage;

	prepare_known();
	if (known_is_stale)
	{
		MemoryContextReset(known_context);
		known = NIL;
		known_is_stale = false;
	}
	storage = find_known(server);
	return copy_storage(storage != NULL ? storage : read_storage(server),
						user);
}

void
txs_storage_require_writable(const TxsStorage *storage, const char *what)
{
	PreventCommandIfReadOnly(what);
	PreventCommandIfParallelMode(what);
	if (storage->read_only)
		ereport(ERROR, errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				errmsg("cannot execute %s on storage \"%s\", which is "
					   "read-only",
					   what, storage->name),
				errhint("Its owner can change that with ALTER SERVER ... "
						"OPTIONS (SET read_only 'false')."));
}

/* A server may have had another provider when it was used. */
static const TxsProvider *const providers[] = {&txs_embedded_provider,
											   &txs_dynamodb_provider};

void
txs_storage_list_connections(TxsConnectionReceiver receive, void *arg)
{
	int i;

	for (i = 0; i < lengthof(providers); i++)
	{
		if (providers[i]->list_connections != NULL)
			providers[i]->list_connections(receive, arg);
	}
}

bool
txs_storage_disconnect(Oid server)
{
	bool is_closed = false;
	int i;

	for (i = 0; i < lengthof(providers); i++)
	{
		if (providers[i]->disconnect != NULL &&
			providers[i]->disconnect(server))
			is_closed = true;
	}
	return is_closed;
}
