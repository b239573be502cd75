/*
 * A JSON text as a tree, for tests that read vectors.
 */
#ifndef TXS_TEST_TREE_H
#define TXS_TEST_TREE_H

#include <stdbool.h>

#include "json/json.h"

typedef struct Tree
{
	TxsToken kind;		/* OBJECT, ARRAY, STRING, NUMBER, TRUE, FALSE, NULL */
	char *name;			/* of a member of an object, or NULL */
	char *text;			/* of a string or number; a NUL ends it */
	struct Tree *first; /* element or member */
	struct Tree *next;
} Tree;

/* The tree of a file; ends the program where it is no JSON.  Free it. */
extern Tree *tree_read(const char *path);
extern void tree_free(Tree *tree);

/* A member; NULL where tree is NULL or has none of this name. */
extern const Tree *tree_get(const Tree *tree, const char *name);

/* A member's text; NULL where it has none. */
extern const char *tree_text(const Tree *tree, const char *name);

/* A member's value; otherwise where there is none. */
extern long tree_number(const Tree *tree, const char *name, long otherwise);
extern bool tree_bool(const Tree *tree, const char *name, bool otherwise);

/* Elements or members. */
extern int tree_count(const Tree *tree);

#endif /* TXS_TEST_TREE_H */
