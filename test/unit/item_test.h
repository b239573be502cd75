/*
 * What the parts of item_test share.
 */
#ifndef TXS_TEST_ITEM_TEST_H
#define TXS_TEST_ITEM_TEST_H

#include "palloc.h"

#include "orleans/item.h"

/* item_read_test.c, item_size_test.c and so on: one subject each */
extern void test_reading(void);
extern void test_writing(void);
extern void test_row_keys(void);
extern void test_partition_keys(void);
extern void test_participants(void);
extern void test_sizes(const char *vectors);
extern void test_times(void);
extern void test_recordings(int count, char **paths);

/* A string literal as a slice, NUL bytes in it included. */
#define SLICE(literal) ((TxsSlice){literal, sizeof(literal) - 1})

/* Attributes of a good item, to be followed by others or a brace. */
#define KEY_ITEM "{\"PartitionKey\":{\"S\":\"p\"},\"RowKey\":{\"S\":\"key\"}"
#define STATE_ITEM                                                            \
	"{\"PartitionKey\":{\"S\":\"p\"},\"RowKey\":{\"S\":"                      \
	"\"state_000000000000002a\"}"

/* Read from a copy that ends where the text does and is gone afterwards. */
extern TxsItemStatus read_item(TxsSlice text, TxsItem *item,
							   TxsItemError *error);

/* Does the item's JSON look like this?  Shows both if not. */
extern bool writes(const TxsItem *item, TxsSlice expected);

/* Do the bytes agree?  Shows both if not. */
extern bool same(TxsSlice got, TxsSlice expected);

#endif /* TXS_TEST_ITEM_TEST_H */
