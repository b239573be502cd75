# A streaming standby and other read-only servers: load() reads, nothing writes.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use PostgreSQL::Test::Cluster;
use Txstore;

my $primary = new_node('primary');
$primary->safe_psql('postgres', q{
	CREATE SERVER lossy FOREIGN DATA WRAPPER txstore_fdw OPTIONS (table_name 'lossy', persistence 'volatile');
	CREATE SERVER unmade FOREIGN DATA WRAPPER txstore_fdw OPTIONS (table_name 'unmade');
	SELECT put('p', 'old'), put('p', 'unlogged', 'lossy');
});
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;

# What would write, and all of it must be refused the same way.
my %writes = (
	'store' => q{SELECT save('p', 'no')},
	'delete_partition' => q{SELECT txstore.delete_partition('p', '1')},
	'initialize_storage' => q{SELECT txstore.initialize_storage('unmade')},
	'import_items' => q{SELECT txstore.import_items(ARRAY['{"PartitionKey":{"S":"i"},"RowKey":{"S":"key"},"ETag":{"N":"0"}}'])},
	'import_items_from' => q{SELECT txstore.import_items_from('pg_catalog.pg_description')},
	'first store' => q{SELECT put('p', 'no', 'unmade')});

sub check_read_only
{
	my ($session, $what, $value) = @_;
	is(result($session, q{SELECT value_of('p')}), $value, "$what: load() reads");
	is(result($session, q{SELECT count(*) FROM txstore.export_items()}), '2', "$what: export_items() reads");
	is(result($session, q{SELECT etag IS NULL FROM txstore.load('p', 'unmade')}), 't', "$what: a storage without tables is empty");
	is(result($session, q{SELECT value FROM txstore.describe_storage('unmade') WHERE property = 'status'}), 'not initialized',
		"$what: describe_storage() says so");
	is(result($session, q{SELECT count(*) FROM txstore.plan_store('p', (SELECT etag FROM txstore.handles WHERE partition_key = 'p' AND storage = 'embedded'), '')}),
		'1', "$what: plan_store() shows what would be written");
	is(result($session, $writes{$_}), '25006', "$what: $_ is refused") foreach sort keys %writes;
	is(result($session, q{SELECT must_load FROM txstore.handles WHERE storage = 'embedded'}), 'f', "$what: the handle stays usable");
	return;
}

my $session = session($standby);
$primary->wait_for_catchup($standby);
check_read_only($session, 'standby', 'old');
is(result($session, q{SELECT value_of('p', 'lossy')}), '0A000', 'standby: unlogged tables are not there, and that is said');

# The standby follows; within a transaction it keeps its snapshot where asked.
result($session, 'BEGIN ISOLATION LEVEL REPEATABLE READ');
is(result($session, q{SELECT value_of('p')}), 'old', 'a transaction on the standby reads');
$primary->safe_psql('postgres', q{SELECT put('p', 'new')});
$primary->wait_for_catchup($standby);
is(result($session, q{SELECT value_of('p')}), 'old', 'and reads the same again');
result($session, 'COMMIT');
is(result($session, q{SELECT value_of('p')}), 'new', 'after it the standby has followed');

# A store that the primary has not decided is not there; promotion ends it.
my $writer = session($primary);
result($writer, 'BEGIN');
is(result($writer, q{SELECT put('p', 'undecided')}), '2', 'a store is under way on the primary');
$primary->safe_psql('postgres', q{SELECT pg_switch_wal()});
$primary->wait_for_catchup($standby);
is(result($session, q{SELECT value_of('p')}), 'new', 'the standby does not show it');
$primary->stop('immediate');
$standby->promote;
is(result($session, q{SELECT save('p', 'promoted')}), '2', 'after the promotion the same session stores what it loaded');
is(result($session, q{SELECT value_of('p'), put('p', 'first', 'unmade')}), 'promoted|0', 'and makes tables');
is(result($session, q{SELECT value_of('p', 'lossy') IS NULL}), 't', 'unlogged tables are there, empty');

# A server and a transaction that are read-only for other reasons.
$standby->safe_psql('postgres', 'DROP SERVER unmade; DROP TABLE txstore_data.unmade_keys, txstore_data.unmade_states;
	CREATE SERVER unmade FOREIGN DATA WRAPPER txstore_fdw OPTIONS (table_name $$unmade$$);
	ALTER SYSTEM SET default_transaction_read_only = on; SELECT pg_reload_conf()');
$standby->poll_query_until('postgres', 'SHOW transaction_read_only', 'on');
my $reader = session($standby);
check_read_only($reader, 'read-only server', 'promoted');
is(result($reader, q{BEGIN READ WRITE; SELECT save('p', 'after all'); COMMIT}), '3', 'a transaction that says READ WRITE may write');

$_->quit foreach ($session, $reader);
$standby->stop;
done_testing();
