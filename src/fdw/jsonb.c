/*
 * jsonb values; see jsonb.h.
 *
 * Everything is checked by our own reader before the server's parser sees it,
 * which would raise an error.
 */
#include "fdw/jsonb.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"

#include "palloc.h"

/* Digits and exponent of a number that numeric surely holds. */
#define MAX_DIGITS	 1000
#define MAX_EXPONENT 10000

static bool
is_small_number(TxsSlice number)
{
	size_t i;
	int exponent = 0;

	for (i = 0; i < number.length; i++)
	{
		if (number.data[i] == 'e' || number.data[i] == 'E')
			break;
	}
	if (i > MAX_DIGITS)
		return false;
	for (; i < number.length && exponent <= MAX_EXPONENT; i++)
	{
		if (number.data[i] >= '0' && number.data[i] <= '9')
			exponent = exponent * 10 + (number.data[i] - '0');
	}
	return exponent <= MAX_EXPONENT;
}

/* Does an escaped text hold \u0000?  Escapes are known to be right. */
static bool
holds_nul(TxsSlice text)
{
	size_t i;

	for (i = 0; i + 1 < text.length; i++)
	{
		if (text.data[i] != '\\')
			continue;
		i++;
		if (text.data[i] == 'u' && memcmp(text.data + i + 1, "0000", 4) == 0)
			return true;
	}
	return false;
}

bool
txs_jsonb_is_valid(TxsSlice bytes)
{
	TxsReader reader;
	TxsToken token;

	txs_reader_open(&reader, bytes.data, bytes.length);
	while ((token = txs_reader_next(&reader)) != TXS_TOKEN_END)
	{
		if (token == TXS_TOKEN_ERROR)
			return false;
		if ((token == TXS_TOKEN_NAME || token == TXS_TOKEN_STRING) &&
			reader.escaped && holds_nul(reader.value))
			return false;
		if (token == TXS_TOKEN_NUMBER && !is_small_number(reader.value))
			return false;
	}
	return true;
}

static Datum
parse(TxsSlice json)
{
	return DirectFunctionCall1(jsonb_in,
							   CStringGetDatum(
								   pnstrdup(json.data, json.length)));
}

bool
txs_jsonb_make(TxsSlice bytes, Datum *result)
{
	if (!txs_jsonb_is_valid(bytes))
		return false;
	*result = parse(bytes);
	return true;
}

/* Find an attribute's value, such as {"S":"text"}. */
static bool
find_attribute(TxsSlice attributes, const char *name, TxsSlice *value)
{
	TxsReader reader;

	if (attributes.data == NULL)
		return false;
	txs_reader_open(&reader, attributes.data, attributes.length);
	if (txs_reader_next(&reader) != TXS_TOKEN_OBJECT)
		return false;
	while (txs_reader_next(&reader) == TXS_TOKEN_NAME)
	{
		char *found = palloc(reader.value.length + 1);
		bool is_found;

		found[txs_reader_unescape(reader.value, found)] = '\0';
		is_found = strcmp(found, name) == 0;
		pfree(found);
		if (!txs_reader_raw(&reader, value))
			return false;
		if (is_found)
			return true;
	}
	return false;
}

static void write_value(TxsReader *reader, StringInfo json);

/* The members of an M, whose brace comes next. */
static void
write_map(TxsReader *reader, StringInfo json)
{
	const char *comma = "";

	txs_reader_next(reader);
	appendStringInfoChar(json, '{');
	while (txs_reader_next(reader) == TXS_TOKEN_NAME)
	{
		appendStringInfo(json, "%s\"%.*s\":", comma,
						 (int) reader->value.length, reader->value.data);
		comma = ",";
		write_value(reader, json);
	}
	appendStringInfoChar(json, '}');
}

/* Does another element of an array come?  Takes the array's end. */
static bool
has_element(TxsReader *reader)
{
	TxsReader ahead = *reader;

	if (txs_reader_next(&ahead) == TXS_TOKEN_OBJECT)
		return true;
	*reader = ahead;
	return false;
}

/* The elements of an L, whose bracket comes next. */
static void
write_list(TxsReader *reader, StringInfo json)
{
	const char *comma = "";

	txs_reader_next(reader);
	appendStringInfoChar(json, '[');
	while (has_element(reader))
	{
		appendStringInfoString(json, comma);
		comma = ",";
		write_value(reader, json);
	}
	appendStringInfoChar(json, ']');
}

/* The strings of a set, as they are, or without quotes where they are numbers.
 */
static void
write_set(TxsReader *reader, bool numbers, StringInfo json)
{
	const char *comma = "";
	const char *quote = numbers ? "" : "\"";

	txs_reader_next(reader);
	appendStringInfoChar(json, '[');
	while (txs_reader_next(reader) == TXS_TOKEN_STRING)
	{
		appendStringInfo(json, "%s%s%.*s%s", comma, quote,
						 (int) reader->value.length, reader->value.data,
						 quote);
		comma = ",";
	}
	appendStringInfoChar(json, ']');
}

/* What stands for a scalar: N loses its quotes, NULL's true is null. */
static void
write_scalar(TxsReader *reader, char type, StringInfo json)
{
	TxsSlice raw;

	txs_reader_raw(reader, &raw);
	if (type != 'N')
		appendBinaryStringInfo(json, raw.data, (int) raw.length);
	else if (raw.data[0] == '"')
		appendBinaryStringInfo(json, raw.data + 1, (int) raw.length - 2);
	else
		appendStringInfoString(json, "null");
}

/* A value such as {"S":"text"}, whose brace comes next. */
static void
write_value(TxsReader *reader, StringInfo json)
{
	TxsSlice type;

	check_stack_depth();
	txs_reader_next(reader);
	txs_reader_next(reader);
	type = reader->value;
	if (type.length == 2)
		write_set(reader, type.data[0] == 'N', json);
	else if (type.data[0] == 'M')
		write_map(reader, json);
	else if (type.data[0] == 'L')
		write_list(reader, json);
	else
		write_scalar(reader, type.data[0], json);
	txs_reader_next(reader);
}

bool
txs_jsonb_make_attribute(TxsSlice attributes, const char *name, Datum *result)
{
	TxsSlice value;
	TxsReader reader;
	StringInfoData json;

	if (!find_attribute(attributes, name, &value))
		return false;
	initStringInfo(&json);
	txs_reader_open(&reader, value.data, value.length);
	write_value(&reader, &json);
	return txs_jsonb_make((TxsSlice){json.data, json.len}, result);
}

bool
txs_jsonb_attribute_text(TxsSlice attributes, const char *name, TxsSlice *text)
{
	TxsSlice value;
	TxsReader reader;
	StringInfoData json;
	TxsToken token;
	char *copy;

	if (!find_attribute(attributes, name, &value))
		return false;
	initStringInfo(&json);
	txs_reader_open(&reader, value.data, value.length);
	write_value(&reader, &json);
	txs_reader_open(&reader, json.data, json.len);
	token = txs_reader_next(&reader);
	if (token == TXS_TOKEN_NULL)
		return false;
	*text = (TxsSlice){json.data, json.len};
	if (token != TXS_TOKEN_STRING)
		return true;
	copy = palloc(reader.value.length + 1);
	text->length = txs_reader_unescape(reader.value, copy);
	text->data = copy;
	return memchr(copy, '\0', text->length) == NULL;
}
