/*
 * Reading test data.
 */
#include <stdio.h>
#include <stdlib.h>

#include "input.h"

TxsSlice
read_file(const char *path)
{
	TxsSlice content = {NULL, 0};
	FILE *file = fopen(path, "rb");
	char *text;
	long size;

	if (file == NULL)
		return content;
	if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0)
	{
		rewind(file);
		text = malloc(size > 0 ? size : 1);
		if (text != NULL)
			content.length = fread(text, 1, size, file);
		content.data = text;
	}
	fclose(file);
	return content;
}
