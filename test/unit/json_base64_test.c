/*
 * Base64: RFC 4648's vectors, every length, every other spelling refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_test.h"
#include "tap.h"

static const struct
{
	const char *data;
	const char *text;
} vectors[] = {
	/* RFC 4648, section 10 */
	{"", ""},
	{"f", "Zg=="},
	{"fo", "Zm8="},
	{"foo", "Zm9v"},
	{"foob", "Zm9vYg=="},
	{"fooba", "Zm9vYmE="},
	{"foobar", "Zm9vYmFy"},
	/* its alphabet's last two */
	{"\xFB\xFF\xBF", "+/+/"},
};

static const struct
{
	const char *name;
	TxsSlice text;
} refused[] = {
	{"one character", SLICE("A")},
	{"two characters without padding", SLICE("QQ")},
	{"three characters without padding", SLICE("QUE")},
	{"a last group of one", SLICE("QUFBQ")},
	{"a last group of two without padding", SLICE("QUFBQQ")},
	{"a last group of three without padding", SLICE("QUFBQUE")},
	{"only one padding where two are due", SLICE("QQ=")},
	{"three paddings", SLICE("Q===")},
	{"only padding", SLICE("====")},
	{"padding and no data behind it", SLICE("QUFB====")},
	{"padding too much", SLICE("QUE==")},
	{"padding in a group before the last", SLICE("QQ==QUFB")},
	{"one padding in a group before the last", SLICE("QUE=QUFB")},
	{"padding at the start", SLICE("=QUE")},
	{"padding in the middle", SLICE("QU=E")},
	{"padding second", SLICE("Q=E=")},
	{"spare bits with two paddings", SLICE("QR==")},
	{"the highest spare bit with two paddings", SLICE("QY==")},
	{"spare bits with one padding", SLICE("QUF=")},
	{"the higher spare bit with one padding", SLICE("QUG=")},
	{"spare bits in a longer text", SLICE("QUFBQUFBQUFBQR==")},
	{"a line break", SLICE("QUFB\nQUE")},
	{"a line break at the end", SLICE("QUFB\r\n")},
	{"a space before", SLICE(" QUF")},
	{"a space for a digit", SLICE("QU B")},
	{"the URL alphabet's minus", SLICE("QUF-")},
	{"the URL alphabet's underscore", SLICE("QUF_")},
	{"a NUL", SLICE("QUF\0")},
	{"a byte above ASCII", SLICE("QUF\xC1")},
	{"a bad character in the first group of many",
	 SLICE("Q.FBQUFBQUFBQUFBQUFB")},
	{"a bad character in the third group of many",
	 SLICE("QUFBQUFBQU.BQUFBQUFB")},
	{"an escaped slash", SLICE("QU\\/")},
};

static void test_vectors(void);
static void test_lengths(void);
static void test_every_group(void);
static bool round_trips(const unsigned char *data, size_t length);
static bool decodes(TxsSlice text);
static int digit_value(int c);

void
test_base64(void)
{
	size_t i;

	test_vectors();
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		ok(!decodes(refused[i].text), "base64 is refused: %s",
		   refused[i].name);
	test_lengths();
	test_every_group();
}

static void
test_vectors(void)
{
	size_t i;

	for (i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
	{
		TxsSlice data = {vectors[i].data, strlen(vectors[i].data)};
		TxsSlice text = {vectors[i].text, strlen(vectors[i].text)};
		TxsSlice got;
		char out[32];

		got.data = out;
		got.length = txs_base64_encoded_length(data.length);
		txs_base64_encode(data.data, data.length, out);
		ok(same(got, text), "base64 of vector %d", (int) i);
		ok(txs_base64_decode(text, out, &got.length) && same(got, data),
		   "vector %d from base64", (int) i);
	}
}

static void
test_lengths(void)
{
	unsigned char data[300];
	unsigned seed = 1;
	int wrong = 0;
	size_t length;
	size_t i;

	for (length = 0; length <= sizeof(data); length++)
	{
		for (i = 0; i < length; i++)
		{
			seed = seed * 1103515245 + 12345;
			data[i] = (unsigned char) (seed >> 16);
		}
		wrong += !round_trips(data, length);
	}
	ok(wrong == 0, "all lengths up to 300 come back from base64");
	ok(txs_base64_encoded_length(0) == 0 &&
		   txs_base64_encoded_length(1) == 4 &&
		   txs_base64_encoded_length(3) == 4 &&
		   txs_base64_encoded_length(4) == 8,
	   "the encoded length counts whole groups");
	txs_base64_encode(NULL, 0, NULL);
	ok(round_trips(NULL, 0), "no data at all is the empty text");
}

/*
 * Every byte at every place of a group, in front of another group, as the last
 * one, and padded: the verdict is that of the alphabet and the spare bits.
 */
static void
test_every_group(void)
{
	static const char *const templates[] = {"QUFBQUFB", "QUFB",
											"QUE=", "QQ=="};
	int wrong = 0;
	size_t i;
	size_t at;
	int c;

	for (i = 0; i < sizeof(templates) / sizeof(templates[0]); i++)
	{
		for (at = 0; at < 4 && templates[i][at] != '='; at++)
		{
			for (c = 0; c < 256; c++)
			{
				char text[9];
				TxsSlice slice = {text, strlen(templates[i])};
				int value = digit_value(c);
				bool valid = value >= 0;

				strcpy(text, templates[i]);
				text[at] = (char) c;
				if (text[3] == '=' && text[2] != '=' && at == 2)
					valid = valid && value % 4 == 0;
				if (text[2] == '=' && at == 1)
					valid = valid && value % 16 == 0;
				if (decodes(slice) != valid)
				{
					wrong++;
					diag("%s with byte %d at %d", templates[i], c, (int) at);
				}
			}
		}
	}
	ok(wrong == 0,
	   "every byte at every place of a group has the right verdict");
}

/* Encode and decode in blocks of the exact size. */
static bool
round_trips(const unsigned char *data, size_t length)
{
	size_t text_length = txs_base64_encoded_length(length);
	char *text = malloc(text_length);
	char *out = malloc(text_length / 4 * 3);
	TxsSlice slice = {text, text_length};
	size_t out_length = 0;
	bool result;

	txs_base64_encode(data, length, text);
	result = txs_base64_decode(slice, out, &out_length) &&
			 out_length == length &&
			 (length == 0 || memcmp(out, data, length) == 0);
	free(text);
	free(out);
	return result;
}

static bool
decodes(TxsSlice text)
{
	char *copy = exact_copy(text.data, text.length);
	char *out = malloc(text.length / 4 * 3);
	TxsSlice slice = {copy, text.length};
	size_t length;
	bool result = txs_base64_decode(slice, out, &length);

	free(copy);
	free(out);
	return result;
}

static int
digit_value(int c)
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = memchr(alphabet, c, 64);

	return at == NULL ? -1 : (int) (at - alphabet);
}
