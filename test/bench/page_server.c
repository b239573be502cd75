/*
 * A server that gives pages of state rows as fast as it can, so that a benchmark
 * of scans measures its clients.
 *
 *   page_server PAGES ROWS BLOB DELAY
 *
 * A table of PAGES pages of ROWS state rows, each with BLOB bytes of state; an
 * answer is given DELAY milliseconds after its request.  Scan knows segments,
 * Query and GetItem find one row, BatchGetItem a row for each key.  Whether a
 * row has its state is told by GrainState in the request, or by a request
 * without a projection; Select COUNT gives no rows.
 *
 * HTTP/1.1 on a free port of loopback, printed as "PORT n".  GET /counters gives
 * "REQUESTS BYTES CONNECTIONS" since the last time.  Ends when its standard
 * input ends.  One thread, epoll.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#define MAX_FD		1024
#define MAX_REQUEST (256 * 1024)

/* Bytes and their CRC, which can be joined. */
typedef struct Part
{
	char *bytes;
	size_t length;
	unsigned long crc;
} Part;

typedef struct Connection
{
	char *request; /* as much as has come */
	size_t length;
	char head[512];
	struct iovec parts[4]; /* of the answer: what is left to be written */
	int nparts;
	char *tail; /* the part that is this answer's own; malloc'd */
	double due; /* when the answer may be written; 0: none waits */
} Connection;

static int pages;
static int rows;
static int blob;
static double delay;
static Part items[2]; /* of a page: without states, and with them */
static Part row[2];	  /* one of them */
static Connection connections[MAX_FD];
static int highest;
static int epoll_fd;
static long requests;
static long sent;
static long accepted;

