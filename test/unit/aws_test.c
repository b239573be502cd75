/*
 * Unit tests of src/aws.
 *
 * Usage: aws_test .../data/vectors
 */
#include <stdio.h>

#include "aws_test.h"
#include "tap.h"

int
main(int argc, char **argv)
{
	if (argc != 2)
	{
		fprintf(stderr, "usage: %s vectors\n", argv[0]);
		return 2;
	}
	test_sigv4(argv[1]);
	test_sigv4_key();
	test_retry(argv[1]);
	test_endpoint(argv[1]);
	return done_testing();
}
