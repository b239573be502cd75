# A session that touches 100,000 partitions stays within txstore.max_handle_memory.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Txstore;

my $partitions = 100000;
my $node = new_node('handles', 'shared_buffers = 16MB');

# Real partitions with two rows each; names of different lengths.
$node->safe_psql('postgres', qq{
	CREATE FUNCTION name_of(i bigint) RETURNS text LANGUAGE sql IMMUTABLE AS \$\$
		SELECT 'actor/' || repeat('x', (i % 50)::int) || i \$\$;
	CREATE TABLE items AS
		SELECT format('{"PartitionKey":{"S":"%s"},"RowKey":{"S":"key"},"CommittedSequenceId":{"N":"1"},"ETag":{"N":"0"}}', name_of(i)) AS item
		  FROM generate_series(1, $partitions) AS i
		UNION ALL
		SELECT format('{"PartitionKey":{"S":"%s"},"RowKey":{"S":"state_0000000000000001"},"GrainState":{"B":"MQ=="},"ETag":{"N":"0"}}', name_of(i))
		  FROM generate_series(1, $partitions) AS i;
	SELECT txstore.import_items_from('items');
	VACUUM ANALYZE;
});

my $contexts = q{SELECT coalesce(sum(total_bytes), 0) FROM pg_backend_memory_contexts WHERE name LIKE 'txstore handles%'};
my $session = session($node);
my $pid = result($session, 'SELECT pg_backend_pid()');

sub load_all
{
	return result($session, "SELECT count(l.etag) FROM generate_series(1, $partitions) AS i, LATERAL txstore.load(name_of(i)) AS l");
}

# The memory of all handles is under the limit, and not far under it.
sub check_memory
{
	my ($limit, $what) = @_;
	my $bytes = result($session, $contexts);
	cmp_ok($bytes, '<=', $limit * 1024, "$what: $bytes bytes are at most $limit kB");
	cmp_ok($bytes, '>=', $limit * 1024 / 4, "$what: the limit is made use of");
	my ($sum, $count) = split /\|/, result($session, 'SELECT sum(bytes), count(*) FROM txstore.handles');
	cmp_ok($sum, '<=', $bytes, "$what: the $count handles that the view shows have $sum bytes of that");
}

is(load_all(), $partitions, 'every partition loads');
check_memory(16384, 'default');
my $before = memory_of($pid, 'RssAnon');
is(load_all(), $partitions, 'every partition loads again');
my $after = memory_of($pid, 'RssAnon');
cmp_ok($after - $before, '<', 8192, "a second time over all needs no more memory ($before kB, then $after kB)");
cmp_ok($after, '<', 100 * 1024, 'the whole process is below 100 MB');

# The last one is remembered, the first one is not and says what to do.
is(result($session, "SELECT save(name_of($partitions), 'x')"), '1', 'the partition used last can be stored');
is(result($session, "SELECT save(name_of(1), 'x')"), '55000', 'the one used least demands load()');
is(result($session, "SELECT put(name_of(1), 'x')"), '1', 'and can be stored after it');

# A smaller limit holds from the next load() on; a larger one is used.
foreach my $limit (256, 1024)
{
	result($session, "SET txstore.max_handle_memory = '${limit}kB'");
	is(load_all(), $partitions, "$limit kB: every partition loads");
	check_memory($limit, "$limit kB");
}

# Handles of a transaction that stores: they are bounded too, and all that are
# left demand load() when it is rolled back.
result($session, 'BEGIN');
is(result($session, 'SELECT count(put(name_of(i), i::text)) FROM generate_series(2, 20000) AS i'), '19999', 'one transaction stores 19,999 partitions');
check_memory(1024, 'in the transaction');
result($session, 'ROLLBACK');
is(result($session, 'SELECT bool_and(must_load) AND count(*) > 100 FROM txstore.handles'), 't', 'after a rollback every handle demands load()');
is(result($session, "SELECT count(*) FROM generate_series(2, 20000) AS i WHERE value_of(name_of(i)) <> '1'"), '0', 'and nothing was stored');
check_memory(1024, 'after the rollback');

# One partition with more rows than the limit has room for still works.
result($session, "SET txstore.max_handle_memory = '256kB'");
is(result($session, q{SELECT txstore.store('long', etag, metadata,
	(SELECT array_agg(txstore.prepare(i, '\x00')) FROM generate_series(1, 20000) AS i)) FROM txstore.load('long')}),
	'202', 'a partition of 20,000 versions is stored in 203 batches');
is(result($session, q{SELECT cardinality(pending) FROM txstore.load('long')}), '20000', 'it loads');
is(result($session, q{SELECT txstore.store('long', '202', '', NULL, 20000)}), '405', 'and is stored again');
is(load_all(), $partitions, 'the others load after it');
check_memory(256, 'after a large one');

$session->quit;
$node->stop;
done_testing();
