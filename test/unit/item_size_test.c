/*
 * Sizes of rows, by Orleans' count and by the service's.
 */
#include "input.h"
#include "item_test.h"
#include "tap.h"

#define ID	 "00000001-0000-4000-8000-000000000000"
#define TIME "2024-01-02T03:04:05.1234567Z"

/* A slice of so many bytes that nobody reads. */
#define BYTES(count) ((TxsSlice){"", count})

static void test_worked_examples(void);
static void test_absent_attributes(void);
static void test_formulas(void);
static void test_numbers(const char *vectors);
static void check_numbers(TxsReader *reader, int expected);
static void check_number(int64_t value, size_t text, size_t service);

void
test_sizes(const char *vectors)
{
	test_worked_examples();
	test_absent_attributes();
	test_formulas();
	test_numbers(vectors);
}

static TxsStateRow
state_row(size_t manager, int64_t etag, size_t state)
{
	TxsStateRow row;

	memset(&row, 0, sizeof(row));
	row.sequence = 1;
	row.etag = etag;
	row.transaction_id = SLICE(ID);
	row.timestamp = SLICE(TIME);
	row.manager = BYTES(manager);
	row.state = BYTES(state);
	return row;
}

static TxsKeyRow
key_row(int64_t committed, size_t metadata, int64_t etag)
{
	TxsKeyRow row;

	memset(&row, 0, sizeof(row));
	row.etag = etag;
	row.committed = committed;
	row.has_committed = true;
	row.timestamp = 1704164645;
	row.has_timestamp = true;
	row.metadata = BYTES(metadata);
	return row;
}

/* spec transactional-storage 1.6 */
static void
test_worked_examples(void)
{
	TxsStateRow state = state_row(78, 0, 116);
	TxsKeyRow key = key_row(1, 316, 0);

	ok(txs_size_of_state(68, &state).orleans == 432,
	   "a state row of the specification counts 432");
	ok(txs_size_of_state(68, &state).service == 432,
	   "and for the service, to which a zero is one byte");
	state = state_row(78, 0, 409284);
	ok(txs_size_of_state(68, &state).orleans == TXS_MAX_ITEM_SIZE,
	   "the largest state of the specification fills an item");
	ok(txs_size_of_key(68, &key).orleans == 457,
	   "a key row of the specification counts 457");
	/* 1 counts 2, ten digits 6, 0 counts 1: 9 for 12 characters */
	ok(txs_size_of_key(68, &key).service == 454,
	   "and 454 for the service, which packs its numbers");
	key = key_row(1, 316, INT64_MAX);
	ok(txs_size_of_key(68, &key).orleans == 475,
	   "with the longest ETag it counts 475");
	ok(TXS_MAX_ITEM_SIZE == 409600 && TXS_MAX_BATCH_DATA == 3719168 &&
		   TXS_MAX_BATCH_OPERATIONS == 99,
	   "the limits are those of the specification");
}

/* PartitionKey 12, RowKey 6, and what is in them; each name once. */
static void
test_absent_attributes(void)
{
	TxsStateRow state;
	TxsKeyRow key;

	memset(&state, 0, sizeof(state));
	memset(&key, 0, sizeof(key));
	state.etag = TXS_NO_ETAG;
	key.etag = TXS_NO_ETAG;
	ok(txs_size_of_key(7, &key).orleans == 12 + 7 + 6 + 3 &&
		   txs_size_of_key(7, &key).service == 12 + 7 + 6 + 3,
	   "a key row of nothing but keys");
	ok(txs_size_of_state(7, &state).orleans == 12 + 7 + 6 + 22 &&
		   txs_size_of_state(7, &state).service == 12 + 7 + 6 + 22,
	   "a state row of nothing but keys");
	key.metadata = SLICE("");
	state.state = state.manager = state.transaction_id = state.timestamp =
		SLICE("");
	ok(txs_size_of_key(7, &key).orleans == 28 &&
		   txs_size_of_state(7, &state).orleans == 47,
	   "what is empty is left out, as Orleans does");
	key.committed = 1234567;
	key.timestamp = 1234567;
	ok(txs_size_of_key(7, &key).orleans == 28,
	   "numbers that the row does not have count nothing");
	key.has_committed = true;
	ok(txs_size_of_key(7, &key).orleans == 28 + 19 + 7, "the committed id");
	key.has_timestamp = true;
	ok(txs_size_of_key(7, &key).orleans == 28 + 26 + 9 + 7, "the time");
	key.etag = 0;
	ok(txs_size_of_key(7, &key).orleans == 28 + 26 + 16 + 4 + 1, "the ETag");
	key.metadata = BYTES(5);
	ok(txs_size_of_key(7, &key).orleans == 28 + 26 + 16 + 5 + 8 + 5,
	   "the metadata");
	key.extra = BYTES(1000);
	ok(txs_size_of_key(7, &key).orleans == 88,
	   "what Orleans does not know, a key row loses at the next store");

	state.state = BYTES(5);
	ok(txs_size_of_state(7, &state).orleans == 47 + 10 + 5, "the state");
	state.transaction_id = BYTES(3);
	ok(txs_size_of_state(7, &state).orleans == 62 + 13 + 3, "the id");
	state.timestamp = BYTES(28);
	ok(txs_size_of_state(7, &state).orleans == 78 + 20 + 28, "its time");
	state.manager = BYTES(2);
	ok(txs_size_of_state(7, &state).orleans == 126 + 18 + 2, "the manager");
	state.etag = 10;
	ok(txs_size_of_state(7, &state).orleans == 146 + 4 + 2 &&
		   txs_size_of_state(7, &state).service == 146 + 4 + 2,
	   "a state row's ETag");
	state.extra_size = 11;
	ok(txs_size_of_state(7, &state).orleans == 152 + 11 &&
		   txs_size_of_state(7, &state).service == 152 + 11,
	   "and what Orleans does not know");
}

