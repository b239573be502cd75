/*
 * Signatures: all vectors of AWS, and those shaped like our requests.
 */
#include <dirent.h>
#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws/sigv4.h"
#include "aws_test.h"
#include "input.h"
#include "tap.h"
#include "tree.h"

#define MAX_CASES 64

/* A request of a vector, in memory of its own. */
typedef struct Request
{
	char *text;
	TxsHeader headers[TXS_SIGV4_MAX_HEADERS];
	TxsSigningInput input;
} Request;

static TxsSigner *signer;

static void test_aws_cases(const char *folder);
static void test_aws_case(const char *folder, const char *name);
static void test_botocore_cases(const char *folder);
static void test_dynamodb_cases(const char *folder);
static void test_dynamodb_case(const char *path);
static bool signs_as(const TxsSigningInput *input,
					 const TxsCredentials *credentials, const char *expected);

static char *
read_text(const char *folder, const char *name)
{
	char path[2048];
	TxsSlice content;
	char *text;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	content = read_file(path);
	if (content.data == NULL)
	{
		fprintf(stderr, "could not read %s\n", path);
		exit(2);
	}
	text = malloc(content.length + 1);
	if (text == NULL)
		abort();
	memcpy(text, content.data, content.length);
	text[content.length] = '\0';
	free((char *) content.data);
	return text;
}

