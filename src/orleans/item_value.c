/*
 * Attribute values of DynamoDB items: form and size.
 *
 * Sizes are the service's (spec dynamodb-client section 7), but a number
 * counts the length of its text, as Orleans has it.  Orleans counts only S, N
 * and B, and a row with another type is none that it loads.
 */
#include "palloc.h"

#include "orleans/item_value.h"

static const char not_a_value[] =
	"an attribute's value is not an object with one type and value";
static const char not_base64[] = "a value of type B is not base64";

/* Members of a list or map: each costs one byte, the whole three. */
#define CONTAINER_OVERHEAD 3
#define MEMBER_OVERHEAD	   1

size_t
txs_item_text_length(TxsSlice content, bool escaped)
{
	size_t length = content.length;
	size_t i;

	if (!escaped)
		return length;
	for (i = 0; i < content.length; i++)
	{
		uint32_t code = 0;
		int digit;

		if (content.data[i] != '\\')
			continue;
		if (content.data[++i] != 'u')
		{
			length--;
			continue;
		}
		for (digit = 0; digit < 4; digit++)
		{
			char c = content.data[++i];

			code = code << 4 |
				   (uint32_t) (c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
		}
		/* Six characters become one to three bytes; a pair becomes four. */
		if (code >= 0xD800 && code <= 0xDFFF)
			length -= 4;
		else
			length -= code < 0x80 ? 5 : code < 0x800 ? 4 : 3;
	}
	return length;
}

/* Check what a string of type S, N or B holds, and count it. */
static const char *
check_scalar(char type, TxsSlice content, bool escaped, size_t *size)
{
	if (type == 'S')
		*size = txs_item_text_length(content, escaped);
	else if (type == 'N')
	{
		if (!txs_number_is_valid(content)) /* nor is one with an escape */
			return "a value of type N is not a number";
		*size = content.length;
	}
	else if (escaped)
	{
		/* Base64 may write a slash as \/. */
		if (!txs_item_bytes_length(content, true, size))
			return not_base64;
	}
	else
	{
		size_t padding = 0;

		if (content.length % 4 != 0)
			return not_base64;
		while (padding < 2 && padding < content.length &&
			   content.data[content.length - 1 - padding] == '=')
			padding++;
		*size = content.length / 4 * 3 - padding;
	}
	return NULL;
}

/* The same of a value within another: nobody will decode it later. */
static const char *
check_member(char type, TxsSlice content, bool escaped, size_t *size)
{
	if (type != 'B')
		return check_scalar(type, content, escaped, size);
	return txs_item_bytes_length(content, escaped, size) ? NULL : not_base64;
}

bool
txs_item_bytes_length(TxsSlice content, bool escaped, size_t *length)
{
	char *text = NULL;
	char *bytes;
	bool valid;

	if (escaped)
	{
		text = palloc(content.length);
		content.length = txs_reader_unescape(content, text);
		content.data = text;
	}
	bytes = palloc(content.length / 4 * 3 + 1);
	valid = txs_base64_decode(content, bytes, length);
	pfree(bytes);
	if (text != NULL)
		pfree(text);
	return valid;
}

/* SS, NS, BS: an array of strings. */
static const char *
read_set(TxsReader *reader, char type, size_t *size)
{
	size_t count = 0;

	if (txs_reader_next(reader) != TXS_TOKEN_ARRAY)
		return not_a_value;
	while (txs_reader_next(reader) == TXS_TOKEN_STRING)
	{
		const char *problem;
		size_t member;

		problem = check_member(type, reader->value, reader->escaped, &member);
		if (problem != NULL)
			return problem;
		*size += member;
		count++;
	}
	if (reader->token != TXS_TOKEN_ARRAY_END || count == 0)
		return not_a_value;
	return NULL;
}

/*
 * L and M: values in an array or object, where each can be one again.  The
 * reader's own limit on depth bounds the recursion.
 */
static const char *
read_container(TxsReader *reader, bool map, size_t *size)
{
	*size = CONTAINER_OVERHEAD;
	if (txs_reader_next(reader) != (map ? TXS_TOKEN_OBJECT : TXS_TOKEN_ARRAY))
		return not_a_value;
	for (;;)
	{
		TxsReader ahead = *reader;
		TxsToken token = txs_reader_next(&ahead);
		TxsItemValue member;
		const char *problem;

		if (token == (map ? TXS_TOKEN_OBJECT_END : TXS_TOKEN_ARRAY_END) ||
			token == TXS_TOKEN_NAME)
			*reader = ahead;
		if (token == TXS_TOKEN_OBJECT_END || token == TXS_TOKEN_ARRAY_END)
			return NULL;
		if (token == TXS_TOKEN_NAME)
			*size += txs_item_text_length(ahead.value, ahead.escaped);
		problem = txs_item_value_read(reader, &member);
		if (problem == NULL && member.type == 'B')
			problem = check_member('B', member.content, member.escaped,
								   &member.size);
		if (problem != NULL)
			return problem;
		*size += MEMBER_OVERHEAD + member.size;
	}
}

static const char *
read_content(TxsReader *reader, TxsItemValue *value)
{
	TxsSlice type = reader->value;
	char first = type.length > 0 ? type.data[0] : 0;

	if (type.length == 1 && (first == 'S' || first == 'N' || first == 'B'))
	{
		if (txs_reader_next(reader) != TXS_TOKEN_STRING)
			return not_a_value;
		value->type = first;
		value->content = reader->value;
		value->escaped = reader->escaped;
		return check_scalar(first, reader->value, reader->escaped,
							&value->size);
	}
	if (type.length == 2 && type.data[1] == 'S' &&
		(first == 'S' || first == 'N' || first == 'B'))
		return read_set(reader, first, &value->size);
	if (type.length == 1 && (first == 'L' || first == 'M'))
		return read_container(reader, first == 'M', &value->size);

	value->size = 1;
	if (txs_reader_is(reader, "BOOL"))
	{
		TxsToken token = txs_reader_next(reader);

		return token == TXS_TOKEN_TRUE || token == TXS_TOKEN_FALSE
				   ? NULL
				   : not_a_value;
	}
	if (txs_reader_is(reader, "NULL"))
		return txs_reader_next(reader) == TXS_TOKEN_TRUE ? NULL : not_a_value;
	return "an attribute's value has an unrecognized type";
}

const char *
txs_item_value_read(TxsReader *reader, TxsItemValue *value)
{
	const char *problem;

	memset(value, 0, sizeof(*value));
	if (txs_reader_next(reader) != TXS_TOKEN_OBJECT ||
		txs_reader_next(reader) != TXS_TOKEN_NAME)
		return reader->error ? reader->error : not_a_value;
	problem = read_content(reader, value);
	if (problem == NULL && txs_reader_next(reader) != TXS_TOKEN_OBJECT_END)
		problem = not_a_value;
	if (reader->token == TXS_TOKEN_ERROR)
		problem = reader->error;
	return problem;
}
