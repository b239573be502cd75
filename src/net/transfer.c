/*
 * A transfer: the options of its easy handle, and the callbacks that feed it and
 * keep what comes.
 *
 * Callbacks run inside libcurl, which an error's longjmp would leave half-way:
 * they allocate with malloc only, and say in the transfer what went wrong.
 */
#include "postgres.h"

#include <openssl/ssl.h>
#include <sys/time.h>
#include <zlib.h>

#include "utils/memutils.h"

#include "net/transfer.h"

/*
 * DynamoDB closes idle connections after about 60 s.  A connection is given up
 * after a few minutes, so that changes of DNS are followed.
 */
#define MAX_IDLE_SECONDS 45L
#define MAX_LIFE_SECONDS 300L

/* An easy handle for the next transfer; making one costs more than resetting. */
static CURL *spare;

static void release(void *arg);
static CURL *take_easy(void);
static void use_pool(TxsTransfer *transfer);
static void leave_pool(TxsTransfer *transfer);
static size_t size_of_head(const TxsTransfer *transfer);
static void set_options(TxsTransfer *transfer);
static bool set_method(TxsTransfer *transfer);
static void make_headers(TxsTransfer *transfer);
static void append_header(TxsTransfer *transfer, const char *line);
static void free_headers(struct curl_slist *headers);
static int let_send(void *data, char *remote, char *local, int remote_port,
					int local_port);
static bool has_read_ahead(const TxsTransfer *transfer);
static size_t give_body(char *to, size_t size, size_t count, void *data);
static size_t keep_head(char *line, size_t size, size_t count, void *data);
static size_t keep_body(char *bytes, size_t size, size_t count, void *data);
static bool append(TxsTransfer *transfer, TxsBuffer *buffer, const char *bytes,
				   size_t length, size_t limit);
static int64 unix_microseconds(void);

TxsTransfer *
txs_transfer_create(const TxsHttpRequest *request)
{
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "txstore HTTP request",
							  ALLOCSET_SMALL_SIZES);
	TxsTransfer *transfer =
		MemoryContextAllocZero(context, sizeof(TxsTransfer));
	MemoryContextCallback *callback =
		MemoryContextAlloc(context, sizeof(MemoryContextCallback));

	transfer->context = context;
	transfer->request = request;
	callback->func = release;
	callback->arg = transfer;
	MemoryContextRegisterResetCallback(context, callback);

	transfer->easy = take_easy();
	if (transfer->easy == NULL)
		ereport(ERROR, errcode(ERRCODE_OUT_OF_MEMORY),
				errmsg("out of memory"));
	make_headers(transfer);
	if (!transfer->is_done && request->pool != NULL)
		use_pool(transfer);
	if (!transfer->is_done)
		set_options(transfer);
	return transfer;
}

void
txs_transfer_free(TxsTransfer *transfer)
{
	MemoryContextDelete(transfer->context);
}

/* Called when the context goes, in an abort, too: must not raise. */
static void
release(void *arg)
{
	TxsTransfer *transfer = arg;

	txs_multi_remove(transfer);
	leave_pool(transfer);
	/* After a failure 8.14 would want to rewind the next body, too. */
	if (spare == NULL && transfer->easy != NULL && transfer->is_done &&
		transfer->problem == NULL && transfer->result == CURLE_OK)
	{
		curl_easy_reset(transfer->easy);
		spare = transfer->easy;
	}
	else
		curl_easy_cleanup(transfer->easy);
	free_headers(transfer->headers);
	free(transfer->head.data);
	free(transfer->body.data);
}

/* A transfer that an error or another one overtakes must not share a handle. */
static CURL *
take_easy(void)
{
	CURL *easy = spare;

	spare = NULL;
	return easy != NULL ? easy : curl_easy_init();
}

