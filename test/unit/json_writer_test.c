/*
 * The writer: commas, escapes, compaction, and what happens without memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_test.h"
#include "tap.h"

/* Calls of grow() that succeed before the first that does not. */
static int grows_left;
static int grows;

static void *grow_until(void *block, size_t size);
static void open_writer(TxsWriter *writer);
static void test_commas(void);
static void test_values(void);
static void test_escapes(void);
static void test_raw(void);
static void test_members(void);
static void test_memory(void);
static void write_document(TxsWriter *writer);
static bool wrote(TxsWriter *writer, TxsSlice expected);
static bool all_come_back(const char *text, size_t length);

#define WROTE(writer, literal) wrote(writer, SLICE(literal))

void
test_writer(void)
{
	grows_left = 1000000;
	test_commas();
	test_values();
	test_escapes();
	test_raw();
	test_members();
	test_memory();
}

static void
test_commas(void)
{
	TxsWriter writer;

	open_writer(&writer);
	txs_writer_object(&writer);
	txs_writer_name(&writer, "a");
	txs_writer_array(&writer);
	txs_writer_array_end(&writer);
	txs_writer_name(&writer, "b");
	txs_writer_array(&writer);
	txs_writer_object(&writer);
	txs_writer_object_end(&writer);
	txs_writer_object(&writer);
	txs_writer_name(&writer, "c");
	txs_writer_bool(&writer, true);
	txs_writer_object_end(&writer);
	txs_writer_array(&writer);
	txs_writer_array_end(&writer);
	txs_writer_int64_string(&writer, 1);
	txs_writer_bool(&writer, false);
	txs_writer_base64(&writer, "f", 1);
	txs_writer_string(&writer, "s", 1);
	txs_writer_raw_string(&writer, SLICE("\\n"));
	txs_writer_raw(&writer, SLICE("1"));
	txs_writer_array_end(&writer);
	txs_writer_name(&writer, "d");
	txs_writer_raw(&writer, SLICE("{}"));
	txs_writer_name(&writer, "e");
	txs_writer_string(&writer, "", 0);
	txs_writer_object_end(&writer);
	ok(WROTE(&writer, "{\"a\":[],\"b\":[{},{\"c\":true},[],\"1\",false,"
					  "\"Zg==\",\"s\",\"\\n\",1],\"d\":{},\"e\":\"\"}"),
	   "commas stand between members and elements, nowhere else");
	free(writer.data);
}

static void
test_values(void)
{
	TxsWriter writer;
	int before;

	open_writer(&writer);
	ok(writer.data == NULL && writer.length == 0 && !writer.failed,
	   "a new writer is empty");
	txs_writer_int64_string(&writer, INT64_MIN);
	ok(WROTE(&writer, "\"-9223372036854775808\""), "an int64 is a string");
	txs_writer_base64(&writer, NULL, 0);
	ok(WROTE(&writer, "\"\""), "no bytes are the empty string");
	txs_writer_string(&writer, NULL, 0);
	ok(WROTE(&writer, "\"\""), "no text is the empty string");
	txs_writer_raw_string(&writer, (TxsSlice){NULL, 0});
	ok(WROTE(&writer, "\"\""), "no raw text is the empty string");

	txs_writer_array(&writer);
	txs_writer_bool(&writer, true);
	before = grows;
	txs_writer_reset(&writer);
	txs_writer_bool(&writer, false);
	ok(grows == before, "a reset writer keeps its block");
	ok(WROTE(&writer, "false"), "a reset writer has forgotten its text");
	free(writer.data);
}

