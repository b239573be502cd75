/*
 * Times as AWS writes them (ISO 8601, RFC 3339): 2026-12-01T05:38:59Z.
 */
#ifndef TXS_ISO_TIME_H
#define TXS_ISO_TIME_H

#include "json/json.h"

/*
 * Seconds since 1970.  A fraction of a second is cut off; the offset is Z or
 * +hh:mm (also without the colon) and must be there.  Years 1970 to 9999.
 */
extern bool txs_iso_time_read(TxsSlice text, int64_t *seconds);

#endif /* TXS_ISO_TIME_H */
