/*
 * Unit tests of the rules of AWS credentials in src/aws.
 *
 * Usage: creds_test .../vectors/endpoints/configured-endpoint-url-tests.json
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "creds_test.h"
#include "tap.h"

/* Of all slices, for the leak checker to see that they are meant. */
static char *slices[1024];
static int nslices;

int
main(int argc, char **argv)
{
	int i;
	int status;

	if (argc != 2)
	{
		fprintf(stderr, "usage: %s configured-endpoint-url-tests.json\n",
				argv[0]);
		return 2;
	}
	test_profile();
	test_environment();
	test_endpoints(argv[1]);
	test_container();
	test_sts();
	test_xml();
	test_imds();
	test_lease();
	test_source();
	test_keys();
	status = done_testing();
	for (i = 0; i < nslices; i++)
		free(slices[i]);
	return status;
}

TxsSlice
slice(const char *text)
{
	size_t length = strlen(text);
	char *copy = malloc(length);

	if (nslices == (int) (sizeof(slices) / sizeof(slices[0])))
		abort();
	memcpy(copy, text, length);
	slices[nslices++] = copy;
	return (TxsSlice){copy, length};
}

bool
same_text(const char *got, const char *expected)
{
	if (got == NULL || expected == NULL ? got == expected
										: strcmp(got, expected) == 0)
		return true;
	diag("got:      %s", got != NULL ? got : "(none)");
	diag("expected: %s", expected != NULL ? expected : "(none)");
	return false;
}
