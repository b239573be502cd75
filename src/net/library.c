/*
 * libcurl as a library of this process: which one runs, and what a call of it
 * must not do to the process.
 */
#include "postgres.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/opensslv.h>
#include <signal.h>
#include <zlib.h>

#include "net/transfer.h"

/* The library that runs may be older than the one that was compiled with. */
const char *
txs_library_check(void)
{
	curl_version_info_data *library;

	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return "libcurl could not be initialized";
	library = curl_version_info(CURLVERSION_NOW);
	if (library->version_num < 0x075700)
		return "libcurl is older than 7.87";
	if (!(library->features & CURL_VERSION_SSL))
		return "libcurl was built without TLS";
	if (!(library->features & CURL_VERSION_ASYNCHDNS))
		ereport(WARNING, errmsg("name resolution cannot be interrupted"),
				errdetail("libcurl %s was built without asynchronous name "
						  "resolution.",
						  library->version));
	return NULL;
}

void
txs_http_libraries(TxsHttpLibraries *libraries)
{
	const curl_version_info_data *curl = curl_version_info(CURLVERSION_NOW);

	libraries->curl_built = LIBCURL_VERSION;
	libraries->curl = curl->version;
	libraries->curl_tls = curl->ssl_version;
	libraries->openssl_built = OPENSSL_VERSION_TEXT;
	libraries->openssl = OpenSSL_version(OPENSSL_VERSION);
	libraries->zlib_built = ZLIB_VERSION;
	libraries->zlib = zlibVersion();
	libraries->resolves_beside =
		(curl->features & CURL_VERSION_ASYNCHDNS) != 0;
}

/*
 * libcurl can start threads for name resolution, which inherit the signal mask.
 * No handler of the server may run there: SIGQUIT, too, which the server itself
 * never blocks.  Left open is what a fault of the thread itself raises.
 */
void
txs_guard_enter(TxsGuard *guard)
{
	static const int faults[] = {SIGILL, SIGABRT, SIGFPE, SIGSEGV,
								 SIGBUS, SIGTRAP, SIGSYS};
	sigset_t blocked;

	sigfillset(&blocked);
	for (int i = 0; i < lengthof(faults); i++)
		sigdelset(&blocked, faults[i]);
	pthread_sigmask(SIG_SETMASK, &blocked, &guard->signals);
}

/* What libcurl left in OpenSSL's queue would be taken for the server's errors. */
void
txs_guard_leave(const TxsGuard *guard)
{
	ERR_clear_error();
	pthread_sigmask(SIG_SETMASK, &guard->signals, NULL);
}
