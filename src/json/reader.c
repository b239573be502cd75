/*
 * A pull reader for JSON (RFC 8259): a state machine without recursion that
 * walks once over a text in memory and hands out slices of it.
 *
 * Between two calls the reader stands before the next token or the comma in
 * front of it; the colon behind a name goes with the name.
 */
#include "json/json.h"
#include "json/scan.h"

/* What may stand next: values of reader->expect. */
enum
{
	EXPECT_VALUE,
	EXPECT_FIRST_VALUE, /* of an array, or its end */
	EXPECT_FIRST_NAME,	/* of an object, or its end */
	EXPECT_SEPARATOR,	/* comma or closing bracket; outside all, the end */
	EXPECT_NOTHING		/* the text was read, or has an error */
};

static TxsToken read_first_value(TxsReader *reader);
static TxsToken read_name(TxsReader *reader);
static TxsToken read_separator(TxsReader *reader);
static TxsToken read_value(TxsReader *reader);
static TxsToken read_literal(TxsReader *reader, const char *text,
							 TxsToken token);
static TxsToken read_string(TxsReader *reader, TxsToken token);
static TxsToken read_number(TxsReader *reader);
static TxsToken open_container(TxsReader *reader, bool object);
static TxsToken close_container(TxsReader *reader, bool object);
static bool in_object(const TxsReader *reader);
static const char *skip_digits(const char *at, const char *end);
static const char *read_escape(const char *at, const char *end,
							   uint32_t *code);
static const char *read_hex(const char *at, const char *end, uint32_t *code);
static size_t put_utf8(uint32_t code, char *out);
static void skip_space(TxsReader *reader);
static TxsToken take(TxsReader *reader, TxsToken token, const char *at);
static TxsToken fail(TxsReader *reader, const char *at, const char *error);
static const char *value_start(const TxsReader *reader);

void
txs_reader_open(TxsReader *reader, const char *text, size_t length)
{
	memset(reader, 0, sizeof(*reader));
	reader->start = text;
	reader->at = text;
	reader->end = length > 0 ? text + length : text;
	reader->expect = EXPECT_VALUE;
}

TxsToken
txs_reader_next(TxsReader *reader)
{
	if (reader->expect == EXPECT_NOTHING)
		return reader->token;

	reader->value.data = NULL;
	reader->value.length = 0;
	reader->escaped = false;
	skip_space(reader);
	if (reader->expect == EXPECT_SEPARATOR)
		return read_separator(reader);
	if (reader->at == reader->end)
		return fail(reader, reader->at, "the text ends too early");
	if (reader->expect == EXPECT_FIRST_VALUE)
		return read_first_value(reader);
	if (reader->expect == EXPECT_FIRST_NAME)
		return *reader->at == '}' ? close_container(reader, true)
								  : read_name(reader);
	return read_value(reader);
}

bool
txs_reader_raw(TxsReader *reader, TxsSlice *raw)
{
	int depth = reader->depth;
	const char *start;

	switch (txs_reader_next(reader))
	{
		case TXS_TOKEN_ERROR:
		case TXS_TOKEN_END:
		case TXS_TOKEN_NAME:
		case TXS_TOKEN_OBJECT_END:
		case TXS_TOKEN_ARRAY_END:
			return false;
		default:
			break;
	}

	start = value_start(reader);
	while (reader->depth > depth)
	{
		if (txs_reader_next(reader) == TXS_TOKEN_ERROR)
			return false;
	}
	raw->data = start;
	raw->length = reader->at - start;
	return true;
}

size_t
txs_reader_offset(const TxsReader *reader)
{
	return reader->at - reader->start;
}

bool
txs_reader_is(const TxsReader *reader, const char *text)
{
	const char *at = reader->value.data;
	const char *end;

	if (reader->token != TXS_TOKEN_NAME && reader->token != TXS_TOKEN_STRING)
		return false;
	if (!reader->escaped)
		return strlen(text) == reader->value.length &&
			   memcmp(text, at, reader->value.length) == 0;

	end = at + reader->value.length;
	while (at != NULL && at < end && *text != '\0')
	{
		uint32_t code = (unsigned char) *at;

		at = code == '\\' ? read_escape(at, end, &code) : at + 1;
		if (code != (unsigned char) *text++)
			return false;
	}
	return at == end && *text == '\0';
}

size_t
txs_reader_unescape(TxsSlice value, char *out)
{
	const char *at = value.data;
	const char *end = at + value.length;
	char *start = out;

	while (at < end)
	{
		const char *escape = memchr(at, '\\', end - at);
		size_t plain = (escape != NULL ? escape : end) - at;
		uint32_t code;

		memcpy(out, at, plain);
		out += plain;
		if (escape == NULL)
			break;
		at = read_escape(escape, end, &code);
		if (at == NULL) /* not a value that the reader returned */
			break;
		out += put_utf8(code, out);
	}
	return out - start;
}

