/*
 * Where DynamoDB is: the rules of botocore's endpoint rule set (spec
 * dynamodb-client section 6).  Values in, values out.
 */
#ifndef TXS_ENDPOINT_H
#define TXS_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether to use a host name of the account.  Such names need wildcard DNS and
 * network rules of their own, so nothing turns them on by itself.
 */
typedef enum TxsAccountMode
{
	TXS_ACCOUNT_DISABLED,
	TXS_ACCOUNT_PREFERRED, /* if the account is known and can have one */
	TXS_ACCOUNT_REQUIRED
} TxsAccountMode;

typedef struct TxsEndpointInput
{
	const char *region;	  /* NULL: none */
	const char *endpoint; /* a URL that overrides the rules; NULL: none */
	bool use_fips;
	bool use_dual_stack;
	TxsAccountMode account_mode;
	const char *account_id; /* of the credentials; NULL: not known */
	const char *arns[2];	/* of tables, whose account comes before that one,
							 * the first that fits; NULL: none */
	bool is_search;			/* SearchVectors has hosts of its own */
} TxsEndpointInput;

typedef struct TxsEndpoint
{
	char url[512];	  /* without a path */
	char host[300];	  /* value of the header Host: a port only if it is not the
						 scheme's own */
	char region[64];  /* to sign for; us-east-1 where only a URL was given */
	bool is_secure;	  /* https */
	bool is_loopback; /* localhost, 127.0.0.0/8, [::1] */
} TxsEndpoint;

/*
 * Resolve.  NULL on success, else what is wrong, in constant words.
 */
extern const char *txs_endpoint_resolve(const TxsEndpointInput *input,
										TxsEndpoint *endpoint);

#endif /* TXS_ENDPOINT_H */
