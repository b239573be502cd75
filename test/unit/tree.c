/*
 * A JSON text as a tree, for tests that read vectors.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "tree.h"

static Tree *read_value(TxsReader *reader);

static char *
take_text(const TxsReader *reader)
{
	char *text = malloc(reader->value.length + 1);

	if (text == NULL)
		abort();
	if (reader->token == TXS_TOKEN_NUMBER)
	{
		memcpy(text, reader->value.data, reader->value.length);
		text[reader->value.length] = '\0';
	}
	else
		text[txs_reader_unescape(reader->value, text)] = '\0';
	return text;
}

/* Children up to the end of the object or array that reader has entered. */
static Tree *
read_children(TxsReader *reader)
{
	Tree *first = NULL;
	Tree **last = &first;

	for (;;)
	{
		TxsToken token = txs_reader_next(reader);
		char *name = NULL;

		if (token == TXS_TOKEN_OBJECT_END || token == TXS_TOKEN_ARRAY_END ||
			token == TXS_TOKEN_ERROR)
			return first;
		if (token == TXS_TOKEN_NAME)
		{
			name = take_text(reader);
			txs_reader_next(reader);
		}
		*last = read_value(reader);
		(*last)->name = name;
		last = &(*last)->next;
	}
}

/* The value whose first token has been read. */
static Tree *
read_value(TxsReader *reader)
{
	Tree *tree = calloc(1, sizeof(Tree));

	if (tree == NULL)
		abort();
	tree->kind = reader->token;
	if (tree->kind == TXS_TOKEN_STRING || tree->kind == TXS_TOKEN_NUMBER)
		tree->text = take_text(reader);
	else if (tree->kind == TXS_TOKEN_OBJECT || tree->kind == TXS_TOKEN_ARRAY)
		tree->first = read_children(reader);
	return tree;
}

Tree *
tree_read(const char *path)
{
	TxsSlice content = read_file(path);
	TxsReader reader;
	Tree *tree;

	if (content.data == NULL)
	{
		fprintf(stderr, "could not read %s\n", path);
		exit(2);
	}
	txs_reader_open(&reader, content.data, content.length);
	txs_reader_next(&reader);
	tree = read_value(&reader);
	if (txs_reader_next(&reader) != TXS_TOKEN_END)
	{
		fprintf(stderr, "%s: %s\n", path,
				reader.error == NULL ? "no JSON" : reader.error);
		exit(2);
	}
	free((char *) content.data);
	return tree;
}

void
tree_free(Tree *tree)
{
	while (tree != NULL)
	{
		Tree *next = tree->next;

		tree_free(tree->first);
		free(tree->name);
		free(tree->text);
		free(tree);
		tree = next;
	}
}

const Tree *
tree_get(const Tree *tree, const char *name)
{
	const Tree *child = tree == NULL ? NULL : tree->first;

	while (child != NULL &&
		   (child->name == NULL || strcmp(child->name, name) != 0))
		child = child->next;
	return child;
}

const char *
tree_text(const Tree *tree, const char *name)
{
	const Tree *child = tree_get(tree, name);

	return child == NULL ? NULL : child->text;
}

long
tree_number(const Tree *tree, const char *name, long otherwise)
{
	const char *text = tree_text(tree, name);

	return text == NULL ? otherwise : atol(text);
}

bool
tree_bool(const Tree *tree, const char *name, bool otherwise)
{
	const Tree *child = tree_get(tree, name);

	return child == NULL ? otherwise : child->kind == TXS_TOKEN_TRUE;
}

int
tree_count(const Tree *tree)
{
	const Tree *child;
	int count = 0;

	for (child = tree->first; child != NULL; child = child->next)
		count++;
	return count;
}
