/*
 * HTTP requests that wait on the session's latch.
 *
 * One curl multi handle a session, made at the first request.  Every wait
 * serves interrupts: a cancel, a timeout, termination and barriers are seen at
 * once, at whatever point a request is.  libcurl never sends a request again by
 * itself.  Nothing is raised but what CHECK_FOR_INTERRUPTS() raises, and errors
 * of class 53 (memory, file descriptors); what became of a request is in its
 * answer.  One may be sent while another one waits, by what serving an interrupt
 * runs.  No signal is handled in libcurl's threads, and OpenSSL's queue of errors,
 * which the server shares, is empty afterwards.  Not to be called while a lock is
 * held that others wait for.
 */
#ifndef TXS_HTTP_H
#define TXS_HTTP_H

#include "postgres.h"

#include "aws/sigv4.h"
#include "json/json.h"

/* What became of a request. */
typedef enum TxsHttpOutcome
{
	TXS_HTTP_ANSWERED, /* a whole answer is here, whatever its status */
	TXS_HTTP_UNSENT,   /* no byte of the request can have been read: DNS,
						  connect, TLS, or a certificate that does not match */
	TXS_HTTP_STALE,	   /* a connection kept from before closed before the first
						  line of an answer; the request may have been read */
	TXS_HTTP_LOST,	   /* sent, at least in part, and no whole answer */
	TXS_HTTP_LATE,	   /* as TXS_HTTP_LOST: the time was up */
	TXS_HTTP_TOO_LARGE /* the answer's head or body is over its cap */
} TxsHttpOutcome;

/* Connections that are kept for one purpose, apart from others. */
typedef struct TxsPool TxsPool;

typedef struct TxsHttpRequest
{
	const char *method;		  /* POST, GET or PUT */
	const char *url;		  /* http or https */
	const TxsHeader *headers; /* all but Content-Length */
	int nheaders;
	TxsSlice body;		 /* must stay until the answer is there */
	const char *ca_file; /* certificates to trust; NULL: the system's */
	int connect_timeout; /* milliseconds, for DNS, connect and TLS */
	int timeout;		 /* milliseconds, for all of it */
	TxsPool *pool;		 /* whose connections to use; NULL: the session's */
	size_t max_answer;	 /* bytes of body; more is TXS_HTTP_TOO_LARGE */
	const char
		*wait_event; /* shown in pg_stat_activity where there is a way */
} TxsHttpRequest;

typedef struct TxsHttpAnswer
{
	TxsHttpOutcome outcome;
	bool timed_out;		 /* with TXS_HTTP_UNSENT: the time was up */
	int status;			 /* 0 without a status line */
	TxsSlice body;		 /* as it came over the wire */
	uint32 crc32;		 /* of the body */
	bool new_connection; /* made for this request */
	int64
		received_at; /* microseconds since the Unix epoch when the head came */

	/* Values of headers, palloc'd; NULL where absent. */
	char *expected_crc32; /* x-amz-crc32 */
	char *request_id;	  /* x-amzn-requestid */
	char *date;
	char *retry_after; /* x-amz-retry-after */
	char *error_type;  /* x-amzn-errortype */
	char *problem; /* what libcurl says of an outcome other than ANSWERED */
} TxsHttpAnswer;

/*
 * Send a request and wait for its answer.  Everything in the answer is palloc'd
 * in the current context.  When this does not return (an interrupt was raised),
 * the connection is closed and nothing is left behind.
 */
extern void txs_http_send(const TxsHttpRequest *request,
						  TxsHttpAnswer *answer);

/* A request that is on its way beside others. */
typedef struct TxsExchange TxsExchange;

/*
 * Begin a request, in the current context: when that goes, so does the request.
 * All of the request must stay as it is until the exchange is finished.
 */
extern TxsExchange *txs_http_begin(const TxsHttpRequest *request);

/* Has it come to its end? */
extern bool txs_http_is_done(TxsExchange *exchange);

/* What became of a request that is done, as txs_http_send() tells it. */
extern void txs_http_finish(TxsExchange *exchange, TxsHttpAnswer *answer);

/*
 * Wait until something has happened to any request that was begun, at most so
 * many milliseconds (-1: as long as it takes).  Raises what interrupts raise.
 */
extern void txs_http_wait(int milliseconds, const char *wait_event);

/*
 * Wait on the latch, as for a backoff; raises only what interrupts raise.
 */
extern void txs_http_pause(int milliseconds);

/* Close connections that nobody uses, those of pools left out. */
extern void txs_http_close_idle(void);

/* pool.c */

/* What has gone over a pool's connections, TLS left out. */
typedef struct TxsTraffic
{
	int64 requests; /* sent, at least in part, and ended */
	int64 bytes_sent;
	int64 bytes_received;
} TxsTraffic;

/* Make a pool, which lives until it is freed; it has no connection yet. */
extern TxsPool *txs_pool_create(void);

/* Close a pool's connections and free it; no request may be using it. */
extern void txs_pool_free(TxsPool *pool);

/*
 * Close a pool's connections, at once or, where a request uses it, after the
 * last one.  True if there was a socket to close.  Raises nothing.
 */
extern bool txs_pool_close(TxsPool *pool);

extern int txs_pool_sockets(const TxsPool *pool);
extern const TxsTraffic *txs_pool_traffic(const TxsPool *pool);

/* library.c */

/* The libraries that a session uses; texts are constant. */
typedef struct TxsHttpLibraries
{
	const char *curl_built; /* the version that txstore was compiled with */
	const char *curl;		/* the one that runs */
	const char *curl_tls;	/* NULL: none */
	const char *openssl_built;
	const char *openssl;
	const char *zlib_built;
	const char *zlib;
	bool resolves_beside; /* names, while the session waits on its latch */
} TxsHttpLibraries;

extern void txs_http_libraries(TxsHttpLibraries *libraries);

#endif /* TXS_HTTP_H */
