/*
 * Fuzzes src/json: the input is a JSON text, a string, base64, a number's text
 * and an int64, one after the other.
 */
#include <stdbool.h>

#include "json/json.h"
#include "fuzz.h"

static bool check_tokens(TxsSlice text);
static void check_token(const TxsReader *reader, int depth);
static void check_string(const TxsReader *reader);
static void check_is(const TxsReader *reader, TxsSlice plain);
static void check_compaction(TxsSlice text, bool valid);
static void check_same_tokens(TxsSlice a, TxsSlice b);
static void check_raw(TxsSlice text, bool valid);
static void check_members(TxsSlice text, bool valid);
static void check_writing(TxsSlice text);
static void check_base64(TxsSlice text);
static void check_encoding(TxsSlice data);
static void check_number(TxsSlice text);
static void check_int64(TxsSlice data);
static TxsSlice written(const TxsWriter *writer);
static bool equal(TxsSlice a, TxsSlice b);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	TxsSlice text = {exact_copy(data, size), size};
	bool valid = check_tokens(text);

	check_compaction(text, valid);
	check_raw(text, valid);
	check_members(text, valid);
	check_writing(text);
	check_base64(text);
	check_encoding(text);
	check_number(text);
	check_int64(text);
	free((char *) text.data);
	return 0;
}

/* Read it all; is it one JSON text? */
static bool
check_tokens(TxsSlice text)
{
	TxsReader reader;

	txs_reader_open(&reader, text.data, text.length);
	for (;;)
	{
		size_t before = txs_reader_offset(&reader);
		int depth = reader.depth;
		TxsToken token = txs_reader_next(&reader);

		require(token == reader.token);
		require(txs_reader_offset(&reader) <= text.length);
		if (token == TXS_TOKEN_ERROR || token == TXS_TOKEN_END)
			break;
		require(txs_reader_offset(&reader) > before);
		require(reader.error == NULL);
		check_token(&reader, depth);
	}
	require((reader.error != NULL) == (reader.token == TXS_TOKEN_ERROR));
	require(reader.value.data == NULL);
	if (reader.token == TXS_TOKEN_END)
		require(reader.depth == 0 &&
				txs_reader_offset(&reader) == text.length);
	require(txs_reader_next(&reader) == reader.token);
	return reader.token == TXS_TOKEN_END;
}

/* A token that is no end and no error, and the depth before it. */
static void
check_token(const TxsReader *reader, int depth)
{
	const TxsSlice *value = &reader->value;

	switch (reader->token)
	{
		case TXS_TOKEN_OBJECT:
		case TXS_TOKEN_ARRAY:
			depth++;
			break;
		case TXS_TOKEN_OBJECT_END:
		case TXS_TOKEN_ARRAY_END:
			depth--;
			break;
		case TXS_TOKEN_NAME:
		case TXS_TOKEN_STRING:
			require(value->data > reader->start);
			require(value->data + value->length < reader->at);
			require(value->data[-1] == '"');
			require(value->data[value->length] == '"');
			check_string(reader);
			break;
		case TXS_TOKEN_NUMBER:
			require(value->data >= reader->start && value->length > 0);
			require(value->data + value->length == reader->at);
			check_number(*value);
			break;
		default:
			require(value->data == NULL);
			break;
	}
	require(reader->depth == depth);
	require(depth >= 0 && depth <= TXS_JSON_MAX_DEPTH);
}

static void
check_string(const TxsReader *reader)
{
	TxsSlice value = reader->value;
	char *text = exact_block(value.length);
	size_t length = txs_reader_unescape(value, text);
	TxsSlice plain = {text, length};

	require(length <= value.length);
	require(txs_utf8_is_valid(text, length));
	require(reader->escaped ==
			(memchr(value.data, '\\', value.length) != NULL));
	require(reader->escaped || equal(plain, value));
	check_is(reader, plain);
	check_base64(value);
	check_number(value);
	free(text);
}

/* A string spells its own text, if that is ASCII, and no other. */
static void
check_is(const TxsReader *reader, TxsSlice plain)
{
	char *text = exact_block(plain.length + 1);
	bool ascii = true;
	size_t i;

	for (i = 0; i < plain.length; i++)
	{
		text[i] = plain.data[i];
		ascii = ascii && text[i] > 0;
	}
	text[i] = '\0';
	if (ascii)
		require(txs_reader_is(reader, text));
	if (strlen(text) < plain.length)
		require(!txs_reader_is(reader, text));
	text[i / 2] ^= 1;
	if (i > 0)
		require(!txs_reader_is(reader, text));
	free(text);
}

static void
check_compaction(TxsSlice text, bool valid)
{
	TxsWriter once;
	TxsWriter twice;

	txs_writer_open(&once, realloc);
	txs_writer_open(&twice, realloc);
	require(txs_writer_raw(&once, text) == valid && !once.failed);
	if (!valid)
		require(once.length == 0 && !once.comma);
	else
	{
		require(once.length <= text.length);
		check_same_tokens(text, written(&once));
		require(txs_writer_raw(&twice, written(&once)));
		require(equal(written(&once), written(&twice)));
	}
	free(once.data);
	free(twice.data);
}

