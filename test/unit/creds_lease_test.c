/*
 * When keys are fetched anew, second by second around each limit.
 */
#include "aws/keys.h"
#include "aws/lease.h"
#include "creds_test.h"
#include "tap.h"

#define NOW	 INT64_C(1796101200)
#define HOUR 3600

static void
test_ordinary(void)
{
	TxsLease lease;
	int64_t end = NOW + HOUR;

	ok(txs_lease_start(&lease, false, end, NOW, 0.5), "lease: new keys serve");
	ok(txs_lease_check(&lease, end - 901) == TXS_REFRESH_NONE,
	   "lease: none before 15 minutes");
	ok(txs_lease_check(&lease, end - 900) == TXS_REFRESH_ADVISORY,
	   "lease: advisory from 15 minutes");
	ok(txs_lease_check(&lease, end - 601) == TXS_REFRESH_ADVISORY,
	   "lease: advisory until 10 minutes");
	ok(txs_lease_check(&lease, end - 600) == TXS_REFRESH_MANDATORY,
	   "lease: mandatory from 10 minutes");

	ok(txs_lease_keep(&lease, end - 800, 0.5),
	   "lease: a failed advisory refresh is ignored");
	ok(txs_lease_check(&lease, end - 741) == TXS_REFRESH_NONE &&
		   txs_lease_check(&lease, end - 740) == TXS_REFRESH_ADVISORY,
	   "lease: and tried again after a pause");
	ok(txs_lease_check(&lease, end - 600) == TXS_REFRESH_MANDATORY,
	   "lease: but the pause does not move the mandatory one");
	ok(!txs_lease_keep(&lease, end - 600, 0.5),
	   "lease: a failed mandatory refresh is reported");
}

static void
test_short(void)
{
	TxsLease lease;

	ok(!txs_lease_start(&lease, false, NOW, NOW, 0),
	   "lease: expired keys are of no use");
	ok(txs_lease_start(&lease, false, NOW + 1, NOW, 0) &&
		   txs_lease_check(&lease, NOW) == TXS_REFRESH_NONE &&
		   txs_lease_check(&lease, NOW + 1) == TXS_REFRESH_MANDATORY,
	   "lease: keys of a second serve it");
	ok(txs_lease_start(&lease, false, NOW + 300, NOW, 0) &&
		   txs_lease_check(&lease, NOW + 59) == TXS_REFRESH_NONE &&
		   txs_lease_check(&lease, NOW + 60) == TXS_REFRESH_MANDATORY,
	   "lease: keys of five minutes serve one");
	ok(txs_lease_start(&lease, false, NOW + 800, NOW, 0) &&
		   txs_lease_check(&lease, NOW + 59) == TXS_REFRESH_NONE &&
		   txs_lease_check(&lease, NOW + 60) == TXS_REFRESH_ADVISORY &&
		   txs_lease_check(&lease, NOW + 200) == TXS_REFRESH_MANDATORY,
	   "lease: keys of 13 minutes have an advisory time");
}

static void
test_stable(void)
{
	TxsLease lease;
	int64_t end = NOW - HOUR;

	ok(txs_lease_start(&lease, true, end, NOW, 0.0) &&
		   txs_lease_check(&lease, NOW + 119) == TXS_REFRESH_NONE &&
		   txs_lease_check(&lease, NOW + 120) == TXS_REFRESH_ADVISORY,
	   "lease: expired keys of IMDS serve for 2 minutes at least");
	ok(txs_lease_start(&lease, true, end, NOW, 0.999999) &&
		   txs_lease_check(&lease, NOW + 598) == TXS_REFRESH_NONE &&
		   txs_lease_check(&lease, NOW + 600) == TXS_REFRESH_ADVISORY,
	   "lease: and for 10 at most");
	ok(lease.expires_at == end, "lease: what the source said is kept");

	txs_lease_start(&lease, true, NOW + HOUR, NOW, 0.0);
	ok(txs_lease_check(&lease, NOW + HOUR - 901) == TXS_REFRESH_NONE &&
		   txs_lease_check(&lease, NOW + HOUR - 600) == TXS_REFRESH_MANDATORY,
	   "lease: good keys of IMDS are as others");
	ok(txs_lease_keep(&lease, NOW + 2 * HOUR, 0.0) &&
		   txs_lease_check(&lease, NOW + 2 * HOUR) == TXS_REFRESH_NONE,
	   "lease: they serve on where IMDS is down");
	ok(txs_lease_check(&lease, NOW + 2 * HOUR + 420) == TXS_REFRESH_MANDATORY,
	   "lease: not for ever without another attempt");

	txs_lease_refuse(&lease);
	ok(txs_lease_check(&lease, NOW) == TXS_REFRESH_MANDATORY,
	   "lease: refused keys are fetched anew at once");
	ok(!txs_lease_keep(&lease, NOW, 0.0),
	   "lease: refused keys do not serve on");
	ok(txs_lease_start(&lease, true, NOW + HOUR, NOW, 0.0) &&
		   txs_lease_check(&lease, NOW) == TXS_REFRESH_NONE,
	   "lease: new keys are not refused");
}

void
test_lease(void)
{
	TxsLease lease;

	test_ordinary();
	test_short();
	test_stable();
	ok(txs_lease_start(&lease, false, TXS_KEYS_NEVER, NOW, 0) &&
		   txs_lease_check(&lease, INT64_MAX - 1) == TXS_REFRESH_NONE,
	   "lease: keys without an end serve for ever");
}
