# A session and its DynamoDB server: connections kept and lost, cancels, times
# that run out, signatures, tables that are not there.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use FaultServer;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes;
use Txstore;

my $server = FaultServer->new('--verify');
my $folder = PostgreSQL::Test::Utils::tempdir();
system_or_bail("$FindBin::Bin/../servers/make_certificates", $folder);
my $tls = FaultServer->new('--verify', '--certificate', "$folder/server.pem", '--key', "$folder/server.key");
my $node = new_node('dynamodb');
my $url = $server->url;
my $tls_url = $tls->url;
$node->safe_psql('postgres', qq{
	CREATE SERVER remote FOREIGN DATA WRAPPER txstore_fdw
		OPTIONS (provider 'dynamodb', endpoint '$url', table_name 'sessions', request_timeout '2s');
	CREATE SERVER secure FOREIGN DATA WRAPPER txstore_fdw
		OPTIONS (provider 'dynamodb', endpoint '$tls_url', table_name 'sessions', ca_file '$folder/ca.pem');
	CREATE SERVER patient FOREIGN DATA WRAPPER txstore_fdw
		OPTIONS (provider 'dynamodb', endpoint '$url', table_name 'sessions', request_timeout '30s');
	CREATE SERVER strict FOREIGN DATA WRAPPER txstore_fdw
		OPTIONS (provider 'dynamodb', endpoint '$url', table_name 'missing', create_if_not_exists 'false');
	CREATE SERVER nowhere FOREIGN DATA WRAPPER txstore_fdw
		OPTIONS (provider 'dynamodb', endpoint 'http://127.0.0.1:1', table_name 'missing');
	CREATE FUNCTION message_of(call text) RETURNS text LANGUAGE plpgsql AS \$\$
	DECLARE
		detail text;
	BEGIN
		EXECUTE call;
		RETURN 'fine';
	EXCEPTION WHEN query_canceled OR OTHERS THEN
		GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
		RETURN concat_ws(' | ', SQLSTATE, SQLERRM, detail);
	END \$\$});
my $session = session($node);
my $pid = result($session, 'SELECT pg_backend_pid()');

# A table is made at the first write; signatures are right.
is(result($session, q{SELECT value_of('p', 'remote') IS NULL}), 't', 'a table that is not there reads as empty');
is(result($session, q{SELECT put('p', 'first', 'remote')}), '0', 'and is made at the first write');
is(result($session, q{SELECT value_of('p', 'remote')}), 'first', 'which is there');
is(result($session, q{SELECT value_of('p', 'strict')}), 'HV00R', 'unless it must not be made: load');
is(result($session, q{SELECT value FROM txstore.describe_storage('strict') WHERE property = 'status'}), 'not initialized', 'it can be described');
is(result($session, q{SELECT value_of('p', 'nowhere')}), '08001', 'nobody listens');

# One connection a session.
$server->control(clear_log => \1);
result($session, q{SELECT put('p', 'more', 'remote') FROM generate_series(1, 20)});
my %connections = map { $_->{connection} => 1 } @{ $server->log };
is(scalar(keys %connections), 1, 'a session keeps its connection');

# Closed while it was idle, also in the very moment: no error, applied once.  The
# store comes first on the connection that the load has left.
my @idle = map { my $seconds = $_; map { { fault => 'drop_idle', seconds => $seconds, %$_ } } {}, { reset => \1 } } (0, 3600);
foreach my $where ([ 'remote', $server ], [ 'secure', $tls ])
{
	my ($storage, $faulty) = @$where;
	result($session, "SELECT put('p', 'first', '$storage')");
	foreach my $fault (@idle, { fault => 'close' })
	{
		my $name = join ' ', $storage, $fault->{fault}, $fault->{seconds} // (), $fault->{reset} ? 'reset' : ();
		$faulty->control(clear_log => \1, faults => [ { %$fault, operation => 'GetItem', nth => 2, times => 1 } ]);
		is(result($session, "SELECT put('p', '$name', '$storage') ~ '^[0-9]+\$'"), 't', "$name: a store after it");
		is(result($session, "SELECT value_of('p', '$storage')"), $name, "$name: is there");
		my @writes = map { $_->{applied} } values %{ $faulty->writes };
		is("@writes", '1', "$name: applied once");
		my ($load, $store) = map { $faulty->log($_)->[0]{connection} } ('GetItem', 'TransactWriteItems');
		isnt($store, $load, "$name: on another connection");
		$faulty->control(faults => []);
	}
}

# A cancel says that a write was under way; the session goes on at once.
foreach my $operation ('TransactWriteItems', 'GetItem', 'Query')
{
	my $write = $operation eq 'TransactWriteItems';
	$server->control(faults => [ { operation => $operation, fault => 'stall', at => 'start', seconds => 30, times => 1 } ]);
	begin_statement($session, $write ? q{SELECT message_of($$SELECT put('p', 'cancelled', 'remote')$$)} : q{SELECT value_of('p', 'remote')});
	$node->poll_query_until('postgres', "SELECT wait_event_type = 'Extension' FROM pg_stat_activity WHERE pid = $pid") or die;
	my $start = Time::HiRes::time;
	$node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
	my $outcome = end_statement($session);
	my $milliseconds = int(1000 * (Time::HiRes::time - $start));
	diag("$operation: cancelled after $milliseconds ms, psql included");
	like($outcome, qr/^57014/, "$operation: a cancel keeps its SQLSTATE");
	like($outcome, qr/A write to table "sessions" of server "remote" was under way/, "$operation: a cancel says that a write was under way") if $write;
	cmp_ok($milliseconds, '<', 1500, "$operation: it ends at once");
	$server->control(faults => []);
	like(result($session, q{SELECT value_of('p', 'remote')}), qr/^\w/, "$operation: the session is usable");
}

