/*
 * Certificates that the system trusts, to be preloaded: what OpenSSL looks for
 * in /etc/ssl/certs is found in the folder that TEST_CERTIFICATES names, besides.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SYSTEM_FOLDER "/etc/ssl/certs/"
#define EXPORTED	  __attribute__((visibility("default")))

typedef int Stat(const char *, struct stat *);
typedef FILE *Open(const char *, const char *);

EXPORTED Stat stat;
EXPORTED Stat lstat;
EXPORTED Open fopen;
EXPORTED Open fopen64;

/* Where path is, which is kept in buffer if need be. */
static const char *
find(const char *path, char *buffer, size_t size)
{
	Stat *next = (Stat *) dlsym(RTLD_NEXT, "stat");
	const char *folder = getenv("TEST_CERTIFICATES");
	size_t length = strlen(SYSTEM_FOLDER);
	struct stat facts;

	if (folder == NULL || strncmp(path, SYSTEM_FOLDER, length) != 0 ||
		next(path, &facts) == 0)
		return path;
	snprintf(buffer, size, "%s/%s", folder, path + length);
	return buffer;
}

int
stat(const char *path, struct stat *facts)
{
	Stat *next = (Stat *) dlsym(RTLD_NEXT, "stat");
	char buffer[4096];

	return next(find(path, buffer, sizeof(buffer)), facts);
}

int
lstat(const char *path, struct stat *facts)
{
	Stat *next = (Stat *) dlsym(RTLD_NEXT, "lstat");
	char buffer[4096];

	return next(find(path, buffer, sizeof(buffer)), facts);
}

FILE *
fopen(const char *path, const char *mode)
{
	Open *next = (Open *) dlsym(RTLD_NEXT, "fopen");
	char buffer[4096];

	return next(find(path, buffer, sizeof(buffer)), mode);
}

FILE *
fopen64(const char *path, const char *mode)
{
	return fopen(path, mode);
}
