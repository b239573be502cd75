# Joins that look up many partitions at a time: how many requests they send, what
# becomes of them when requests fail, are slow or are cancelled, and their memory.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use FaultServer;
use Test::More;
use Txstore;

my $server = FaultServer->new;
my $node = new_node('lookup');
my $url = $server->url;

$node->safe_psql('postgres', qq{
	CREATE SERVER remote FOREIGN DATA WRAPPER txstore_fdw OPTIONS (provider 'dynamodb', endpoint '$url', table_name 'Remote');
	SELECT txstore.initialize_storage('remote');
	CREATE FOREIGN TABLE keys (partition_key text COLLATE "C", grain_key text, etag text, committed_sequence_id bigint) SERVER remote OPTIONS (kind 'keys');
	CREATE FOREIGN TABLE states (partition_key text COLLATE "C", sequence_id bigint, state text) SERVER remote OPTIONS (kind 'states');
	SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"a/%s_default_x"},"RowKey":{"S":"key"},"ETag":{"N":"0"},"CommittedSequenceId":{"N":"%s"}}', i, i % 3)), 'remote')
		FROM generate_series(1, 1200) AS i;
	SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"a/%s_default_x"},"RowKey":{"S":"state_%s"},"ETag":{"N":"0"}}', i, lpad(to_hex(s), 16, '0'))), 'remote')
		FROM generate_series(1, 1200) AS i, generate_series(0, 2) AS s;
	CREATE TABLE named AS SELECT i, format('a/%s_default_x', i) AS key FROM generate_series(1, 1000) AS i;
	ANALYZE named;
});
my $session = session($node);

# What a query gives, and its requests as "operation n".
sub requests_of
{
	my ($query) = @_;
	$server->control(clear_log => \1);
	my $result = result($session, $query);
	my %count;
	$count{ $_->{operation} }++ foreach @{ $server->log };
	return "$result: " . join ', ', map { "$_ $count{$_}" } sort keys %count;
}

# A hundred keys a request: what the service takes.
is(requests_of('SELECT count(*) FROM named JOIN keys ON partition_key = key'), '1000: BatchGetItem 10', '1,000 rows and their key rows');
is(requests_of('SELECT count(*) FROM named JOIN states ON partition_key = key AND sequence_id = 1'), '1000: BatchGetItem 10', 'and one state of each');
is(requests_of('SELECT count(*) FROM named JOIN keys AS k ON k.partition_key = key JOIN states AS s ON s.partition_key = k.partition_key AND s.sequence_id = k.committed_sequence_id'),
	'1000: BatchGetItem 20', 'and the one that is committed');
is(requests_of('SELECT count(*) FROM (SELECT i % 10 + 1 AS i FROM named) AS n JOIN keys ON partition_key = format(\'a/%s_default_x\', n.i)'),
	'1000: BatchGetItem 4', 'the same few keys, once a batch');
is(requests_of('SELECT count(*) FROM named LEFT JOIN keys ON partition_key = key || i WHERE i <= 250'), '250: BatchGetItem 3', 'keys that are not there');
is(requests_of('SELECT count(*) FROM named JOIN keys ON partition_key = key WHERE i < 1'), '0: ', 'no rows: no request');
is(requests_of('SELECT count(*) FROM (SELECT FROM named JOIN keys ON partition_key = key LIMIT 5) AS l'), '5: BatchGetItem 1', 'LIMIT stops it');
is(requests_of('SELECT count(*) FROM named JOIN states ON partition_key = key'), '3000: Query 1000', 'whole partitions: a Query each');
$server->control(faults => [ { operation => 'Query', fault => 'delay', seconds => 0.02, times => undef } ]);
my ($milliseconds) = (split /\|/, result($session, q{
	SELECT count(*), 1000 * extract(epoch FROM clock_timestamp() - statement_timestamp()) FROM named JOIN states ON partition_key = key WHERE i <= 400}))[1];
note("400 Queries that take 20 ms each: $milliseconds ms");
cmp_ok($milliseconds, '<', 400 * 20 / 2, 'several on their way together');
$server->control(faults => []);

# Answers that leave keys, fail, or never come.
$server->control(unprocessed_after => 7);
is(result($session, 'SELECT count(*), sum(committed_sequence_id) FROM named JOIN keys ON partition_key = key'), '1000|1000', 'keys that are left are asked for again');
$server->control(unprocessed_after => undef);
$server->control(faults => [ { operation => 'BatchGetItem', fault => 'throttle', every => 3, times => undef } ]);
is(result($session, 'SELECT count(*) FROM named JOIN keys ON partition_key = key'), '1000', 'throttled');
$server->control(faults => [ { operation => 'BatchGetItem', fault => 'http_500', nth => 4, times => undef } ]);
is(result($session, 'SELECT count(*) FROM named JOIN keys ON partition_key = key'), '08006', 'a request that fails ends it');
$server->control(faults => [ { operation => 'BatchGetItem', fault => 'stall', at => 'start', seconds => 30, nth => 3, times => undef } ]);
result($session, 'SET statement_timeout = 300');
is(result($session, 'SELECT count(*) FROM named JOIN keys ON partition_key = key'), '57014', 'one that never comes can be cancelled');
result($session, 'RESET statement_timeout');
$server->control(faults => []);
is(result($session, 'SELECT count(*) FROM named JOIN keys ON partition_key = key'), '1000', 'the session goes on');

# A batch is all that is in memory.
sub peak
{
	my ($rows) = @_;
	my $fresh = session($node);
	my $pid = result($fresh, 'SELECT pg_backend_pid()');
	is(result($fresh, "SELECT count(*) FROM generate_series(1, $rows) AS i JOIN keys ON partition_key = 'a/' || i % 1200 + 1 || '_default_x'"), $rows, "$rows rows");
	my ($peak) = PostgreSQL::Test::Utils::slurp_file("/proc/$pid/status") =~ /VmHWM:\s+(\d+)/;
	$fresh->quit;
	return $peak;
}
result($session, 'SET enable_hashjoin = off');
$node->safe_psql('postgres', 'ALTER DATABASE postgres SET enable_hashjoin = off; ALTER DATABASE postgres SET enable_mergejoin = off; ALTER DATABASE postgres SET jit = off');
my ($few, $many) = (peak(2000), peak(60000));
note("at most $few kB with 2,000 rows, $many kB with 60,000");
cmp_ok($many - $few, '<', 4096, 'memory does not grow with the rows');

$session->quit;
$node->stop;
$server->stop;
done_testing();
