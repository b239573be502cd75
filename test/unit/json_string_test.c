/*
 * Strings: which bytes may stand in one, UTF-8, escapes and what they mean.
 *
 * The scanner reads eight bytes at a time, so that a wrong verdict can hang on
 * where a byte stands; hence the loops over every byte at every place.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_test.h"
#include "tap.h"

typedef struct Meaning
{
	const char *name;
	TxsSlice json;
	TxsSlice text; /* no data: an error */
} Meaning;

#define TEXT(literal)                                                         \
	{                                                                         \
		literal, sizeof(literal) - 1                                          \
	}
#define REFUSED                                                               \
	{                                                                         \
		NULL, 0                                                               \
	}

static const Meaning meanings[] = {
	{"no characters", TEXT("\"\""), TEXT("")},
	{"plain characters", TEXT("\"abc\""), TEXT("abc")},
	{"the short escapes", TEXT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""),
	 TEXT("\"\\/\b\f\n\r\t")},
	{"an escape between plain runs", TEXT("\"ab\\ncd\""), TEXT("ab\ncd")},
	{"two escapes in a row", TEXT("\"\\\\\\\\\""), TEXT("\\\\")},
	{"a NUL", TEXT("\"a\\u0000b\""), TEXT("a\0b")},
	{"U+007F, the last of one byte", TEXT("\"\\u007f\""), TEXT("\x7F")},
	{"U+0080, the first of two", TEXT("\"\\u0080\""), TEXT("\xC2\x80")},
	{"U+07FF, the last of two", TEXT("\"\\u07FF\""), TEXT("\xDF\xBF")},
	{"U+0800, the first of three", TEXT("\"\\u0800\""), TEXT("\xE0\xA0\x80")},
	{"U+FFFF, the last of three", TEXT("\"\\uffff\""), TEXT("\xEF\xBF\xBF")},
	{"U+10000, the first pair", TEXT("\"\\ud800\\udc00\""),
	 TEXT("\xF0\x90\x80\x80")},
	{"U+10FFFF, the last pair", TEXT("\"\\uDBFF\\uDFFF\""),
	 TEXT("\xF4\x8F\xBF\xBF")},
	{"UTF-8 next to an escape", TEXT("\"\xC3\xA9\\u00E9\xC3\xA9\""),
	 TEXT("\xC3\xA9\xC3\xA9\xC3\xA9")},
	{"an escaped backslash before u", TEXT("\"\\\\u0041\""), TEXT("\\u0041")},
	{"a high surrogate alone", TEXT("\"\\uD800\""), REFUSED},
	{"a low surrogate alone", TEXT("\"\\uDC00\""), REFUSED},
	{"a high surrogate before a letter", TEXT("\"\\uD800a\""), REFUSED},
	{"a high surrogate before another escape", TEXT("\"\\uD800\\n\""),
	 REFUSED},
	{"a high surrogate before a plain escape", TEXT("\"\\uD800\\u0041\""),
	 REFUSED},
	{"two high surrogates", TEXT("\"\\uD800\\uD800\""), REFUSED},
	{"two low surrogates", TEXT("\"\\uDC00\\uDC00\""), REFUSED},
	{"surrogates in the wrong order", TEXT("\"\\uDC00\\uD800\""), REFUSED},
	{"a surrogate after a pair", TEXT("\"\\uD83D\\uDE00\\uDE00\""), REFUSED},
	{"an unfinished pair", TEXT("\"\\uD83D\\uDE0\""), REFUSED},
	{"three digits", TEXT("\"\\u004\""), REFUSED},
	{"no digits", TEXT("\"\\u\""), REFUSED},
	{"a digit that is none", TEXT("\"\\u004g\""), REFUSED},
	{"a sign for a digit", TEXT("\"\\u+041\""), REFUSED},
	{"a space for a digit", TEXT("\"\\u 041\""), REFUSED},
	{"an upper-case U", TEXT("\"\\U0041\""), REFUSED},
	{"\\x", TEXT("\"\\x41\""), REFUSED},
	{"\\a", TEXT("\"\\a\""), REFUSED},
	{"\\0", TEXT("\"\\0\""), REFUSED},
	{"an escaped single quote", TEXT("\"\\'\""), REFUSED},
	{"an escaped NUL byte", TEXT("\"\\\0\""), REFUSED},
	{"an escaped line end", TEXT("\"\\\n\""), REFUSED},
	{"a backslash at the end", TEXT("\"\\\""), REFUSED},
	{"no end", TEXT("\"abc"), REFUSED},
	{"no end after an escape", TEXT("\"abc\\"), REFUSED},
	{"a character cut by the quote", TEXT("\"\xE2\x82\""), REFUSED},
	{"a character cut by an escape", TEXT("\"\xC3\\n\xA9\""), REFUSED},
};

