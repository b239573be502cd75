/*
 * JSON as DynamoDB speaks it: a pull reader over a text in memory, a writer,
 * base64 and number text.
 *
 * Nothing here needs the PostgreSQL server: no palloc, no ereport, no locale.
 * The reader allocates nothing and copies nothing; what it hands out are
 * slices of the caller's text, valid as long as that text is.
 */
#ifndef TXS_JSON_H
#define TXS_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that somebody else owns; data is NULL where there is no value. */
typedef struct TxsSlice
{
	const char *data;
	size_t length;
} TxsSlice;

/*
 * Levels of objects and arrays that a text may nest.  DynamoDB allows 32
 * levels of values, each of them two levels of JSON ({"M":{...}}), and wraps
 * items a few levels deep in its answers.
 */
#define TXS_JSON_MAX_DEPTH 96

typedef enum TxsToken
{
	TXS_TOKEN_ERROR, /* reader->error says what is wrong */
	TXS_TOKEN_END,	 /* the text held one value and nothing after it */
	TXS_TOKEN_OBJECT,
	TXS_TOKEN_OBJECT_END,
	TXS_TOKEN_ARRAY,
	TXS_TOKEN_ARRAY_END,
	TXS_TOKEN_NAME, /* member name; its value is the next token */
	TXS_TOKEN_STRING,
	TXS_TOKEN_NUMBER,
	TXS_TOKEN_TRUE,
	TXS_TOKEN_FALSE,
	TXS_TOKEN_NULL
} TxsToken;

/*
 * A reader's position in one text.  Callers read token, value, escaped and
 * error; the rest is the reader's own.
 */
typedef struct TxsReader
{
	TxsToken token;	   /* the token read last */
	TxsSlice value;	   /* NAME and STRING: what stands between the quotes,
						* escapes as written; NUMBER: its text */
	bool escaped;	   /* NAME and STRING: value holds a backslash */
	const char *error; /* NULL, or a constant message without a full stop */

	const char *start; /* the text */
	const char *at;	   /* next byte to read */
	const char *end;
	int depth; /* open objects and arrays */
	uint32_t in_object[(TXS_JSON_MAX_DEPTH + 31) / 32]; /* bit set: object */
	uint8_t expect; /* what may stand next, see reader.c */
} TxsReader;

/* reader.c */

/* Start reading text.  It must stay as it is while the reader is used. */
extern void txs_reader_open(TxsReader *reader, const char *text,
							size_t length);

/*
 * Read the next token and return it.  Checks everything RFC 8259 asks for:
 * grammar, number grammar, escapes (no lone surrogate), control characters,
 * UTF-8 in strings (no overlong form, surrogate or value above U+10FFFF), one
 * value only, depth at most TXS_JSON_MAX_DEPTH.  After ERROR and END it
 * returns the same again.
 */
extern TxsToken txs_reader_next(TxsReader *reader);

/*
 * Read the value that comes next (after NAME, in an array, or at the start),
 * whole, and give its bytes as they stand in the text.  False on error, and
 * where no value comes next: then reader->token says what came, such as
 * ARRAY_END after the last element.
 */
extern bool txs_reader_raw(TxsReader *reader, TxsSlice *raw);

/* Bytes from the start of the text to the next one to read. */
extern size_t txs_reader_offset(const TxsReader *reader);

/* Does the NAME or STRING read last spell this plain ASCII text? */
extern bool txs_reader_is(const TxsReader *reader, const char *text);

/*
 * Resolve the escapes of a NAME or STRING that txs_reader_next() returned.
 * out must have room for value.length bytes; the result is never longer.
 * Returns the length.  The result may hold NUL bytes (from \u0000).
 */
extern size_t txs_reader_unescape(TxsSlice value, char *out);

/* Does a NAME or STRING, its escapes resolved, spell these bytes? */
extern bool txs_reader_unescapes_to(TxsSlice value, TxsSlice bytes);

/* utf8.c */

/* Is this well-formed UTF-8 (RFC 3629)?  Plain ASCII is checked fastest. */
extern bool txs_utf8_is_valid(const char *text, size_t length);

/* base64.c: RFC 4648 section 4, with padding, without line breaks */

