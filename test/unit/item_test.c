/*
 * Unit tests of the items, sizes, keys, participants and times of src/orleans.
 *
 * Usage: item_test .../vectors/item-size/number-bytes.json recording...
 */
#include "item_test.h"
#include "palloc_reset.h"
#include "tap.h"

int
main(int argc, char **argv)
{
	if (argc < 3)
	{
		fprintf(stderr, "usage: %s number-bytes.json recording...\n", argv[0]);
		return 2;
	}
	test_reading();
	test_writing();
	test_row_keys();
	test_partition_keys();
	test_participants();
	test_sizes(argv[1]);
	test_times();
	test_recordings(argc - 2, argv + 2);
	txs_palloc_reset();
	return done_testing();
}

TxsItemStatus
read_item(TxsSlice text, TxsItem *item, TxsItemError *error)
{
	char *copy = malloc(text.length);
	TxsItemStatus status;

	if (text.length > 0)
		memcpy(copy, text.data, text.length);
	memset(item, 0x77, sizeof(*item));
	memset(error, 0x77, sizeof(*error));
	status = txs_item_read((TxsSlice){copy, text.length}, item, error);
	free(copy);
	return status;
}

bool
writes(const TxsItem *item, TxsSlice expected)
{
	TxsWriter writer;
	bool result;

	txs_writer_open(&writer, realloc);
	txs_item_write(&writer, item);
	result = same((TxsSlice){writer.data, writer.length}, expected);
	free(writer.data);
	return result;
}

bool
same(TxsSlice got, TxsSlice expected)
{
	if (got.length == expected.length &&
		(got.length == 0 || memcmp(got.data, expected.data, got.length) == 0))
		return true;
	diag("got:      %.*s", (int) got.length, got.data);
	diag("expected: %.*s", (int) expected.length, expected.data);
	return false;
}
