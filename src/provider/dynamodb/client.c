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
#include "stats/endpoints.h"
#include "utils/timestamp.h"

/*
 * Milliseconds for one attempt, when more is left; who gives a call more time
 * than usual has a slow server, and gets a part of it for each attempt.
 */
#define ATTEMPT_TIMEOUT 5000

/*
 * How long to go on beyond the usual attempts, in milliseconds, while the
 * service is still deciding (spec section 3), or while it is not known whether
 * a write was applied: with the same token, the next answer may tell.
 */
#define PATIENCE 10000

/* Shown in pg_stat_activity, from PostgreSQL 17. */
#define WAIT_EVENT "TxstoreHttp"

/*
 * No attempt with less time than this, in milliseconds: it would be cut off,
 * and only turn a refusal into an unknown outcome.
 */
#define LEAST_ATTEMPT 100

/* 16 MB is what one answer may hold (spec section 7); base64 and JSON make
 * that more. */
#define MAX_ANSWER ((size_t) 32 * 1024 * 1024)

#define MAX_HEADERS 8

/* What one call keeps account of, beside the call. */
typedef struct Attempts
{
	TimestampTz start;
	TimestampTz deadline;
	int retries;	   /* that cost a token */
	int taken;		   /* tokens of the last retry */
	bool open_outcome; /* a write that may have been applied */
	bool under_way;	   /* an attempt is being sent, or has no answer yet */
	bool used_free;	   /* the free attempt after a stale connection */
	bool used_clock;   /* the one after a correction of the clock */
	bool used_renewal; /* the one with new credentials */
	int64 skew;		   /* seconds that the service's clock is ahead */
	const char *hint;  /* x-amz-retry-after of the last answer */
} Attempts;

struct TxsRunningCall
{
	TxsCall *call;
	MemoryContext requests; /* of what is on its way */
	MemoryContext results;
	Attempts attempts;
	TxsHttpRequest request; /* of the attempt that is on its way */
	TxsHeader headers[MAX_HEADERS];
	TxsExchange *exchange; /* NULL while waiting for the next attempt */
	TimestampTz resume_at; /* when to begin that */
};

static TxsSigner *signer = NULL;

/*
 * For how long one token may be used, in milliseconds: the service forgets it
 * ten minutes after the first attempt, and would then apply the write again
 * (spec section 3).
 */
#define TOKEN_LIFETIME (8 * 60 * 1000)

static int
milliseconds_left(const Attempts *attempts)
{
	long left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(),
												attempts->deadline);

	return (int) Min(left, INT_MAX);
}

/* The time of signing: now by the service's clock, as 20261201T051500Z. */
static void
write_date(int64 skew, char *text, size_t size)
{
	pg_time_t now = (pg_time_t) time(NULL) + skew;

	pg_strftime(text, size, "%Y%m%dT%H%M%SZ", pg_gmtime(&now));
}

/*
 * The headers of one attempt, signed; returns how many.  Texts are palloc'd.
 */
static int
make_headers(const TxsCall *call, int64 skew, TxsHeader *headers)
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

	write_date(skew, date, sizeof(date));
	headers[count++] =
		(TxsHeader){"content-type", "application/x-amz-json-1.0"};
	headers[count++] = (TxsHeader){"host", connection->endpoint.host};
	headers[count++] = (TxsHeader){"x-amz-date", pstrdup(date)};
	headers[count++] =
		(TxsHeader){"x-amz-target",
					psprintf("DynamoDB_20120810.%s", call->operation)};
	if (connection->credentials->session_token != NULL)
		headers[count++] = (TxsHeader){"x-amz-security-token",
									   connection->credentials->session_token};

	input.headers = headers;
	input.nheaders = count;
	if (signer == NULL)
		signer = txs_sigv4_create();
	if (signer == NULL ||
		!txs_sigv4_sign(signer, &input, connection->credentials, authorization,
						4096))
		ereport(ERROR, errcode(ERRCODE_INTERNAL_ERROR),
				errmsg("could not sign a request to server \"%s\"",
					   connection->storage->name));
	headers[count++] = (TxsHeader){"authorization", authorization};
	return count;
}

static int
attempt_timeout(const TxsRunningCall *running)
{
	int longest =
		Max(ATTEMPT_TIMEOUT,
			running->call->connection->request_timeout / TXS_RETRY_ATTEMPTS);

	return Max(1, Min(milliseconds_left(&running->attempts), longest));
}

