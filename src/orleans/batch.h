/*
 * What changes a partition: operations on state rows, in batches that are
 * each applied atomically together with the key row.
 */
#ifndef TXS_BATCH_H
#define TXS_BATCH_H

#include "orleans/row.h"

/* One action on a state row. */
typedef struct TxsOperation
{
	bool is_delete;
	int64_t sequence;
	int64_t expected_etag;	/* TXS_NO_ETAG: there must be no such row */
	int64_t new_etag;		/* of a put */
	const TxsStateRow *row; /* of a put: one of the request's */
	size_t size;			/* Orleans' count; of a delete: the row's */
} TxsOperation;

/* Applied atomically: operations in order, then the key row. */
typedef struct TxsBatch
{
	int first;				   /* index of its first operation in the plan */
	int count;				   /* 0 to TXS_MAX_BATCH_OPERATIONS */
	int64_t expected_key_etag; /* TXS_NO_ETAG: there must be no key row */
	TxsKeyRow key;			   /* as it is after this batch */
	size_t key_size;		   /* Orleans' count */
} TxsBatch;

#endif /* TXS_BATCH_H */
