# Foreign tables where nothing may be written, and for many at once: a standby, a
# read-only server, eight sessions beside a writer, and a dump that is restored
# (groups 28 and 36).
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use FaultServer;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Txstore;

my $server = FaultServer->new;
my $url = $server->url;
my $primary = new_node('primary', 'max_standby_streaming_delay = -1');
$primary->safe_psql('postgres', qq{
	CREATE SERVER remote FOREIGN DATA WRAPPER txstore_fdw OPTIONS (provider 'dynamodb', endpoint '$url', table_name 'Remote', request_timeout '60s');
	CREATE SERVER lossy FOREIGN DATA WRAPPER txstore_fdw OPTIONS (table_name 'lossy', persistence 'volatile');
	CREATE SERVER unmade FOREIGN DATA WRAPPER txstore_fdw OPTIONS (table_name 'unmade');
	SELECT txstore.initialize_storage('remote');
	SELECT put('p/' || i, format('{"n": %s}', i), s) FROM unnest(ARRAY['embedded', 'remote', 'lossy']::name[]) AS s, generate_series(1, 100) AS i;
	SELECT put('p/' || i, format('{"n": %s}', i), s) FROM unnest(ARRAY['embedded', 'remote']::name[]) AS s, generate_series(1, 100, 2) AS i;
	CREATE SCHEMA embedded; CREATE SCHEMA remote; CREATE SCHEMA lossy; CREATE SCHEMA unmade;
});
foreach my $storage ('embedded', 'remote', 'lossy', 'unmade')
{
	$primary->safe_psql('postgres', qq{
		CREATE FOREIGN TABLE $storage.keys (partition_key text COLLATE "C" NOT NULL, etag text) SERVER $storage OPTIONS (kind 'keys');
		CREATE FOREIGN TABLE $storage.states (partition_key text COLLATE "C" NOT NULL, sequence_id bigint, "Bytes" bytea OPTIONS (attribute 'GrainState'))
			SERVER $storage OPTIONS (kind 'states', scan_segments '3');
		CREATE FOREIGN TABLE $storage.partitions (partition_key text COLLATE "C" NOT NULL, state jsonb, pending bigint, in_doubt boolean)
			SERVER $storage OPTIONS (kind 'partitions', consistent_read 'true');
		CREATE VIEW $storage.rich AS SELECT partition_key FROM $storage.partitions WHERE (state ->> 'n')::int > 90;
	});
}
$primary->safe_psql('postgres', q{CREATE TABLE local AS SELECT 'p/' || i AS key, i FROM generate_series(1, 10) AS i});

# A query of every kind, each of which answers one line.
my @queries = (
	q{SELECT count(*), sum(etag::int) FROM %s.keys},
	q{SELECT count(*), sum(sequence_id), sum(length("Bytes")) FROM %s.states},
	q{SELECT count(*), sum((state ->> 'n')::int), sum(pending), bool_or(in_doubt) FROM %s.partitions},
	q{SELECT etag FROM %s.keys WHERE partition_key = 'p/7'},
	q{SELECT count(*) FROM %s.keys WHERE partition_key IN ('p/7', 'p/8', 'x')},
	q{SELECT sequence_id FROM %s.states WHERE partition_key = 'p/7' ORDER BY sequence_id DESC LIMIT 1},
	q{SELECT sum(i), count(etag) FROM local LEFT JOIN %s.keys ON partition_key = key},
	q{SELECT string_agg(partition_key, ',' ORDER BY partition_key) FROM %s.rich});

sub answers
{
	my ($session, $storage) = @_;
	return join("\n", map { result($session, sprintf($_, $storage)) } @queries);
}

# The same answers, and nothing written.
sub check_reading
{
	my ($session, $what, $expected) = @_;
	foreach my $storage ('embedded', 'remote')
	{
		is(answers($session, $storage), $expected->{$storage}, "$what: $storage is read");
		result($session, "PREPARE kept(text) AS SELECT state FROM $storage.partitions WHERE partition_key = \$1; SET plan_cache_mode = force_generic_plan");
		is(result($session, q{EXECUTE kept('p/9')}), '{"n": 9}', "$what: $storage, a kept plan") foreach (1 .. 2);
		result($session, 'DEALLOCATE kept; RESET plan_cache_mode');
		is(result($session, "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT * FROM $storage.keys WHERE partition_key = 'p/7'") =~ /Foreign Scan/ ? 1 : 0,
			1, "$what: $storage, EXPLAIN ANALYZE");
	}
	is(result($session, 'SELECT count(*) FROM unmade.partitions'), '0', "$what: a storage that is not made is empty");
	return;
}

my $session = session($primary);
my %expected = map { $_ => answers($session, $_) } ('embedded', 'remote');
is($expected{embedded}, $expected{remote}, 'both providers answer the same');
like($expected{embedded}, qr/^100\|50\n100\|150\|892\n100\|5050\|0\|f\n/, 'with all rows');

