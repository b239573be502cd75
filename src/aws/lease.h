/*
 * When keys that expire must be fetched anew, and how long old ones may be used
 * where that fails.
 *
 * Values in, values out: now is the time in seconds since 1970, random is from
 * [0, 1).  Credentials without an end never ask for anything.
 */
#ifndef TXS_LEASE_H
#define TXS_LEASE_H

#include <stdbool.h>
#include <stdint.h>

/* As botocore: seconds before the end. */
#define TXS_LEASE_ADVISORY	(15 * 60)
#define TXS_LEASE_MANDATORY (10 * 60)

/* At most one attempt in so many seconds while old keys can be used. */
#define TXS_LEASE_PAUSE 60

typedef enum TxsRefresh
{
	TXS_REFRESH_NONE,
	TXS_REFRESH_ADVISORY, /* somebody should; until then the old keys serve */
	TXS_REFRESH_MANDATORY /* not without new keys */
} TxsRefresh;

typedef struct TxsLease
{
	int64_t expires_at;	  /* as the source said; TXS_KEYS_NEVER */
	int64_t advisory_at;  /* refresh from then on */
	int64_t mandatory_at; /* do not use the keys from then on */
	bool is_stable;	 /* of IMDS: use old keys while it has no new ones, and
						 leave it to the service to refuse them */
	bool is_refused; /* the service has refused the keys as expired */
} TxsLease;

/*
 * Keys have come from their source.  False if they have expired already and
 * are of no use; IMDS's are always taken (static stability).
 */
extern bool txs_lease_start(TxsLease *lease, bool is_imds, int64_t expires_at,
							int64_t now, double random);

extern TxsRefresh txs_lease_check(const TxsLease *lease, int64_t now);

/*
 * A refresh has failed.  True if the old keys serve on for now, false if the
 * failure must be reported.
 */
extern bool txs_lease_keep(TxsLease *lease, int64_t now, double random);

/*
 * The service said ExpiredTokenException: whatever was assumed of the keys'
 * life was wrong, refresh at once.  (Who finds that another session has done
 * so in the meantime uses those keys instead.)
 */
extern void txs_lease_refuse(TxsLease *lease);

#endif /* TXS_LEASE_H */