static void
die(const char *what)
{
	perror(what);
	exit(1);
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void
finish_part(Part *part, FILE *file)
{
	fclose(file);
	part->crc = crc32(0, (unsigned char *) part->bytes, part->length);
}

static void
put_row(FILE *file, int number, bool with_state)
{
	fprintf(file,
			"{\"PartitionKey\":{\"S\":\"account/%d_default_balance\"},"
			"\"RowKey\":{\"S\":\"state_%016x\"},\"ETag\":{\"N\":\"%d\"}",
			number, number, number % 10);
	if (with_state)
	{
		/* Letters, so that any three of them are four of base64. */
		fputs(",\"GrainState\":{\"B\":\"", file);
		for (int i = 0; i < blob / 3; i++)
			fputs("eHh4", file);
		fputs("\"}", file);
	}
	fputs("}", file);
}

static void
make_pages(void)
{
	for (int with_state = 0; with_state < 2; with_state++)
	{
		FILE *file = open_memstream(&row[with_state].bytes,
									&row[with_state].length);

		put_row(file, 1, with_state);
		finish_part(&row[with_state], file);
		file = open_memstream(&items[with_state].bytes,
							  &items[with_state].length);
		for (int i = 0; i < rows; i++)
		{
			fputs(i == 0 ? "" : ",", file);
			put_row(file, i, with_state);
		}
		finish_part(&items[with_state], file);
	}
}

static long
number_after(const char *text, const char *name, long missing)
{
	const char *at = strstr(text, name);

	return at == NULL ? missing : strtol(at + strlen(name), NULL, 10);
}

static int
count_of(const char *text, const char *what)
{
	int count = 0;

	for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
		count++;
	return count;
}

/* Put an answer together: a beginning, a shared part or NULL, an end. */
static void
answer(Connection *connection, const char *beginning, const Part *shared,
	   const char *end)
{
	size_t first = strlen(beginning);
	size_t last = strlen(end);
	size_t length = first + (shared ? shared->length : 0) + last;
	unsigned long crc = crc32(0, (const unsigned char *) beginning, first);
	int n;

	if (shared != NULL)
		crc = crc32_combine(crc, shared->crc, shared->length);
	crc = crc32_combine(crc, crc32(0, (const unsigned char *) end, last), last);
	n = snprintf(connection->head, sizeof(connection->head),
				 "HTTP/1.1 200 OK\r\nServer: pages\r\n"
				 "Date: Tue, 01 Dec 2026 05:15:00 GMT\r\n"
				 "Content-Type: application/x-amz-json-1.0\r\n"
				 "Content-Length: %zu\r\nx-amzn-RequestId: PAGE\r\n"
				 "x-amz-crc32: %lu\r\n\r\n",
				 length, crc);
	connection->tail = malloc(first + last + 1);
	memcpy(connection->tail, beginning, first);
	memcpy(connection->tail + first, end, last);
	connection->parts[0] = (struct iovec){connection->head, n};
	connection->parts[1] = (struct iovec){connection->tail, first};
	connection->parts[2] =
		(struct iovec){shared ? shared->bytes : NULL,
					   shared ? shared->length : 0};
	connection->parts[3] = (struct iovec){connection->tail + first, last};
	connection->nparts = 4;
	sent += length;
}

static void
answer_scan(Connection *connection, const char *body, bool with_state)
{
	long segments = number_after(body, "\"TotalSegments\":", 1);
	long segment = number_after(body, "\"Segment\":", 0);
	long page = number_after(body, "{\"S\":\"page/", segment);
	bool is_count = strstr(body, "\"COUNT\"") != NULL;
	long limit = number_after(body, "\"Limit\":", rows);
	char beginning[64];
	char end[256];

	snprintf(beginning, sizeof(beginning), "{\"Count\":%d%s", limit < rows ? 1 : rows,
			 is_count ? "" : ",\"Items\":[");
	if (page + segments < pages)
		snprintf(end, sizeof(end),
				 "%s,\"ConsumedCapacity\":{\"CapacityUnits\":128.0,"
				 "\"TableName\":\"Pages\"},\"LastEvaluatedKey\":"
				 "{\"PartitionKey\":{\"S\":\"page/%ld\"},\"RowKey\":{\"S\":"
				 "\"key\"}},\"ScannedCount\":%d}",
				 is_count ? "" : "]", page + segments, rows);
	else
		snprintf(end, sizeof(end), "%s,\"ScannedCount\":%d}",
				 is_count ? "" : "]", rows);
	answer(connection, beginning,
		   is_count		  ? NULL
		   : limit < rows ? &row[with_state]
						  : &items[with_state],
		   end);
}

static void
answer_batch(Connection *connection, const char *body, bool with_state)
{
	int count = count_of(body, "\"RowKey\":{\"S\"");
	size_t length = row[with_state].length + 1;
	char *all = malloc(length * count + 64);
	char *at = all + sprintf(all, "{\"Responses\":{\"Pages\":[");

	for (int i = 0; i < count; i++)
	{
		if (i > 0)
			*at++ = ',';
		memcpy(at, row[with_state].bytes, row[with_state].length);
		at += row[with_state].length;
	}
	*at = '\0';
	answer(connection, all, NULL, "]},\"UnprocessedKeys\":{}}");
	free(all);
}

static void
answer_description(Connection *connection)
{
	char text[256];

	snprintf(text, sizeof(text), "\"ItemCount\":%ld,\"TableSizeBytes\":%ld}}",
			 (long) pages * rows, (long) pages * rows * (blob + 100));
	answer(connection,
		   "{\"Table\":{\"TableStatus\":\"ACTIVE\",\"AttributeDefinitions\":["
		   "{\"AttributeName\":\"PartitionKey\",\"AttributeType\":\"S\"},"
		   "{\"AttributeName\":\"RowKey\",\"AttributeType\":\"S\"}],"
		   "\"KeySchema\":["
		   "{\"AttributeName\":\"PartitionKey\",\"KeyType\":\"HASH\"},"
		   "{\"AttributeName\":\"RowKey\",\"KeyType\":\"RANGE\"}],",
		   NULL, text);
}

static void
make_answer(Connection *connection, const char *head, const char *body)
{
	bool with_state = strstr(body, "GrainState") != NULL ||
					  strstr(body, "ProjectionExpression") == NULL;
	char text[128];

	requests++;
	if (strncmp(head, "GET /counters", 13) == 0)
	{
		snprintf(text, sizeof(text), "%ld %ld %ld", requests - 1, sent, accepted);
		requests = sent = accepted = 0;
		answer(connection, text, NULL, "\n");
		sent = 0;
	}
	else if (strstr(head, ".Scan\r") != NULL)
		answer_scan(connection, body, with_state);
	else if (strstr(head, ".GetItem\r") != NULL)
		answer(connection, "{\"Item\":", &row[with_state], "}");
	else if (strstr(head, ".Query\r") != NULL)
		answer(connection, "{\"Count\":1,\"Items\":[", &row[with_state],
			   "],\"ScannedCount\":1}");
	else if (strstr(head, ".BatchGetItem\r") != NULL)
		answer_batch(connection, body, with_state);
	else if (strstr(head, ".DescribeTable\r") != NULL)
		answer_description(connection);
	else
		answer(connection, "{", NULL, "}");
}

static void
watch(int fd, unsigned events, int operation)
{
	struct epoll_event event = {.events = events, .data.fd = fd};

	if (epoll_ctl(epoll_fd, operation, fd, &event) != 0)
		die("epoll_ctl");
}

static int
listen_on_loopback(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *) &address, length) != 0 ||
		listen(fd, 128) != 0 ||
		getsockname(fd, (struct sockaddr *) &address, &length) != 0)
		die("listen");
	printf("PORT %d\n", ntohs(address.sin_port));
	fflush(stdout);
	return fd;
}

