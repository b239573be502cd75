/*
 * Find the credentials of a connection; see credentials.h.
 *
 * A user mapping's keys come first.  Where a superuser has written
 * credentials_required 'false' into the mapping, the server's own identity
 * will do: environment, profile, container, web identity, instance.
 */
#include "provider/dynamodb/credentials.h"

#include <sys/stat.h>

#include "aws/imds.h"
#include "catalog/pg_user_mapping.h"
#include "common/hashfn.h"
#include "foreign/foreign.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

/* Milliseconds between looks whether another session has fetched keys. */
#define LOOK_INTERVAL 20

/* The profile's file, when it was read. */
typedef struct FileStamp
{
	bool exists;
	struct timespec modified;
	off_t size;
	ino_t number;
} FileStamp;

/* The session's view of the server's identity. */
static TxsIdentity server_identity;
static char *profile_name = NULL; /* of the profile that was read */
static FileStamp stamps[2];		  /* of config and credentials */
static char *paths[2];

/* Why there are no credentials. */
typedef struct Trouble
{
	TxsSource source; /* NONE: there is none */
	const char *problem;
	const char *code; /* of the source's service; NULL: none */
} Trouble;

/* Always false. */
static bool
fail(Trouble *trouble, TxsSource source, const char *problem, const char *code)
{
	trouble->source = source;
	trouble->problem = problem;
	trouble->code = code == NULL || code[0] == '\0' ? NULL : pstrdup(code);
	return false;
}

static void
report(const TxsConnection *connection, const Trouble *trouble)
{
	bool is_mapping = trouble->source <= TXS_SOURCE_MAPPING;

	ereport(
		ERROR, errcode(ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION),
		errmsg("no credentials for server \"%s\"", connection->storage->name),
		trouble->code == NULL
			? errdetail("Source %s: %s.", txs_source_name(trouble->source),
						trouble->problem)
			: errdetail("Source %s: %s (%s).",
						txs_source_name(trouble->source), trouble->problem,
						trouble->code),
		is_mapping
			? errhint("Give some to the user with CREATE USER MAPPING ... "
					  "OPTIONS (access_key_id ..., secret_access_key ...).")
			: errhint("See to the credentials of the database server, or "
					  "give some to the user with CREATE USER MAPPING."));
}

/* ------------------------------------------------------------- the mapping */

/* The options of the user's mapping, or of PUBLIC's; false without one. */
static bool
read_mapping(const TxsStorage *storage, TxsMapping *mapping)
{
	Oid users[] = {storage->user, InvalidOid};
	int i;

	for (i = 0; i < 2; i++)
	{
		HeapTuple tuple =
			SearchSysCache2(USERMAPPINGUSERSERVER, ObjectIdGetDatum(users[i]),
							ObjectIdGetDatum(storage->server));
		UserMapping *found;

		if (!HeapTupleIsValid(tuple))
			continue;
		ReleaseSysCache(tuple);
		found = GetUserMapping(users[i], storage->server);
		txs_options_apply_mapping(found->options, mapping);
		return true;
	}
	return false;
}

/* ------------------------------------------------- the server's identity */

static const char *
look_up(void *context, const char *name)
{
	return getenv(name);
}

static void
stamp_file(const char *path, FileStamp *stamp)
{
	struct stat status;

	memset(stamp, 0, sizeof(*stamp));
	if (stat(path, &status) != 0)
		return;
	stamp->exists = true;
	stamp->modified = status.st_mtim;
	stamp->size = status.st_size;
	stamp->number = status.st_ino;
}

static void
replace_text(char **text, const char *value)
{
	char *copy = MemoryContextStrdup(TopMemoryContext, value);

	if (*text != NULL)
		pfree(*text);
	*text = copy;
}

/* Have the files, or which they are, changed since they were read? */
static bool
has_changed(const char *name, char path[2][MAXPGPATH], FileStamp now[2])
{
	int i;

	for (i = 0; i < 2; i++)
		stamp_file(path[i], &now[i]);
	if (profile_name == NULL || strcmp(profile_name, name) != 0 ||
		memcmp(now, stamps, sizeof(stamps)) != 0)
		return true;
	for (i = 0; i < 2; i++)
	{
		if (strcmp(paths[i], path[i]) != 0)
			return true;
	}
	return false;
}

