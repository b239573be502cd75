/*
 * load(): one partition, whole and free of contradiction, or an error.
 *
 * See spec transactional-storage 1.3 for what makes up the answer, and the
 * design's "Stricter than Orleans" for what is refused.
 */
#include "compat.h"

#include "access/transam.h"
#include "utils/memutils.h"

#include "store/store.h"

/* Report a partition that contradicts itself. */
static void
report_corruption(const TxsStorage *storage, TxsSlice partition,
				  int64 sequence, const char *problem)
{
	char row[TXS_STATE_ROW_KEY_LENGTH + 1] = TXS_KEY_ROW_KEY;

	if (sequence >= 0)
	{
		txs_row_key_write(sequence, row);
		row[TXS_STATE_ROW_KEY_LENGTH] = '\0';
	}
	ereport(ERROR, errcode(ERRCODE_DATA_CORRUPTED),
			errmsg("partition \"%.*s\" of storage \"%s\" contradicts itself",
				   (int) partition.length, partition.data, storage->name),
			errdetail("Row \"%s\" %s.", row, problem),
			errhint("Look at its rows with export_items()."));
}

static void
check_key(const TxsStorage *storage, TxsSlice partition,
		  const TxsSnapshot *snapshot)
{
	if (snapshot->has_key && snapshot->key.etag == TXS_NO_ETAG)
		report_corruption(storage, partition, -1, "has no ETag");
	if (snapshot->key.etag < TXS_NO_ETAG)
		report_corruption(storage, partition, -1, "has a negative ETag");
	if (snapshot->key.committed < 0)
		report_corruption(storage, partition, -1,
						  "has a negative CommittedSequenceId");
}

static void
check_states(const TxsStorage *storage, TxsSlice partition,
			 const TxsSnapshot *snapshot)
{
	int i;

	for (i = 0; i < snapshot->nrows; i++)
	{
		const TxsStateRow *row = &snapshot->rows[i];

		if (row->sequence < 0)
			report_corruption(storage, partition, -1,
							  "is beside a state row with a negative "
							  "sequence id");
		if (row->etag < TXS_NO_ETAG)
			report_corruption(storage, partition, row->sequence,
							  "has a negative ETag");
		if (row->extra_foreign)
			report_corruption(storage, partition, row->sequence,
							  "has an attribute of a type other than S, N "
							  "and B, which no silo loads");
	}
}

/* The row of the committed version; NULL before the first commit. */
static const TxsStateRow *
find_committed(const TxsStorage *storage, TxsSlice partition,
			   const TxsSnapshot *snapshot)
{
	int64 committed = snapshot->key.committed;
	int i;

	/* A row with sequence 0 is not a committed version. */
	if (committed == 0)
		return NULL;
	for (i = 0; i < snapshot->nrows; i++)
	{
		if (snapshot->rows[i].sequence == committed)
			return &snapshot->rows[i];
	}
	report_corruption(storage, partition, committed,
					  "is the committed version, but does not exist");
	return NULL;
}

/*
 * Pending are the rows above the committed one, up to the first that names no
 * transaction manager: nobody could decide it, nor what follows.
 */
static void
find_pending(const TxsSnapshot *snapshot, TxsLoaded *loaded)
{
	int first = 0;
	int end;

	while (first < snapshot->nrows &&
		   snapshot->rows[first].sequence <= snapshot->key.committed)
		first++;
	for (end = first; end < snapshot->nrows; end++)
	{
		if (snapshot->rows[end].manager.length == 0)
			break;
	}
	loaded->pending = snapshot->rows + first;
	loaded->npending = end - first;
}

static Size
row_bytes(const TxsStateRow *row)
{
	return row->state.length + row->manager.length +
		   row->transaction_id.length + row->timestamp.length + 128;
}

static void
check_answer_size(const TxsStorage *storage, TxsSlice partition,
				  const TxsLoaded *loaded)
{
	Size size = 0;
	int i;

	for (i = 0; i < loaded->npending; i++)
		size += row_bytes(&loaded->pending[i]);
	if (size < MaxAllocSize)
		return;
	ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			errmsg("pending versions of partition \"%.*s\" of storage \"%s\" "
				   "are too large for one answer",
				   (int) partition.length, partition.data, storage->name),
			errdetail("They have %zu bytes; an answer has room for %zu.", size,
					  (Size) MaxAllocSize),
			errhint("Read them one at a time with export_items()."));
}

/* Leave a handle that knows what was read. */
static void
remember(const TxsStorage *storage, TxsSlice partition, const TxsRead *read)
{
	const TxsSnapshot *snapshot = &read->snapshot;
	TxsRowRef *rows =
		palloc_extended(sizeof(TxsRowRef) * ((Size) snapshot->nrows + 1),
						MCXT_ALLOC_HUGE);
	TxsPlanBase base = {
		.partition_length = partition.length,
		.key = snapshot->key,
		.nrows = snapshot->nrows,
		.rows = rows,
	};
	int i;

	for (i = 0; i < snapshot->nrows; i++)
	{
		const TxsStateRow *row = &snapshot->rows[i];

		rows[i].sequence = row->sequence;
		rows[i].etag = row->etag;
		rows[i].size = txs_size_of_state(partition.length, row).orleans;
	}
	txs_handle_set(storage, partition, &base, snapshot->incarnation,
				   read->own_xid);
	pfree(rows);
}

void
txs_load(const TxsStorage *storage, TxsSlice partition, TxsLoaded *loaded)
{
	TxsRead read;

	storage->provider->load(storage, partition, &read);
	check_key(storage, partition, &read.snapshot);
	check_states(storage, partition, &read.snapshot);

	memset(loaded, 0, sizeof(*loaded));
	loaded->key = memcpy(palloc(sizeof(TxsKeyRow)), &read.snapshot.key,
						 sizeof(TxsKeyRow));
	if (read.snapshot.has_key)
	{
		loaded->committed = find_committed(storage, partition, &read.snapshot);
		find_pending(&read.snapshot, loaded);
		check_answer_size(storage, partition, loaded);
	}
	remember(storage, partition, &read);
}
