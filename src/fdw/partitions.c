/*
 * Actors from rows: a key row and the state rows of its partition, which come
 * together.
 *
 * A scan is no snapshot where the provider knows none: a store() may come
 * between the reading of a key row and of its states.  The committed version
 * that the key row names is then gone, or with it every sign of the partition
 * but the key row; load() tells what is there.  A state row below the
 * committed one is not of interest, nor are rows without a key row: a silo
 * takes such a partition for one that has never been stored.
 */
#include "fdw/fdw.h"

#include "orleans/participant.h"
#include "utils/memutils.h"

struct TxsActors
{
	const TxsForeignTable *table;
	void *scan;
	bool with_states;
	bool keep_versions;
	bool is_garbage; /* what follows in the partition is not pending */
	bool is_ahead;	 /* item has not been looked at */
	TxsItem item;
	MemoryContext memory; /* of the actor that was handed out last */
	TxsKeyRow key;
	TxsStateRow state;
	int room; /* for versions, in the actor's memory */
	TxsStateRow *versions;
};

TxsActors *
txs_actors_begin(const TxsForeignTable *table, void *scan, bool keep_versions)
{
	TxsActors *actors = palloc0(sizeof(TxsActors));

	actors->table = table;
	actors->scan = scan;
	actors->keep_versions = keep_versions;
	actors->memory =
		AllocSetContextCreate(CurrentMemoryContext, "txstore actor",
							  ALLOCSET_DEFAULT_SIZES);
	return actors;
}

void
txs_actors_restart(TxsActors *actors, const TxsScanRequest *request)
{
	actors->with_states = (request->kinds & TXS_STATE_ROWS) != 0;
	actors->is_ahead = false;
}

static bool
look_ahead(TxsActors *actors)
{
	if (!actors->is_ahead)
		actors->is_ahead =
			actors->table->storage->provider->next_row(actors->scan,
													   &actors->item);
	return actors->is_ahead;
}

static TxsSlice
copy(TxsSlice slice)
{
	if (slice.data != NULL)
		slice.data =
			memcpy(palloc(slice.length + 1), slice.data, slice.length);
	return slice;
}

static void
copy_key(TxsActors *actors, const TxsKeyRow *key)
{
	actors->key = *key;
	actors->key.metadata = copy(key->metadata);
	actors->key.extra.data = NULL;
}

/* A state row that stays until the next actor. */
static TxsStateRow
copy_state(const TxsStateRow *state)
{
	TxsStateRow result = *state;

	result.transaction_id = copy(state->transaction_id);
	result.timestamp = copy(state->timestamp);
	result.state = copy(state->state);
	result.manager = copy(state->manager);
	result.extra.data = NULL;
	return result;
}

static void
keep_version(TxsActors *actors, const TxsStateRow *state, TxsTableRow *row)
{
	if (row->nversions == actors->room)
	{
		actors->room = Max(4, actors->room * 2);
		actors->versions =
			actors->versions == NULL
				? palloc(actors->room * sizeof(TxsStateRow))
				: repalloc(actors->versions,
						   actors->room * sizeof(TxsStateRow));
		row->versions = actors->versions;
	}
	actors->versions[row->nversions++] = copy_state(state);
}

/* Does a pending row wait for a decision that somebody else takes? */
static bool
is_in_doubt(const TxsStateRow *state)
{
	char *grain;
	bool result;

	if (state->manager.data == NULL)
		return false;
	grain = palloc(state->manager.length + 1);
	result = txs_participant_grain(state->manager, grain) > 0;
	pfree(grain);
	return result;
}

/*
 * Take up a state row of the actor.  Pending are the rows above the committed
 * one, up to the first without a transaction manager, as in load().
 */
static void
add_state(TxsActors *actors, const TxsStateRow *state, TxsTableRow *row)
{
	int64 committed = actors->key.committed;

	if (state->sequence > committed)
	{
		actors->is_garbage |= state->manager.length == 0;
		if (actors->is_garbage)
			return;
		row->pending++;
		row->in_doubt |= is_in_doubt(state);
		if (actors->keep_versions)
			keep_version(actors, state, row);
	}
	else if (state->sequence == committed && committed > 0)
	{
		actors->state = copy_state(state);
		row->state = &actors->state;
	}
}

/* Forget what is known of an actor beside its partition. */
static void
clear(TxsActors *actors, TxsTableRow *row)
{
	actors->is_garbage = false;
	row->key = NULL;
	row->state = NULL;
	row->pending = 0;
	row->in_doubt = false;
	row->nversions = 0;
	row->versions = NULL;
	actors->room = 0;
	actors->versions = NULL;
}

/* Is the version there that the key row says is committed? */
static bool
is_whole(const TxsActors *actors, const TxsTableRow *row)
{
	return !actors->with_states || actors->key.committed == 0 ||
		   row->state != NULL;
}

/* The actor as load() has it; false where it is gone. */
static bool
load_actor(TxsActors *actors, TxsTableRow *row)
{
	const TxsStorage *storage = actors->table->storage;
	TxsRead read;
	int i;

	storage->provider->load(storage, row->partition, &read);
	clear(actors, row);
	if (!read.snapshot.has_key)
		return false;
	actors->key = read.snapshot.key;
	row->key = &actors->key;
	for (i = 0; i < read.snapshot.nrows; i++)
		add_state(actors, &read.snapshot.rows[i], row);
	if (!is_whole(actors, row))
		ereport(ERROR, errcode(ERRCODE_DATA_CORRUPTED),
				errmsg("partition \"%.*s\" of storage \"%s\" contradicts "
					   "itself",
					   (int) row->partition.length, row->partition.data,
					   storage->name),
				errdetail("The state row of sequence " INT64_FORMAT
						  " is the committed version, but does not exist.",
						  actors->key.committed));
	return true;
}

static bool
is_same(TxsSlice a, TxsSlice b)
{
	return a.length == b.length && memcmp(a.data, b.data, a.length) == 0;
}

/*
 * Gather one partition, whose first row is ahead; false where it is no actor.
 */
static bool
gather(TxsActors *actors, TxsTableRow *row)
{
	clear(actors, row);
	row->partition = copy(actors->item.partition);
	while (look_ahead(actors) &&
		   is_same(actors->item.partition, row->partition))
	{
		if (actors->item.is_key)
		{
			copy_key(actors, &actors->item.key);
			row->key = &actors->key;
		}
		else if (row->key != NULL)
			add_state(actors, &actors->item.state, row);
		actors->is_ahead = false;
	}
	if (row->key == NULL)
		return false;
	return is_whole(actors, row) || load_actor(actors, row);
}

bool
txs_actors_next(TxsActors *actors, TxsTableRow *row)
{
	MemoryContext caller = MemoryContextSwitchTo(actors->memory);
	bool found = false;

	do
		MemoryContextReset(actors->memory);
	while (look_ahead(actors) && !(found = gather(actors, row)));
	MemoryContextSwitchTo(caller);
	return found;
}
