/*
 * What the parts of creds_test share.
 */
#ifndef TXS_TEST_CREDS_TEST_H
#define TXS_TEST_CREDS_TEST_H

#include "aws/environment.h"

/* creds_profile_test.c and so on: one subject each */
extern void test_profile(void);
extern void test_environment(void);
extern void test_endpoints(const char *vectors);
extern void test_container(void);
extern void test_sts(void);
extern void test_xml(void);
extern void test_imds(void);
extern void test_lease(void);
extern void test_source(void);
extern void test_keys(void);

/* A slice of exactly these bytes on the heap, so that ASan sees each byte too
 * far; it lives until the program ends. */
extern TxsSlice slice(const char *text);

/* Are both NULL, or the same text? */
extern bool same_text(const char *got, const char *expected);

#endif /* TXS_TEST_CREDS_TEST_H */