/* A handle that was reset still has its pool, so it is taken away in the end. */
static void
use_pool(TxsTransfer *transfer)
{
	CURLSH *share = txs_pool_begin(transfer->request->pool);

	if (share == NULL ||
		curl_easy_setopt(transfer->easy, CURLOPT_SHARE, share) != CURLE_OK)
	{
		transfer->is_done = true;
		transfer->problem = "libcurl cannot keep connections apart";
	}
	if (share != NULL)
		transfer->pool = transfer->request->pool;
	transfer->own_head = size_of_head(transfer);
}

/* The request may be gone by now, in an abort. */
static void
leave_pool(TxsTransfer *transfer)
{
	if (transfer->pool == NULL)
		return;
	if (transfer->is_begun)
		txs_pool_count(transfer->pool,
					   transfer->own_head + transfer->body_taken,
					   transfer->head_bytes + transfer->body.length);
	curl_easy_setopt(transfer->easy, CURLOPT_SHARE, NULL);
	txs_pool_end(transfer->pool);
}

/*
 * Bytes of a request's head.  CURLINFO_REQUEST_SIZE is that with 7.88, but counts
 * the body, too, with 8.23.
 */
static size_t
size_of_head(const TxsTransfer *transfer)
{
	const TxsHttpRequest *request = transfer->request;
	const char *host = strstr(request->url, "://");
	const char *path = host == NULL ? NULL : strchr(host + 3, '/');
	char number[32];
	size_t size = strlen(request->method) + strlen(" ") +
				  strlen(path == NULL ? "/" : path) +
				  strlen(" HTTP/1.1\r\n\r\n");

	if (strcmp(request->method, "GET") != 0)
		size += snprintf(number, sizeof(number), "%zu", request->body.length) +
				strlen("Content-Length: \r\n");
	for (const struct curl_slist *i = transfer->headers; i != NULL;
		 i = i->next)
	{
		size_t length = strlen(i->data);

		/* "Name:" is one that is not sent. */
		if (i->data[length - 1] != ':')
			size += length + strlen("\r\n");
	}
	return size;
}

/*
 * Every option is checked: one that an older libcurl does not know must not be
 * left out silently.
 */
static void
set_options(TxsTransfer *transfer)
{
	const TxsHttpRequest *request = transfer->request;
	CURL *easy = transfer->easy;
	bool ok = true;

#define SET(option, value)                                                    \
	ok = ok && curl_easy_setopt(easy, option, value) == CURLE_OK

	SET(CURLOPT_PRIVATE, transfer);
	SET(CURLOPT_ERRORBUFFER, transfer->error);
	SET(CURLOPT_NOSIGNAL, 1L); /* else alarm() and sigaction() */
	SET(CURLOPT_QUICK_EXIT, 1L);
	SET(CURLOPT_URL, request->url);
	SET(CURLOPT_PATH_AS_IS, 1L); /* as it was signed */
	SET(CURLOPT_PROTOCOLS_STR, "http,https");
	SET(CURLOPT_HTTP_VERSION, (long) CURL_HTTP_VERSION_1_1);
	SET(CURLOPT_FOLLOWLOCATION, 0L);
	SET(CURLOPT_PROXY, ""); /* whatever the environment says */
	SET(CURLOPT_TCP_KEEPALIVE, 1L);
	SET(CURLOPT_MAXAGE_CONN, MAX_IDLE_SECONDS);
	SET(CURLOPT_MAXLIFETIME_CONN, MAX_LIFE_SECONDS);
	SET(CURLOPT_CONNECTTIMEOUT_MS, (long) Max(request->connect_timeout, 1));
	SET(CURLOPT_TIMEOUT_MS, (long) Max(request->timeout, 1));
	SET(CURLOPT_OPENSOCKETFUNCTION, txs_sockets_open);
	SET(CURLOPT_OPENSOCKETDATA, transfer->pool);
	SET(CURLOPT_CLOSESOCKETFUNCTION, txs_sockets_close);

	SET(CURLOPT_SSLVERSION, (long) CURL_SSLVERSION_TLSv1_2);
	SET(CURLOPT_SSL_VERIFYPEER, 1L);
	SET(CURLOPT_SSL_VERIFYHOST, 2L);
	if (request->ca_file != NULL)
	{
		SET(CURLOPT_CAINFO, request->ca_file);
		/* These, and no others; NULL can mean the system's folder. */
		SET(CURLOPT_CAPATH, "/dev/null");
	}

	SET(CURLOPT_HTTPHEADER, transfer->headers);
	ok = ok && set_method(transfer);
	SET(CURLOPT_PREREQFUNCTION, let_send);
	SET(CURLOPT_PREREQDATA, transfer);
	SET(CURLOPT_HEADERFUNCTION, keep_head);
	SET(CURLOPT_HEADERDATA, transfer);
	SET(CURLOPT_WRITEFUNCTION, keep_body);
	SET(CURLOPT_WRITEDATA, transfer);
#undef SET

	if (!ok)
	{
		transfer->is_done = true;
		transfer->problem = "libcurl refuses an option";
	}
}

