/*
 * The sockets of the session's connections: callbacks of libcurl that open and
 * close them, and the account that fd.c has of them.
 */
#include "postgres.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/fd.h"

#include "net/transfer.h"

#define MAX_SOCKETS 64

/*
 * Descriptors reserved beyond the open sockets: for the next connection, several
 * addresses of which libcurl may try at once, and for its own use.  Reserving
 * can do I/O and log, so it is not done within the callbacks.
 */
#define SPARE_FDS 8

/*
 * An open socket.  Its number alone does not tell it from another file that got
 * the number later: libcurl 7.88 closes the socket of a connection that is given
 * up while it is made without a word (txs_sockets_close() is not called).
 */
typedef struct Socket
{
	curl_socket_t fd;
	ino_t inode;
	const TxsPool *pool; /* NULL: the session's own */
} Socket;

static Socket sockets[MAX_SOCKETS];
static int open_sockets;
static int reserved_fds; /* reported to fd.c, for open sockets and spare */

static void forget_closed(void);
static bool is_open(const Socket *candidate);
static int find_local_port(curl_socket_t fd);

/* As many as there can be; with none left, a connection is not opened. */
void
txs_sockets_reserve(void)
{
	forget_closed();
	while (reserved_fds < open_sockets + SPARE_FDS && AcquireExternalFD())
		reserved_fds++;
	while (reserved_fds > open_sockets + SPARE_FDS)
	{
		ReleaseExternalFD();
		reserved_fds--;
	}
}

static void
forget_closed(void)
{
	int kept = 0;

	for (int i = 0; i < open_sockets; i++)
		if (is_open(&sockets[i]))
			sockets[kept++] = sockets[i];
	open_sockets = kept;
}

static bool
is_open(const Socket *candidate)
{
	struct stat facts;

	return fstat(candidate->fd, &facts) == 0 && S_ISSOCK(facts.st_mode) &&
		   facts.st_ino == candidate->inode;
}

curl_socket_t
txs_sockets_open(void *data, curlsocktype purpose,
				 struct curl_sockaddr *address)
{
	struct stat facts;
	curl_socket_t fd;

	forget_closed();
	if (open_sockets >= Min(reserved_fds, MAX_SOCKETS))
	{
		errno = EMFILE;
		return CURL_SOCKET_BAD;
	}
	/* Programs that this session starts must not have it. */
	fd = socket(address->family, address->socktype | SOCK_CLOEXEC,
				address->protocol);
	if (fd < 0)
		return CURL_SOCKET_BAD;
	if (fstat(fd, &facts) != 0)
	{
		close(fd);
		return CURL_SOCKET_BAD;
	}
	sockets[open_sockets++] = (Socket){fd, facts.st_ino, data};
	return fd;
}

int
txs_sockets_close(void *data, curl_socket_t fd)
{
	for (int i = 0; i < open_sockets; i++)
		if (sockets[i].fd == fd)
		{
			sockets[i] = sockets[--open_sockets];
			break;
		}
	return close(fd);
}

int
txs_sockets_count(const TxsPool *pool)
{
	int count = 0;

	forget_closed();
	for (int i = 0; i < open_sockets; i++)
		if (pool == NULL || sockets[i].pool == pool)
			count++;
	return count;
}

/* CURLINFO_ACTIVESOCKET would say which one it is, but only afterwards. */
bool
txs_sockets_have_input(int local_port)
{
	for (int i = 0; i < open_sockets; i++)
	{
		struct pollfd wanted = {.fd = sockets[i].fd, .events = POLLIN};

		if (is_open(&sockets[i]) && find_local_port(wanted.fd) == local_port)
			return poll(&wanted, 1, 0) != 0;
	}
	return true;
}

static int
find_local_port(curl_socket_t fd)
{
	union
	{
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} address;
	socklen_t length = sizeof(address);

	if (getsockname(fd, &address.any, &length) != 0)
		return -1;
	return ntohs(address.any.sa_family == AF_INET6 ? address.v6.sin6_port
												   : address.v4.sin_port);
}
