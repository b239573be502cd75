/*
 * The reader: which texts it accepts, which tokens it gives, where it stands.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_test.h"
#include "tap.h"

typedef struct NamedText
{
	const char *name;
	TxsSlice text;
} NamedText;

#define TEXT(literal)                                                         \
	{                                                                         \
		literal, sizeof(literal) - 1                                          \
	}

static const NamedText accepted[] = {
	{"an empty object", TEXT("{}")},
	{"an empty array", TEXT("[]")},
	{"a string alone", TEXT("\"\"")},
	{"a number alone", TEXT("0")},
	{"true alone", TEXT("true")},
	{"false alone", TEXT("false")},
	{"null alone", TEXT("null")},
	{"all four white spaces everywhere",
	 TEXT(" \t\n\r{ \t\n\r\"a\" \t\n\r: \t\n\r[ \t\n\r1 \t\n\r, \t\n\r2 "
		  "\t\n\r] \t\n\r, \t\n\r\"b\" \t\n\r: \t\n\r{ \t\n\r} \t\n\r} "
		  "\t\n\r")},
	{"the same name twice", TEXT("{\"a\":1,\"a\":2}")},
	{"an empty name", TEXT("{\"\":1}")},
	{"empty containers in containers", TEXT("[[],{},[{}],{\"a\":[]}]")},
	{"minus zero", TEXT("-0")},
	{"a long integer", TEXT("123456789012345678901234567890")},
	{"a fraction", TEXT("-10.0250")},
	{"a fraction of zero", TEXT("0.0")},
	{"an exponent", TEXT("1e5")},
	{"an upper-case exponent with plus", TEXT("1E+05")},
	{"a negative exponent", TEXT("12.5e-07")},
	{"an exponent of zero", TEXT("0e0")},
	{"a number before each kind of end", TEXT("{\"a\":[1,2 ,3],\"b\":4}")},
	{"every escape", TEXT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u12aB\"")},
	{"an escaped NUL", TEXT("\"\\u0000\"")},
	{"an escaped name", TEXT("{\"\\u0061\\n\":1}")},
	{"a surrogate pair", TEXT("\"\\uD83D\\uDE00\"")},
	{"a delete character", TEXT("\"\x7F\"")},
	{"UTF-8 of two, three and four bytes",
	 TEXT("\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"")},
	{"a noncharacter", TEXT("\"\xEF\xBF\xBF\"")},
};

static const NamedText refused[] = {
	{"no text", TEXT("")},
	{"only white space", TEXT(" \n\t\r ")},
	{"a form feed as white space", TEXT("[\f1]")},
	{"a vertical tab as white space", TEXT("\v1")},
	{"a no-break space as white space", TEXT("\xC2\xA0"
											 "1")},
	{"a byte order mark", TEXT("\xEF\xBB\xBF{}")},
	{"a NUL before the value", TEXT("\0001")},
	{"a NUL after the value", TEXT("1\000")},
	{"a NUL between tokens", TEXT("[1,\0002]")},
	{"a comment", TEXT("[1/**/]")},
	{"a second value", TEXT("1 2")},
	{"a second object", TEXT("{}{}")},
	{"a comma after the value", TEXT("{},")},
	{"a bracket after the value", TEXT("[]]")},
	{"a brace after the value", TEXT("{}}")},
	{"a letter after the value", TEXT("{}x")},
	{"an open array", TEXT("[")},
	{"an open object", TEXT("{")},
	{"a closing bracket alone", TEXT("]")},
	{"a closing brace alone", TEXT("}")},
	{"an array closed by a brace", TEXT("[1}")},
	{"an empty array closed by a brace", TEXT("[}")},
	{"an object closed by a bracket", TEXT("{\"a\":1]")},
	{"an empty object closed by a bracket", TEXT("{]")},
	{"a comma alone in an array", TEXT("[,]")},
	{"a comma before the first element", TEXT("[,1]")},
	{"a comma after the last element", TEXT("[1,]")},
	{"two commas in an array", TEXT("[1,,2]")},
	{"no comma in an array", TEXT("[1 2]")},
	{"no comma between strings", TEXT("[\"a\"\"b\"]")},
	{"a colon in an array", TEXT("[\"a\":1]")},
	{"a comma alone in an object", TEXT("{,}")},
	{"a comma after the last member", TEXT("{\"a\":1,}")},
	{"two commas in an object", TEXT("{\"a\":1,,\"b\":2}")},
	{"no comma between members", TEXT("{\"a\":1 \"b\":2}")},
	{"a name without a colon", TEXT("{\"a\"}")},
	{"a name without a value", TEXT("{\"a\":}")},
	{"a name with a comma for the colon", TEXT("{\"a\",1}")},
	{"two colons", TEXT("{\"a\"::1}")},
	{"a value without a name", TEXT("{1}")},
	{"a number as a name", TEXT("{1:1}")},
	{"null as a name", TEXT("{null:1}")},
	{"a name without quotes", TEXT("{a:1}")},
	{"a name in single quotes", TEXT("{'a':1}")},
	{"an object as a name", TEXT("{{}:1}")},
	{"a value where the second name should be", TEXT("{\"a\":1,2}")},
	{"a string in single quotes", TEXT("'a'")},
	{"a bare word", TEXT("abc")},
	{"True", TEXT("True")},
	{"NULL", TEXT("NULL")},
	{"tru", TEXT("tru")},
	{"trux", TEXT("trux")},
	{"truex", TEXT("truex")},
	{"fals", TEXT("fals")},
	{"falsy", TEXT("falsy")},
	{"nul", TEXT("nul")},
	{"nulls", TEXT("nulls")},
	{"NaN", TEXT("NaN")},
	{"Infinity", TEXT("Infinity")},
	{"-Infinity", TEXT("-Infinity")},
	{"a minus alone", TEXT("-")},
	{"a plus sign", TEXT("+1")},
	{"two minus signs", TEXT("--1")},
	{"a minus and a space", TEXT("- 1")},
	{"a leading zero", TEXT("01")},
	{"a leading zero after minus", TEXT("-01")},
	{"two zeros", TEXT("00")},
	{"a point without digits before", TEXT(".5")},
	{"a minus and a point", TEXT("-.5")},
	{"a point without digits after", TEXT("5.")},
	{"a point and an exponent", TEXT("5.e1")},
	{"two points", TEXT("1.2.3")},
	{"an exponent without digits", TEXT("1e")},
	{"an exponent with only a sign", TEXT("1e+")},
	{"an exponent with two signs", TEXT("1e+-1")},
	{"an exponent with a point", TEXT("1e1.5")},
	{"two exponents", TEXT("1e1e1")},
	{"a hexadecimal number", TEXT("0x1F")},
	{"a letter after a number", TEXT("[1a]")},
	{"a full-width digit", TEXT("\xEF\xBC\x91")},
};

