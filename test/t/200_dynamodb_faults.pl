# Every fault of a DynamoDB server, met by a load, by a store of one batch and by
# each batch of a store of three.  What is reported must be what happened: the
# server's own record says how often each write was applied.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use FaultServer;
use JSON::PP;
use Test::More;
use Txstore;

my $server = FaultServer->new;
my $node = new_node('faults');
my $url = $server->url;
$node->safe_psql('postgres', qq{
	CREATE SERVER remote FOREIGN DATA WRAPPER txstore_fdw
		OPTIONS (provider 'dynamodb', endpoint '$url', table_name 'faults', request_timeout '1500ms');
	SELECT txstore.initialize_storage('remote')});
my $session = session($node);

# What a fault is to a write that meets it once, and every time; and to a read
# that meets it every time.  A write that may have been applied is 08007.
#   once: 'ok', or the SQLSTATE of a fault that is not retried
my @faults = (
	{ fault => 'throttle', always => '53400', read => '53400' },
	{ fault => 'throttle', code => 'ThrottlingException', always => '53400', read => '53400' },
	{ fault => 'http_500', always => '08007', read => '08006' },
	{ fault => 'http_502', always => '08007', read => '08006' },
	{ fault => 'http_503', always => '08007', read => '08006' },
	{ fault => 'http_500', when => 'after', always => '08007', read => '08006' },
	{ fault => 'http_503_html', always => '08007', read => '08006' },
	{ fault => 'html', always => '08007', read => 'HV00L' },
	{ fault => 'empty_body', always => '08007', read => 'HV00L' },
	{ fault => 'bad_json', always => '08007', read => 'HV00L' },
	{ fault => 'wrong_crc', always => '08007', read => 'HV00L' },
	{ fault => 'truncated', always => '08007', read => '08006' },
	{ fault => 'drop_before_read', always => '08007', read => '08006' },
	{ fault => 'drop_after_headers', always => '08007', read => '08006' },
	{ fault => 'drop_after_body', always => '08007', read => '08006' },
	{ fault => 'drop_mid_answer', always => '08007', read => '08006' },
	{ fault => 'stall', at => 'start', seconds => 20, once => '08007', always => '08007', read => '08006' },
	{ fault => 'stall', at => 'body', seconds => 20, once => '08007', always => '08007', read => '08006' },
	{ fault => 'access_denied', once => '28000', always => '28000', read => '28000' },
	{ fault => 'expired_token', once => '28000', always => '28000', read => '28000' },
	{ fault => 'conflict', write_only => 1, always => '55P03' },
	{ fault => 'in_progress', write_only => 1, always => '08007' },
	{ fault => 'cancel', code => 'ConditionalCheckFailed', action => 'all', write_only => 1, once => '40001', always => '40001' },
);

my $count = 0;

sub faults { $server->control(clear_log => \1, faults => [@_]); return }

# Retries cost tokens, and every success gives one back: enough for the next.
sub refill
{
	faults();
	result($session, q{SELECT count(l.etag) FROM generate_series(1, 40), txstore.load('refill', 'remote') AS l});
	return;
}

# A partition with two versions committed one after the other: ETag 1.
sub new_partition
{
	my $key = 'p' . ++$count;
	result($session, "SELECT put('$key', 'one', 'remote'); SELECT put('$key', 'two', 'remote')");
	return $key;
}

sub store_one { return "SELECT txstore.store('$_[0]', '1', 'm', ARRAY[txstore.prepare(3, 'three')], 3, storage => 'remote')" }

# 200 versions are batches of 99, 99 and 2.
sub store_three
{
	return "SELECT txstore.store('$_[0]', '1', 'm', (SELECT array_agg(txstore.prepare(n, 'x')) FROM generate_series(3, 202) n), storage => 'remote')";
}

# The state as a load tells it: ETag and highest version.
sub state_of
{
	my ($key) = @_;
	return result($session, "SELECT etag || ' ' || greatest(committed_sequence_id, (SELECT max(sequence_id) FROM unnest(pending))) FROM txstore.load('$key', 'remote')");
}

# No write was applied more than once.
sub applied
{
	my $writes = $server->writes;
	return [ grep { $_ > 0 } map { $writes->{$_}{applied} } keys %$writes ];
}

sub name_of
{
	my ($fault) = @_;
	return join(' ', map { $fault->{$_} } grep { defined $fault->{$_} } qw(fault code at when));
}

sub rule
{
	my ($fault, $operation, $nth, $times) = @_;
	my %rule = map { $_ => $fault->{$_} } grep { !/^(once|always|read|write_only)$/ } keys %$fault;
	return { %rule, operation => $operation, nth => $nth, times => $times };
}

# One store that meets a fault at one batch: what is said, and what is there.
sub check_store
{
	my ($fault, $times, $batches, $at) = @_;
	my $name = name_of($fault) . ($times ? ' once' : ' always') . " at batch $at of $batches";
	my $expected = $times ? ($fault->{once} // 'ok') : $fault->{always};
	my $key = new_partition();
	state_of($key);
	faults(rule($fault, 'TransactWriteItems', $at, $times));
	my $outcome = result($session, $batches == 1 ? store_one($key) : store_three($key));
	my $applied = applied();
	faults();

	my $done = $batches == 1 ? '2' : '4';
	is($outcome, $expected eq 'ok' ? $done : $expected, "$name: outcome");
	is((grep { $_ > 1 } @$applied) + 0, 0, "$name: nothing was applied twice");

	# The handle: usable after a definite refusal of the first batch.
	my $usable = $expected eq 'ok' || ($at == 1 && $expected !~ /^(08007|40001)$/);
	my $etag = $expected eq 'ok' ? $outcome : '1';
	my $plan = result($session, "SELECT count(*) > 0 FROM txstore.plan_store('$key', '$etag', '', storage => 'remote')");
	is($plan, $usable ? 't' : '55000', "$name: handle");

	# What is there is what was said: all, what was durable before, or, where that
	# was said to be unknown, one more batch.
	my @states = $batches == 1 ? ('1 2', '2 3') : ('1 2', '2 101', '3 200', '4 202');
	my $state = state_of($key);
	my %possible = map { $_ => 1 } ($expected eq 'ok' ? $states[-1] : $states[ $at - 1 ]);
	$possible{ $states[$at] } = 1 if $expected eq '08007';
	ok($possible{$state}, "$name: load() agrees") or diag("found $state");
	refill() if $expected ne 'ok';
	return;
}

foreach my $fault (@faults)
{
	foreach my $times (1, undef)
	{
		# Waiting for time to run out is slow: where it matters, and no more.
		my $slow = !$times && $fault->{always} =~ /^(53400|55P03)$/ || $fault->{fault} =~ /^(stall|in_progress)$/;
		check_store($fault, $times, 1, 1);
		foreach my $at ($slow ? (2) : (1, 2, 3))
		{
			check_store($fault, $times, 3, $at);
		}
	}
	next if $fault->{write_only};
	foreach my $operation ('GetItem', 'Query')
	{
		my $key = new_partition();
		my $name = name_of($fault) . " at $operation";
		if (($fault->{once} // 'ok') eq 'ok')
		{
			faults(rule($fault, $operation, 1, 1));
			is(state_of($key), '1 2', "$name once");
		}
		faults(rule($fault, $operation, 1, undef));
		is(state_of($key), $fault->{read}, "$name always");
		refill();
		is(state_of($key), '1 2', "$name: the session is usable");
	}
}

$session->quit;
$node->stop;
done_testing();