/* Sign and send. */
static void
begin_attempt(TxsRunningCall *running)
{
	TxsCall *call = running->call;
	const TxsConnection *connection = call->connection;
	MemoryContext caller = MemoryContextSwitchTo(running->requests);

	call->attempts++;
	if (call->attempts > 1)
		txs_lines_count_retry(connection->line);
	running->request = (TxsHttpRequest){
		.method = "POST",
		.url = connection->endpoint.url,
		.headers = running->headers,
		.nheaders =
			make_headers(call, running->attempts.skew, running->headers),
		.body = call->body,
		.ca_file = connection->storage->ca_file,
		.connect_timeout = connection->connect_timeout,
		.timeout = attempt_timeout(running),
		.pool = txs_lines_pool(connection->line),
		.max_answer = MAX_ANSWER,
		.wait_event = WAIT_EVENT,
	};
	running->exchange = txs_http_begin(&running->request);
	MemoryContextSwitchTo(caller);
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

/*
 * Does the service say, in its own words, that it has not done it?  An answer
 * of what is in front of it, such as a redirection or a page, proves nothing,
 * nor does a failure within it, nor what is still in progress.
 */
static bool
is_refusal(const TxsCall *call, const TxsHttpAnswer *answer)
{
	return answer->status >= 400 && answer->status < 500 &&
		   is_object(answer->body) && call->code != NULL &&
		   call->fault != TXS_FAULT_IN_PROGRESS &&
		   call->fault != TXS_FAULT_TRANSIENT;
}

/* Take up an answer with a status other than 200. */
static void
take_error(TxsCall *call, const TxsHttpAnswer *answer, Attempts *attempts)
{
	txs_answers_error(call, answer);
	call->fault = txs_retry_classify(answer->status, call->code,
									 reason_codes(call), call->nreasons);
	attempts->hint = answer->retry_after;
	if (is_refusal(call, answer))
		return;
	attempts->open_outcome = true;

	/* Asking again may reach the service itself. */
	if (call->fault == TXS_FAULT_FINAL)
		call->fault = TXS_FAULT_TRANSIENT;
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
						answer->received_at / USECS_PER_SEC, attempts->skew,
						&skew))
		return false;
	ereport(LOG, errmsg("clock of server \"%s\" differs by " INT64_FORMAT
						" seconds; requests are signed by it",
						call->connection->storage->name, skew));
	txs_endpoints_set_skew(call->connection->endpoint.host, skew);
	attempts->skew = skew;
	attempts->used_clock = true;
	return true;
}

/*
 * Decide on the next attempt, and when it is to be; false if there must be
 * none: the fault is final, attempts, tokens or time are used up.
 */
static bool
plan_retry(TxsCall *call, const TxsHttpAnswer *answer, Attempts *attempts,
		   int *delay)
{
	bool undecided = call->fault == TXS_FAULT_IN_PROGRESS ||
					 (call->is_write && attempts->open_outcome);
	bool patient =
		undecided &&
		!TimestampDifferenceExceeds(attempts->start, GetCurrentTimestamp(),
									PATIENCE);
	int cost = txs_retry_cost(call->fault);

	*delay = 0;
	if (call->outcome == TXS_HTTP_STALE && !attempts->used_free)
	{
		attempts->used_free = true;
		return milliseconds_left(attempts) > 0;
	}
	if (correct_clock(call, answer, attempts))
		return milliseconds_left(attempts) > 0;
	if (call->fault == TXS_FAULT_CREDENTIALS && !attempts->used_renewal)
	{
		attempts->used_renewal = true;
		return txs_credentials_renew(call->connection) &&
			   milliseconds_left(attempts) > 0;
	}
	if (cost == 0 || (call->attempts >= TXS_RETRY_ATTEMPTS && !patient))
		return false;
	*delay =
		txs_retry_delay(call->fault, attempts->retries,
						pg_prng_double(&pg_global_prng_state), attempts->hint);
	if (*delay + LEAST_ATTEMPT > milliseconds_left(attempts) ||
		!txs_endpoints_take_tokens(call->connection->endpoint.host, cost,
								   TXS_RETRY_TOKENS))
		return false;
	attempts->retries++;
	attempts->taken = cost;
	return true;
}

TxsRunningCall *
txs_client_begin(TxsCall *call, int delay)
{
	TxsRunningCall *running = palloc0(sizeof(TxsRunningCall));
	Attempts *attempts = &running->attempts;

	running->call = call;
	running->requests = CurrentMemoryContext;
	running->results = CurrentMemoryContext;
	attempts->start = GetCurrentTimestamp();
	attempts->deadline =
		TimestampTzPlusMilliseconds(attempts->start,
									Min(call->connection->request_timeout,
										TOKEN_LIFETIME));
	attempts->skew = txs_endpoints_skew(call->connection->endpoint.host);
	call->attempts = 0;
	running->resume_at = TimestampTzPlusMilliseconds(attempts->start, delay);
	if (delay == 0)
		begin_attempt(running);
	return running;
}

