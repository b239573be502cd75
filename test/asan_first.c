/*
 * Starts AddressSanitizer before anything else, preloaded after it.
 *
 * On Debian 12 a preloaded libasan.so alone hangs every program that uses
 * libp11-kit: its constructor calls newlocale(), whose malloc() starts the
 * sanitizer while the locale lock is held.  This library is linked with
 * -z initfirst, so that its constructor runs before that one.
 */
#include <stdlib.h>

__attribute__((constructor)) static void
asan_first(void)
{
	free(malloc(1));
}