static void test_grammar(void);
static void test_prefixes(void);
static void test_tokens(void);
static void test_state(void);
static void test_depth(void);
static void test_raw(void);
static void test_is(void);
static bool spells(TxsReader *reader, const char *json, const char *text);
static bool nests(const char *open, const char *close, int depth);
static const char *printed(TxsSlice json);

/* One of everything; as an object, so that no prefix of it is a JSON text. */
static const char sample[] =
	"{\"a\":[1,-2.5e+10,0,\"x\\u00e9\\n\xC3\xA9\\uD83D\\uDE00\"],\"b\":{"
	"\"S\":\"\"},\"c\" : true , \"d\":false,\"e\":null,\"long\":\""
	"0123456789abcdef0123456789\\\"\",\"f\":[[],{}]}";

void
test_reader(void)
{
	test_grammar();
	test_prefixes();
	test_tokens();
	test_state();
	test_depth();
	test_raw();
	test_is();
}

static void
test_grammar(void)
{
	size_t i;

	for (i = 0; i < sizeof(accepted) / sizeof(accepted[0]); i++)
		ok(parses(accepted[i].text), "accepts %s", accepted[i].name);
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		ok(!parses(refused[i].text), "refuses %s", refused[i].name);
}

static void
test_prefixes(void)
{
	TxsSlice text = SLICE(sample);
	size_t whole = text.length;
	int wrong = 0;

	ok(parses(text), "accepts the sample document");
	for (text.length = 0; text.length < whole; text.length++)
	{
		if (parses(text))
		{
			wrong++;
			diag("accepted: %.*s", (int) text.length, text.data);
		}
	}
	ok(wrong == 0, "every prefix of the sample document is an error");
}

