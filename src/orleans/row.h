/*
 * The rows of one partition, as Orleans lays them out in a table, and the
 * size of each.  Plain values: nothing here needs the server.
 *
 * A partition is one key row and any number of state rows (spec
 * transactional-storage 1.1).  A slice whose data is NULL stands for an
 * attribute that the row does not have.
 */
#ifndef TXS_ROW_H
#define TXS_ROW_H

#include "json/json.h"

/* No ETag: the row has never been stored. */
#define TXS_NO_ETAG INT64_C(-1)

/* The service's limits on key attributes, in bytes. */
#define TXS_MAX_PARTITION_KEY 2048

/* Orleans' limits (spec 1.6), in bytes; the first is the service's as well. */
#define TXS_MAX_ITEM_SIZE		 (400 * 1024)
#define TXS_MAX_TRANSACTION_SIZE (4 * 1024 * 1024)
#define TXS_MAX_BATCH_DATA                                                    \
	(TXS_MAX_TRANSACTION_SIZE - TXS_MAX_ITEM_SIZE - 64 * 1024)

/* The service takes 100 actions in a transaction; one is the key row. */
#define TXS_MAX_BATCH_OPERATIONS 99

#define TXS_KEY_ROW_KEY			 "key"
#define TXS_STATE_ROW_PREFIX	 "state_"
#define TXS_STATE_ROW_KEY_LENGTH 22 /* state_ and 16 hex digits */

typedef struct TxsKeyRow
{
	int64_t etag;		/* TXS_NO_ETAG: no ETag, or no key row */
	int64_t committed;	/* 0 where absent */
	int64_t timestamp;	/* Unix time in seconds */
	bool has_committed; /* does the row carry the attribute? */
	bool has_timestamp;
	TxsSlice metadata;
	TxsSlice extra; /* attributes Orleans does not know: a JSON object */
} TxsKeyRow;

/* What a handle remembers of a state row. */
typedef struct TxsRowRef
{
	int64_t sequence;
	int64_t etag;
	size_t size; /* Orleans' count, of the whole item */
} TxsRowRef;

/*
 * One prepared or committed version.  state.data may be NULL although its
 * length is not 0: then the bytes were not read, since nobody needs them.
 */
typedef struct TxsStateRow
{
	int64_t sequence;
	int64_t etag;
	TxsSlice transaction_id;
	TxsSlice timestamp; /* as the row holds it: seven digits of a second */
	TxsSlice manager;	/* absent or empty: aborted on recovery */
	TxsSlice state;
	TxsSlice extra;		/* attributes Orleans does not know: a JSON object */
	size_t extra_size;	/* what they add to the item's size */
	bool extra_foreign; /* one of them is of a type that a silo refuses */
} TxsStateRow;

/* What one consistent read returned: rows that belong together. */
typedef struct TxsSnapshot
{
	bool has_key;
	TxsKeyRow key;
	int64_t incarnation; /* of the key row; 0 without one */
	int nrows;
	TxsStateRow *rows; /* strictly ascending by sequence */
} TxsSnapshot;

/* Two ways to count an item's bytes; see size.c. */
typedef struct TxsItemSize
{
	size_t orleans;
	size_t service;
} TxsItemSize;

/*
 * Size of a row as an item, for a partition key of the given number of bytes.
 * An attribute counts its name and its value, where the row has it: Orleans
 * leaves out a byte string of length 0 and an empty text.
 */
extern TxsItemSize txs_size_of_key(size_t partition_length,
								   const TxsKeyRow *row);
extern TxsItemSize txs_size_of_state(size_t partition_length,
									 const TxsStateRow *row);

/*
 * Row key of a sequence id: out has room for TXS_STATE_ROW_KEY_LENGTH bytes
 * and gets no NUL.
 */
extern void txs_row_key_write(int64_t sequence, char *out);

/* What a row key says; see txs_row_key_read(). */
typedef enum TxsRowKeyKind
{
	TXS_ROW_KEY_KEY,
	TXS_ROW_KEY_STATE,
	TXS_ROW_KEY_MALFORMED, /* state_ and something else than its 16 digits */
	TXS_ROW_KEY_FOREIGN	   /* not a row of Orleans' transactions */
} TxsRowKeyKind;

/*
 * Classify a row key; a state row's sequence id goes to *sequence.  Upper
 * case or short hex is MALFORMED: a store would address another row.  So is
 * what a silo would read as a negative number.
 */
extern TxsRowKeyKind txs_row_key_read(TxsSlice row_key, int64_t *sequence);

#endif /* TXS_ROW_H */
