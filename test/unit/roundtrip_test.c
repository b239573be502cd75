/*
 * Recorded JSON comes back byte for byte: read token by token and written
 * again, compacted from a spread-out copy, base64 and numbers decoded and
 * encoded.
 *
 * Usage: roundtrip_test file...
 * Each line of a file is one compact JSON text; in that of a request are the
 * bodies of the request and of its response.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "json/json.h"
#include "tap.h"

/* What the recordings hold, so that none can be left out unseen. */
#define FILES	  76
#define REQUESTS  1267
#define RESPONSES 1258

typedef struct Counts
{
	int texts;
	int requests; /* bodies, each read as a text of its own */
	int responses;
	int bytes;	 /* "B" values */
	int numbers; /* "N" values */
} Counts;

static void check_file(const char *path, Counts *total);
static bool check_bodies(TxsSlice line, Counts *counts);
static bool check_text(TxsSlice text, Counts *counts);
static bool rewrite(TxsSlice text, TxsWriter *writer, Counts *counts);
static bool write_value(TxsReader *reader, char type, TxsWriter *writer,
						Counts *counts);
static bool write_bytes(TxsSlice value, TxsWriter *writer);
static bool is_placeholder(TxsSlice value);
static bool write_number(TxsSlice value, TxsWriter *writer);
static TxsSlice spread(TxsSlice text);
static bool same(const TxsWriter *writer, TxsSlice text, const char *what);

int
main(int argc, char **argv)
{
	Counts total = {0, 0, 0, 0, 0};
	int i;

	for (i = 1; i < argc; i++)
		check_file(argv[i], &total);
	ok(total.texts > 0 && total.bytes > 0 && total.numbers > 0,
	   "there were texts, bytes and numbers to check");
	ok(argc - 1 == FILES && total.requests == REQUESTS &&
		   total.responses == RESPONSES,
	   "all recordings were seen, and all bodies in them");
	diag("%d requests, %d responses", total.requests, total.responses);
	diag("%d files, %d texts, %d base64 values, %d numbers", argc - 1,
		 total.texts, total.bytes, total.numbers);
	return done_testing();
}

static void
check_file(const char *path, Counts *total)
{
	TxsSlice text = read_file(path);
	size_t at = 0;
	bool good = text.data != NULL;

	while (good && at < text.length)
	{
		const char *start = text.data + at;
		const char *newline = memchr(start, '\n', text.length - at);
		size_t end =
			newline != NULL ? (size_t) (newline - text.data) : text.length;
		TxsSlice line = {start, end - at};

		good = check_text(line, total) && check_bodies(line, total);
		at = end + 1;
	}
	ok(good && at > 0, "comes back byte for byte: %s", path);
	free((char *) text.data);
}

/* A body that is no JSON was recorded as a string, one that is lost as null. */
static bool
check_bodies(TxsSlice line, Counts *counts)
{
	TxsReader reader;

	txs_reader_open(&reader, line.data, line.length);
	if (txs_reader_next(&reader) != TXS_TOKEN_OBJECT)
		return true;
	while (txs_reader_next(&reader) == TXS_TOKEN_NAME)
	{
		bool request = txs_reader_is(&reader, "request");
		bool response = txs_reader_is(&reader, "response");
		TxsSlice body;

		if (!txs_reader_raw(&reader, &body))
			return false;
		if ((!request && !response) || body.data[0] != '{')
			continue;
		counts->requests += request;
		counts->responses += response;
		if (!check_text(body, counts))
			return false;
	}
	return reader.token == TXS_TOKEN_OBJECT_END;
}

static bool
check_text(TxsSlice text, Counts *counts)
{
	TxsSlice spaced = spread(text);
	TxsWriter writer;
	bool good;

	txs_writer_open(&writer, realloc);
	counts->texts++;

	good =
		rewrite(text, &writer, counts) && same(&writer, text, "written again");
	txs_writer_reset(&writer);
	good = good && txs_writer_raw(&writer, text) && same(&writer, text, "raw");

	txs_writer_reset(&writer);
	good = good && spaced.length > text.length &&
		   txs_writer_raw(&writer, spaced) && same(&writer, text, "compacted");
	free(writer.data);
	free((char *) spaced.data);
	return good;
}

