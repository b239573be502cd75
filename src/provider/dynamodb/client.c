/*
 * One operation with all its attempts: sign, send, look at the answer, wait,
 * try again.
 *
 * The rules of the attempts are aws/retry.c's, and the tokens for retries are
 * shared by all sessions (stats).  What matters here is what is known in the
 * end: a write whose outcome one attempt has left open stays open, whatever a
 * later attempt is told; only a success closes it, since all attempts are one
 * write to the service, with one ClientRequestToken and the same bytes.
 */
#include "provider/dynamodb/dynamodb.h"

#include <math.h>

#include "common/pg_prng.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "stats/retry_tokens.h"
#include "utils/timestamp.h"

/* Milliseconds for one attempt, when more is left. */
#define ATTEMPT_TIMEOUT 5000

/* How long to go on while the service is still deciding (spec section 3). */
#define IN_PROGRESS_PATIENCE 10000

/* 16 MB is what one answer may hold (spec section 7); base64 and JSON make
 * that more. */
#define MAX_ANSWER ((size_t) 32 * 1024 * 1024)

/* What one call keeps account of, beside the call. */
typedef struct Attempts
{
	TimestampTz start;
	TimestampTz deadline;
	int retries;	   /* that cost a token */
	int taken;		   /* tokens of the last retry */
	bool open_outcome; /* a write that may have been applied */
	bool used_free;	   /* the free attempt after a stale connection */
	bool used_clock;   /* the one after a correction of the clock */
	const char *hint;  /* x-amz-retry-after of the last answer */
} Attempts;

static TxsSigner *signer = NULL;

/* Seconds that the service's clock is ahead of ours, as far as we know. */
static int64 clock_skew = 0;

static int
milliseconds_left(const Attempts *attempts)
{
	long left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(),
												attempts->deadline);

	return (int) Min(left, INT_MAX);
}

/* The time of signing: now by the service's clock, as 20261201T051500Z. */
static void
write_date(char *text, size_t size)
{
	pg_time_t now = (pg_time_t) time(NULL) + clock_skew;

	pg_strftime(text, size, "%Y%m%dT%H%M%SZ", pg_gmtime(&now));
}

#define MAX_HEADERS 8

/*
 * The headers of one attempt, signed; returns how many.  Texts are palloc'd.
 */
static int
make_headers(const TxsCall *call, TxsHeader *headers)
{
	const TxsConnection *connection = call->connection;
	char *authorization = palloc(4096);
	char date[32];
	int count = 0;
	TxsSigningInput input = {
		.method = "POST",
		.path = "/",
		.body = call->body.data,
		.body_length = call->body.length,
		.region = connection->endpoint.region,
		.service = "dynamodb",
		.timestamp = date,
	};

	write_date(date, sizeof(date));
	headers[count++] =
		(TxsHeader){"content-type", "application/x-amz-json-1.0"};
	headers[count++] = (TxsHeader){"host", connection->endpoint.host};
	headers[count++] = (TxsHeader){"x-amz-date", pstrdup(date)};
	headers[count++] =
		(TxsHeader){"x-amz-target",
					psprintf("DynamoDB_20120810.%s", call->operation)};
	if (connection->credentials.session_token != NULL)
		headers[count++] = (TxsHeader){"x-amz-security-token",
									   connection->credentials.session_token};

	input.headers = headers;
	input.nheaders = count;
	if (signer == NULL)
		signer = txs_sigv4_create();
	if (signer == NULL ||
		!txs_sigv4_sign(signer, &input, &connection->credentials,
						authorization, 4096))
		ereport(ERROR, errcode(ERRCODE_INTERNAL_ERROR),
				errmsg("could not sign a request to server \"%s\"",
					   connection->storage->name));
	headers[count++] = (TxsHeader){"authorization", authorization};
	return count;
}

/*
 * Raise the current error again.  A cancel while a write is under way says so:
 * its outcome is as unknown as after a lost connection.
 */
