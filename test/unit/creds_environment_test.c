/*
 * The environment, and what it and the profile set together.
 */
#include <string.h>

#include "creds_test.h"
#include "tap.h"

/* Each variable's value is its name, but for two. */
static const char *
lookup(void *context, const char *name)
{
	(*(int *) context)++;
	if (strcmp(name, "AWS_SESSION_TOKEN") == 0)
		return "";
	return strcmp(name, "AWS_REGION") == 0 ? NULL : name;
}

static void
test_variables(void)
{
	TxsEnvironment e;
	int count = 0;

	txs_environment_read(&e, lookup, &count);
	ok(count == 24, "environment: 24 variables are read");
	ok(same_text(e.access_key_id, "AWS_ACCESS_KEY_ID") &&
		   same_text(e.secret_access_key, "AWS_SECRET_ACCESS_KEY") &&
		   same_text(e.container_token_file,
					 "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") &&
		   same_text(e.sts_endpoint_url, "AWS_ENDPOINT_URL_STS"),
	   "environment: each goes to its place");
	ok(e.session_token == NULL && e.region == NULL,
	   "environment: an empty one is none");
	ok(same_text(txs_environment_region(NULL, &e, NULL), "AWS_DEFAULT_REGION"),
	   "environment: the default region counts where there is no other");
}

static void
test_paths(void)
{
	TxsEnvironment e = {.home = "/h"};
	char path[32];

	ok(txs_environment_path(&e, TXS_PROFILE_CONFIG, path, sizeof(path)) ==
			   NULL &&
		   same_text(path, "/h/.aws/config"),
	   "environment: the config file is at home");
	ok(txs_environment_path(&e, TXS_PROFILE_CREDENTIALS, path, 20) == NULL &&
		   same_text(path, "/h/.aws/credentials"),
	   "environment: the credentials file, too");
	ok(txs_environment_path(&e, TXS_PROFILE_CREDENTIALS, path, 19) != NULL,
	   "environment: a path that does not fit is an error");
	e.config_file = "/x/~/c";
	e.home = NULL;
	ok(txs_environment_path(&e, TXS_PROFILE_CONFIG, path, sizeof(path)) ==
			   NULL &&
		   same_text(path, "/x/~/c"),
	   "environment: a file that is set needs no home");
	ok(txs_environment_path(&e, TXS_PROFILE_CREDENTIALS, path, sizeof(path)) !=
		   NULL,
	   "environment: the usual one does");
}

static void
test_settings(void)
{
	TxsEnvironment e = {.region = "re", .default_region = "rd"};
	TxsProfile p = {.region = (char *) "rp",
					.endpoint_url = (char *) "pu",
					.dynamodb_endpoint_url = (char *) "pd"};

	ok(same_text(txs_environment_region("o", &e, &p), "o") &&
		   same_text(txs_environment_region(NULL, &e, &p), "re") &&
		   same_text(txs_environment_region(NULL, NULL, &p), "rp") &&
		   txs_environment_region(NULL, NULL, NULL) == NULL,
	   "environment: region by option, environment, profile");

#define ENDPOINT(service, option)                                             \
	txs_environment_endpoint(TXS_SERVICE_##service, option, &e, &p)
	ok(same_text(ENDPOINT(DYNAMODB, NULL), "pd") &&
		   same_text(ENDPOINT(STS, NULL), "pu"),
	   "environment: the profile's endpoint, of the service first");
	e.endpoint_url = "eu";
	ok(same_text(ENDPOINT(DYNAMODB, NULL), "eu"),
	   "environment: the environment's beats the profile's");
	e.sts_endpoint_url = "es";
	ok(same_text(ENDPOINT(DYNAMODB, NULL), "eu") &&
		   same_text(ENDPOINT(STS, NULL), "es"),
	   "environment: the environment's of the service beats that");
	e.ignore_endpoint_urls = "True";
	ok(ENDPOINT(STS, NULL) == NULL && same_text(ENDPOINT(STS, "o"), "o"),
	   "environment: all but the option can be ignored");
#undef ENDPOINT
	ok(same_text(txs_environment_profile(&e, NULL), "default") &&
		   same_text(txs_environment_profile(&e, "o"), "o"),
	   "environment: the profile is default without a name");
}

void
test_environment(void)
{
	test_variables();
	test_paths();
	test_settings();
}
