/*
 * The sockets of the session's connections: callbacks of libcurl that open and
 * close them, and the account that fd.c has of them.
 */
#include "postgres.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
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

static curl_socket_t sockets[MAX_SOCKETS]; /* that are open */
static int open_sockets;
static int reserved_fds; /* reported to fd.c, for open sockets and spare */

static int find_local_port(curl_socket_t fd);

/* As many as there can be; with none left, a connection is not opened. */
void
txs_sockets_reserve(void)
{
	while (reserved_fds < open_sockets + SPARE_FDS && AcquireExternalFD())
		reserved_fds++;
	while (reserved_fds > open_sockets + SPARE_FDS)
	{
		ReleaseExternalFD();
		reserved_fds--;
	}
}

curl_socket_t
txs_sockets_open(void *data, curlsocktype purpose,
				 struct curl_sockaddr *address)
{
	curl_socket_t fd;

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
	sockets[open_sockets++] = fd;
	return fd;
}

int
txs_sockets_close(void *data, curl_socket_t fd)
{
	for (int i = 0; i < open_sockets; i++)
		if (sockets[i] == fd)
		{
			sockets[i] = sockets[--open_sockets];
			break;
		}
	return close(fd);
}

/* CURLINFO_ACTIVESOCKET would say which one it is, but only afterwards. */
bool
txs_sockets_have_input(int local_port)
{
	for (int i = 0; i < open_sockets; i++)
	{
		struct pollfd wanted = {.fd = sockets[i], .events = POLLIN};

		if (find_local_port(sockets[i]) == local_port)
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
