/*
 * Unit tests of src/json.
 *
 * Usage: json_test .../vectors/item-size/number-bytes.json
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_test.h"
#include "tap.h"

int
main(int argc, char **argv)
{
	if (argc != 2)
	{
		fprintf(stderr, "usage: %s number-bytes.json\n", argv[0]);
		return 2;
	}
	test_reader();
	test_strings();
	test_base64();
	test_numbers(argv[1]);
	test_writer();
	return done_testing();
}

bool
parses(TxsSlice text)
{
	char *copy = exact_copy(text.data, text.length);
	TxsReader reader;
	TxsToken token;

	txs_reader_open(&reader, copy, text.length);
	do
		token = txs_reader_next(&reader);
	while (token != TXS_TOKEN_END && token != TXS_TOKEN_ERROR);
	free(copy);
	return token == TXS_TOKEN_END;
}

char *
exact_copy(const void *data, size_t length)
{
	char *copy = malloc(length);

	if (copy == NULL && length > 0)
		abort();
	if (length > 0)
		memcpy(copy, data, length);
	return copy;
}

bool
same(TxsSlice got, TxsSlice expected)
{
	if (got.length == expected.length &&
		(got.length == 0 || memcmp(got.data, expected.data, got.length) == 0))
		return true;
	diag("got:      %.*s", (int) got.length, got.data);
	diag("expected: %.*s", (int) expected.length, expected.data);
	return false;
}

size_t
encode_utf8(unsigned code, char *out)
{
	if (code < 0x80)
	{
		out[0] = (char) code;
		return 1;
	}
	if (code < 0x800)
	{
		out[0] = (char) (0xC0 + code / 64);
		out[1] = (char) (0x80 + code % 64);
		return 2;
	}
	if (code < 0x10000)
	{
		out[0] = (char) (0xE0 + code / 4096);
		out[1] = (char) (0x80 + code / 64 % 64);
		out[2] = (char) (0x80 + code % 64);
		return 3;
	}
	out[0] = (char) (0xF0 + code / 262144);
	out[1] = (char) (0x80 + code / 4096 % 64);
	out[2] = (char) (0x80 + code / 64 % 64);
	out[3] = (char) (0x80 + code % 64);
	return 4;
}
