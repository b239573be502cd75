/*
 * What the parts of json_test share.
 */
#ifndef TXS_TEST_JSON_TEST_H
#define TXS_TEST_JSON_TEST_H

#include <stdbool.h>
#include <stddef.h>

#include "json/json.h"

/* json_reader_test.c, json_string_test.c and so on: one subject each */
extern void test_reader(void);
extern void test_strings(void);
extern void test_base64(void);
extern void test_numbers(const char *vectors);
extern void test_writer(void);

/* A string literal as a slice, NUL bytes in it included. */
#define SLICE(literal) ((TxsSlice){literal, sizeof(literal) - 1})

/* Is this one JSON text?  Reads a copy with nothing behind its last byte. */
extern bool parses(TxsSlice text);

/* A copy in a block of its own, so that a sanitizer sees reads beyond it. */
extern char *exact_copy(const void *data, size_t length);

/* Do the bytes agree?  Shows both if not. */
extern bool same(TxsSlice got, TxsSlice expected);

/* UTF-8 of a code point, written independently of the code under test. */
extern size_t encode_utf8(unsigned code, char *out);

#endif /* TXS_TEST_JSON_TEST_H */
