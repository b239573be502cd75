/*
 * Row keys, both ways.
 */
#include "item_test.h"
#include "tap.h"

static const struct
{
	int64_t sequence;
	const char *text;
} written[] = {
	/* both sides of a digit: Orleans once read them as decimal */
	{0, "state_0000000000000000"},
	{1, "state_0000000000000001"},
	{9, "state_0000000000000009"},
	{10, "state_000000000000000a"},
	{15, "state_000000000000000f"},
	{16, "state_0000000000000010"},
	{255, "state_00000000000000ff"},
	{256, "state_0000000000000100"},
	{INT64_C(0x123456789abcdef), "state_0123456789abcdef"},
	{INT64_MAX, "state_7fffffffffffffff"},
};

static const struct
{
	TxsSlice text;
	TxsRowKeyKind kind;
} others[] = {
	{{"key", 3}, TXS_ROW_KEY_KEY},
	{{"key\0", 4}, TXS_ROW_KEY_FOREIGN},
	{{"KEY", 3}, TXS_ROW_KEY_FOREIGN},
	{{"ke", 2}, TXS_ROW_KEY_FOREIGN},
	{{"", 0}, TXS_ROW_KEY_FOREIGN},
	{{"state", 5}, TXS_ROW_KEY_FOREIGN},
	{{"STATE_0000000000000001", 22}, TXS_ROW_KEY_FOREIGN},
	{{"state-0000000000000001", 22}, TXS_ROW_KEY_FOREIGN},
	{{"state_", 6}, TXS_ROW_KEY_MALFORMED},
	{{"state_~", 7}, TXS_ROW_KEY_MALFORMED},
	{{"state_000000000000001", 21}, TXS_ROW_KEY_MALFORMED},
	{{"state_00000000000000001", 23}, TXS_ROW_KEY_MALFORMED},
	{{"state_000000000000000A", 22}, TXS_ROW_KEY_MALFORMED},
	{{"state_000000000000000F", 22}, TXS_ROW_KEY_MALFORMED},
	{{"state_000000000000000g", 22}, TXS_ROW_KEY_MALFORMED},
	{{"state_g000000000000000", 22}, TXS_ROW_KEY_MALFORMED},
	{{"state_ 000000000000001", 22}, TXS_ROW_KEY_MALFORMED},
	{{"state_-000000000000001", 22}, TXS_ROW_KEY_MALFORMED},
	{{"state_0x00000000000001", 22}, TXS_ROW_KEY_MALFORMED},
	{{"state_000000000000000\0", 22}, TXS_ROW_KEY_MALFORMED},
	{{"state_8000000000000000", 22}, TXS_ROW_KEY_MALFORMED},
	{{"state_ffffffffffffffff", 22}, TXS_ROW_KEY_MALFORMED},
};

/* Read from a block that ends where the text does. */
static TxsRowKeyKind
read_row_key(TxsSlice text, int64_t *sequence)
{
	char *copy = malloc(text.length);
	TxsRowKeyKind kind;

	memcpy(copy, text.data, text.length);
	kind = txs_row_key_read((TxsSlice){copy, text.length}, sequence);
	free(copy);
	return kind;
}

void
test_row_keys(void)
{
	char out[TXS_STATE_ROW_KEY_LENGTH];
	int64_t sequence;
	int wrong = 0;
	size_t i;
	int c;

	for (i = 0; i < lengthof(written); i++)
	{
		TxsSlice text = {written[i].text, strlen(written[i].text)};

		txs_row_key_write(written[i].sequence, out);
		ok(same((TxsSlice){out, sizeof(out)}, text), "row key %s is written",
		   written[i].text);
		ok(read_row_key(text, &sequence) == TXS_ROW_KEY_STATE &&
			   sequence == written[i].sequence,
		   "row key %s is read", written[i].text);
	}
	for (i = 0; i < lengthof(others); i++)
		ok(read_row_key(others[i].text, &sequence) == others[i].kind,
		   "row key \"%s\" is known for what it is", others[i].text.data);

	/* Every byte at every place: only the digits, and of them none twice. */
	for (i = 6; i < TXS_STATE_ROW_KEY_LENGTH; i++)
	{
		for (c = 0; c < 256; c++)
		{
			bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
			bool state;
			char again[TXS_STATE_ROW_KEY_LENGTH];

			memcpy(out, "state_0000000000000000", sizeof(out));
			out[i] = (char) c;
			state = read_row_key((TxsSlice){out, sizeof(out)}, &sequence) ==
					TXS_ROW_KEY_STATE;
			wrong += state != (digit && (i > 6 || c < '8'));
			if (state)
			{
				txs_row_key_write(sequence, again);
				wrong += memcmp(again, out, sizeof(out)) != 0;
			}
		}
	}
	ok(wrong == 0, "every byte at every place of a row key is judged rightly");
}
