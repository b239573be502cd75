/*
 * What the libFuzzer targets share.
 */
#ifndef TXS_TEST_FUZZ_H
#define TXS_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libFuzzer calls this with one input after the other. */
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An invariant that must hold; libFuzzer keeps the input that breaks it. */
#define require(held)                                                         \
	do                                                                        \
	{                                                                         \
		if (!(held))                                                          \
		{                                                                     \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, \
					#held);                                                   \
			abort();                                                          \
		}                                                                     \
	} while (0)

/* A block of just this size, so that ASan sees what goes beyond it. */
static inline void *
exact_block(size_t size)
{
	void *block = malloc(size);

	require(block != NULL);
	return block;
}

static inline char *
exact_copy(const void *data, size_t size)
{
	char *copy = exact_block(size);

	if (size > 0)
		memcpy(copy, data, size);
	return copy;
}

#endif /* TXS_TEST_FUZZ_H */
