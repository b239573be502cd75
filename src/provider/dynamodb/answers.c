/*
 * Read the service's answers.  Nothing is believed: what has not the form that
 * it should have is reported as no answer.
 */
#include "provider/dynamodb/dynamodb.h"

#include "mb/pg_wchar.h"

/* As much of a text of the service as a message may show, in bytes. */
#define SHOWN_LENGTH 400

/* Reasons of one transaction: as many as it can have actions. */
#define MAX_REASONS 100

/* Open a text whose top level is an object, and read its brace. */
static bool
open_object(TxsReader *reader, TxsSlice text)
{
	txs_reader_open(reader, text.data, text.length);
	return txs_reader_next(reader) == TXS_TOKEN_OBJECT;
}

/* Pass over the value that comes next. */
static bool
skip(TxsReader *reader)
{
	TxsSlice raw;

	return txs_reader_raw(reader, &raw);
}

/* After the last member: the text must end. */
static bool
at_end(TxsReader *reader)
{
	return reader->token == TXS_TOKEN_OBJECT_END &&
		   txs_reader_next(reader) == TXS_TOKEN_END;
}

static bool
is_null(TxsSlice raw)
{
	return raw.length == 4 && memcmp(raw.data, "null", 4) == 0;
}

bool
txs_answers_item(TxsSlice answer, TxsSlice *item)
{
	TxsReader reader;

	item->data = NULL;
	if (!open_object(&reader, answer))
		return false;
	while (txs_reader_next(&reader) == TXS_TOKEN_NAME)
	{
		if (!txs_reader_is(&reader, "Item"))
		{
			if (!skip(&reader))
				return false;
			continue;
		}
		if (item->data != NULL || !txs_reader_raw(&reader, item))
			return false;
		if (is_null(*item))
			item->data = NULL;
	}
	return at_end(&reader);
}

/* The elements of an array of items. */
static bool
read_items(TxsReader *reader, TxsRawReceiver receive, void *arg)
{
	TxsSlice raw;

	if (txs_reader_next(reader) != TXS_TOKEN_ARRAY)
		return false;
	while (txs_reader_raw(reader, &raw))
		receive(raw, arg);
	return reader->token == TXS_TOKEN_ARRAY_END;
}

/* A key to go on from; an empty object, null and none all mean the end. */
static bool
read_last_key(TxsReader *reader, TxsSlice *last_key)
{
	TxsReader inner;

	if (!txs_reader_raw(reader, last_key))
		return false;
	if (is_null(*last_key))
	{
		last_key->data = NULL;
		return true;
	}
	if (!open_object(&inner, *last_key))
		return false;
	if (txs_reader_next(&inner) == TXS_TOKEN_OBJECT_END)
		last_key->data = NULL;
	return true;
}

bool
txs_answers_page(TxsSlice answer, TxsRawReceiver receive, void *arg,
				 TxsSlice *last_key)
{
	TxsReader reader;
	bool has_items = false;

	last_key->data = NULL;
	if (!open_object(&reader, answer))
		return false;
	while (txs_reader_next(&reader) == TXS_TOKEN_NAME)
	{
		bool read;

		if (txs_reader_is(&reader, "Items"))
		{
			read = !has_items && read_items(&reader, receive, arg);
			has_items = true;
		}
		else if (txs_reader_is(&reader, "LastEvaluatedKey"))
			read = read_last_key(&reader, last_key);
		else
			read = skip(&reader);
		if (!read)
			return false;
	}
	return at_end(&reader) && has_items;
}

/* The string or number that was just read, as palloc'd text. */
static char *
take_text(const TxsReader *reader)
{
	char *text = palloc(reader->value.length + 1);
	size_t length = reader->value.length;

	if (reader->token == TXS_TOKEN_STRING)
		length = txs_reader_unescape(reader->value, text);
	else
		memcpy(text, reader->value.data, length);
	text[length] = '\0';
	return text;
}

/* A value that should be a string; NULL for anything else. */
static char *
read_text(TxsReader *reader)
{
	TxsReader ahead = *reader;

	if (txs_reader_next(&ahead) != TXS_TOKEN_STRING)
	{
		skip(reader);
		return NULL;
	}
	*reader = ahead;
	return take_text(reader);
}

/* A value that should be a whole number; -1 for anything else. */
static int64
read_number(TxsReader *reader)
{
	TxsReader ahead = *reader;
	int64_t number;

	if (txs_reader_next(&ahead) != TXS_TOKEN_NUMBER ||
		!txs_number_to_int64(ahead.value, &number))
	{
		skip(reader);
		return -1;
	}
	*reader = ahead;
	return number;
}

