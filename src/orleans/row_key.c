/*
 * Row keys: "key", and "state_" with the sequence id as 16 lower-case hex
 * digits (spec transactional-storage 1.1).
 */
#include "orleans/row.h"

#include <string.h>

void
txs_row_key_write(int64_t sequence, char *out)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t rest = (uint64_t) sequence;
	int i;

	memcpy(out, TXS_STATE_ROW_PREFIX, 6);
	for (i = TXS_STATE_ROW_KEY_LENGTH - 1; i >= 6; i--)
	{
		out[i] = digits[rest & 15];
		rest >>= 4;
	}
}

/* Value of a lower-case hex digit, or -1. */
static int
hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

TxsRowKeyKind
txs_row_key_read(TxsSlice row_key, int64_t *sequence)
{
	uint64_t value = 0;
	int i;

	if (row_key.length == 3 && memcmp(row_key.data, TXS_KEY_ROW_KEY, 3) == 0)
		return TXS_ROW_KEY_KEY;
	if (row_key.length < 6 ||
		memcmp(row_key.data, TXS_STATE_ROW_PREFIX, 6) != 0)
		return TXS_ROW_KEY_FOREIGN;
	if (row_key.length != TXS_STATE_ROW_KEY_LENGTH)
		return TXS_ROW_KEY_MALFORMED;

	for (i = 6; i < TXS_STATE_ROW_KEY_LENGTH; i++)
	{
		int digit = hex_value(row_key.data[i]);

		if (digit < 0)
			return TXS_ROW_KEY_MALFORMED;
		value = value << 4 | (uint64_t) digit;
	}
	if (value > INT64_MAX)
		return TXS_ROW_KEY_MALFORMED;
	*sequence = (int64_t) value;
	return TXS_ROW_KEY_STATE;
}
