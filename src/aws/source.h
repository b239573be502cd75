/*
 * Whose credentials sign a request: the order of the sources.
 *
 * A user mapping's come first.  The server's own identity (environment, shared
 * files, container, web identity, instance) is only for whom a superuser has
 * allowed it.  Who has neither, but an endpoint that is a URL, signs as Orleans
 * does against a local server, with keys that mean nothing.
 */
#ifndef TXS_SOURCE_H
#define TXS_SOURCE_H

#include "aws/environment.h"
#include "aws/sigv4.h"

/* Orleans' DynamoDBStorage signs so where its service is a URL. */
#define TXS_SOURCE_DUMMY_ID		"dummy"
#define TXS_SOURCE_DUMMY_SECRET "dummyKey"
#define TXS_SOURCE_DUMMY_REGION "us-east-1"

typedef enum TxsSource
{
	TXS_SOURCE_NONE, /* see problem */
	TXS_SOURCE_MAPPING,
	TXS_SOURCE_DUMMY, /* sign for TXS_SOURCE_DUMMY_REGION */
	TXS_SOURCE_ENVIRONMENT,
	TXS_SOURCE_PROFILE,
	TXS_SOURCE_CONTAINER,
	TXS_SOURCE_WEB_IDENTITY,
	TXS_SOURCE_IMDS
} TxsSource;

typedef struct TxsSourceInput
{
	TxsCredentials mapping;		/* of the user mapping; NULL: not there */
	bool may_be_server;			/* a superuser allowed the server's identity */
	bool has_url;				/* the storage's endpoint is a URL */
	const char *profile_option; /* profile_name, NULL: not given */
	const TxsEnvironment *environment;
	const TxsProfile *profile; /* what txs_environment_profile() names */
} TxsSourceInput;

/* What the fields point at is the input's. */
typedef struct TxsSourceChoice
{
	TxsSource source;
	const char *problem; /* NONE: what is missing, in constant words */

	TxsCredentials credentials; /* MAPPING, DUMMY, ENVIRONMENT, PROFILE */

	/* WEB_IDENTITY */
	const char *role_arn;
	const char *token_file;
	const char *session_name; /* may be NULL */
} TxsSourceChoice;

/*
 * Choose.  Half a pair of keys is an error and never passed over: its owner
 * meant it to be used.  environment and profile are not looked at unless
 * txs_source_needs_server() says that they will be.
 */
extern void txs_source_choose(const TxsSourceInput *input,
							  TxsSourceChoice *choice);

/* Must environment and profile be read for the choice? */
extern bool txs_source_needs_server(const TxsSourceInput *input);

/* Its name in messages and views: "user mapping", "environment". */
extern const char *txs_source_name(TxsSource source);

#endif /* TXS_SOURCE_H */
