/*
 * When to try again; see retry.h.
 */
#include "aws/retry.h"

#include <stdlib.h>
#include <string.h>

/* Milliseconds, of the SDKs for DynamoDB (spec dynamodb-client section 3). */
#define BASE_TRANSIENT 25
#define BASE_THROTTLED 1000
#define LONGEST_DELAY  20000
#define HINT_ALLOWANCE 5000 /* x-amz-retry-after may add so much */

/*
 * Ours: the service decides what is in progress some 5 s after the first
 * attempt; a longer sleep could miss that within the call's time.
 */
#define LONGEST_IN_PROGRESS 2000

/* Tokens of the bucket. */
#define COST_TRANSIENT 14
#define COST_THROTTLED 5

/* A clock that differs by less explains nothing, in seconds. */
#define SKEW_THRESHOLD 240

static bool
is_one_of(const char *code, const char *const *codes, int count)
{
	int i;

	for (i = 0; code != NULL && i < count; i++)
	{
		if (strcmp(code, codes[i]) == 0)
			return true;
	}
	return false;
}

#define IS_ONE_OF(code, codes)                                                \
	is_one_of(code, codes, (int) (sizeof(codes) / sizeof((codes)[0])))

static const char *const throttled_codes[] = {
	"ProvisionedThroughputExceededException",
	"ThrottlingException",
	"Throttling",
	"ThrottledException",
	"RequestLimitExceeded",
	"RequestThrottled",
	"RequestThrottledException",
	"TooManyRequestsException",
	"LimitExceededException",
	"SlowDown",
	"EC2ThrottledException",
	"BandwidthLimitExceeded",
	"PriorRequestNotComplete",
};

static const char *const transient_codes[] = {
	"RequestTimeout",	   "RequestTimeoutException",
	"InternalServerError", "InternalFailure",
	"ServiceUnavailable",  "ReplicatedWriteConflictException",
};

static const char *const credentials_codes[] = {
	"ExpiredTokenException",
	"ExpiredToken",
	"UnrecognizedClientException",
};

/* After which the SDKs look at the clock (vectors/retry/clockskew.json). */
static const char *const clock_codes[] = {
	"InvalidSignatureException", "SignatureDoesNotMatch", "AuthFailure",
	"RequestTimeTooSkewed",		 "AccessDeniedException",
};

static const char *const throttled_reasons[] = {
	"ThrottlingError",
	"ProvisionedThroughputExceeded",
};

/*
 * Of a cancelled transaction: a conflict or throttling only where every reason
 * is one of these; whatever else there is decides.
 */
static TxsFault
classify_reasons(const char *const *reasons, int nreasons)
{
	bool conflict = false;
	bool throttled = false;
	bool final = false;
	int i;

	for (i = 0; i < nreasons; i++)
	{
		if (strcmp(reasons[i], "ConditionalCheckFailed") == 0)
			return TXS_FAULT_CONDITION;
		if (strcmp(reasons[i], "TransactionConflict") == 0)
			conflict = true;
		else if (IS_ONE_OF(reasons[i], throttled_reasons))
			throttled = true;
		else if (strcmp(reasons[i], "None") != 0)
			final = true;
	}
	if (final || (!conflict && !throttled))
		return TXS_FAULT_FINAL;
	return conflict ? TXS_FAULT_CONFLICT : TXS_FAULT_THROTTLED;
}

TxsFault
txs_retry_classify(int status, const char *code, const char *const *reasons,
				   int nreasons)
{
	if (code != NULL && strcmp(code, "TransactionCanceledException") == 0)
		return classify_reasons(reasons, nreasons);
	if (code != NULL && strcmp(code, "TransactionInProgressException") == 0)
		return TXS_FAULT_IN_PROGRESS;
	if (code != NULL && strcmp(code, "TransactionConflictException") == 0)
		return TXS_FAULT_CONFLICT;
	if (IS_ONE_OF(code, throttled_codes) || status == 429)
		return TXS_FAULT_THROTTLED;
	if (IS_ONE_OF(code, transient_codes) || status >= 500)
		return TXS_FAULT_TRANSIENT;
	if (IS_ONE_OF(code, credentials_codes))
		return TXS_FAULT_CREDENTIALS;
	if (IS_ONE_OF(code, clock_codes))
		return TXS_FAULT_CLOCK;
	return TXS_FAULT_FINAL;
}

