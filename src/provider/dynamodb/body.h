/*
 * Parts of request bodies that several files need.
 */
#ifndef TXS_DYNAMODB_BODY_H
#define TXS_DYNAMODB_BODY_H

#include "provider/dynamodb/dynamodb.h"

extern void txs_body_open(TxsWriter *writer);
extern TxsSlice txs_body_finish(TxsWriter *writer);
extern void txs_body_text(TxsWriter *writer, const char *name,
						  const char *text);
/* A number as JSON writes it, not as an attribute value. */
extern void txs_body_number(TxsWriter *writer, const char *name, int64 number);
/* A member that is an attribute value of type S. */
extern void txs_body_value(TxsWriter *writer, const char *name,
						   const char *data, size_t length);
/* The same of type N. */
extern void txs_body_number_value(TxsWriter *writer, const char *name,
								  int64 number);
extern void txs_body_table(TxsWriter *writer, const TxsStorage *storage);
/* The two key attributes of a row, as members. */
extern void txs_body_key(TxsWriter *writer, TxsSlice partition, bool is_key,
						 int64 sequence);
extern void txs_body_start(TxsWriter *writer, TxsSlice start);

#endif /* TXS_DYNAMODB_BODY_H */
