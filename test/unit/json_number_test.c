/*
 * Number text: form and range, 64-bit whole numbers, the bytes they count.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "json_test.h"
#include "tap.h"

#define DIGITS_38 "12345678901234567890123456789012345678"
#define ZEROS_40  "0000000000000000000000000000000000000000"

static const char *const valid[] = {
	"0", "-0", "+0", "00", "0.0", ".0", "0.", "0E0", "0E999", "-0e-999", "1",
	"-1", "+1", "007", "1.50", "5.", ".5", "-.5", "1e5", "1E+5", "1E-5",
	"1E05", "1E00000000000000000005", DIGITS_38, "-" DIGITS_38,
	ZEROS_40 DIGITS_38, /* leading zeros do not count */
	DIGITS_38 "000",	/* nor do trailing ones */
	DIGITS_38 ".000", "0.000" DIGITS_38,
	"1234567890123456789.0123456789012345678",
	/* the smallest and largest magnitude, in several spellings */
	"1E-130", "-1E-130", "0.1E-129", "10E-131", "1.5E-130", "9.99E+125",
	"-9.99E125", "1E125", "0.01E127", "1000E122",
	"9.9999999999999999999999999999999999999E+125",
	"99999999999999999999999999999999999999E+88"};

static const char *const invalid[] = {
	"",
	"-",
	"+",
	".",
	"-.",
	"e5",
	".e5",
	"1e",
	"1e+",
	"1e-",
	"1e5.0",
	"1e5e5",
	"1.2.3",
	"..1",
	"--1",
	"+-1",
	"-+1",
	"1-",
	"1e--5",
	" 1",
	"1 ",
	"1 2",
	"\t1",
	"1\n",
	"1,000",
	"1_000",
	"0x10",
	"NaN",
	"Infinity",
	"-Infinity",
	"inf",
	"abc",
	"1a",
	"\xEF\xBC\x91",
	DIGITS_38 "9",
	"0." DIGITS_38 "9",
	"1000000000000000000000000000000000000.01",
	"1E126",
	"-1E126",
	"10E125",
	"1E-131",
	"-1E-131",
	"0.1E-130",
	"9.99E-131",
	"1E99999999999999999999999",
	"1E-99999999999999999999999",
	"1E9223372036854775807",
	"1E-9223372036854775808",
	"1E18446744073709551616"};

static const struct
{
	const char *text;
	int64_t value;
} whole[] = {{"0", 0},
			 {"7", 7},
			 {"-7", -7},
			 {"10", 10},
			 {"1796085052", 1796085052},
			 {"9223372036854775807", INT64_MAX},
			 {"-9223372036854775807", -INT64_MAX},
			 {"-9223372036854775808", INT64_MIN}};

static const char *const not_whole[] = {"",
										"-",
										"+1",
										"-0",
										"00",
										"01",
										"-01",
										" 1",
										"1 ",
										"1.0",
										"1.",
										"1e0",
										"1E2",
										"1a",
										"a",
										"--1",
										"0x1",
										"1/",
										"1:",
										"9223372036854775808",
										"-9223372036854775809",
										"9223372036854775810",
										"18446744073709551615",
										"18446744073709551616",
										"18446744073709551617",
										"-18446744073709551616",
										"92233720368547758070",
										"10000000000000000000",
										"100000000000000000000000000000"};

static void test_valid(void);
static void test_int64(void);
static void test_counted_bytes(const char *vectors);
static void check_vectors(TxsReader *reader, const char *group,
						  const char *field, const char *path, int expected);
static TxsSlice slice_of(const char *text);

void
test_numbers(const char *vectors)
{
	test_valid();
	test_int64();
	test_counted_bytes(vectors);
}

static void
test_valid(void)
{
	TxsSlice none = {NULL, 0};
	size_t i;

	for (i = 0; i < sizeof(valid) / sizeof(valid[0]); i++)
		ok(txs_number_is_valid(slice_of(valid[i])), "a number: %s", valid[i]);
	for (i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++)
	{
		size_t length = strlen(invalid[i]);
		TxsSlice text = {exact_copy(invalid[i], length), length};

		ok(!txs_number_is_valid(text), "not a number: item %d, %d bytes",
		   (int) i, (int) length);
		free((char *) text.data);
	}
	ok(!txs_number_is_valid(none), "no text at all is not a number");
	ok(!txs_number_is_valid(SLICE("1\0")), "a NUL ends no number");
}

