/*
 * Take partition keys apart; see partition_key.h.
 */
#include "orleans/partition_key.h"

#include <string.h>

/* Does _{service id}_ stand here? */
static bool
is_separator(const char *at, const char *end, const char *service_id,
			 size_t length)
{
	return (size_t) (end - at) >= length + 2 && at[0] == '_' &&
		   memcmp(at + 1, service_id, length) == 0 && at[length + 1] == '_';
}

void
txs_partition_key_split(TxsSlice key, const char *service_id,
						TxsPartitionParts *parts)
{
	size_t length = strlen(service_id);
	const char *end = key.data + key.length;
	const char *slash = memchr(key.data, '/', key.length);
	const char *separator = NULL;
	const char *at;

	memset(parts, 0, sizeof(*parts));
	if (slash == NULL || slash == key.data)
		return;
	parts->grain_type = (TxsSlice){key.data, (size_t) (slash - key.data)};
	for (at = slash + 1; at < end; at++)
	{
		if (!is_separator(at, end, service_id, length))
			continue;
		if (separator != NULL)
			return;
		separator = at;
	}
	if (separator == NULL || separator == slash + 1 ||
		separator + length + 2 == end)
		return;
	parts->grain_key = (TxsSlice){slash + 1, (size_t) (separator - slash - 1)};
	parts->state_name.data = separator + length + 2;
	parts->state_name.length = (size_t) (end - parts->state_name.data);
}