/* KeySchema: an array of {AttributeName, KeyType}; true if it is Orleans'. */
static bool
read_key_schema(TxsReader *reader)
{
	bool has_hash = false;
	bool has_range = false;
	int count = 0;

	if (txs_reader_next(reader) != TXS_TOKEN_ARRAY)
		return false;
	while (txs_reader_next(reader) == TXS_TOKEN_OBJECT)
	{
		char *name = NULL;
		char *type = NULL;

		count++;
		while (txs_reader_next(reader) == TXS_TOKEN_NAME)
		{
			if (txs_reader_is(reader, "AttributeName"))
				name = read_text(reader);
			else if (txs_reader_is(reader, "KeyType"))
				type = read_text(reader);
			else if (!skip(reader))
				return false;
		}
		if (name == NULL || type == NULL)
			continue;
		has_hash |=
			strcmp(name, "PartitionKey") == 0 && strcmp(type, "HASH") == 0;
		has_range |= strcmp(name, "RowKey") == 0 && strcmp(type, "RANGE") == 0;
	}
	return count == 2 && has_hash && has_range;
}

static void
read_throughput(TxsReader *reader, TxsTableFacts *facts)
{
	if (txs_reader_next(reader) != TXS_TOKEN_OBJECT)
		return;
	while (txs_reader_next(reader) == TXS_TOKEN_NAME)
	{
		if (txs_reader_is(reader, "ReadCapacityUnits"))
			facts->read_units = read_number(reader);
		else if (txs_reader_is(reader, "WriteCapacityUnits"))
			facts->write_units = read_number(reader);
		else if (!skip(reader))
			return;
	}
}

static void
read_billing(TxsReader *reader, TxsTableFacts *facts)
{
	if (txs_reader_next(reader) != TXS_TOKEN_OBJECT)
		return;
	while (txs_reader_next(reader) == TXS_TOKEN_NAME)
	{
		if (txs_reader_is(reader, "BillingMode"))
			facts->billing = read_text(reader);
		else if (!skip(reader))
			return;
	}
}

/* The description of a table, whose brace comes next. */
static bool
read_table(TxsReader *reader, TxsTableFacts *facts)
{
	if (txs_reader_next(reader) != TXS_TOKEN_OBJECT)
		return false;
	while (txs_reader_next(reader) == TXS_TOKEN_NAME)
	{
		if (txs_reader_is(reader, "TableStatus"))
			facts->status = read_text(reader);
		else if (txs_reader_is(reader, "ItemCount"))
			facts->items = read_number(reader);
		else if (txs_reader_is(reader, "TableSizeBytes"))
			facts->bytes = read_number(reader);
		else if (txs_reader_is(reader, "KeySchema"))
			facts->has_orleans_keys = read_key_schema(reader);
		else if (txs_reader_is(reader, "ProvisionedThroughput"))
			read_throughput(reader, facts);
		else if (txs_reader_is(reader, "BillingModeSummary"))
			read_billing(reader, facts);
		else if (!skip(reader))
			return false;
	}
	return reader->token == TXS_TOKEN_OBJECT_END && facts->status != NULL;
}

bool
txs_answers_table(TxsSlice answer, TxsTableFacts *facts)
{
	TxsReader reader;
	bool found = false;

	memset(facts, 0, sizeof(*facts));
	facts->read_units = facts->write_units = -1;
	facts->items = facts->bytes = -1;
	if (!open_object(&reader, answer))
		return false;
	while (txs_reader_next(&reader) == TXS_TOKEN_NAME)
	{
		if (txs_reader_is(&reader, "Table"))
		{
			if (!read_table(&reader, facts))
				return false;
			found = true;
		}
		else if (!skip(&reader))
			return false;
	}
	return found && at_end(&reader);
}

static bool
read_names(TxsReader *reader, List **names)
{
	if (txs_reader_next(reader) != TXS_TOKEN_ARRAY)
		return false;
	while (txs_reader_next(reader) == TXS_TOKEN_STRING)
		*names = lappend(*names, take_text(reader));
	return reader->token == TXS_TOKEN_ARRAY_END;
}

bool
txs_answers_tables(TxsSlice answer, List **names, const char **last)
{
	TxsReader reader;
	bool found = false;

	*names = NIL;
	*last = NULL;
	if (!open_object(&reader, answer))
		return false;
	while (txs_reader_next(&reader) == TXS_TOKEN_NAME)
	{
		if (txs_reader_is(&reader, "TableNames"))
		{
			if (!read_names(&reader, names))
				return false;
			found = true;
		}
		else if (txs_reader_is(&reader, "LastEvaluatedTableName"))
			*last = read_text(&reader);
		else if (!skip(&reader))
			return false;
	}
	return found && at_end(&reader);
}

