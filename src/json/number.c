/*
 * The text of a DynamoDB number: a decimal of up to 38 digits, which no C type
 * holds.  It is looked at as text and never converted, but for whole numbers
 * of 64 bits.
 */
#include <string.h>

#include "json/json.h"

/* The service's limits (Developer Guide, "Naming rules and data types"). */
#define MAX_DIGITS	  38
#define MIN_MAGNITUDE (-130) /* 1E-130 */
#define MAX_MAGNITUDE 125	 /* 9.99...E+125 */

/* Larger exponents are read as this; no text is long enough to even it out. */
#define MAX_EXPONENT INT64_C(1000000000000000)

/*
 * A number as the powers of ten of its first and last significant digit: 1 and
 * 1 for 20, 1 and -2 for 10.25.  Zero has none.
 */
typedef struct Decimal
{
	bool negative;
	bool zero;
	int64_t first;
	int64_t last;
} Decimal;

static bool read_decimal(TxsSlice text, Decimal *decimal);
static const char *read_digits(const char *at, const char *end,
							   Decimal *decimal);
static bool read_exponent(const char *at, const char *end, int64_t *exponent);
static bool is_digit(char c);

bool
txs_number_is_valid(TxsSlice text)
{
	Decimal decimal;

	if (!read_decimal(text, &decimal))
		return false;
	return decimal.zero ||
		   (decimal.first - decimal.last < MAX_DIGITS &&
			decimal.first >= MIN_MAGNITUDE && decimal.first <= MAX_MAGNITUDE);
}

bool
txs_number_to_int64(TxsSlice text, int64_t *value)
{
	bool negative = text.length > 0 && text.data[0] == '-';
	uint64_t limit = negative ? UINT64_C(1) << 63 : INT64_MAX;
	uint64_t sum = 0;
	size_t at = negative ? 1 : 0;

	if (at == text.length || (text.data[at] == '0' && text.length > 1))
		return false;
	for (; at < text.length; at++)
	{
		unsigned digit = (unsigned char) text.data[at] - '0';

		if (digit > 9 || sum > (limit - digit) / 10)
			return false;
		sum = sum * 10 + digit;
	}
	*value = (int64_t) (negative ? 0 - sum : sum);
	return true;
}

size_t
txs_number_from_int64(int64_t value, char *out)
{
	char digits[TXS_NUMBER_MAX_LENGTH];
	uint64_t rest = value < 0 ? 0 - (uint64_t) value : (uint64_t) value;
	size_t at = sizeof(digits);
	size_t length;

	do
	{
		digits[--at] = (char) ('0' + rest % 10);
		rest /= 10;
	} while (rest > 0);
	if (value < 0)
		digits[--at] = '-';

	length = sizeof(digits) - at;
	memcpy(out, digits + at, length);
	return length;
}

size_t
txs_number_counted_bytes(TxsSlice text)
{
	Decimal decimal;
	int64_t before = 0;
	int64_t after = 0;

	if (!read_decimal(text, &decimal) || decimal.zero)
		return 1;
	if (decimal.first >= 0)
		before = decimal.first - (decimal.last > 0 ? decimal.last : 0) + 1;
	if (decimal.last < 0)
		after = (decimal.first < 0 ? decimal.first : -1) - decimal.last + 1;
	return 1 + (before + 1) / 2 + (after + 1) / 2 + decimal.negative;
}

/* False where the text is not of a number's form; its range is not checked. */
static bool
read_decimal(TxsSlice text, Decimal *decimal)
{
	const char *at = text.data;
	const char *end;
	int64_t exponent = 0;

	if (text.length == 0)
		return false;
	end = at + text.length;
	decimal->negative = *at == '-';
	if (*at == '-' || *at == '+')
		at++;
	at = read_digits(at, end, decimal);
	if (at == NULL)
		return false;
	if (at < end && !read_exponent(at, end, &exponent))
		return false;
	decimal->first += exponent;
	decimal->last += exponent;
	return true;
}

/* Digits with at most one point; returns the byte after them, or NULL. */
static const char *
read_digits(const char *at, const char *end, Decimal *decimal)
{
	const char *start = at;
	const char *point = NULL;
	const char *first = NULL;
	const char *last = NULL;

	for (; at < end && (is_digit(*at) || (*at == '.' && point == NULL)); at++)
	{
		if (*at == '.')
			point = at;
		else if (*at != '0')
		{
			first = first == NULL ? at : first;
			last = at;
		}
	}
	if (at - start == (point != NULL))
		return NULL; /* no digit */
	if (point == NULL)
		point = at;

	/* the digit in front of the point stands for 10 to the power of 0 */
	decimal->zero = first == NULL;
	decimal->first = first == NULL ? 0 : point - first - (first < point);
	decimal->last = last == NULL ? 0 : point - last - (last < point);
	return at;
}

static bool
read_exponent(const char *at, const char *end, int64_t *exponent)
{
	bool negative;
	int64_t sum = 0;

	if (*at != 'e' && *at != 'E')
		return false;
	at++;
	negative = at < end && *at == '-';
	if (at < end && (*at == '-' || *at == '+'))
		at++;
	if (at == end)
		return false;
	for (; at < end; at++)
	{
		if (!is_digit(*at))
			return false;
		if (sum < MAX_EXPONENT)
			sum = sum * 10 + (*at - '0');
	}
	*exponent = negative ? -sum : sum;
	return true;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}
