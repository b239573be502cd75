# Memory does not grow with the rows of a scan: not in the session, whatever reads
# them, and not for ANALYZE (groups 15 to 20).  What EXPLAIN says of capacity is
# what the service charged.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IO::Handle;
use IPC::Open2;
use PostgreSQL::Test::Utils;
use Test::More;
use Txstore;

my $folder = PostgreSQL::Test::Utils::tempdir();
my $compiler = $ENV{CC} // 'cc';
system_or_bail($compiler, '-O2', '-o', "$folder/server", "$FindBin::Bin/../bench/page_server.c", '-lz');

# A server of so many pages of 1,000 rows with states of 60 bytes.
sub start_pages
{
	my ($pages) = @_;
	my $pid = open2(my $out, my $in, "$folder/server", $pages, 1000, 60, 0);
	my ($port) = <$out> =~ /PORT (\d+)/;
	return { pid => $pid, in => $in, out => $out, url => "http://127.0.0.1:$port" };
}

my %servers = (few => start_pages(10), many => start_pages(1000));
my $node = new_node('memory', 'jit = off');
foreach my $name (keys %servers)
{
	$node->safe_psql('postgres', qq{
		CREATE SCHEMA $name;
		CREATE SERVER $name FOREIGN DATA WRAPPER txstore_fdw OPTIONS (provider 'dynamodb', endpoint '$servers{$name}{url}', table_name 'Pages', analyze_sampling 'off');
		CREATE FOREIGN TABLE $name.states (partition_key text COLLATE "C", sequence_id bigint, row_key text COLLATE "C", etag text, state bytea)
			SERVER $name OPTIONS (kind 'states', scan_segments '4')});
}

# The most memory of a session that does something.
sub peak
{
	my ($schema, $statement) = @_;
	my $session = session($node);
	my $pid = result($session, 'SELECT pg_backend_pid()');
	result($session, "SET search_path = $schema");
	my $result = result($session, $statement);
	my $peak = memory_of($pid, 'VmHWM');
	$session->quit;
	return ($peak, $result);
}

foreach my $case (
	[ 'a scan', 'SELECT count(state), count(row_key) FROM states', '10000|10000', '1000000|1000000' ],
	[ 'a scan without states', 'SELECT count(etag) FROM states', '10000', '1000000' ],
	[ 'a cursor', 'BEGIN; DECLARE c CURSOR FOR SELECT state FROM states; MOVE ALL IN c; COMMIT', '', '' ],
	[ 'ANALYZE', 'SET default_statistics_target = 10; ANALYZE states; SELECT reltuples FROM pg_class WHERE oid = $$states$$::regclass', '10000', '1e+06' ])
{
	my ($name, $statement, $few, $many) = @$case;
	my @few = peak('few', $statement);
	my @many = peak('many', $statement);
	is($few[1], $few, "$name of ten thousand rows");
	is($many[1], $many, "$name of a million");
	note("$name: at most $few[0] and $many[0] kB");
	cmp_ok($many[0] - $few[0], '<', 16 * 1024, "$name: memory does not grow");
}

my $plan = $node->safe_psql('postgres', 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT etag FROM few.states');
my $charged = $plan =~ /Capacity Units: ([\d.]+)/ ? $1 : 'nothing';
is($charged, '768.0', 'EXPLAIN adds up what pages have cost');

foreach my $server (values %servers)
{
	close $server->{in};
	waitpid $server->{pid}, 0;
}
$node->stop;
done_testing();