/* Do the next bytes of a text stand here?  Then go on behind them. */
static bool
take_bytes(TxsSlice *text, const char *bytes, size_t length)
{
	if (text->length < length || memcmp(text->data, bytes, length) != 0)
		return false;
	text->data += length;
	text->length -= length;
	return true;
}

bool
txs_reader_unescapes_to(TxsSlice value, TxsSlice bytes)
{
	const char *at = value.data;
	const char *end = at + value.length;

	while (at < end)
	{
		const char *escape = memchr(at, '\\', end - at);
		char character[4];
		uint32_t code;

		if (!take_bytes(&bytes, at, (escape != NULL ? escape : end) - at))
			return false;
		if (escape == NULL)
			break;
		at = read_escape(escape, end, &code);
		if (at == NULL ||
			!take_bytes(&bytes, character, put_utf8(code, character)))
			return false;
	}
	return bytes.length == 0;
}

static TxsToken
read_first_value(TxsReader *reader)
{
	if (*reader->at == ']')
		return close_container(reader, false);
	return read_value(reader);
}

static TxsToken
read_name(TxsReader *reader)
{
	if (*reader->at != '"')
		return fail(reader, reader->at, "a member name is expected");
	if (read_string(reader, TXS_TOKEN_NAME) == TXS_TOKEN_ERROR)
		return TXS_TOKEN_ERROR;

	skip_space(reader);
	if (reader->at == reader->end || *reader->at != ':')
		return fail(reader, reader->at, "a colon is expected");
	reader->at++;
	reader->expect = EXPECT_VALUE;
	return TXS_TOKEN_NAME;
}

/* What follows a value: the next member or element, or an end. */
static TxsToken
read_separator(TxsReader *reader)
{
	bool object = in_object(reader);

	if (reader->at == reader->end)
	{
		if (reader->depth > 0)
			return fail(reader, reader->at, "the text ends too early");
		reader->token = TXS_TOKEN_END;
		reader->expect = EXPECT_NOTHING;
		return TXS_TOKEN_END;
	}
	if (reader->depth == 0)
		return fail(reader, reader->at, "the text goes on after the value");
	if (*reader->at == (object ? '}' : ']'))
		return close_container(reader, object);
	if (*reader->at != ',')
		return fail(reader, reader->at,
					"a comma or closing bracket is expected");

	reader->at++;
	skip_space(reader);
	if (reader->at == reader->end)
		return fail(reader, reader->at, "the text ends too early");
	return object ? read_name(reader) : read_value(reader);
}

static TxsToken
read_value(TxsReader *reader)
{
	switch (*reader->at)
	{
		case '"':
			return read_string(reader, TXS_TOKEN_STRING);
		case '{':
			return open_container(reader, true);
		case '[':
			return open_container(reader, false);
		case 't':
			return read_literal(reader, "true", TXS_TOKEN_TRUE);
		case 'f':
			return read_literal(reader, "false", TXS_TOKEN_FALSE);
		case 'n':
			return read_literal(reader, "null", TXS_TOKEN_NULL);
		default:
			return read_number(reader);
	}
}

static TxsToken
read_literal(TxsReader *reader, const char *text, TxsToken token)
{
	size_t length = strlen(text);

	if ((size_t) (reader->end - reader->at) < length ||
		memcmp(reader->at, text, length) != 0)
		return fail(reader, reader->at, "a value is expected");
	return take(reader, token, reader->at + length);
}

static TxsToken
read_string(TxsReader *reader, TxsToken token)
{
	const char *start = reader->at + 1;
	const char *at = start;
	uint64_t seen = 0;

	for (;;)
	{
		const char *escape;
		uint32_t code;

		at = scan_plain(at, reader->end, &seen);
		if (at == reader->end)
			return fail(reader, at, "the text ends within a string");
		if (*at == '"')
			break;
		if (*at != '\\')
			return fail(reader, at, "a string holds a control character");
		escape = at;
		at = read_escape(escape, reader->end, &code);
		if (at == NULL)
			return fail(reader, escape, "an escape sequence is not valid");
		reader->escaped = true;
	}
	if ((seen & HIGH_BITS) != 0 && !txs_utf8_is_valid(start, at - start))
		return fail(reader, start, "a string is not valid UTF-8");

	reader->value.data = start;
	reader->value.length = at - start;
	return take(reader, token, at + 1);
}

static TxsToken
read_number(TxsReader *reader)
{
	const char *start = reader->at;
	const char *end = reader->end;
	const char *at = *start == '-' ? start + 1 : start;
	const char *digits = at;

	at = skip_digits(at, end);
	if (at == digits)
		return fail(reader, start, "a value is expected");
	if (*digits == '0')
		at = digits + 1; /* nothing but point or exponent follows a zero */
	if (at < end && *at == '.')
	{
		digits = ++at;
		at = skip_digits(at, end);
		if (at == digits)
			return fail(reader, at, "a digit is expected");
	}
	if (at < end && (*at == 'e' || *at == 'E'))
	{
		at++;
		if (at < end && (*at == '+' || *at == '-'))
			at++;
		digits = at;
		at = skip_digits(at, end);
		if (at == digits)
			return fail(reader, at, "a digit is expected");
	}

	reader->value.data = start;
	reader->value.length = at - start;
	return take(reader, TXS_TOKEN_NUMBER, at);
}

