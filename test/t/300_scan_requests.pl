# Queries on foreign tables make no more requests than they need, and of the shape
# that costs least; no request asks for more attributes than the query.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use FaultServer;
use JSON::PP;
use List::Util qw(sum uniq);
use Scans;
use Test::More;
use Txstore;

my $server = FaultServer->new;
my $node = new_node('scan_requests');
fill($server, 'rows', 2000, 1, 1000);
$server->control(items => { rows => [ map { state_item('many', $_, '{}') } 1 .. 300 ] });
foreign_tables($node, 'remote', endpoint => $server->url, table_name => 'rows');
foreign_tables($node, 'segmented', endpoint => $server->url, table_name => 'rows', scan_segments => 4);
$node->safe_psql('postgres', q{
	CREATE TABLE local AS SELECT format('account/%s', lpad(i::text, 5, '0')) COLLATE "C" AS k FROM generate_series(1, 1000) AS i;
	ANALYZE local});
my $session = session($node);
result($session, q{SELECT count(*) FROM remote.rows_keys WHERE partition_key = 'warm'});

my @log;
my @all_requests;

# A query gives this, by so many requests of an operation.
sub check
{
	my ($name, $sql, $expected, $operation, $count) = @_;
	(my $result, @log) = requests_of($session, $server, $sql);
	push @all_requests, @log;
	is($result, $expected, "$name: result");
	is(scalar(@log), $count, "$name: requests");
	is(join(' ', uniq map { $_->{operation} } @log), $operation, "$name: operation");
	return;
}

# The one request of the last query.
sub asks { my ($name, %members) = @_; is_deeply({ map { $_ => $log[0]{body}{$_} } keys %members }, \%members, "$name: its request"); return }

# One row
my $key_row = q{SELECT etag, committed_sequence_id FROM remote.rows_keys WHERE partition_key = };
check('key row', "$key_row 'account/00007'", '1|1', 'GetItem', 1);
asks('key row', TableName => 'rows', Key => { PartitionKey => { S => 'account/00007' }, RowKey => { S => 'key' } }, ConsistentRead => JSON::PP::true);
is(placeholders($log[0]{body}), 'CommittedSequenceId ETag PartitionKey RowKey', 'key row: no other attributes');
check('key row that is not there', "$key_row 'nobody'", '', 'GetItem', 1);
check('key row twice named', "$key_row 'account/00007' AND partition_key = ANY('{account/00007,account/00008}')", '1|1', 'GetItem', 1);
check('key row of no name', "$key_row NULL::text", '', '', 0);
check('key row of contradicting names', "$key_row 'account/00007' AND partition_key = 'account/00008'", '', '', 0);
result($session, "PREPARE one AS $key_row \$1; SET plan_cache_mode = force_generic_plan");
check('key row, prepared', 'EXECUTE one(\'account/00009\')', '1|1', 'GetItem', 1) for 1 .. 3;
result($session, 'RESET plan_cache_mode');
check('state row by its number', q{SELECT etag FROM remote.rows_states WHERE partition_key = 'many' AND sequence_id = 300}, '1', 'GetItem', 1);
asks('state row', Key => { PartitionKey => { S => 'many' }, RowKey => { S => 'state_000000000000012c' } });
check('state row by its row key', q{SELECT sequence_id FROM remote.rows_states WHERE partition_key = 'many' AND row_key = 'state_000000000000000a'},
	'10', 'GetItem', 1);
check('actor', q{SELECT state FROM remote.rows_partitions WHERE partition_key = 'account/00007'}, sprintf('{"text": "%s"}', 'x' x 989), 'Query', 1);
is(scalar(uniq map { $_->{connection} } @all_requests), 1, 'all on one connection');

# Many keys
my $keys = q{SELECT count(DISTINCT partition_key), count(etag) FROM remote.rows_keys WHERE partition_key};
foreach (
	[ 'a list of 1,000 keys', "$keys = ANY(ARRAY(SELECT k FROM local))", '1000|1000', 10 ],
	[ 'the same twice, with NULLs and without order',
		"$keys = ANY(ARRAY(SELECT x FROM local, unnest(ARRAY[k, NULL, k]) AS x ORDER BY md5(k)))", '1000|1000', 10 ],
	[ '201 keys, some of no row', "$keys = ANY(ARRAY(SELECT k FROM local WHERE k <= 'account/00101' UNION ALL SELECT 'no' || i FROM generate_series(1, 100) AS i))",
		'101|101', 3 ],
	[ 'IN', "$keys IN (" . join(', ', map { "'account/000$_'" } 10 .. 59) . ')', '50|50', 1 ],
	[ 'states of 1,000 partitions by their number',
		q{SELECT count(*), min(etag) FROM remote.rows_states WHERE partition_key = ANY(ARRAY(SELECT k FROM local)) AND sequence_id = 1}, '1000|1', 10 ])
{
	my ($name, $sql, $expected, $count) = @$_;
	check($name, $sql, $expected, 'BatchGetItem', $count);
	my @asked = map { $_->{PartitionKey}{S} } map { @{ $_->{body}{RequestItems}{rows}{Keys} } } @log;
	is(scalar(uniq @asked), scalar(@asked), "$name: each key once");
}
my $actors = q{FROM remote.rows_partitions WHERE partition_key = ANY(ARRAY(SELECT k FROM local LIMIT 20))};
check('actors by a list, what key rows know', "SELECT count(*), min(committed_sequence_id) $actors", '20|1', 'BatchGetItem', 1);
check('actors by a list, with their states', "SELECT count(*), count(state) $actors", '20|20', 'Query', 20);

