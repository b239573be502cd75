/*
 * Reading test data.
 */
#ifndef TXS_TEST_INPUT_H
#define TXS_TEST_INPUT_H

#include "json/json.h"

/*
 * A whole file in a malloc'd block of just its size (at least 1 byte).  No
 * data where it cannot be read.
 */
extern TxsSlice read_file(const char *path);

#endif /* TXS_TEST_INPUT_H */
