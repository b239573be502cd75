/*
 * store(): from a handle and arguments to a plan, from a plan to rows.
 *
 * All that can be known without asking the storage is checked over the whole
 * plan before anything is written, and leaves the handle usable.  From the
 * first write on a failure demands load(), as in Orleans.
 */
#include "compat.h"

#include <ctype.h>

#include "access/xact.h"
#include "mb/pg_wchar.h"

#include "store/store.h"

static bool
is_blank(const char *text)
{
	while (text != NULL && isspace((unsigned char) *text))
		text++;
	return text == NULL || *text == '\0';
}

/* ETag as it is shown, palloc'd; "" where there is none. */
static const char *
etag_text(int64 etag)
{
	return etag == TXS_NO_ETAG ? "" : psprintf(INT64_FORMAT, etag);
}

/* The handle that a store needs. */
static TxsHandle *
require_handle(const TxsStoreCall *call)
{
	TxsHandle *handle = txs_handle_find(call->storage, call->partition);

	if (handle == NULL || handle->must_load)
		ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				errmsg("partition \"%.*s\" of storage \"%s\" must be loaded "
					   "before this store",
					   (int) call->partition.length, call->partition.data,
					   call->storage->name),
				handle == NULL
					? errdetail("This session has not loaded it, or has "
								"forgotten it.")
					: errdetail("A store that failed, a deletion or a "
								"rollback has undone what this session knew "
								"of it."),
				errhint("Call load(), then decide anew."));
	return handle;
}

/* As much of an ETag argument as a message should show; no ETag is longer. */
static int
shown_length(const char *etag)
{
	int length = (int) Min(strlen(etag), 1000);

	return pg_mbcliplen(etag, length, TXS_NUMBER_MAX_LENGTH);
}

/* Null, empty and blank all mean a fresh partition. */
static void
check_etag(const TxsStoreCall *call, const TxsHandle *handle)
{
	const char *known = etag_text(handle->base.key.etag);
	const char *expected =
		call->expected_etag == NULL ? "" : call->expected_etag;

	if (is_blank(expected) ? known[0] == '\0' : strcmp(expected, known) == 0)
		return;
	ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			errmsg("expected ETag does not match the one that was loaded"),
			errdetail(
				"Partition \"%.*s\" of storage \"%s\": expected \"%.*s\", "
				"loaded \"%s\".",
				(int) call->partition.length, call->partition.data,
				call->storage->name, shown_length(expected), expected, known),
			errhint("Pass the ETag that load() or the last store() "
					"returned."));
}

/* Report a plan that cannot be made. */
static void
report_plan(const TxsStoreCall *call, const TxsPlan *plan)
{
	int invalid = ERRCODE_INVALID_PARAMETER_VALUE;
	int limit = ERRCODE_PROGRAM_LIMIT_EXCEEDED;

	switch (plan->error)
	{
		case TXS_PLAN_OK:
			break;
		case TXS_PLAN_NEGATIVE_SEQUENCE:
			ereport(ERROR, errcode(invalid),
					errmsg("sequence id must not be negative: " INT64_FORMAT,
						   plan->sequence));
			break;
		case TXS_PLAN_DUPLICATE_SEQUENCE:
			ereport(ERROR, errcode(invalid),
					errmsg("sequence id " INT64_FORMAT
						   " is prepared more than once",
						   plan->sequence));
			break;
		case TXS_PLAN_NO_ROW_TO_COMMIT:
			ereport(ERROR, errcode(invalid),
					errmsg("cannot commit up to " INT64_FORMAT
						   ": there is no such version",
						   plan->sequence),
					errdetail("It is neither stored nor prepared in this "
							  "call, or this call aborts it."));
			break;
		case TXS_PLAN_ABORTS_COMMITTED:
			ereport(ERROR, errcode(invalid),
					errmsg("cannot abort after " INT64_FORMAT
						   ": a later version is committed",
						   plan->sequence));
			break;
		case TXS_PLAN_ROW_WITHOUT_ETAG:
			ereport(ERROR, errcode(ERRCODE_DATA_CORRUPTED),
					errmsg("cannot change version " INT64_FORMAT
						   " of partition \"%.*s\" of storage \"%s\": its "
						   "row has no ETag",
						   plan->sequence, (int) call->partition.length,
						   call->partition.data, call->storage->name));
			break;
		case TXS_PLAN_STATE_TOO_LARGE:
			ereport(ERROR, errcode(limit),
					errmsg("version " INT64_FORMAT " is too large",
						   plan->sequence),
					errdetail("Its item would have %zu bytes; the limit is "
							  "%d.",
							  plan->size, TXS_MAX_ITEM_SIZE));
			break;
		case TXS_PLAN_METADATA_TOO_LARGE:
			ereport(ERROR, errcode(limit), errmsg("metadata is too large"),
					errdetail("The item of the key row would have %zu bytes; "
							  "the limit is %d.",
							  plan->size, TXS_MAX_ITEM_SIZE));
			break;
		case TXS_PLAN_ETAG_EXHAUSTED:
			ereport(ERROR, errcode(limit),
					errmsg("an ETag would exceed the largest bigint"));
			break;
	}
}

