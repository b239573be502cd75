/*
 * The order of the sources of credentials; see source.h.
 */
#include "aws/source.h"

#include <string.h>

#include "aws/container.h"
#include "aws/imds.h"
#include "aws/keys.h"

/* Problems of a source that has keys, but not whole ones. */
typedef struct Halves
{
	const char *no_id;
	const char *no_secret;
} Halves;

static const Halves mapping_halves = {
	"the user mapping has no access_key_id for its secret",
	"the user mapping has no secret_access_key"};
static const Halves environment_halves = {
	"the environment has AWS_SECRET_ACCESS_KEY and no AWS_ACCESS_KEY_ID",
	"the environment has AWS_ACCESS_KEY_ID and no AWS_SECRET_ACCESS_KEY"};
static const Halves profile_halves = {
	"the profile has aws_secret_access_key and no aws_access_key_id",
	"the profile has aws_access_key_id and no aws_secret_access_key"};

static void choose_server(const TxsSourceInput *input,
						  TxsSourceChoice *choice);
static bool choose_profile(const TxsProfile *profile, TxsSourceChoice *choice);
static bool choose_web_identity(const char *role_arn, const char *token_file,
								const char *session_name, const char *no_role,
								TxsSourceChoice *choice);
static bool choose_keys(const TxsCredentials *credentials, TxsSource source,
						const Halves *halves, TxsSourceChoice *choice);
static bool has_mapping(const TxsSourceInput *input);
static bool fail(TxsSourceChoice *choice, const char *problem);

void
txs_source_choose(const TxsSourceInput *input, TxsSourceChoice *choice)
{
	memset(choice, 0, sizeof(*choice));
	if (has_mapping(input))
		choose_keys(&input->mapping, TXS_SOURCE_MAPPING, &mapping_halves,
					choice);
	else if (input->may_be_server)
		choose_server(input, choice);
	else if (input->has_url)
	{
		choice->source = TXS_SOURCE_DUMMY;
		choice->credentials.access_key_id = TXS_SOURCE_DUMMY_ID;
		choice->credentials.secret_access_key = TXS_SOURCE_DUMMY_SECRET;
	}
	else
		fail(choice, "there is no user mapping with credentials");
}

bool
txs_source_needs_server(const TxsSourceInput *input)
{
	return !has_mapping(input) && input->may_be_server;
}

const char *
txs_source_name(TxsSource source)
{
	static const char *const names[] = {"none",			"user mapping",
										"dummy keys",	"environment",
										"profile",		"container",
										"web identity", "instance metadata"};

	return names[source];
}

/*
 * As in the AWS CLI, a profile that is asked for by name (not by AWS_PROFILE)
 * comes before the environment; as in Orleans, nothing else will do then.
 */
static void
choose_server(const TxsSourceInput *input, TxsSourceChoice *choice)
{
	const TxsEnvironment *environment = input->environment;
	TxsCredentials keys = {environment->access_key_id,
						   environment->secret_access_key,
						   environment->session_token};

	if (input->profile_option == NULL &&
		choose_keys(&keys, TXS_SOURCE_ENVIRONMENT, &environment_halves,
					choice))
		return;
	if (!input->profile->found &&
		(input->profile_option != NULL || environment->profile != NULL))
	{
		fail(choice, "there is no such profile");
		return;
	}
	if (choose_profile(input->profile, choice))
		return;
	if (input->profile_option != NULL)
		fail(choice, "the profile has no credentials");
	else if (txs_container_is_there(environment))
		choice->source = TXS_SOURCE_CONTAINER;
	else if (choose_web_identity(
				 environment->role_arn, environment->web_identity_token_file,
				 environment->role_session_name,
				 "the environment has AWS_WEB_IDENTITY_TOKEN_FILE and no "
				 "AWS_ROLE_ARN",
				 choice))
		return;
	else if (txs_imds_is_disabled(environment))
		fail(choice, "there are no credentials in the environment or the "
					 "profile, no container or web identity, and instance "
					 "metadata is disabled");
	else
		choice->source = TXS_SOURCE_IMDS;
}

/*
 * A role comes before keys, as in the CLI.  What we cannot do is said, rather
 * than that the profile's keys act instead of its role.
 */
static bool
choose_profile(const TxsProfile *profile, TxsSourceChoice *choice)
{
	TxsCredentials keys = {profile->access_key_id, profile->secret_access_key,
						   profile->session_token};

	if (profile->role_arn != NULL && profile->web_identity_token_file == NULL)
		return fail(choice,
					"the profile assumes a role otherwise than by a web "
					"identity, which is not supported");
	if (choose_web_identity(profile->role_arn,
							profile->web_identity_token_file,
							profile->role_session_name,
							"the profile has web_identity_token_file and no "
							"role_arn",
							choice))
		return true;
	if (choose_keys(&keys, TXS_SOURCE_PROFILE, &profile_halves, choice))
		return true;
	if (profile->sso_session != NULL || profile->sso_start_url != NULL)
		return fail(choice, "the profile uses single sign-on, which is not "
							"supported");
	if (profile->credential_process != NULL)
		return fail(choice, "the profile has a credential_process, which is "
							"not supported");
	return false;
}

/* True if there is one, or half of one, which is a problem. */
static bool
choose_web_identity(const char *role_arn, const char *token_file,
					const char *session_name, const char *no_role,
					TxsSourceChoice *choice)
{
	if (token_file == NULL)
		return false;
	if (role_arn == NULL)
		return fail(choice, no_role);
	choice->source = TXS_SOURCE_WEB_IDENTITY;
	choice->role_arn = role_arn;
	choice->token_file = token_file;
	choice->session_name = session_name;
	return true;
}

/* True if there are keys, or half of them, which is a problem. */
static bool
choose_keys(const TxsCredentials *credentials, TxsSource source,
			const Halves *halves, TxsSourceChoice *choice)
{
	const char *problem;

	if (credentials->access_key_id == NULL &&
		credentials->secret_access_key == NULL &&
		(source != TXS_SOURCE_MAPPING || credentials->session_token == NULL))
		return false;
	if (credentials->access_key_id == NULL)
		return fail(choice, halves->no_id);
	if (credentials->secret_access_key == NULL)
		return fail(choice, halves->no_secret);
	problem = txs_keys_check(credentials);
	if (problem != NULL)
		return fail(choice, problem);
	choice->source = source;
	choice->credentials = *credentials;
	return true;
}

static bool
has_mapping(const TxsSourceInput *input)
{
	return input->mapping.access_key_id != NULL ||
		   input->mapping.secret_access_key != NULL ||
		   input->mapping.session_token != NULL;
}

/* Always true: the search is over. */
static bool
fail(TxsSourceChoice *choice, const char *problem)
{
	choice->source = TXS_SOURCE_NONE;
	choice->problem = problem;
	return true;
}
