/*
 * jsonb values from bytes that may be anything, and from attributes of items.
 */
#ifndef TXS_FDW_JSONB_H
#define TXS_FDW_JSONB_H

#include "postgres.h"

#include "json/json.h"

/*
 * Are these bytes JSON that a jsonb can hold?  That leaves out a NUL in a
 * string, numbers beyond numeric, and more than TXS_JSON_MAX_DEPTH levels.
 */
extern bool txs_jsonb_is_valid(TxsSlice bytes);

/* A jsonb of bytes, palloc'd; false where they are none. */
extern bool txs_jsonb_make(TxsSlice bytes, Datum *result);

/*
 * An attribute of an object of attributes, {"name":{"S":"text"},...}, as jsonb:
 * S, N, B, BOOL and NULL become what they stand for, M and L objects and
 * arrays of that, sets arrays.  False where it is not there.
 */
extern bool txs_jsonb_make_attribute(TxsSlice attributes, const char *name,
									 Datum *result);

/* The same as text: of S, N, B and BOOL the content, of others JSON. */
extern bool txs_jsonb_attribute_text(TxsSlice attributes, const char *name,
									 TxsSlice *text);

#endif /* TXS_FDW_JSONB_H */
