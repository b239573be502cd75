# A hot standby reads what was stored, and refuses everything else plainly.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1);
$primary->start;
$primary->safe_psql('postgres', q{
	CREATE EXTENSION txstore;
	CREATE SERVER volatile FOREIGN DATA WRAPPER txstore_fdw
		OPTIONS (schema_name 'volatile', persistence 'volatile');
	SELECT txstore.store('p', '', 'm', storage => s)
		FROM unnest(ARRAY['embedded', 'volatile']::name[]) s, txstore.load('p', s);
});
$primary->backup('backup');

my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->start;

# The SQLSTATE that a statement ends with on the standby, or its answer.
sub outcome
{
	my ($sql) = @_;
	my ($status, $out, $err) =
	  $standby->psql('postgres', "\\set VERBOSITY sqlstate\n$sql");
	return $status == 0 && $err eq '' ? $out : $err =~ s/.*ERROR: +(\w+).*/$1/sr;
}

is(outcome(q{SELECT etag FROM txstore.load('p')}), '0', 'load() reads');
is(outcome(q{SELECT count(*) FROM txstore.export_items()}), '1', 'export_items() reads');
is(outcome(qq{SELECT FROM txstore.load('p');\nSELECT row_key FROM txstore.plan_store('p', '0', '')}),
	'key', 'plan_store() plans');
is(outcome(q{SELECT txstore.store('p', '0', '')}), '25006', 'store() is refused');
is(outcome(q{SELECT txstore.delete_partition('p', '0')}), '25006', 'delete_partition() is refused');
is(outcome(q{SELECT txstore.initialize_storage()}), '25006', 'initialize_storage() is refused');
is(outcome(q{SELECT txstore.import_items('{}')}), '25006', 'import_items() is refused');
is(outcome(q{SELECT txstore.load('p', 'volatile')}), '0A000', 'unlogged tables have no rows to read');
is(outcome(q{SELECT count(*) FROM txstore.export_items(NULL, 'volatile')}), '0A000', 'nor to export');

$standby->promote;
is(outcome(qq{SELECT FROM txstore.load('p');\nSELECT txstore.store('p', '0', '')}) =~ s/\A\n//r,
	'1', 'store() works after promotion');

$standby->stop;
$primary->stop;
done_testing();
