/*
 * The text of a TransactionTimestamp.
 */
#include "item_test.h"
#include "orleans/time_text.h"
#include "tap.h"

#define SECOND	  INT64_C(1000000)
#define DAY		  (86400 * SECOND)
#define ANY		  "0123456789"
#define FIRST_DAY INT64_C(-730119) /* 0001-01-01, from 2000-01-01 */

static const struct
{
	const char *name;
	const char *text;
	bool valid;
} texts[] = {
	{"the example", "2024-01-02T03:04:05.1234567Z", true},
	{"the first of all times", "0001-01-01T00:00:00.0000000Z", true},
	{"the last of all times", "9999-12-31T23:59:59.9999999Z", true},
	{"a leap day", "2024-02-29T00:00:00.0000000Z", true},
	{"the leap day of 2000", "2000-02-29T00:00:00.0000000Z", true},
	{"the first leap day", "0004-02-29T00:00:00.0000000Z", true},
	{"the year 0", "0000-01-01T00:00:00.0000000Z", false},
	{"no leap day in 2023", "2023-02-29T00:00:00.0000000Z", false},
	{"no leap day in 1900", "1900-02-29T00:00:00.0000000Z", false},
	{"no leap day in 2100", "2100-02-29T00:00:00.0000000Z", false},
	{"February 30", "2024-02-30T00:00:00.0000000Z", false},
	{"April 31", "2024-04-31T00:00:00.0000000Z", false},
	{"June 31", "2024-06-31T00:00:00.0000000Z", false},
	{"September 31", "2024-09-31T00:00:00.0000000Z", false},
	{"November 31", "2024-11-31T00:00:00.0000000Z", false},
	{"December 31", "2024-12-31T00:00:00.0000000Z", true},
	{"December 32", "2024-12-32T00:00:00.0000000Z", false},
	{"month 0", "2024-00-01T00:00:00.0000000Z", false},
	{"month 13", "2024-13-01T00:00:00.0000000Z", false},
	{"day 0", "2024-01-00T00:00:00.0000000Z", false},
	{"hour 24", "2024-01-01T24:00:00.0000000Z", false},
	{"minute 60", "2024-01-01T00:60:00.0000000Z", false},
	{"second 60", "2024-01-01T00:00:60.0000000Z", false},
	{"six digits", "2024-01-02T03:04:05.123456Z", false},
	{"eight digits", "2024-01-02T03:04:05.12345678Z", false},
	{"no fraction", "2024-01-02T03:04:05Z", false},
	{"an offset", "2024-01-02T03:04:05.12345+00", false},
	{"no zone", "2024-01-02T03:04:05.1234567 ", false},
	{"a space for T", "2024-01-02 03:04:05.1234567Z", false},
	{"a small t", "2024-01-02t03:04:05.1234567Z", false},
	{"a small z", "2024-01-02T03:04:05.1234567z", false},
	{"a comma", "2024-01-02T03:04:05,1234567Z", false},
	{"a sign", "-024-01-02T03:04:05.1234567Z", false},
	{"a space before", " 2024-01-02T03:04:05.1234567", false},
	{"nothing", "", false},
};

static const struct
{
	int64_t microseconds;
	const char *text; /* NULL: out of range */
} times[] = {
	{0, "2000-01-01T00:00:00.0000000Z"},
	{1, "2000-01-01T00:00:00.0000010Z"},
	{-1, "1999-12-31T23:59:59.9999990Z"},
	{SECOND, "2000-01-01T00:00:01.0000000Z"},
	{DAY, "2000-01-02T00:00:00.0000000Z"},
	{59 * DAY, "2000-02-29T00:00:00.0000000Z"},
	{60 * DAY, "2000-03-01T00:00:00.0000000Z"},
	{365 * DAY, "2000-12-31T00:00:00.0000000Z"},
	{366 * DAY, "2001-01-01T00:00:00.0000000Z"},
	{-1 * DAY, "1999-12-31T00:00:00.0000000Z"},
	/* Unix time 1704164645 and the start of Unix time */
	{INT64_C(757479845123456), "2024-01-02T03:04:05.1234560Z"},
	{INT64_C(-946684800000000), "1970-01-01T00:00:00.0000000Z"},
	{FIRST_DAY * DAY, "0001-01-01T00:00:00.0000000Z"},
	{FIRST_DAY * DAY - 1, NULL},
	{INT64_C(2921940) * DAY - 1, "9999-12-31T23:59:59.9999990Z"},
	{INT64_C(2921940) * DAY, NULL},
	{INT64_MAX, NULL},
	{INT64_MIN, NULL},
};

