/*
 * Reading items: every bad form with what is said about it, and what good
 * ones become.
 */
#include "item_test.h"
#include "orleans/item_value.h"
#include "tap.h"

#define NOT_A_VALUE                                                           \
	"an attribute's value is not an object with one type and value"
#define NOT_A_ROW_KEY                                                          \
	"RowKey is not state_ and 16 lower-case hexadecimal digits of a sequence " \
	"id"
#define NOT_A_TIME                                                            \
	"attribute \"TransactionTimestamp\" is not a time such as "               \
	"2024-01-02T03:04:05.1234567Z"
#define NO_KEYS "there is no PartitionKey or no RowKey"

/* A text as a slice, for tables. */
#define TEXT(literal)                                                         \
	{                                                                         \
		literal, sizeof(literal) - 1                                          \
	}
#define WITH(attribute)		TEXT(KEY_ITEM ",\"x\":" attribute "}")
#define OF_KEY(attribute)	TEXT(KEY_ITEM "," attribute "}")
#define OF_STATE(attribute) TEXT(STATE_ITEM "," attribute "}")
#define OF_ROW_KEY(row_key)                                                   \
	TEXT("{\"PartitionKey\":{\"S\":\"p\"},\"RowKey\":{\"S\":\"" row_key "\"}}")
#define OF_PARTITION(partition)                                               \
	TEXT("{\"PartitionKey\":" partition ",\"RowKey\":{\"S\":\"key\"}}")

typedef struct BadItem
{
	const char *name;
	TxsSlice text;
	const char *message;
} BadItem;

