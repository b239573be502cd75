/*
 * Signature Version 4, for requests to AWS services.
 *
 * Values in, values out: no I/O, no clock.  Builds outside the server, too.
 * Source of the rules: spec dynamodb-client section 1.
 */
#ifndef TXS_SIGV4_H
#define TXS_SIGV4_H

#include <stdbool.h>
#include <stddef.h>

/* Of a request; more cannot be signed. */
#define TXS_SIGV4_MAX_HEADERS 64

/* An HTTP header. */
typedef struct TxsHeader
{
	const char *name;
	const char *value;
} TxsHeader;

typedef struct TxsCredentials
{
	const char *access_key_id;
	const char *secret_access_key;
	const char *session_token; /* NULL: none.  Signed if, and only if, it is
								* among the headers as x-amz-security-token */
} TxsCredentials;

/* What is signed. */
typedef struct TxsSigningInput
{
	const char *method;
	const char *path;  /* "/" if empty; as it is sent, not yet encoded */
	bool keep_path;	   /* sign "//", "." and ".." in it as they are */
	const char *query; /* without "?", as it is sent; NULL: none */
	const TxsHeader *headers; /* all that are signed, in any order; host and
								 x-amz-date must be among them */
	int nheaders;
	const void *body;
	size_t body_length;
	const char *region;
	const char *service;
	const char *timestamp; /* of x-amz-date: 20261201T051500Z */
} TxsSigningInput;

/*
 * Keeps what signing needs from one request to the next: digests, and the key
 * derived from the last secret, date, region and service.
 */
typedef struct TxsSigner TxsSigner;

/*
 * A signer, to be freed with txs_sigv4_free(); NULL when memory is short or
 * OpenSSL fails.
 */
extern TxsSigner *txs_sigv4_create(void);
extern void txs_sigv4_free(TxsSigner *signer);

/*
 * Write the value of the header Authorization, with a NUL.  False when it does
 * not fit into size bytes, when timestamp has another form or there are too
 * many headers, or when OpenSSL or memory fails; OpenSSL's error queue is
 * empty afterwards.
 */
extern bool txs_sigv4_sign(TxsSigner *signer, const TxsSigningInput *input,
						   const TxsCredentials *credentials,
						   char *authorization, size_t size);

#endif /* TXS_SIGV4_H */