static TxsToken
open_container(TxsReader *reader, bool object)
{
	uint32_t bit = UINT32_C(1) << (reader->depth % 32);
	uint32_t *word;

	if (reader->depth == TXS_JSON_MAX_DEPTH)
		return fail(reader, reader->at, "the text is nested too deeply");
	word = &reader->in_object[reader->depth / 32];
	*word = object ? *word | bit : *word & ~bit;
	reader->depth++;
	take(reader, object ? TXS_TOKEN_OBJECT : TXS_TOKEN_ARRAY, reader->at + 1);
	reader->expect = object ? EXPECT_FIRST_NAME : EXPECT_FIRST_VALUE;
	return reader->token;
}

static TxsToken
close_container(TxsReader *reader, bool object)
{
	reader->depth--;
	return take(reader, object ? TXS_TOKEN_OBJECT_END : TXS_TOKEN_ARRAY_END,
				reader->at + 1);
}

/* Is the innermost open container an object?  False where none is open. */
static bool
in_object(const TxsReader *reader)
{
	int level = reader->depth - 1;

	return level >= 0 &&
		   (reader->in_object[level / 32] >> (level % 32) & 1) != 0;
}

static const char *
skip_digits(const char *at, const char *end)
{
	while (at < end && *at >= '0' && *at <= '9')
		at++;
	return at;
}

/*
 * Read the escape sequence, or the two of a surrogate pair, that starts with
 * the backslash here.  Returns the byte after it, NULL if it is malformed.
 */
static const char *
read_escape(const char *at, const char *end, uint32_t *code)
{
	static const char letters[] = "\"\\/bfnrt";
	static const char meanings[] = "\"\\/\b\f\n\r\t";
	const char *letter;
	uint32_t low;

	if (end - at < 2)
		return NULL;
	if (at[1] != 'u')
	{
		letter = memchr(letters, at[1], sizeof(letters) - 1);
		if (letter == NULL)
			return NULL;
		*code = (unsigned char) meanings[letter - letters];
		return at + 2;
	}

	at = read_hex(at + 2, end, code);
	if (at == NULL || *code < 0xD800 || *code > 0xDFFF)
		return at;
	if (*code > 0xDBFF || end - at < 2 || at[0] != '\\' || at[1] != 'u')
		return NULL;
	at = read_hex(at + 2, end, &low);
	if (at == NULL || low < 0xDC00 || low > 0xDFFF)
		return NULL;
	*code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
	return at;
}

/* Four hexadecimal digits; returns the byte after them or NULL. */
static const char *
read_hex(const char *at, const char *end, uint32_t *code)
{
	int i;

	*code = 0;
	if (end - at < 4)
		return NULL;
	for (i = 0; i < 4; i++)
	{
		char c = at[i];

		if (c >= '0' && c <= '9')
			*code = *code * 16 + (c - '0');
		else if (c >= 'a' && c <= 'f')
			*code = *code * 16 + (c - 'a' + 10);
		else if (c >= 'A' && c <= 'F')
			*code = *code * 16 + (c - 'A' + 10);
		else
			return NULL;
	}
	return at + 4;
}

static size_t
put_utf8(uint32_t code, char *out)
{
	static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
	size_t length = code < 0x80		 ? 1
					: code < 0x800	 ? 2
					: code < 0x10000 ? 3
									 : 4;
	size_t i;

	for (i = length - 1; i > 0; i--)
	{
		out[i] = (char) (0x80 | (code & 0x3F));
		code >>= 6;
	}
	out[0] = (char) (leads[length] | code);
	return length;
}

static void
skip_space(TxsReader *reader)
{
	const char *at = reader->at;

	while (at < reader->end &&
		   (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
		at++;
	reader->at = at;
}

/* A token ends at this byte. */
static TxsToken
take(TxsReader *reader, TxsToken token, const char *at)
{
	reader->token = token;
	reader->at = at;
	reader->expect = EXPECT_SEPARATOR;
	return token;
}

static TxsToken
fail(TxsReader *reader, const char *at, const char *error)
{
	reader->token = TXS_TOKEN_ERROR;
	reader->value.data = NULL;
	reader->value.length = 0;
	reader->escaped = false;
	reader->at = at;
	reader->error = error;
	reader->expect = EXPECT_NOTHING;
	return TXS_TOKEN_ERROR;
}

/* The first byte of the value whose first token was just read. */
static const char *
value_start(const TxsReader *reader)
{
	switch (reader->token)
	{
		case TXS_TOKEN_STRING:
			return reader->value.data - 1;
		case TXS_TOKEN_NUMBER:
			return reader->value.data;
		case TXS_TOKEN_TRUE:
		case TXS_TOKEN_NULL:
			return reader->at - 4;
		case TXS_TOKEN_FALSE:
			return reader->at - 5;
		default:
			return reader->at - 1;
	}
}
