/*
 * What a plain loop over libcurl takes: http_loop URL BYTES TIMES prints the
 * microseconds of each request.  Its body goes by POSTFIELDS, the quickest way.
 */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static size_t
count(char *bytes, size_t size, size_t n, void *data)
{
	(void) bytes;
	*(size_t *) data += size * n;
	return size * n;
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

int
main(int argc, char **argv)
{
	CURL *easy = curl_easy_init();
	size_t got = 0;
	long length = argc == 4 ? atol(argv[2]) : 0;
	char *body = malloc(length + 1);

	if (argc != 4 || easy == NULL || body == NULL)
		return 2;
	memset(body, 'x', length);
	curl_easy_setopt(easy, CURLOPT_URL, argv[1]);
	curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
	curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, length);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, count);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, &got);
	for (long i = atol(argv[3]); i > 0; i--)
	{
		double start = now();

		if (curl_easy_perform(easy) != CURLE_OK)
			return 1;
		printf("%.1f\n", now() - start);
	}
	curl_easy_cleanup(easy);
	return 0;
}
