/*
 * The pending versions of an actor as jsonb; see fdw.h.
 */
#include "fdw/fdw.h"

#include "fdw/jsonb.h"
#include "orleans/participant.h"

static void *
grow_block(void *block, size_t size)
{
	return block == NULL ? palloc(size) : repalloc_huge(block, size);
}

static void
put_null(TxsWriter *writer)
{
	txs_writer_raw(writer, (TxsSlice){"null", 4});
}

static void
put_text(TxsWriter *writer, const char *name, TxsSlice text)
{
	txs_writer_name(writer, name);
	if (text.data == NULL)
		put_null(writer);
	else
		txs_writer_string(writer, text.data, text.length);
}

static void
put_grain(TxsWriter *writer, TxsSlice manager)
{
	TxsSlice grain = {NULL, 0};
	char *text = palloc(manager.length + 1);

	if (manager.data != NULL)
		grain.length = txs_participant_grain(manager, text);
	if (grain.length > 0)
		grain.data = text;
	put_text(writer, "manager_grain", grain);
}

/* Bytes that a jsonb cannot hold are null. */
static void
put_state(TxsWriter *writer, TxsSlice state)
{
	txs_writer_name(writer, "state");
	if (state.data == NULL || !txs_jsonb_is_valid(state))
		put_null(writer);
	else
		txs_writer_raw(writer, state);
}

static void
put_version(TxsWriter *writer, const TxsStateRow *version, bool with_state)
{
	char digits[TXS_NUMBER_MAX_LENGTH];
	TxsSlice sequence = {digits,
						 txs_number_from_int64(version->sequence, digits)};
	TxsSlice none = {NULL, 0};

	txs_writer_object(writer);
	txs_writer_name(writer, "sequence_id");
	txs_writer_raw(writer, sequence);
	put_text(writer, "transaction_id", version->transaction_id);
	put_text(writer, "transaction_timestamp", version->timestamp);
	put_grain(writer, version->manager);
	put_state(writer, with_state ? version->state : none);
	txs_writer_object_end(writer);
}

static bool
make(const TxsTableRow *row, bool with_states, Datum *result)
{
	TxsWriter writer;
	bool done;
	int i;

	txs_writer_open(&writer, grow_block);
	txs_writer_array(&writer);
	for (i = 0; i < row->nversions; i++)
		put_version(&writer, &row->versions[i], with_states);
	txs_writer_array_end(&writer);
	done = txs_jsonb_make((TxsSlice){writer.data, writer.length}, result);
	pfree(writer.data);
	return done;
}

Datum
txs_versions_make(const TxsTableRow *row)
{
	Datum result = (Datum) 0;

	/* A state may be as deep as a jsonb can be; here it is two levels more. */
	if (!make(row, true, &result) && !make(row, false, &result))
		elog(ERROR, "pending versions are no jsonb");
	return result;
}