static const struct
{
	const char *name;
	TxsSlice text;
	bool valid;
} utf8_texts[] = {
	{"no bytes", TEXT(""), true},
	{"U+10FFFF", TEXT("\xF4\x8F\xBF\xBF"), true},
	{"U+D7FF and U+E000", TEXT("\xED\x9F\xBF\xEE\x80\x80"), true},
	{"a NUL", TEXT("a\0b"), true},
	{"an overlong NUL", TEXT("\xC0\x80"), false},
	{"an overlong slash", TEXT("\xC0\xAF"), false},
	{"an overlong U+007F", TEXT("\xC1\xBF"), false},
	{"an overlong U+07FF", TEXT("\xE0\x9F\xBF"), false},
	{"an overlong U+FFFF", TEXT("\xF0\x8F\xBF\xBF"), false},
	{"a surrogate", TEXT("\xED\xA0\x80"), false},
	{"a surrogate pair in UTF-8", TEXT("\xED\xA0\xBD\xED\xB8\x80"), false},
	{"U+110000", TEXT("\xF4\x90\x80\x80"), false},
	{"a five-byte form", TEXT("\xF8\x88\x80\x80\x80"), false},
	{"a continuation alone", TEXT("\x80"), false},
	{"a lead alone", TEXT("\xC3"), false},
	{"a lead before ASCII",
	 TEXT("\xC3"
		  "a"),
	 false},
	{"0xFF", TEXT("\xFF"), false},
	{"eight ASCII bytes and a cut character", TEXT("abcdefgh\xE2\x82"), false},
	{"a bad byte as the eighth",
	 TEXT("abcdefg\x80"
		  "abcdefgh"),
	 false},
};

static void test_meanings(void);
static void test_utf8(void);
static void test_all_code_points(void);
static void test_all_bytes(void);
static void test_all_pairs(void);
static void test_all_units(void);
static bool pair_may_stand(unsigned a, unsigned b);
static bool utf8_by_definition(const unsigned char *at, size_t length);

void
test_strings(void)
{
	test_meanings();
	test_utf8();
	test_all_code_points();
	test_all_bytes();
	test_all_pairs();
	test_all_units();
}