static const char *
read_profile(const char *name, char path[2][MAXPGPATH])
{
	TxsSlice text[2];
	TxsProfile profile;
	TxsProfileError error;
	const char *problem = NULL;
	int i;

	for (i = 0; i < 2 && problem == NULL; i++)
		problem = txs_fetch_file(path[i], TXS_PROFILE_MAX_TEXT, &text[i]);
	if (problem != NULL)
		return "a shared file of the AWS tools cannot be read";
	if (!txs_profile_read(name, text[TXS_PROFILE_CONFIG],
						  text[TXS_PROFILE_CREDENTIALS], &profile, &error))
		return psprintf("line %d of the shared file %s: %s", error.line,
						error.file == TXS_PROFILE_CONFIG ? "config"
														 : "credentials",
						error.problem);
	for (i = 0; i < 2; i++)
	{
		if (text[i].data != NULL)
		{
			explicit_bzero((char *) text[i].data, text[i].length);
			pfree((char *) text[i].data);
		}
	}
	txs_profile_free(&server_identity.profile);
	server_identity.profile = profile;
	return NULL;
}

/* Read the environment, and the profile anew where it has changed. */
static const char *
read_identity(const TxsStorage *storage)
{
	TxsEnvironment *environment = &server_identity.environment;
	char path[2][MAXPGPATH];
	FileStamp now[2];
	const char *problem;
	const char *name;
	int i;

	txs_environment_read(environment, look_up, NULL);
	name = txs_environment_profile(environment, storage->profile_name);
	for (i = 0; i < 2; i++)
	{
		problem = txs_environment_path(environment, (TxsProfileFile) i,
									   path[i], MAXPGPATH);
		if (problem != NULL)
			return problem;
	}
	if (!has_changed(name, path, now))
		return NULL;
	problem = read_profile(name, path);
	if (problem != NULL)
		return problem;
	memcpy(stamps, now, sizeof(stamps));
	replace_text(&profile_name, name);
	for (i = 0; i < 2; i++)
		replace_text(&paths[i], path[i]);
	return NULL;
}

/* ---------------------------------------------------- keys with an end */

static uint64
add_text(uint64 hash, const char *text)
{
	if (text == NULL)
		return hash_combine64(hash, 1);
	return hash_combine64(hash,
						  hash_bytes_extended((const unsigned char *) text,
											  (int) strlen(text), 2));
}

/* All that decides on whose keys a source hands out. */
static uint64
identity_of(const TxsSourceChoice *choice, const TxsConnection *connection)
{
	const TxsEnvironment *environment = &server_identity.environment;
	uint64 hash = (uint64) choice->source;

	hash = add_text(hash, choice->role_arn);
	hash = add_text(hash, choice->token_file);
	hash = add_text(hash, choice->session_name);
	hash = add_text(hash, environment->container_relative_uri);
	hash = add_text(hash, environment->container_full_uri);
	hash = add_text(hash, environment->metadata_endpoint);
	hash = add_text(hash, server_identity.profile.metadata_endpoint);
	if (choice->source == TXS_SOURCE_WEB_IDENTITY)
		hash = add_text(hash, connection->endpoint.region);
	return hash == 0 ? 1 : hash;
}

/* Fetch keys; where that fails, old ones may serve on. */
static bool
fetch(const TxsSourceChoice *choice, const TxsConnection *connection,
	  uint64 identity, TxsKeys *keys, Trouble *trouble)
{
	TxsFetchError error;

	if (txs_fetch_keys(&server_identity, choice, connection, keys, &error) ==
		TXS_FETCH_DONE)
	{
		if (txs_shared_keys_put(identity, keys,
								choice->source == TXS_SOURCE_IMDS,
								(int64) time(NULL)))
			return true;
		error.problem = "the keys have expired already";
		error.code[0] = '\0';
	}
	if (!txs_shared_keys_fail(identity, (int64) time(NULL), keys))
		return fail(trouble, choice->source, error.problem, error.code);
	ereport(LOG,
			errmsg("could not renew the credentials for server \"%s\"; "
				   "the old ones serve on",
				   connection->storage->name),
			errdetail("Source %s: %s.", txs_source_name(choice->source),
					  error.problem));
	return true;
}