static TxsPlan *
make_plan(const TxsStoreCall *call, TxsHandle *handle)
{
	TxsPlan *plan;
	TxsPlanBase base;

	check_etag(call, handle);

	/*
	 * A trigger may load something while the plan is applied, and so drop the
	 * handle: keep what the plan refers to.
	 */
	base = handle->base;
	if (base.key.metadata.length > 0)
	{
		char *copy = palloc(base.key.metadata.length);

		memcpy(copy, base.key.metadata.data, base.key.metadata.length);
		base.key.metadata.data = copy;
	}
	plan = txs_plan_store(&base, &call->request);
	report_plan(call, plan);
	return plan;
}

TxsPlan *
txs_store_plan(const TxsStoreCall *call)
{
	return make_plan(call, require_handle(call));
}

/* Where a write met another writer, in the words of the storage. */
static char *
conflict_detail(const TxsWrite *write)
{
	char row[TXS_STATE_ROW_KEY_LENGTH + 1] = TXS_KEY_ROW_KEY;
	char *expected;

	if (write->conflict_detail != NULL)
		return pstrdup(write->conflict_detail);
	if (write->conflict_sequence != TXS_CONFLICT_KEY)
	{
		txs_row_key_write(write->conflict_sequence, row);
		row[TXS_STATE_ROW_KEY_LENGTH] = '\0';
	}
	if (write->conflict_etag == TXS_NO_ETAG)
		expected = pstrdup("is already there");
	else
		expected =
			psprintf("no longer has ETag " INT64_FORMAT, write->conflict_etag);
	return psprintf("Batch %d of %d: row \"%s\" %s.",
					write->conflict_batch + 1, write->nbatches, row, expected);
}

static void
report_conflict(const TxsStorage *storage, TxsSlice partition, char *detail)
{
	ereport(ERROR, errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			errmsg("another writer has changed partition \"%.*s\" of storage "
				   "\"%s\"",
				   (int) partition.length, partition.data, storage->name),
			detail != NULL ? errdetail("%s", detail) : 0,
			errhint("Call load() and decide anew.  Under REPEATABLE READ or "
					"SERIALIZABLE, retry the whole transaction."));
}

/* Leave a handle that knows the partition as it is after the plan. */
static void
remember(const TxsStoreCall *call, const TxsPlan *plan, const TxsWrite *write)
{
	TxsPlanBase base = {
		.partition_length = call->partition.length,
		.key = plan->batches[plan->nbatches - 1].key,
		.nrows = plan->nrows,
		.rows = plan->rows,
	};

	txs_handle_set(call->storage, call->partition, &base,
				   write->new_incarnation, write->own_xid);
}

/*
 * Apply a write; false on a conflict.  After an error that proves that nothing
 * was or will be written, the handle is as good as before.
 */
static bool
apply(const TxsStoreCall *call, TxsWrite *write)
{
	volatile bool applied = false;

	PG_TRY();
	{
		applied = call->storage->provider->apply(call->storage, write);
	}
	PG_CATCH();
	{
		TxsHandle *handle = txs_handle_find(call->storage, call->partition);

		if (write->untouched && handle != NULL)
			handle->must_load = false;
		PG_RE_THROW();
	}
	PG_END_TRY();
	return applied;
}

int64
txs_store(const TxsStoreCall *call)
{
	TxsHandle *handle = require_handle(call);
	TxsPlan *plan = make_plan(call, handle);
	TxsWrite write = {
		.partition = call->partition,
		.incarnation = handle->incarnation,
		.operations = plan->operations,
		.nbatches = plan->nbatches,
		.batches = plan->batches,
	};

	handle->must_load = true;
	if (!apply(call, &write))
		report_conflict(call->storage, call->partition,
						conflict_detail(&write));

	/* A trigger may have loaded the partition since, and stored again. */
	handle = txs_handle_find(call->storage, call->partition);
	if (handle == NULL || handle->must_load)
		remember(call, plan, &write);
	return plan->batches[plan->nbatches - 1].key.etag;
}

/* Read an ETag that the caller got from load(). */
static int64
parse_etag(const char *text)
{
	TxsSlice slice = {text, text == NULL ? 0 : strlen(text)};
	int64_t etag;

	if (is_blank(text))
		return TXS_NO_ETAG;
	if (!txs_number_to_int64(slice, &etag) || etag < 0)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("invalid ETag: \"%.*s\"", shown_length(text), text),
				errhint("Pass the ETag that load() or the last store() "
						"returned."));
	return etag;
}

bool
txs_store_delete(const TxsStorage *storage, TxsSlice partition,
				 const char *expected_etag)
{
	int64 etag = parse_etag(expected_etag);
	TxsHandle *handle = txs_handle_find(storage, partition);
	TransactionId own_xid = InvalidTransactionId;
	int64 incarnation = 0;
	bool found;

	if (handle != NULL)
		own_xid = handle->own_xid;
	if (handle != NULL && !handle->must_load && handle->base.key.etag == etag)
		incarnation = handle->incarnation;
	if (handle != NULL)
		handle->must_load = true;
	if (!storage->provider->delete_partition(storage, partition, etag,
											 incarnation, &found))
		report_conflict(storage, partition, NULL);

	/* A load() that finds nothing must know that a rollback undoes that. */
	if (found)
		own_xid = GetCurrentTransactionIdIfAny();
	txs_handle_set(storage, partition, NULL, 0, own_xid);
	return found;
}
