/*
 * Where DynamoDB is: the rules of botocore's endpoint rule set (spec
 * dynamodb-client section 6), without endpoints of an account, which need DNS
 * and network rules of their own.  Values in, values out.
 */
#ifndef TXS_ENDPOINT_H
#define TXS_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct TxsEndpointInput
{
	const char *region;	  /* NULL: none */
	const char *endpoint; /* a URL that overrides the rules; NULL: none */
	bool use_fips;
	bool use_dual_stack;
} TxsEndpointInput;

typedef struct TxsEndpoint
{
	char url[512];	  /* without a path */
	char host[300];	  /* value of the header Host: a port only if it is not the
						 scheme's own */
	char region[64];  /* to sign for */
	bool is_secure;	  /* https */
	bool is_loopback; /* localhost, 127.0.0.0/8, [::1] */
} TxsEndpoint;

/*
 * Resolve.  NULL on success, else what is wrong, in constant words.
 */
extern const char *txs_endpoint_resolve(const TxsEndpointInput *input,
										TxsEndpoint *endpoint);

#endif /* TXS_ENDPOINT_H */
