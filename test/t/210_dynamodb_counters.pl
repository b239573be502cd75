# Counters under faults: sessions load, add one and store while the server fails
# at random.  In the end each counter is what was acknowledged, and what was left
# in doubt and, by the server's own record, was applied.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use FaultServer;
use PostgreSQL::Test::Utils;
use Test::More;
use Txstore;

my $sessions = 8;
my $partitions = 50;
my $each = 60;

my $server = FaultServer->new;
my $node = new_node('counters');
my $url = $server->url;
$node->safe_psql('postgres', qq{
	CREATE SERVER remote FOREIGN DATA WRAPPER txstore_fdw
		OPTIONS (provider 'dynamodb', endpoint '$url', table_name 'counters', request_timeout '3s');
	SELECT txstore.initialize_storage('remote');
	-- What each attempt came to: an SQLSTATE, or 00000.
	CREATE TABLE attempts (counter int, outcome text, etag text);
	CREATE PROCEDURE count_up(times int) LANGUAGE plpgsql AS \$\$
	DECLARE
		counter int;
		key text;
		was record;
		written text;
	BEGIN
		FOR i IN 1..times LOOP
			counter := 1 + floor(random() * $partitions);
			key := 'counter/' || counter;
			BEGIN
				written := NULL;
				SELECT *, coalesce(convert_from(committed_state, 'UTF8'), '0')::bigint AS n INTO was FROM txstore.load(key, 'remote');
				written := txstore.store(key, was.etag, was.metadata,
					ARRAY[txstore.prepare(was.committed_sequence_id + 1, convert_to((was.n + 1)::text, 'UTF8'))],
					was.committed_sequence_id + 1, storage => 'remote');
				INSERT INTO attempts VALUES (counter, '00000', written);
			EXCEPTION WHEN OTHERS THEN
				-- The ETag that this store would have given: another writer's tells.
				INSERT INTO attempts VALUES (counter, SQLSTATE, coalesce(was.etag::bigint, -1) + 1);
			END;
			COMMIT;
		END LOOP;
	END \$\$;
	INSERT INTO attempts SELECT n, 'made', txstore.store('counter/' || n, l.etag, '', ARRAY[txstore.prepare(1, '0')], 1, storage => 'remote')
		FROM generate_series(1, $partitions) AS n, txstore.load('counter/' || n, 'remote') AS l;
	DELETE FROM attempts});

$server->control(clear_log => \1, random => { probability => 0.05, seed => 7 });
my @running = map { session($node) } 1 .. $sessions;
begin_statement($_, "CALL count_up($each)") foreach @running;
is(end_statement($_), '', 'a session ends') foreach @running;
$server->control(random => undef);

my $outcomes = $node->safe_psql('postgres', q{SELECT string_agg(outcome || ' ' || n, ', ' ORDER BY outcome) FROM (SELECT outcome, count(*) AS n FROM attempts GROUP BY 1) AS o});
diag("outcomes: $outcomes");
cmp_ok($node->safe_psql('postgres', q{SELECT count(*) FROM attempts WHERE outcome = '00000'}), '>', $sessions * $each / 2, 'most stores succeed');
is($node->safe_psql('postgres', q{SELECT count(*) FROM attempts WHERE outcome NOT IN ('00000', '08007', '40001', '55P03', '53400', '08006', '08001', 'HV00L', '28000')}),
	0, 'no other error');

# What the server says: every write that it has applied, once.
my $writes = $server->writes;
my $applied = grep { $_->{applied} > 0 } values %$writes;
is((grep { $_->{applied} > 1 } values %$writes) + 0, 0, 'nothing was applied twice');
my $total = $node->safe_psql('postgres', qq{SELECT sum(convert_from(committed_state, 'UTF8')::bigint)
	FROM generate_series(1, $partitions) AS n, txstore.load('counter/' || n, 'remote')});
is($total, $applied, 'the counters add up to the writes that were applied');

# Nothing acknowledged is missing: each counter is at least that, and what it has
# beyond it was reported as unknown.
is($node->safe_psql('postgres', qq{SELECT count(*) FROM (
		SELECT n, convert_from(l.committed_state, 'UTF8')::bigint AS value,
			(SELECT count(*) FROM attempts WHERE counter = n AND outcome = '00000') AS good,
			(SELECT count(*) FROM attempts WHERE counter = n AND outcome = '08007') AS unknown
		FROM generate_series(1, $partitions) AS n, txstore.load('counter/' || n, 'remote') AS l) AS c
	WHERE value < good OR value > good + unknown}), 0, 'each counter is what was acknowledged, and some of what was in doubt');

$_->quit foreach @running;
$node->stop;
done_testing();