static void
test_tokens(void)
{
	ok(strcmp(printed(SLICE(sample)),
			  "{ n:a [ 1 -2.5e+10 0 s:x\\u00e9\\n\xC3\xA9\\uD83D\\uDE00 ] n:b "
			  "{ n:S s: } n:c true n:d false n:e null n:long "
			  "s:0123456789abcdef0123456789\\\" n:f [ [ ] { } ] } end") == 0,
	   "the sample document gives its tokens in order");
	ok(strcmp(printed(SLICE("[{\"a\":[{}]},[]]")),
			  "[ { n:a [ { } ] } [ ] ] end") == 0,
	   "nested containers end in the right order");
	ok(strcmp(printed(SLICE("[1,}")), "[ 1 error") == 0,
	   "the tokens before an error are given");
}

static void
test_state(void)
{
	TxsReader reader;

	txs_reader_open(&reader, " [1]", 4);
	ok(txs_reader_offset(&reader) == 0, "a new reader stands at the start");
	txs_reader_next(&reader);
	ok(txs_reader_offset(&reader) == 2, "the offset is behind the token");
	txs_reader_next(&reader);
	txs_reader_next(&reader);
	ok(txs_reader_next(&reader) == TXS_TOKEN_END &&
		   txs_reader_next(&reader) == TXS_TOKEN_END && reader.error == NULL,
	   "END stays END");
	ok(txs_reader_offset(&reader) == 4, "END stands at the end");

	txs_reader_open(&reader, "[1 2]", 5);
	txs_reader_next(&reader);
	txs_reader_next(&reader);
	ok(txs_reader_next(&reader) == TXS_TOKEN_ERROR &&
		   txs_reader_next(&reader) == TXS_TOKEN_ERROR,
	   "ERROR stays ERROR");
	ok(reader.error != NULL && reader.value.data == NULL,
	   "an error has a message and no value");
	ok(txs_reader_offset(&reader) == 3, "an error stands where it is");

	txs_reader_open(&reader, "\"ab\\q\"", 6);
	txs_reader_next(&reader);
	ok(txs_reader_offset(&reader) == 3 && !reader.escaped,
	   "a bad escape stands at its backslash");

	txs_reader_open(&reader, "[\"a\\n\",\"b\",1]", 13);
	txs_reader_next(&reader);
	txs_reader_next(&reader);
	ok(reader.escaped, "a string with a backslash is marked");
	txs_reader_next(&reader);
	ok(!reader.escaped && reader.value.length == 1,
	   "a string without one is not, also after one that was");
	txs_reader_next(&reader);
	txs_reader_next(&reader);
	ok(reader.value.data == NULL, "a bracket has no value");

	txs_reader_open(&reader, NULL, 0);
	ok(txs_reader_next(&reader) == TXS_TOKEN_ERROR,
	   "no text at all is an error");
}

static void
test_depth(void)
{
	ok(nests("[", "]", TXS_JSON_MAX_DEPTH), "arrays nest to the limit");
	ok(!nests("[", "]", TXS_JSON_MAX_DEPTH + 1), "arrays nest no deeper");
	ok(nests("{\"a\":", "}", TXS_JSON_MAX_DEPTH - 1),
	   "objects nest to the limit");
	ok(!nests("{\"a\":", "}", TXS_JSON_MAX_DEPTH), "objects nest no deeper");
	ok(nests("[{\"a\":", "}]", TXS_JSON_MAX_DEPTH / 2 - 1),
	   "both nest in turns");
	ok(!nests("[{\"a\":", "}]", TXS_JSON_MAX_DEPTH / 2),
	   "both in turns nest no deeper");
	ok(!nests("[{\"a\":", "]}", 20), "both in turns end in turns");
	ok(!nests("[", "]", 100000), "100,000 brackets are refused");
	ok(parses(SLICE("[[[[]]],[[[]]],[[[]]],[[[]]],[[[]]]]")),
	   "what was closed does not count");
}