static void
test_escapes(void)
{
	TxsWriter writer;
	char every[256];
	char expected[8];
	int wrong = 0;
	int c;

	open_writer(&writer);
	txs_writer_string(&writer, "\"\\/\b\t\n\f\r\x7F", 9);
	ok(WROTE(&writer, "\"\\\"\\\\/\\b\\t\\n\\f\\r\x7F\""),
	   "quote, backslash and five controls have short escapes");
	txs_writer_string(&writer, "\0\x01\x0B\x1F", 4);
	ok(WROTE(&writer, "\"\\u0000\\u0001\\u000b\\u001f\""),
	   "other controls are lower-case \\u00xx");
	txs_writer_string(&writer, "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80<&'", 12);
	ok(WROTE(&writer, "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80<&'\""),
	   "characters that need no escape have none");
	txs_writer_string(&writer,
					  "\x1F"
					  "a long plain run \x80\"and one more \n",
					  34);
	ok(WROTE(&writer, "\"\\u001fa long plain run \x80\\\"and one more \\n\""),
	   "plain runs between escapes are kept");
	txs_writer_object(&writer);
	txs_writer_name(&writer, "a\"\n");
	ok(WROTE(&writer, "{\"a\\\"\\n\":"), "a name is escaped like a string");

	for (c = 0; c < 0x20; c++)
	{
		char byte = (char) c;

		if (strchr("\b\t\n\f\r", c) != NULL && c != 0)
			continue;
		txs_writer_string(&writer, &byte, 1);
		snprintf(expected, sizeof(expected), "\\u%04x", c);
		wrong +=
			writer.length != 8 || memcmp(writer.data + 1, expected, 6) != 0;
		txs_writer_reset(&writer);
	}
	ok(wrong == 0, "every other control has its own four digits");

	for (c = 0; c < 128; c++)
		every[c] = (char) c;
	ok(all_come_back(every, 128), "every ASCII character comes back");
	free(writer.data);
}

static void
test_raw(void)
{
	static const TxsSlice broken[] = {SLICE(""),		 SLICE(" "),
									  SLICE("{"),		 SLICE("{\"a\":1"),
									  SLICE("1 2"),		 SLICE("[1,2,]"),
									  SLICE("{} x"),	 SLICE("[1] ]"),
									  SLICE("\"\x80\""), SLICE("[true, tru]"),
									  {NULL, 0}};
	TxsWriter writer;
	size_t i;

	open_writer(&writer);
	ok(txs_writer_raw(&writer,
					  SLICE(" { \"a\" : [ 1.50 , -0e+1, true,false , null ] "
							",\n\t\"b c\":\"\\u0041 \\/ \xC3\xA9\" ,"
							"\"d\\n\" : {\r}, \"e\" : [ ] } ")) &&
		   WROTE(&writer, "{\"a\":[1.50,-0e+1,true,false,null],\"b c\":"
						  "\"\\u0041 \\/ \xC3\xA9\",\"d\\n\":{},\"e\":[]}"),
	   "raw leaves out white space between tokens and nothing else");
	ok(txs_writer_raw(&writer, SLICE(" \"x\" ")) && WROTE(&writer, "\"x\""),
	   "raw takes a string");
	ok(txs_writer_raw(&writer, SLICE("\n-1E5\n")) && WROTE(&writer, "-1E5"),
	   "raw takes a number");

	for (i = 0; i < sizeof(broken) / sizeof(broken[0]); i++)
	{
		txs_writer_array(&writer);
		ok(!txs_writer_raw(&writer, broken[i]) && !writer.comma,
		   "raw refuses broken text %d", (int) i);
		txs_writer_bool(&writer, true);
		ok(!txs_writer_raw(&writer, broken[i]), "and again");
		txs_writer_bool(&writer, true);
		ok(WROTE(&writer, "[true,true"), "and wrote nothing of it");
	}
	free(writer.data);
}

static void
test_members(void)
{
	static const TxsSlice broken[] = {SLICE(""),
									  SLICE("[]"),
									  SLICE("1"),
									  SLICE("\"a\":1"),
									  SLICE("\"a\""),
									  SLICE("{\"a\":1"),
									  SLICE("{"),
									  SLICE("{\"a\":1}}"),
									  SLICE("{\"a\":1} 2"),
									  SLICE("{} {}"),
									  SLICE("{\"a\":1,\"b\"}"),
									  {NULL, 0}};
	TxsWriter writer;
	size_t i;

	open_writer(&writer);
	txs_writer_object(&writer);
	ok(txs_writer_members(&writer, SLICE(" { } ")) && WROTE(&writer, "{"),
	   "an empty object has no members");

	txs_writer_object(&writer);
	txs_writer_members(&writer, SLICE("{}"));
	txs_writer_members(&writer, SLICE("{\"a\" : { \"b\" : {} }, \"c\":[{}]}"));
	txs_writer_members(&writer, SLICE("{}"));
	txs_writer_name(&writer, "d");
	txs_writer_bool(&writer, true);
	txs_writer_members(&writer, SLICE("\n{\"e\":null}\n"));
	txs_writer_object_end(&writer);
	ok(WROTE(&writer, "{\"a\":{\"b\":{}},\"c\":[{}],\"d\":true,\"e\":null}"),
	   "members join the object being written");

	for (i = 0; i < sizeof(broken) / sizeof(broken[0]); i++)
	{
		txs_writer_object(&writer);
		ok(!txs_writer_members(&writer, broken[i]),
		   "members refuses broken text %d", (int) i);
		txs_writer_name(&writer, "a");
		txs_writer_bool(&writer, true);
		ok(!txs_writer_members(&writer, broken[i]), "and again");
		txs_writer_name(&writer, "b");
		ok(WROTE(&writer, "{\"a\":true,\"b\":"), "and wrote nothing of it");
	}
	free(writer.data);
}