pg_noreturn static void
rethrow_under_way(const TxsCall *call, MemoryContext caller)
{
	ErrorData *error;

	MemoryContextSwitchTo(caller);
	error = CopyErrorData();
	FlushErrorState();
	if (error->detail == NULL)
		error->detail =
			psprintf("A write to server \"%s\" was under way: it may have "
					 "been applied, or may still be.  load() tells.",
					 call->connection->storage->name);
	ReThrowError(error);
}

/* Send and wait. */
static void
send_attempt(const TxsCall *call, const Attempts *attempts,
			 TxsHttpAnswer *answer)
{
	const TxsConnection *connection = call->connection;
	MemoryContext caller = CurrentMemoryContext;
	TxsHeader headers[MAX_HEADERS];
	TxsHttpRequest request = {
		.method = "POST",
		.url = connection->endpoint.url,
		.headers = headers,
		.nheaders = make_headers(call, headers),
		.body = call->body,
		.ca_file = connection->storage->ca_file,
		.connect_timeout = connection->connect_timeout,
		.timeout = Max(1, Min(milliseconds_left(attempts), ATTEMPT_TIMEOUT)),
		.max_answer = MAX_ANSWER,
		.wait_event = "TxstoreHttp",
	};

	if (!call->is_write)
	{
		txs_http_send(&request, answer);
		return;
	}
	PG_TRY();
	{
		txs_http_send(&request, answer);
	}
	PG_CATCH();
	{
		rethrow_under_way(call, caller);
	}
	PG_END_TRY();
}

/* Wait between attempts, the last of which may have left a write open. */
static void
pause_attempts(const TxsCall *call, const Attempts *attempts, int delay)
{
	MemoryContext caller = CurrentMemoryContext;

	if (!call->is_write || !attempts->open_outcome)
	{
		txs_http_pause(delay);
		return;
	}
	PG_TRY();
	{
		txs_http_pause(delay);
	}
	PG_CATCH();
	{
		rethrow_under_way(call, caller);
	}
	PG_END_TRY();
}

/* Is this answer what the service sent?  Its CRC says so, if it has one. */
static bool
is_intact(const TxsHttpAnswer *answer)
{
	char *end;
	unsigned long expected;

	if (answer->expected_crc32 == NULL)
		return true;
	errno = 0;
	expected = strtoul(answer->expected_crc32, &end, 10);
	return errno == 0 && end != answer->expected_crc32 && *end == '\0' &&
		   expected == answer->crc32;
}

/* Is the body one JSON object, whole? */
static bool
is_object(TxsSlice body)
{
	TxsReader reader;
	TxsSlice raw;
	size_t at = 0;

	while (at < body.length && strchr(" \t\r\n", body.data[at]) != NULL)
		at++;
	if (at == body.length || body.data[at] != '{')
		return false;
	txs_reader_open(&reader, body.data, body.length);
	return txs_reader_raw(&reader, &raw) &&
		   txs_reader_next(&reader) == TXS_TOKEN_END;
}

/* The codes alone, as the rules want them. */
static const char **
reason_codes(const TxsCall *call)
{
	const char **codes = palloc(sizeof(char *) * (call->nreasons + 1));
	int i;

	for (i = 0; i < call->nreasons; i++)
		codes[i] = call->reasons[i].code;
	return codes;
}

/* Take up an answer with an error's status. */
static void
take_error(TxsCall *call, const TxsHttpAnswer *answer, Attempts *attempts)
{
	txs_answers_error(call, answer);
	call->fault = txs_retry_classify(answer->status, call->code,
									 reason_codes(call), call->nreasons);
	attempts->hint = answer->retry_after;

	/* The service, or what is in front of it, failed: perhaps after it had
	 * done its work.  And what is in progress is not decided. */
	if (answer->status >= 500 || call->fault == TXS_FAULT_IN_PROGRESS)
		attempts->open_outcome = true;
}

static void
take_broken(TxsCall *call, Attempts *attempts, const char *problem)
{
	call->code = NULL;
	call->message = problem;
	call->fault = TXS_FAULT_TRANSIENT;
	attempts->open_outcome = true;
}

