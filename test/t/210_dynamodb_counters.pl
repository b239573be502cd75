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
my $each = 200;

my $server = FaultServer->new;
my $node = new_node('counters');
my $url = $server->url;
$node->safe_psql('postgres', qq{
	CREATE SERVER remote FOREIGN DATA WRAPPER txstore_fdw
		OPTIONS (provider 'dynamodb', endpoint '$url', table_name 'counters', request_timeout '3s');
	SELECT txstore.initialize_storage('remote');
	-- What each attempt came to: an SQLSTATE, or 00000.  Its transaction id is in
	-- the row that it writes, so the server's record tells which were applied.
	CREATE TABLE attempts (id uuid, counter int, outcome text, detail text);
	CREATE TABLE applied (id uuid, times int);
	CREATE PROCEDURE count_up(times int) LANGUAGE plpgsql AS \$\$
	DECLARE
		counter int;
		key text;
		id uuid;
		outcome text;
		detail text;
		was record;
	BEGIN
		FOR i IN 1..times LOOP
			counter := 1 + floor(random() * $partitions);
			key := 'counter/' || counter;
			id := gen_random_uuid();
			detail := NULL;
			BEGIN
				SELECT *, coalesce(convert_from(committed_state, 'UTF8'), '0')::bigint AS n INTO was FROM txstore.load(key, 'remote');
				PERFORM txstore.store(key, was.etag, was.metadata,
					ARRAY[txstore.prepare(was.committed_sequence_id + 1, convert_to((was.n + 1)::text, 'UTF8'), id)],
					was.committed_sequence_id + 1, storage => 'remote');
				outcome := '00000';
			EXCEPTION WHEN OTHERS THEN
				GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
				outcome := SQLSTATE;
				detail := SQLERRM || ' | ' || detail;
			END;
			INSERT INTO attempts VALUES (id, counter, outcome, detail);
			COMMIT;
		END LOOP;
	END \$\$;
	CREATE VIEW counters AS SELECT n, convert_from(committed_state, 'UTF8')::bigint AS value
		FROM generate_series(1, $partitions) AS n, txstore.load('counter/' || n, 'remote');
	SELECT txstore.store('counter/' || n, l.etag, '', ARRAY[txstore.prepare(1, '0')], 1, storage => 'remote')
		FROM generate_series(1, $partitions) AS n, txstore.load('counter/' || n, 'remote') AS l});

# Of every kind: lost, late, broken, refused, of the wrong shape.  Most are over with
# the next attempt; some counters lose every answer for a while, so that it stays
# unknown whether they were written.
my @lost = map { { operation => 'TransactWriteItems', body_contains => qq{"counter/$_"}, nth => 3, for_seconds => 2,
	fault => 'drop_after_body', when => $_ % 2 ? 'before' : 'after' } } 1 .. 6;
$server->control(clear_log => \1, faults => \@lost, random => { probability => 0.05, seed => 7, faults => 'all' });
my @running = map { session($node) } 1 .. $sessions;
begin_statement($_, "CALL count_up($each)") foreach @running;
is(end_statement($_), '', 'a session ends') foreach @running;
$server->control(faults => [], random => undef);

# What the server says: how often the write of each id was applied.
my (%kinds, %times);
foreach my $request (@{ $server->log })
{
	$kinds{ $request->{fault} }++ if defined $request->{fault};
	next unless $request->{operation} eq 'TransactWriteItems' && $request->{applied};
	my ($row) = grep { defined } map { $_->{Put}{Item}{TransactionId}{S} } @{ $request->{body}{TransactItems} };
	$times{$row}++;
}
diag(scalar(keys %kinds) . ' kinds of faults: ' . join(', ', map { "$_ $kinds{$_}" } sort keys %kinds));
$node->safe_psql('postgres', 'INSERT INTO applied VALUES ' . join(', ', map { "('$_', $times{$_})" } keys %times));

my $outcomes = $node->safe_psql('postgres', q{SELECT string_agg(outcome || ' ' || n, ', ' ORDER BY outcome) FROM (SELECT outcome, count(*) AS n FROM attempts GROUP BY 1) AS o});
diag("outcomes: $outcomes");
sub count_of { my ($from) = @_; return $node->safe_psql('postgres', "SELECT count(*) FROM $from") }
cmp_ok(scalar(keys %kinds), '>=', 40, 'many kinds of faults were met');
is(count_of('attempts'), $sessions * $each, 'every attempt is accounted for');
cmp_ok(count_of("attempts WHERE outcome = '00000'"), '>', $sessions * $each / 2, 'most stores succeed');
my $known = "'00000', '08007', '40001', '55P03', '53400', '54000', '08006', '08001', 'HV00L', 'XX001', '28000', '22023', 'HV000'";
is(count_of("attempts WHERE outcome NOT IN ($known)"), 0, 'no other error');

# Nothing twice; all that was acknowledged, and nothing that was refused.
is(count_of('applied WHERE times > 1'), 0, 'nothing was applied twice');
is(count_of("attempts LEFT JOIN applied USING (id) WHERE outcome = '00000' AND times IS DISTINCT FROM 1"), 0, 'nothing acknowledged is missing');
is(count_of("attempts JOIN applied USING (id) WHERE outcome NOT IN ('00000', '08007')"), 0, 'nothing refused was applied')
  or diag($node->safe_psql('postgres', "SELECT outcome, detail FROM attempts JOIN applied USING (id) WHERE outcome NOT IN ('00000', '08007')"));
is(count_of('applied LEFT JOIN attempts USING (id) WHERE outcome IS NULL'), 0, 'nothing else was applied');

# Each counter is what was acknowledged, and of what was in doubt exactly that which
# the server has applied.
is(count_of('(SELECT n FROM counters LEFT JOIN attempts ON counter = n LEFT JOIN applied USING (id)
		GROUP BY n, value HAVING value <> count(*) FILTER (WHERE outcome = $$00000$$ OR outcome = $$08007$$ AND times = 1)) AS wrong'),
	0, 'each counter is right');
cmp_ok(count_of("attempts JOIN applied USING (id) WHERE outcome = '08007'"), '>', 0, 'some that were in doubt are applied');
cmp_ok(count_of("attempts LEFT JOIN applied USING (id) WHERE outcome = '08007' AND times IS NULL"), '>', 0, 'and some are not');

$_->quit foreach @running;
$node->stop;
done_testing();
