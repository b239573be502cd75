/*
 * Values of columns from the rows of a storage.
 *
 * What a row holds as text, number or bytes becomes the column's type directly
 * where that is usual, and by way of the type's input function otherwise.
 * Bytes that are no JSON are NULL in a jsonb column, so that one odd row never
 * stops a report; a value that does not fit its column otherwise is an error
 * which names the row, and shows nothing of the value.
 */
#include "fdw/fdw.h"

#include "common/int.h"

#include "catalog/pg_type.h"
#include "orleans/participant.h"
#include "orleans/partition_key.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "fdw/jsonb.h"

/* The value being made, for errors. */
typedef struct Value
{
	const TxsForeignTable *table;
	TxsTableColumn *column;
	const TxsTableRow *row;
	bool isnull;
} Value;

static const char *
row_key_of(const TxsTableRow *row)
{
	char *text;

	if (row->state == NULL)
		return TXS_KEY_ROW_KEY;
	text = palloc0(TXS_STATE_ROW_KEY_LENGTH + 1);
	txs_row_key_write(row->state->sequence, text);
	return text;
}

static void
refuse(const Value *value)
{
	ereport(ERROR, errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
			errmsg("value of column \"%s\" of foreign table \"%s\" does not "
				   "fit type %s",
				   value->column->name, value->table->name,
				   format_type_with_typemod(value->column->type,
											value->column->typmod)),
			errdetail("Partition \"%.*s\", row \"%s\".",
					  (int) value->row->partition.length,
					  value->row->partition.data, row_key_of(value->row)),
			errhint("Give the column another type, such as text."));
}

/*
 * After an error that a type has raised, whose message would show the value.
 * Others go on.
 */
static void
refuse_caught(const Value *value, MemoryContext caller)
{
	int category = ERRCODE_TO_CATEGORY(geterrcode());

	MemoryContextSwitchTo(caller);
	if (category != ERRCODE_TO_CATEGORY(ERRCODE_DATA_EXCEPTION) &&
		category != ERRCODE_INTEGRITY_CONSTRAINT_VIOLATION)
		PG_RE_THROW();
	FlushErrorState();
	refuse(value);
}

/* By the type's input function. */
static Datum
convert(const Value *value, char *text)
{
	TxsTableColumn *column = value->column;
	MemoryContext caller = CurrentMemoryContext;
	Datum result = (Datum) 0;

	PG_TRY();
	{
		result = InputFunctionCall(&column->input, text, column->input_param,
								   column->base_typmod);
	}
	PG_CATCH();
	{
		refuse_caught(value, caller);
	}
	PG_END_TRY();
	return result;
}

static void
check_domain(const Value *value, Datum result)
{
	TxsTableColumn *column = value->column;
	MemoryContext caller = CurrentMemoryContext;

	PG_TRY();
	{
		domain_check(result, value->isnull, column->type, &column->domain,
					 column->input.fn_mcxt);
	}
	PG_CATCH();
	{
		refuse_caught(value, caller);
	}
	PG_END_TRY();
}

static Datum
make_text(Value *value, TxsSlice text)
{
	if (text.data == NULL)
	{
		value->isnull = true;
		return (Datum) 0;
	}
	if (value->column->base == TEXTOID ||
		(value->column->base == VARCHAROID && value->column->base_typmod < 0))
		return PointerGetDatum(
			cstring_to_text_with_len(text.data, (int) text.length));
	return convert(value, pnstrdup(text.data, text.length));
}

static Datum
make_number(Value *value, bool present, int64 number)
{
	char digits[TXS_NUMBER_MAX_LENGTH];
	TxsSlice text = {digits, 0};

	if (!present)
	{
		value->isnull = true;
		return (Datum) 0;
	}
	if (value->column->base == INT8OID)
		return Int64GetDatum(number);
	text.length = txs_number_from_int64(number, digits);
	return make_text(value, text);
}

/* Seconds since 1970. */
static Datum
make_moment(Value *value, bool present, int64 seconds)
{
	int64 since_2000;
	TimestampTz time;

	if (!present || value->column->base != TIMESTAMPTZOID)
		return make_number(value, present, seconds);
	since_2000 = seconds - (int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) *
							   SECS_PER_DAY;
	if (pg_mul_s64_overflow(since_2000, USECS_PER_SEC, &time) ||
		!IS_VALID_TIMESTAMP(time))
		refuse(value);
	return TimestampTzGetDatum(time);
}

static Datum
make_bytes(Value *value, TxsSlice bytes)
{
	Datum result = (Datum) 0;

	value->isnull = bytes.data == NULL;
	if (value->isnull)
		return result;
	if (value->column->base == BYTEAOID)
		return PointerGetDatum(
			cstring_to_text_with_len(bytes.data, (int) bytes.length));
	if (value->column->base == JSONBOID)
		value->isnull = !txs_jsonb_make(bytes, &result);
	else if (value->column->base == JSONOID)
		value->isnull = !txs_jsonb_is_valid(bytes);
	else
		value->isnull = memchr(bytes.data, '\0', bytes.length) != NULL ||
						!txs_utf8_is_valid(bytes.data, bytes.length);
	if (value->isnull || result != (Datum) 0)
		return result;
	return PointerGetDatum(
		cstring_to_text_with_len(bytes.data, (int) bytes.length));
}

