/*
 * What the parts of aws_test share.
 */
#ifndef TXS_TEST_AWS_TEST_H
#define TXS_TEST_AWS_TEST_H

/* aws_sigv4_test.c and so on: one subject each; vectors is a folder */
extern void test_sigv4(const char *vectors);
extern void test_sigv4_key(void);
extern void test_retry(const char *vectors);
extern void test_endpoint(const char *vectors);

#endif /* TXS_TEST_AWS_TEST_H */
