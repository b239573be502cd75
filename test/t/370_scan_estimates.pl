# What the planner knows of foreign tables on a server: nothing unless it is told
# to ask, then what DescribeTable says; ANALYZE reads a sample of parts.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use FaultServer;
use JSON::PP;
use Test::More;
use Txstore;

my $server = FaultServer->new;
my $node = new_node('estimates');
my $session = session($node);
my $url = $server->url;

$node->safe_psql('postgres', qq{
	CREATE SERVER large FOREIGN DATA WRAPPER txstore_fdw OPTIONS (provider 'dynamodb', endpoint '$url', table_name 'Large', scan_segments '2');
	SELECT txstore.initialize_storage('large');
	IMPORT FOREIGN SCHEMA x FROM SERVER large INTO public;
	CREATE FUNCTION item(i int) RETURNS SETOF text LANGUAGE sql AS \$\$
		VALUES (format('{"PartitionKey":{"S":"a/%s_default_x"},"RowKey":{"S":"key"},"ETag":{"N":"0"},"CommittedSequenceId":{"N":"1"}}', i)),
			(format('{"PartitionKey":{"S":"a/%s_default_x"},"RowKey":{"S":"state_0000000000000001"},"ETag":{"N":"0"},"GrainState":{"B":"%s"}}',
				i, repeat('eHh4', 5000 / 3))) \$\$;
	SELECT txstore.import_items(array_agg(t), 'large') FROM generate_series(1, 2500) AS i, item(i) AS t;
});

sub requests { return join ' ', map { "$_->{operation}" } @{ $server->log } }

# Rows that EXPLAIN expects.
sub expected_rows
{
	my ($query) = @_;
	my $plan = decode_json($node->safe_psql('postgres', "EXPLAIN (FORMAT JSON) $query"));
	return $plan->[0]{Plan}{'Plan Rows'};
}

# In this session: its cache counts.
sub planned { return result($session, "EXPLAIN (COSTS OFF) SELECT * FROM \"Large_keys\" WHERE partition_key = '$_[0]'") }

$server->control(clear_log => \1);
planned('a');
is(requests(), '', 'planning asks nobody');
is(expected_rows('SELECT * FROM "Large_keys"'), 100000, 'a guess');
$node->safe_psql('postgres', q{ALTER SERVER large OPTIONS (ADD use_remote_estimate 'true')});
planned($_) foreach 'a' .. 'e';
is(requests(), 'DescribeTable', 'asks once where it may');
is(expected_rows('SELECT * FROM "Large_keys"'), 1667, 'key rows are taken to be a third');
is(expected_rows('SELECT * FROM "Large_states"'), 3333, 'and state rows the rest');
$node->safe_psql('postgres', q{ALTER FOREIGN TABLE "Large_keys" OPTIONS (ADD use_remote_estimate 'false')});
is(expected_rows('SELECT * FROM "Large_keys"'), 100000, 'unless the table says otherwise');
is(result($session, "ALTER SERVER large OPTIONS (SET $_ 'maybe')"), 'HV00D', "$_ is checked") foreach 'use_remote_estimate';
is(result($session, "ALTER SERVER large OPTIONS (ADD $_ 'maybe')"), 'HV00D', "$_ is checked") foreach 'analyze_sampling';

# ANALYZE; a statistics target of 1 wants 300 rows.
sub analyze
{
	my ($table) = @_;
	$server->control(clear_log => \1);
	my (undef, undef, $said) = $node->psql('postgres', "SET default_statistics_target = 1; ANALYZE VERBOSE \"Large_$table\"");
	my ($tuples, $pages) = split /\|/, $node->safe_psql('postgres', "SELECT reltuples, relpages FROM pg_class WHERE relname = 'Large_$table'");
	my @scans = grep { $_->{operation} eq 'Scan' } @{ $server->log };
	return ($said, $tuples, $pages, @scans);
}

my $bytes = $server->call('DescribeTable', { TableName => 'Large' })->{Table}{TableSizeBytes};
my $parts = int(($bytes + 1048575) / 1048576);
cmp_ok($parts, '>', 10, 'a table of several parts');
foreach my $kind ('keys', 'states', 'partitions')
{
	my ($said, $tuples, $pages, @scans) = analyze($kind);
	my ($read, $of, $seen) = $said =~ /read (\d+) of (\d+) parts, containing (\d+) rows; 300 rows in sample/;
	is($of, $parts, "$kind: parts of a MiB");
	cmp_ok($read, '<', $parts, "$kind: a few are read");
	cmp_ok($seen, '<', 2500, "$kind: and their rows");
	ok(abs($tuples - 2500) < 250, "$kind: $tuples rows are about as many as there are");
	is($pages, int(($bytes + 8191) / 8192), "$kind: pages of the table's size");
	my %segments = map { $_->{body}{Segment} => 1 } @scans;
	is(scalar keys %segments, $read, "$kind: each part is asked for");
	is_deeply([ grep { $_->{body}{TotalSegments} != $parts || $_->{body}{ConsistentRead} } @scans ], [], "$kind: cheaply");
}
cmp_ok($node->safe_psql('postgres', q{SELECT avg_width FROM pg_stats WHERE tablename = 'Large_states' AND attname = 'state_bytes'}),
	'>', 1024, 'what is wide is known to be wide');
is($node->safe_psql('postgres', q{SELECT n_distinct FROM pg_stats WHERE tablename = 'Large_states' AND attname = 'grain_key'}), '-1', 'what is distinct, too');
$node->safe_psql('postgres', q{ALTER FOREIGN TABLE "Large_keys" OPTIONS (ADD analyze_sampling 'off')});
my ($said, $tuples, $pages, @scans) = analyze('keys');
like($said, qr/table contains 2500 rows, 300 rows in sample/, 'analyze_sampling off: all of it');
is($tuples, 2500, 'and rows are counted');

# A join of a few local rows reads their partitions, of a table that may be large.
my $plan = $node->safe_psql('postgres', q{CREATE FOREIGN TABLE unknown (partition_key text COLLATE "C", sequence_id bigint)
	SERVER large OPTIONS (kind 'states', use_remote_estimate 'false');
	CREATE TABLE few AS SELECT 'a/' || i || '_default_x' AS k FROM generate_series(1, 100) AS i; ANALYZE few;
	EXPLAIN (COSTS OFF) SELECT * FROM few JOIN unknown ON partition_key = k});
like($plan, qr/(Nested Loop|Lookup Join).*Request: Query/s, 'a join of 100 rows');
is($node->safe_psql('postgres', q{SELECT count(*) FROM few JOIN unknown ON partition_key = k}), 100, 'its rows');

# What cannot be had.
$node->safe_psql('postgres', qq{
	CREATE SERVER absent FOREIGN DATA WRAPPER txstore_fdw OPTIONS (provider 'dynamodb', endpoint '$url', table_name 'Absent',
		use_remote_estimate 'true', create_if_not_exists 'false');
	CREATE FOREIGN TABLE absent_keys (partition_key text COLLATE "C") SERVER absent OPTIONS (kind 'keys')});
is(result($session, 'SELECT * FROM absent_keys'), 'HV00R', 'a table that does not exist');
is(result($session, 'ANALYZE absent_keys'), 'HV00R', 'nor is analyzed');
$server->control(faults => [ { operation => 'DescribeTable', fault => 'http_500', times => undef } ]);
is(result($session, 'ANALYZE "Large_keys"'), '08006', 'a server that fails');
is(result($session, 'SELECT count(*) FROM "Large_keys"'), '2500', 'and is asked for rows');

$session->quit;
$node->stop;
$server->stop;
done_testing();
