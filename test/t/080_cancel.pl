# Waits end when they are told to, and leave a session that works: after a store
# that was cancelled a handle demands load(), since it could have written.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Time::HiRes;
use Txstore;

my $node = new_node('cancelled');
$node->safe_psql('postgres', q{SELECT put('p', 'old'), put('q', 'old');
	CREATE TABLE items AS SELECT '{"PartitionKey":{"S":"new"},"RowKey":{"S":"key"},"ETag":{"N":"0"}}' AS item});
my $holder = session($node);
my $waiter = session($node);
my $pid = result($waiter, 'SELECT pg_backend_pid()');

# The waiter runs a statement that meets a lock of the holder.
sub wait_for
{
	my ($sql) = @_;
	begin_statement($waiter, $sql);
	$node->poll_query_until('postgres', "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = $pid")
		or die 'does not wait';
	return;
}

# And is cancelled; a tenth of a second would do, two allow for a busy machine.
sub cancelled
{
	my $start = Time::HiRes::time;
	$node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
	my $outcome = end_statement($waiter);
	my $seconds = Time::HiRes::time - $start;
	return $seconds < 2 ? $outcome : "$outcome after $seconds s";
}

# Cancelled while waiting for the key row.
result($holder, q{BEGIN; SELECT put('p', 'held'), put('new', 'held')});
result($waiter, q{SELECT value_of('p')});
wait_for(q{SELECT save('p', 'no')});
is(cancelled(), '57014', 'store() that waits is cancelled');
is(result($waiter, q{SELECT save('p', 'no')}), '55000', 'its handle demands load()');
is(result($waiter, q{SELECT value_of('p')}), 'old', 'the session loads');
is(result($waiter, q{SELECT put('q', 'other')}), '1', 'and stores elsewhere');

# Inside a transaction that goes on.
result($waiter, 'BEGIN; SAVEPOINT s');
wait_for(q{SELECT save('p', 'no')});
is(cancelled(), '57014', 'in a transaction');
result($waiter, 'ROLLBACK TO s');
is(result($waiter, q{SELECT save('p', 'no')}), '55000', 'in a transaction: the handle demands load()');
result($waiter, 'ROLLBACK TO s');
is(result($waiter, q{SELECT put('q', 'on')}), '2', 'in a transaction: it goes on');
result($waiter, 'COMMIT');

# Whatever waits: an index entry, a row to delete, a row to import.
is(result($waiter, q{SELECT value_of('new') IS NULL}), 't', 'a partition that is being made is not there yet');
wait_for(q{SELECT save('new', 'no')});
is(cancelled(), '57014', 'a first store is cancelled');
is(result($waiter, q{SELECT save('new', 'no')}), '55000', 'a first store: the handle demands load()');
wait_for(q{SELECT txstore.delete_partition('p', '0')});
is(cancelled(), '57014', 'delete_partition() is cancelled');
wait_for(q{SELECT txstore.import_items_from('items')});
is(cancelled(), '57014', 'import is cancelled');

# The timeouts.
foreach my $timeout ('statement_timeout', 'lock_timeout')
{
	my $state = $timeout eq 'lock_timeout' ? '55P03' : '57014';
	result($waiter, q{SELECT value_of('p')});
	result($waiter, "SET $timeout = '50ms'");
	is(result($waiter, q{SELECT save('p', 'no')}), $state, "$timeout ends store()");
	is(result($waiter, q{SELECT save('p', 'no')}), '55000', "$timeout: the handle demands load()");
	result($waiter, "SET $timeout = 0");
}

# Loading never waits for a writer.
result($waiter, q{SET statement_timeout = '5s'});
is(result($waiter, q{SELECT value_of('p')}), 'old', 'load() does not wait');
is(result($waiter, q{SELECT count(*) FROM txstore.export_items('p')}), '2', 'nor does export_items()');
result($waiter, 'SET statement_timeout = 0');

# The holder is ended: who waits goes on.
wait_for(q{SELECT save('p', 'mine')});
$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'});
is(end_statement($waiter), '1', 'when the holder is terminated, the waiting store succeeds');
$holder->{run}->finish;

$holder = session($node);
result($holder, q{SELECT value_of('p')});
result($holder, q{SET idle_in_transaction_session_timeout = '300ms'});
result($holder, q{BEGIN; SELECT save('p', 'held')});
begin_statement($waiter, q{SELECT save('p', 'mine again')});
is(end_statement($waiter), '2', 'when the holder has been idle for too long, too');
$holder->{run}->finish;

