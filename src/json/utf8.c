/*
 * Is a text well-formed UTF-8?
 */
#include "json/json.h"
#include "json/scan.h"

static size_t sequence_length(const unsigned char *at, size_t left);

bool
txs_utf8_is_valid(const char *text, size_t length)
{
	size_t at = 0;

	while (at < length)
	{
		size_t step;

		if (length - at >= 8 && (load_word(text + at) & HIGH_BITS) == 0)
			step = 8;
		else
			step = sequence_length((const unsigned char *) text + at,
								   length - at);
		if (step == 0)
			return false;
		at += step;
	}
	return true;
}

/*
 * Bytes of the character that starts here, 0 if it is malformed.  The second
 * byte's range is what keeps out overlong forms, surrogates and values above
 * U+10FFFF (RFC 3629, section 4).
 */
static size_t
sequence_length(const unsigned char *at, size_t left)
{
	unsigned lead = at[0];
	size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
	unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
	unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
	size_t i;

	if (lead < 0x80)
		return 1;
	if (lead < 0xC2 || lead > 0xF4 || left < length)
		return 0;
	if (at[1] < low || at[1] > high)
		return 0;
	for (i = 2; i < length; i++)
	{
		if ((at[i] & 0xC0) != 0x80)
			return 0;
	}
	return length;
}