$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;
$primary->wait_for_catchup($standby);
my $reader = session($standby);
check_reading($reader, 'standby', \%expected);
is(result($reader, 'SELECT count(*) FROM lossy.keys'), '0A000', 'standby: unlogged tables are not there, and that is said');
is(result($reader, 'SELECT count(*) FROM lossy.partitions'), '0A000', 'standby: nor are actors made from them');
result($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ; DECLARE c CURSOR FOR SELECT partition_key FROM embedded.keys ORDER BY 1');
is(result($reader, 'FETCH 1 FROM c'), 'p/1', 'standby: a cursor');
$primary->safe_psql('postgres', q{SELECT put('p/7', '{"n": 7}'), put('p/7', '{"n": 7}', 'remote')});
$primary->wait_for_catchup($standby);
is(result($reader, $queries[3] =~ s/%s/embedded/r), '1', 'standby: a transaction reads the same again');
is(result($reader, 'FETCH 1 FROM c; COMMIT'), 'p/10', 'standby: the cursor goes on');
is(result($reader, $queries[3] =~ s/%s/embedded/r), '2', 'standby: after it the standby has followed');
%expected = map { $_ => answers($session, $_) } ('embedded', 'remote');
check_reading($reader, 'standby later', \%expected);
$reader->quit;
$standby->stop;

$primary->append_conf('postgresql.conf', 'default_transaction_read_only = on');
$primary->reload;
$primary->poll_query_until('postgres', 'SHOW transaction_read_only', 'on');
my $cautious = session($primary);
check_reading($cautious, 'read-only server', \%expected);
$cautious->quit;
$primary->append_conf('postgresql.conf', 'default_transaction_read_only = off');
$primary->reload;
$primary->poll_query_until('postgres', 'SHOW transaction_read_only', 'off');

# Eight sessions at once, beside one that stores: none fails, none waits for a lock,
# and an actor is there in each answer.
foreach my $storage ('embedded', 'remote')
{
	my $script = PostgreSQL::Test::Utils::tempdir() . "/$storage.sql";
	PostgreSQL::Test::Utils::append_to_file($script, qq{
\\set n random(1, 100)
SET lock_timeout = 1;
SELECT 1 / (count(*) = 1)::int FROM $storage.partitions WHERE partition_key = 'p/' || :n AND state ->> 'n' = :n::text AND NOT in_doubt;
SELECT 1 / (count(*) = 100)::int FROM $storage.keys;
SELECT 1 / (count(*) = 100 AND count(state) = 100)::int FROM $storage.partitions;
SELECT 1 / (count(etag) = 10)::int FROM local JOIN $storage.keys ON partition_key = key;
});
	my $writer = session($primary);
	begin_statement($writer, qq{
		DO \$\$ BEGIN FOR i IN 1..100 LOOP PERFORM put('p/' || i % 10 + 1, format('{"n": %s}', i % 10 + 1), '$storage'); COMMIT; END LOOP; END \$\$});
	my ($out, $err) = run_command([ 'pgbench', '-n', '-h', $primary->host, '-p', $primary->port, '-c', 8, '-j', 2, '-t', 20, '-f', $script, 'postgres' ]);
	like($out, qr{actually processed: 160/160}, "$storage: eight sessions read") or diag($err);
	is(end_statement($writer), '', "$storage: and one stores");
	$writer->quit;
}

# A dump has the tables with their options, and answers the same where it is restored.
%expected = map { $_ => answers($session, $_) } ('embedded', 'remote');
$primary->safe_psql('postgres', 'CREATE ROLE bare; CREATE USER MAPPING FOR bare SERVER remote; CREATE DATABASE restored TEMPLATE template0');
my $dump = PostgreSQL::Test::Utils::tempdir() . '/dump.sql';
$primary->command_ok([ 'pg_dump', '-f', $dump, 'postgres' ], 'a database with foreign tables is dumped');
$primary->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, 'restored' ], 'and restored');
my $restored = session($primary, 'restored');
check_reading($restored, 'restored', \%expected);
is(result($restored, q{SELECT count(*) FROM pg_foreign_table WHERE ftoptions::text ~ 'scan_segments=3|consistent_read=true'}), '8', 'with the options of tables');
is(result($restored, q{SELECT attfdwoptions FROM pg_attribute WHERE attrelid = 'remote.states'::regclass AND attname = 'Bytes'}), '{attribute=GrainState}', 'and of columns');
is(result($restored, q{SELECT count(*) FROM pg_user_mappings WHERE usename = 'bare' AND umoptions IS NULL}), '1', 'and a mapping without any');

$_->quit foreach ($session, $restored);
$primary->stop;
done_testing();
