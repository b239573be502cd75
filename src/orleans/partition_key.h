/*
 * Partition keys as Orleans makes them (spec transactional-storage 1.1):
 * {grain type}/{grain key}_{service id}_{state name}, without escapes.
 */
#ifndef TXS_PARTITION_KEY_H
#define TXS_PARTITION_KEY_H

#include "json/json.h"

/* Slices of a partition key; data is NULL for a part that is not certain. */
typedef struct TxsPartitionParts
{
	TxsSlice grain_type;
	TxsSlice grain_key;
	TxsSlice state_name;
} TxsPartitionParts;

/*
 * Take a partition key apart, knowing its service id.  The type ends at the
 * first slash.  Key and state name are certain only where the service id
 * stands in one place, which needs not be so: any part may hold its text.
 */
extern void txs_partition_key_split(TxsSlice key, const char *service_id,
									TxsPartitionParts *parts);

#endif /* TXS_PARTITION_KEY_H */