static void
accept_connection(int listener)
{
	int fd = accept(listener, NULL, NULL);
	int one = 1;

	if (fd < 0 || fd >= MAX_FD)
		die("accept");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	connections[fd] = (Connection){.request = malloc(MAX_REQUEST)};
	highest = fd > highest ? fd : highest;
	accepted++;
	watch(fd, EPOLLIN, EPOLL_CTL_ADD);
}

static void
close_connection(int fd)
{
	free(connections[fd].request);
	free(connections[fd].tail);
	connections[fd] = (Connection){0};
	close(fd);
}

/* Write what is left of the answer; wait where the socket is full. */
static void
write_answer(int fd)
{
	Connection *connection = &connections[fd];
	struct msghdr message = {.msg_iov = connection->parts,
							 .msg_iovlen = connection->nparts};
	ssize_t n = sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0 && errno != EAGAIN)
	{
		close_connection(fd);
		return;
	}
	for (int i = 0; i < connection->nparts && n > 0; i++)
	{
		struct iovec *part = &connection->parts[i];
		size_t taken = (size_t) n < part->iov_len ? (size_t) n : part->iov_len;

		part->iov_base = (char *) part->iov_base + taken;
		part->iov_len -= taken;
		n -= taken;
	}
	for (int i = 0; i < connection->nparts; i++)
	{
		if (connection->parts[i].iov_len > 0)
		{
			watch(fd, EPOLLOUT, EPOLL_CTL_MOD);
			return;
		}
	}
	free(connection->tail);
	connection->tail = NULL;
	connection->nparts = 0;
	watch(fd, EPOLLIN, EPOLL_CTL_MOD);
}

static void
take_request(int fd)
{
	Connection *connection = &connections[fd];
	char *end;
	char *field;
	size_t whole;

	connection->request[connection->length] = '\0';
	end = strstr(connection->request, "\r\n\r\n");
	if (end == NULL)
		return;
	*end = '\0';
	field = strcasestr(connection->request, "content-length:");
	whole = (size_t) (end + 4 - connection->request) +
			(field == NULL ? 0 : strtoul(field + 15, NULL, 10));
	*end = '\r';
	if (connection->length < whole)
		return;
	connection->length = 0;
	make_answer(connection, connection->request, end + 4);
	if (delay > 0)
		connection->due = now() + delay;
	else
		write_answer(fd);
}

static void
read_request(int fd)
{
	Connection *connection = &connections[fd];
	ssize_t n = recv(fd, connection->request + connection->length,
					 MAX_REQUEST - 1 - connection->length, MSG_DONTWAIT);

	if (n <= 0)
	{
		close_connection(fd);
		return;
	}
	connection->length += n;
	take_request(fd);
}

/* Write answers that are due; milliseconds until the next one, or -1. */
static int
write_due(void)
{
	double next = 0;

	for (int fd = 0; fd <= highest; fd++)
	{
		Connection *connection = &connections[fd];

		if (connection->due == 0)
			continue;
		if (connection->due <= now())
		{
			connection->due = 0;
			write_answer(fd);
		}
		else if (next == 0 || connection->due < next)
			next = connection->due;
	}
	return next == 0 ? -1 : (int) (next - now()) + 1;
}

int
main(int argc, char **argv)
{
	int listener;

	if (argc != 5)
		return 2;
	pages = atoi(argv[1]);
	rows = atoi(argv[2]);
	blob = atoi(argv[3]);
	delay = atof(argv[4]);
	make_pages();
	epoll_fd = epoll_create1(0);
	listener = listen_on_loopback();
	watch(listener, EPOLLIN, EPOLL_CTL_ADD);
	watch(STDIN_FILENO, EPOLLIN, EPOLL_CTL_ADD);
	for (;;)
	{
		struct epoll_event event;

		if (epoll_wait(epoll_fd, &event, 1, write_due()) != 1)
			continue;
		if (event.data.fd == STDIN_FILENO)
			return 0;
		if (event.data.fd == listener)
			accept_connection(listener);
		else if (event.events & EPOLLOUT)
			write_answer(event.data.fd);
		else
			read_request(event.data.fd);
	}
}
