# Foreign tables over pages of any size, empty ones, and answers that fail: the
# rows are those of large pages without faults, or there is one error.  How many
# requests a query sends, and what it asks for (T1, groups 8, 29, 35).
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use FaultServer;
use List::Util qw(sum);
use Test::More;
use Txstore;

my $server = FaultServer->new;
my $node = new_node('pages');
my $url = $server->url;
my $blob = 'eHh4' x 250;

$node->safe_psql('postgres', qq{
	CREATE SERVER remote FOREIGN DATA WRAPPER txstore_fdw OPTIONS (provider 'dynamodb', endpoint '$url', table_name 'Remote', request_timeout '20s');
	SELECT txstore.initialize_storage('remote');
	IMPORT FOREIGN SCHEMA x FROM SERVER remote INTO public;
	SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"a/%s_default_x"},"RowKey":{"S":"key"},"ETag":{"N":"0"},"CommittedSequenceId":{"N":"%s"}}',
		i, CASE WHEN i % 4 = 0 THEN 0 ELSE 1 END)), 'remote') FROM generate_series(1, 60) AS i;
	SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"a/%s_default_x"},"RowKey":{"S":"state_%s"},"ETag":{"N":"0"},"TransactionId":{"S":"t%s"},'
		'"TransactionManager":{"B":"e30="},"GrainState":{"B":"$blob"}}', i, lpad(to_hex(s), 16, '0'), s)), 'remote')
		FROM generate_series(1, 60) AS i, generate_series(1, CASE i WHEN 7 THEN 40 ELSE 2 END) AS s;
	CREATE TABLE named AS SELECT i, format('a/%s_default_x', i) AS key FROM generate_series(1, 1000) AS i;
	ANALYZE named;
});
my $session = session($node);
result($session, 'SET enable_sort = on');

my %queries = (
	keys => 'SELECT * FROM "Remote_keys"',
	states => 'SELECT * FROM "Remote_states"',
	partitions => 'SELECT * FROM "Remote_partitions"',
	'count of keys' => 'SELECT count(*) FROM "Remote_keys"',
	'count of states' => 'SELECT count(*) FROM "Remote_states" WHERE sequence_id > 1',
	'count of a partition' => q{SELECT count(*) FROM "Remote_states" WHERE partition_key = 'a/7_default_x'},
	partition => q{SELECT * FROM "Remote_states" WHERE partition_key = 'a/7_default_x' AND sequence_id > 1},
	'backward with a limit' => q{SELECT * FROM (SELECT sequence_id FROM "Remote_states" WHERE partition_key = 'a/7_default_x' ORDER BY sequence_id DESC LIMIT 20) AS l},
	'many keys' => 'SELECT * FROM "Remote_keys" WHERE partition_key = ANY (ARRAY(SELECT key FROM named))',
	'many rows' => 'SELECT * FROM "Remote_states" WHERE partition_key = ANY (ARRAY(SELECT key FROM named)) AND sequence_id = 2',
	'many partitions' => 'SELECT * FROM "Remote_states" WHERE partition_key = ANY (ARRAY(SELECT key FROM named WHERE i < 30))',
	'many actors' => q{SELECT * FROM "Remote_partitions" WHERE grain_type = 'a' AND grain_key = ANY (ARRAY(SELECT i::text FROM named WHERE i < 30)) AND state_name = 'x'},
	'beginning' => q{SELECT * FROM "Remote_partitions" WHERE partition_key LIKE 'a/1%'},
	'join' => 'SELECT * FROM named JOIN "Remote_partitions" ON partition_key = key WHERE i < 50',
	'transaction' => q{SELECT partition_key, sequence_id FROM "Remote_states" WHERE transaction_id = 't30'},
	'limit' => 'SELECT count(*) FROM (SELECT FROM "Remote_states" LIMIT 70) AS l');
my @names = sort keys %queries;

sub digest { return result($session, "SELECT count(*), md5(string_agg(t::text, ',' ORDER BY t::text)) FROM ($_[0]) AS t") }

