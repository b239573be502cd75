# At whatever point a scan of a foreign table stalls, with several segments on
# their way, a cancel, a timeout, termination, another session's DROP DATABASE and
# a standby's replay are served at once.  Failures in the middle of a scan leave
# nothing behind, wherever it is used (groups 11 to 14, 20 to 22).  The aim is
# 100 ms; what fails is what takes a second, since the machine may be busy.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use FaultServer;
use IO::Socket::INET;
use Interrupts;
use List::Util qw(max);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes;
use Txstore;
use TxstoreHttp;

my $limit = 1000;
my $rounds = $ENV{TXSTORE_ROUNDS} // 1000;

my $folder = PostgreSQL::Test::Utils::tempdir();
system_or_bail("$FindBin::Bin/../servers/make_certificates", $folder);
my $server = FaultServer->new('--certificate', "$folder/server.pem", '--key', "$folder/server.key");
my $url = $server->url;

# Two other addresses of this machine: one takes no connection, as its queue is
# full, the other one takes them and says nothing.
my $full = IO::Socket::INET->new(LocalAddr => '127.0.0.9', Listen => 1) or die "no socket: $!";
my @waiting = map { IO::Socket::INET->new(PeerAddr => '127.0.0.9', PeerPort => $full->sockport, Blocking => 0) } 1 .. 4;
my $silent = IO::Socket::INET->new(LocalAddr => '127.0.0.8', Listen => 1000) or die "no socket: $!";

my $node;
{
	local $ENV{LD_PRELOAD} = TxstoreHttp::preload();
	$node = new_node('scanned', 'max_connections = 60', 'log_min_messages = log', 'max_standby_streaming_delay = 0', 'hot_standby_feedback = off');
}
$node->safe_psql('postgres', qq{
	CREATE SERVER remote FOREIGN DATA WRAPPER txstore_fdw OPTIONS (provider 'dynamodb', endpoint '$url', table_name 'Remote', ca_file '$folder/ca.pem',
		request_timeout '300s', connect_timeout '300s', scan_segments '4');
	SELECT txstore.initialize_storage('remote');
	CREATE FOREIGN TABLE states (partition_key text COLLATE "C", sequence_id bigint, etag text) SERVER remote OPTIONS (kind 'states');
	CREATE FOREIGN TABLE partitions (partition_key text COLLATE "C", grain_key text, state text) SERVER remote OPTIONS (kind 'partitions');
	SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"a/%s_default_x"},"RowKey":{"S":"state_%s"},"ETag":{"N":"0"}}', i, lpad(to_hex(s), 16, '0'))), 'remote')
		FROM generate_series(1, 100) AS i, generate_series(1, 3) AS s;
	SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"a/%s_default_x"},"RowKey":{"S":"key"},"ETag":{"N":"0"},"CommittedSequenceId":{"N":"1"}}', i)), 'remote')
		FROM generate_series(1, 100) AS i;
	-- A caller that takes every error.
	CREATE FUNCTION attempt() RETURNS text LANGUAGE plpgsql AS \$\$
	BEGIN
		RETURN (SELECT count(etag) FROM states);
	EXCEPTION WHEN OTHERS THEN
		RETURN 'caught';
	END \$\$;
});
$server->control(page_bytes => 1000);

my @places = (
	{ name => 'lookup', endpoint => 'https://stall10.test.invalid' },
	{ name => 'connect', endpoint => 'https://127.0.0.9:' . $full->sockport },
	{ name => 'handshake', endpoint => 'https://127.0.0.8:' . $silent->sockport },
	(map { my $nth = $_; map { { name => "$_->[0] of request $nth", fault => { %{ $_->[1] }, nth => $nth } } }
		[ 'silence', { fault => 'stall', at => 'start' } ], [ 'head', { fault => 'stall', at => 'headers' } ], [ 'body', { fault => 'stall', at => 'body' } ],
		[ 'drip', { fault => 'drip', at => 'body' } ], [ 'pause', { fault => 'throttle', headers => { 'x-amz-retry-after' => '60000' } } ] } 1, 9));
