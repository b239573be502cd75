/*
 * What became of a transfer.
 *
 * What proves that nothing was sent: libcurl calls PREREQFUNCTION when name
 * resolution, connect and TLS handshake with its checks are done, just before it
 * sends the first byte of a request (state MSTATE_DO of lib/multi.c, the same in
 * 7.88, 8.14 and 8.20).  Without that call no byte was sent, whatever the error
 * code says; after it, some can have been read by the server, whatever the code
 * says.  CURLINFO_REQUEST_SIZE and READFUNCTION are no better: the first counts
 * bytes that may still be in libcurl's buffer, the second sees the body only.
 *
 * When a connection kept from before dies before an answer, libcurl sends the
 * request again by itself (Curl_retry_request), though it may have been read.
 * Two things keep it from that.  Where a part of the body was sent, it would
 * have to rewind it and cannot (CURLE_SEND_FAIL_REWIND).  Else, as with GET, it
 * must ask PREREQFUNCTION once more, which refuses (CURLE_ABORTED_BY_CALLBACK).
 *
 * CURLE_OK does not say that an answer is whole: 7.88 also returns it when the
 * connection is closed within the head.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "net/transfer.h"

static TxsHttpOutcome find_outcome(const TxsTransfer *transfer, int status);
static bool is_endless_line(const TxsTransfer *transfer);
static bool died_unused(const TxsTransfer *transfer);
static int read_status(TxsSlice head);
static void read_headers(TxsSlice head, TxsHttpAnswer *answer);
static void read_header(TxsSlice line, const char *name, char **value);
static bool take_line(TxsSlice *head, TxsSlice *line);
static bool copy_body(const TxsTransfer *transfer, TxsHttpAnswer *answer);
static const char *describe_problem(const TxsTransfer *transfer,
									TxsHttpOutcome outcome);
static char *copy_printable(const char *text, size_t length);

void
txs_answer_read(const TxsTransfer *transfer, TxsHttpAnswer *answer)
{
	TxsSlice head = {transfer->head.data, transfer->head.length};

	memset(answer, 0, sizeof(*answer));
	if (transfer->has_head)
		answer->status = read_status(head);
	answer->outcome = find_outcome(transfer, answer->status);
	answer->timed_out = transfer->result == CURLE_OPERATION_TIMEDOUT;
	answer->new_connection = !transfer->is_reused;
	answer->received_at = transfer->received_at;
	answer->crc32 = transfer->crc32;
	if (transfer->has_head)
		read_headers(head, answer);
	if (answer->outcome == TXS_HTTP_ANSWERED && !copy_body(transfer, answer))
	{
		answer->outcome = TXS_HTTP_LOST;
		answer->problem = pstrdup("out of memory");
	}
	else if (answer->outcome != TXS_HTTP_ANSWERED)
	{
		const char *problem = describe_problem(transfer, answer->outcome);

		answer->problem = copy_printable(problem, strlen(problem));
	}
}

static TxsHttpOutcome
find_outcome(const TxsTransfer *transfer, int status)
{
	if (!transfer->is_begun)
		return TXS_HTTP_UNSENT;
	if (transfer->is_too_large || is_endless_line(transfer))
		return TXS_HTTP_TOO_LARGE;
	if (transfer->result == CURLE_OK && status >= 200)
		return TXS_HTTP_ANSWERED;
	if (transfer->result == CURLE_OPERATION_TIMEDOUT)
		return TXS_HTTP_LATE;
	return died_unused(transfer) ? TXS_HTTP_STALE : TXS_HTTP_LOST;
}

/*
 * libcurl has a limit of its own for a line of the head.  8.6 and later have
 * a code for it (CURLE_TOO_LARGE).
 */
static bool
is_endless_line(const TxsTransfer *transfer)
{
	return !transfer->has_head && !transfer->is_out_of_memory &&
		   (transfer->result == CURLE_OUT_OF_MEMORY ||
			transfer->result == 100);
}

