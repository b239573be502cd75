/*
 * Keys of the role of an EC2 instance, from its metadata service (IMDS): three
 * requests, for a token, the role's name and the role's keys.  Only version 2:
 * version 1 works without a token and so for anyone who can make us send a GET.
 */
#ifndef TXS_IMDS_H
#define TXS_IMDS_H

#include "aws/environment.h"
#include "aws/keys.h"

/* As botocore.  The service is one hop away, or not there at all. */
#define TXS_IMDS_TIMEOUT 1000 /* milliseconds */

#define TXS_IMDS_URL_SIZE	512
#define TXS_IMDS_TOKEN_SIZE 1025 /* they have 56 characters */
#define TXS_IMDS_ROLE_SIZE	65	 /* IAM: up to 64 characters */

typedef struct TxsImdsRequest
{
	const char *method;
	char url[TXS_IMDS_URL_SIZE];
	TxsHeader header; /* its value may be the caller's token */
} TxsImdsRequest;

/* Does AWS_EC2_METADATA_DISABLED forbid to ask? */
extern bool txs_imds_is_disabled(const TxsEnvironment *environment);

/* The service's URL without a slash at its end.  profile may be NULL. */
extern const char *txs_imds_url(const TxsEnvironment *environment,
								const TxsProfile *profile, char *url,
								size_t size);

/* The three requests; false where a URL gets too long. */
extern bool txs_imds_ask_token(const char *url, TxsImdsRequest *request);
extern bool txs_imds_ask_role(const char *url, const char *token,
							  TxsImdsRequest *request);
extern bool txs_imds_ask_keys(const char *url, const char *token,
							  const char *role, TxsImdsRequest *request);

/* Read the answers.  Status 0: there was none. */
extern TxsFetch txs_imds_read_token(int status, TxsSlice body,
									char token[TXS_IMDS_TOKEN_SIZE],
									TxsFetchError *error);
extern TxsFetch txs_imds_read_role(int status, TxsSlice body,
								   char role[TXS_IMDS_ROLE_SIZE],
								   TxsFetchError *error);
extern TxsFetch txs_imds_read_keys(int status, TxsSlice body, TxsKeys *keys,
								   TxsFetchError *error);

#endif /* TXS_IMDS_H */
