/*
 * What a plain loop over libcurl takes that signs what it sends:
 *
 *   signed_loop URL TIMES FILE...
 *
 * Sends the files one after the other, TIMES times; a file is named by its
 * operation, and is sent as it is.  Prints the microseconds of each round; on
 * standard error the CPU time of one.  The body goes by POSTFIELDS, the
 * quickest way, and the answer is only counted.
 */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "aws/sigv4.h"

#define MAX_REQUESTS 8
#define MAX_BODY	 (1024 * 1024)

typedef struct Request
{
	char target[100];
	char *body;
	size_t length;
} Request;

static const TxsCredentials credentials = {"dummy", "dummyKey", NULL};
static Request requests[MAX_REQUESTS];
static const char *host;

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

static double
cpu(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_utime.tv_sec * 1e6 + usage.ru_utime.tv_usec +
		   usage.ru_stime.tv_sec * 1e6 + usage.ru_stime.tv_usec;
}

static void
read_request(Request *request, const char *path)
{
	const char *slash = strrchr(path, '/');
	FILE *file = fopen(path, "r");

	if (file == NULL)
	{
		perror(path);
		exit(1);
	}
	snprintf(request->target, sizeof(request->target), "DynamoDB_20120810.%s",
			 slash == NULL ? path : slash + 1);
	request->body = malloc(MAX_BODY);
	request->length = fread(request->body, 1, MAX_BODY, file);
	fclose(file);
}

static struct curl_slist *
add(struct curl_slist *list, const char *name, const char *value)
{
	char line[4096];

	snprintf(line, sizeof(line), "%s: %s", name, value);
	return curl_slist_append(list, line);
}

/* Sign and send one request. */
static void
send_request(CURL *easy, TxsSigner *signer, const Request *request)
{
	char authorization[4096];
	char date[32];
	time_t seconds = time(NULL);
	struct curl_slist *list = curl_slist_append(NULL, "Expect:");
	TxsHeader headers[] = {{"content-type", "application/x-amz-json-1.0"},
						   {"host", host},
						   {"x-amz-date", date},
						   {"x-amz-target", request->target}};
	TxsSigningInput input = {
		.method = "POST",
		.path = "/",
		.headers = headers,
		.nheaders = 4,
		.body = request->body,
		.body_length = request->length,
		.region = "us-east-1",
		.service = "dynamodb",
		.timestamp = date,
	};

	strftime(date, sizeof(date), "%Y%m%dT%H%M%SZ", gmtime(&seconds));
	if (!txs_sigv4_sign(signer, &input, &credentials, authorization,
						sizeof(authorization)))
		exit(1);
	for (int i = 0; i < 4; i++)
		list = add(list, headers[i].name, headers[i].value);
	list = add(list, "authorization", authorization);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, list);
	curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request->body);
	curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long) request->length);
	if (curl_easy_perform(easy) != CURLE_OK)
		exit(1);
	curl_slist_free_all(list);
}

int
main(int argc, char **argv)
{
	CURL *easy = curl_easy_init();
	TxsSigner *signer = txs_sigv4_create();
	int nrequests = argc - 3;
	long times;
	size_t got = 0;
	double used;

	if (nrequests < 1 || nrequests > MAX_REQUESTS || easy == NULL)
		return 2;
	host = strstr(argv[1], "//") + 2;
	times = atol(argv[2]);
	for (int i = 0; i < nrequests; i++)
		read_request(&requests[i], argv[3 + i]);
	curl_easy_setopt(easy, CURLOPT_URL, argv[1]);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, count);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, &got);
	send_request(easy, signer, &requests[0]); /* connects */
	used = cpu();
	for (long round = 0; round < times; round++)
	{
		double start = now();

		for (int i = 0; i < nrequests; i++)
			send_request(easy, signer, &requests[i]);
		printf("%.1f\n", now() - start);
	}
	fprintf(stderr, "%.1f\n", (cpu() - used) / times);
	txs_sigv4_free(signer);
	curl_easy_cleanup(easy);
	return 0;
}