/* clang-format off */
static const BadItem invalid[] = {
	/* no JSON, or no object */
	{"no text", TEXT(""), "the text ends too early"},
	{"white space", TEXT(" \n"), "the text ends too early"},
	{"a word", TEXT("x"), "a value is expected"},
	{"an array", TEXT("[]"), "this is not a JSON object"},
	{"an array of an item", TEXT("[" KEY_ITEM "}]"), "this is not a JSON object"},
	{"a string", TEXT("\"x\""), "this is not a JSON object"},
	{"null", TEXT("null"), "this is not a JSON object"},
	{"an item cut short", TEXT(KEY_ITEM), "the text ends too early"},
	{"an item and a comma", TEXT(KEY_ITEM ",}"), "a member name is expected"},
	{"an item and a word", TEXT(KEY_ITEM "}x"), "the text goes on after the value"},
	{"two items", TEXT(KEY_ITEM "}" KEY_ITEM "}"), "the text goes on after the value"},
	{"invalid UTF-8 in a key", OF_PARTITION("{\"S\":\"\xC3\"}"), "a string is not valid UTF-8"},
	{"invalid UTF-8 in a name", OF_KEY("\"\xED\xA0\x80\":{\"S\":\"\"}"), "a string is not valid UTF-8"},
	{"invalid UTF-8 deep in a value", WITH("{\"L\":[{\"S\":\"\xFF\"}]}"), "a string is not valid UTF-8"},
	{"a lone surrogate", WITH("{\"S\":\"\\ud800\"}"), "an escape sequence is not valid"},
	{"a NUL byte", OF_PARTITION("{\"S\":\"a\0\"}"), "a string holds a control character"},
	{"a line end in a text", OF_PARTITION("{\"S\":\"a\n\"}"), "a string holds a control character"},

	/* wrapped, but not as the service does */
	{"an item wrapped twice", TEXT("{\"Item\":{\"Item\":" KEY_ITEM "}}}"), "an attribute's value has an unrecognized type"},
	{"a wrapped array", TEXT("{\"Item\":[]}"), "this is not a JSON object"},
	{"a wrapped item and more", TEXT("{\"Item\":" KEY_ITEM "},\"x\":1}"), "an attribute's value has an unrecognized type"},
	{"a wrapped item cut short", TEXT("{\"Item\":" KEY_ITEM "}"), "the text ends too early"},
	{"two wrapped items", TEXT("{\"Item\":" KEY_ITEM "},\"Item\":" KEY_ITEM "}}"), "an attribute's value has an unrecognized type"},

	/* values of attributes */
	{"a plain text for a value", WITH("\"a\""), NOT_A_VALUE},
	{"a plain number for a value", WITH("1"), NOT_A_VALUE},
	{"null for a value", WITH("null"), NOT_A_VALUE},
	{"an array for a value", WITH("[]"), NOT_A_VALUE},
	{"an empty object for a value", WITH("{}"), NOT_A_VALUE},
	{"a value of two types", WITH("{\"S\":\"a\",\"N\":\"1\"}"), NOT_A_VALUE},
	{"a type twice", WITH("{\"S\":\"a\",\"S\":\"a\"}"), NOT_A_VALUE},
	{"an unknown type", WITH("{\"X\":\"a\"}"), "an attribute's value has an unrecognized type"},
	{"a lower-case type", WITH("{\"s\":\"a\"}"), "an attribute's value has an unrecognized type"},
	{"a type of no name", WITH("{\"\":\"a\"}"), "an attribute's value has an unrecognized type"},
	{"a longer type", WITH("{\"SSS\":[\"a\"]}"), "an attribute's value has an unrecognized type"},
	{"S with a number", WITH("{\"S\":1}"), NOT_A_VALUE},
	{"S with null", WITH("{\"S\":null}"), NOT_A_VALUE},
	{"N with a JSON number", WITH("{\"N\":1}"), NOT_A_VALUE},
	{"N with a word", WITH("{\"N\":\"one\"}"), "a value of type N is not a number"},
	{"N with nothing", WITH("{\"N\":\"\"}"), "a value of type N is not a number"},
	{"N with a space", WITH("{\"N\":\" 1\"}"), "a value of type N is not a number"},
	{"N with an escaped digit", WITH("{\"N\":\"\\u0031\"}"), "a value of type N is not a number"},
	{"N with 39 digits", WITH("{\"N\":\"123456789012345678901234567890123456789\"}"), "a value of type N is not a number"},
	{"N that is too large", WITH("{\"N\":\"1E126\"}"), "a value of type N is not a number"},
	{"N that is too small", WITH("{\"N\":\"1E-131\"}"), "a value of type N is not a number"},
	{"B of a bad length", WITH("{\"B\":\"QQ\"}"), "a value of type B is not base64"},
	{"B of a bad character", WITH("{\"B\":\"QQ-=\"}"), "attribute \"x\" is not base64"},
	{"B with spare bits", WITH("{\"B\":\"QR==\"}"), "attribute \"x\" is not base64"},
	{"B with escapes of a bad length", WITH("{\"B\":\"\\/w\"}"), "a value of type B is not base64"},
	{"B with escapes of bad characters", WITH("{\"B\":\"\\/\\\\==\"}"), "a value of type B is not base64"},
	{"BOOL with a text", WITH("{\"BOOL\":\"true\"}"), NOT_A_VALUE},
	{"NULL with false", WITH("{\"NULL\":false}"), NOT_A_VALUE},
	{"SS with a text", WITH("{\"SS\":\"a\"}"), NOT_A_VALUE},
	{"SS with a number", WITH("{\"SS\":[\"a\",1]}"), NOT_A_VALUE},
	{"SS with nothing", WITH("{\"SS\":[]}"), NOT_A_VALUE},
	{"SS cut short", TEXT(KEY_ITEM ",\"x\":{\"SS\":[\"a\""), "the text ends too early"},
	{"NS with a word", WITH("{\"NS\":[\"1\",\"x\"]}"), "a value of type N is not a number"},
	{"BS of a bad length", WITH("{\"BS\":[\"QQ\"]}"), "a value of type B is not base64"},
	{"BS of a bad character", WITH("{\"BS\":[\"QUFB\",\"Q!==\"]}"), "a value of type B is not base64"},
	{"BS with spare bits", WITH("{\"BS\":[\"QR==\"]}"), "a value of type B is not base64"},
	{"L with an object", WITH("{\"L\":{}}"), NOT_A_VALUE},
	{"L with a plain text", WITH("{\"L\":[\"a\"]}"), NOT_A_VALUE},
	{"L with a bad member", WITH("{\"L\":[{\"S\":\"a\"},{\"N\":\"x\"}]}"), "a value of type N is not a number"},
	{"L with bad base64", WITH("{\"L\":[{\"B\":\"QR==\"}]}"), "a value of type B is not base64"},
	{"M with an array", WITH("{\"M\":[]}"), NOT_A_VALUE},
	{"M with a plain text", WITH("{\"M\":{\"a\":\"b\"}}"), NOT_A_VALUE},
	{"M with a bad member deep in it", WITH("{\"M\":{\"a\":{\"L\":[{\"M\":{\"b\":{}}}]}}}"), NOT_A_VALUE},
	{"M with bad base64 deep in it", WITH("{\"M\":{\"a\":{\"L\":[{\"BS\":[\"Q===\"]}]}}}"), "a value of type B is not base64"},

	/* attributes of an item */
	{"no attribute", TEXT("{}"), NO_KEYS},
	{"no row key", TEXT("{\"PartitionKey\":{\"S\":\"p\"}}"), NO_KEYS},
	{"no partition key", TEXT("{\"RowKey\":{\"S\":\"key\"}}"), NO_KEYS},
	{"keys under other names", TEXT("{\"partitionkey\":{\"S\":\"p\"},\"rowkey\":{\"S\":\"key\"}}"), NO_KEYS},
	{"an empty partition key", OF_PARTITION("{\"S\":\"\"}"), "PartitionKey is empty"},
	{"a partition key of another type", OF_PARTITION("{\"N\":\"1\"}"), "attribute \"PartitionKey\" is not of type S"},
	{"a NUL in the partition key", OF_PARTITION("{\"S\":\"a\\u0000\"}"), "attribute \"PartitionKey\" holds a NUL character"},
	{"a row key of another type", TEXT("{\"PartitionKey\":{\"S\":\"p\"},\"RowKey\":{\"B\":\"QQ==\"}}"), "attribute \"RowKey\" is not of type S"},
	{"a NUL in the row key", OF_ROW_KEY("key\\u0000"), "attribute \"RowKey\" holds a NUL character"},
	{"an attribute twice", OF_KEY("\"ETag\":{\"N\":\"1\"},\"ETag\":{\"N\":\"1\"}"), "attribute \"ETag\" comes twice"},
	{"an unknown attribute twice", OF_KEY("\"b\":{\"S\":\"\"},\"a\":{\"S\":\"\"},\"b\":{\"N\":\"1\"}"), "attribute \"b\" comes twice"},
	{"an attribute of no name twice", OF_KEY("\"\":{\"S\":\"\"},\"\":{\"N\":\"1\"}"), "attribute \"\" comes twice"},
	{"an attribute twice in two spellings", OF_KEY("\"ETag\":{\"N\":\"1\"},\"\\u0045Tag\":{\"N\":\"1\"}"), "attribute \"ETag\" comes twice"},
	{"a key twice", OF_KEY("\"RowKey\":{\"S\":\"key\"}"), "attribute \"RowKey\" comes twice"},
	{"a NUL in a name", OF_KEY("\"a\\u0000b\":{\"S\":\"\"}"), "attribute \"a\" has a NUL character in its name"},

	/* a key row */
	{"an ETag that is a text", OF_KEY("\"ETag\":{\"S\":\"1\"}"), "attribute \"ETag\" is not of type N"},
	{"a negative ETag", OF_KEY("\"ETag\":{\"N\":\"-1\"}"), "attribute \"ETag\" is not a whole number from 0"},
	{"an ETag with a fraction", OF_KEY("\"ETag\":{\"N\":\"1.0\"}"), "attribute \"ETag\" is not a whole number from 0"},
	{"an ETag with an exponent", OF_KEY("\"ETag\":{\"N\":\"1E2\"}"), "attribute \"ETag\" is not a whole number from 0"},
	{"an ETag with a leading zero", OF_KEY("\"ETag\":{\"N\":\"01\"}"), "attribute \"ETag\" is not a whole number from 0"},
	{"an ETag above a bigint", OF_KEY("\"ETag\":{\"N\":\"9223372036854775808\"}"), "attribute \"ETag\" is not a whole number from 0"},
	{"a negative committed id", OF_KEY("\"CommittedSequenceId\":{\"N\":\"-1\"}"), "attribute \"CommittedSequenceId\" is not a whole number from 0"},
	{"a committed id of bytes", OF_KEY("\"CommittedSequenceId\":{\"B\":\"\"}"), "attribute \"CommittedSequenceId\" is not of type N"},
	{"a time with a fraction", OF_KEY("\"Timestamp\":{\"N\":\"1.5\"}"), "attribute \"Timestamp\" is not a whole number"},
	{"a time below a bigint", OF_KEY("\"Timestamp\":{\"N\":\"-9223372036854775809\"}"), "attribute \"Timestamp\" is not a whole number"},
	{"metadata that is a text", OF_KEY("\"Metadata\":{\"S\":\"\"}"), "attribute \"Metadata\" is not of type B"},
	{"metadata that is not base64", OF_KEY("\"Metadata\":{\"B\":\"====\"}"), "attribute \"Metadata\" is not base64"},
	{"metadata that is null", OF_KEY("\"Metadata\":{\"NULL\":true}"), "attribute \"Metadata\" is not of type B"},

	/* a state row */
	{"a state that is a text", OF_STATE("\"GrainState\":{\"S\":\"x\"}"), "attribute \"GrainState\" is not of type B"},
	{"a state with spare bits", OF_STATE("\"GrainState\":{\"B\":\"QR==\"}"), "attribute \"GrainState\" is not base64"},
	{"a state of a bad length", OF_STATE("\"GrainState\":{\"B\":\"Q\"}"), "a value of type B is not base64"},
	{"a transaction id of bytes", OF_STATE("\"TransactionId\":{\"B\":\"\"}"), "attribute \"TransactionId\" is not of type S"},
	{"a NUL in a transaction id", OF_STATE("\"TransactionId\":{\"S\":\"\\u0000\"}"), "attribute \"TransactionId\" holds a NUL character"},
	{"a manager that is a list", OF_STATE("\"TransactionManager\":{\"L\":[]}"), "attribute \"TransactionManager\" is not of type B"},
	{"a negative ETag of a state row", OF_STATE("\"ETag\":{\"N\":\"-1\"}"), "attribute \"ETag\" is not a whole number from 0"},
	{"a number for a time", OF_STATE("\"TransactionTimestamp\":{\"N\":\"1\"}"), "attribute \"TransactionTimestamp\" is not of type S"},
	{"an empty time", OF_STATE("\"TransactionTimestamp\":{\"S\":\"\"}"), NOT_A_TIME},
	{"a time without a fraction", OF_STATE("\"TransactionTimestamp\":{\"S\":\"2024-01-02T03:04:05Z\"}"), NOT_A_TIME},
	{"a time of six digits", OF_STATE("\"TransactionTimestamp\":{\"S\":\"2024-01-02T03:04:05.123456Z\"}"), NOT_A_TIME},
	{"a time of a day that is none", OF_STATE("\"TransactionTimestamp\":{\"S\":\"2023-02-29T03:04:05.1234567Z\"}"), NOT_A_TIME},
};