extern size_t txs_base64_encoded_length(size_t length);

/* out must have room for txs_base64_encoded_length(length) bytes. */
extern void txs_base64_encode(const void *data, size_t length, char *out);

/*
 * Decode text into out, which must have room for text.length / 4 * 3 bytes.
 * False where text is not the one canonical form: other characters, missing
 * padding, spare bits that are not zero.
 */
extern bool txs_base64_decode(TxsSlice text, void *out, size_t *length);

/* number.c: the text of a DynamoDB number, which travels as a string */

/*
 * Is this the text of a number that DynamoDB takes: an optional sign, digits
 * with at most one point, an optional exponent, at most 38 significant
 * digits, and zero or a magnitude of 1E-130 to 9.99...E+125?
 */
extern bool txs_number_is_valid(TxsSlice text);

/*
 * Read a whole number in the only form in which the service returns one
 * ("0", "-7", "42": no plus sign, no leading zero, no "-0").  False where it
 * has another form or does not fit.
 */
extern bool txs_number_to_int64(TxsSlice text, int64_t *value);

/* Digits (and sign) of a value; writes no NUL.  Returns the length. */
#define TXS_NUMBER_MAX_LENGTH 20
extern size_t txs_number_from_int64(int64_t value, char *out);

/*
 * Bytes that the service counts for a number towards the size of an item:
 * 1 + half the significant digits before the point, rounded up, + half of
 * those after it, rounded up, + 1 if negative; zero counts 1.  Leading and
 * trailing zeros are not significant.  (Measured by others: vectors/item-size;
 * where two formulas fit the measurements, this is the smaller.)  Text that is
 * no number counts 1.
 */
extern size_t txs_number_counted_bytes(TxsSlice text);

/* writer.c */

/*
 * A JSON text under construction, in memory that grow() provides: it takes
 * the old block (NULL at first) and a size in bytes, and returns a block of
 * that size with the old content, or NULL if there is none to be had.  Then
 * the writer is failed: later calls do nothing.  The caller frees data.
 */
typedef struct TxsWriter
{
	char *data;
	size_t length;
	size_t size; /* of the block */
	void *(*grow)(void *block, size_t size);
	bool comma;	 /* the next name or value needs a comma before it */
	bool failed; /* out of memory; data is what fitted */
} TxsWriter;

extern void txs_writer_open(TxsWriter *writer,
							void *(*grow)(void *block, size_t size));

/* Forget what was written, keep the block. */
extern void txs_writer_reset(TxsWriter *writer);

extern void txs_writer_object(TxsWriter *writer);
extern void txs_writer_object_end(TxsWriter *writer);
extern void txs_writer_array(TxsWriter *writer);
extern void txs_writer_array_end(TxsWriter *writer);

/* A member's name.  text is UTF-8; it is escaped as needed. */
extern void txs_writer_name(TxsWriter *writer, const char *text);

/*
 * A string value: UTF-8, escaped as JSON demands and no further (quote,
 * backslash, \b \t \n \f \r, other controls as lower-case \u00xx; a slash
 * and non-ASCII characters stand as they are).
 */
extern void txs_writer_string(TxsWriter *writer, const char *text,
							  size_t length);
extern void txs_writer_base64(TxsWriter *writer, const void *data,
							  size_t length); /* a string value */
extern void txs_writer_int64_string(TxsWriter *writer, int64_t value);
extern void txs_writer_bool(TxsWriter *writer, bool value);

/* A string value whose content is already escaped JSON. */
extern void txs_writer_raw_string(TxsWriter *writer, TxsSlice content);

/*
 * A value that is already JSON text.  White space between its tokens is left
 * out, so that the result is one line; everything else is kept to the byte.
 * False, and nothing written, where it is not one JSON value; that answer is
 * the same for a writer that has failed.
 */
extern bool txs_writer_raw(TxsWriter *writer, TxsSlice json);

/*
 * json is an object, with its braces; its members are added to the object
 * being written.  Compacts like txs_writer_raw().  False, and nothing written,
 * where json is anything else.
 */
extern bool txs_writer_members(TxsWriter *writer, TxsSlice json);

#endif /* TXS_JSON_H */
