/*
 * The shared files of the AWS tools, usually ~/.aws/config and
 * ~/.aws/credentials: what they say of one profile.
 *
 * Texts in, values out; reading the files is the caller's.  The rules are those
 * of the AWS SDKs (aws-c-sdkutils), and where the AWS CLI takes more, its.
 */
#ifndef TXS_PROFILE_H
#define TXS_PROFILE_H

#include <stdbool.h>

#include "json/json.h"

#define TXS_PROFILE_MAX_TEXT  (1024 * 1024) /* of one file */
#define TXS_PROFILE_MAX_VALUE 8192

typedef enum TxsProfileFile
{
	TXS_PROFILE_CONFIG,
	TXS_PROFILE_CREDENTIALS
} TxsProfileFile;

/*
 * NULL: not there, or empty.  The keys are those of one file, never mixed.  A
 * value may have line breaks, where the file continues it.
 */
typedef struct TxsProfile
{
	bool found; /* either file has a section of that name */
	char *access_key_id;
	char *secret_access_key;
	char *session_token;
	char *account_id;
	char *region;
	char *role_arn;
	char *role_session_name;
	char *web_identity_token_file;
	char *source_profile;
	char *credential_source;
	char *credential_process;
	char *sso_session;
	char *sso_start_url;
	char *endpoint_url;
	char *services;				 /* name of the section services */
	char *dynamodb_endpoint_url; /* of that section */
	char *sts_endpoint_url;
	char *ignore_endpoint_urls;
	char *metadata_endpoint;
	char *metadata_endpoint_mode;
} TxsProfile;

typedef struct TxsProfileError
{
	const char *problem; /* constant words: nothing of the file */
	TxsProfileFile file;
	int line; /* from 1; 0: the file as a whole */
} TxsProfileError;

/*
 * Read what two files (data is NULL where there is none) say of a profile.
 * False if a file has a syntax error or is too large, or memory is short; the
 * profile is empty then.  The caller frees it with txs_profile_free().
 */
extern bool txs_profile_read(const char *name, TxsSlice config,
							 TxsSlice credentials, TxsProfile *profile,
							 TxsProfileError *error);

/* Wipe and free all values; what is left is an empty profile. */
extern void txs_profile_free(TxsProfile *profile);

#endif /* TXS_PROFILE_H */
