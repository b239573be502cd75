/*
 * Writing items, in Orleans' order, and telling rows apart.
 */
#include "item_test.h"
#include "tap.h"

static void test_order(void);
static void test_equality(void);
static void test_equal_extras(void);
static TxsItem full_key(void);
static TxsItem full_state(void);

void
test_writing(void)
{
	test_order();
	test_equality();
}

static void
test_order(void)
{
	TxsItem item = full_key();

	ok(writes(&item,
			  SLICE(KEY_ITEM ",\"CommittedSequenceId\":{\"N\":\"3\"},"
							 "\"Metadata\":{\"B\":\"bWV0YQ==\"},"
							 "\"Timestamp\":{\"N\":\"1704164645\"},"
							 "\"ETag\":{\"N\":\"5\"},\"x\":{\"S\":\"y\"}}")),
	   "a key row has its attributes in Orleans' order, others last");
	item = full_state();
	ok(writes(&item, SLICE(STATE_ITEM
						   ",\"GrainState\":{\"B\":\"c3RhdGU=\"},"
						   "\"TransactionId\":{\"S\":\"a\\\"b\"},"
						   "\"TransactionTimestamp\":{\"S\":"
						   "\"2024-01-02T03:04:05.1234567Z\"},"
						   "\"TransactionManager\":{\"B\":\"bWFuYWdlcg==\"},"
						   "\"ETag\":{\"N\":\"5\"},\"x\":{\"S\":\"y\"}}")),
	   "a state row has its attributes in Orleans' order, others last");

	memset(&item, 0, sizeof(item));
	item.partition = SLICE("p");
	item.is_key = true;
	item.key.etag = TXS_NO_ETAG;
	ok(writes(&item, SLICE(KEY_ITEM "}")),
	   "a key row without attributes has none");
	item.key.has_committed = true;
	item.key.has_timestamp = true;
	item.key.etag = 0;
	item.key.metadata = SLICE("");
	ok(writes(&item, SLICE(KEY_ITEM ",\"CommittedSequenceId\":{\"N\":\"0\"},"
									"\"Metadata\":{\"B\":\"\"},"
									"\"Timestamp\":{\"N\":\"0\"},"
									"\"ETag\":{\"N\":\"0\"}}")),
	   "a zero and empty bytes are written");
	item.is_key = false;
	item.state.etag = TXS_NO_ETAG;
	item.state.sequence = 42;
	ok(writes(&item, SLICE(STATE_ITEM "}")),
	   "a state row without attributes has none");
}