int
txs_retry_cost(TxsFault fault)
{
	switch (fault)
	{
		case TXS_FAULT_TRANSIENT:
			return COST_TRANSIENT;
		case TXS_FAULT_THROTTLED:
		case TXS_FAULT_IN_PROGRESS:
		case TXS_FAULT_CONFLICT:
			return COST_THROTTLED;
		case TXS_FAULT_FINAL:
		case TXS_FAULT_CONDITION:
		case TXS_FAULT_CREDENTIALS:
		case TXS_FAULT_CLOCK:
			break;
	}
	return 0;
}

bool
txs_retry_take(int *tokens, int cost)
{
	if (*tokens < cost)
		return false;
	*tokens -= cost;
	return true;
}

void
txs_retry_give(int *tokens, int count)
{
	*tokens = count < TXS_RETRY_TOKENS - *tokens ? *tokens + count
												 : TXS_RETRY_TOKENS;
}

/*
 * A conflict is over when the other transaction is, in milliseconds: there the
 * short base is right.
 */
static int
base_delay(TxsFault fault)
{
	return fault == TXS_FAULT_THROTTLED || fault == TXS_FAULT_IN_PROGRESS
			   ? BASE_THROTTLED
			   : BASE_TRANSIENT;
}

/* A hint in milliseconds; -1 where there is none, or it is no number. */
static long
read_hint(const char *hint)
{
	char *end;
	long value;

	if (hint == NULL || hint[0] < '0' || hint[0] > '9')
		return -1;
	value = strtol(hint, &end, 10);
	return *end == '\0' ? value : -1;
}

int
txs_retry_delay(TxsFault fault, int index, double random, const char *hint)
{
	long cap =
		fault == TXS_FAULT_IN_PROGRESS ? LONGEST_IN_PROGRESS : LONGEST_DELAY;
	long longest = base_delay(fault);
	long asked = read_hint(hint);
	long delay;
	int i;

	for (i = 0; i < index && longest < cap; i++)
		longest *= 2;
	if (longest > cap)
		longest = cap;
	delay = (long) (random * longest);
	if (asked > delay + HINT_ALLOWANCE)
		asked = delay + HINT_ALLOWANCE;
	return (int) (asked > delay ? asked : delay);
}

static int
read_digits(const char *text, int count)
{
	int value = 0;
	int i;

	for (i = 0; i < count; i++)
	{
		if (text[i] < '0' || text[i] > '9')
			return -1;
		value = value * 10 + (text[i] - '0');
	}
	return value;
}

/* Days from 1970-01-01 to the first of March of a year, and on from there. */
static int64_t
days_since_epoch(int year, int month, int day)
{
	int64_t era_year = month <= 2 ? year - 1 : year;
	int shifted = (month + 9) % 12; /* March is 0 */

	return era_year * 365 + era_year / 4 - era_year / 100 + era_year / 400 +
		   (153 * shifted + 2) / 5 + day - 1 - 719468;
}

/*
 * Unix time of an HTTP date such as "Tue, 01 Dec 2026 05:15:00 GMT"; false
 * where it has another form.
 */
static bool
read_date(const char *date, int64_t *seconds)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	char month_name[4];
	const char *month;
	int day;
	int year;
	int hour;
	int minute;
	int second;

	if (date == NULL || strlen(date) != 29 ||
		strncmp(date + 3, ", ", 2) != 0 || date[7] != ' ' || date[11] != ' ' ||
		date[16] != ' ' || date[19] != ':' || date[22] != ':' ||
		strncmp(date + 25, " GMT", 4) != 0)
		return false;
	memcpy(month_name, date + 8, 3);
	month_name[3] = '\0';
	month = strstr(months, month_name);
	day = read_digits(date + 5, 2);
	year = read_digits(date + 12, 4);
	hour = read_digits(date + 17, 2);
	minute = read_digits(date + 20, 2);
	second = read_digits(date + 23, 2);
	if (month == NULL || (month - months) % 3 != 0 || day < 1 || day > 31 ||
		year < 1970 || hour < 0 || hour > 23 || minute < 0 || minute > 59 ||
		second < 0 || second > 60)
		return false;
	*seconds =
		days_since_epoch(year, (int) (month - months) / 3 + 1, day) * 86400 +
		hour * 3600 + minute * 60 + second;
	return true;
}

bool
txs_retry_skew(const char *code, const char *date, int64_t received_at,
			   int64_t applied, int64_t *skew)
{
	int64_t server_time;
	int64_t off;

	if (!IS_ONE_OF(code, clock_codes) || !read_date(date, &server_time))
		return false;
	off = server_time - (received_at + applied);
	if (off >= -SKEW_THRESHOLD && off <= SKEW_THRESHOLD)
		return false;
	*skew = server_time - received_at;
	return true;
}
