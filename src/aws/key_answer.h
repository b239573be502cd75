/*
 * Keys in JSON, as the container services and IMDS answer with them.
 */
#ifndef TXS_KEY_ANSWER_H
#define TXS_KEY_ANSWER_H

#include "aws/keys.h"
#include "json/json.h"

#define TXS_KEY_ANSWER_MAX (64 * 1024)

/*
 * Read an answer to a request for keys.  A status of 200 alone means nothing:
 * IMDS also says so with Code and Message and no keys.  With is_temporary a
 * token and an expiration must be there; without, they may be.  Status 0: there
 * was no answer.  Unless DONE, keys are wiped and error says why.
 */
extern TxsFetch txs_key_answer_read(int status, TxsSlice body,
									bool is_temporary, TxsKeys *keys,
									TxsFetchError *error);

#endif /* TXS_KEY_ANSWER_H */