/*
 * The body goes by READFUNCTION, without a SEEKFUNCTION: a libcurl that cannot
 * rewind it cannot send it again by itself.
 */
static bool
set_method(TxsTransfer *transfer)
{
	CURL *easy = transfer->easy;
	const char *method = transfer->request->method;
	curl_off_t length = transfer->request->body.length;

	if (strcmp(method, "GET") == 0)
		return curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L) == CURLE_OK;
	if (curl_easy_setopt(easy, CURLOPT_READFUNCTION, give_body) != CURLE_OK ||
		curl_easy_setopt(easy, CURLOPT_READDATA, transfer) != CURLE_OK)
		return false;
	if (strcmp(method, "PUT") == 0)
		return curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L) == CURLE_OK &&
			   curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, length) ==
				   CURLE_OK;
	Assert(strcmp(method, "POST") == 0);
	return curl_easy_setopt(easy, CURLOPT_POST, 1L) == CURLE_OK &&
		   curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, length) ==
			   CURLE_OK;
}

static void
make_headers(TxsTransfer *transfer)
{
	const TxsHttpRequest *request = transfer->request;

	/* Not to be added by libcurl: a wait for "100 Continue", and noise. */
	append_header(transfer, "Expect:");
	append_header(transfer, "Accept:");
	for (int i = 0; i < request->nheaders; i++)
	{
		const TxsHeader *header = &request->headers[i];
		char *line;

		if (strpbrk(header->name, "\r\n:") || strpbrk(header->value, "\r\n"))
		{
			transfer->is_done = true;
			transfer->problem = "a header has a line break";
			return;
		}
		/* "Name:" would tell libcurl not to send it. */
		line = header->value[0] == '\0'
				   ? psprintf("%s;", header->name)
				   : psprintf("%s: %s", header->name, header->value);
		append_header(transfer, line);
		explicit_bzero(line, strlen(line));
		pfree(line);
	}
}

static void
append_header(TxsTransfer *transfer, const char *line)
{
	struct curl_slist *longer = curl_slist_append(transfer->headers, line);

	if (longer == NULL)
		ereport(ERROR, errcode(ERRCODE_OUT_OF_MEMORY),
				errmsg("out of memory"));
	transfer->headers = longer;
}

/* Headers can hold session tokens. */
static void
free_headers(struct curl_slist *headers)
{
	for (struct curl_slist *i = headers; i != NULL; i = i->next)
		explicit_bzero(i->data, strlen(i->data));
	curl_slist_free_all(headers);
}

/* ------------------------------------------------------------- callbacks */

/*
 * The connection is there, and nothing has been sent on it: libcurl asks before
 * each time it sends a request.  It may do so once.
 */
