/*
 * Fuzzes the reader of XML, alone and with what it reads of an answer of STS.
 */
#include "aws/sts.h"
#include "aws/xml.h"
#include "fuzz.h"

static void check_field(TxsSlice text);
static void check_answer(int status, TxsSlice text);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	TxsSlice text = {exact_copy(data, size), size};

	check_field(text);
	check_answer(200, text);
	check_answer(400, text);
	free((char *) text.data);
	return 0;
}

static void
check_field(TxsSlice text)
{
	TxsXmlField field = {"a/b", {NULL, 0}};
	const char *problem = txs_xml_read(text, &field, 1);
	TxsSlice value = field.value;
	char *out;

	if (problem != NULL || value.data == NULL)
		return;
	require(value.data >= text.data);
	require(value.data + value.length <= text.data + text.length);
	out = exact_block(value.length + 1);
	require(txs_xml_unescape(value, out, value.length + 1));
	require(strlen(out) <= value.length);
	free(out);
}

static void
check_answer(int status, TxsSlice text)
{
	TxsKeys keys;
	TxsFetchError error;
	TxsFetch fetch = txs_sts_read(status, text, &keys, &error);

	require((fetch == TXS_FETCH_DONE) == (error.problem == NULL));
	require((fetch == TXS_FETCH_DONE) == (keys.access_key_id[0] != '\0'));
	require((fetch == TXS_FETCH_DONE) == (keys.session_token[0] != '\0'));
	require(fetch != TXS_FETCH_DONE || status == 200);
}