/* The members of TimeToLiveDescription, whose brace comes next. */
static bool
read_time_to_live(TxsReader *reader, const char **attribute)
{
	const char *name = NULL;
	const char *status = NULL;

	if (txs_reader_next(reader) != TXS_TOKEN_OBJECT)
		return false;
	while (txs_reader_next(reader) == TXS_TOKEN_NAME)
	{
		if (txs_reader_is(reader, "TimeToLiveStatus"))
			status = read_text(reader);
		else if (txs_reader_is(reader, "AttributeName"))
			name = read_text(reader);
		else if (!skip(reader))
			return false;
	}
	*attribute =
		status != NULL && strcmp(status, "DISABLED") != 0 ? name : NULL;
	return reader->token == TXS_TOKEN_OBJECT_END && status != NULL;
}

bool
txs_answers_time_to_live(TxsSlice answer, const char **attribute)
{
	TxsReader reader;
	bool found = false;

	if (!open_object(&reader, answer))
		return false;
	while (txs_reader_next(&reader) == TXS_TOKEN_NAME)
	{
		if (txs_reader_is(&reader, "TimeToLiveDescription"))
		{
			if (!read_time_to_live(&reader, attribute))
				return false;
			found = true;
		}
		else if (!skip(&reader))
			return false;
	}
	return found && at_end(&reader);
}

/* The code of __type: what stands after the last '#', up to a ':'. */
static const char *
short_code(char *type)
{
	char *hash = strrchr(type, '#');
	char *code = hash == NULL ? type : hash + 1;

	code[strcspn(code, ":")] = '\0';
	return code;
}

/* Text of the service, in this server's bounds: valid UTF-8, not long. */
static const char *
clip(const char *text, size_t length)
{
	if (!txs_utf8_is_valid(text, length))
		return "(not UTF-8)";
	return pnstrdup(text,
					pg_mbcliplen(text, (int) Min(length, 4 * SHOWN_LENGTH),
								 SHOWN_LENGTH));
}

static void
read_reason(TxsReader *reader, TxsReason *reason)
{
	reason->code = "";
	reason->message = NULL;
	while (txs_reader_next(reader) == TXS_TOKEN_NAME)
	{
		if (txs_reader_is(reader, "Code"))
		{
			char *code = read_text(reader);

			reason->code = code == NULL ? "" : code;
		}
		else if (txs_reader_is(reader, "Message"))
		{
			char *text = read_text(reader);

			reason->message = text == NULL ? NULL : clip(text, strlen(text));
		}
		else if (!skip(reader))
			return;
	}
}

static void
read_reasons(TxsReader *reader, TxsCall *call)
{
	TxsReason *reasons = palloc(sizeof(TxsReason) * MAX_REASONS);

	if (txs_reader_next(reader) != TXS_TOKEN_ARRAY)
		return;
	while (txs_reader_next(reader) == TXS_TOKEN_OBJECT &&
		   call->nreasons < MAX_REASONS)
		read_reason(reader, &reasons[call->nreasons++]);
	call->reasons = reasons;
}

/* True if the body is an error in JSON. */
static bool
read_error(TxsCall *call, TxsSlice body)
{
	TxsReader reader;

	if (!open_object(&reader, body))
		return false;
	while (txs_reader_next(&reader) == TXS_TOKEN_NAME)
	{
		char *text;

		if (txs_reader_is(&reader, "__type"))
		{
			text = read_text(&reader);
			if (text != NULL)
				call->code = short_code(text);
		}
		else if (txs_reader_is(&reader, "message") ||
				 txs_reader_is(&reader, "Message"))
		{
			text = read_text(&reader);
			if (text != NULL)
				call->message = clip(text, strlen(text));
		}
		else if (txs_reader_is(&reader, "CancellationReasons"))
			read_reasons(&reader, call);
		else if (txs_reader_is(&reader, "ThrottlingReasons") ||
				 txs_reader_is(&reader, "throttlingReasons"))
		{
			TxsSlice raw;

			if (!txs_reader_raw(&reader, &raw))
				return false;
			call->throttling = clip(raw.data, raw.length);
		}
		else if (!skip(&reader))
			return false;
	}
	return reader.token == TXS_TOKEN_OBJECT_END;
}

void
txs_answers_error(TxsCall *call, const TxsHttpAnswer *answer)
{
	call->code = NULL;
	call->message = NULL;
	call->throttling = NULL;
	call->nreasons = 0;
	call->reasons = NULL;
	call->request_id = answer->request_id;
	if (!read_error(call, answer->body))
	{
		call->message = clip(answer->body.data, answer->body.length);
		call->nreasons = 0;
	}
	if (call->code == NULL && answer->error_type != NULL)
		call->code = short_code(pstrdup(answer->error_type));
}
