/*
 * Rows as DynamoDB items in JSON, the form in which they travel, and in
 * which import and export take and give them:
 * {"PartitionKey":{"S":"..."},"RowKey":{"S":"key"},"ETag":{"N":"0"},...}
 */
#ifndef TXS_ITEM_H
#define TXS_ITEM_H

#include "orleans/row.h"

typedef struct TxsItem
{
	TxsSlice partition;
	bool is_key;
	TxsKeyRow key;	   /* if is_key */
	TxsStateRow state; /* if not */
} TxsItem;

typedef enum TxsItemStatus
{
	TXS_ITEM_OK,
	TXS_ITEM_INVALID,	/* not JSON, not an item, or a value a silo cannot
						 * read */
	TXS_ITEM_MALFORMED, /* a state row whose row key is not one */
	TXS_ITEM_FOREIGN	/* neither a key row nor a state row */
} TxsItemStatus;

#define TXS_ITEM_MESSAGE_LENGTH 160

typedef struct TxsItemError
{
	char message[TXS_ITEM_MESSAGE_LENGTH]; /* no payload; a member's name */
} TxsItemError;

/*
 * Read an item, bare or as {"Item":{...}}.  Values are copied into palloc'd
 * memory; nothing refers to text afterwards.  Unless the result is OK, error
 * says why, in words that can follow a colon.  Attributes that Orleans does
 * not know are kept in extra, as one line of JSON, in the order of their names,
 * since a service gives them in any.
 *
 * INVALID are also: an attribute or member that comes twice, a known
 * attribute of another type, an ETag or CommittedSequenceId that is not a
 * whole number from 0, a Timestamp that is not a whole number, a
 * TransactionTimestamp that is not in the form of time.c, NUL in a text, a
 * partition key that is empty or longer than TXS_MAX_PARTITION_KEY.
 */
extern TxsItemStatus txs_item_read(TxsSlice text, TxsItem *item,
								   TxsItemError *error);

/*
 * Write an item as one object, in Orleans' order of attributes, those that
 * Orleans does not know last.
 */
extern void txs_item_write(TxsWriter *writer, const TxsItem *item);

/*
 * Bytes that the attributes in a row's extra add to its size, and whether one
 * of them is of a type other than S, N and B, which makes a silo refuse a
 * state row.  extra is as txs_item_read() made it.
 */
extern size_t txs_extra_size(TxsSlice extra, bool *foreign);

/*
 * Are the rows the same to the byte, where both carry what they carry?  What
 * Orleans does not know is compared as the service does: maps and sets have no
 * order.
 */
extern bool txs_item_equals(const TxsItem *a, const TxsItem *b);

#endif /* TXS_ITEM_H */