/* Take up the answer of an attempt; true if it was the last one. */
static bool
end_attempt(TxsRunningCall *running)
{
	TxsCall *call = running->call;
	Attempts *attempts = &running->attempts;
	TxsHttpAnswer answer;
	int delay;

	txs_http_finish(running->exchange, &answer);
	running->exchange = NULL;
	if (take_answer(call, &answer, attempts))
	{
		txs_endpoints_give_tokens(call->connection->endpoint.host,
								  attempts->taken > 0 ? attempts->taken : 1);
		call->result = TXS_CALL_OK;
		return true;
	}
	txs_lines_count_failure(call->connection->line, call);
	if (!plan_retry(call, &answer, attempts, &delay))
	{
		call->result = call->is_write && attempts->open_outcome
						   ? TXS_CALL_UNKNOWN
						   : TXS_CALL_REFUSED;
		return true;
	}
	running->resume_at =
		TimestampTzPlusMilliseconds(GetCurrentTimestamp(), delay);
	return false;
}

bool
txs_client_is_done(TxsRunningCall *running)
{
	MemoryContext caller = MemoryContextSwitchTo(running->results);
	bool is_done = false;

	if (running->exchange == NULL)
	{
		if (GetCurrentTimestamp() >= running->resume_at)
			begin_attempt(running);
	}
	else if (txs_http_is_done(running->exchange))
		is_done = end_attempt(running);
	MemoryContextSwitchTo(caller);
	return is_done;
}

void
txs_client_wait(TxsRunningCall *const *calls, int count)
{
	int longest = -1;
	bool has_exchange = false;
	int i;

	for (i = 0; i < count; i++)
	{
		long left;

		if (calls[i]->exchange != NULL)
		{
			has_exchange = true;
			if (txs_http_is_done(calls[i]->exchange))
				return;
			continue;
		}
		left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(),
											   calls[i]->resume_at);
		if (longest < 0 || left < longest)
			longest = (int) left;
	}
	if (has_exchange)
		txs_http_wait(longest, WAIT_EVENT);
	else
		txs_http_pause(longest);
}

/*
 * What an error that ends a write on its way, such as a cancel, must say:
 * what went before, and that its outcome is as unknown as after a lost
 * connection.  NULL where nothing can have been applied.
 */
static char *
describe_interruption(const TxsCall *call, const TxsRunningCall *running)
{
	const char *done = call->progress == NULL ? "" : call->progress;

	if (running == NULL ||
		(running->exchange == NULL && !running->attempts.open_outcome))
		return done[0] == '\0' ? NULL : pstrdup(done);
	return psprintf("%s%sA write to table \"%s\" of server \"%s\" was under "
					"way: it may have been applied, or may still be.  load() "
					"tells.",
					done, done[0] == '\0' ? "" : "  ",
					call->connection->storage->table_name,
					call->connection->storage->name);
}

/* Raise the current error again, with what there is to say of a write. */
pg_noreturn static void
rethrow(const TxsCall *call, char *detail, MemoryContext context)
{
	ErrorData *error;

	if (detail == NULL)
		PG_RE_THROW();
	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	FlushErrorState();
	if (error->detail == NULL)
		error->detail = detail;
	ReThrowError(error);
}

void
txs_client_call(TxsCall *call)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext requests =
		AllocSetContextCreate(caller, "txstore call", ALLOCSET_SMALL_SIZES);
	TxsRunningCall *volatile running = NULL;

	PG_TRY();
	{
		TxsRunningCall *call_under_way;

		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(requests);
		call_under_way = txs_client_begin(call, 0);
		call_under_way->results = caller;
		MemoryContextSwitchTo(caller);
		running = call_under_way;
		while (!txs_client_is_done(call_under_way))
			txs_client_wait(&call_under_way, 1);
	}
	PG_CATCH();
	{
		char *detail = NULL;

		MemoryContextSwitchTo(caller);
		if (call->is_write)
			detail = describe_interruption(call, running);
		/* A connection must not be left half-way. */
		MemoryContextDelete(requests);
		rethrow(call, detail, caller);
	}
	PG_END_TRY();
	MemoryContextDelete(requests);
}
