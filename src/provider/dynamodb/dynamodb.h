/*
 * The provider of DynamoDB: rows are items of a table that Orleans' servers
 * may share, reached over HTTP.
 *
 * A call is one operation with all its attempts (client.c).  What it may raise
 * is decided here, too (errors.c): what could have been applied is never
 * reported as not applied.  Request bodies are built by requests.c, answers
 * are read by answers.c; the other files are what the store engine asks for.
 */
#ifndef TXS_DYNAMODB_H
#define TXS_DYNAMODB_H

#include "compat.h"

#include "aws/endpoint.h"
#include "aws/retry.h"
#include "aws/source.h"
#include "aws/sigv4.h"
#include "net/http.h"
#include "provider/provider.h"

/* lines.c */

/* What this session keeps for a server and a user: a line to it. */
typedef struct TxsLine TxsLine;

/*
 * The line of a storage, for its endpoint's url; made if need be, and in use as
 * long as the current memory context.
 */
extern TxsLine *txs_lines_use(const TxsStorage *storage, const char *url);

extern TxsPool *txs_lines_pool(const TxsLine *line);

/* An attempt is made that is not the first of its call. */
extern void txs_lines_count_retry(TxsLine *line);

extern void txs_lines_list(TxsConnectionReceiver receive, void *arg);
extern bool txs_lines_disconnect(Oid server);

/* settings.c */

/* The settings, in milliseconds. */
extern int txs_request_timeout;
extern int txs_connect_timeout;

/* How to reach a storage's table, for one SQL function's call. */
typedef struct TxsConnection
{
	const TxsStorage *storage;
	TxsLine *line;
	TxsEndpoint endpoint;
	TxsCredentials *credentials; /* may change while a call is tried again */
	TxsSource source;			 /* they come from */
	int request_timeout; /* milliseconds, for a call with all its attempts */
	int connect_timeout;
} TxsConnection;

/*
 * Find out how to reach a storage.  Raises HV00D for an endpoint or region
 * that is none, 28000 where there are no credentials.
 */
extern TxsConnection *txs_settings_connect(const TxsStorage *storage);

/* credentials.c */

/*
 * Find the credentials of a connection whose other members are set.  Raises
 * 28000 where there are none, with what is missing.
 */
extern void txs_credentials_find(TxsConnection *connection);

/*
 * The service has refused the credentials as expired or unknown: are there
 * other ones?  Then they are the connection's.
 */
extern bool txs_credentials_renew(const TxsConnection *connection);

/* settings.c */

/* Raise HV00D where a server's options do not fit together. */
extern void txs_settings_check(const TxsStorage *storage);

/* client.c */

typedef enum TxsCallResult
{
	TXS_CALL_OK,
	TXS_CALL_REFUSED, /* certainly not applied */
	TXS_CALL_UNKNOWN  /* perhaps applied */
} TxsCallResult;

/* One reason of a cancelled transaction; Code and Message as they came. */
typedef struct TxsReason
{
	const char *code;
	const char *message; /* NULL: none */
} TxsReason;

typedef struct TxsCall
{
	const TxsConnection *connection;
	const char *operation; /* such as GetItem */
	TxsSlice body;
	bool is_write;		  /* without an answer it may have been applied */
	const char *progress; /* what is done before it, a sentence, or NULL */

	/* the result, palloc'd */
	TxsCallResult result;
	TxsSlice answer;		/* OK: the body, a JSON object */
	TxsFault fault;			/* of the last attempt */
	TxsHttpOutcome outcome; /* of the last attempt */
	int attempts;
	int status;
	const char *code; /* NULL: the service has not answered */
	const char *message;
	const char *request_id;
	const char *throttling; /* reasons for throttling, as text, or NULL */
	int nreasons;
	const TxsReason *reasons;
} TxsCall;

/* An attempt of a call has failed: lines.c keeps what its line shows of it. */
extern void txs_lines_count_failure(TxsLine *line, const TxsCall *call);

/* A call that is on its way beside others. */
typedef struct TxsRunningCall TxsRunningCall;

