/*
 * Reading memory eight bytes at a time, or sixteen where every processor of the
 * kind can, for the files of this folder only.
 */
#ifndef TXS_JSON_SCAN_H
#define TXS_JSON_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

#ifdef __SSE2__
/* As scan_plain(), as far as there are 16 bytes: false where it found none. */
static inline bool
scan_plain_blocks(const char **at, const char *end, uint64_t *seen)
{
	const __m128i quote = _mm_set1_epi8('"');
	const __m128i backslash = _mm_set1_epi8('\\');
	const __m128i control = _mm_set1_epi8(0x1f);
	__m128i all = _mm_setzero_si128();
	int found = 0;

	for (; end - *at >= 16; *at += 16)
	{
		__m128i bytes = _mm_loadu_si128((const __m128i *) *at);
		__m128i special =
			_mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote),
									  _mm_cmpeq_epi8(bytes, backslash)),
						 _mm_cmpeq_epi8(_mm_min_epu8(bytes, control), bytes));

		all = _mm_or_si128(all, bytes);
		found = _mm_movemask_epi8(special);
		if (found != 0)
			break;
	}
	if (_mm_movemask_epi8(all) != 0)
		*seen |= HIGH_BITS;
	if (found != 0)
		*at += __builtin_ctz((unsigned) found);
	return found != 0;
}
#endif

/*
 * The first quote, backslash or control character, or end.  Collects in seen
 * the bits of what was read: without HIGH_BITS, the run is plain ASCII.
 */
static inline const char *
scan_plain(const char *at, const char *end, uint64_t *seen)
{
#ifdef __SSE2__
	if (scan_plain_blocks(&at, end, seen))
		return at;
#endif
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