my %expected = map { $_ => digest($queries{$_}) } @names;
is($expected{partitions} =~ /^(\d+)/ && $1, 60, 'actors');
is($expected{states} =~ /^(\d+)/ && $1, 158, 'state rows');

sub check
{
	my ($what) = @_;
	my %found = map { $_ => digest($queries{$_}) } @names;
	is_deeply(\%found, \%expected, $what);
	return;
}

# Pages of one row, of three, of some; one stream or several.
foreach my $segments (1, 8)
{
	$node->safe_psql('postgres', "ALTER SERVER remote OPTIONS (@{[ $segments == 1 ? 'ADD' : 'SET' ]} scan_segments '$segments')");
	foreach my $bytes (1, 2600)
	{
		$server->control(page_bytes => $bytes);
		$server->control(unprocessed_after => $bytes == 1 ? 3 : undef);
		check("$segments segments, pages of $bytes bytes");
	}
	# Empty ones before, between and after others, and answers that fail and are
	# asked for again: not too often, as each may be tried four times, then at random.
	$server->control(page_bytes => 2600);
	foreach my $fault (qw(empty_page throttle http_500 drop_mid_answer wrong_crc chunked close truncated drop_idle unprocessed))
	{
		$server->control(faults => [ { fault => $fault, every => $fault eq 'throttle' ? 41 : $fault =~ /^(empty_page|chunked|close|unprocessed)$/ ? 3 : 11, times => undef, operation => [qw(Scan Query GetItem BatchGetItem)] } ]);
		check("$segments segments, $fault");
	}
	$server->control(faults => [], random => { probability => 0.08, seed => $segments, operations => [qw(Scan Query GetItem BatchGetItem)],
		faults => [ map { { fault => $_ } } qw(empty_page http_500 drop_mid_answer drop_after_headers wrong_crc close truncated unprocessed) ] });
	check("$segments segments, faults at random");
	$server->control(random => undef);
}

# Failures that do not end: one error, of the right class, and the session goes on.
foreach my $case ([ 'http_500', '08006' ], [ 'drop_mid_answer', '08006' ], [ 'throttle', '53400' ], [ 'access_denied', '28000' ], [ 'bad_json', 'HV00L' ],
	[ 'items_of_wrong_shape', 'HV00L' ], [ 'not_found', 'HV00R' ])
{
	my ($fault, $code) = @$case;
	foreach my $nth (1, 3)
	{
		foreach my $name ('states', 'partition', 'count of states')
		{
			$server->control(faults => [ { fault => $fault, nth => $nth, times => undef, operation => ['Scan', 'Query'] } ]);
			my $found = digest($queries{$name});
			next if $found eq $expected{$name} && $fault eq 'items_of_wrong_shape' && $name =~ /count/;
			# A storage that has not been made yet is empty.
			$found = $code if $fault eq 'not_found' && $nth == 1 && $found =~ /^0\|/;
			next if $fault eq 'not_found' && $nth == 1 && $name =~ /count/;
			is($found, $code, "$name: $fault from request $nth on");
		}
	}
}
$server->control(faults => [ { fault => 'empty_page', times => undef, operation => 'Query' } ]);
is(digest($queries{partition}), '53400', 'empty pages without end');
$server->control(faults => [ { fault => 'last_key', times => undef, nth => 2, operation => 'Query', value => { PartitionKey => { S => 'a/7_default_x' }, RowKey => { S => 'state_0000000000000002' } } } ]);
is(digest($queries{partition}), 'HV00L', 'pages that do not go on');
$server->control(faults => [], page_bytes => 1 << 20);
check('afterwards');

# The requests of a query.
sub requests_of
{
	my ($query) = @_;
	$server->control(clear_log => \1);
	my $result = result($session, $query);
	my @log = @{ $server->log };
	my %count;
	$count{ $_->{operation} }++ foreach @log;
	return ($result, join(', ', map { "$_ $count{$_}" } sort keys %count), @log);
}

sub bytes_of { my ($query) = @_; my $plan = result($session, "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) $query"); return sum($plan =~ /Bytes: (\d+)/g) }

