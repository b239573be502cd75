/*
 * The text of a TransactionTimestamp: what .NET's round-trip format makes of
 * a UTC time, "2024-01-02T03:04:05.1234567Z", always 28 characters.
 */
#ifndef TXS_TIME_TEXT_H
#define TXS_TIME_TEXT_H

#include "json/json.h"

#define TXS_TIME_TEXT_LENGTH 28

/* Does text have that form, and name a time of the years 1 to 9999? */
extern bool txs_time_text_is_valid(TxsSlice text);

/*
 * Write the text of a time in microseconds since 2000-01-01 00:00 UTC, which
 * is what timestamptz holds.  False where the year is not 1 to 9999.  out has
 * room for TXS_TIME_TEXT_LENGTH bytes and gets no NUL.
 */
extern bool txs_time_text_write(int64_t microseconds, char *out);

#endif /* TXS_TIME_TEXT_H */