/*
 * A document that makes the block grow several times, with memory running out
 * at each of them.
 */
static void
test_memory(void)
{
	TxsWriter whole;
	TxsWriter writer;
	int needed;
	int i;

	grows = 0;
	open_writer(&whole);
	write_document(&whole);
	needed = grows;
	ok(!whole.failed && needed > 4, "the document grows the block %d times",
	   needed);
	ok(parses((TxsSlice){whole.data, whole.length}), "the document is JSON");

	for (i = 0; i < needed; i++)
	{
		size_t length;

		grows_left = i;
		open_writer(&writer);
		write_document(&writer);
		length = writer.length;
		ok(writer.failed && length < whole.length && length <= writer.size &&
			   (length == 0 || memcmp(writer.data, whole.data, length) == 0),
		   "without memory for growth %d, what fitted is there", i + 1);

		grows_left = 1000000;
		write_document(&writer);
		ok(writer.failed && writer.length == length,
		   "a writer that failed in growth %d does nothing more", i + 1);
		ok(txs_writer_raw(&writer, SLICE("[1]")) &&
			   !txs_writer_raw(&writer, SLICE("[1")) &&
			   writer.length == length,
		   "but tells JSON from what is not");
		txs_writer_reset(&writer);
		write_document(&writer);
		ok(!writer.failed &&
			   wrote(&writer, (TxsSlice){whole.data, whole.length}),
		   "and after a reset it writes it all");
		free(writer.data);
	}
	free(whole.data);
}

static void
write_document(TxsWriter *writer)
{
	static const char bytes[3000];
	static char json[5000];
	int i;

	memset(json, ' ', sizeof(json));
	json[0] = '[';
	json[sizeof(json) - 1] = ']';

	txs_writer_object(writer);
	for (i = 0; i < 60; i++)
	{
		txs_writer_name(writer, "a name of some length");
		txs_writer_string(writer, "a text \"\n\x01 of some length", 26);
	}
	txs_writer_name(writer, "base64");
	txs_writer_base64(writer, bytes, sizeof(bytes));
	txs_writer_name(writer, "raw");
	txs_writer_raw(writer, (TxsSlice){json, sizeof(json)});
	txs_writer_members(writer, SLICE("{\"member\":1}"));
	txs_writer_name(writer, "raw string");
	txs_writer_raw_string(writer, (TxsSlice){json + 1, sizeof(json) - 2});
	for (i = 0; i < 300; i++)
	{
		txs_writer_name(writer, "array");
		txs_writer_array(writer);
		txs_writer_bool(writer, true);
		txs_writer_int64_string(writer, i);
		txs_writer_array_end(writer);
	}
	txs_writer_name(writer, "end");
	txs_writer_base64(writer, bytes, sizeof(bytes));
	txs_writer_object_end(writer);
}

/* Did it write just this?  Starts it anew. */
static bool
wrote(TxsWriter *writer, TxsSlice expected)
{
	bool result = same((TxsSlice){writer->data, writer->length}, expected);

	txs_writer_reset(writer);
	return result;
}

/* Is a text the same after it was written as a string and read again? */
static bool
all_come_back(const char *text, size_t length)
{
	TxsWriter writer;
	TxsReader reader;
	char *out = NULL;
	bool result = false;

	open_writer(&writer);
	txs_writer_string(&writer, text, length);
	txs_reader_open(&reader, writer.data, writer.length);
	if (txs_reader_next(&reader) == TXS_TOKEN_STRING)
	{
		out = malloc(reader.value.length);
		result = txs_reader_unescape(reader.value, out) == length &&
				 memcmp(out, text, length) == 0;
	}
	free(out);
	free(writer.data);
	return result;
}

static void *
grow_until(void *block, size_t size)
{
	if (grows_left-- <= 0)
		return NULL;
	grows++;
	return realloc(block, size);
}

static void
open_writer(TxsWriter *writer)
{
	txs_writer_open(writer, grow_until);
}
