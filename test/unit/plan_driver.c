/*
 * Plans the stores that it reads and prints the plans, for
 * test/model/compare_plans.py.
 *
 * A case on standard input is lines of a word and whole numbers.  Byte
 * strings and texts are given as their length, since a planner never looks
 * at them; -1 stands for an absent one.
 *
 *	partition LENGTH
 *	key ETAG HAS_COMMITTED COMMITTED HAS_TIMESTAMP TIMESTAMP METADATA EXTRA
 *	row SEQUENCE ETAG SIZE			(any number, ascending)
 *	prepare SEQUENCE ID TIMESTAMP MANAGER STATE		(any number)
 *	commit SEQUENCE					(perhaps)
 *	abort SEQUENCE					(perhaps)
 *	store METADATA NOW				(ends the case)
 *
 * A plan on standard output: each batch is its operations and then its key
 * row; then come the rows that there are at last.  "m" and "M" before the
 * length of a metadata say whether it is the old or the new one.
 *
 *	put SEQUENCE EXPECTED_ETAG NEW_ETAG SIZE PREPARE
 *	delete SEQUENCE EXPECTED_ETAG SIZE
 *	key EXPECTED_ETAG ETAG COMMITTED TIMESTAMP METADATA EXTRA SIZE
 *	row SEQUENCE ETAG SIZE
 *	end
 *
 * Or "error NAME SEQUENCE SIZE" and "end".
 */
#include "palloc.h"

#include "palloc_reset.h"
#include "store/planner.h"

#define MAX_NUMBERS 8 /* on a line */

static const char old_bytes[] = "old";
static const char new_bytes[] = "new";

static const char *const error_names[] = {
	[TXS_PLAN_NEGATIVE_SEQUENCE] = "NEGATIVE_SEQUENCE",
	[TXS_PLAN_DUPLICATE_SEQUENCE] = "DUPLICATE_SEQUENCE",
	[TXS_PLAN_NO_ROW_TO_COMMIT] = "NO_ROW_TO_COMMIT",
	[TXS_PLAN_ABORTS_COMMITTED] = "ABORTS_COMMITTED",
	[TXS_PLAN_ROW_WITHOUT_ETAG] = "ROW_WITHOUT_ETAG",
	[TXS_PLAN_STATE_TOO_LARGE] = "STATE_TOO_LARGE",
	[TXS_PLAN_METADATA_TOO_LARGE] = "METADATA_TOO_LARGE",
	[TXS_PLAN_ETAG_EXHAUSTED] = "ETAG_EXHAUSTED",
};

/* One case.  The arrays are exactly as long as their content. */
typedef struct Case
{
	TxsPlanBase base;
	TxsStoreRequest request;
	TxsRowRef *rows;
	TxsStateRow *prepares;
} Case;

static void
fail(const char *line)
{
	fprintf(stderr, "plan_driver: cannot read line: %s\n", line);
	exit(2);
}

/* Read a line's numbers, exactly count of them. */
static void
read_numbers(const char *line, int count, int64_t *numbers)
{
	const char *at = line + strcspn(line, " \n");

	for (int i = 0; i < count; i++)
	{
		char *end;

		errno = 0;
		numbers[i] = strtoll(at, &end, 10);
		if (end == at || errno != 0)
			fail(line);
		at = end;
	}
	if (at[strspn(at, " \n")] != '\0')
		fail(line);
}

static TxsSlice
make_slice(const char *bytes, int64_t length)
{
	TxsSlice absent = {NULL, 0};
	TxsSlice slice = {bytes, (size_t) length};

	return length < 0 ? absent : slice;
}

static void
read_key(const int64_t *numbers, TxsKeyRow *key)
{
	key->etag = numbers[0];
	key->has_committed = numbers[1] != 0;
	key->committed = numbers[2];
	key->has_timestamp = numbers[3] != 0;
	key->timestamp = numbers[4];
	key->metadata = make_slice(old_bytes, numbers[5]);
	key->extra = make_slice(old_bytes, numbers[6]);
}

static void
add_row(Case *one, const int64_t *numbers)
{
	TxsRowRef *row;

	one->rows = realloc(one->rows, (one->base.nrows + 1) * sizeof(*row));
	row = &one->rows[one->base.nrows++];
	row->sequence = numbers[0];
	row->etag = numbers[1];
	row->size = (size_t) numbers[2];
}

