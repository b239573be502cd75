/*
 * Which of several endpoints counts: botocore's cases.  They are about S3, and
 * a few about DynamoDB; here, S3 is called DynamoDB in the former.
 */
#include <stdio.h>
#include <string.h>

#include "creds_test.h"
#include "tap.h"
#include "tree.h"

/* A config file and its end. */
typedef struct File
{
	char text[4096];
	size_t length;
} File;

static const char *renamed; /* the service that plays DynamoDB's part */

static void test_one(const Tree *suite, const Tree *one);
static void write_profile(File *file, const Tree *profile);
static void write_services(File *file, const Tree *services);
static void append(File *file, const char *format, const char *a,
				   const char *b);
static const char *service_name(const char *name);
static const char *lookup(void *context, const char *name);

void
test_endpoints(const char *vectors)
{
	Tree *tree = tree_read(vectors);
	const Tree *suite = tree_get(tree, "testSuites")->first;
	const Tree *tests = tree_get(suite, "endpointUrlTests");
	const Tree *one;

	ok(tree_count(tests) == 39, "endpoints: all cases are there");
	for (one = tests->first; one != NULL; one = one->next)
		test_one(suite, one);
	tree_free(tree);
}

static void
test_one(const Tree *suite, const Tree *one)
{
	const Tree *client = tree_get(tree_get(suite, "client_configs"),
								  tree_text(one, "client_config"));
	const Tree *variables = tree_get(tree_get(suite, "environments"),
									 tree_text(one, "environment"));
	const char *name = tree_text(one, "profile");
	const char *expected = tree_text(tree_get(one, "output"), "endpointUrl");
	const char *got;
	TxsEnvironment environment;
	TxsProfile profile;
	TxsProfileError error;
	File file = {"", 0};

	renamed = tree_text(one, "service");
	if (strcmp(expected, "https://s3.fake-region-10.amazonaws.com") == 0)
		expected = NULL; /* that of the rules: nobody has set any */
	append(&file, "[profile %s]\n%s", name, "");
	write_profile(&file, tree_get(tree_get(suite, "profiles"), name));
	write_services(&file, tree_get(suite, "services"));
	txs_environment_read(&environment, lookup, (void *) variables);
	/* The client's switch, which we do not have, is the variable's. */
	if (tree_bool(client, "ignore_configured_endpoint_urls", false))
		environment.ignore_endpoint_urls = "true";

	if (!txs_profile_read(name, (TxsSlice){file.text, file.length},
						  (TxsSlice){NULL, 0}, &profile, &error))
		diag("line %d: %s", error.line, error.problem);
	got = txs_environment_endpoint(TXS_SERVICE_DYNAMODB,
								   tree_text(client, "endpoint_url"),
								   &environment, &profile);
	ok(same_text(got, expected), "endpoints: %s", tree_text(one, "name"));
	txs_profile_free(&profile);
}

static void
write_profile(File *file, const Tree *profile)
{
	const Tree *value;

	for (value = profile->first; value != NULL; value = value->next)
		append(file, "%s = %s\n", value->name, value->text);
}

static void
write_services(File *file, const Tree *services)
{
	const Tree *section;
	const Tree *service;

	for (section = services->first; section != NULL; section = section->next)
	{
		append(file, "[services %s]\n%s", section->name, "");
		for (service = section->first; service != NULL;
			 service = service->next)
			append(file, "%s =\n  endpoint_url = %s\n",
				   service_name(service->name),
				   tree_text(service, "endpoint_url"));
	}
}

static void
append(File *file, const char *format, const char *a, const char *b)
{
	size_t room = sizeof(file->text) - file->length;
	int length = snprintf(file->text + file->length, room, format, a, b);

	if (length > 0 && (size_t) length < room)
		file->length += length;
	else
		ok(false, "endpoints: the config file has room");
}

/* The name under which the case's service is looked for, and others. */
static const char *
service_name(const char *name)
{
	if (strcmp(name, renamed) == 0)
		return "dynamodb";
	return strcmp(name, "dynamodb") == 0 ? "another" : name;
}

static const char *
lookup(void *context, const char *name)
{
	if (strcmp(name, "AWS_ENDPOINT_URL_DYNAMODB") == 0 &&
		strcmp(renamed, "s3") == 0)
		name = "AWS_ENDPOINT_URL_S3";
	return tree_text(context, name);
}
