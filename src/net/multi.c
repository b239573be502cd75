/*
 * The session's curl multi handle, driven by the session's latch.
 *
 * libcurl says which sockets it waits for (SOCKETFUNCTION) and until when
 * (TIMERFUNCTION).  The sockets are in one epoll set, whose descriptor stands
 * beside the latch in a wait event set: one wait sees both, and nothing has to be
 * made anew when sockets change.  Interrupts are served between calls of libcurl,
 * never within, on every turn.
 *
 * All of it is made at the session's first request, never in the postmaster.
 */
#include "postgres.h"

#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "miscadmin.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "storage/latch.h"

#include "compat.h"
#include "net/transfer.h"

#define MAX_IDLE_CONNECTIONS 8L

static CURLM *multi;
static WaitEventSet *wait_set; /* latch, postmaster's death, epoll_fd */
static int epoll_fd = -1;
static int64 wake_at = -1; /* when libcurl wants to be called, or -1 */
static int running;		   /* transfers in the multi handle */
static CURLMcode failure;  /* the multi handle is of no use any more */
static bool must_close;	   /* the multi handle, once nothing is running */

static const char *start_session(void);
static const char *make_epoll(void);
static const char *make_wait_set(void);
static const char *make_multi(void);
static void end_session(int code, Datum arg);
static void close_multi(void);
static void take_turn(uint32 wait_event, int milliseconds);
static long time_to_wait(int milliseconds);
static void serve_socket(void);
static void act(curl_socket_t fd, int events);
static void collect_done(void);
static int watch_socket(CURL *easy, curl_socket_t fd, int what, void *data,
						void *socket_data);
static int set_timer(CURLM *handle, long milliseconds, void *data);
static int64 now_milliseconds(void);

void
txs_multi_add(TxsTransfer *transfer)
{
	CURLMcode code;
	TxsGuard guard;

	transfer->problem = start_session();
	transfer->is_done = transfer->problem != NULL;
	if (transfer->is_done)
		return;
	txs_pools_make_room(transfer->request->pool);
	txs_sockets_reserve();

	txs_guard_enter(&guard);
	code = curl_multi_add_handle(multi, transfer->easy);
	txs_guard_leave(&guard);
	if (code != CURLM_OK)
	{
		transfer->is_done = true;
		transfer->problem = curl_multi_strerror(code);
		return;
	}
	transfer->is_running = true;
	running++;
}

void
txs_multi_turn(uint32 wait_event, int milliseconds)
{
	take_turn(wait_event, milliseconds);
}

void
txs_multi_check(TxsTransfer *transfer)
{
	if (transfer->is_done || failure == CURLM_OK)
		return;
	transfer->is_done = true;
	transfer->problem = curl_multi_strerror(failure);
}

/* Its connection is closed unless the transfer is done: what it got is half. */
void
txs_multi_remove(TxsTransfer *transfer)
{
	TxsGuard guard;

	if (!transfer->is_running)
		return;
	transfer->is_running = false;
	running--;
	if (multi == NULL)
		return;
	txs_guard_enter(&guard);
	curl_multi_remove_handle(multi, transfer->easy);
	txs_guard_leave(&guard);
	if (must_close)
		close_multi();
}

void
txs_http_close_idle(void)
{
	must_close = true;
	close_multi();
}

/* ---------------------------------------------------- the session's handle */

/*
 * Make what is not there yet.  Returns what is wrong; an error that is raised
 * leaves what has been made for the next time.
 */
static const char *
start_session(void)
{
	const char *problem = NULL;

	if (multi != NULL)
		return NULL;
	if (epoll_fd < 0)
	{
		problem = txs_library_check();
		if (problem == NULL)
			problem = make_epoll();
	}
	if (problem == NULL && wait_set == NULL)
		problem = make_wait_set();
	return problem != NULL ? problem : make_multi();
}

static const char *
make_epoll(void)
{
	if (!AcquireExternalFD())
		return "too many open files";
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (epoll_fd < 0)
	{
		ReleaseExternalFD();
		return "too many open files";
	}
	return NULL;
}

/* Without a descriptor for it the server would say "internal error". */
static const char *
make_wait_set(void)
{
	WaitEventSet *set;
	int spare = dup(epoll_fd);

	if (spare < 0)
		return "too many open files";
	close(spare);
	if (!AcquireExternalFD())
		return "too many open files";
	ReleaseExternalFD();

	set = txs_create_wait_event_set(3);
	AddWaitEventToSet(set, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, NULL);
	AddWaitEventToSet(set, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, NULL, NULL);
	AddWaitEventToSet(set, WL_SOCKET_READABLE, epoll_fd, NULL, NULL);
	wait_set = set;
	return NULL;
}

