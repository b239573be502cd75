/*
 * The planner: which batches a store() sends.
 *
 * A pure function from (key row, state rows, arguments) to batches or an
 * error.  It needs no server and no storage, so a plan can be shown
 * (plan_store), tested alone and held against a model.
 */
#ifndef TXS_PLANNER_H
#define TXS_PLANNER_H

#include "orleans/batch.h"

/* What the planner must know of a partition: what a handle remembers. */
typedef struct TxsPlanBase
{
	size_t partition_length; /* bytes of the partition key */
	TxsKeyRow key;			 /* etag TXS_NO_ETAG: fresh */
	int nrows;
	const TxsRowRef *rows; /* strictly ascending by sequence */
} TxsPlanBase;

/* The arguments of one store(), checked for form. */
typedef struct TxsStoreRequest
{
	TxsSlice metadata;
	int64_t now; /* Unix time in seconds, for the key row */
	int nprepares;
	const TxsStateRow *prepares; /* in the caller's order; etag unused */
	bool has_commit_up_to;
	bool has_abort_after;
	int64_t commit_up_to;
	int64_t abort_after;
} TxsStoreRequest;

typedef enum TxsPlanError
{
	TXS_PLAN_OK,
	TXS_PLAN_NEGATIVE_SEQUENCE,	 /* of a prepare, commit or abort */
	TXS_PLAN_DUPLICATE_SEQUENCE, /* one sequence prepared twice */
	TXS_PLAN_NO_ROW_TO_COMMIT,	 /* commit_up_to names no row */
	TXS_PLAN_ABORTS_COMMITTED,	 /* abort_after is below the committed row */
	TXS_PLAN_ROW_WITHOUT_ETAG,	 /* would change a row that has no ETag */
	TXS_PLAN_STATE_TOO_LARGE,
	TXS_PLAN_METADATA_TOO_LARGE,
	TXS_PLAN_ETAG_EXHAUSTED /* an ETag would pass the largest bigint */
} TxsPlanError;

typedef struct TxsPlan
{
	TxsPlanError error; /* if not OK, only sequence and size hold */
	int64_t sequence;	/* the one the error is about */
	size_t size;		/* of the item that is too large, in bytes */

	int noperations;
	TxsOperation *operations;
	int nbatches; /* at least 1 */
	TxsBatch *batches;
	int nrows; /* the state rows after the last batch */
	TxsRowRef *rows;
} TxsPlan;

/*
 * Plan a store (spec transactional-storage 1.4 to 1.6, and the design's
 * "Stricter than Orleans").  The result is palloc'd; it refers to request's
 * prepares and metadata and to base's metadata, which must outlive it.
 * Raises nothing but out of memory.
 *
 * Order of work: delete rows above abort_after, from the highest; put the
 * prepares in the caller's order, leaving out those below the commit point;
 * then the new metadata and commit position take effect; delete the rows
 * below the commit point, from the lowest.  A batch is full at 99 operations,
 * or when the next operation would take it over TXS_MAX_BATCH_DATA.  The key
 * row of a batch that is sent before the metadata takes effect is the old
 * one, with the next ETag.
 *
 * Errors are looked for in this order: negative ids, equal sequences,
 * ABORTS_COMMITTED, METADATA_TOO_LARGE (counted with an ETag of 19 digits),
 * then over the operations in their order, the key row after each batch, and
 * NO_ROW_TO_COMMIT last.
 */
extern TxsPlan *txs_plan_store(const TxsPlanBase *base,
							   const TxsStoreRequest *request);

#endif /* TXS_PLANNER_H */