static const BadItem malformed[] = {
	{"upper-case hex", OF_ROW_KEY("state_000000000000002A"), NOT_A_ROW_KEY},
	{"short hex", OF_ROW_KEY("state_2a"), NOT_A_ROW_KEY},
	{"long hex", OF_ROW_KEY("state_0000000000000002a"), NOT_A_ROW_KEY},
	{"no hex", OF_ROW_KEY("state_"), NOT_A_ROW_KEY},
	{"other letters", OF_ROW_KEY("state_000000000000000g"), NOT_A_ROW_KEY},
	{"a negative sequence", OF_ROW_KEY("state_8000000000000000"), NOT_A_ROW_KEY},
};

static const BadItem foreign[] = {
	{"an empty row key", OF_ROW_KEY(""), "RowKey is neither \"key\" nor \"state_...\""},
	{"Key", OF_ROW_KEY("Key"), "RowKey is neither \"key\" nor \"state_...\""},
	{"keys", OF_ROW_KEY("keys"), "RowKey is neither \"key\" nor \"state_...\""},
	{"State_", OF_ROW_KEY("State_000000000000002a"), "RowKey is neither \"key\" nor \"state_...\""},
	{"state", OF_ROW_KEY("state"), "RowKey is neither \"key\" nor \"state_...\""},
};
/* clang-format on */