# So does a cancel between attempts: what is durable, and what is open if anything is.
foreach my $open (0, 1)
{
	my $load = q{SELECT etag FROM txstore.load('cancelled', 'patient')};
	my $etag = result($session, $load);
	$server->control(clear_log => \1, faults => [
		$open ? { operation => 'TransactWriteItems', nth => 2, fault => 'drop_after_body' } : (),
		{ operation => 'TransactWriteItems', nth => 2 + $open, times => undef, fault => 'throttle', headers => { 'x-amz-retry-after' => '4000' } } ]);
	my $first = 1 + 200 * $open;
	my $last = $first + 199;
	begin_statement($session, "SELECT message_of(\$\$SELECT txstore.store('cancelled', '$etag', '', (SELECT array_agg(txstore.prepare(n, 'x')) FROM generate_series($first, $last) n), storage => 'patient')\$\$)");
	select undef, undef, undef, 0.02 until grep { $_->{fault} && $_->{fault} eq 'throttle' } @{ $server->digests('TransactWriteItems') };
	# By then it waits.
	$node->poll_query_until('postgres', "SELECT wait_event_type = 'Extension' FROM pg_stat_activity WHERE pid = $pid") or die;
	$node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
	my $outcome = end_statement($session);
	like($outcome, qr/^57014 \|.*batch 2 of 3; 1 before it are durable/, 'a cancel between attempts says what is durable');
	($open ? \&like : \&unlike)->($outcome, qr/under way/, $open ? 'and that a write was under way' : 'and no more, where nothing is open');
	$server->control(faults => []);
	is(result($session, q{SELECT count(*) FROM txstore.plan_store('cancelled', '', '', storage => 'patient')}), '55000', 'the handle demands load()');
	result($session, $load);
}

# What is in progress is waited for until the service has decided, which takes it some
# 5 s: longer than four attempts.
$server->control(clear_log => \1, faults => [ { operation => 'TransactWriteItems', fault => 'in_progress', for_seconds => 6 } ]);
like(result($session, q{SELECT put('p', 'decided', 'patient')}), qr/^\d+$/, 'a write in progress is decided in the end');
my ($write) = values %{ $server->writes };
is($write->{applied}, 1, 'and applied once');
$server->control(faults => []);

# statement_timeout, and the time for a request.
$server->control(faults => [ { operation => 'GetItem', fault => 'stall', at => 'start', seconds => 30, times => undef } ]);
result($session, 'SET statement_timeout = 200');
is(result($session, q{SELECT value_of('p', 'remote')}), '57014', 'statement_timeout ends a request');
result($session, 'SET statement_timeout = 0');
my $start = Time::HiRes::time;
is(result($session, q{SELECT value_of('p', 'remote')}), '08006', 'request_timeout ends a request');
cmp_ok(Time::HiRes::time - $start, '<', 4, 'in its time');
$server->control(faults => []);

# A read gives up after four attempts.  A write that may have been applied goes
# on within its time, since with its token an answer will tell.
$server->control(clear_log => \1, faults => [ { operation => 'GetItem', fault => 'http_500', times => 5 } ]);
is(result($session, q{SELECT value_of('p', 'remote')}), '08006', 'a read gives up');
is(scalar(@{ $server->log('GetItem') }), 4, 'after four attempts');
$server->control(clear_log => \1, faults => [ { operation => 'TransactWriteItems', fault => 'http_500', when => 'after', times => 5 } ]);
like(result($session, q{SELECT put('p', 'told', 'remote')}), qr/^\d+$/, 'a write goes on');
is(scalar(@{ $server->log('TransactWriteItems') }), 6, 'until it is told');
is((grep { $_->{applied} != 1 } values %{ $server->writes }) + 0, 0, 'that it was applied, once');
$server->control(faults => []);

# Credentials.
$node->safe_psql('postgres', q{CREATE USER MAPPING FOR CURRENT_USER SERVER remote OPTIONS (access_key_id 'dummy', secret_access_key 'wrong')});
my $message = result($session, q{SELECT message_of($$SELECT value_of('p', 'remote')$$)});
like($message, qr/^28000/, 'wrong credentials are refused');
unlike($message, qr/wrong/, 'and not shown');
$node->safe_psql('postgres', q{ALTER USER MAPPING FOR CURRENT_USER SERVER remote OPTIONS (SET secret_access_key 'dummyKey')});
like(result($session, q{SELECT value_of('p', 'remote')}), qr/^\w/, 'the mapping is read anew');

# A clock that differs is corrected once, and remembered.
$server->control(clock_offset => 900, clear_log => \1);
like(result($session, q{SELECT value_of('p', 'remote')}), qr/^\w/, 'a clock 15 minutes ahead');
$server->control(clear_log => \1);
result($session, q{SELECT value_of('p', 'remote')});
is(scalar(@{ $server->log }), 3, 'is remembered: three requests');
$server->control(clear_log => \1);
$node->safe_psql('postgres', q{SELECT value_of('p', 'remote')});
is(scalar(@{ $server->log }), 3, 'for every session');

$session->quit;
$node->stop;
done_testing();