/*
 * Begin a call, after some milliseconds, in the current context: all that comes
 * of it is there, and when the context goes, so does the call.  Not for writes,
 * of whose cancel something is to be said.
 */
extern TxsRunningCall *txs_client_begin(TxsCall *call, int delay);

/* Do what there is to do for a call; true when its result is there. */
extern bool txs_client_is_done(TxsRunningCall *running);

/*
 * Wait until something has happened to any of these calls; raises what
 * interrupts raise.
 */
extern void txs_client_wait(TxsRunningCall *const *calls, int count);

/*
 * Send an operation until it has an answer that is final, or its time or
 * attempts are used up.  All attempts have the same bytes.  Raises only what
 * interrupts raise; a cancel's detail has the progress, and says when a write
 * was under way.
 */
extern void txs_client_call(TxsCall *call);

/* errors.c */

/*
 * Raise the error that a call's result means.  what says what could not be
 * done, as in "could not load partition \"x\""; detail NULL, or a sentence to
 * put first.
 */
pg_noreturn extern void
txs_errors_report(const TxsCall *call, const char *what, const char *detail);

/*
 * Raise that an answer to a read of a partition, or of more (data NULL), is
 * none; problem says why.
 */
pg_noreturn extern void
txs_errors_report_answer(const TxsConnection *connection,
						 const char *operation, TxsSlice partition,
						 const char *problem);

/* Call, and raise unless it succeeds. */
extern void txs_errors_call(TxsCall *call, const char *what);

/* requests.c: bodies of requests; palloc'd */

/* A transaction as it grows; see txs_requests_finish(). */
typedef struct TxsTransaction
{
	TxsWriter writer;
	const TxsStorage *storage;
} TxsTransaction;

/* Of DescribeTable and DescribeTimeToLive. */
extern TxsSlice txs_requests_table(const TxsStorage *storage);
/* Of ListTables; last is the last name of the page before, or NULL. */
extern TxsSlice txs_requests_list_tables(const char *last);
extern TxsSlice txs_requests_create_table(const TxsStorage *storage);
extern TxsSlice txs_requests_update_table(const TxsStorage *storage);
extern TxsSlice txs_requests_get_key(const TxsStorage *storage,
									 TxsSlice partition);

/* start is the raw ExclusiveStartKey, data NULL for the first page. */
extern TxsSlice txs_requests_query(const TxsStorage *storage,
								   TxsSlice partition, TxsSlice start);
/* All rows of a partition, or of the table (data NULL), not states alone. */
extern TxsSlice txs_requests_rows(const TxsStorage *storage,
								  TxsSlice partition, TxsSlice start);

/* For an expected ETag: there must be a row, and it must have none. */
#define TXS_ETAG_ABSENT INT64_C(-2)

/* An item alone, as JSON. */
extern void txs_requests_write_item(TxsWriter *writer, const TxsItem *item);

extern void txs_requests_begin(TxsTransaction *transaction,
							   const TxsStorage *storage);
/* expected_etag TXS_NO_ETAG: there must be no such row. */
extern void txs_requests_put(TxsTransaction *transaction, const TxsItem *item,
							 int64 expected_etag);
extern void txs_requests_delete(TxsTransaction *transaction,
								TxsSlice partition, int64 sequence,
								bool is_key, int64 expected_etag);
/* There must be no key row. */
extern void txs_requests_check_absent(TxsTransaction *transaction,
									  TxsSlice partition);
extern TxsSlice txs_requests_finish(TxsTransaction *transaction);

/* answers.c */

/* Called with each item of an answer, as raw JSON. */
typedef void (*TxsRawReceiver)(TxsSlice item, void *arg);

/*
 * The member Item of an answer to GetItem; data NULL where there is none.
 * False where the answer is not one.
 */
extern bool txs_answers_item(TxsSlice answer, TxsSlice *item);

/*
 * Hand out the members of Items, and give LastEvaluatedKey, raw; data NULL at
 * the end.  False where the answer is none.
 */
extern bool txs_answers_page(TxsSlice answer, TxsRawReceiver receive,
							 void *arg, TxsSlice *last_key);

