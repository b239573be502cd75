/*
 * Keys from a container's agent: ECS, EKS Pod Identity and what imitates them.
 */
#ifndef TXS_CONTAINER_H
#define TXS_CONTAINER_H

#include "aws/environment.h"
#include "aws/keys.h"

/* As botocore: the agent is on this host. */
#define TXS_CONTAINER_TIMEOUT  2000 /* milliseconds of an attempt */
#define TXS_CONTAINER_ATTEMPTS 3
#define TXS_CONTAINER_PAUSE	   1000 /* between them */

#define TXS_CONTAINER_URL_SIZE 2048

/* Does the environment say that there is such an agent? */
extern bool txs_container_is_there(const TxsEnvironment *environment);

/*
 * Where to ask.  NULL on success, else what is wrong.  Without TLS only
 * loopback and the agents' own addresses are asked.
 */
extern const char *txs_container_url(const TxsEnvironment *environment,
									 char *url, size_t size);

/*
 * The value of the header Authorization: file is what the file has that
 * AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE names (read anew each time), data NULL
 * if it names none; then AWS_CONTAINER_AUTHORIZATION_TOKEN counts.  NULL on
 * success (*value is of the file or the variable, data NULL: no header), else
 * what is wrong.
 */
extern const char *txs_container_token(const TxsEnvironment *environment,
									   TxsSlice file, TxsSlice *value);

/* Read the answer; see key_answer.h. */
extern TxsFetch txs_container_read(int status, TxsSlice body, TxsKeys *keys,
								   TxsFetchError *error);

#endif /* TXS_CONTAINER_H */
