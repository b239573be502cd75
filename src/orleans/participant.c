/*
 * Participants and metadata; see participant.h.
 */
#include "orleans/participant.h"

#include <string.h>

/*
 * Go into the object that is the value of a member; false where there is no
 * such member, or it is no object.  The reader is before the object's brace.
 */
static bool
enter(TxsReader *reader, const char *name)
{
	TxsSlice ignored;

	while (txs_reader_next(reader) == TXS_TOKEN_NAME)
	{
		if (txs_reader_is(reader, name))
			return txs_reader_next(reader) == TXS_TOKEN_OBJECT;
		if (!txs_reader_raw(reader, &ignored))
			return false;
	}
	return false;
}

static bool
open_object(TxsReader *reader, TxsSlice json)
{
	if (json.data == NULL)
		return false;
	txs_reader_open(reader, json.data, json.length);
	return txs_reader_next(reader) == TXS_TOKEN_OBJECT;
}

/* A string that comes next, without escapes; data NULL for anything else. */
static bool
read_string(TxsReader *reader, TxsSlice *value, bool *escaped)
{
	if (txs_reader_next(reader) != TXS_TOKEN_STRING)
		return false;
	*value = reader->value;
	*escaped = reader->escaped;
	return true;
}

static size_t
append(char *out, TxsSlice value, bool escaped)
{
	if (escaped)
		return txs_reader_unescape(value, out);
	memcpy(out, value.data, value.length);
	return value.length;
}

size_t
txs_participant_grain(TxsSlice json, char *out)
{
	TxsReader reader;
	TxsSlice type = {NULL, 0};
	TxsSlice key = {NULL, 0};
	TxsSlice ignored;
	bool type_escaped = false;
	bool key_escaped = false;
	size_t length;

	if (!open_object(&reader, json) || !enter(&reader, "Reference") ||
		!enter(&reader, "Id"))
		return 0;
	while (txs_reader_next(&reader) == TXS_TOKEN_NAME)
	{
		bool ok;

		if (txs_reader_is(&reader, "Type"))
			ok = read_string(&reader, &type, &type_escaped);
		else if (txs_reader_is(&reader, "Key"))
			ok = read_string(&reader, &key, &key_escaped);
		else
			ok = txs_reader_raw(&reader, &ignored);
		if (!ok)
			return 0;
	}
	if (reader.token != TXS_TOKEN_OBJECT_END || type.data == NULL ||
		key.data == NULL)
		return 0;
	length = append(out, type, type_escaped);
	out[length++] = '/';
	return length + append(out + length, key, key_escaped);
}

int
txs_metadata_commit_records(TxsSlice json)
{
	TxsReader reader;
	TxsSlice ignored;
	int count = 0;

	if (!open_object(&reader, json))
		return -1;
	if (!enter(&reader, "CommitRecords"))
		return reader.token == TXS_TOKEN_OBJECT_END ? 0 : -1;
	while (txs_reader_next(&reader) == TXS_TOKEN_NAME)
	{
		/* $id and $type are the serializer's. */
		if (reader.value.length == 0 || reader.value.data[0] != '$')
			count++;
		if (!txs_reader_raw(&reader, &ignored))
			return -1;
	}
	return reader.token == TXS_TOKEN_OBJECT_END ? count : -1;
}