static void
test_int64(void)
{
	TxsSlice none = {NULL, 0};
	int64_t value = 0;
	char out[TXS_NUMBER_MAX_LENGTH];
	uint64_t bits;
	int wrong = 0;
	size_t i;

	for (i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
	{
		TxsSlice got = {out, txs_number_from_int64(whole[i].value, out)};

		ok(same(got, slice_of(whole[i].text)), "%s as text", whole[i].text);
		ok(txs_number_to_int64(slice_of(whole[i].text), &value) &&
			   value == whole[i].value,
		   "%s as an int64", whole[i].text);
	}
	for (i = 0; i < sizeof(not_whole) / sizeof(not_whole[0]); i++)
		ok(!txs_number_to_int64(slice_of(not_whole[i]), &value),
		   "not an int64: \"%s\"", not_whole[i]);
	ok(!txs_number_to_int64(none, &value), "no text at all is no int64");
	ok(!txs_number_to_int64(SLICE("1\0"), &value), "a NUL ends no int64");

	for (bits = 1; bits < UINT64_C(1) << 62; bits = bits * 3 + 1)
	{
		TxsSlice text = {out, txs_number_from_int64(-(int64_t) bits, out)};

		wrong += !txs_number_to_int64(text, &value);
		wrong += value != -(int64_t) bits;
		text.length = txs_number_from_int64((int64_t) bits, out);
		wrong += !txs_number_to_int64(text, &value);
		wrong += value != (int64_t) bits;
	}
	ok(wrong == 0, "numbers of every length come back from their text");
}

/*
 * All vectors.  A wrong count must not pass for want of vectors, so the number
 * of them is checked as well.
 */
static void
test_counted_bytes(const char *vectors)
{
	TxsSlice text = read_file(vectors);
	TxsReader reader;
	TxsSlice raw;
	TxsSlice none = {NULL, 0};

	if (!ok(text.data != NULL, "the vectors can be read"))
		return;
	txs_reader_open(&reader, text.data, text.length);
	txs_reader_next(&reader);
	while (txs_reader_next(&reader) == TXS_TOKEN_NAME)
	{
		if (txs_reader_is(&reader, "captured"))
			check_vectors(&reader, "captured", "bytes", vectors, 23);
		else if (txs_reader_is(&reader, "undecided"))
			check_vectors(&reader, "undecided", "formula_A", vectors, 9);
		else if (txs_reader_is(&reader, "agreed_uncaptured"))
			check_vectors(&reader, "agreed", "bytes", vectors, 11);
		else
			txs_reader_raw(&reader, &raw);
	}
	ok(txs_reader_next(&reader) == TXS_TOKEN_END, "the vectors are JSON");
	free((char *) text.data);

	ok(txs_number_counted_bytes(none) == 1 &&
		   txs_number_counted_bytes(SLICE("abc")) == 1,
	   "text that is no number counts 1");
	ok(txs_number_counted_bytes(SLICE("-0.000E55")) == 1,
	   "zero counts 1 however it is spelt");
	ok(txs_number_counted_bytes(SLICE("-1.5E-7")) == 3,
	   "a small negative number counts its sign");
	ok(txs_number_counted_bytes(SLICE("9223372036854775807")) == 11,
	   "the largest int64 counts 11");
}

/* An array of objects, each with a literal and what it must count. */
static void
check_vectors(TxsReader *reader, const char *group, const char *field,
			  const char *path, int expected)
{
	int seen = 0;

	txs_reader_next(reader);
	while (txs_reader_next(reader) == TXS_TOKEN_OBJECT)
	{
		TxsSlice literal = {NULL, 0};
		int64_t bytes = -1;

		while (txs_reader_next(reader) == TXS_TOKEN_NAME)
		{
			bool wanted = txs_reader_is(reader, field);
			bool is_literal = txs_reader_is(reader, "literal");

			txs_reader_next(reader);
			if (is_literal)
				literal = reader->value;
			if (wanted)
				txs_number_to_int64(reader->value, &bytes);
		}
		ok((int64_t) txs_number_counted_bytes(literal) == bytes,
		   "%s: %.*s counts %d", group, (int) literal.length, literal.data,
		   (int) bytes);
		ok(txs_number_is_valid(literal) ||
			   literal.length > sizeof(DIGITS_38), /* one literal of 40 */
		   "%s: %.*s is a number", group, (int) literal.length, literal.data);
		seen++;
	}
	if (!ok(seen == expected, "%s: there are %d of them", group, expected))
		diag("%s has %d", path, seen);
}

static TxsSlice
slice_of(const char *text)
{
	TxsSlice slice = {text, strlen(text)};

	return slice;
}