static void
test_meanings(void)
{
	size_t i;

	for (i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
	{
		const Meaning *meaning = &meanings[i];
		TxsReader reader;
		TxsSlice got = {NULL, 0};
		char *out;

		if (meaning->text.data == NULL)
		{
			ok(!parses(meaning->json), "a string is refused: %s",
			   meaning->name);
			continue;
		}
		txs_reader_open(&reader, meaning->json.data, meaning->json.length);
		txs_reader_next(&reader);
		out = malloc(reader.value.length);
		got.length = txs_reader_unescape(reader.value, out);
		got.data = out;
		ok(parses(meaning->json) && same(got, meaning->text),
		   "a string is understood: %s", meaning->name);
		free(out);
	}
}

static void
test_utf8(void)
{
	size_t i;

	for (i = 0; i < sizeof(utf8_texts) / sizeof(utf8_texts[0]); i++)
	{
		TxsSlice text = utf8_texts[i].text;
		char *copy = exact_copy(text.data, text.length);

		ok(txs_utf8_is_valid(copy, text.length) == utf8_texts[i].valid,
		   "UTF-8 %s: %s", utf8_texts[i].valid ? "is" : "is not",
		   utf8_texts[i].name);
		free(copy);
	}
	ok(txs_utf8_is_valid(NULL, 0), "UTF-8 is: no text at all");
}

/*
 * Every code point, and every sequence of up to three bytes, the last of them
 * repeated once where the lead asks for four.
 */
static void
test_all_code_points(void)
{
	unsigned char bytes[4];
	int wrong = 0;
	unsigned i;

	for (i = 0; i < 0x110000; i++)
	{
		size_t length = encode_utf8(i, (char *) bytes);
		bool surrogate = i >= 0xD800 && i < 0xE000;

		wrong += txs_utf8_is_valid((char *) bytes, length) == surrogate;
	}
	ok(wrong == 0, "every code point but surrogates is valid UTF-8");

	wrong = 0;
	for (i = 0; i < 0x1000000; i++)
	{
		size_t length;

		bytes[0] = (unsigned char) (i >> 16);
		bytes[1] = (unsigned char) (i >> 8);
		bytes[2] = (unsigned char) i;
		bytes[3] = (unsigned char) i;
		if (bytes[0] < 0x80 && bytes[0] != 'a')
			continue; /* as good as 'a' */
		length = bytes[0] >= 0xF0 ? 4 : 3;
		wrong += txs_utf8_is_valid((char *) bytes, length) !=
				 utf8_by_definition(bytes, length);
	}
	ok(wrong == 0, "every byte sequence is valid as RFC 3629 defines it");
}

/* Every byte at every place of a string, at every place in a word. */
static void
test_all_bytes(void)
{
	char text[64];
	TxsSlice slice = {text, 0};
	int wrong = 0;
	int length;
	int at;
	int c;

	for (length = 1; length <= 20; length++)
	{
		slice.length = length + 2;
		for (at = 1; at <= length; at++)
		{
			for (c = 0; c < 256; c++)
			{
				bool plain = c >= 0x20 && c < 0x80 && c != '"' && c != '\\';

				memset(text, 'a', sizeof(text));
				text[0] = '"';
				text[length + 1] = '"';
				text[at] = (char) c;
				wrong += parses(slice) != plain;
			}
		}
	}
	ok(wrong == 0, "every byte has the same verdict wherever it stands");
}

/* Every two bytes, with seven plain ones before, so that they share a word. */
static void
test_all_pairs(void)
{
	char text[] = "\"xxxxx??xxxxxxxx\"";
	TxsSlice slice = {text, sizeof(text) - 1};
	int wrong = 0;
	unsigned i;

	for (i = 0; i < 0x10000; i++)
	{
		text[6] = (char) (i >> 8);
		text[7] = (char) i;
		if (parses(slice) != pair_may_stand(i >> 8, i & 0xFF))
			wrong++;
	}
	ok(wrong == 0, "every two bytes in a string have the right verdict");
}

/* Every \uXXXX: alone, and as the second half of a pair. */
static void
test_all_units(void)
{
	int wrong_alone = 0;
	int wrong_pair = 0;
	unsigned unit;

	for (unit = 0; unit < 0x10000; unit++)
	{
		bool surrogate = unit >= 0xD800 && unit < 0xE000;
		char json[16];
		TxsSlice text = {json, 8};
		TxsSlice value = {json + 1, 6};
		char expected[4];
		char got[12];
		size_t length = encode_utf8(unit, expected);

		snprintf(json, sizeof(json), unit % 2 ? "\"\\u%04x\"" : "\"\\u%04X\"",
				 unit);
		if (parses(text) == surrogate)
			wrong_alone++;
		else if (!surrogate && (txs_reader_unescape(value, got) != length ||
								memcmp(got, expected, length) != 0))
			wrong_alone++;

		snprintf(json, sizeof(json), "\"\\uDBC1\\u%04X\"", unit);
		text.length = 14;
		value.length = 12;
		length = encode_utf8(0x100400 + (unit & 0x3FF), expected);
		if (parses(text) != (unit >= 0xDC00 && unit < 0xE000))
			wrong_pair++;
		else if (unit >= 0xDC00 && unit < 0xE000 &&
				 (txs_reader_unescape(value, got) != length ||
				  memcmp(got, expected, length) != 0))
			wrong_pair++;
	}
	ok(wrong_alone == 0, "every \\uXXXX but surrogates gives its code point");
	ok(wrong_pair == 0, "a high surrogate pairs with every low one, no other");
}

static bool
pair_may_stand(unsigned a, unsigned b)
{
	if (a == '\\')
		return b < 0x80 && b != 0 && strchr("\"\\/bfnrt", (int) b) != NULL;
	if (a < 0x20 || b < 0x20 || a == '"' || b == '"' || b == '\\')
		return false;
	if (a < 0x80)
		return b < 0x80;
	return a >= 0xC2 && a <= 0xDF && b >= 0x80 && b <= 0xBF;
}

/*
 * What is left when a text is decoded by the bit patterns alone and encoded
 * again must be the text, and no surrogate or too large a value.
 */
static bool
utf8_by_definition(const unsigned char *at, size_t length)
{
	size_t i = 0;

	while (i < length)
	{
		unsigned lead = at[i];
		size_t size = lead < 0x80	? 1
					  : lead < 0xC0 ? 0
					  : lead < 0xE0 ? 2
					  : lead < 0xF0 ? 3
					  : lead < 0xF8 ? 4
									: 0;
		unsigned code = size == 1 ? lead : lead & (0x7F >> size);
		char again[4];
		size_t k;

		if (size == 0 || size > length - i)
			return false;
		for (k = 1; k < size; k++)
		{
			if (at[i + k] / 64 != 2)
				return false;
			code = code * 64 + at[i + k] % 64;
		}
		if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF) ||
			encode_utf8(code, again) != size ||
			memcmp(again, at + i, size) != 0)
			return false;
		i += size;
	}
	return true;
}