static const char *
make_multi(void)
{
	static bool is_registered = false;
	CURLM *made;

	if (!is_registered)
		on_proc_exit(end_session, (Datum) 0);
	is_registered = true;

	made = curl_multi_init();
	if (made == NULL ||
		curl_multi_setopt(made, CURLMOPT_SOCKETFUNCTION, watch_socket) ||
		curl_multi_setopt(made, CURLMOPT_TIMERFUNCTION, set_timer) ||
#if LIBCURL_VERSION_NUM >= 0x081400
		/* 8.20 has a pool of resolver threads, and waits for them. */
		curl_multi_setopt(made, CURLMOPT_QUICK_EXIT, 1L) ||
#endif
		curl_multi_setopt(made, CURLMOPT_MAXCONNECTS, MAX_IDLE_CONNECTIONS))
	{
		curl_multi_cleanup(made);
		return "libcurl refuses an option";
	}
	wake_at = -1;
	failure = CURLM_OK;
	must_close = false;
	multi = made;
	return NULL;
}

/* Says good-bye to servers; contexts with transfers have gone before. */
static void
end_session(int code, Datum arg)
{
	running = 0;
	txs_pools_end();
	close_multi();
}

static void
close_multi(void)
{
	TxsGuard guard;
	CURLM *closing = multi;

	if (closing == NULL || running > 0)
		return;
	multi = NULL;
	txs_guard_enter(&guard);
	curl_multi_cleanup(closing);
	txs_guard_leave(&guard);
}

/* -------------------------------------------------------------- waiting */

/*
 * Wait for something to do, and do it.  The wait looks at the latch first, also
 * where there is no time to wait or sockets are always ready, so a fast answer
 * cannot hold off an interrupt.
 */
static void
take_turn(uint32 wait_event, int milliseconds)
{
	WaitEvent events[2];
	bool is_readable = false;
	int n = WaitEventSetWait(wait_set, time_to_wait(milliseconds), events,
							 lengthof(events), wait_event);

	for (int i = 0; i < n; i++)
	{
		if (events[i].events & WL_LATCH_SET)
			ResetLatch(MyLatch);
		else
			is_readable = true;
	}
	CHECK_FOR_INTERRUPTS();

	if (is_readable)
		serve_socket();
	if (wake_at >= 0 && now_milliseconds() >= wake_at)
	{
		wake_at = -1;
		act(CURL_SOCKET_TIMEOUT, 0);
	}
	collect_done();
}

/* Until libcurl wants to be called, at most as given; -1 means no end. */
static long
time_to_wait(int milliseconds)
{
	long wanted = wake_at <= 0 ? (long) wake_at
							   : (long) Max(wake_at - now_milliseconds(), 0);

	if (milliseconds < 0 || wanted < 0)
		return Max(wanted, milliseconds);
	return Min(wanted, milliseconds);
}

/*
 * One a turn, the next one in the next: what is done for one socket can close
 * another and open a third that gets its number, so an event that was taken
 * before may be for a socket that is no more.  libcurl looks itself what an
 * error on a socket is, when it reads or writes.
 */
static void
serve_socket(void)
{
	struct epoll_event event;
	int wanted = 0;

	if (epoll_wait(epoll_fd, &event, 1, 0) != 1)
		return;
	if (event.events & (EPOLLIN | EPOLLERR | EPOLLHUP))
		wanted |= CURL_CSELECT_IN;
	if (event.events & (EPOLLOUT | EPOLLERR | EPOLLHUP))
		wanted |= CURL_CSELECT_OUT;
	act(event.data.fd, wanted);
}

static void
act(curl_socket_t fd, int events)
{
	int still_running;
	CURLMcode code;
	TxsGuard guard;

	txs_guard_enter(&guard);
	code = curl_multi_socket_action(multi, fd, events, &still_running);
	txs_guard_leave(&guard);
	if (code != CURLM_OK)
	{
		failure = code;
		must_close = true;
	}
}

static void
collect_done(void)
{
	CURLMsg *message;
	int left;

	while ((message = curl_multi_info_read(multi, &left)) != NULL)
	{
		TxsTransfer *transfer = NULL;

		if (message->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
		transfer->is_done = true;
		transfer->result = message->data.result;
	}
}

/* ------------------------------------------------------------- callbacks */

/* What libcurl waits for on a socket; REMOVE comes before it is closed. */
static int
watch_socket(CURL *easy, curl_socket_t fd, int what, void *data,
			 void *socket_data)
{
	struct epoll_event event = {0};

	if (what == CURL_POLL_REMOVE)
	{
		epoll_ctl(epoll_fd, EPOLL_CTL_DEL, fd, &event);
		return 0;
	}
	event.data.fd = fd;
	if (what & CURL_POLL_IN)
		event.events |= EPOLLIN;
	if (what & CURL_POLL_OUT)
		event.events |= EPOLLOUT;
	if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0 ||
		(errno == EEXIST &&
		 epoll_ctl(epoll_fd, EPOLL_CTL_MOD, fd, &event) == 0))
		return 0;
	return -1;
}

static int
set_timer(CURLM *handle, long milliseconds, void *data)
{
	wake_at = milliseconds < 0 ? -1 : now_milliseconds() + milliseconds;
	return 0;
}

/* --------------------------------------------------------------- helpers */

static int64
now_milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
