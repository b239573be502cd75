/*
 * What the environment says to AWS clients; see environment.h.
 */
#include "aws/environment.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct Variable
{
	const char *name;
	size_t offset;
} Variable;

static const Variable variables[] = {
	{"AWS_ACCESS_KEY_ID", offsetof(TxsEnvironment, access_key_id)},
	{"AWS_SECRET_ACCESS_KEY", offsetof(TxsEnvironment, secret_access_key)},
	{"AWS_SESSION_TOKEN", offsetof(TxsEnvironment, session_token)},
	{"AWS_ACCOUNT_ID", offsetof(TxsEnvironment, account_id)},
	{"AWS_REGION", offsetof(TxsEnvironment, region)},
	{"AWS_DEFAULT_REGION", offsetof(TxsEnvironment, default_region)},
	{"AWS_PROFILE", offsetof(TxsEnvironment, profile)},
	{"AWS_CONFIG_FILE", offsetof(TxsEnvironment, config_file)},
	{"AWS_SHARED_CREDENTIALS_FILE",
	 offsetof(TxsEnvironment, credentials_file)},
	{"HOME", offsetof(TxsEnvironment, home)},
	{"AWS_ROLE_ARN", offsetof(TxsEnvironment, role_arn)},
	{"AWS_ROLE_SESSION_NAME", offsetof(TxsEnvironment, role_session_name)},
	{"AWS_WEB_IDENTITY_TOKEN_FILE",
	 offsetof(TxsEnvironment, web_identity_token_file)},
	{"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
	 offsetof(TxsEnvironment, container_relative_uri)},
	{"AWS_CONTAINER_CREDENTIALS_FULL_URI",
	 offsetof(TxsEnvironment, container_full_uri)},
	{"AWS_CONTAINER_AUTHORIZATION_TOKEN",
	 offsetof(TxsEnvironment, container_token)},
	{"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
	 offsetof(TxsEnvironment, container_token_file)},
	{"AWS_EC2_METADATA_DISABLED", offsetof(TxsEnvironment, metadata_disabled)},
	{"AWS_EC2_METADATA_SERVICE_ENDPOINT",
	 offsetof(TxsEnvironment, metadata_endpoint)},
	{"AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE",
	 offsetof(TxsEnvironment, metadata_endpoint_mode)},
	{"AWS_ENDPOINT_URL", offsetof(TxsEnvironment, endpoint_url)},
	{"AWS_ENDPOINT_URL_DYNAMODB",
	 offsetof(TxsEnvironment, dynamodb_endpoint_url)},
	{"AWS_ENDPOINT_URL_STS", offsetof(TxsEnvironment, sts_endpoint_url)},
	{"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
	 offsetof(TxsEnvironment, ignore_endpoint_urls)},
};

void
txs_environment_read(TxsEnvironment *environment,
					 const char *(*lookup)(void *context, const char *name),
					 void *context)
{
	size_t i;

	memset(environment, 0, sizeof(*environment));
	for (i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
	{
		const char *value = lookup(context, variables[i].name);

		if (value != NULL && *value != '\0')
			*(const char **) ((char *) environment + variables[i].offset) =
				value;
	}
}

const char *
txs_environment_profile(const TxsEnvironment *environment, const char *option)
{
	if (option != NULL)
		return option;
	return environment->profile != NULL ? environment->profile : "default";
}

const char *
txs_environment_path(const TxsEnvironment *environment, TxsProfileFile file,
					 char *path, size_t size)
{
	const char *set = file == TXS_PROFILE_CONFIG
						  ? environment->config_file
						  : environment->credentials_file;
	const char *home = "";
	int length;

	if (set == NULL)
		set = file == TXS_PROFILE_CONFIG ? "~/.aws/config"
										 : "~/.aws/credentials";
	if (set[0] == '~' && set[1] == '/')
	{
		if (environment->home == NULL)
			return "HOME is not set";
		home = environment->home;
		set++;
	}
	length = snprintf(path, size, "%s%s", home, set);
	if (length < 0 || (size_t) length >= size)
		return "the path is too long";
	return NULL;
}

const char *
txs_environment_region(const char *option, const TxsEnvironment *environment,
					   const TxsProfile *profile)
{
	if (option != NULL)
		return option;
	if (environment != NULL && environment->region != NULL)
		return environment->region;
	if (environment != NULL && environment->default_region != NULL)
		return environment->default_region;
	return profile != NULL ? profile->region : NULL;
}

const char *
txs_environment_endpoint(TxsService service, const char *option,
						 const TxsEnvironment *environment,
						 const TxsProfile *profile)
{
	static const TxsEnvironment no_environment;
	static const TxsProfile no_profile;
	const char *candidates[4];
	size_t i;

	if (option != NULL)
		return option;
	if (environment == NULL)
		environment = &no_environment;
	if (profile == NULL)
		profile = &no_profile;
	if (txs_environment_is_true(environment->ignore_endpoint_urls) ||
		txs_environment_is_true(profile->ignore_endpoint_urls))
		return NULL;

	candidates[0] = service == TXS_SERVICE_STS
						? environment->sts_endpoint_url
						: environment->dynamodb_endpoint_url;
	candidates[1] = environment->endpoint_url;
	candidates[2] = service == TXS_SERVICE_STS
						? profile->sts_endpoint_url
						: profile->dynamodb_endpoint_url;
	candidates[3] = profile->endpoint_url;
	for (i = 0; i < 4; i++)
	{
		if (candidates[i] != NULL)
			return candidates[i];
	}
	return NULL;
}

bool
txs_environment_is_true(const char *value)
{
	return value != NULL && strcasecmp(value, "true") == 0;
}