$node->safe_psql('postgres', "ALTER SERVER remote OPTIONS (SET scan_segments '1')");
foreach my $case (
	[ q{SELECT etag FROM "Remote_keys" WHERE partition_key = 'a/1_default_x'}, 'GetItem 1', 'a key' ],
	[ q{SELECT state FROM "Remote_states" WHERE partition_key = 'a/1_default_x' AND sequence_id = 1}, 'GetItem 1', 'a row' ],
	[ q{SELECT state FROM "Remote_partitions" WHERE grain_type = 'a' AND grain_key = '1' AND state_name = 'x'}, 'Query 1', 'an actor with its state' ],
	[ q{SELECT committed_sequence_id FROM "Remote_partitions" WHERE grain_type = 'a' AND grain_key = '1' AND state_name = 'x'}, 'GetItem 1', 'without' ],
	[ 'SELECT count(etag) FROM "Remote_keys" WHERE partition_key = ANY (ARRAY(SELECT key FROM named))', 'BatchGetItem 10', 'a thousand keys' ],
	[ 'SELECT count(etag) FROM named JOIN "Remote_keys" ON partition_key = key', 'BatchGetItem 10', 'a thousand keys in a join' ],
	[ q{SELECT sequence_id FROM "Remote_states" WHERE partition_key = 'a/7_default_x' ORDER BY sequence_id DESC LIMIT 1}, 'Query 1', 'the last row' ],
	[ q{SELECT count(*) FROM "Remote_states" WHERE partition_key = 'a/7_default_x'}, 'Query 1', 'a count' ],
	[ q{SELECT count(etag) FROM "Remote_keys" WHERE partition_key = ''}, '', 'a key that cannot be' ],
	[ q{SELECT count(etag) FROM "Remote_keys" WHERE partition_key = NULL}, '', 'a key that is not known' ],
	[ q{SELECT count(etag) FROM "Remote_states" WHERE partition_key = 'a/1_default_x' AND sequence_id > 5 AND sequence_id < 5}, '', 'an empty range' ])
{
	my ($query, $requests, $name) = @$case;
	is((requests_of($query))[1], $requests, $name);
}
my $request = (requests_of(q{SELECT sequence_id FROM "Remote_states" WHERE partition_key = 'a/7_default_x' ORDER BY sequence_id DESC LIMIT 1}))[2]{body};
is($request->{Limit}, 1, 'with its limit');
ok(exists $request->{ScanIndexForward} && !$request->{ScanIndexForward}, 'from the end');
my $all = bytes_of('SELECT * FROM "Remote_states"');
my $counted = bytes_of('SELECT count(*) FROM "Remote_states"');
note("all rows $all bytes, count(*) $counted");
cmp_ok($counted, '<', $all / 100, 'count(*) transfers less than one percent');
cmp_ok(bytes_of('SELECT partition_key, row_key, etag FROM "Remote_states"'), '<', $all / 5, 'without the states they are not transferred');
foreach my $name (grep { !/count/ } @names)
{
	my (undef, undef, @log) = requests_of("SELECT count(partition_key) FROM ($queries{$name}) AS t") if $queries{$name} =~ /SELECT \*/;
	is_deeply([ grep { my $body = $_->{body}; $body = (values %{ $body->{RequestItems} })[0] if $body->{RequestItems};
		!$body->{ProjectionExpression} || $body->{ProjectionExpression} =~ /#s/ } grep { $_->{operation} ne 'DescribeTable' } @log ], [], "$name: a projection, without the state");
}

# What EXPLAIN says is what the server has seen.
my ($plan, undef, @log) = requests_of('EXPLAIN (ANALYZE, FORMAT JSON) SELECT * FROM "Remote_keys"');
my ($requests, $scanned, $returned) = map { $plan =~ /"$_": (\d+)/ ? $1 : undef } 'Requests', 'Items Scanned', 'Items Returned';
is($requests, scalar @log, 'EXPLAIN counts the requests');
is("$scanned $returned", '218 60', 'and the items');

$session->quit;
$node->stop;
$server->stop;
done_testing();
