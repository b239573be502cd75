# What a session has of its servers: connections() counts what the servers saw,
# disconnect() closes the sockets of one and no others, and nothing stays of a
# server that is no more.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use FaultServer;
use PostgreSQL::Test::Utils;
use Test::More;
use Txstore;

my %server = map { $_ => FaultServer->new('--verify') } qw(one two);
my $folder = PostgreSQL::Test::Utils::tempdir();
system_or_bail("$FindBin::Bin/../servers/make_certificates", $folder);
$server{tls} = FaultServer->new('--verify', '--certificate', "$folder/server.pem", '--key', "$folder/server.key");
my $node = new_node('connections');
foreach my $name (sort keys %server)
{
	my $url = $server{$name}->url;
	$node->safe_psql('postgres', qq{
		CREATE SERVER $name FOREIGN DATA WRAPPER txstore_fdw
			OPTIONS (provider 'dynamodb', endpoint '$url', ca_file '$folder/ca.pem', table_name 'connections', request_timeout '10s');
		CREATE FOREIGN TABLE keys_$name (partition_key text COLLATE "C", etag text) SERVER $name OPTIONS (kind 'keys')});
}
my $session = session($node);
my $pid = result($session, 'SELECT pg_backend_pid()');
my $columns = 'storage, open_sockets, in_use, requests, retries, throttles, last_error';
sub listed { return result($session, "SELECT $columns FROM txstore.connections() ORDER BY storage, user_name") }
sub value_for { my ($what, $name) = @_; return result($session, "SELECT $what FROM txstore.connections() WHERE storage = '$name'") }
sub disconnect { my ($name) = @_; return result($session, "SELECT txstore.disconnect('$name')") }

