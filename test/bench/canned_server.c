/*
 * A server that gives canned answers as fast as it can, so that a benchmark
 * measures its clients.  It looks at nothing but the operation's name.
 *
 *   canned_server FOLDER     FOLDER/GetItem.json and so on are the answers
 *
 * The body of the first request of each operation is left in FOLDER/GetItem and
 * so on, so that another client can send the same.
 *
 * HTTP/1.1 on a free port of loopback, printed as "PORT n"; connections stay
 * open.  Each answer has Content-Length, x-amz-crc32 and a request id, as the
 * service's have.  Ends when its standard input ends.  One thread, epoll.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#define MAX_FD		1024
#define MAX_REQUEST (1024 * 1024)
#define MAX_ANSWERS 16

typedef struct Answer
{
	char operation[64];
	char *bytes; /* head and body */
	size_t length;
	bool is_asked; /* a request was left in the folder */
} Answer;

typedef struct Connection
{
	char *request; /* as much as has come */
	size_t length;
	const Answer *answer; /* that is being written */
	size_t written;
} Connection;

static const char *const operations[] = {"GetItem", "Query",
										 "TransactWriteItems", "BatchGetItem",
										 "DescribeTable"};
static const char *folder;
static Answer answers[MAX_ANSWERS];
static int nanswers;
static Connection connections[MAX_FD];
static int epoll_fd;

static void
die(const char *what)
{
	perror(what);
	exit(1);
}

/* Read folder/OPERATION.json, if it is there, and put a head before it. */
static void
read_answer(const char *operation)
{
	Answer *answer = &answers[nanswers];
	char path[4096];
	char head[512];
	char *body = malloc(MAX_REQUEST);
	size_t length;
	FILE *file;
	int head_length;

	snprintf(path, sizeof(path), "%s/%s.json", folder, operation);
	file = fopen(path, "r");
	if (file == NULL)
	{
		free(body);
		return;
	}
	length = fread(body, 1, MAX_REQUEST, file);
	fclose(file);
	head_length = snprintf(
		head, sizeof(head),
		"HTTP/1.1 200 OK\r\nServer: canned\r\n"
		"Date: Tue, 01 Dec 2026 05:15:00 GMT\r\n"
		"Content-Type: application/x-amz-json-1.0\r\nContent-Length: %zu\r\n"
		"x-amzn-RequestId: CANNED\r\nx-amz-crc32: %lu\r\n\r\n",
		length, crc32(0, (unsigned char *) body, length));
	snprintf(answer->operation, sizeof(answer->operation), ".%s\r", operation);
	answer->length = head_length + length;
	answer->bytes = malloc(answer->length);
	memcpy(answer->bytes, head, head_length);
	memcpy(answer->bytes + head_length, body, length);
	free(body);
	nanswers++;
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
watch(int fd, unsigned events, int operation)
{
	struct epoll_event event = {.events = events, .data.fd = fd};

	if (epoll_ctl(epoll_fd, operation, fd, &event) != 0)
		die("epoll_ctl");
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
	watch(fd, EPOLLIN, EPOLL_CTL_ADD);
}

static void
close_connection(int fd)
{
	free(connections[fd].request);
	close(fd);
}

/* Write what is left of the answer; wait where the socket is full. */
static void
write_answer(int fd)
{
	Connection *connection = &connections[fd];
	const Answer *answer = connection->answer;
	ssize_t n = send(fd, answer->bytes + connection->written,
					 answer->length - connection->written,
					 MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n > 0)
		connection->written += n;
	if (connection->written == answer->length)
	{
		connection->answer = NULL;
		watch(fd, EPOLLIN, EPOLL_CTL_MOD);
	}
	else
		watch(fd, EPOLLOUT, EPOLL_CTL_MOD);
}

static void
keep_request(Answer *answer, const char *body, size_t length)
{
	char path[4096];
	FILE *file;

	if (answer->is_asked)
		return;
	answer->is_asked = true;
	snprintf(path, sizeof(path), "%s/%.*s", folder,
			 (int) strlen(answer->operation) - 2, answer->operation + 1);
	file = fopen(path, "w");
	if (file == NULL || fwrite(body, 1, length, file) != length)
		die(path);
	fclose(file);
}

static Answer *
find_answer(const char *head)
{
	for (int i = 0; i < nanswers; i++)
		if (strstr(head, answers[i].operation) != NULL)
			return &answers[i];
	fprintf(stderr, "no answer to %.300s\n", head);
	exit(1);
}

/* Answer the request, if it is whole: one is sent at a time. */
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
	if (connection->length >= whole)
	{
		Answer *answer = find_answer(connection->request);

		keep_request(answer, end + 4, connection->request + whole - end - 4);
		connection->length = 0;
		connection->written = 0;
		connection->answer = answer;
		write_answer(fd);
	}
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

int
main(int argc, char **argv)
{
	int listener;

	if (argc != 2)
		return 2;
	folder = argv[1];
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		read_answer(operations[i]);
	epoll_fd = epoll_create1(0);
	listener = listen_on_loopback();
	watch(listener, EPOLLIN, EPOLL_CTL_ADD);
	watch(STDIN_FILENO, EPOLLIN, EPOLL_CTL_ADD);
	for (;;)
	{
		struct epoll_event event;

		if (epoll_wait(epoll_fd, &event, 1, -1) != 1)
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
