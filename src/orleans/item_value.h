/*
 * One attribute value of a DynamoDB item in JSON: {"S":"text"} and its kin.
 */
#ifndef TXS_ITEM_VALUE_H
#define TXS_ITEM_VALUE_H

#include "json/json.h"

typedef struct TxsItemValue
{
	char type;		  /* 'S', 'N', 'B', or 0 for any other */
	TxsSlice content; /* of S, N and B: between the quotes, as written */
	bool escaped;	  /* content holds a backslash */
	size_t size;	  /* Orleans' count of the value, without its name */
} TxsItemValue;

/*
 * Read the value that comes next, whole.  NULL if it is a value that the
 * service knows (spec dynamodb-client section 7), else what is wrong, in
 * constant words that can follow a colon.  Whether a B is base64 throughout
 * is left to the caller, who decodes it; of those within another value it is
 * checked.
 */
extern const char *txs_item_value_read(TxsReader *reader, TxsItemValue *value);

/* Bytes of a text as they count: with its escapes resolved. */
extern size_t txs_item_text_length(TxsSlice content, bool escaped);

/*
 * Number of bytes that a text of base64 stands for, which may hold escapes;
 * false if it is not base64.
 */
extern bool txs_item_bytes_length(TxsSlice content, bool escaped,
								  size_t *length);

#endif /* TXS_ITEM_VALUE_H */