static void test_texts(void);
static void test_every_byte(void);
static void test_known_times(void);
static void test_every_day(void);

void
test_times(void)
{
	test_texts();
	test_every_byte();
	test_known_times();
	test_every_day();
}

/* Checks a copy that ends where the text does. */
static bool
is_valid(const char *text, size_t length)
{
	char *copy = malloc(length);
	bool result;

	memcpy(copy, text, length);
	result = txs_time_text_is_valid((TxsSlice){copy, length});
	free(copy);
	return result;
}

static void
test_texts(void)
{
	size_t i;

	for (i = 0; i < lengthof(texts); i++)
		ok(is_valid(texts[i].text, strlen(texts[i].text)) == texts[i].valid,
		   "%s: %s", texts[i].valid ? "a time" : "not a time", texts[i].name);
	ok(!is_valid("2024-01-02T03:04:05.1234567Z\0", 29),
	   "not a time: a NUL behind one");
	ok(!txs_time_text_is_valid((TxsSlice){NULL, 0}),
	   "not a time: no text at all");
}

/* Of a text's bytes only digits may be others, and not all of those. */
static void
test_every_byte(void)
{
	static const char example[] = "1111-11-11T11:11:11.1111111Z";
	/* for each place: the digits that may stand there */
	static const char *const digits[TXS_TIME_TEXT_LENGTH] = {
		ANY, ANY,	ANY, ANY, "",		"01", "012", "",	   "012", ANY,
		"",	 "012", ANY, "",  "012345", ANY,  "",	 "012345", ANY,	  "",
		ANY, ANY,	ANY, ANY, ANY,		ANY,  ANY,	 ""};
	int wrong = 0;
	int at;
	int c;

	for (at = 0; at < TXS_TIME_TEXT_LENGTH; at++)
	{
		for (c = 0; c < 256; c++)
		{
			char text[sizeof(example)];
			bool valid =
				c == example[at] || (c != 0 && strchr(digits[at], c) != NULL);

			strcpy(text, example);
			text[at] = (char) c;
			if (is_valid(text, TXS_TIME_TEXT_LENGTH) != valid)
			{
				wrong++;
				diag("byte %d at %d", c, at);
			}
		}
	}
	ok(wrong == 0, "every byte at every place of a time is judged rightly");
}

static void
test_known_times(void)
{
	size_t i;

	for (i = 0; i < lengthof(times); i++)
	{
		char *out = malloc(TXS_TIME_TEXT_LENGTH);
		bool written = txs_time_text_write(times[i].microseconds, out);

		if (times[i].text == NULL)
			ok(!written, "%lld is out of range",
			   (long long) times[i].microseconds);
		else
			ok(written && same((TxsSlice){out, TXS_TIME_TEXT_LENGTH},
							   (TxsSlice){times[i].text, 28}),
			   "%lld is %s", (long long) times[i].microseconds, times[i].text);
		free(out);
	}
}

/* A calendar that goes on day by day, against the arithmetic. */
static void
test_every_day(void)
{
	static const int lengths[] = {31, 28, 31, 30, 31, 30,
								  31, 31, 30, 31, 30, 31};
	int64_t at = FIRST_DAY * DAY;
	int wrong = 0;
	int year;
	int month;
	int day;

	for (year = 1; year <= 9999; year++)
	{
		bool leap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0);

		for (month = 1; month <= 12; month++)
		{
			int days = lengths[month - 1] + (month == 2 && leap);

			for (day = 1; day <= days; day++, at += DAY)
			{
				char out[TXS_TIME_TEXT_LENGTH];

				wrong += !txs_time_text_write(at, out) ||
						 out[0] != '0' + year / 1000 ||
						 out[1] != '0' + year / 100 % 10 ||
						 out[2] != '0' + year / 10 % 10 ||
						 out[3] != '0' + year % 10 ||
						 out[5] != '0' + month / 10 ||
						 out[6] != '0' + month % 10 ||
						 out[8] != '0' + day / 10 || out[9] != '0' + day % 10;
			}
		}
	}
	ok(wrong == 0 && at == INT64_C(2921940) * DAY,
	   "every day of the years 1 to 9999 is written");
}