# The session's sockets by the port of the other end: what the system has of them.
sub sockets_to
{
	my ($port) = @_;
	my $hex = sprintf ':%04X', $port;
	my %inode = map { (split)[9] => 1 } grep { (split)[2] =~ /\Q$hex\E$/ } split /\n/, slurp_file('/proc/net/tcp');
	return scalar grep { (readlink($_) // '') =~ /^socket:\[(\d+)\]$/ && $inode{$1} } glob "/proc/$pid/fd/*";
}

# Without those that are files, which PostgreSQL opens and closes as it likes.
sub open_files { return scalar grep { (readlink($_) // '') !~ m{^/} } glob "/proc/$pid/fd/*" }
sub last_connection { my ($name) = @_; return $server{$name}->log->[-1]{connection} }

# Nothing has been used; PostgreSQL's own storage never shows.
is(listed(), '', 'nothing at first');
result($session, q{SELECT put('p', 'x')});
is(listed(), '', 'embedded storages have no connections');
is(disconnect('embedded'), 'f', 'and none to close');
is(disconnect('one'), 'f', 'nor has a server that was not used');
is(result($session, 'SELECT txstore.disconnect_all()'), 'f', 'nor all');
is(disconnect('nobody'), '42704', 'a server that is not there');
$node->safe_psql('postgres', 'CREATE FOREIGN DATA WRAPPER other; CREATE SERVER elsewhere FOREIGN DATA WRAPPER other');
is(disconnect('elsewhere'), '42809', 'a server of another wrapper');

# Counts are what the server saw, to the byte.
result($session, q{SELECT put('p', 'x', 'one')});
result($session, "SELECT put('p$_', repeat('x', $_ * 100), 'one')") foreach 1 .. 5;
my @seen = @{ $server{one}->log };
my $sent = 0;
foreach my $request (@seen)
{
	my %header = map { lc $_ => $request->{headers}{$_} } keys %{ $request->{headers} };
	$sent += length("POST / HTTP/1.1\r\n\r\n") + $header{'content-length'};
	$sent += length("$_: $header{$_}\r\n") foreach keys %header;
}
is(value_for('requests', 'one'), scalar(@seen), scalar(@seen) . ' requests');
is(value_for('bytes_sent', 'one'), $sent, "$sent bytes sent");
my $received = value_for('bytes_received', 'one');
result($session, q{SELECT value_of('p5', 'one')});
my $more = value_for('bytes_received', 'one') - $received;
cmp_ok($more, '>', 500 * 4 / 3, "a state of 500 bytes makes $more bytes received");
cmp_ok($more, '<', 500 * 4 / 3 + 2500, 'and not many more');
like(listed(), qr/^one\|1\|f\|\d+\|0\|0\|DescribeTable: ResourceNotFoundException$/, 'one socket; the error that had the table made');
is(value_for('user_name = CURRENT_USER', 'one'), 't', 'the user');
is(value_for('endpoint', 'one'), $server{one}->url, 'the endpoint');

# Retries and throttles, and what the last error was: no payload, no secret.
my @before = map { value_for($_, 'one') } qw(requests retries throttles);
$server{one}->control(faults => [ { operation => 'GetItem', fault => 'throttle', times => 2 }, { operation => 'TransactWriteItems', fault => 'http_500', times => 1 } ]);
result($session, q{SELECT put('p', 'payload', 'one')});
my @after = map { value_for($_, 'one') } qw(requests retries throttles);
$server{one}->control(faults => []);
is_deeply([ map { $after[$_] - $before[$_] } 0 .. 2 ], [ 7, 3, 2 ], 'seven requests, three of them retries, two were throttled');
like(value_for('last_error', 'one'), qr/^TransactWriteItems: InternalServerError$/, 'the last error');
$server{one}->control(faults => [ { operation => 'GetItem', fault => 'error', code => 'ValidationException', message => 'the payload is wrong', status => 400 } ]);
result($session, q{SELECT value_of('p', 'one')});
is(value_for('last_error', 'one'), 'GetItem: ValidationException', 'without the message, which may hold what was sent');
$server{one}->control(faults => [ { operation => 'GetItem', fault => 'http_503_html', times => undef } ]);
result($session, q{SELECT value_of('p', 'one')});
is(value_for('last_error', 'one'), 'GetItem: status 503, no answer of DynamoDB', 'or the page that came in its place');
$server{one}->control(faults => [ { operation => 'GetItem', fault => 'drop_before_read', times => undef } ]);
is(result($session, q{SELECT value_of('p', 'one')}), '08006', 'a lost connection');
like(value_for('last_error', 'one'), qr/^GetItem: \w/, 'or what libcurl says');
$server{one}->control(faults => []);
$node->safe_psql('postgres', q{CREATE USER MAPPING FOR CURRENT_USER SERVER one OPTIONS (access_key_id 'dummy', secret_access_key 'a-secret')});
is(result($session, q{SELECT value_of('p', 'one')}), '28000', 'wrong credentials');
is(result($session, q{SELECT count(*) FROM txstore.connections() AS c WHERE c::text ~ 'secret|dummy|payload'}), '0', 'are not shown');
$node->safe_psql('postgres', q{ALTER USER MAPPING FOR CURRENT_USER SERVER one OPTIONS (SET secret_access_key 'dummyKey')});
is(result($session, q{SELECT value_of('p', 'one')}), 'payload', 'a changed mapping counts at once');
$node->safe_psql('postgres', 'DROP USER MAPPING FOR CURRENT_USER SERVER one');

# One server's sockets are closed, and not the other's; the next call connects anew.
result($session, q{SELECT put('p', 'x', 'two')});
my ($first, $other) = map { last_connection($_) } qw(one two);
is_deeply([ map { sockets_to($server{$_}->port) } qw(one two) ], [ 1, 1 ], 'a socket to each');
is(result($session, 'SELECT string_agg(open_sockets::text, $$,$$) FROM txstore.connections()'), '1,1', 'as it is shown');
is(disconnect('one'), 't', 'one is closed');
is_deeply([ map { sockets_to($server{$_}->port) } qw(one two) ], [ 0, 1 ], 'and not the other');
is(value_for('open_sockets', 'one'), '0', 'as it is shown');
is(disconnect('one'), 'f', 'once');
my $requests = value_for('requests', 'one');
is(result($session, q{SELECT value_of('p', 'one') || value_of('p', 'two')}), 'payloadx', 'both can be used');
isnt(last_connection('one'), $first, 'one by a new connection');
is(last_connection('two'), $other, 'two by the one it had');
cmp_ok(value_for('requests', 'one'), '>', $requests, 'counts go on');
is(result($session, 'SELECT txstore.disconnect_all()'), 't', 'all are closed');
is_deeply([ map { sockets_to($server{$_}->port) } qw(one two) ], [ 0, 0 ], 'to the last');
is(result($session, q{SET txstore.default_storage = 'one'; SELECT value_of('p'); SELECT txstore.disconnect()}), "payload\nt", 'without a name the default storage');
result($session, 'RESET txstore.default_storage');

# So are those with TLS, whose end is said to the server, again and again.
result($session, q{SELECT put('p', 'x', 'tls')});
my @tls = map { [ sockets_to($server{tls}->port), result($session, $_), sockets_to($server{tls}->port), result($session, q{SELECT value_of('p', 'tls')}) ] }
  (q{SELECT txstore.disconnect('tls')}, 'SELECT txstore.disconnect_all()') x 10;
is_deeply(\@tls, [ ([ 1, 't', 0, 'x' ]) x 20 ], 'connections with TLS are closed, and the next call connects anew');
$node->safe_psql('postgres', 'DROP SERVER tls CASCADE');

# An open cursor keeps its server's connections, with a warning, and reads on.
result($session, "SELECT put('row' || i, 'x', 'one') FROM generate_series(1, 200) AS i");
$server{one}->control(page_bytes => 2000);
foreach my $end ('COMMIT', 'ROLLBACK', 'CLOSE c', 'ROLLBACK TO s')
{
	result($session, q{BEGIN; SAVEPOINT s; DECLARE c CURSOR FOR SELECT partition_key FROM keys_one WHERE partition_key LIKE 'row%'});
	like(result($session, 'FETCH 1 FROM c'), qr/^row/, "$end: a cursor's first row");
	is(value_for('in_use', 'one'), 't', 'its server is in use');
	is(disconnect('one'), 'f', 'and is not closed');
	like($session->{stderr}, qr/WARNING:\s+01000/, 'but a warning given');
	is(disconnect('two'), 'f', 'without one for another server');
	is($session->{stderr}, '', 'that nobody uses');
	is(result($session, 'SELECT txstore.disconnect_all()'), 'f', 'nor does closing all');
	is(scalar(split /\n/, result($session, 'FETCH ALL FROM c')), 199, 'all rows come') if $end eq 'COMMIT';
	result($session, $end);
	is(value_for('in_use', 'one'), 'f', 'then it is not in use any more');
	is(disconnect('one'), 't', 'and is closed');
	is(sockets_to($server{one}->port), 0, 'in truth');
	result($session, 'COMMIT');
}
result($session, q{BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT partition_key FROM keys_one WHERE partition_key LIKE 'row%'; COMMIT});
is(disconnect('one'), 't', 'a held cursor has its rows');
is(scalar(split /\n/, result($session, 'FETCH ALL FROM c')), 200, 'and gives them');
result($session, 'CLOSE c');
result($session, q{\set VERBOSITY terse});
result($session, 'BEGIN; DECLARE c CURSOR FOR SELECT * FROM keys_one; FETCH 1 FROM c');
disconnect('one');
like($session->{stderr}, qr/WARNING:  cannot close connections of server "one" because they are still in use/, 'the warning names the server');
result($session, q{COMMIT; \set VERBOSITY sqlstate});
is(result($session, q{SELECT value_of('p', 'one'); SELECT txstore.disconnect('one')}), "payload\nt", 'a function that has returned does not count');

# An error and a cancel leave nothing in use.
$server{one}->control(faults => [ { operation => 'GetItem', fault => 'stall', at => 'start', seconds => 30, times => 1 } ]);
result($session, 'SET statement_timeout = 200');
is(result($session, q{SELECT value_of('p', 'one')}), '57014', 'a call is cancelled');
result($session, 'SET statement_timeout = 0');
$server{one}->control(faults => []);
is(value_for('open_sockets || in_use::text', 'one'), '0false', 'its connection is closed, nothing is in use');
is(result($session, q{SELECT value_of('p', 'one')}), 'payload', 'and the next call is answered');

# Each user has a line; who has no right on a server may still close.
$node->safe_psql('postgres', q{CREATE ROLE nobody; CREATE ROLE somebody; GRANT USAGE ON SCHEMA txstore TO somebody, nobody; GRANT USAGE ON FOREIGN SERVER one TO somebody;
	CREATE USER MAPPING FOR somebody SERVER one OPTIONS (access_key_id 'dummy', secret_access_key 'dummyKey')});
is(result($session, q{SELECT value_of('p', 'one'); SET ROLE somebody; SELECT value_of('p', 'one')}), "payload\npayload", 'another user reads');
is(result($session, q{SELECT count(*), count(*) FILTER (WHERE user_name = 'somebody'), sum(open_sockets) FROM txstore.connections() WHERE storage = 'one'}), '2|1|2', 'by a connection of its own');
is(result($session, q{RESET ROLE; SET ROLE nobody; SELECT value_of('p', 'one')}), '42501', 'who may not use the server');
is(disconnect('one'), 't', 'may close what the session has of it');
is(value_for('sum(open_sockets)', 'one'), '0', 'for both users');
result($session, 'RESET ROLE');
$node->safe_psql('postgres', 'DROP USER MAPPING FOR somebody SERVER one; DROP OWNED BY somebody; DROP ROLE somebody');
is(value_for('count(*) - count(user_name)', 'one'), '1', 'a user that was dropped has no name');
result($session, q{SELECT value_of('p', 'one')});

# A server that is altered: what was open is closed, the next call goes where it says.
result($session, q{SELECT value_of('p', 'one')});
$node->safe_psql('postgres', "ALTER SERVER one OPTIONS (SET endpoint '" . $server{two}->url . "')");
result($session, 'SELECT 1 FROM pg_class LIMIT 1');
is(sockets_to($server{one}->port), 0, 'the connections of a server that was altered are closed');
is(result($session, q{SELECT value_of('p', 'one')}), 'x', 'and it is reached where it says now');
is(value_for('max(endpoint) FILTER (WHERE user_name = CURRENT_USER)', 'one'), $server{two}->url, 'which is shown');
is(disconnect('two'), 'f', 'a server has its own connections, though another has the same endpoint');
is(sockets_to($server{two}->port), 1, 'which stay');
result($session, "BEGIN; ALTER SERVER one OPTIONS (SET endpoint '" . $server{one}->url . "')");
is(result($session, q{SELECT value_of('p', 'one')}), 'payload', 'altered in this transaction');
result($session, 'ROLLBACK');
is(sockets_to($server{one}->port), 0, 'which is rolled back');
is(result($session, q{SELECT value_of('p', 'one')}), 'x', 'and altered no more');
result($session, q{BEGIN; DECLARE c CURSOR FOR SELECT * FROM keys_two});
like(result($session, 'FETCH 1 FROM c'), qr/^p/, 'a cursor on a server');
$node->safe_psql('postgres', q{ALTER SERVER two OPTIONS (SET request_timeout '9s')});
is(result($session, 'SELECT count(*) FROM pg_class WHERE false; SELECT in_use FROM txstore.connections() WHERE storage = $$two$$'), "0\nt", 'that is altered meanwhile');
is(sockets_to($server{two}->port) > 0, 1, 'keeps its connections');
result($session, 'COMMIT');
result($session, 'SELECT 1');
is(value_for('open_sockets', 'two'), '0', 'until it ends');

# A server that is dropped goes with all that was kept of it.
result($session, q{SELECT value_of('p', 'two')});
$node->safe_psql('postgres', 'DROP SERVER two CASCADE');
result($session, 'SELECT 1 FROM pg_class LIMIT 1');
is(value_for('count(*)', 'two'), '0', 'a dropped server is not shown');
is(disconnect('two'), '42704', 'nor known');
is(result($session, q{SELECT count(*) FROM txstore.connections() WHERE storage IS NULL}), '0', 'nor is anything nameless');

# Many servers: made, used and dropped, a thousand leave no more than a hundred.
# Each has a mapping, as PostgreSQL's cache keeps that there is none.
sub use_servers
{
	my ($count) = @_;
	my $url = $server{one}->url;
	result($session, qq{DO \$do\$ BEGIN FOR i IN 1..$count LOOP
		CREATE SERVER passing FOREIGN DATA WRAPPER txstore_fdw OPTIONS (provider 'dynamodb', endpoint '$url', table_name 'connections');
		CREATE USER MAPPING FOR CURRENT_USER SERVER passing OPTIONS (access_key_id 'dummy', secret_access_key 'dummyKey');
		PERFORM txstore.load('p', 'passing');
		PERFORM txstore.forget('p', 'passing');
		DROP SERVER passing CASCADE;
		COMMIT;
	END LOOP; END \$do\$});
	result($session, 'SELECT count(*) FROM txstore.connections()');
	return (open_files(), memory_of($pid, 'RssAnon'), result($session, q{SELECT used_bytes / 1024 FROM pg_backend_memory_contexts WHERE name = 'TopMemoryContext'}));
}
result($session, 'SELECT txstore.disconnect_all()');
my ($files, $memory, $top) = use_servers(100);
my ($files_later, $memory_later, $top_later) = use_servers(1000);
is(sockets_to($server{one}->port), 0, 'no socket is left of 1,000 servers');
is($files_later, $files, "$files descriptors that are no files");
cmp_ok($memory_later - $memory, '<', 500, "$memory kB of memory, then $memory_later kB");
cmp_ok($top_later - $top, '<', 20, "of which $top kB, then $top_later kB last as long as the session");

# Many that stay: those used least recently are closed, all can be used.
$node->safe_psql('postgres', join ';', map { "CREATE SERVER many$_ FOREIGN DATA WRAPPER txstore_fdw OPTIONS (provider 'dynamodb', endpoint '" . $server{one}->url . "', table_name 'connections')" } 1 .. 100);
foreach my $round (1, 2)
{
	is(result($session, q{SELECT count(*) FROM generate_series(1, 100) AS i WHERE value_of('p', 'many' || i) = 'payload'}), 100, 'a hundred servers are used');
}
my $kept = sockets_to($server{one}->port);
cmp_ok($kept, '<=', 33, "$kept sockets are kept");
cmp_ok($kept, '>=', 20, 'and not closed for nothing');
is(result($session, 'SELECT sum(open_sockets) FROM txstore.connections()'), $kept, 'as many as are shown');
is(value_for('open_sockets', 'many100'), '1', 'the one used last has its own');
is(value_for('open_sockets', 'many1'), '0', 'the one used first has none');
is(result($session, 'SELECT txstore.disconnect_all()'), 't', 'all are closed');
is(sockets_to($server{one}->port), 0, 'at once');

$session->quit;
$node->stop;
done_testing();