static int
let_send(void *data, char *remote, char *local, int remote_port,
		 int local_port)
{
	TxsTransfer *transfer = data;
	long connections = 0;

	if (transfer->is_begun)
	{
		transfer->is_refused = true;
		return CURL_PREREQFUNC_ABORT;
	}
	curl_easy_getinfo(transfer->easy, CURLINFO_NUM_CONNECTS, &connections);
	transfer->is_reused = connections == 0;
	if (transfer->is_reused &&
		(txs_sockets_have_input(local_port) || has_read_ahead(transfer)))
	{
		transfer->is_spoilt = true;
		return CURL_PREREQFUNC_ABORT;
	}
	transfer->is_begun = true;
	return CURL_PREREQFUNC_OK;
}

/*
 * As txs_sockets_have_input(), for what is in the socket no more: OpenSSL, as
 * libcurl 8.23 uses it, takes more than one record at a time.  Another TLS
 * library cannot be asked; with such a one no connection is used twice.
 */
static bool
has_read_ahead(const TxsTransfer *transfer)
{
	struct curl_tlssessioninfo *tls = NULL;
	SSL *ssl;

	if (pg_strncasecmp(transfer->request->url, "https:", 6) != 0)
		return false;
	curl_easy_getinfo(transfer->easy, CURLINFO_TLS_SSL_PTR, &tls);
	if (tls == NULL || tls->backend != CURLSSLBACKEND_OPENSSL ||
		tls->internals == NULL)
		return true;
	ssl = tls->internals;
	return SSL_has_pending(ssl) ||
		   (SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN) != 0;
}

static size_t
give_body(char *to, size_t size, size_t count, void *data)
{
	TxsTransfer *transfer = data;
	TxsSlice body = transfer->request->body;
	size_t length = Min(size * count, body.length - transfer->body_taken);

	if (length > 0)
		memcpy(to, body.data + transfer->body_taken, length);
	transfer->body_taken += length;
	return length;
}

/*
 * Called for each line of a head, and of trailers after the body.  What is kept
 * is the last head: those of "100 Continue" and the like come before it.
 */
static size_t
keep_head(char *line, size_t size, size_t count, void *data)
{
	TxsTransfer *transfer = data;
	size_t length = size * count;

	transfer->head_bytes += length;
	if (transfer->head_bytes > TXS_HTTP_MAX_HEAD)
	{
		transfer->is_too_large = true;
		return 0;
	}
	if (transfer->has_head || transfer->head.length == 0)
	{
		if (length < 5 || memcmp(line, "HTTP/", 5) != 0)
			return length;
		transfer->head.length = 0;
		transfer->has_head = false;
		transfer->received_at = unix_microseconds();
	}
	if (!append(transfer, &transfer->head, line, length, TXS_HTTP_MAX_HEAD))
		return 0;
	transfer->has_head = line[0] == '\r' || line[0] == '\n';
	return length;
}

static size_t
keep_body(char *bytes, size_t size, size_t count, void *data)
{
	TxsTransfer *transfer = data;
	size_t length = size * count;

	if (!append(transfer, &transfer->body, bytes, length,
				transfer->request->max_answer))
		return 0;
	transfer->crc32 = crc32(transfer->crc32, (unsigned char *) bytes, length);
	return length;
}

/* False if that would be more than limit, or there is no memory. */
static bool
append(TxsTransfer *transfer, TxsBuffer *buffer, const char *bytes,
	   size_t length, size_t limit)
{
	if (length > limit - buffer->length)
	{
		transfer->is_too_large = true;
		return false;
	}
	if (length > buffer->capacity - buffer->length)
	{
		size_t capacity = Max(buffer->capacity, 1024);
		char *data;

		while (capacity < buffer->length + length)
			capacity *= 2;
		data = realloc(buffer->data, capacity);
		if (data == NULL)
		{
			transfer->is_out_of_memory = true;
			return false;
		}
		buffer->data = data;
		buffer->capacity = capacity;
	}
	memcpy(buffer->data + buffer->length, bytes, length);
	buffer->length += length;
	return true;
}

static int64
unix_microseconds(void)
{
	struct timeval now;

	gettimeofday(&now, NULL);
	return (int64) now.tv_sec * 1000000 + now.tv_usec;
}