/* Did a connection kept from before die before a line of an answer came? */
static bool
died_unused(const TxsTransfer *transfer)
{
	if (!transfer->is_reused || transfer->head_bytes > 0)
		return false;
	switch (transfer->result)
	{
		case CURLE_SEND_ERROR:
		case CURLE_RECV_ERROR:
		case CURLE_GOT_NOTHING:
		case CURLE_SEND_FAIL_REWIND:
			return true;
		default:
			return transfer->is_refused;
	}
}

/* The number in "HTTP/1.1 200 OK", or 0. */
static int
read_status(TxsSlice head)
{
	TxsSlice line;
	const char *blank;
	int status = 0;

	if (!take_line(&head, &line))
		return 0;
	blank = memchr(line.data, ' ', line.length);
	if (blank == NULL || line.data + line.length - blank < 4)
		return 0;
	for (int i = 1; i <= 3; i++)
	{
		if (blank[i] < '0' || blank[i] > '9')
			return 0;
		status = status * 10 + (blank[i] - '0');
	}
	return status;
}

static void
read_headers(TxsSlice head, TxsHttpAnswer *answer)
{
	TxsSlice line;

	while (take_line(&head, &line))
	{
		read_header(line, "x-amz-crc32", &answer->expected_crc32);
		read_header(line, "x-amzn-requestid", &answer->request_id);
		read_header(line, "date", &answer->date);
		read_header(line, "x-amz-retry-after", &answer->retry_after);
		read_header(line, "x-amzn-errortype", &answer->error_type);
	}
}

/* If the line is this header, copy its value; the first of several counts. */
static void
read_header(TxsSlice line, const char *name, char **value)
{
	size_t length = strlen(name);
	const char *start = line.data + length + 1;
	const char *end = line.data + line.length;

	if (*value != NULL || line.length <= length || line.data[length] != ':' ||
		pg_strncasecmp(line.data, name, length) != 0)
		return;
	while (start < end && (*start == ' ' || *start == '\t'))
		start++;
	while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*value = copy_printable(start, end - start);
}

/* Take the next line, without its end; false when there is no more. */
static bool
take_line(TxsSlice *head, TxsSlice *line)
{
	const char *end;

	if (head->length == 0)
		return false;
	end = memchr(head->data, '\n', head->length);
	line->data = head->data;
	line->length = end != NULL ? end - head->data : head->length;
	head->data += line->length + (end != NULL);
	head->length -= line->length + (end != NULL);
	if (line->length > 0 && line->data[line->length - 1] == '\r')
		line->length--;
	return true;
}

/*
 * False when memory is short: an error raised here would hide that the request
 * was sent.
 */
static bool
copy_body(const TxsTransfer *transfer, TxsHttpAnswer *answer)
{
	size_t length = transfer->body.length;
	char *data =
		palloc_extended(length + 1, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);

	if (data == NULL)
		return false;
	if (length > 0)
		memcpy(data, transfer->body.data, length);
	data[length] = '\0';
	answer->body.data = data;
	answer->body.length = length;
	return true;
}

static const char *
describe_problem(const TxsTransfer *transfer, TxsHttpOutcome outcome)
{
	if (transfer->problem != NULL)
		return transfer->problem;
	if (outcome == TXS_HTTP_TOO_LARGE)
		return "the answer is too large";
	if (outcome == TXS_HTTP_STALE)
		return "a kept connection was closed before an answer came";
	if (transfer->is_out_of_memory)
		return "out of memory";
	if (transfer->result == CURLE_OK)
		return "the answer ended within its head";
	if (transfer->error[0] != '\0')
		return transfer->error;
	return curl_easy_strerror(transfer->result);
}

/* Servers can send any bytes; these go into messages. */
static char *
copy_printable(const char *text, size_t length)
{
	char *copy;

	length = Min(length, 1000);
	copy = pnstrdup(text, length);
	for (char *c = copy; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return copy;
}