/* Each of these changes makes another row of it. */
#define DIFFERS(item, make, change)                                           \
	do                                                                        \
	{                                                                         \
		TxsItem other = make();                                               \
                                                                              \
		change;                                                               \
		ok(!txs_item_equals(&item, &other) &&                                 \
			   !txs_item_equals(&other, &item),                               \
		   "another row: %s", #change);                                       \
	} while (0)

static void
test_equality(void)
{
	TxsItem key = full_key();
	TxsItem state = full_state();
	TxsItem again = full_key();

	ok(txs_item_equals(&key, &again), "a key row is the same as its copy");
	DIFFERS(key, full_key, other.partition = SLICE("q"));
	DIFFERS(key, full_key, other.is_key = false);
	DIFFERS(key, full_key, other.key.etag++);
	DIFFERS(key, full_key, other.key.etag = TXS_NO_ETAG);
	DIFFERS(key, full_key, other.key.committed++);
	DIFFERS(key, full_key, other.key.has_committed = false);
	DIFFERS(key, full_key, other.key.timestamp++);
	DIFFERS(key, full_key, other.key.has_timestamp = false);
	DIFFERS(key, full_key, other.key.metadata.length--);
	DIFFERS(key, full_key, other.key.metadata = SLICE("metA"));
	DIFFERS(key, full_key, other.key.metadata.data = NULL);
	DIFFERS(key, full_key, other.key.extra = SLICE("{\"x\":{\"S\":\"z\"}}"));
	DIFFERS(key, full_key, other.key.extra.data = NULL);

	again = full_state();
	ok(txs_item_equals(&state, &again), "a state row is as well");
	DIFFERS(state, full_state, other.state.sequence++);
	DIFFERS(state, full_state, other.state.etag++);
	DIFFERS(state, full_state, other.state.state = SLICE("stat"));
	DIFFERS(state, full_state, other.state.state = SLICE(""));
	DIFFERS(state, full_state, other.state.state.data = NULL);
	DIFFERS(state, full_state, other.state.transaction_id = SLICE("a\"c"));
	DIFFERS(state, full_state, other.state.transaction_id.data = NULL);
	DIFFERS(state, full_state, other.state.timestamp.data = NULL);
	DIFFERS(state, full_state, other.state.timestamp = SLICE("2025"));
	DIFFERS(state, full_state, other.state.manager.length--);
	DIFFERS(state, full_state, other.state.manager.data = NULL);
	DIFFERS(state, full_state, other.state.extra.data = NULL);

	again.state.state = SLICE("");
	state.state.state = (TxsSlice){NULL, 0};
	ok(!txs_item_equals(&state, &again), "absent is not empty");
	again = full_key();
	key.key.has_committed = again.key.has_committed = false;
	key.key.has_timestamp = again.key.has_timestamp = false;
	key.key.committed = 9;
	key.key.timestamp = 9;
	ok(txs_item_equals(&key, &again), "what a row does not have is no matter");
	test_equal_extras();
}

/* Pairs of other attributes: what the service takes for the same, and not. */
static const struct
{
	const char *name;
	const char *a;
	const char *b;
	bool same;
} pairs[] = {
	{"attributes have no order", "{\"a\":{\"S\":\"\"},\"b\":{\"N\":\"1\"}}",
	 "{\"b\":{\"N\":\"1\"},\"a\":{\"S\":\"\"}}", true},
	{"one more attribute", "{\"a\":{\"S\":\"\"}}",
	 "{\"a\":{\"S\":\"\"},\"b\":{\"S\":\"\"}}", false},
	{"members of a map have no order",
	 "{\"a\":{\"M\":{\"x\":{\"S\":\"1\"},\"y\":{\"L\":[]}}}}",
	 "{\"a\":{\"M\":{\"y\":{\"L\":[]},\"x\":{\"S\":\"1\"}}}}", true},
	{"names of a map's members", "{\"a\":{\"M\":{\"x\":{\"S\":\"1\"}}}}",
	 "{\"a\":{\"M\":{\"y\":{\"S\":\"1\"}}}}", false},
	{"elements of a set have no order", "{\"a\":{\"NS\":[\"1\",\"22\"]}}",
	 "{\"a\":{\"NS\":[\"22\",\"1\"]}}", true},
	{"elements of a set", "{\"a\":{\"NS\":[\"1\",\"22\"]}}",
	 "{\"a\":{\"NS\":[\"1\",\"2\"]}}", false},
	{"elements of a list have one",
	 "{\"a\":{\"L\":[{\"S\":\"1\"},{\"S\":\"2\"}]}}",
	 "{\"a\":{\"L\":[{\"S\":\"2\"},{\"S\":\"1\"}]}}", false},
	{"a set is not a list", "{\"a\":{\"SS\":[]}}", "{\"a\":{\"L\":[]}}",
	 false},
	{"a list that is a map's member and is called as a set",
	 "{\"a\":{\"M\":{\"SS\":{\"L\":[{\"S\":\"1\"},{\"S\":\"2\"}]}}}}",
	 "{\"a\":{\"M\":{\"SS\":{\"L\":[{\"S\":\"2\"},{\"S\":\"1\"}]}}}}", false},
	{"escapes", "{\"a\":{\"S\":\"\\u00e9\\/\"}}", "{\"a\":{\"S\":\"é/\"}}",
	 true},
	{"types", "{\"a\":{\"S\":\"1\"}}", "{\"a\":{\"N\":\"1\"}}", false},
	{"true and false", "{\"a\":{\"BOOL\":true}}", "{\"a\":{\"BOOL\":false}}",
	 false},
	{"true and true", "{\"a\":{\"BOOL\":true},\"b\":{\"S\":\"\"}}",
	 "{\"b\":{\"S\":\"\"},\"a\":{\"BOOL\":true}}", true},
};

static void
test_equal_extras(void)
{
	TxsItem a = full_key();
	TxsItem b = full_key();
	size_t i;

	for (i = 0; i < lengthof(pairs); i++)
	{
		a.key.extra = (TxsSlice){pairs[i].a, strlen(pairs[i].a)};
		b.key.extra = (TxsSlice){pairs[i].b, strlen(pairs[i].b)};
		ok(txs_item_equals(&a, &b) == pairs[i].same &&
			   txs_item_equals(&b, &a) == pairs[i].same,
		   "the same or not: %s", pairs[i].name);
	}
}

static TxsItem
full_key(void)
{
	TxsItem item;

	memset(&item, 0, sizeof(item));
	item.is_key = true;
	item.partition = SLICE("p");
	item.key.etag = 5;
	item.key.committed = 3;
	item.key.has_committed = true;
	item.key.timestamp = 1704164645;
	item.key.has_timestamp = true;
	item.key.metadata = SLICE("meta");
	item.key.extra = SLICE("{\"x\":{\"S\":\"y\"}}");
	return item;
}

static TxsItem
full_state(void)
{
	TxsItem item;

	memset(&item, 0, sizeof(item));
	item.partition = SLICE("p");
	item.state.sequence = 42;
	item.state.etag = 5;
	item.state.state = SLICE("state");
	item.state.transaction_id = SLICE("a\"b");
	item.state.timestamp = SLICE("2024-01-02T03:04:05.1234567Z");
	item.state.manager = SLICE("manager");
	item.state.extra = SLICE("{\"x\":{\"S\":\"y\"}}");
	return item;
}