/* 169 + P + T + d + S and 71 + P + digits(committed) + M + digits(etag) */
static void
test_formulas(void)
{
	int wrong = 0;
	int digits;

	for (digits = 1; digits <= 19; digits++)
	{
		int64_t etag = 1;
		TxsStateRow state;
		TxsKeyRow key;
		int i;

		for (i = 1; i < digits; i++)
			etag = etag * 10 + i % 10;
		state = state_row(digits * 11, etag, digits * 1000);
		wrong += txs_size_of_state(digits * 100, &state).orleans !=
				 (size_t) (169 + digits * 1112);
		key = key_row(etag, digits * 1000, etag);
		wrong += txs_size_of_key(digits * 100, &key).orleans !=
				 (size_t) (71 + digits * 1102);
	}
	ok(wrong == 0, "sizes follow the specification's formulas");
}

/* All whole numbers of the vectors, in each attribute that holds a number. */
static void
test_numbers(const char *vectors)
{
	TxsSlice text = read_file(vectors);
	TxsReader reader;
	TxsSlice raw;

	if (!ok(text.data != NULL, "the vectors can be read"))
		return;
	txs_reader_open(&reader, text.data, text.length);
	txs_reader_next(&reader);
	while (txs_reader_next(&reader) == TXS_TOKEN_NAME)
	{
		if (txs_reader_is(&reader, "captured"))
			check_numbers(&reader, 10);
		else
			txs_reader_raw(&reader, &raw);
	}
	ok(reader.token == TXS_TOKEN_OBJECT_END, "the vectors are an object");
	free((char *) text.data);

	check_number(INT64_MAX, 19, 11);
	check_number(INT64_MIN, 20, 12);
	check_number(-1, 2, 3);
	check_number(INT64_C(1000000000000000000), 19, 2);
}

static void
check_numbers(TxsReader *reader, int expected)
{
	int seen = 0;

	txs_reader_next(reader);
	while (txs_reader_next(reader) == TXS_TOKEN_OBJECT)
	{
		TxsSlice literal = {NULL, 0};
		int64_t bytes = -1;
		int64_t value;

		while (txs_reader_next(reader) == TXS_TOKEN_NAME)
		{
			bool is_literal = txs_reader_is(reader, "literal");

			txs_reader_next(reader);
			if (is_literal)
				literal = reader->value;
			else
				txs_number_to_int64(reader->value, &bytes);
		}
		if (txs_number_to_int64(literal, &value))
		{
			check_number(value, literal.length, (size_t) bytes);
			seen++;
		}
	}
	ok(seen == expected, "there are %d whole numbers in the vectors",
	   expected);
}

/* A number in each place, beside a 0 (1 byte for both) in all others. */
static void
check_number(int64_t value, size_t text, size_t service)
{
	size_t rest = 12 + 1 + 6 + 3 + 19 + 9 + 4 + 2;
	TxsKeyRow key = key_row(0, 0, 0);
	TxsItemSize sizes[3];
	int wrong = 0;
	int i;

	key.timestamp = value;
	sizes[0] = txs_size_of_key(1, &key);
	key = key_row(value, 0, 0);
	key.timestamp = 0;
	sizes[1] = txs_size_of_key(1, &key);
	key = key_row(0, 0, value);
	key.timestamp = 0;
	sizes[2] = txs_size_of_key(1, &key);
	for (i = 0; i < 3; i++)
	{
		if (i == 2 && value == TXS_NO_ETAG)
			continue; /* not an ETag */
		wrong += sizes[i].orleans != rest + text;
		wrong += sizes[i].service != rest + service;
	}
	ok(wrong == 0, "%lld counts %d characters or %d bytes", (long long) value,
	   (int) text, (int) service);
}