static void check_bad(const BadItem *bad, int count, TxsItemStatus expected);
static void test_long_keys(void);
static void test_long_names(void);
static void test_depth(void);
static void test_cuts(void);
static void test_key_row(void);
static void test_state_row(void);
static void test_absent(void);
static void test_extra(void);
static void test_values(void);
static bool is_absent(TxsSlice slice);

void
test_reading(void)
{
	check_bad(invalid, lengthof(invalid), TXS_ITEM_INVALID);
	check_bad(malformed, lengthof(malformed), TXS_ITEM_MALFORMED);
	check_bad(foreign, lengthof(foreign), TXS_ITEM_FOREIGN);
	test_long_keys();
	test_long_names();
	test_depth();
	test_cuts();
	test_key_row();
	test_state_row();
	test_absent();
	test_extra();
	test_values();
}

static void
check_bad(const BadItem *bad, int count, TxsItemStatus expected)
{
	int i;

	for (i = 0; i < count; i++)
	{
		TxsItem item;
		TxsItemError error;
		TxsItemStatus status = read_item(bad[i].text, &item, &error);

		if (!ok(status == expected &&
					strcmp(error.message, bad[i].message) == 0,
				"an item is refused: %s", bad[i].name))
			diag("status %d, message: %s", (int) status, error.message);
	}
}

