/*
 * TAP on standard output.
 */
#include <stdarg.h>
#include <stdio.h>

#include "tap.h"

static int tests;
static int failures;

static void
print_line(const char *start, const char *text, va_list arguments)
{
	printf("%s", start);
	vprintf(text, arguments);
	putchar('\n');
	fflush(stdout); /* what is known must be seen, should the next one crash */
}

bool
ok(bool held, const char *name, ...)
{
	char start[32];
	va_list arguments;

	tests++;
	failures += !held;
	snprintf(start, sizeof(start), "%sok %d - ", held ? "" : "not ", tests);
	va_start(arguments, name);
	print_line(start, name, arguments);
	va_end(arguments);
	return held;
}

void
diag(const char *text, ...)
{
	va_list arguments;

	va_start(arguments, text);
	print_line("#   ", text, arguments);
	va_end(arguments);
}

int
done_testing(void)
{
	printf("1..%d\n", tests);
	if (failures > 0)
		printf("# %d of %d failed\n", failures, tests);
	return failures > 0 || tests == 0;
}
