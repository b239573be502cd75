/*
 * The text of a TransactionTimestamp; see time_text.h.
 */
#include "orleans/time_text.h"

#include <string.h>

#define SECOND INT64_C(1000000)
#define DAY	   (86400 * SECOND)

/* Days from 0001-01-01 to 2000-01-01, and to 10000-01-01. */
#define EPOCH_DAYS 730119
#define END_DAYS   3652059

static const char shape[] = "0000-00-00T00:00:00.0000000Z";

static bool
is_leap(int year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int
days_of_month(int year, int month)
{
	static const uint8_t days[] = {31, 28, 31, 30, 31, 30,
								   31, 31, 30, 31, 30, 31};

	return days[month - 1] + (month == 2 && is_leap(year));
}

/* Value of the digits from..from+count-1. */
static int
number_at(const char *text, int from, int count)
{
	int value = 0;

	while (count-- > 0)
		value = value * 10 + (text[from++] - '0');
	return value;
}

bool
txs_time_text_is_valid(TxsSlice text)
{
	int year;
	int month;
	int day;
	int i;

	if (text.length != TXS_TIME_TEXT_LENGTH)
		return false;
	for (i = 0; i < TXS_TIME_TEXT_LENGTH; i++)
	{
		char c = text.data[i];

		if (shape[i] == '0' ? c < '0' || c > '9' : c != shape[i])
			return false;
	}
	year = number_at(text.data, 0, 4);
	month = number_at(text.data, 5, 2);
	day = number_at(text.data, 8, 2);
	return year >= 1 && month >= 1 && month <= 12 && day >= 1 &&
		   day <= days_of_month(year, month) &&
		   number_at(text.data, 11, 2) < 24 &&
		   number_at(text.data, 14, 2) < 60 &&
		   number_at(text.data, 17, 2) < 60;
}

/* Put the last count digits of value at out[from]. */
static void
put_number(char *out, int from, int count, int64_t value)
{
	while (count-- > 0)
	{
		out[from + count] = (char) ('0' + value % 10);
		value /= 10;
	}
}

bool
txs_time_text_write(int64_t microseconds, char *out)
{
	int64_t days = microseconds / DAY;
	int64_t rest = microseconds % DAY;
	int year;
	int month = 1;

	if (rest < 0)
	{
		rest += DAY;
		days--;
	}
	days += EPOCH_DAYS;
	if (days < 0 || days >= END_DAYS)
		return false;

	/* A first guess that is never late, then year by year. */
	year = (int) (days / 366) + 1;
	days -= (int64_t) (year - 1) * 365 + (year - 1) / 4 - (year - 1) / 100 +
			(year - 1) / 400;
	while (days >= 365 + is_leap(year))
		days -= 365 + is_leap(year++);
	while (days >= days_of_month(year, month))
		days -= days_of_month(year, month++);

	memcpy(out, shape, TXS_TIME_TEXT_LENGTH);
	put_number(out, 0, 4, year);
	put_number(out, 5, 2, month);
	put_number(out, 8, 2, days + 1);
	put_number(out, 11, 2, rest / (3600 * SECOND));
	put_number(out, 14, 2, rest / (60 * SECOND) % 60);
	put_number(out, 17, 2, rest / SECOND % 60);
	put_number(out, 20, 6, rest % SECOND);
	return true;
}