static int
compare_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int
is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Call run(folder, name) for each entry of a folder, sorted. */
static void
each_entry(const char *folder,
		   void (*run)(const char *folder, const char *name))
{
	struct dirent **entries;
	int count = scandir(folder, &entries, is_visible, compare_names);
	int i;

	for (i = 0; i < count; i++)
	{
		run(folder, entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

/* A header's line, which lines that begin with a blank go on. */
static char *
parse_header(char *line, TxsHeader *header)
{
	char *end = line + strcspn(line, "\n");
	char *colon = strchr(line, ':');

	while (*end == '\n' && (end[1] == ' ' || end[1] == '\t'))
		end += 1 + strcspn(end + 1, "\n");
	*colon = '\0';
	header->name = line;
	header->value = colon + 1;
	return end;
}

/* "POST /path?query HTTP/1.1", headers, an empty line, the body. */
static void
parse_request(Request *request, char *text)
{
	TxsSigningInput *input = &request->input;
	char *at = text + strcspn(text, "\n");
	char *query;

	request->text = text;
	memset(input, 0, sizeof(*input));
	at[-strlen(" HTTP/1.1")] = '\0';
	*at++ = '\0';
	input->method = text;
	text[strcspn(text, " ")] = '\0';
	input->path = text + strlen(text) + 1;
	query = strchr(input->path, '?');
	if (query != NULL)
	{
		*query = '\0';
		input->query = query + 1;
	}
	while (*at != '\0' && *at != '\n')
	{
		char *end = parse_header(at, &request->headers[input->nheaders++]);

		at = end + (*end == '\n');
		*end = '\0';
	}
	if (*at == '\n')
		at++;
	input->headers = request->headers;
	input->body = at;
	input->body_length = strlen(at);
}

void
test_sigv4(const char *vectors)
{
	char folder[1024];

	signer = txs_sigv4_create();
	ok(signer != NULL, "a signer is made");
	snprintf(folder, sizeof(folder), "%s/sigv4/aws-c-auth-v4", vectors);
	test_aws_cases(folder);
	snprintf(folder, sizeof(folder), "%s/sigv4/botocore-aws4_testsuite",
			 vectors);
	test_botocore_cases(folder);
	snprintf(folder, sizeof(folder), "%s/sigv4/dynamodb-generated", vectors);
	test_dynamodb_cases(folder);
	ok(ERR_peek_error() == 0, "OpenSSL has no error left");
	txs_sigv4_free(signer);
}

static int cases;

static void
run_aws_case(const char *folder, const char *name)
{
	char path[1536];

	/* What is no case is a licence: in capital letters. */
	if (name[0] >= 'A' && name[0] <= 'Z')
		return;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	test_aws_case(path, name);
	cases++;
}

static void
test_aws_cases(const char *folder)
{
	cases = 0;
	each_entry(folder, run_aws_case);
	ok(cases == 38, "all cases of aws-c-auth are there");
}

/* The hexadecimal SHA-256 that the last line of a canonical request is. */
static const char *
last_line(const char *text)
{
	return strrchr(text, '\n') + 1;
}

static void
test_aws_case(const char *folder, const char *name)
{
	char path[2048];
	char timestamp[32] = "";
	Request request;
	Tree *context;
	const Tree *keys;
	TxsCredentials credentials = {NULL, NULL, NULL};
	char *canonical = read_text(folder, "header-canonical-request.txt");
	char *signed_request = read_text(folder, "header-signed-request.txt");
	char *expected = strstr(signed_request, "\nAuthorization:");
	const char *at;

	snprintf(path, sizeof(path), "%s/context.json", folder);
	context = tree_read(path);
	keys = tree_get(context, "credentials");
	credentials.access_key_id = tree_text(keys, "access_key_id");
	credentials.secret_access_key = tree_text(keys, "secret_access_key");
	credentials.session_token = tree_text(keys, "token");
	for (at = tree_text(context, "timestamp"); *at != '\0'; at++)
		if (*at != '-' && *at != ':')
			strncat(timestamp, at, 1);

	parse_request(&request, read_text(folder, "request.txt"));
	request.headers[request.input.nheaders++] =
		(TxsHeader){"X-Amz-Date", timestamp};
	if (credentials.session_token != NULL &&
		!tree_bool(context, "omit_session_token", false))
		request.headers[request.input.nheaders++] =
			(TxsHeader){"X-Amz-Security-Token", credentials.session_token};
	if (tree_bool(context, "sign_body", false))
		request.headers[request.input.nheaders++] =
			(TxsHeader){"x-amz-content-sha256", last_line(canonical)};
	request.input.keep_path = !tree_bool(context, "normalize", true);
	request.input.region = tree_text(context, "region");
	request.input.service = tree_text(context, "service");
	request.input.timestamp = timestamp;

	expected += strlen("\nAuthorization:");
	expected[strcspn(expected, "\n")] = '\0';
	ok(signs_as(&request.input, &credentials, expected), "aws-c-auth: %s",
	   name);
	tree_free(context);
	free(request.text);
	free(signed_request);
	free(canonical);
}

/*
 * get-vanilla-with-session-token has its token in the canonical request alone;
 * the tests of botocore give it to the signer.
 */
static void
add_token(Request *request, char *canonical)
{
	char *token = strstr(canonical, "\nx-amz-security-token:");

	if (token == NULL ||
		strcmp(request->headers[request->input.nheaders - 1].name,
			   "X-Amz-Security-Token") == 0)
		return;
	token += strlen("\nx-amz-security-token:");
	token[strcspn(token, "\n")] = '\0';
	request->headers[request->input.nheaders++] =
		(TxsHeader){"X-Amz-Security-Token", token};
}

static void
run_botocore_case(const char *folder, const char *name)
{
	TxsCredentials credentials = {"AKIDEXAMPLE",
								  "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
								  NULL};
	char path[1536];
	char file[512];
	char *canonical;
	char *expected;
	Request request;

	if (strchr(name, '.') != NULL || (name[0] >= 'A' && name[0] <= 'Z'))
		return;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (strcmp(name, "normalize-path") == 0 ||
		strcmp(name, "post-sts-token") == 0)
	{
		each_entry(path, run_botocore_case);
		return;
	}
	snprintf(file, sizeof(file), "%s.req", name);
	parse_request(&request, read_text(path, file));
	snprintf(file, sizeof(file), "%s.authz", name);
	expected = read_text(path, file);
	snprintf(file, sizeof(file), "%s.creq", name);
	canonical = read_text(path, file);
	add_token(&request, canonical);
	request.input.region = "us-east-1";
	request.input.service = "service";
	request.input.timestamp = "20150830T123600Z";
	ok(signs_as(&request.input, &credentials, expected), "botocore: %s", name);
	free(expected);
	free(canonical);
	free(request.text);
	cases++;
}

static void
test_botocore_cases(const char *folder)
{
	cases = 0;
	each_entry(folder, run_botocore_case);
	ok(cases == 34, "all cases of botocore are there");
}

static void
run_dynamodb_case(const char *folder, const char *name)
{
	char path[1536];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	test_dynamodb_case(path);
	cases++;
}

static void
test_dynamodb_cases(const char *folder)
{
	cases = 0;
	each_entry(folder, run_dynamodb_case);
	ok(cases == 12, "all requests shaped like ours are there");
}

static void
test_dynamodb_case(const char *path)
{
	Tree *tree = tree_read(path);
	const Tree *header = tree_get(tree, "headers_to_sign")->first;
	const char *body = tree_text(tree, "body");
	TxsCredentials credentials = {tree_text(tree, "access_key_id"),
								  tree_text(tree, "secret_access_key"),
								  tree_text(tree, "session_token")};
	TxsHeader headers[TXS_SIGV4_MAX_HEADERS];
	TxsSigningInput input = {
		.method = tree_text(tree, "method"),
		.path = tree_text(tree, "path"),
		.headers = headers,
		.body = body,
		.body_length = strlen(body),
		.region = tree_text(tree, "region"),
		.service = tree_text(tree, "service"),
		.timestamp = tree_text(tree, "timestamp"),
	};

	for (; header != NULL; header = header->next)
		headers[input.nheaders++] =
			(TxsHeader){header->first->text, header->first->next->text};
	ok(signs_as(&input, &credentials, tree_text(tree, "authorization")), "%s",
	   tree_text(tree, "name"));
	tree_free(tree);
}

/* Fresh and warm, into a buffer of just the size and into none. */
static bool
signs_as(const TxsSigningInput *input, const TxsCredentials *credentials,
		 const char *expected)
{
	size_t size = strlen(expected) + 1;
	char *fitting = malloc(size);
	TxsSigner *fresh = txs_sigv4_create();
	bool same = txs_sigv4_sign(signer, input, credentials, fitting, size) &&
				strcmp(fitting, expected) == 0;

	if (!same)
	{
		diag("got:      %s", fitting);
		diag("expected: %s", expected);
	}
	same = same && txs_sigv4_sign(fresh, input, credentials, fitting, size) &&
		   strcmp(fitting, expected) == 0 &&
		   !txs_sigv4_sign(fresh, input, credentials, fitting, size - 1) &&
		   !txs_sigv4_sign(fresh, input, credentials, NULL, 0);
	txs_sigv4_free(fresh);
	free(fitting);
	return same;
}
