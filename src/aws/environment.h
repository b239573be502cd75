/*
 * What the environment says to AWS clients, and the settings that it and the
 * shared files make together: region and endpoint.
 */
#ifndef TXS_ENVIRONMENT_H
#define TXS_ENVIRONMENT_H

#include "aws/profile.h"

/* Values of variables, NULL where unset or empty. */
typedef struct TxsEnvironment
{
	const char *access_key_id;
	const char *secret_access_key;
	const char *session_token;
	const char *account_id;
	const char *region;
	const char *default_region;
	const char *profile;
	const char *config_file;
	const char *credentials_file;
	const char *home;
	const char *role_arn;
	const char *role_session_name;
	const char *web_identity_token_file;
	const char *container_relative_uri;
	const char *container_full_uri;
	const char *container_token;
	const char *container_token_file;
	const char *metadata_disabled;
	const char *metadata_endpoint;
	const char *metadata_endpoint_mode;
	const char *endpoint_url;
	const char *dynamodb_endpoint_url;
	const char *sts_endpoint_url;
	const char *ignore_endpoint_urls;
} TxsEnvironment;

/* A service whose endpoint can be set. */
typedef enum TxsService
{
	TXS_SERVICE_DYNAMODB,
	TXS_SERVICE_STS
} TxsService;

/* As getenv(), which is what lookup is outside of tests. */
extern void txs_environment_read(TxsEnvironment *environment,
								 const char *(*lookup)(void *context,
													   const char *name),
								 void *context);

/*
 * The profile that is meant: the option if there is one (it may be NULL), the
 * environment's, or "default".
 */
extern const char *txs_environment_profile(const TxsEnvironment *environment,
										   const char *option);

/*
 * Where a shared file is; "~/" at the start is the home.  NULL on success, else
 * what is wrong.
 */
extern const char *txs_environment_path(const TxsEnvironment *environment,
										TxsProfileFile file, char *path,
										size_t size);

/* Region: option, environment, profile; NULL: none.  Any may be NULL. */
extern const char *txs_environment_region(const char *option,
										  const TxsEnvironment *environment,
										  const TxsProfile *profile);

/*
 * The endpoint that somebody has set for a service, NULL: nobody has.  Option,
 * environment and profile may be NULL.
 */
extern const char *txs_environment_endpoint(TxsService service,
											const char *option,
											const TxsEnvironment *environment,
											const TxsProfile *profile);

/* Is this "true", in any case? */
extern bool txs_environment_is_true(const char *value);

#endif /* TXS_ENVIRONMENT_H */