/* A partition key of some bytes, of two-byte characters. */
static TxsItemStatus
read_long_key(int bytes, TxsItem *item, TxsItemError *error)
{
	char *key = palloc(bytes + 1);
	char *text = palloc(bytes + 100);
	int i;

	for (i = 0; i < bytes; i++)
		key[i] = i + 1 == bytes && bytes % 2 != 0 ? 'x' : "\xC3\xA9"[i % 2];
	key[bytes] = '\0';
	sprintf(text,
			"{\"PartitionKey\":{\"S\":\"%s\"},\"RowKey\":{\"S\":\"key\"}}",
			key);
	return read_item((TxsSlice){text, strlen(text)}, item, error);
}

static void
test_long_keys(void)
{
	TxsItem item;
	TxsItemError error;

	ok(read_long_key(2048, &item, &error) == TXS_ITEM_OK &&
		   item.partition.length == 2048,
	   "a partition key may have 2048 bytes");
	ok(read_long_key(2049, &item, &error) == TXS_ITEM_INVALID &&
		   strcmp(error.message, "PartitionKey is longer than 2048 bytes") ==
			   0,
	   "a partition key may not have 2049 bytes");
}

/* A message names an attribute by its first 80 bytes, cut between characters. */
static void
test_long_names(void)
{
	char text[1000];
	char name[200] = "";
	char expected[200];
	TxsItem item;
	TxsItemError error;
	int i;

	for (i = 0; i < 50; i++)
		strcat(name, "\xE2\x82\xAC");
	snprintf(text, sizeof(text), KEY_ITEM ",\"%s\":{\"B\":\"====\"}}", name);
	snprintf(expected, sizeof(expected), "attribute \"%.78s\" is not base64",
			 name);
	ok(read_item((TxsSlice){text, strlen(text)}, &item, &error) ==
			   TXS_ITEM_INVALID &&
		   strcmp(error.message, expected) == 0,
	   "a long name is cut between characters");
}

static TxsItemStatus
read_nested(int lists, TxsItemError *error)
{
	char text[4000] = KEY_ITEM ",\"x\":{\"NULL\":true}}";
	char *at = text + strlen(KEY_ITEM ",\"x\":");
	TxsItem item;
	int i;

	for (i = 0; i < lists; i++)
		at += sprintf(at, "{\"L\":[");
	for (i = 0; i < lists; i++)
		at += sprintf(at, "]}");
	if (lists > 0)
		sprintf(at, "}");
	return read_item((TxsSlice){text, strlen(text)}, &item, error);
}