# Joins: a hundred keys a request, too
my $join = q{SELECT count(*), count(r.etag) FROM local AS l JOIN remote.rows_keys AS r ON r.partition_key = l.k};
check('a join with one row', "$join WHERE l.k = 'account/00001'", '1|1', 'GetItem', 1);
check('a join of 1,000 keys', $join, '1000|1000', 'BatchGetItem', 10);
check('a join with 1,000 states', q{SELECT count(*), min(s.etag) FROM local AS l JOIN remote.rows_states AS s ON s.partition_key = l.k AND s.sequence_id = 1},
	'1000|1', 'BatchGetItem', 10);

# Order, limits, ranges
my $states = q{SELECT sequence_id FROM remote.rows_states WHERE partition_key = 'many'};
check('the last state', "$states ORDER BY sequence_id DESC LIMIT 1", '300', 'Query', 1);
asks('the last state', Limit => 1, ScanIndexForward => JSON::PP::false);
check('the last state by its row key', "$states ORDER BY row_key DESC LIMIT 1", '300', 'Query', 1);
asks('the last state by its row key', Limit => 1, ScanIndexForward => JSON::PP::false);
check('the first two states', "$states ORDER BY sequence_id LIMIT 2", "1\n2", 'Query', 1);
asks('the first two states', Limit => 2, ScanIndexForward => undef);
check('two, not from the first', "$states AND sequence_id > 100 ORDER BY sequence_id OFFSET 1 LIMIT 1", '102', 'Query', 1);
asks('two, not from the first', Limit => 2);
check('a range of states', "$states AND sequence_id BETWEEN 9 AND 11", "9\n10\n11", 'Query', 1);
is_deeply([ @{ $log[0]{body}{ExpressionAttributeValues} }{qw(:f :l)} ],
	[ { S => 'state_0000000000000009' }, { S => 'state_000000000000000b' } ], 'a range of states: its bounds');
check('a range of none', "$states AND sequence_id > 9 AND sequence_id < 10", '', '', 0);

# Counts
sub answered { return sum(map { $_->{length} } @_) }
foreach my $kind ('keys', 'states')
{
	my $rows = $kind eq 'keys' ? 2000 : 2300;
	my ($whole, @whole) = requests_of($session, $server, "SELECT count(r::text) FROM remote.rows_$kind AS r");
	is($whole, $rows, "all $kind: result");
	check("count of all $kind", "SELECT count(*) FROM remote.rows_$kind", $rows, 'Scan', scalar(@whole));
	is(join(' ', uniq map { $_->{body}{Select} // 'items' } @log), 'COUNT', "count of all $kind: by Select");
	cmp_ok(answered(@log), '<', answered(@whole) / 100,
		sprintf 'count of all %s: %d bytes, %d for the rows', $kind, answered(@log), answered(@whole));
	push @all_requests, @whole;
}
check('count of a partition', q{SELECT count(*) FROM remote.rows_states WHERE partition_key = 'many'}, '300', 'Query', 1);
asks('count of a partition', Select => 'COUNT');

# A whole table by segments, of less than a page each
check('segments', 'SELECT count(etag) FROM segmented.rows_keys', '2000', 'Scan', 4);
is(join(' ', sort { $a <=> $b } uniq map { $_->{body}{Segment} } @log), '0 1 2 3', 'segments: all of them');
is(join(' ', uniq map { $_->{body}{TotalSegments} } @log), '4', 'segments: of four');

# Blobs
my ($without, @without) = requests_of($session, $server, 'SELECT count(sequence_id), count(etag) FROM remote.rows_states');
my ($with, @with) = requests_of($session, $server, 'SELECT count(sequence_id), count(state) FROM remote.rows_states');
is($without, '2300|2300', 'states without their blobs');
is($with, '2300|2300', 'states with their blobs');
cmp_ok(answered(@without), '<', answered(@with) / 4, sprintf 'states without their blobs: %d bytes, %d with them', answered(@without), answered(@with));
my @blobs = grep { (placeholders($_->{body}) // '') =~ /GrainState/ } @without;
is(scalar(@blobs), 0, 'states without their blobs: none is asked for');
push @all_requests, @without, @with;

# What EXPLAIN says, and costs
my ($plan, @explained) = requests_of($session, $server, q{EXPLAIN SELECT * FROM remote.rows_states WHERE partition_key = 'many'});
is(scalar(@explained), 0, 'EXPLAIN makes no request');
foreach my $sql ("$keys = ANY(ARRAY(SELECT k FROM local))", "$join WHERE l.k < 'account/00004'", 'SELECT count(*) FROM segmented.rows_states', $states)
{
	($plan, @explained) = requests_of($session, $server, "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $sql");
	my %told = map { $_ => 0 + sum(0, $plan =~ /^\s*$_: (\d+)/mg) } ('Requests', 'Pages', 'Retries', 'Bytes');
	is_deeply(\%told, { Requests => scalar(@explained), Pages => scalar(@explained), Retries => 0, Bytes => answered(@explained) },
		'EXPLAIN ANALYZE says what the server has seen') or diag($plan);
	push @all_requests, @explained;
}

# All of them
is(scalar(grep { !defined placeholders($_->{body}) && ($_->{body}{Select} // '') ne 'COUNT' } @all_requests), 0, 'every request has a projection');
cmp_ok(scalar(@all_requests), '>', 100, 'of more than a hundred');
check('consistent reads as the server says', $key_row . q{'account/00007'}, '1|1', 'GetItem', 1);
result($session, q{ALTER FOREIGN TABLE remote.rows_keys OPTIONS (ADD consistent_read 'false')});
check('eventually consistent reads', $key_row . q{'account/00007'}, '1|1', 'GetItem', 1);
asks('eventually consistent reads', ConsistentRead => JSON::PP::false);

$session->quit;
$node->stop;
done_testing();
