/*
 * Base64 (RFC 4648 section 4), in its one canonical form.
 */
#include <string.h>

#include "json/json.h"

static const char alphabet[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* What every byte stands for; XX: it is not of the alphabet. */
#define XX 0x80
/* clang-format off */
static const uint8_t digits[256] = {
	XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
	XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
	XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, 62, XX, XX, XX, 63,
	52, 53, 54, 55, 56, 57, 58, 59, 60, 61, XX, XX, XX, XX, XX, XX,
	XX,  0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14,
	15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, XX, XX, XX, XX, XX,
	XX, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
	41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, XX, XX, XX, XX, XX,
	XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
	XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
	XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
	XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
	XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
	XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
	XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
	XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
};
/* clang-format on */

static uint8_t decode_group(const uint8_t *group, uint8_t *out);
static bool decode_last(const uint8_t *group, uint8_t *out, size_t *length);
static void encode_group(uint32_t bits, char *out);

size_t
txs_base64_encoded_length(size_t length)
{
	return (length / 3 + (length % 3 != 0)) * 4;
}

void
txs_base64_encode(const void *data, size_t length, char *out)
{
	const uint8_t *in = data;

	for (; length >= 3; length -= 3, in += 3, out += 4)
		encode_group((uint32_t) in[0] << 16 | in[1] << 8 | in[2], out);
	if (length == 0)
		return;
	encode_group((uint32_t) in[0] << 16 | (length == 2 ? in[1] << 8 : 0), out);
	out[3] = '=';
	if (length == 1)
		out[2] = '=';
}

bool
txs_base64_decode(TxsSlice text, void *out, size_t *length)
{
	const uint8_t *in = (const uint8_t *) text.data;
	uint8_t *at = out;
	size_t groups = text.length / 4;
	uint8_t seen = 0;

	*length = 0;
	if (text.length % 4 != 0)
		return false;
	if (text.length == 0)
		return true;

	for (; groups > 1; groups--, in += 4, at += 3)
		seen |= decode_group(in, at);
	if ((seen & XX) != 0 || !decode_last(in, at, length))
		return false;
	*length += at - (uint8_t *) out;
	return true;
}

/* Four characters to three bytes; returns all their bits, XX if one is bad. */
static uint8_t
decode_group(const uint8_t *group, uint8_t *out)
{
	uint8_t a = digits[group[0]];
	uint8_t b = digits[group[1]];
	uint8_t c = digits[group[2]];
	uint8_t d = digits[group[3]];

	out[0] = (uint8_t) (a << 2 | b >> 4);
	out[1] = (uint8_t) (b << 4 | c >> 2);
	out[2] = (uint8_t) (c << 6 | d);
	return a | b | c | d;
}

/*
 * The last group may be padded; then the bits left over after its last byte
 * are zero.  Decoded as if A (zero) stood for the padding.
 */
static bool
decode_last(const uint8_t *group, uint8_t *out, size_t *length)
{
	size_t padding = group[3] != '=' ? 0 : group[2] != '=' ? 1 : 2;
	uint8_t digits_only[4];
	uint8_t bytes[3];

	memcpy(digits_only, group, 4);
	memset(digits_only + 4 - padding, 'A', padding);
	if ((decode_group(digits_only, bytes) & XX) != 0)
		return false;
	*length = 3 - padding;
	memcpy(out, bytes, *length);
	return padding == 0 || bytes[*length] == 0;
}

static void
encode_group(uint32_t bits, char *out)
{
	out[0] = alphabet[bits >> 18];
	out[1] = alphabet[bits >> 12 & 63];
	out[2] = alphabet[bits >> 6 & 63];
	out[3] = alphabet[bits & 63];
}