static void
test_depth(void)
{
	TxsItemError error;

	ok(read_nested(0, &error) == TXS_ITEM_OK &&
		   read_nested(32, &error) == TXS_ITEM_OK,
	   "a value may nest as deeply as the service allows");
	ok(read_nested(48, &error) == TXS_ITEM_INVALID &&
		   strcmp(error.message, "the text is nested too deeply") == 0,
	   "a value may not nest without end");
	ok(read_nested(250, &error) == TXS_ITEM_INVALID, "250 lists are refused");
}

static const char whole[] =
	"{\"Item\": " STATE_ITEM ",\"GrainState\":{\"B\":\"AAEC\"},"
	"\"TransactionId\":{\"S\":\"t\\u00e9\"},\"TransactionTimestamp\":{\"S\":"
	"\"2024-01-02T03:04:05.1234567Z\"},\"TransactionManager\":{\"B\":\"AA==\"}"
	",\"ETag\":{\"N\":\"7\"},\"x\":{\"M\":{\"a\":{\"BS\":[\"QQ==\"]}}}} }";

static void
test_cuts(void)
{
	TxsItem item;
	TxsItemError error;
	size_t length;
	int wrong = 0;

	ok(read_item(SLICE(whole), &item, &error) == TXS_ITEM_OK,
	   "the sample item is read");
	for (length = 0; length < sizeof(whole) - 1; length++)
	{
		if (read_item((TxsSlice){whole, length}, &item, &error) !=
				TXS_ITEM_INVALID ||
			error.message[0] == '\0')
		{
			wrong++;
			diag("accepted: %.*s", (int) length, whole);
		}
	}
	ok(wrong == 0, "no prefix of the sample item is one");
}

static void
test_key_row(void)
{
	TxsItem item;
	TxsItemError error;

	ok(read_item(SLICE(KEY_ITEM ",\"CommittedSequenceId\":{\"N\":\"12\"},"
								"\"Metadata\":{\"B\":\"AP+\\/\"},"
								"\"Timestamp\":{\"N\":\"-5\"},\"ETag\":{\"N\":"
								"\"9223372036854775807\"}}"),
				 &item, &error) == TXS_ITEM_OK &&
		   error.message[0] == '\0',
	   "a key row is read");
	ok(item.is_key && same(item.partition, SLICE("p")), "its partition");
	ok(item.key.has_committed && item.key.committed == 12, "its committed id");
	ok(same(item.key.metadata, SLICE("\x00\xFF\xBF")), "its metadata");
	ok(item.key.has_timestamp && item.key.timestamp == -5, "its time");
	ok(item.key.etag == INT64_MAX, "its ETag");
	ok(is_absent(item.key.extra), "it has no other attribute");
}

static void
test_state_row(void)
{
	TxsItem item;
	TxsItemError error;

	ok(read_item(SLICE(whole), &item, &error) == TXS_ITEM_OK && !item.is_key,
	   "a wrapped state row is read");
	ok(item.state.sequence == 42 && item.state.etag == 7,
	   "its sequence and ETag");
	ok(same(item.state.state, SLICE("\x00\x01\x02")), "its state");
	ok(same(item.state.transaction_id, SLICE("t\xC3\xA9")), "its id");
	ok(same(item.state.timestamp, SLICE("2024-01-02T03:04:05.1234567Z")),
	   "its time");
	ok(same(item.state.manager, SLICE("\0")), "its manager");
	ok(same(item.state.extra,
			SLICE("{\"x\":{\"M\":{\"a\":{\"BS\":[\"QQ==\"]}}}}")),
	   "its other attribute");
	/* x 1, the map 3 + 1 for its member, a 1, one byte in the set */
	ok(item.state.extra_size == 7 && item.state.extra_foreign,
	   "what that counts, and that a silo would refuse it");
}

