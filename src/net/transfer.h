/*
 * One request on its way: what the files of net/ share.
 */
#ifndef TXS_TRANSFER_H
#define TXS_TRANSFER_H

#include "postgres.h"

#include <curl/curl.h>
#include <signal.h>

#include "net/http.h"

/* CURLOPT_QUICK_EXIT keeps a hanging lookup from holding up a cancel. */
#if LIBCURL_VERSION_NUM < 0x075700
#error "txstore needs libcurl 7.87 or later"
#endif

/* Bytes of an answer's head, with all that comes before and after it. */
#define TXS_HTTP_MAX_HEAD 65536

/* A call of libcurl, during which this thread takes no signals. */
typedef struct TxsGuard
{
	sigset_t signals;
} TxsGuard;

extern void txs_guard_enter(TxsGuard *guard);
extern void txs_guard_leave(const TxsGuard *guard);

/* Is the library that runs one that will do?  NULL, or what is wrong. */
extern const char *txs_library_check(void);

/* Bytes in malloc'd memory, as callbacks of libcurl may not raise errors. */
typedef struct TxsBuffer
{
	char *data;
	size_t length;
	size_t capacity;
} TxsBuffer;

/*
 * A transfer lives in a memory context of its own; deleting that gives all of
 * it back, whatever state it is in.
 */
typedef struct TxsTransfer
{
	MemoryContext context;
	const TxsHttpRequest *request;
	CURL *easy;
	TxsPool *pool; /* once it is begun to be used, else NULL */
	struct curl_slist *headers;
	bool is_running; /* the multi handle has it */
	bool is_done;	 /* result is there */
	CURLcode result;
	char error[CURL_ERROR_SIZE]; /* what libcurl says, or "" */
	const char *problem;		 /* what we say, or NULL */

	/* The request.  See answer.c for what these facts prove. */
	size_t own_head;   /* bytes, where there is a pool to count them */
	size_t body_taken; /* bytes that libcurl took to send */
	bool is_begun;	   /* libcurl was let send the request */
	bool is_refused;   /* it wanted to send it again, and was not let */
	bool is_reused;	   /* on a connection kept from before */
	bool is_spoilt;	   /* nothing was sent: that connection is of no use */

	/* The answer. */
	TxsBuffer head;	   /* the last head, with its blank line */
	size_t head_bytes; /* of all heads and trailers */
	bool has_head;	   /* the blank line came */
	TxsBuffer body;
	uint32 crc32;
	int64 received_at; /* when the head began */
	bool is_too_large;
	bool is_out_of_memory;
} TxsTransfer;

/*
 * Make a transfer.  Where libcurl refuses, the result and problem say so and it
 * must not be run.
 */
extern TxsTransfer *txs_transfer_create(const TxsHttpRequest *request);

/* Give everything back; closes its connection if the transfer is not done. */
extern void txs_transfer_free(TxsTransfer *transfer);

/* Begin to run a transfer; where that cannot be, it is done with a problem. */
extern void txs_multi_add(TxsTransfer *transfer);

/*
 * Wait for something to do for any transfer, at most so many milliseconds (-1:
 * without an end), and do it; raises what interrupts raise.
 */
extern void txs_multi_turn(uint32 wait_event, int milliseconds);

/* Where the multi handle is of no use any more, say so in the transfer. */
extern void txs_multi_check(TxsTransfer *transfer);

/* Take a running transfer out of the multi handle. */
extern void txs_multi_remove(TxsTransfer *transfer);

/*
 * A transfer begins to use its pool, and has ended.  Begin returns what libcurl
 * needs to know of it, or NULL where there is no memory.
 */
extern CURLSH *txs_pool_begin(TxsPool *pool);
extern void txs_pool_end(TxsPool *pool);

/* Add to what went over a pool's connections. */
extern void txs_pool_count(TxsPool *pool, size_t sent, size_t received);

/*
 * Before a transfer of a pool (or NULL) begins: where the session has many
 * sockets open, close those of the pools that were used least recently.
 */
extern void txs_pools_make_room(const TxsPool *pool);

/* The session ends. */
extern void txs_pools_end(void);

/* Callbacks for sockets; the data of open is the pool, or NULL. */
extern curl_socket_t txs_sockets_open(void *data, curlsocktype purpose,
									  struct curl_sockaddr *address);
extern int txs_sockets_close(void *data, curl_socket_t fd);

/* Reserve file descriptors for a transfer, as many as there can be. */
extern void txs_sockets_reserve(void);

/* How many sockets are open, of a pool or (NULL) of the session. */
extern int txs_sockets_count(const TxsPool *pool);

/*
 * Has a connection that nothing was asked on something to read?  Either it was
 * closed, or there is an answer that some load balancers send before they close
 * it, and that libcurl 7.88 would take for the answer to the next request.
 */
extern bool txs_sockets_have_input(int local_port);

/* Say what became of a transfer. */
extern void txs_answer_read(const TxsTransfer *transfer,
							TxsHttpAnswer *answer);

#endif /* TXS_TRANSFER_H */