/* What DescribeTable says. */
typedef struct TxsTableFacts
{
	const char *status;
	const char *billing; /* NULL: not said */
	int64 read_units;	 /* -1: not said */
	int64 write_units;
	int64 items;
	int64 bytes;
	bool has_orleans_keys; /* PartitionKey HASH S, RowKey RANGE S, no more */
} TxsTableFacts;

extern bool txs_answers_table(TxsSlice answer, TxsTableFacts *facts);

/*
 * The names that ListTables gives, palloc'd; *last is the one to go on from, or
 * NULL at the end.
 */
extern bool txs_answers_tables(TxsSlice answer, List **names,
							   const char **last);

/*
 * What DescribeTimeToLive says: the attribute that holds an item's end, palloc'd,
 * or NULL where items have none.
 */
extern bool txs_answers_time_to_live(TxsSlice answer, const char **attribute);

/*
 * Read an error's body: code, message, reasons.  Texts are palloc'd; what is
 * no JSON is shown as the message, clipped.
 */
extern void txs_answers_error(TxsCall *call, const TxsHttpAnswer *answer);

/* read.c */
extern void txs_dynamodb_load(const TxsStorage *storage, TxsSlice partition,
							  TxsRead *read);
extern void txs_dynamodb_scan(const TxsStorage *storage, TxsSlice partition,
							  TxsItemReceiver receive, void *arg);

/*
 * Read an item of an answer about a partition, or about more (data NULL);
 * raises HV00L or XX001 for what is none.
 */
extern void txs_dynamodb_read_item(const TxsConnection *connection,
								   const char *operation, TxsSlice partition,
								   TxsSlice raw, TxsItem *item);

/*
 * Read all rows of a partition, or of the table, page by page, in the order
 * in which the service gives them.  False where the table does not exist.
 */
extern bool txs_dynamodb_pages(
	const TxsConnection *connection, const char *operation,
	TxsSlice (*make_body)(const TxsStorage *, TxsSlice, TxsSlice),
	TxsSlice partition, TxsItemReceiver receive, void *arg);

/* scan.c */
extern void *txs_dynamodb_open_scan(const TxsStorage *storage,
									Snapshot snapshot);
extern void txs_dynamodb_start_scan(void *scan, const TxsScanRequest *request);
extern bool txs_dynamodb_next_row(void *scan, TxsItem *item);
extern void txs_dynamodb_close_scan(void *scan);
extern int64 txs_dynamodb_count_rows(void *scan);
extern const TxsScanCounters *txs_dynamodb_counters(void *scan);
extern const char *txs_dynamodb_describe_shape(const TxsShape *shape);

/* scan_body.c */
extern char *txs_dynamodb_describe_projection(int wanted);

/* write.c */
extern bool txs_dynamodb_apply(const TxsStorage *storage, TxsWrite *write);
extern bool txs_dynamodb_delete_partition(const TxsStorage *storage,
										  TxsSlice partition,
										  int64 expected_etag,
										  int64 incarnation, bool *found);

/* import.c */
extern void *txs_dynamodb_open_import(const TxsStorage *storage);
extern TxsCreated txs_dynamodb_create(void *import, const TxsItem *item,
									  int64 line);
extern void txs_dynamodb_close_import(void *import, TxsCreatedReceiver receive,
									  void *arg);

/* table_size.c: what DescribeTable says of sizes, kept for a while */
extern void txs_table_size_note(const TxsStorage *storage,
								const TxsTableFacts *facts);
extern void txs_dynamodb_measure(const TxsStorage *storage,
								 TxsMeasure *measure);
extern void txs_dynamodb_estimate(const TxsStorage *storage,
								  TxsEstimate *estimate);

/* tables.c */

/* Describe a storage's table; false where there is none. */
extern bool txs_dynamodb_find_table(const TxsStorage *storage,
									TxsTableFacts *facts);
extern void txs_dynamodb_list_tables(const TxsStorage *storage,
									 TxsTableReceiver receive, void *arg);
extern bool txs_dynamodb_initialize(const TxsStorage *storage);
extern void txs_dynamodb_describe(const TxsStorage *storage,
								  TxsFactReceiver receive, void *arg);

#endif /* TXS_DYNAMODB_H */
