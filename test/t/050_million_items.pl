# Import and export of many items in bounded memory, through psql's \copy.
#
# TXSTORE_ITEMS says how many (default: 200000; a million takes half a minute).
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use PostgreSQL::Test::Utils;
use Test::More;
use Txstore;

my $items = $ENV{TXSTORE_ITEMS} // 200000;
my $most = 64 * 1024;    # kB that a process may grow
my $partitions = $items / 5;

# So little of everything else that what grows is ours; LLVM alone has 60 MB.
my $node = new_node('items', 'shared_buffers = 16MB', 'work_mem = 4MB', 'jit = off', 'temp_buffers = 1MB', 'max_wal_size = 1GB');

# A key row and four state rows a partition, as export_items() writes and orders
# them; with quotes and backslashes in metadata that \copy must leave alone.
$node->safe_psql('postgres', qq{
	CREATE TABLE items (item text COLLATE "C");
	INSERT INTO items SELECT format('{"PartitionKey":{"S":"account/%s\\"\\\\_default_balance"},"RowKey":{"S":"key"},"CommittedSequenceId":{"N":"1"},"Metadata":{"B":"%s"},"Timestamp":{"N":"1700000000"},"ETag":{"N":"%s"}}',
			p, encode(convert_to('{"TimeStamp":"x"}', 'UTF8'), 'base64'), p)
		  FROM generate_series(1, $partitions) AS p;
	INSERT INTO items SELECT format('{"PartitionKey":{"S":"account/%s\\"\\\\_default_balance"},"RowKey":{"S":"state_%s"},"GrainState":{"B":"%s"},"TransactionId":{"S":"%s"},"TransactionTimestamp":{"S":"2024-01-02T03:04:05.1234567Z"},"ETag":{"N":"%s"}}',
			p, lpad(to_hex(s), 16, '0'), encode(convert_to(format('{"balance":%s}', p * s), 'UTF8'), 'base64'), md5(p::text)::uuid, s)
		  FROM generate_series(1, $partitions) AS p, generate_series(1, 4) AS s;
});
my $sum = q{SELECT count(*), sum(hashtextextended(item, 0)) FROM items};
my $expected = $node->safe_psql('postgres', $sum);
like($expected, qr/^$items\|/, "there are $items items");

# A process of its own for each step; how much its memory grew at most.
sub measured
{
	my ($what, $sql) = @_;
	my $session = session($node);
	my $pid = result($session, 'SELECT pg_backend_pid()');
	result($session, q{SELECT count(*) FROM txstore.export_items('none')});
	my $before = memory_of($pid, 'VmHWM');
	my $start = time;
	my $result = result($session, $sql);
	my $seconds = time - $start;
	my $grown = memory_of($pid, 'VmHWM') - $before;
	cmp_ok($grown, '<', $most, "$what: grew by $grown kB, at most $most, in $seconds s");
	$session->quit;
	return $result;
}

# Out to a file and in again, in the form that leaves JSON as it is.
my $file = PostgreSQL::Test::Utils::tempdir() . '/items.jsonl';
my $form = q{CSV QUOTE e'\x01' DELIMITER e'\x02'};
$node->safe_psql('postgres', "\\copy items TO '$file' $form");
$node->safe_psql('postgres', 'TRUNCATE items');
$node->safe_psql('postgres', "\\copy items FROM '$file' $form");
is($node->safe_psql('postgres', $sum), $expected, '\copy gives every item back');

is(measured('import', q{SELECT txstore.import_items_from('items')}), $items, 'all are imported');
is(measured('export', q{SELECT count(*), sum(hashtextextended(i::text, 0)) FROM txstore.export_items() AS i}), $expected,
	'export equals the source');
is(measured('import again', q{SELECT txstore.import_items_from('items')}), '0', 'all are there already');

# A mistake in the last line: nothing is kept of the call.
$node->safe_psql('postgres', q{CREATE SERVER other FOREIGN DATA WRAPPER txstore_fdw OPTIONS (table_name 'other');
	CREATE VIEW with_mistake AS SELECT item FROM items UNION ALL SELECT '[]'});
is(measured('mistake', q{SELECT txstore.import_items_from('with_mistake', 'other')}), '22023', 'the mistake is told');
is($node->safe_psql('postgres', q{SELECT count(*) FROM txstore.export_items(NULL, 'other')}), 0, 'nothing was kept');

is($node->safe_psql('postgres', qq{SELECT etag, committed_sequence_id, convert_from(committed_state, 'UTF8')
	FROM txstore.load('account/$partitions"\\_default_balance')}), qq{$partitions|1|{"balance":$partitions}}, 'the last partition loads');

$node->stop;
done_testing();