/* Keys that a service hands out: those of all sessions, or new ones. */
static bool
get_keys(const TxsSourceChoice *choice, const TxsConnection *connection,
		 const char *refused, TxsKeys *keys, Trouble *trouble)
{
	uint64 identity = identity_of(choice, connection);

	for (;;)
	{
		switch (
			txs_shared_keys_get(identity, refused, (int64) time(NULL), keys))
		{
			case TXS_KEYS_GOOD:
				return true;
			case TXS_KEYS_FETCH:
			case TXS_KEYS_RENEW:
				return fetch(choice, connection, identity, keys, trouble);
			case TXS_KEYS_WAIT:
				txs_http_pause(LOOK_INTERVAL);
		}
	}
}

static void
wipe_keys(void *keys)
{
	txs_keys_wipe(keys);
}

/* Keys in the current context, which are wiped when that goes. */
static TxsKeys *
make_keys(void)
{
	TxsKeys *keys = palloc0(sizeof(TxsKeys));
	MemoryContextCallback *callback = palloc(sizeof(MemoryContextCallback));

	callback->func = wipe_keys;
	callback->arg = keys;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
	return keys;
}

/* --------------------------------------------------------------- choice */

static bool
choose(const TxsConnection *connection, TxsSourceChoice *choice,
	   Trouble *trouble)
{
	const TxsStorage *storage = connection->storage;
	TxsMapping mapping = {.credentials_required = true};
	TxsSourceInput input = {
		.has_url = storage->endpoint != NULL,
		.profile_option = storage->profile_name,
		.environment = &server_identity.environment,
		.profile = &server_identity.profile,
	};
	const char *problem;

	/* Who has a mapping without keys means it, be the endpoint what it may. */
	if (read_mapping(storage, &mapping))
		input.has_url = false;
	input.mapping.access_key_id = mapping.access_key_id;
	input.mapping.secret_access_key = mapping.secret_access_key;
	input.mapping.session_token = mapping.session_token;
	input.may_be_server = !mapping.credentials_required;
	if (txs_source_needs_server(&input))
	{
		problem = read_identity(storage);
		if (problem != NULL)
			return fail(trouble, TXS_SOURCE_PROFILE, problem, NULL);
	}
	txs_source_choose(&input, choice);
	if (choice->source == TXS_SOURCE_NONE)
		return fail(trouble,
					input.may_be_server ? TXS_SOURCE_ENVIRONMENT
										: TXS_SOURCE_MAPPING,
					choice->problem, NULL);
	return true;
}

static bool
hands_out_keys(TxsSource source)
{
	return source == TXS_SOURCE_CONTAINER ||
		   source == TXS_SOURCE_WEB_IDENTITY || source == TXS_SOURCE_IMDS;
}

/*
 * Set credentials, in memory that lives as long as the connection; texts of a
 * choice may be the session's, and change.
 */
static bool
set_credentials(const TxsConnection *connection, const TxsSourceChoice *choice,
				const char *refused, Trouble *trouble)
{
	MemoryContext caller = MemoryContextSwitchTo(
		GetMemoryChunkContext((void *) connection->credentials));
	TxsKeys *keys = make_keys();
	const char *problem;
	bool is_set;

	if (hands_out_keys(choice->source))
		is_set = get_keys(choice, connection, refused, keys, trouble);
	else
	{
		problem = txs_keys_set(keys, &choice->credentials);
		is_set =
			problem == NULL || fail(trouble, choice->source, problem, NULL);
	}
	if (is_set)
		*connection->credentials = txs_keys_view(keys);
	MemoryContextSwitchTo(caller);
	return is_set;
}

void
txs_credentials_find(TxsConnection *connection)
{
	TxsSourceChoice choice;
	Trouble trouble;

	connection->credentials = palloc0(sizeof(TxsCredentials));
	if (!choose(connection, &choice, &trouble) ||
		!set_credentials(connection, &choice, NULL, &trouble))
		report(connection, &trouble);
	connection->source = choice.source;
}

bool
txs_credentials_renew(const TxsConnection *connection)
{
	char *refused;
	TxsSourceChoice choice;
	Trouble trouble;

	if (connection->source <= TXS_SOURCE_DUMMY)
		return false;
	refused = pstrdup(connection->credentials->access_key_id);
	if (!choose(connection, &choice, &trouble) ||
		!set_credentials(connection, &choice, refused, &trouble))
		return false;
	return hands_out_keys(choice.source) ||
		   strcmp(refused, connection->credentials->access_key_id) != 0;
}