/* What is absent stays so, and is another thing than what is empty. */
static void
test_absent(void)
{
	TxsItem item;
	TxsItemError error;

	ok(read_item(SLICE(KEY_ITEM "}"), &item, &error) == TXS_ITEM_OK &&
		   item.key.etag == TXS_NO_ETAG && !item.key.has_committed &&
		   item.key.committed == 0 && !item.key.has_timestamp &&
		   is_absent(item.key.metadata) && is_absent(item.key.extra),
	   "a key row of nothing but keys");
	ok(read_item(SLICE(STATE_ITEM "}"), &item, &error) == TXS_ITEM_OK &&
		   item.state.etag == TXS_NO_ETAG && is_absent(item.state.state) &&
		   is_absent(item.state.transaction_id) &&
		   is_absent(item.state.timestamp) && is_absent(item.state.manager) &&
		   is_absent(item.state.extra) && item.state.extra_size == 0 &&
		   !item.state.extra_foreign,
	   "a state row of nothing but keys");
	ok(read_item(SLICE(STATE_ITEM ",\"GrainState\":{\"B\":\"\"},"
								  "\"TransactionId\":{\"S\":\"\"}}"),
				 &item, &error) == TXS_ITEM_OK &&
		   item.state.state.data != NULL && item.state.state.length == 0 &&
		   item.state.transaction_id.data != NULL &&
		   item.state.transaction_id.length == 0,
	   "empty bytes and an empty text are there");
}

static const struct
{
	const char *name;
	TxsSlice members; /* what a state row has more */
	TxsSlice extra;
	size_t size;
	bool foreign;
} extras[] = {
	{"a text", TEXT("\"abc\":{\"S\":\"de\"}"),
	 TEXT("{\"abc\":{\"S\":\"de\"}}"), 5, false},
	{"white space is left out", TEXT(" \"a\" : { \"S\" : \" b \" } "),
	 TEXT("{\"a\":{\"S\":\" b \"}}"), 4, false},
	{"escapes of a text are kept, those of a name are not",
	 TEXT("\"\\u0061\\n\":{\"S\":\"\\u00e9\\ud83d\\ude00\\/\\u0000\"}"),
	 TEXT("{\"a\\n\":{\"S\":\"\\u00e9\\ud83d\\ude00\\/\\u0000\"}}"), 10,
	 false},
	{"a number's text is kept, and counts its length",
	 TEXT("\"a\":{\"N\":\"+0012.500E-3\"}"),
	 TEXT("{\"a\":{\"N\":\"+0012.500E-3\"}}"), 13, false},
	{"bytes of each padding",
	 TEXT("\"a\":{\"B\":\"\"},\"b\":{\"B\":\"QQ==\"},\"c\":{\"B\":\"QUE=\"},"
		  "\"d\":{\"B\":\"QUFB\"}"),
	 TEXT("{\"a\":{\"B\":\"\"},\"b\":{\"B\":\"QQ==\"},\"c\":{\"B\":\"QUE=\"},"
		  "\"d\":{\"B\":\"QUFB\"}}"),
	 10, false},
	{"bytes with escapes", TEXT("\"a\":{\"B\":\"\\/w=\\u003d\"}"),
	 TEXT("{\"a\":{\"B\":\"\\/w=\\u003d\"}}"), 2, false},
	{"what only a key row knows", TEXT("\"Metadata\":{\"S\":\"\"}"),
	 TEXT("{\"Metadata\":{\"S\":\"\"}}"), 8, false},
	{"names without a value's type", TEXT("\"\":{\"S\":\"\"}"),
	 TEXT("{\"\":{\"S\":\"\"}}"), 0, false},
	{"the order is that of names",
	 TEXT("\"b\":{\"S\":\"\"},\"a\":{\"S\":\"\"},\"B\":{\"S\":\"\"},"
		  "\"ab\":{\"S\":\"\"}"),
	 TEXT("{\"B\":{\"S\":\"\"},\"a\":{\"S\":\"\"},\"ab\":{\"S\":\"\"},"
		  "\"b\":{\"S\":\"\"}}"),
	 5, false},
	{"true", TEXT("\"a\":{\"BOOL\":true}"), TEXT("{\"a\":{\"BOOL\":true}}"), 2,
	 true},
	{"null", TEXT("\"a\":{\"NULL\":true}"), TEXT("{\"a\":{\"NULL\":true}}"), 2,
	 true},
	{"sets",
	 TEXT("\"a\":{\"SS\":[\"x\",\"yz\"]},\"b\":{\"NS\":[\"1\",\"22\"]},"
		  "\"c\":{\"BS\":[\"QQ==\",\"\"]}"),
	 TEXT("{\"a\":{\"SS\":[\"x\",\"yz\"]},\"b\":{\"NS\":[\"1\",\"22\"]},"
		  "\"c\":{\"BS\":[\"QQ==\",\"\"]}}"),
	 10, true},
	{"an empty list and map", TEXT("\"a\":{\"L\":[]},\"b\":{\"M\":{}}"),
	 TEXT("{\"a\":{\"L\":[]},\"b\":{\"M\":{}}}"), 8, true},
	{"a list: 3, and 1 a member",
	 TEXT("\"a\":{\"L\":[{\"S\":\"xy\"},{\"B\":\"QQ==\"},{\"BOOL\":false}]}"),
	 TEXT(
		 "{\"a\":{\"L\":[{\"S\":\"xy\"},{\"B\":\"QQ==\"},{\"BOOL\":false}]}}"),
	 11, true},
	{"a map: 3, and 1 a member and its name",
	 TEXT("\"a\":{\"M\":{\"bc\":{\"S\":\"d\"},\"\\u00e9\":{\"L\":[]}}}"),
	 TEXT("{\"a\":{\"M\":{\"bc\":{\"S\":\"d\"},\"\\u00e9\":{\"L\":[]}}}}"), 14,
	 true},
};

