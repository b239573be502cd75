/*
 * Keys for a web identity (IAM roles for service accounts): the one unsigned
 * call of STS, AssumeRoleWithWebIdentity, in form encoding, answered in XML.
 */
#ifndef TXS_STS_H
#define TXS_STS_H

#include "aws/keys.h"
#include "json/json.h"

#define TXS_STS_URL_SIZE  512
#define TXS_STS_BODY_SIZE 65536 /* enough for any token that STS takes */

#define TXS_STS_CONTENT_TYPE "application/x-www-form-urlencoded"

/* Who wants to be what. */
typedef struct TxsStsRequest
{
	const char *role_arn;
	const char *session_name; /* NULL: made from now */
	TxsSlice token;			  /* the file's content, read anew for each call */
	int64_t now;			  /* seconds since 1970 */
} TxsStsRequest;

/*
 * The URL to send to: the endpoint if somebody has set one (else NULL), or
 * STS of the region.  NULL on success, else what is wrong.
 */
extern const char *txs_sts_url(const char *endpoint, const char *region,
							   char *url, size_t size);

/*
 * Write the body, which holds a secret.  NULL on success, else what is wrong.
 */
extern const char *txs_sts_write(const TxsStsRequest *request, char *body,
								 size_t size, size_t *length);

/*
 * Read an answer; status 0: there was none.  Unless DONE, keys are wiped and
 * error says why.
 */
extern TxsFetch txs_sts_read(int status, TxsSlice body, TxsKeys *keys,
							 TxsFetchError *error);

#endif /* TXS_STS_H */
