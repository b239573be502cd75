/*
 * What reading and writing one item costs: microseconds of CPU time per
 * operation, the median (and the best) of several rounds.
 *
 * Aim: 2.5 us or less to read the item and decode its base64.
 *
 * The item is a state row as Orleans writes it, with 1 KB of state: about
 * 1.9 KB of JSON, 1.4 KB of them base64.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json/json.h"

#define ROUNDS		21
#define STATE_BYTES 1024

typedef struct Bench
{
	const char *name;
	int (*run)(void); /* returns something that depends on all the work */
} Bench;

static unsigned char state[STATE_BYTES];
static unsigned char decoded[STATE_BYTES + 3];
static char encoded[STATE_BYTES * 2];
static size_t encoded_length;
static char manager[142];
static TxsWriter writer;
static char *item;
static size_t item_length;
static char ascii[STATE_BYTES];
static char greek[STATE_BYTES];
static volatile int sink; /* keeps the work from being left out */

static void write_item(void);
static int read_item(bool decode);

static int
read_and_decode(void)
{
	return read_item(true);
}

static int
read_only(void)
{
	return read_item(false);
}

static int
encode_item(void)
{
	txs_writer_reset(&writer);
	write_item();
	return (int) writer.length;
}

static int
compact_item(void)
{
	TxsSlice json = {item, item_length};

	txs_writer_reset(&writer);
	return txs_writer_raw(&writer, json);
}

static int
decode_state(void)
{
	TxsSlice text = {encoded, encoded_length};
	size_t length;

	return txs_base64_decode(text, decoded, &length) + decoded[1023];
}

static int
encode_state(void)
{
	txs_base64_encode(state, STATE_BYTES, encoded);
	return encoded[1000];
}

static int
check_ascii(void)
{
	return txs_utf8_is_valid(ascii, sizeof(ascii));
}

static int
check_greek(void)
{
	return txs_utf8_is_valid(greek, sizeof(greek));
}

static int
write_string(void)
{
	txs_writer_reset(&writer);
	txs_writer_string(&writer, ascii, sizeof(ascii));
	return (int) writer.length;
}

static int
read_int64(void)
{
	TxsSlice text = {"9223372036854775807", 19};
	int64_t value;

	return txs_number_to_int64(text, &value) + (int) value;
}

static int
count_number(void)
{
	TxsSlice text = {"1796085052", 10};

	return (int) txs_number_counted_bytes(text);
}

static const Bench benches[] = {
	{"read the item and decode its base64", read_and_decode},
	{"read the item, tokens only", read_only},
	{"write the item", encode_item},
	{"copy the item with txs_writer_raw", compact_item},
	{"decode 1 KB from base64", decode_state},
	{"encode 1 KB to base64", encode_state},
	{"check 1 KB of ASCII for UTF-8", check_ascii},
	{"check 1 KB of Greek for UTF-8", check_greek},
	{"write a string of 1 KB", write_string},
	{"read an int64 of 19 digits", read_int64},
	{"count the bytes of a number", count_number},
};

static void
write_bytes(const char *name, const void *data, size_t length)
{
	txs_writer_name(&writer, name);
	txs_writer_object(&writer);
	txs_writer_name(&writer, "B");
	txs_writer_base64(&writer, data, length);
	txs_writer_object_end(&writer);
}

static void
write_text(const char *name, const char *text)
{
	txs_writer_name(&writer, name);
	txs_writer_object(&writer);
	txs_writer_name(&writer, "S");
	txs_writer_string(&writer, text, strlen(text));
	txs_writer_object_end(&writer);
}

static void
write_item(void)
{
	txs_writer_object(&writer);
	write_text("PartitionKey", "account/carol_default_balance");
	write_text("RowKey", "state_0000000000000001");
	write_bytes("GrainState", state, STATE_BYTES);
	write_text("TransactionId", "00000001-0000-4000-8000-000000000000");
	write_text("TransactionTimestamp", "2024-01-02T03:04:05.1234568Z");
	write_bytes("TransactionManager", manager, sizeof(manager));
	txs_writer_name(&writer, "ETag");
	txs_writer_object(&writer);
	txs_writer_name(&writer, "N");
	txs_writer_int64_string(&writer, 42);
	txs_writer_object_end(&writer);
	txs_writer_object_end(&writer);
}

static int
read_item(bool decode)
{
	TxsReader reader;
	TxsToken token;
	bool bytes = false;
	size_t length = 0;
	int sum = 0;

	txs_reader_open(&reader, item, item_length);
	while ((token = txs_reader_next(&reader)) != TXS_TOKEN_END)
	{
		if (token == TXS_TOKEN_ERROR)
			abort();
		if (token == TXS_TOKEN_NAME)
			bytes = txs_reader_is(&reader, "B");
		else if (token == TXS_TOKEN_STRING && bytes && decode &&
				 !txs_base64_decode(reader.value, decoded, &length))
			abort();
		sum += token + (int) length;
	}
	return sum;
}

/* Time that others take from us does not count. */
static double
seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double) now.tv_sec + (double) now.tv_nsec * 1e-9;
}

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;

	return (x > y) - (x < y);
}

static void
measure(const Bench *bench, int repeat)
{
	double times[ROUNDS];
	int round;
	int i;

	for (round = 0; round < ROUNDS; round++)
	{
		double start = seconds();

		for (i = 0; i < repeat; i++)
			sink += bench->run();
		times[round] = (seconds() - start) * 1e6 / repeat;
	}
	qsort(times, ROUNDS, sizeof(times[0]), compare_doubles);
	printf("%8.3f us  (best %.3f)  %s\n", times[ROUNDS / 2], times[0],
		   bench->name);
}

int
main(int argc, char **argv)
{
	int repeat = argc > 1 ? atoi(argv[1]) : 20000;
	size_t i;

	for (i = 0; i < STATE_BYTES; i++)
	{
		state[i] = (unsigned char) (i * 7 + i / 31);
		ascii[i] = (char) ('a' + i % 26);
		greek[i] = i % 2 == 0 ? '\xCE' : '\xB1';
	}
	memset(manager, 'm', sizeof(manager));
	txs_writer_open(&writer, realloc);
	encoded_length = txs_base64_encoded_length(STATE_BYTES);
	encode_state();

	write_item();
	item_length = writer.length;
	item = malloc(item_length);
	if (item == NULL || writer.failed)
		abort();
	memcpy(item, writer.data, item_length);
	printf("an item of %zu bytes\n", item_length);

	for (i = 0; i < sizeof(benches) / sizeof(benches[0]); i++)
		measure(&benches[i], repeat);
	free(item);
	free(writer.data);
	return 0;
}
