# What is easy to get wrong about functions that read and write tables in C; the
# table in README.md says where each trap is tested.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Txstore;

my $node = new_node('traps', 'track_functions = all');
my $session = session($node);
result($session, q{SELECT put('p', 'old')});

# Snapshots: load() sees the store() made earlier in the same statement, also
# where a stable function asks.
result($session, q{CREATE FUNCTION stable_value(k text) RETURNS text LANGUAGE sql STABLE AS 'SELECT value_of(k)';
	CREATE FUNCTION stable_plpgsql(k text) RETURNS text LANGUAGE plpgsql STABLE AS 'BEGIN RETURN value_of(k); END';
	CREATE FUNCTION stable_put(k text, v text) RETURNS text LANGUAGE plpgsql STABLE AS 'BEGIN RETURN put(k, v); END'});
is(result($session, q{SELECT put('p', 'a'), value_of('p'), put('p', 'b'), value_of('p')}), '1|a|2|b', 'load() sees a store() of its own statement');
is(result($session, q{SELECT put('p', 'c'), stable_value('p'), stable_plpgsql('p')}), '3|c|c', 'also in a stable function');
is(result($session, q{SELECT stable_put('p', 'd'), value_of('p'), stable_put('p', 'e'), value_of('p')}), '4|d|5|e', 'also of one');
is(result($session, q{WITH s AS (SELECT put('p', 'f' || i) AS etag FROM generate_series(1, 3) AS i) SELECT max(etag), value_of('p') FROM s}),
	'8|f3', 'many stores in one statement follow each other');
is(result($session, q{BEGIN; DECLARE d CURSOR FOR SELECT value_of('p') FROM generate_series(1, 2); FETCH d; SELECT put('p', 'g'); FETCH d; COMMIT}),
	"f3\n9\ng", 'each call of a cursor reads anew');

# COMMIT: what fails there takes the store with it, and the handle.
$node->safe_psql('postgres', q{
	CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused at commit'; END $$;
	CREATE TABLE late (i int);
	CREATE CONSTRAINT TRIGGER late AFTER INSERT ON late DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse();
});
result($session, q{SELECT value_of('p')});
is(result($session, q{BEGIN; SELECT save('p', 'never'); INSERT INTO late VALUES (1)}), '10', 'a transaction stores');
is(result($session, 'COMMIT'), 'P0001', 'and fails at COMMIT');
is(result($session, q{SELECT save('p', 'never')}), '55000', 'its handle demands load()');
is(result($session, q{SELECT value_of('p')}), 'g', 'which reads what was there before');

# So does an AFTER trigger of the storage's own table, at once or deferred.
foreach my $when ('NOT DEFERRABLE', 'DEFERRABLE INITIALLY DEFERRED')
{
	$node->safe_psql('postgres', qq{CREATE CONSTRAINT TRIGGER own AFTER UPDATE ON txstore_data."OrleansTransactionalState_keys" $when
		FOR EACH ROW EXECUTE FUNCTION refuse()});
	is(result($session, q{SELECT save('p', 'never')}), 'P0001', "a trigger that is $when refuses");
	is(result($session, q{SELECT save('p', 'never')}), '55000', "a trigger that is $when: the handle demands load()");
	is(result($session, q{SELECT value_of('p')}), 'g', "a trigger that is $when: nothing was stored");
	$node->safe_psql('postgres', q{DROP TRIGGER own ON txstore_data."OrleansTransactionalState_keys"});
}
is(result($session, q{SELECT save('p', 'h')}), '10', 'without it the store succeeds');

# Composite results: FROM calls once, (f(x)).* once a column.
sub calls
{
	my ($sql) = @_;
	my $count = q{SELECT coalesce(max(calls), 0) FROM pg_stat_xact_user_functions WHERE funcid = 'txstore.load'::regproc};
	result($session, 'BEGIN');
	my $before = result($session, $count);
	result($session, $sql);
	my $after = result($session, $count);
	result($session, 'COMMIT');
	return $after - $before;
}
is(calls(q{SELECT * FROM txstore.load('p')}), 1, 'FROM load() calls once');
is(calls(q{SELECT (txstore.load('p')).*}), 5, '(load()).* calls once a column');

# Overloads: literals need no cast.
is(result($session, $_), '', "$_ is unique") foreach (
	q{DO $$ BEGIN PERFORM txstore.load('p', 'embedded'); END $$},
	q{DO $$ BEGIN PERFORM txstore.import_items('{}'); END $$},
	q{DO $$ BEGIN PERFORM txstore.import_items('{}', 'embedded', 'true'); END $$});
result($session, 'CREATE TABLE items (item text)');
is(result($session, q{SELECT txstore.import_items_from('items'), txstore.import_items_from('items', 'embedded')}), '0|0', 'import_items_from() takes a literal');
is(result($session, q{SELECT txstore.store('literal', '', '') FROM txstore.load('literal')}), '0', 'store() takes literals');
is(result($session, q{SELECT txstore.store('literal', '0', '\x00', ARRAY[txstore.prepare('1', 'x')], '1', NULL, 'embedded')}), '1', 'all of them');

# btree: the longest key, of bytes that do not compress, has its place in both
# indexes.
result($session, q{CREATE TABLE long AS SELECT left(string_agg(md5(i::text), ''), 2048) AS k FROM generate_series(1, 100) AS i});
is(result($session, q{SELECT octet_length(k), put(k, 'x'), put(k, 'y'), value_of(k) FROM long}), '2048|0|1|y', 'a key of 2,048 bytes is stored');
is(result($session, q{SELECT count(*) FROM long, txstore.export_items(k)}), '2', 'and exported');
is(result($session, q{SELECT put(k || 'z', 'x') FROM long}), '22023', 'a longer one is refused');
is(result($session, q{SELECT txstore.delete_partition(k, '1') FROM long}), 't', 'the long one is deleted');

# Size counts: an item is refused above 409,600 bytes by the larger of both
# counts, before anything is written; the handle stays usable.
result($session, q{CREATE FUNCTION put_bytes(n int) RETURNS text LANGUAGE sql AS $$
	SELECT txstore.store('size', etag, '', ARRAY[txstore.prepare(committed_sequence_id + 1, decode(repeat('ab', n), 'hex'))],
		committed_sequence_id + 1) FROM txstore.load('size') $$});
my ($fits, $refused) = (400000, 409600);
while ($refused - $fits > 1)
{
	my $n = int(($fits + $refused) / 2);
	if (result($session, qq{BEGIN; SELECT put_bytes($n); ROLLBACK}) eq '54000') { $refused = $n; } else { $fits = $n; }
}
is(result($session, qq{SELECT put_bytes($refused)}), '54000', "a state of $refused bytes is too large");
is(result($session, q{SELECT etag IS NULL, must_load FROM txstore.handles WHERE partition_key = 'size'}), 't|f', 'and leaves the handle usable');
is(result($session, qq{SELECT put_bytes($fits)}), '0', "one of $fits bytes is stored");
is(result($session, q{SELECT bytes FROM txstore.plan_store('size', '0', '', ARRAY[txstore.prepare(2, (SELECT committed_state FROM txstore.load('size')))]) WHERE operation = 0}),
	'409600', 'by the count that is larger, its item has exactly 409,600 bytes') or diag('Orleans\' own count is the smaller one here');

$session->quit;
$node->stop;
done_testing();
