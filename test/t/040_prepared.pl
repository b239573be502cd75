# PREPARE TRANSACTION: who stored forgets the partition, another session decides,
# also after a crash.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Txstore;

my $node = new_node('prepared', 'max_prepared_transactions = 5');
my $one = session($node);
my $two = session($node);

sub prepare_store
{
	my ($key, $value) = @_;
	result($one, "SELECT value_of('$key')");
	result($one, 'BEGIN');
	my $etag = result($one, "SELECT save('$key', '$value')");
	result($one, "PREPARE TRANSACTION 'x'");
	return $etag;
}

sub handles
{
	return result($_[0], 'SELECT partition_key, etag, must_load FROM txstore.handles ORDER BY 1');
}

result($two, "SELECT put('p', 'old'), put('q', 'old')");

# COMMIT PREPARED by another session.
result($one, "SELECT value_of('q')");
is(prepare_store('p', 'new'), '1', 'a store is prepared');
is(handles($one), 'q|0|f', 'the session has forgotten what it stored, and nothing else');
is(result($one, "SELECT save('p', 'newer')"), '55000', 'so it must load');
is(result($one, "SELECT value_of('p')"), 'old', 'which shows the version before');
result($two, "SET lock_timeout = '50ms'");
result($two, "SELECT value_of('p')");
is(result($two, "SELECT save('p', 'two')"), '55P03', 'another store waits for the decision');
is(result($two, "SELECT save('p', 'two')"), '55000', 'and after that failure demands load()');
result($two, "SELECT value_of('p')");
begin_statement($one, "SELECT save('p', 'newer')");
is($node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE NOT granted}), 1, 'a third one waits');
is(result($two, "COMMIT PREPARED 'x'"), '', 'the prepared store is committed');
is(end_statement($one), '40001', 'who waited is refused');
is(result($two, "SELECT save('p', 'two')"), '40001', 'so is who had loaded before');
is(result($two, "SELECT value_of('p'), save('p', 'two')"), 'new|2', 'loading helps');

# ROLLBACK PREPARED: another session gets the ETag that the prepared store had.
is(prepare_store('p', 'never'), '3', 'another store is prepared');
result($two, "ROLLBACK PREPARED 'x'");
is(result($two, "SELECT value_of('p'), save('p', 'three')"), 'two|3', 'rolled back, its ETag goes to another store');
is(result($one, "SELECT save('p', 'four')"), '55000', 'which the first session does not take for its own');
is(result($one, "SELECT value_of('p')"), 'three', 'it loads');

# A load() that saw the prepared store before.
result($one, 'BEGIN');
is(result($one, "SELECT save('p', 'never'), value_of('p')"), '4|never', 'a store is read back in its transaction');
result($one, "PREPARE TRANSACTION 'x'");
result($two, "ROLLBACK PREPARED 'x'");
result($two, "SELECT value_of('p'), save('p', 'five')");
is(result($one, "SELECT save('p', 'four')"), '55000', 'what was read back is forgotten too');

# So is a deletion, and the fresh partition it left.
my $etag = result($one, "SELECT etag FROM txstore.load('p')");
result($one, 'BEGIN');
is(result($one, "SELECT txstore.delete_partition('p', '$etag'), value_of('p') IS NULL"), 't|t', 'a deletion is prepared');
result($one, "PREPARE TRANSACTION 'x'");
unlike(handles($one), qr/^p/, 'and forgotten');
result($two, "ROLLBACK PREPARED 'x'");
is(result($two, "SELECT value_of('p')"), 'five', 'rolled back, all is there');

# The first write of a storage, with its tables, and a crash in between.
$node->safe_psql('postgres', q{CREATE SERVER other FOREIGN DATA WRAPPER txstore_fdw OPTIONS (table_name 'other')});
result($one, 'BEGIN');
is(result($one, "SELECT put('p', 'first', 'other')"), '0', 'tables and a first store are prepared');
is(prepare_store('q', 'crashed'), '1', 'with another partition in the same transaction');
$_->quit foreach ($one, $two);
$node->stop('immediate');
$node->start;
$one = session($node);
is(result($one, "SELECT value_of('q')"), 'old', 'after a crash it is still undecided');
is(result($one, "SELECT value_of('p', 'other') IS NULL"), 't', 'the tables are not there yet');
result($one, "SET lock_timeout = '50ms'");
is(result($one, "SELECT save('q', 'no')"), '55P03', 'a store waits');
is(result($one, "SELECT put('p', 'no', 'other')"), '55P03', 'so does who would make the tables');
is(result($one, "COMMIT PREPARED 'x'"), '', 'it is committed');
is(result($one, "SELECT value_of('q'), value_of('p', 'other')"), 'crashed|first', 'and there');
is(result($one, "SELECT save('q', 'on'), put('p', 'on', 'other')"), '2|1', 'both storages go on');

$one->quit;
$node->stop;
done_testing();