static void
check_same_tokens(TxsSlice a, TxsSlice b)
{
	TxsReader left;
	TxsReader right;

	txs_reader_open(&left, a.data, a.length);
	txs_reader_open(&right, b.data, b.length);
	do
	{
		require(txs_reader_next(&left) == txs_reader_next(&right));
		require(equal(left.value, right.value));
	} while (left.token != TXS_TOKEN_END);
}

/* Raw gives the text without the space around it. */
static void
check_raw(TxsSlice text, bool valid)
{
	TxsReader reader;
	TxsSlice raw;
	size_t start = 0;

	txs_reader_open(&reader, text.data, text.length);
	if (!txs_reader_raw(&reader, &raw))
	{
		require(!valid);
		return;
	}
	while (strchr(" \t\n\r", text.data[start]) != NULL)
		start++;
	require(raw.data == text.data + start);
	require(raw.data + raw.length == reader.at);
	require(check_tokens(raw));
	require((txs_reader_next(&reader) == TXS_TOKEN_END) == valid);
}

/* An object's members in braces are the object. */
static void
check_members(TxsSlice text, bool valid)
{
	TxsWriter writer;
	TxsWriter raw;
	bool object;

	txs_writer_open(&writer, realloc);
	txs_writer_open(&raw, realloc);
	txs_writer_raw(&raw, text);
	object = valid && raw.data[0] == '{';
	txs_writer_object(&writer);
	require(txs_writer_members(&writer, text) == object);
	txs_writer_object_end(&writer);
	if (object)
		require(equal(written(&writer), written(&raw)));
	else
		require(writer.length == 2);
	free(writer.data);
	free(raw.data);
}

/* Text that is written as a string can be read, and is the same. */
static void
check_writing(TxsSlice text)
{
	bool valid = txs_utf8_is_valid(text.data, text.length);
	TxsWriter writer;
	TxsReader reader;
	char *exact;

	txs_writer_open(&writer, realloc);
	txs_writer_string(&writer, text.data, text.length);
	exact = exact_copy(writer.data, writer.length);
	txs_reader_open(&reader, exact, writer.length);
	require((txs_reader_next(&reader) == TXS_TOKEN_STRING) == valid);
	if (valid)
	{
		char *again = exact_block(reader.value.length);
		TxsSlice got = {again, txs_reader_unescape(reader.value, again)};

		require(equal(got, text));
		require(txs_reader_next(&reader) == TXS_TOKEN_END);
		free(again);
	}
	free(exact);
	free(writer.data);
}

/* What can be decoded has one encoding: the text. */
static void
check_base64(TxsSlice text)
{
	char *data = exact_block(text.length / 4 * 3);
	size_t length;

	if (txs_base64_decode(text, data, &length))
	{
		char *again = exact_block(text.length);

		require(txs_base64_encoded_length(length) == text.length);
		txs_base64_encode(data, length, again);
		require(memcmp(again, text.data, text.length) == 0);
		free(again);
	}
	free(data);
}

static void
check_encoding(TxsSlice data)
{
	size_t length = txs_base64_encoded_length(data.length);
	char *text = exact_block(length);
	char *again = exact_block(length / 4 * 3);
	TxsSlice encoded = {text, length};
	TxsSlice got = {again, 0};

	txs_base64_encode(data.data, data.length, text);
	require(txs_base64_decode(encoded, again, &got.length));
	require(equal(got, data));
	free(text);
	free(again);
}

static void
check_number(TxsSlice text)
{
	char out[TXS_NUMBER_MAX_LENGTH];
	int64_t value;
	bool valid = txs_number_is_valid(text);
	size_t bytes = txs_number_counted_bytes(text);

	require(bytes >= 1);
	/* 38 digits, a half pair on each side of the point, sign and exponent */
	require(!valid || bytes <= 22);
	if (txs_number_to_int64(text, &value))
	{
		TxsSlice again = {out, txs_number_from_int64(value, out)};

		require(valid && equal(again, text));
	}
}

static void
check_int64(TxsSlice data)
{
	char out[TXS_NUMBER_MAX_LENGTH];
	int64_t value = 0;
	int64_t again;
	TxsSlice text = {out, 0};

	memcpy(&value, data.data, data.length < 8 ? data.length : 8);
	text.length = txs_number_from_int64(value, out);
	require(txs_number_to_int64(text, &again) && again == value);
}

static TxsSlice
written(const TxsWriter *writer)
{
	TxsSlice text = {writer->data, writer->length};

	return text;
}

static bool
equal(TxsSlice a, TxsSlice b)
{
	return a.length == b.length &&
		   (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}
