/*
 * Reading memory eight bytes at a time, for the files of this folder only.
 */
#ifndef TXS_JSON_SCAN_H
#define TXS_JSON_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define EVERY_BYTE(c) (UINT64_C(0x0101010101010101) * (unsigned char) (c))
#define HIGH_BITS	  EVERY_BYTE(0x80)

/* Eight bytes; the first is the lowest of the result on every machine. */
static inline uint64_t
load_word(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/*
 * High bits of the bytes that end a plain run in a JSON string: quote,
 * backslash, control character.  A borrow runs upwards from a byte that is
 * marked itself, so the lowest mark is always right and none means none.
 */
static inline uint64_t
mark_specials(uint64_t word)
{
	uint64_t quote = (word ^ EVERY_BYTE('"')) - EVERY_BYTE(1);
	uint64_t backslash = (word ^ EVERY_BYTE('\\')) - EVERY_BYTE(1);
	uint64_t control = word - EVERY_BYTE(0x20);

	return (quote | backslash | control) & ~word & HIGH_BITS;
}

static inline bool
is_special(char c)
{
	return c == '"' || c == '\\' || (unsigned char) c < 0x20;
}

/*
 * The first quote, backslash or control character, or end.  Collects in seen
 * the bits of what was read: without HIGH_BITS, the run is plain ASCII.
 */
static inline const char *
scan_plain(const char *at, const char *end, uint64_t *seen)
{
	while (end - at >= 8)
	{
		uint64_t word = load_word(at);
		uint64_t specials = mark_specials(word);

		*seen |= word;
		if (specials != 0)
			return at + __builtin_ctzll(specials) / 8;
		at += 8;
	}
	while (at < end && !is_special(*at))
		*seen |= (unsigned char) *at++;
	return at;
}

#endif /* TXS_JSON_SCAN_H */
