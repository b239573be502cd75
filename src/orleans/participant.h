/*
 * What the JSON of Orleans' participants and metadata says (spec
 * transactional-storage 2.2 and 2.3), as far as a reader of tables wants it.
 * Nothing is kept of the text; what is not such JSON says nothing.
 */
#ifndef TXS_PARTICIPANT_H
#define TXS_PARTICIPANT_H

#include "json/json.h"

/*
 * The grain that a participant refers to, as type/key in out, which has room
 * for json.length bytes.  Returns its length; 0 where it refers to none, as a
 * default struct does.
 */
extern size_t txs_participant_grain(TxsSlice json, char *out);

/* Number of commit records in metadata; -1 where it is no metadata. */
extern int txs_metadata_commit_records(TxsSlice json);

#endif /* TXS_PARTICIPANT_H */
