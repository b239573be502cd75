# pg_dump and restore: several storages, rows, rights and settings of tables.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use PostgreSQL::Test::Utils;
use Test::More;
use Txstore;

my $node = new_node('dumped');
my $dump = PostgreSQL::Test::Utils::tempdir() . '/dump';

$node->safe_psql('postgres', q{
	CREATE ROLE keeper; CREATE ROLE reader;
	CREATE SERVER other FOREIGN DATA WRAPPER txstore_fdw OPTIONS (schema_name 'bank', table_name 'Accounts');
	CREATE SERVER kept FOREIGN DATA WRAPPER txstore_fdw OPTIONS (table_name 'kept', create_if_not_exists 'false');
	CREATE SERVER lossy FOREIGN DATA WRAPPER txstore_fdw OPTIONS (table_name 'lossy', persistence 'volatile');
	GRANT USAGE ON FOREIGN SERVER embedded, other TO reader;
	GRANT USAGE ON SCHEMA txstore TO reader;
	GRANT EXECUTE ON FUNCTION txstore.import_items(text[], name, boolean) TO keeper;
	SELECT put('p' || i, repeat('state ', i), s) FROM generate_series(1, 20) AS i, unnest(ARRAY['embedded', 'other', 'lossy']::name[]) AS s;
	SELECT txstore.initialize_storage('kept');
	SELECT put('p', 'kept', 'kept');
	SELECT txstore.import_items(ARRAY['{"PartitionKey":{"S":"odd"},"RowKey":{"S":"key"},"Extra":{"S":"\\u00e9"},"ETag":{"N":"7"}}']);
	ALTER TABLE txstore_data.kept_states SET (fillfactor = 55);
	ALTER SERVER other OPTIONS (ADD read_only 'true');
	ALTER SERVER kept OWNER TO CURRENT_USER;
});

