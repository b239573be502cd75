/*
 * Rows sorted by partition key and row key, on disk where memory is short.
 */
#ifndef TXS_SORTED_ROWS_H
#define TXS_SORTED_ROWS_H

#include "postgres.h"

#include "orleans/item.h"

typedef struct TxsSortedRows TxsSortedRows;

extern TxsSortedRows *txs_sorted_rows_begin(void);

/* line comes back with the row; rows of one key come in its order. */
extern void txs_sorted_rows_put(TxsSortedRows *rows, const TxsItem *item,
								int64 line);

/* After the last row: sort. */
extern void txs_sorted_rows_sort(TxsSortedRows *rows);

/* The next row, valid until the next call; false at the end. */
extern bool txs_sorted_rows_get(TxsSortedRows *rows, TxsItem *item,
								int64 *line);

/* Go to the first row again. */
extern void txs_sorted_rows_rewind(TxsSortedRows *rows);

extern void txs_sorted_rows_end(TxsSortedRows *rows);

#endif /* TXS_SORTED_ROWS_H */