static void
test_raw(void)
{
	static const char text[] = "[ {\"a\" : [1, 2]} , \"x\\\"\",-1.5 ,true,"
							   "false,null, [] ]";
	static const char *const values[] = {"{\"a\" : [1, 2]}",
										 "\"x\\\"\"",
										 "-1.5",
										 "true",
										 "false",
										 "null",
										 "[]"};
	TxsReader reader;
	TxsSlice raw;
	size_t i;

	txs_reader_open(&reader, text, sizeof(text) - 1);
	txs_reader_next(&reader);
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
	{
		TxsSlice expected = {values[i], strlen(values[i])};

		ok(txs_reader_raw(&reader, &raw) && same(raw, expected),
		   "raw gives the element %s as it stands", values[i]);
	}
	ok(!txs_reader_raw(&reader, &raw) && reader.token == TXS_TOKEN_ARRAY_END,
	   "raw says that the array ends");
	ok(!txs_reader_raw(&reader, &raw) && reader.token == TXS_TOKEN_END,
	   "raw says that the text ends");

	txs_reader_open(&reader, "{\"a\": {} ,\"b\":1}", 16);
	ok(txs_reader_next(&reader) == TXS_TOKEN_OBJECT &&
		   !txs_reader_raw(&reader, &raw) && reader.token == TXS_TOKEN_NAME,
	   "raw gives no value where a name comes");
	ok(txs_reader_raw(&reader, &raw) && same(raw, SLICE("{}")) &&
		   txs_reader_next(&reader) == TXS_TOKEN_NAME,
	   "raw gives a member's value, and the next name follows");

	txs_reader_open(&reader, " {\"a\":1} ", 9);
	ok(txs_reader_raw(&reader, &raw) && same(raw, SLICE("{\"a\":1}")) &&
		   txs_reader_next(&reader) == TXS_TOKEN_END,
	   "raw gives a whole text without the space around it");

	txs_reader_open(&reader, "[1,{\"a\":]", 9);
	ok(!txs_reader_raw(&reader, &raw) && reader.token == TXS_TOKEN_ERROR,
	   "raw fails where the value is malformed");
}

static void
test_is(void)
{
	TxsReader reader;

	ok(spells(&reader, "\"S\"", "S"), "is: the same text");
	ok(!spells(&reader, "\"S\"", "N"), "is: another text");
	ok(!spells(&reader, "\"SS\"", "S"), "is: a longer value");
	ok(!spells(&reader, "\"S\"", "SS"), "is: a shorter value");
	ok(spells(&reader, "\"\"", ""), "is: both empty");
	ok(!spells(&reader, "\"\"", "S"), "is: empty value");
	ok(spells(&reader, "\"\\u0053\\u004e\"", "SN"), "is: escaped");
	ok(spells(&reader, "\"a\\/b\\n\"", "a/b\n"), "is: escaped in part");
	ok(!spells(&reader, "\"\\u0053\"", "SS"), "is: escaped, shorter");
	ok(!spells(&reader, "\"\\u0053\\u0053\"", "S"), "is: escaped, longer");
	ok(!spells(&reader, "\"\\u0153\"", "S"), "is: escaped, not ASCII");
	ok(!spells(&reader, "\"S\\u0000\"", "S"), "is: a NUL is not the end");
	ok(!spells(&reader, "\"\\\\u0053\"", "S"), "is: an escaped backslash");
	ok(!spells(&reader, "12", "12"), "is: a number spells nothing");
	ok(!spells(&reader, "", ""), "is: an error spells nothing");
}

static bool
spells(TxsReader *reader, const char *json, const char *text)
{
	txs_reader_open(reader, json, strlen(json));
	txs_reader_next(reader);
	return txs_reader_is(reader, text);
}

/* depth times open, an empty array or a value, depth times close */
static bool
nests(const char *open, const char *close, int depth)
{
	size_t step = strlen(open) + strlen(close);
	char *text = malloc(depth * step + 3);
	bool result;
	TxsSlice slice;
	int i;

	if (text == NULL)
		abort();
	text[0] = '\0';
	slice.data = text;
	slice.length = 0;
	for (i = 0; i < depth; i++)
		slice.length += sprintf(text + slice.length, "%s", open);
	if (open[0] != '[' || open[1] != '\0')
		slice.length += sprintf(text + slice.length, "[]");
	for (i = 0; i < depth; i++)
		slice.length += sprintf(text + slice.length, "%s", close);
	result = parses(slice);
	free(text);
	return result;
}

/* The tokens of a text in one line. */
static const char *
printed(TxsSlice json)
{
	static const char *const names[] = {"error", "end",	 "{",	  "}",
										"[",	 "]",	 "n:",	  "s:",
										"",		 "true", "false", "null"};
	static char line[1000];
	TxsReader reader;
	size_t at = 0;

	txs_reader_open(&reader, json.data, json.length);
	do
	{
		txs_reader_next(&reader);
		at += snprintf(line + at, sizeof(line) - at, "%s%s%.*s",
					   at > 0 ? " " : "", names[reader.token],
					   (int) reader.value.length,
					   reader.value.data != NULL ? reader.value.data : "");
	} while (reader.token != TXS_TOKEN_ERROR &&
			 reader.token != TXS_TOKEN_END && at < sizeof(line));
	return line;
}
