/*
 * Send a request and wait; wait without one.
 *
 * transfer.c tells libcurl what to send and keeps what comes, multi.c drives it
 * by the session's latch, answer.c says what became of it.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "portability/instr_time.h"
#include "storage/latch.h"

#include "compat.h"
#include "net/http.h"
#include "net/transfer.h"

struct TxsExchange
{
	MemoryContext context;
	const TxsHttpRequest *request;
	TxsTransfer *transfer;
};

/* Looked up again only when the name is another one. */
static uint32
wait_event_of(const char *name)
{
	static const char *last_name;
	static uint32 last_event;

	if (name == NULL)
		name = "TxstoreHttp";
	if (name != last_name)
	{
		last_event = txs_wait_event(name);
		last_name = name;
	}
	return last_event;
}

static void
begin_transfer(TxsExchange *exchange)
{
	MemoryContext caller = MemoryContextSwitchTo(exchange->context);

	exchange->transfer = txs_transfer_create(exchange->request);
	if (!exchange->transfer->is_done)
		txs_multi_add(exchange->transfer);
	MemoryContextSwitchTo(caller);
}

/*
 * The transfer is in a context of its own, which goes with the caller's; there
 * it is taken from libcurl.
 */
TxsExchange *
txs_http_begin(const TxsHttpRequest *request)
{
	TxsExchange *exchange = palloc(sizeof(TxsExchange));

	exchange->context = CurrentMemoryContext;
	exchange->request = request;
	begin_transfer(exchange);
	return exchange;
}

/* A connection that is found to be of no use is closed and the next one tried. */
bool
txs_http_is_done(TxsExchange *exchange)
{
	txs_multi_check(exchange->transfer);
	if (exchange->transfer->is_done && exchange->transfer->is_spoilt)
	{
		txs_transfer_free(exchange->transfer);
		begin_transfer(exchange);
	}
	return exchange->transfer->is_done && !exchange->transfer->is_spoilt;
}

void
txs_http_finish(TxsExchange *exchange, TxsHttpAnswer *answer)
{
	txs_answer_read(exchange->transfer, answer);
	txs_transfer_free(exchange->transfer);
	pfree(exchange);
}

void
txs_http_wait(int milliseconds, const char *wait_event)
{
	txs_multi_turn(wait_event_of(wait_event), milliseconds);
}

/* An error must not leave a connection half-way, as the caller's context may
 * live long. */
void
txs_http_send(const TxsHttpRequest *request, TxsHttpAnswer *answer)
{
	TxsExchange *exchange = txs_http_begin(request);

	PG_TRY();
	{
		while (!txs_http_is_done(exchange))
			txs_http_wait(-1, request->wait_event);
	}
	PG_CATCH();
	{
		txs_transfer_free(exchange->transfer);
		PG_RE_THROW();
	}
	PG_END_TRY();
	txs_http_finish(exchange, answer);
}

void
txs_http_pause(int milliseconds)
{
	uint32 wait_event = txs_wait_event("TxstoreBackoff");
	instr_time start, now;

	INSTR_TIME_SET_CURRENT(start);
	for (;;)
	{
		long left;

		CHECK_FOR_INTERRUPTS();
		INSTR_TIME_SET_CURRENT(now);
		INSTR_TIME_SUBTRACT(now, start);
		left = milliseconds - (long) INSTR_TIME_GET_MILLISEC(now);
		if (left <= 0)
			break;
		if (WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					  left, wait_event) &
			WL_LATCH_SET)
			ResetLatch(MyLatch);
	}
}
