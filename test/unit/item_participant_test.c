/*
 * What the JSON of participants and metadata says.
 */
#include "item_test.h"
#include "orleans/participant.h"
#include "tap.h"

#define PARTICIPANT                                                           \
	"{\"$id\":\"1\",\"$type\":\"Orleans.Transactions.ParticipantId\","        \
	"\"Name\":\"balance\",\"Reference\":{\"$id\":\"2\",\"Id\":{\"$id\":\"3\"," \
	"\"Type\":\"account\",\"Key\":\"7\"},\"Interface\":\"\"},"                \
	"\"SupportedRoles\":3}"

#define METADATA                                                              \
	"{\"$id\":\"1\",\"TimeStamp\":\"2024-01-02T03:04:05.1234567Z\","          \
	"\"CommitRecords\":{\"$id\":\"2\",\"$type\":\"x\","                       \
	"\"a\":{\"Timestamp\":\"t\",\"WriteParticipants\":[{}]},\"b\":null}}"

static const struct
{
	const char *json;
	const char *grain; /* "": none */
} participants[] = {
	{PARTICIPANT, "account/7"},
	{"{\"Reference\":{\"Id\":{\"Key\":\"k\",\"Type\":\"t\"}}}", "t/k"},
	{"{\"Reference\":{\"Id\":{\"Type\":\"\\u00e4\\\"\",\"Key\":\"a\\/b\"}}}",
	 "ä\"/a/b"},
	{"{\"Reference\":{\"Id\":{\"Type\":\"\",\"Key\":\"\"}}}", "/"},
	{"{\"Reference\":{\"Id\":{\"Type\":\"t\",\"x\":[{}],\"Key\":\"k\"}}}",
	 "t/k"},

	/* default structs, and what is none at all */
	{"{\"$id\":\"1\",\"$type\":\"Orleans.Transactions.ParticipantId\"}", ""},
	{"{\"Reference\":null}", ""},
	{"{\"Reference\":{}}", ""},
	{"{\"Reference\":{\"Id\":\"x\"}}", ""},
	{"{\"Reference\":{\"Id\":{\"Type\":\"t\"}}}", ""},
	{"{\"Reference\":{\"Id\":{\"Key\":\"k\"}}}", ""},
	{"{\"Reference\":{\"Id\":{\"Type\":1,\"Key\":\"k\"}}}", ""},
	{"{\"Reference\":{\"Id\":{\"Type\":\"t\",\"Key\":null}}}", ""},
	{"{\"reference\":{\"Id\":{\"Type\":\"t\",\"Key\":\"k\"}}}", ""},
	{"[{\"Reference\":{\"Id\":{\"Type\":\"t\",\"Key\":\"k\"}}}]", ""},
	{"{}", ""},
	{"null", ""},
	{"tm", ""},
	{"", ""},
};

static const struct
{
	const char *json;
	int records;
} metadata[] = {
	{METADATA, 2},
	{"{\"CommitRecords\":{}}", 0},
	{"{\"CommitRecords\":{\"$type\":\"x\"}}", 0},
	{"{\"CommitRecords\":{\"\":1,\"$\":2,\"a\":[1,2]}}", 2},
	{"{\"TimeStamp\":\"x\"}", 0},
	{"{}", 0},
	{"{\"CommitRecords\":null}", -1},
	{"{\"CommitRecords\":[]}", -1},
	{"[]", -1},
	{"meta", -1},
	{"", -1},
};

/* Both from blocks that end where the text does, and where out must. */
static size_t
read_grain(TxsSlice json, char *grain)
{
	char *copy = malloc(json.length);
	char *out = malloc(json.length);
	size_t length;

	if (json.length > 0)
		memcpy(copy, json.data, json.length);
	length = txs_participant_grain((TxsSlice){copy, json.length}, out);
	if (length <= json.length)
		memcpy(grain, out, length);
	free(copy);
	free(out);
	return length;
}

static int
count_records(TxsSlice json)
{
	char *copy = malloc(json.length);
	int records;

	if (json.length > 0)
		memcpy(copy, json.data, json.length);
	records = txs_metadata_commit_records((TxsSlice){copy, json.length});
	free(copy);
	return records;
}

/*
 * A text cut off at every place, and with every byte changed: what was read
 * before is never more than the text has room for.
 */
static int
count_wrong(const char *json)
{
	size_t length = strlen(json);
	char *changed = malloc(length);
	char *grain = malloc(length);
	int wrong = 0;
	size_t i;
	int c;

	for (i = 0; i < length; i++)
	{
		wrong += read_grain((TxsSlice){json, i}, grain) > i;
		wrong += count_records((TxsSlice){json, i}) > (int) i;
		memcpy(changed, json, length);
		for (c = 0; c < 256; c += 3)
		{
			changed[i] = (char) c;
			wrong += read_grain((TxsSlice){changed, length}, grain) > length;
			wrong += count_records((TxsSlice){changed, length}) > (int) length;
		}
	}
	free(changed);
	free(grain);
	return wrong;
}

void
test_participants(void)
{
	char grain[512];
	size_t i;

	for (i = 0; i < lengthof(participants); i++)
	{
		TxsSlice json = {participants[i].json, strlen(participants[i].json)};
		size_t length = read_grain(json, grain);

		ok(same((TxsSlice){grain, length},
				(TxsSlice){participants[i].grain,
						   strlen(participants[i].grain)}),
		   "participant %d refers to \"%s\"", (int) i, participants[i].grain);
	}
	for (i = 0; i < lengthof(metadata); i++)
		ok(count_records((TxsSlice){metadata[i].json,
									strlen(metadata[i].json)}) ==
			   metadata[i].records,
		   "metadata %d has %d commit records", (int) i, metadata[i].records);
	ok(txs_participant_grain((TxsSlice){NULL, 0}, grain) == 0 &&
		   txs_metadata_commit_records((TxsSlice){NULL, 0}) == -1,
	   "no bytes say nothing");
	ok(count_wrong(PARTICIPANT) == 0 && count_wrong(METADATA) == 0,
	   "no text that is cut or changed gives more than it has");
}
