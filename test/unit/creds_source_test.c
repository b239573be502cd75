/*
 * The order of the sources of credentials.
 */
#include <string.h>

#include "aws/source.h"
#include "creds_test.h"
#include "tap.h"

static TxsEnvironment environment;
static TxsProfile profile;
static TxsSourceInput input;

/* Begin with everything: tests take it away from the top. */
static void
begin(void)
{
	memset(&environment, 0, sizeof(environment));
	memset(&profile, 0, sizeof(profile));
	memset(&input, 0, sizeof(input));
	input.environment = &environment;
	input.profile = &profile;
	input.may_be_server = true;
	input.mapping = (TxsCredentials){"M", "MS", NULL};
	environment.access_key_id = "E";
	environment.secret_access_key = "ES";
	environment.session_token = "ET";
	environment.container_full_uri = "http://localhost/";
	environment.role_arn = "R";
	environment.web_identity_token_file = "F";
	environment.metadata_disabled = "TRUE";
	profile.found = true;
	profile.access_key_id = (char *) "P";
	profile.secret_access_key = (char *) "PS";
}

static void
expect(TxsSource source, const char *id, const char *what)
{
	TxsSourceChoice choice;

	txs_source_choose(&input, &choice);
	ok(choice.source == source &&
		   (source == TXS_SOURCE_NONE) == (choice.problem != NULL) &&
		   same_text(choice.credentials.access_key_id, id),
	   "source: %s", what);
	if (choice.source != source)
		diag("%s: %s", txs_source_name(choice.source),
			 choice.problem != NULL ? choice.problem : "");
}

static void
test_order(void)
{
	begin();
	expect(TXS_SOURCE_MAPPING, "M", "the user mapping is first");
	ok(!txs_source_needs_server(&input), "source: it needs no server");
	memset(&input.mapping, 0, sizeof(input.mapping));
	ok(txs_source_needs_server(&input), "source: the others do");
	expect(TXS_SOURCE_ENVIRONMENT, "E", "then the environment");
	environment.access_key_id = environment.secret_access_key = NULL;
	expect(TXS_SOURCE_PROFILE, "P", "then the profile");
	profile.access_key_id = profile.secret_access_key = NULL;
	expect(TXS_SOURCE_CONTAINER, NULL, "then the container");
	environment.container_full_uri = NULL;
	expect(TXS_SOURCE_WEB_IDENTITY, NULL, "then the web identity");
	environment.web_identity_token_file = NULL;
	expect(TXS_SOURCE_NONE, NULL, "not the instance where that is disabled");
	environment.metadata_disabled = NULL;
	expect(TXS_SOURCE_IMDS, NULL, "then the instance");
}

static void
test_rights(void)
{
	begin();
	memset(&input.mapping, 0, sizeof(input.mapping));
	input.may_be_server = false;
	expect(TXS_SOURCE_NONE, NULL, "the server's identity must be allowed");
	ok(!txs_source_needs_server(&input), "source: else it is not read");
	input.environment = NULL;
	input.profile = NULL;
	input.has_url = true;
	expect(TXS_SOURCE_DUMMY, TXS_SOURCE_DUMMY_ID,
		   "a URL without credentials has dummy keys");
}

static void
test_halves(void)
{
	begin();
	input.mapping.secret_access_key = NULL;
	expect(TXS_SOURCE_NONE, NULL, "half a mapping is an error");
	input.mapping = (TxsCredentials){NULL, NULL, "T"};
	expect(TXS_SOURCE_NONE, NULL, "a mapping of a token alone is one");
	input.mapping.session_token = NULL;
	environment.access_key_id = NULL;
	expect(TXS_SOURCE_NONE, NULL, "half an environment is an error");
	environment.secret_access_key = NULL;
	profile.access_key_id = NULL;
	expect(TXS_SOURCE_NONE, NULL, "half a profile is an error");
	profile.secret_access_key = NULL;
	environment.container_full_uri = NULL;
	environment.role_arn = NULL;
	expect(TXS_SOURCE_NONE, NULL, "a web identity without a role is one");
}

static void
test_profiles(void)
{
	begin();
	memset(&input.mapping, 0, sizeof(input.mapping));
	input.profile_option = "p";
	expect(TXS_SOURCE_PROFILE, "P", "a profile by name beats the environment");
	profile.role_arn = (char *) "R";
	expect(TXS_SOURCE_NONE, NULL, "its keys do not act instead of its role");
	profile.web_identity_token_file = (char *) "F";
	expect(TXS_SOURCE_WEB_IDENTITY, NULL, "a web identity beats its keys");
	profile.source_profile = (char *) "q";
	expect(TXS_SOURCE_WEB_IDENTITY, NULL, "and another source of the role");
	profile.role_arn = NULL;
	expect(TXS_SOURCE_NONE, NULL, "a profile's web identity needs a role");
	memset(&profile, 0, sizeof(profile));
	profile.found = true;
	expect(TXS_SOURCE_NONE, NULL, "a profile by name must have credentials");
	profile.found = false;
	expect(TXS_SOURCE_NONE, NULL, "a profile by name must be there");
	input.profile_option = NULL;
	environment.access_key_id = environment.secret_access_key = NULL;
	expect(TXS_SOURCE_CONTAINER, NULL, "the default one need not");
	environment.profile = "p";
	expect(TXS_SOURCE_NONE, NULL, "AWS_PROFILE must be there");
	profile.found = true;
	profile.credential_process = (char *) "x";
	expect(TXS_SOURCE_NONE, NULL, "credential_process is not passed over");
	profile.sso_session = (char *) "x";
	expect(TXS_SOURCE_NONE, NULL, "single sign-on is not passed over");
}

void
test_source(void)
{
	test_order();
	test_rights();
	test_halves();
	test_profiles();
}
