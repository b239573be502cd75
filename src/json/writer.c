/*
 * A writer for JSON, into one block of memory that grows by doubling.
 *
 * It puts the commas; that objects, names and values come in the right order
 * is the caller's business.
 */
#include "json/json.h"
#include "json/scan.h"

/* Room for the first item or request without growing again, mostly. */
#define FIRST_SIZE 1024

static bool copy_json(TxsWriter *writer, TxsSlice json, bool members_only);
static void copy_token(TxsWriter *writer, const TxsReader *reader);
static void append_escaped(TxsWriter *writer, const char *text, size_t length);
static size_t escape_char(char c, char *out);
static void write_text(TxsWriter *writer, const char *text, size_t length);
static void append(TxsWriter *writer, const char *data, size_t length);
static bool reserve(TxsWriter *writer, size_t length);
static bool enlarge(TxsWriter *writer, size_t length);

void
txs_writer_open(TxsWriter *writer, void *(*grow)(void *block, size_t size))
{
	memset(writer, 0, sizeof(*writer));
	writer->grow = grow;
}

void
txs_writer_reset(TxsWriter *writer)
{
	writer->length = 0;
	writer->comma = false;
	writer->failed = false;
}

void
txs_writer_object(TxsWriter *writer)
{
	write_text(writer, "{", 1);
	writer->comma = false;
}

void
txs_writer_object_end(TxsWriter *writer)
{
	writer->comma = false;
	write_text(writer, "}", 1);
}

void
txs_writer_array(TxsWriter *writer)
{
	write_text(writer, "[", 1);
	writer->comma = false;
}

void
txs_writer_array_end(TxsWriter *writer)
{
	writer->comma = false;
	write_text(writer, "]", 1);
}

void
txs_writer_name(TxsWriter *writer, const char *text)
{
	txs_writer_string(writer, text, strlen(text));
	append(writer, ":", 1);
	writer->comma = false;
}

void
txs_writer_string(TxsWriter *writer, const char *text, size_t length)
{
	write_text(writer, "\"", 1);
	append_escaped(writer, text, length);
	append(writer, "\"", 1);
}

void
txs_writer_base64(TxsWriter *writer, const void *data, size_t length)
{
	size_t encoded = txs_base64_encoded_length(length);

	write_text(writer, "\"", 1);
	if (!reserve(writer, encoded))
		return;
	txs_base64_encode(data, length, writer->data + writer->length);
	writer->length += encoded;
	append(writer, "\"", 1);
}

void
txs_writer_int64_string(TxsWriter *writer, int64_t value)
{
	TxsSlice digits;
	char text[TXS_NUMBER_MAX_LENGTH];

	digits.data = text;
	digits.length = txs_number_from_int64(value, text);
	txs_writer_raw_string(writer, digits);
}

void
txs_writer_bool(TxsWriter *writer, bool value)
{
	if (value)
		write_text(writer, "true", 4);
	else
		write_text(writer, "false", 5);
}

void
txs_writer_raw_string(TxsWriter *writer, TxsSlice content)
{
	write_text(writer, "\"", 1);
	append(writer, content.data, content.length);
	append(writer, "\"", 1);
}

bool
txs_writer_raw(TxsWriter *writer, TxsSlice json)
{
	return copy_json(writer, json, false);
}

bool
txs_writer_members(TxsWriter *writer, TxsSlice json)
{
	return copy_json(writer, json, true);
}

/*
 * Copy a value token by token; of an object, only the members if asked so.
 * What was written is taken back where an error turns up.  The answer depends
 * on json alone, also when the writer has failed.
 */
static bool
copy_json(TxsWriter *writer, TxsSlice json, bool members_only)
{
	size_t length = writer->length;
	bool comma = writer->comma;
	TxsReader reader;

	txs_reader_open(&reader, json.data, json.length);
	if (members_only && txs_reader_next(&reader) != TXS_TOKEN_OBJECT)
		return false;

	reserve(writer, json.length + 1);
	for (;;)
	{
		TxsToken token = txs_reader_next(&reader);

		if (token == TXS_TOKEN_END)
			return true;
		if (token == TXS_TOKEN_ERROR)
			break;
		if (!members_only || reader.depth > 0)
			copy_token(writer, &reader);
	}
	writer->length = length;
	writer->comma = comma;
	return false;
}

static void
copy_token(TxsWriter *writer, const TxsReader *reader)
{
	switch (reader->token)
	{
		case TXS_TOKEN_OBJECT:
			txs_writer_object(writer);
			break;
		case TXS_TOKEN_OBJECT_END:
			txs_writer_object_end(writer);
			break;
		case TXS_TOKEN_ARRAY:
			txs_writer_array(writer);
			break;
		case TXS_TOKEN_ARRAY_END:
			txs_writer_array_end(writer);
			break;
		case TXS_TOKEN_NAME:
			txs_writer_raw_string(writer, reader->value);
			append(writer, ":", 1);
			writer->comma = false;
			break;
		case TXS_TOKEN_STRING:
			txs_writer_raw_string(writer, reader->value);
			break;
		case TXS_TOKEN_NUMBER:
			write_text(writer, reader->value.data, reader->value.length);
			break;
		case TXS_TOKEN_TRUE:
		case TXS_TOKEN_FALSE:
			txs_writer_bool(writer, reader->token == TXS_TOKEN_TRUE);
			break;
		case TXS_TOKEN_NULL:
			write_text(writer, "null", 4);
			break;
		case TXS_TOKEN_ERROR:
		case TXS_TOKEN_END:
			break;
	}
}

static void
append_escaped(TxsWriter *writer, const char *text, size_t length)
{
	while (length > 0)
	{
		uint64_t seen = 0;
		size_t plain = scan_plain(text, text + length, &seen) - text;
		char escape[6];

		append(writer, text, plain);
		if (plain == length)
			break;
		append(writer, escape, escape_char(text[plain], escape));
		text += plain + 1;
		length -= plain + 1;
	}
}

static size_t
escape_char(char c, char *out)
{
	static const char specials[] = "\"\\\b\t\n\f\r";
	static const char letters[] = "\"\\btnfr";
	const char *special = memchr(specials, c, sizeof(specials) - 1);

	out[0] = '\\';
	if (special != NULL)
	{
		out[1] = letters[special - specials];
		return 2;
	}
	memcpy(out + 1, "u00", 3);
	out[4] = "01"[c >> 4];
	out[5] = "0123456789abcdef"[c & 15];
	return 6;
}

/* A value, or its first part: whatever needs a comma before it. */
static void
write_text(TxsWriter *writer, const char *text, size_t length)
{
	if (writer->comma)
		append(writer, ",", 1);
	append(writer, text, length);
	writer->comma = true;
}

static void
append(TxsWriter *writer, const char *data, size_t length)
{
	if (!reserve(writer, length) || length == 0)
		return;
	memcpy(writer->data + writer->length, data, length);
	writer->length += length;
}

/* Make room for so many bytes more. */
static bool
reserve(TxsWriter *writer, size_t length)
{
	if (writer->failed)
		return false;
	if (length <= writer->size - writer->length)
		return true;
	return enlarge(writer, length);
}

static bool
enlarge(TxsWriter *writer, size_t length)
{
	size_t size = writer->size < FIRST_SIZE ? FIRST_SIZE : writer->size;
	void *block = NULL;

	while (size - writer->length < length && size <= SIZE_MAX / 2)
		size *= 2;
	if (size - writer->length >= length)
		block = writer->grow(writer->data, size);
	if (block == NULL)
	{
		writer->failed = true;
		return false;
	}
	writer->data = block;
	writer->size = size;
	return true;
}