# The one that waits is terminated.
$holder = session($node);
result($holder, q{BEGIN; SELECT put('p', 'held')});
wait_for(q{SELECT save('p', 'no')});
$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid)");
$waiter->{run}->finish;
is(result($holder, q{COMMIT; SELECT value_of('p')}), 'held', 'terminating who waits disturbs nobody');

# The making of tables.
$waiter = session($node);
$pid = result($waiter, 'SELECT pg_backend_pid()');
$node->safe_psql('postgres', q{CREATE SERVER other FOREIGN DATA WRAPPER txstore_fdw OPTIONS (table_name 'other')});
result($holder, q{BEGIN; SELECT txstore.initialize_storage('other')});
wait_for(q{SELECT put('p', 'no', 'other')});
is(cancelled(), '57014', 'waiting for tables to be made is cancelled');
result($holder, 'ROLLBACK');
is(result($waiter, q{SELECT put('p', 'first', 'other')}), '0', 'then this session makes them');

# What is long, rather than waiting: there is no end of these items.
my $session = session($node);
$node->safe_psql('postgres', q{
	CREATE VIEW endless AS SELECT format('{"PartitionKey":{"S":"%s"},"RowKey":{"S":"key"},"ETag":{"N":"0"}}', i) AS item
	  FROM (SELECT generate_series(1, 2000000000) AS i) AS endless;
	CREATE VIEW endlessly_there AS SELECT item FROM (SELECT generate_series(1, 2000000000)) AS endless, items;
	CREATE TABLE lines AS SELECT array_agg(item) AS items FROM (SELECT item FROM endless LIMIT 200000) AS i;
	CREATE TABLE versions AS SELECT array_agg(txstore.prepare(i, '\x00') ORDER BY i) AS prepares FROM generate_series(2, 200000) AS i;
	SELECT txstore.import_items_from('items', 'other');
	SELECT put('long', 'x');
});
sub too_long
{
	my ($sql, $milliseconds) = @_;
	result($session, "SET statement_timeout = $milliseconds");
	my $start = Time::HiRes::time;
	my $outcome = result($session, $sql);
	my $seconds = Time::HiRes::time - $start;
	result($session, 'SET statement_timeout = 0');
	return $seconds < 5 ? $outcome : "$outcome after $seconds s";
}
is(too_long(q{SELECT txstore.import_items_from('endless', 'other')}, 200), '57014', 'a long import is cancelled');
is(result($session, q{SELECT count(*) FROM txstore.export_items(NULL, 'other')}), '3', 'and nothing of it kept');
is(too_long(q{SELECT txstore.import_items_from('endlessly_there', 'other')}, 200), '57014', 'also when it only skips');
is(too_long(q{SELECT txstore.import_items((SELECT items FROM lines), 'other')}, 100),
	'57014', 'also from an array');
result($session, q{SELECT count(*) FROM txstore.load('long')});
# First to its end, to see how long; the first part of it is planning.
result($session, 'BEGIN');
my $start = Time::HiRes::time;
result($session, q{SELECT txstore.store('long', '0', '', (SELECT prepares FROM versions))});
my $whole = Time::HiRes::time - $start;
result($session, 'ROLLBACK');
result($session, q{SELECT count(*) FROM txstore.load('long')});
is(too_long(q{SELECT txstore.store('long', '0', '', (SELECT prepares FROM versions))}, int($whole * 600)),
	'57014', 'a long store is cancelled');
is(result($session, q{SELECT save('long', 'no')}), '55000', 'and demands load()');
is(result($session, q{SELECT etag, cardinality(pending) FROM txstore.load('long')}), '0|0', 'which shows that nothing was stored');
$node->safe_psql('postgres', q{CREATE VIEW many AS SELECT item FROM endless LIMIT 50000; SELECT txstore.import_items_from('many', 'other')});
is(too_long(q{SELECT count(*) FROM txstore.export_items(NULL, 'other')}, 20), '57014', 'a long export is cancelled');
is(result($session, q{SELECT count(*) FROM txstore.export_items(NULL, 'other')}), '50003', 'and can be repeated');
is(result($session, q{SELECT put('long', 'on')}), '1', 'the session is usable');

$_->quit foreach ($holder, $waiter, $session);
$node->stop;
done_testing();
