# Many clients read, decide and store at once: no update is lost, none is made
# twice.  The counters add up to the number of stores that succeeded.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use PostgreSQL::Test::Utils;
use Test::More;
use IPC::Run;
use Txstore;

my $node = new_node('counters', 'max_connections = 50');
$node->safe_psql('postgres', q{
	CREATE TABLE successes (partition text);
	CREATE FUNCTION counted() RETURNS bigint LANGUAGE sql AS $$
		SELECT coalesce(sum(value_of('p' || i)::bigint), 0) FROM generate_series(1, 100) AS i $$;
	-- Each store adds one to sequence number and value, and after the first one to the ETag.
	CREATE FUNCTION odd() RETURNS bigint LANGUAGE sql AS $$
		SELECT count(*) FROM generate_series(1, 100) AS i, txstore.load('p' || i)
		 WHERE etag IS NOT NULL
		   AND (convert_from(committed_state, 'UTF8')::bigint <> committed_sequence_id
				OR etag::bigint <> committed_sequence_id - 1 OR pending <> '{}') $$;
});

sub reset_counters
{
	$node->safe_psql('postgres', q{
		DROP TABLE IF EXISTS txstore_data."OrleansTransactionalState_keys", txstore_data."OrleansTransactionalState_states";
		TRUNCATE successes;
	});
}

sub check_counters
{
	my ($successes, $what) = @_;
	is($node->safe_psql('postgres', 'SELECT counted()'), $successes, "$what: counters add up to $successes successes");
	is($node->safe_psql('postgres', 'SELECT odd()'), 0, "$what: every version is the one before and one more");
}

# Runs pgbench; returns how many transactions it processed and how many failed.
sub run_pgbench
{
	my ($script, @options) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir() . '/script.sql';
	append_to_file($file, $script);
	my ($out, $err) = run_command([ 'pgbench', '-n', '-h', $node->host, '-p', $node->port, '-c', 16, '-j', 2,
		'-f', $file, @options, 'postgres' ]);
	my ($done) = $out =~ /number of transactions actually processed: (\d+)/;
	my ($failed) = $out =~ /number of failed transactions: (\d+)/;
	unlike($err, qr/aborted/, 'no client gave up') or diag($err);
	return ($done, $failed);
}

# load() and store() in transactions of their own: most stores meet another.
my $two_statements = q{
\set k random_zipfian(1, 100, 1.5)
SELECT coalesce(etag, '') AS etag, committed_sequence_id + 1 AS next,
	coalesce(convert_from(committed_state, 'UTF8'), '0')::bigint + 1 AS value FROM txstore.load('p' || :k) \gset
SELECT txstore.store('p' || :k, ':etag', '', ARRAY[txstore.prepare(:next, convert_to(':value', 'UTF8'))], :next);
};
my ($done, $failed) = run_pgbench($two_statements, '-t', 150);
is($done + $failed, 2400, 'two statements: every transaction ended');
cmp_ok($failed, '>', 20, "two statements: there were conflicts ($failed)");
check_counters($done, 'two statements');

# The counter is in the metadata, so that the key row alone tells a conflict:
# state rows of another store would be in the way of a stale one.
($done, $failed) = run_pgbench(q{
\set k random_zipfian(1, 100, 1.5)
SELECT coalesce(etag, '') AS etag, coalesce(nullif(convert_from(metadata, 'UTF8'), ''), '0')::bigint + 1 AS value
	FROM txstore.load('m' || :k) \gset
SELECT txstore.store('m' || :k, ':etag', convert_to(':value', 'UTF8'));
}, '-t', 150);
cmp_ok($failed, '>', 20, "metadata: there were conflicts ($failed)");
is($node->safe_psql('postgres', q{SELECT sum(convert_from(metadata, 'UTF8')::bigint), sum(etag::bigint + 1)
	FROM generate_series(1, 100) AS i, txstore.load('m' || i) WHERE etag IS NOT NULL}), "$done|$done",
	"metadata: counters and ETags add up to $done successes");

# One transaction around both, at the level where a snapshot stays.
reset_counters();
{
	local $ENV{PGOPTIONS} = '-c default_transaction_isolation=repeatable\ read';
	($done, $failed) = run_pgbench("BEGIN;\n${two_statements}COMMIT;\n", '-t', 100, '--max-tries', 1);
}
cmp_ok($failed, '>', 20, "repeatable read: there were conflicts ($failed)");
check_counters($done, 'repeatable read');

# A function that catches the conflict, called until it succeeds.
reset_counters();
$node->safe_psql('postgres', q{
	CREATE PROCEDURE add_one_at_last(k text) LANGUAGE plpgsql AS $$
	BEGIN
		WHILE NOT add_one(k) LOOP END LOOP;
		INSERT INTO successes VALUES (k);
	END $$;
});
my $catching = "\\set k random(1, 100)\nCALL add_one_at_last('p' || :k);\n";
($done, $failed) = run_pgbench($catching, '-t', 100);
is($done, 1600, 'function: every call succeeded at last');
check_counters($done, 'function');

# The clients are killed in the middle.  What counts is what was committed.
reset_counters();
my $file = PostgreSQL::Test::Utils::tempdir() . '/killed.sql';
append_to_file($file, $catching);
my ($out, $err) = ('', '');
my $pgbench = IPC::Run::start([ 'pgbench', '-n', '-h', $node->host, '-p', $node->port, '-c', 16, '-j', 2,
	'-t', 1000000, '-f', $file, 'postgres' ], '>', \$out, '2>', \$err);
ok($node->poll_query_until('postgres', 'SELECT count(*) > 500 FROM successes'), 'clients are storing');
$pgbench->kill_kill(grace => 0);
ok($node->poll_query_until('postgres',
	q{SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name = 'pgbench'}), 'the sessions of killed clients end');
check_counters($node->safe_psql('postgres', 'SELECT count(*) FROM successes'), 'killed clients');

$node->stop;
done_testing();