static void
test_extra(void)
{
	size_t i;

	for (i = 0; i < lengthof(extras); i++)
	{
		char text[500];
		TxsItem item;
		TxsItemError error;
		bool read;

		snprintf(text, sizeof(text), STATE_ITEM ",%s}",
				 extras[i].members.data);
		read = read_item((TxsSlice){text, strlen(text)}, &item, &error) ==
			   TXS_ITEM_OK;
		if (!read)
			diag("%s", error.message);
		ok(read && same(item.state.extra, extras[i].extra),
		   "other attributes: %s", extras[i].name);
		if (!ok(read && item.state.extra_size == extras[i].size &&
					item.state.extra_foreign == extras[i].foreign,
				"their size and type: %s", extras[i].name))
			diag("%d", (int) item.state.extra_size);
	}
}

static bool
is_absent(TxsSlice slice)
{
	return slice.data == NULL && slice.length == 0;
}

/* A value may be read where nobody has seen yet that its text is JSON. */
static const BadItem broken_values[] = {
	{"nothing", TEXT(""), "the text ends too early"},
	{"a brace", TEXT("{"), "the text ends too early"},
	{"a type", TEXT("{\"S\""), "a colon is expected"},
	{"a text", TEXT("{\"S\":\"a\""), "the text ends too early"},
	{"a text cut short", TEXT("{\"S\":\"a"), "the text ends within a string"},
	{"a word", TEXT("{\"S\":a}"), "a value is expected"},
	{"a set", TEXT("{\"SS\":[\"a\""), "the text ends too early"},
	{"a list", TEXT("{\"L\":[{\"S\":\"a\"}"), "the text ends too early"},
	{"a map", TEXT("{\"M\":{\"a\""), "a colon is expected"},
	{"a word for true", TEXT("{\"BOOL\":tru}"), "a value is expected"},
};

static void
test_values(void)
{
	TxsReader reader;
	TxsItemValue value;
	size_t i;

	for (i = 0; i < lengthof(broken_values); i++)
	{
		const BadItem *bad = &broken_values[i];
		const char *problem;

		txs_reader_open(&reader, bad->text.data, bad->text.length);
		problem = txs_item_value_read(&reader, &value);
		if (!ok(problem != NULL && strcmp(problem, bad->message) == 0,
				"a value cut short: %s", bad->name))
			diag("%s", problem);
	}

	txs_reader_open(&reader, "[{\"S\":\"a\"},{\"N\":\"12\"}]", 22);
	txs_reader_next(&reader);
	ok(txs_item_value_read(&reader, &value) == NULL && value.type == 'S' &&
		   same(value.content, SLICE("a")) && value.size == 1,
	   "a value among others is read");
	ok(txs_item_value_read(&reader, &value) == NULL && value.type == 'N' &&
		   same(value.content, SLICE("12")) && value.size == 2,
	   "and the one after it");
	ok(txs_item_value_read(&reader, &value) != NULL &&
		   reader.token == TXS_TOKEN_ARRAY_END,
	   "and no other");
}