/* A part of the partition key. */
static Datum
make_part(Value *value, TxsField field)
{
	TxsPartitionParts parts;

	txs_partition_key_split(value->row->partition,
							value->table->storage->service_id, &parts);
	return make_text(value, field == TXS_FIELD_GRAIN_TYPE  ? parts.grain_type
							: field == TXS_FIELD_GRAIN_KEY ? parts.grain_key
														   : parts.state_name);
}

static Datum
make_manager_grain(Value *value, TxsSlice manager)
{
	TxsSlice text = {NULL, 0};
	char *grain;

	if (manager.data == NULL)
		return make_text(value, text);
	grain = palloc(manager.length + 1);
	text.length = txs_participant_grain(manager, grain);
	if (text.length > 0)
		text.data = grain;
	return make_text(value, text);
}

static Datum
make_commit_records(Value *value, TxsSlice metadata)
{
	int count =
		metadata.data == NULL ? 0 : txs_metadata_commit_records(metadata);

	return make_number(value, count >= 0, count);
}

/* An attribute that Orleans does not know, of a row's extra. */
static Datum
make_extra(Value *value)
{
	TxsSlice extra = value->row->state != NULL ? value->row->state->extra
											   : value->row->key->extra;
	Datum result = (Datum) 0;
	TxsSlice text;

	if (value->column->base == JSONBOID)
	{
		value->isnull =
			!txs_jsonb_make_attribute(extra, value->column->attribute,
									  &result);
		return result;
	}
	if (!txs_jsonb_attribute_text(extra, value->column->attribute, &text))
		text.data = NULL;
	return make_text(value, text);
}

/* The ETag: of the state row in a table of states, else of the key row. */
static Datum
make_etag(Value *value)
{
	int64 etag = value->table->kind == TXS_STATES_TABLE
					 ? value->row->state->etag
					 : value->row->key->etag;

	return make_number(value, etag != TXS_NO_ETAG, etag);
}

static Datum
make_row_key(Value *value)
{
	char text[TXS_STATE_ROW_KEY_LENGTH];
	TxsSlice key = {TXS_KEY_ROW_KEY, strlen(TXS_KEY_ROW_KEY)};

	if (value->row->state != NULL)
	{
		txs_row_key_write(value->row->state->sequence, text);
		key = (TxsSlice){text, sizeof(text)};
	}
	return make_text(value, key);
}

static Datum
make_of_state(Value *value, TxsField field)
{
	static const TxsStateRow none = {.etag = TXS_NO_ETAG};
	const TxsStateRow *state =
		value->row->state != NULL ? value->row->state : &none;

	switch (field)
	{
		case TXS_FIELD_SEQUENCE_ID:
			return make_number(value, true, state->sequence);
		case TXS_FIELD_STATE:
			return make_bytes(value, state->state);
		case TXS_FIELD_TRANSACTION_ID:
			return make_text(value, state->transaction_id);
		case TXS_FIELD_TRANSACTION_TIME:
			return make_text(value, state->timestamp);
		case TXS_FIELD_MANAGER:
			return make_bytes(value, state->manager);
		default:
			return make_manager_grain(value, state->manager);
	}
}

static Datum
make_of_key(Value *value, TxsField field)
{
	const TxsKeyRow *key = value->row->key;

	switch (field)
	{
		case TXS_FIELD_COMMITTED:
			return make_number(value, key->has_committed, key->committed);
		case TXS_FIELD_WRITTEN_AT:
			return make_moment(value, key->has_timestamp, key->timestamp);
		case TXS_FIELD_METADATA:
			return make_bytes(value, key->metadata);
		default:
			return make_commit_records(value, key->metadata);
	}
}

static Datum
make(Value *value, TxsField field)
{
	switch (field)
	{
		case TXS_FIELD_PARTITION_KEY:
			return make_text(value, value->row->partition);
		case TXS_FIELD_GRAIN_TYPE:
		case TXS_FIELD_GRAIN_KEY:
		case TXS_FIELD_STATE_NAME:
			return make_part(value, field);
		case TXS_FIELD_ROW_KEY:
			return make_row_key(value);
		case TXS_FIELD_ETAG:
			return make_etag(value);
		case TXS_FIELD_COMMITTED:
		case TXS_FIELD_WRITTEN_AT:
		case TXS_FIELD_METADATA:
		case TXS_FIELD_COMMIT_RECORDS:
			return make_of_key(value, field);
		case TXS_FIELD_SEQUENCE_ID:
		case TXS_FIELD_STATE:
		case TXS_FIELD_TRANSACTION_ID:
		case TXS_FIELD_TRANSACTION_TIME:
		case TXS_FIELD_MANAGER:
		case TXS_FIELD_MANAGER_GRAIN:
			return make_of_state(value, field);
		case TXS_FIELD_PENDING:
			return make_number(value, true, value->row->pending);
		case TXS_FIELD_IN_DOUBT:
			return BoolGetDatum(value->row->in_doubt);
		case TXS_FIELD_PENDING_VERSIONS:
			return txs_versions_make(value->row);
		case TXS_FIELD_EXTRA:
			return make_extra(value);
		case TXS_FIELD_DROPPED:
			break;
	}
	value->isnull = true;
	return (Datum) 0;
}

Datum
txs_values_make(const TxsForeignTable *table, TxsTableColumn *column,
				const TxsTableRow *row, bool *isnull)
{
	Value value = {.table = table, .column = column, .row = row};
	Datum result = make(&value, column->field);

	if (column->base != column->type)
		check_domain(&value, result);
	*isnull = value.isnull;
	return result;
}
