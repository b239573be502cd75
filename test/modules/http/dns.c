/*
 * A resolver that hangs, to be preloaded: names that begin with "stall" take
 * 30 s, or as many as the number after it says; names that end with ".test" are
 * this machine.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int Resolve(const char *, const char *, const struct addrinfo *,
					struct addrinfo **);

/* Servers since 16 build their modules with hidden symbols. */
__attribute__((visibility("default"))) Resolve getaddrinfo;

int
getaddrinfo(const char *node, const char *service,
			const struct addrinfo *hints, struct addrinfo **result)
{
	Resolve *next = (Resolve *) dlsym(RTLD_NEXT, "getaddrinfo");
	size_t length = node != NULL ? strlen(node) : 0;

	if (node != NULL && strncmp(node, "stall", 5) == 0)
	{
		int seconds = atoi(node + 5);

		sleep(seconds > 0 ? seconds : 30);
		return EAI_AGAIN;
	}
	if (length > 5 && strcmp(node + length - 5, ".test") == 0)
		node = "127.0.0.1";
	return next(node, service, hints, result);
}
