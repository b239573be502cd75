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
 * constant words that can follow a colon.
 */
extern const char *txs_item_value_read(TxsReader *reader, TxsItemValue *value);

/* Bytes of a text as they count: with its escapes resolved. */
extern size_t txs_item_text_length(TxsSlice content, bool escaped);

#endif /* TXS_ITEM_VALUE_H */
