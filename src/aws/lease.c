/*
 * When keys that expire must be fetched anew; see lease.h.
 */
#include "aws/lease.h"

#include "aws/keys.h"

/* Static stability's pause before the next attempt (as botocore). */
#define MIN_EXTENSION (2 * 60)
#define MAX_EXTENSION (10 * 60)

static void extend(TxsLease *lease, int64_t now, double random);
static int64_t later(int64_t a, int64_t b);

bool
txs_lease_start(TxsLease *lease, bool is_imds, int64_t expires_at, int64_t now,
				double random)
{
	lease->expires_at = expires_at;
	lease->advisory_at = expires_at;
	lease->mandatory_at = expires_at;
	lease->is_stable = is_imds;
	lease->is_refused = false;
	if (expires_at == TXS_KEYS_NEVER)
		return true;

	lease->advisory_at -= TXS_LEASE_ADVISORY;
	lease->mandatory_at -= TXS_LEASE_MANDATORY;
	if (lease->advisory_at > now)
		return true;
	if (is_imds)
	{
		extend(lease, now, random);
		return true;
	}
	if (expires_at <= now)
		return false;

	/* Keys that live shortly are not fetched for every request. */
	lease->advisory_at = now + TXS_LEASE_PAUSE;
	lease->mandatory_at = later(lease->mandatory_at, lease->advisory_at);
	if (lease->mandatory_at > expires_at)
		lease->mandatory_at = expires_at;
	return true;
}

TxsRefresh
txs_lease_check(const TxsLease *lease, int64_t now)
{
	if (lease->is_refused || now >= lease->mandatory_at)
		return TXS_REFRESH_MANDATORY;
	return now >= lease->advisory_at ? TXS_REFRESH_ADVISORY : TXS_REFRESH_NONE;
}

bool
txs_lease_keep(TxsLease *lease, int64_t now, double random)
{
	if (lease->is_refused)
		return false;
	if (lease->is_stable)
	{
		extend(lease, now, random);
		return true;
	}
	if (now >= lease->mandatory_at)
		return false;
	lease->advisory_at = now + TXS_LEASE_PAUSE;
	return true;
}

void
txs_lease_refuse(TxsLease *lease)
{
	lease->is_refused = true;
}

/*
 * As if the keys lived on for the refresh window and 2 to 10 minutes, so that
 * IMDS, which has no better ones, is not asked for every request.
 */
static void
extend(TxsLease *lease, int64_t now, double random)
{
	int64_t pause =
		MIN_EXTENSION + (int64_t) (random * (MAX_EXTENSION - MIN_EXTENSION));

	lease->advisory_at = later(lease->advisory_at, now + pause);
	lease->mandatory_at =
		lease->advisory_at + TXS_LEASE_ADVISORY - TXS_LEASE_MANDATORY;
}

static int64_t
later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}
