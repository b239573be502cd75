/*
 * palloc for programs outside the server: unit tests and fuzzers.
 *
 * Every block is a malloc of its own that ends where the caller's bytes end,
 * so that the address sanitizer sees an overrun by one byte.  As in the
 * server, a caller may forget a block: txs_palloc_reset() frees those that
 * are left, as the end of a memory context would.
 */
#include "palloc.h"

#include "palloc_reset.h"

#define MAX_BLOCK ((Size) 0x3fffffff) /* what the server's palloc allows */

/* The header of a block; its size keeps malloc's alignment. */
typedef struct Block
{
	struct Block *previous;
	struct Block *next;
} Block;

static Block blocks = {&blocks, &blocks}; /* a ring of all blocks */

static void *
resize(Block *block, Size size)
{
	Block *moved;

	if (size > MAX_BLOCK)
	{
		fprintf(stderr, "invalid memory alloc request size %zu\n", size);
		abort();
	}
	moved = realloc(block, sizeof(Block) + size);
	if (moved == NULL)
	{
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	if (block == NULL)
	{
		moved->previous = &blocks;
		moved->next = blocks.next;
	}
	moved->previous->next = moved;
	moved->next->previous = moved;
	return moved + 1;
}

void *
palloc(Size size)
{
	return resize(NULL, size);
}

void *
palloc0(Size size)
{
	return memset(palloc(size), 0, size);
}

void *
repalloc(void *pointer, Size size)
{
	return resize((Block *) pointer - 1, size);
}

void
pfree(void *pointer)
{
	Block *block = (Block *) pointer - 1;

	block->previous->next = block->next;
	block->next->previous = block->previous;
	free(block);
}

char *
pnstrdup(const char *text, Size length)
{
	char *copy;

	length = strnlen(text, length);
	copy = palloc(length + 1);
	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

char *
pstrdup(const char *text)
{
	return pnstrdup(text, strlen(text));
}

/*
 * palloc_array and its like call these in later minor releases.  Earlier ones
 * do not declare them.
 */
extern void *palloc_mul(Size size, Size count);
extern void *palloc0_mul(Size size, Size count);
extern void *repalloc_mul(void *pointer, Size size, Size count);

static Size
product(Size size, Size count)
{
	return count > 0 && size > MAX_BLOCK / count ? MAX_BLOCK + 1
												 : size * count;
}

void *
palloc_mul(Size size, Size count)
{
	return palloc(product(size, count));
}

void *
palloc0_mul(Size size, Size count)
{
	return palloc0(product(size, count));
}

void *
repalloc_mul(void *pointer, Size size, Size count)
{
	return repalloc(pointer, product(size, count));
}

void
txs_palloc_reset(void)
{
	while (blocks.next != &blocks)
		pfree(blocks.next + 1);
}