# All that a user could ask of the database.
my $questions = q{
	SELECT s, item FROM unnest(ARRAY['embedded', 'other', 'kept', 'lossy']::name[]) AS s, txstore.export_items(NULL, s) AS item;
	SELECT s, l.* FROM unnest(ARRAY['embedded', 'other']::name[]) AS s, generate_series(1, 20) AS i, txstore.load('p' || i, s) AS l;
	SELECT s, d.* FROM unnest(ARRAY['embedded', 'other', 'kept', 'lossy']::name[]) AS s, txstore.describe_storage(s) AS d
	 WHERE property !~ 'bytes|estimated';
	SELECT oid::regclass, reloptions, relpersistence, obj_description(oid) FROM pg_class
	 WHERE relnamespace IN ('txstore_data'::regnamespace, 'bank'::regnamespace) AND relkind = 'r' ORDER BY oid::regclass::text COLLATE "C";
	SELECT attrelid::regclass, attname, attstorage, attcollation FROM pg_attribute
	 WHERE attrelid IN (SELECT oid FROM pg_class WHERE relnamespace IN ('txstore_data'::regnamespace, 'bank'::regnamespace) AND relkind = 'r')
	   AND attnum > 0 ORDER BY attrelid::regclass::text COLLATE "C", attnum;
	SELECT srvname, (SELECT array_agg(o ORDER BY o) FROM unnest(srvoptions) AS o), srvacl FROM pg_foreign_server ORDER BY 1;
	SELECT proname, proacl FROM pg_proc WHERE pronamespace = 'txstore'::regnamespace ORDER BY 1;
	SELECT table_schema, incarnation FROM (
		SELECT 'txstore_data' AS table_schema, partition_key, incarnation FROM txstore_data."OrleansTransactionalState_keys"
		UNION ALL SELECT 'bank', partition_key, incarnation FROM bank."Accounts_keys") AS k ORDER BY 1, partition_key;
};
my $answers = $node->safe_psql('postgres', $questions);
cmp_ok(($answers =~ tr/\n//), '>', 300, 'the questions are answered');

foreach my $format ('plain', 'custom')
{
	my $database = "restored_$format";
	$node->command_ok([ 'pg_dump', '-F', $format, '-f', "$dump.$format", 'postgres' ], "$format: dumps");
	$node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0");
	if ($format eq 'plain')
	{
		$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', "$dump.plain", $database ], "$format: restores");
	}
	else
	{
		$node->command_ok([ 'pg_restore', '--exit-on-error', '-j', 2, '-d', $database, "$dump.custom" ], "$format: restores");
	}
	is($node->safe_psql($database, $questions), $answers, "$format: answers the same");
	is($node->safe_psql($database, q{SELECT put('p1', 'more'), put('new', 'first')}), '1|0', "$format: can be written");
	my $session = session($node, $database);
	is(result($session, q{SELECT put('p1', 'no', 'other')}), '25006', "$format: a read-only storage is that still");
	is(result($session, q{SELECT txstore.import_items(ARRAY['{"PartitionKey":{"S":"odd"},"RowKey":{"S":"key"},"Extra":{"S":"other"},"ETag":{"N":"7"}}'])}),
		'23505', "$format: primary keys are back");
	$session->quit;
}

# --schema-only: the storages without their rows.
$node->command_ok([ 'pg_dump', '--schema-only', '-f', "$dump.schema", 'postgres' ], 'schema only: dumps');
$node->safe_psql('postgres', 'CREATE DATABASE empty TEMPLATE template0');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', "$dump.schema", 'empty' ], 'schema only: restores');
is($node->safe_psql('empty', q{SELECT count(*) FROM txstore.export_items()}), 0, 'schema only: no rows');
is($node->safe_psql('empty', q{SELECT put('p1', 'first'), put('p', 'first', 'kept')}), '0|0', 'schema only: can be written');

# The rows alone, into storages that are there.
$node->command_ok([ 'pg_dump', '--data-only', '-n', 'txstore_data', '-f', "$dump.data", 'postgres' ], 'data only: dumps');
$node->safe_psql('empty', q{TRUNCATE txstore_data."OrleansTransactionalState_keys", txstore_data."OrleansTransactionalState_states",
	txstore_data.kept_keys, txstore_data.kept_states});
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', "$dump.data", 'empty' ], 'data only: restores');
is($node->safe_psql('empty', q{SELECT count(*), sum(hashtextextended(i::text, 0)) FROM txstore.export_items() AS i}),
	$node->safe_psql('postgres', q{SELECT count(*), sum(hashtextextended(i::text, 0)) FROM txstore.export_items() AS i}),
	'data only: the same rows');

# DROP EXTENSION leaves the rows; a new one finds them.
$node->safe_psql('restored_plain', 'DROP EXTENSION txstore CASCADE');
is($node->safe_psql('restored_plain', q{SELECT count(*) FROM txstore_data."OrleansTransactionalState_keys"}), 22,
	'DROP EXTENSION leaves the tables');
$node->safe_psql('restored_plain', 'CREATE EXTENSION txstore');
is($node->safe_psql('restored_plain', q{SELECT convert_from(committed_state, 'UTF8') FROM txstore.load('p1')}), 'more',
	'a new extension finds the rows');

# The server that the extension made is the extension's: pg_dump keeps the rights
# on it, but not its options, so it may have none.  A server of one's own keeps
# them, as above.
$node->safe_psql('postgres', q{ALTER SERVER embedded OPTIONS (ADD table_name 'moved')});
my ($status, $out, $error) = $node->psql('postgres', q{SELECT value_of('p1')});
like($error, qr/server "embedded" belongs to extension "txstore" and cannot have the option "table_name"/,
	'altered server: refused where it is used');
$node->safe_psql('postgres', q{ALTER SERVER embedded OPTIONS (DROP table_name)});
is($node->safe_psql('postgres', q{SELECT value_of('p1') IS NOT NULL}), 't', 'altered server: usable again without the option');
$node->safe_psql('postgres', 'CREATE DATABASE altered TEMPLATE template0');
$node->command_ok([ 'pg_dump', '-f', "$dump.altered", 'postgres' ], 'rights on the server: dumps');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', "$dump.altered", 'altered' ], 'rights on the server: restores');
is($node->safe_psql('altered', q{SELECT has_server_privilege('reader', 'embedded', 'USAGE')}), 't', 'rights on the server: restored');

$node->stop;
done_testing();