/* Write a text again with the calls that build a document. */
static bool
rewrite(TxsSlice text, TxsWriter *writer, Counts *counts)
{
	TxsReader reader;
	char type = '\0'; /* of the value that follows, by the member's name */
	bool good = true;

	txs_reader_open(&reader, text.data, text.length);
	while (good && txs_reader_next(&reader) != TXS_TOKEN_END)
	{
		good = write_value(&reader, type, writer, counts);
		type = '\0';
		if (reader.token == TXS_TOKEN_NAME && txs_reader_is(&reader, "B"))
			type = 'B';
		if (reader.token == TXS_TOKEN_NAME && txs_reader_is(&reader, "N"))
			type = 'N';
	}
	if (!good)
		diag("stopped at byte %d: %s", (int) txs_reader_offset(&reader),
			 reader.error != NULL ? reader.error : "a value has another form");
	return good;
}

static bool
write_value(TxsReader *reader, char type, TxsWriter *writer, Counts *counts)
{
	char *copy = malloc(reader->value.length + 1);
	size_t length = 0;
	bool good = true;

	if (reader->token == TXS_TOKEN_NAME || reader->token == TXS_TOKEN_STRING)
		length = txs_reader_unescape(reader->value, copy);
	copy[length] = '\0';
	if (reader->token == TXS_TOKEN_OBJECT)
		txs_writer_object(writer);
	else if (reader->token == TXS_TOKEN_OBJECT_END)
		txs_writer_object_end(writer);
	else if (reader->token == TXS_TOKEN_ARRAY)
		txs_writer_array(writer);
	else if (reader->token == TXS_TOKEN_ARRAY_END)
		txs_writer_array_end(writer);
	else if (reader->token == TXS_TOKEN_NAME)
		txs_writer_name(writer, copy);
	else if (reader->token == TXS_TOKEN_STRING && type == 'B' &&
			 !is_placeholder(reader->value))
	{
		counts->bytes++;
		good = write_bytes(reader->value, writer);
	}
	else if (reader->token == TXS_TOKEN_STRING && type == 'N')
	{
		counts->numbers++;
		good = write_number(reader->value, writer);
	}
	else if (reader->token == TXS_TOKEN_STRING)
		txs_writer_string(writer, copy, length);
	else if (reader->token == TXS_TOKEN_NUMBER)
		txs_writer_raw(writer, reader->value);
	else if (reader->token == TXS_TOKEN_NULL)
		txs_writer_raw(writer, (TxsSlice){"null", 4});
	else if (reader->token == TXS_TOKEN_ERROR)
		good = false;
	else
		txs_writer_bool(writer, reader->token == TXS_TOKEN_TRUE);
	free(copy);
	return good;
}

static bool
write_bytes(TxsSlice value, TxsWriter *writer)
{
	char *bytes = malloc(value.length / 4 * 3);
	size_t length;
	bool good = txs_base64_decode(value, bytes, &length);

	if (good)
		txs_writer_base64(writer, bytes, length);
	free(bytes);
	return good;
}

/* The recorder put "(300069 bytes)" for a value too large to keep. */
static bool
is_placeholder(TxsSlice value)
{
	return value.length > 8 && value.data[0] == '(' &&
		   memcmp(value.data + value.length - 7, " bytes)", 7) == 0;
}

/* All numbers that Orleans writes are whole and in the service's form. */
static bool
write_number(TxsSlice value, TxsWriter *writer)
{
	int64_t number;

	if (!txs_number_is_valid(value) || !txs_number_to_int64(value, &number))
		return false;
	txs_writer_int64_string(writer, number);
	return true;
}

/* A copy with white space around brackets, colons and commas. */
static TxsSlice
spread(TxsSlice text)
{
	char *out = malloc(text.length * 3);
	size_t length = 0;
	bool in_string = false;
	size_t i;

	for (i = 0; i < text.length; i++)
	{
		bool structural = strchr("{}[]:,", text.data[i]) != NULL && !in_string;

		if (structural)
			out[length++] = " \t\n\r"[i % 4];
		out[length++] = text.data[i];
		if (structural)
			out[length++] = ' ';
		if (in_string && text.data[i] == '\\')
			out[length++] = text.data[++i];
		else if (text.data[i] == '"')
			in_string = !in_string;
	}
	return (TxsSlice){out, length};
}

static bool
same(const TxsWriter *writer, TxsSlice text, const char *what)
{
	size_t at = 0;

	if (writer->length == text.length &&
		memcmp(writer->data, text.data, text.length) == 0)
		return true;
	while (at < text.length && at < writer->length &&
		   writer->data[at] == text.data[at])
		at++;
	diag("%s: differs from byte %d: %.*s", what, (int) at,
		 (int) (text.length - at < 60 ? text.length - at : 60),
		 text.data + at);
	return false;
}
