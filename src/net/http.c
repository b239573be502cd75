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

static bool send_once(const TxsHttpRequest *request, TxsHttpAnswer *answer);

/* A connection that is found to be of no use is closed and the next one tried. */
void
txs_http_send(const TxsHttpRequest *request, TxsHttpAnswer *answer)
{
	while (!send_once(request, answer))
		;
}

/*
 * False if nothing was sent and another connection may do.
 *
 * The transfer's context would go with the caller's, but that may live long, and
 * an error must not leave a connection half-way.
 */
static bool
send_once(const TxsHttpRequest *request, TxsHttpAnswer *answer)
{
	TxsTransfer *transfer = txs_transfer_create(request);
	bool is_spoilt = false;

	PG_TRY();
	{
		if (!transfer->is_done)
			txs_multi_run(transfer);
		is_spoilt = transfer->is_spoilt;
		if (!is_spoilt)
			txs_answer_read(transfer, answer);
	}
	PG_FINALLY();
	{
		txs_transfer_free(transfer);
	}
	PG_END_TRY();
	return !is_spoilt;
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