static void
add_prepare(Case *one, const int64_t *numbers)
{
	TxsStateRow *row;

	one->prepares =
		realloc(one->prepares, (one->request.nprepares + 1) * sizeof(*row));
	row = &one->prepares[one->request.nprepares++];
	memset(row, 0, sizeof(*row));
	row->sequence = numbers[0];
	row->etag = 77; /* a planner must not use it */
	row->transaction_id = make_slice(new_bytes, numbers[1]);
	row->timestamp = make_slice(new_bytes, numbers[2]);
	row->manager = make_slice(new_bytes, numbers[3]);
	row->state = make_slice(new_bytes, numbers[4]);
}

static void
print_operation(const TxsStoreRequest *request, const TxsOperation *operation)
{
	if (operation->is_delete)
		printf("delete %lld %lld %zu\n", (long long) operation->sequence,
			   (long long) operation->expected_etag, operation->size);
	else
		printf("put %lld %lld %lld %zu %d\n", (long long) operation->sequence,
			   (long long) operation->expected_etag,
			   (long long) operation->new_etag, operation->size,
			   (int) (operation->row - request->prepares));
}

static void
print_key(const TxsBatch *batch)
{
	const TxsKeyRow *key = &batch->key;
	bool is_new = key->metadata.data == new_bytes;

	printf("key %lld %lld ", (long long) batch->expected_key_etag,
		   (long long) key->etag);
	if (key->has_committed)
		printf("%lld ", (long long) key->committed);
	else
		printf("none ");
	if (key->has_timestamp)
		printf("%lld ", (long long) key->timestamp);
	else
		printf("none ");
	printf("%c%zu %zu %zu\n", is_new && key->metadata.length > 0 ? 'M' : 'm',
		   key->metadata.length, key->extra.length, batch->key_size);
}

static void
print_plan(const TxsStoreRequest *request, const TxsPlan *plan)
{
	int printed = 0;

	if (plan->error != TXS_PLAN_OK)
	{
		printf("error %s %lld %zu\nend\n", error_names[plan->error],
			   (long long) plan->sequence, plan->size);
		return;
	}
	for (int i = 0; i < plan->nbatches; i++)
	{
		const TxsBatch *batch = &plan->batches[i];

		if (batch->first != printed)
			printf("batch %d begins at operation %d\n", i, batch->first);
		for (int j = 0; j < batch->count; j++)
			print_operation(request, &plan->operations[batch->first + j]);
		print_key(batch);
		printed = batch->first + batch->count;
	}
	if (printed != plan->noperations)
		printf("%d operations are in no batch\n", plan->noperations - printed);
	for (int i = 0; i < plan->nrows; i++)
		printf("row %lld %lld %zu\n", (long long) plan->rows[i].sequence,
			   (long long) plan->rows[i].etag, plan->rows[i].size);
	printf("end\n");
}

static void
run(Case *one)
{
	one->base.rows = one->rows;
	one->request.prepares = one->prepares;
	print_plan(&one->request, txs_plan_store(&one->base, &one->request));
	txs_palloc_reset();
	free(one->rows);
	free(one->prepares);
	memset(one, 0, sizeof(*one));
}

static bool
begins(const char *line, const char *word)
{
	size_t length = strlen(word);

	return strncmp(line, word, length) == 0 && line[length] == ' ';
}

static void
read_line(Case *one, const char *line)
{
	int64_t numbers[MAX_NUMBERS];

	if (begins(line, "partition"))
	{
		read_numbers(line, 1, numbers);
		one->base.partition_length = (size_t) numbers[0];
	}
	else if (begins(line, "key"))
	{
		read_numbers(line, 7, numbers);
		read_key(numbers, &one->base.key);
	}
	else if (begins(line, "row"))
	{
		read_numbers(line, 3, numbers);
		add_row(one, numbers);
	}
	else if (begins(line, "prepare"))
	{
		read_numbers(line, 5, numbers);
		add_prepare(one, numbers);
	}
	else if (begins(line, "commit"))
	{
		read_numbers(line, 1, &one->request.commit_up_to);
		one->request.has_commit_up_to = true;
	}
	else if (begins(line, "abort"))
	{
		read_numbers(line, 1, &one->request.abort_after);
		one->request.has_abort_after = true;
	}
	else if (begins(line, "store"))
	{
		read_numbers(line, 2, numbers);
		one->request.metadata = make_slice(new_bytes, numbers[0]);
		one->request.now = numbers[1];
		run(one);
	}
	else
		fail(line);
}

int
main(void)
{
	char line[256];
	Case one = {0};

	while (fgets(line, sizeof(line), stdin) != NULL)
		read_line(&one, line);
	return 0;
}
