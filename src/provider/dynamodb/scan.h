/*
 * Scans for foreign tables: what the files of a scan share.
 *
 * A scan is a number of streams, each a chain of pages: a segment of the
 * table, the Query of a partition, or up to 100 rows named by their keys.
 * Several streams are on their way at a time (scan.c); bodies.c says what they
 * ask for, page.c reads what comes.
 */
#ifndef TXS_DYNAMODB_SCAN_H
#define TXS_DYNAMODB_SCAN_H

#include "provider/dynamodb/dynamodb.h"

/* Keys that one BatchGetItem may name: the service's limit. */
#define TXS_BATCH_KEYS 100

typedef enum TxsScanOperation
{
	TXS_SCAN_GET,
	TXS_SCAN_BATCH_GET,
	TXS_SCAN_QUERY,
	TXS_SCAN_TABLE
} TxsScanOperation;

/* How a request is carried out. */
extern TxsScanOperation txs_scan_operation(const TxsScanRequest *request);

/* Its name, such as GetItem. */
extern const char *txs_scan_operation_name(TxsScanOperation operation);

/* How many streams it has. */
extern int txs_scan_streams(const TxsScanRequest *request);

/* What the next request of a stream is to ask for. */
typedef struct TxsScanStep
{
	int stream;		 /* from 0 */
	TxsSlice start;	 /* the last page's LastEvaluatedKey; data NULL: none */
	TxsSlice remain; /* its UnprocessedKeys; data NULL: none */
	int64 limit;	 /* rows to look at; 0: as many as fit */
	bool is_count;	 /* the number of rows alone */
} TxsScanStep;

/* The body of a request; palloc'd. */
extern TxsSlice txs_scan_body(const TxsStorage *storage,
							  const TxsScanRequest *request,
							  const TxsScanStep *step);

/* An answer, taken apart; slices of the answer, the array is palloc'd. */
typedef struct TxsScanPage
{
	int nitems;
	TxsSlice *items;
	TxsSlice last_key;		 /* data NULL: the stream ends here */
	TxsSlice last_partition; /* the partition key in it, as JSON has it */
	TxsSlice unprocessed;	 /* data NULL: none */
	int64 count;			 /* what was found */
	int64 scanned;			 /* what was looked at */
	double capacity;		 /* units */
} TxsScanPage;

/* False where it is no answer to the operation. */
extern bool txs_scan_read_page(TxsScanOperation operation, bool is_count,
							   TxsSlice answer, TxsScanPage *page);

#endif /* TXS_DYNAMODB_SCAN_H */