my $control = session($node);

sub arm
{
	my ($place) = @_;
	$server->control(faults => $place->{fault} ? [ { operation => 'Scan', times => undef, %{ $place->{fault} } } ] : []);
	result($control, "ALTER SERVER remote OPTIONS (SET endpoint '$place->{endpoint}')") if $place->{endpoint};
	return;
}

sub disarm
{
	$server->control(faults => []);
	result($control, "ALTER SERVER remote OPTIONS (SET endpoint '$url')");
	return;
}

# A session whose scan stalls.
sub stall
{
	my ($place, $on) = @_;
	my $session = session($on // $node);
	my $pid = result($session, 'SELECT pg_backend_pid()');
	result($session, 'SELECT count(*) FROM pg_foreign_table');
	arm($place);
	# In a subtransaction a conflict of the replay would end the session.
	begin_statement($session, $on ? 'SELECT count(etag) FROM states' : 'SELECT attempt()');
	($on // $node)->poll_query_until('postgres', "SELECT wait_event_type = 'Extension' FROM pg_stat_activity WHERE pid = $pid") or die 'it does not wait';
	if ($place->{fault})
	{
		Time::HiRes::sleep(0.005) while grep { !$_->{hits} } @{ $server->get->{rules} };
	}
	Time::HiRes::sleep(0.05);
	return ($session, $pid);
}

my %worst;
sub took
{
	my ($what, $place, $milliseconds) = @_;
	$worst{$what} = max($worst{$what} // 0, $milliseconds);
	cmp_ok($milliseconds, '<', $limit, sprintf '%s, %s: %.0f ms', $place->{name}, $what, $milliseconds);
	return;
}

sub check_usable
{
	my ($session, $what) = @_;
	disarm();
	is(result($session, 'SELECT count(etag) FROM states'), '300', "$what: the session goes on");
	$session->quit;
	return;
}

foreach my $place (@places)
{
	my ($session, $pid) = stall($place);
	my $start = Time::HiRes::time;
	result($control, "SELECT pg_cancel_backend($pid)");
	is(end_statement($session), '57014', "$place->{name}: the cancel is not swallowed");
	took('cancel', $place, (Time::HiRes::time - $start) * 1000);
	check_usable($session, $place->{name});

	($session, $pid) = stall($place);
	took('DROP DATABASE', $place, drop_database($control));
	$start = Time::HiRes::time;
	result($control, "SELECT pg_terminate_backend($pid)");
	took('terminate', $place, wait_for_end($pid, $start));
	disarm();

	$session = session($node);
	result($session, 'SET statement_timeout = 400');
	arm($place);
	$start = Time::HiRes::time;
	is(result($session, 'SELECT attempt()'), '57014', "$place->{name}: the timeout is not swallowed");
	took('statement_timeout', $place, (Time::HiRes::time - $start) * 1000 - 400);
	result($session, 'RESET statement_timeout');
	check_usable($session, "$place->{name}, timeout");
}

# A hot standby reads, writes nothing, and its replay is not held up.
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
{
	local $ENV{LD_PRELOAD} = TxstoreHttp::preload();
	$standby->start;
}
is($standby->safe_psql('postgres', 'SELECT count(*) FROM states'), '300', 'a standby reads');
is($standby->safe_psql('postgres', 'SELECT count(*) FROM partitions'), '100', 'actors, too');
foreach my $place (grep { $_->{fault} && $_->{fault}{nth} == 9 } @places)
{
	my ($session, $pid) = stall($place, $standby);
	my $start = Time::HiRes::time;
	result($control, 'ALTER FOREIGN TABLE states ALTER etag OPTIONS (ADD attribute $$etag$$)');
	is(end_statement($session), '40001', "$place->{name}: the standby's replay ends the scan");
	took('replay', $place, (Time::HiRes::time - $start) * 1000);
	result($control, 'ALTER FOREIGN TABLE states ALTER etag OPTIONS (DROP attribute)');
	disarm();
	$session->quit;
}
$standby->stop;
note(join ', ', map { sprintf '%s at most %.0f ms', $_, $worst{$_} } sort keys %worst);

# An error in the second page, a thousand times, however the scan is used; LIMIT
# and cursors that stop in the middle.
my ($session, $pid) = (session($node));
$pid = result($session, 'SELECT pg_backend_pid()');
my @ways = (
	[ 'a statement', 'SELECT count(etag) FROM states', '08006' ],
	[ 'a subtransaction', 'SELECT attempt()', 'caught' ],
	[ 'two scans', 'SELECT count(*) FROM states AS a, states AS b WHERE a.etag = b.etag', '08006' ],
	[ 'a scan in a scan', 'SELECT count(*) FROM partitions AS p WHERE (SELECT count(etag) FROM states AS s WHERE s.sequence_id > length(p.grain_key)) > 0', '08006' ],
	[ 'LIMIT', 'SELECT count(*) FROM (SELECT FROM partitions LIMIT 1) AS l', '08006' ],
	[ 'a cursor, ROLLBACK TO', 'BEGIN; SAVEPOINT s; DECLARE c CURSOR FOR SELECT etag FROM states; FETCH c; ROLLBACK TO s; COMMIT', '0' ],
	[ 'a cursor that is closed', 'BEGIN; DECLARE c CURSOR FOR SELECT etag FROM states; FETCH c; CLOSE c; COMMIT', '0' ],
	[ 'a cursor that is not', 'BEGIN; DECLARE c CURSOR FOR SELECT etag FROM states; FETCH c; ROLLBACK', '0' ],
	[ 'a held cursor', 'BEGIN; DECLARE h CURSOR WITH HOLD FOR SELECT etag FROM states; COMMIT', '08006', 'ROLLBACK' ],
	[ 'DISCARD ALL', 'DISCARD ALL', '' ]);
$server->control(faults => [ { operation => 'Scan', fault => 'http', status => 400, body => '{"__type":"com.amazon.coral.service#InternalFailure"}', nth => 5, times => undef } ]);

sub run_ways
{
	my ($count) = @_;
	my %wrong;
	foreach my $round (1 .. $count)
	{
		foreach my $way (@ways)
		{
			my $found = result($session, $way->[1]);
			$wrong{"$way->[0]: $found"}++ if $found ne $way->[2] && !($way->[2] eq '08006' && $found =~ /^(08006|HV000|HV00L)$/);
			result($session, $way->[3]) if $way->[3];
		}
		# The first request of each scan answers, the later ones do not.
		$server->control(faults => [ { operation => 'Scan', fault => 'http', status => 400, body => '{"__type":"com.amazon.coral.service#InternalFailure"}',
			body_contains => 'ExclusiveStartKey', times => undef } ]) if $round == 1;
	}
	return \%wrong;
}
run_ways(5);
my ($files, $memory) = (open_sockets($pid), memory_of($pid, 'VmRSS'));
my $threads = () = glob "/proc/$pid/task/*";
is_deeply(run_ways(int($rounds / 10)), {}, "an error in page 2, @{[ int($rounds / 10) * @ways ]} statements");
cmp_ok(abs(open_sockets($pid) - $files), '<=', 4, 'as many sockets, but for idle connections');
is(scalar(() = glob "/proc/$pid/task/*"), $threads, 'as many threads');
my $grown = memory_of($pid, 'VmRSS') - $memory;
note("memory grew by $grown kB");
cmp_ok($grown, '<', 2048, 'as much memory');
$server->control(faults => []);
is(result($session, 'SELECT count(etag) FROM states'), '300', 'the session goes on');

unlike(slurp_file($node->logfile), qr/PANIC|TRAP|terminated by signal/, 'no crash');
$_->quit foreach $session, $control;
$node->stop;
$server->stop;
done_testing();
