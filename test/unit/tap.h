/*
 * The little of TAP that the unit tests need: a line for each check, the plan
 * at the end.  A test's name says what must hold.
 */
#ifndef TXS_TEST_TAP_H
#define TXS_TEST_TAP_H

#include <stdbool.h>

/* Print "ok" or "not ok" with the next number and the name; returns held. */
extern bool ok(bool held, const char *name, ...)
	__attribute__((format(printf, 2, 3)));

/* Print a comment line, to say more about a failure. */
extern void diag(const char *text, ...) __attribute__((format(printf, 1, 2)));

/* Print the plan; returns the exit status for main(). */
extern int done_testing(void);

#endif /* TXS_TEST_TAP_H */
