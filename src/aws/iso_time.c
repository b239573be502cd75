/*
 * Times as AWS writes them; see iso_time.h.
 */
#include "aws/iso_time.h"

/* A text being read from its start. */
typedef struct Cursor
{
	const char *at;
	const char *end;
} Cursor;

static bool read_number(Cursor *cursor, int digits, int low, int high,
						int *value);
static bool read_char(Cursor *cursor, char c);
static void skip_fraction(Cursor *cursor);
static bool read_offset(Cursor *cursor, int *minutes);
static int64_t days_since_1970(int year, int month, int day);
static int days_of_month(int year, int month);

bool
txs_iso_time_read(TxsSlice text, int64_t *seconds)
{
	Cursor cursor = {text.data, text.data + text.length};
	int year;
	int month;
	int day;
	int hour;
	int minute;
	int second;
	int offset;

	if (text.length == 0)
		return false;
	if (!read_number(&cursor, 4, 1970, 9999, &year) ||
		!read_char(&cursor, '-') || !read_number(&cursor, 2, 1, 12, &month) ||
		!read_char(&cursor, '-') ||
		!read_number(&cursor, 2, 1, days_of_month(year, month), &day) ||
		!read_char(&cursor, 'T') || !read_number(&cursor, 2, 0, 23, &hour) ||
		!read_char(&cursor, ':') || !read_number(&cursor, 2, 0, 59, &minute) ||
		!read_char(&cursor, ':') || !read_number(&cursor, 2, 0, 60, &second))
		return false;
	skip_fraction(&cursor);
	if (!read_offset(&cursor, &offset) || cursor.at != cursor.end)
		return false;

	*seconds = days_since_1970(year, month, day) * 86400 +
			   (hour * 60 + minute - offset) * 60 + second;
	return true;
}

static bool
read_number(Cursor *cursor, int digits, int low, int high, int *value)
{
	*value = 0;
	for (; digits > 0; digits--, cursor->at++)
	{
		if (cursor->at == cursor->end || *cursor->at < '0' ||
			*cursor->at > '9')
			return false;
		*value = *value * 10 + (*cursor->at - '0');
	}
	return *value >= low && *value <= high;
}

static bool
read_char(Cursor *cursor, char c)
{
	if (cursor->at == cursor->end || *cursor->at != c)
		return false;
	cursor->at++;
	return true;
}

static void
skip_fraction(Cursor *cursor)
{
	if (cursor->end - cursor->at < 2 || cursor->at[0] != '.' ||
		cursor->at[1] < '0' || cursor->at[1] > '9')
		return;
	cursor->at++;
	while (cursor->at < cursor->end && *cursor->at >= '0' &&
		   *cursor->at <= '9')
		cursor->at++;
}

static bool
read_offset(Cursor *cursor, int *minutes)
{
	bool negative = cursor->at < cursor->end && *cursor->at == '-';
	int hours;

	*minutes = 0;
	if (read_char(cursor, 'Z'))
		return true;
	if (!read_char(cursor, negative ? '-' : '+') ||
		!read_number(cursor, 2, 0, 23, &hours))
		return false;
	(void) read_char(cursor, ':');
	if (!read_number(cursor, 2, 0, 59, minutes))
		return false;
	*minutes += hours * 60;
	if (negative)
		*minutes = -*minutes;
	return true;
}

static int64_t
days_since_1970(int year, int month, int day)
{
	int before = year - 1;
	int64_t days = (int64_t) before * 365 + before / 4 - before / 100 +
				   before / 400 - 719162; /* days from year 1 to 1970 */
	int i;

	for (i = 1; i < month; i++)
		days += days_of_month(year, i);
	return days + day - 1;
}

static int
days_of_month(int year, int month)
{
	static const unsigned char days[] = {31, 28, 31, 30, 31, 30,
										 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}
