/*
 * A set of credentials that we own: a value of fixed size, without pointers, so
 * that it can lie in shared memory, be copied whole and be wiped whole.
 *
 * The texts that this and its neighbours give for a problem are constant words:
 * nothing of a key, a token or an answer is ever in them.
 */
#ifndef TXS_KEYS_H
#define TXS_KEYS_H

#include <stdint.h>

#include "aws/sigv4.h"

/* With the NUL.  AWS promises 16 to 128 characters for the first, has 40 in
 * the second, and gives no limit for tokens; they have 300 to 2,000. */
#define TXS_KEYS_ID_SIZE	  129
#define TXS_KEYS_SECRET_SIZE  257
#define TXS_KEYS_TOKEN_SIZE	  8193
#define TXS_KEYS_ACCOUNT_SIZE 13

#define TXS_KEYS_NEVER INT64_MAX /* they do not expire */

typedef struct TxsKeys
{
	char access_key_id[TXS_KEYS_ID_SIZE];
	char secret_access_key[TXS_KEYS_SECRET_SIZE];
	char session_token[TXS_KEYS_TOKEN_SIZE]; /* empty: none */
	char account_id[TXS_KEYS_ACCOUNT_SIZE];	 /* empty: not known */
	int64_t expires_at; /* as the source said, seconds since 1970 */
} TxsKeys;

/* What became of an attempt to fetch keys, or a step of it. */
typedef enum TxsFetch
{
	TXS_FETCH_DONE,
	TXS_FETCH_AGAIN,	 /* may succeed when tried again */
	TXS_FETCH_NEW_TOKEN, /* IMDS: begin again with a new token */
	TXS_FETCH_FAILED
} TxsFetch;

typedef struct TxsFetchError
{
	const char *problem;
	char code[64]; /* of the service, letters and digits; may be empty */
} TxsFetchError;

/*
 * Can these be used?  NULL if so, else what is wrong.  An id and a token must
 * be visible ASCII, for they go into headers; a secret has no controls.
 */
extern const char *txs_keys_check(const TxsCredentials *credentials);

/* Copy what passes that check; they never expire until said otherwise. */
extern const char *txs_keys_set(TxsKeys *keys,
								const TxsCredentials *credentials);

/* As what signing takes; valid as long as keys is. */
extern TxsCredentials txs_keys_view(const TxsKeys *keys);

/* Overwrite with zeros, in a way that the compiler does not leave out. */
extern void txs_keys_wipe(TxsKeys *keys);

/* Keep the service's error code if it looks like one. */
extern void txs_keys_set_code(TxsFetchError *error, const char *text,
							  size_t length);

#endif /* TXS_KEYS_H */