/* Take up what became of an attempt; true if it has succeeded. */
static bool
take_answer(TxsCall *call, const TxsHttpAnswer *answer, Attempts *attempts)
{
	call->outcome = answer->outcome;
	call->status = answer->status;
	call->request_id = answer->request_id;
	call->nreasons = 0;
	attempts->hint = NULL;
	if (answer->outcome != TXS_HTTP_ANSWERED)
	{
		call->code = NULL;
		call->message = answer->problem;
		call->fault = TXS_FAULT_TRANSIENT;
		if (answer->outcome != TXS_HTTP_UNSENT)
			attempts->open_outcome = true;
		return false;
	}
	if (!is_intact(answer))
		take_broken(call, attempts, "the answer does not match its CRC32");
	else if (answer->status != 200)
		take_error(call, answer, attempts);
	else if (!is_object(answer->body))
		take_broken(call, attempts, "the answer is not a JSON object");
	else
	{
		call->answer = answer->body;
		return true;
	}
	return false;
}

/* Correct the clock, if it is what the service minds; true if so. */
static bool
correct_clock(const TxsCall *call, const TxsHttpAnswer *answer,
			  Attempts *attempts)
{
	int64 skew;

	if (attempts->used_clock || answer->outcome != TXS_HTTP_ANSWERED)
		return false;
	if (!txs_retry_skew(call->code, answer->date,
						answer->received_at / USECS_PER_SEC, clock_skew,
						&skew))
		return false;
	ereport(LOG, errmsg("clock of server \"%s\" differs by " INT64_FORMAT
						" seconds; requests are signed by it",
						call->connection->storage->name, skew));
	clock_skew = skew;
	attempts->used_clock = true;
	return true;
}

/*
 * Wait before the next attempt; false if there must be none: the fault is
 * final, attempts, tokens or time are used up.
 */
static bool
wait_for_retry(TxsCall *call, const TxsHttpAnswer *answer, Attempts *attempts)
{
	bool patient =
		call->fault == TXS_FAULT_IN_PROGRESS &&
		!TimestampDifferenceExceeds(attempts->start, GetCurrentTimestamp(),
									IN_PROGRESS_PATIENCE);
	int cost = txs_retry_cost(call->fault);
	int delay;

	if (call->outcome == TXS_HTTP_STALE && !attempts->used_free)
	{
		attempts->used_free = true;
		return milliseconds_left(attempts) > 0;
	}
	if (correct_clock(call, answer, attempts))
		return milliseconds_left(attempts) > 0;
	if (cost == 0 || (call->attempts >= TXS_RETRY_ATTEMPTS && !patient))
		return false;
	delay =
		txs_retry_delay(call->fault, attempts->retries,
						pg_prng_double(&pg_global_prng_state), attempts->hint);
	if (delay >= milliseconds_left(attempts) ||
		!txs_retry_tokens_take(call->connection->endpoint.host, cost,
							   TXS_RETRY_TOKENS))
		return false;
	attempts->retries++;
	attempts->taken = cost;
	pause_attempts(call, attempts, delay);
	return true;
}

void
txs_client_call(TxsCall *call)
{
	Attempts attempts = {.start = GetCurrentTimestamp()};
	TxsHttpAnswer answer;

	attempts.deadline =
		TimestampTzPlusMilliseconds(attempts.start,
									call->connection->request_timeout);
	call->attempts = 0;
	do
	{
		call->attempts++;
		send_attempt(call, &attempts, &answer);
		if (take_answer(call, &answer, &attempts))
		{
			txs_retry_tokens_give(call->connection->endpoint.host,
								  attempts.taken > 0 ? attempts.taken : 1);
			call->result = TXS_CALL_OK;
			return;
		}
	} while (wait_for_retry(call, &answer, &attempts));
	call->result = call->is_write && attempts.open_outcome ? TXS_CALL_UNKNOWN
														   : TXS_CALL_REFUSED;
}
