# A session that has failed a thousand times holds no more files, threads and
# memory than before, and its connections work.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Txstore;
use TxstoreHttp;

start_stalls();
my $node = http_node('leaks');
my ($plain, $tls, $ca) = (url('plain', ''), url('tls', ''), ca_file());
$node->safe_psql('postgres', sprintf q{
	CREATE TABLE failures (i int PRIMARY KEY, url text, expected text);
	INSERT INTO failures SELECT row_number() OVER (), url, expected FROM (VALUES
		('%1$sclose', 'lost'), ('%1$sreset', 'lost'), ('%1$sclose-in-head', 'lost'), ('%1$sclose-in-body', 'lost'),
		('%1$sclose-in-chunk', 'lost'), ('%1$snot-http', 'lost'), ('%1$smany-headers?700', 'too large'),
		('%1$sok?2000', 'too large'), ('%1$sstall-in-body', 'late'), ('%1$ssilent', 'late'),
		('%2$sclose', 'lost'), ('%2$sstall-in-body', 'late'), ('%3$s', 'unsent'), ('%4$s', 'unsent'),
		('%5$s', 'unsent'), ('http://nowhere.invalid/', 'unsent'), ('ftp://x/', 'unsent'), ('nonsense:', 'unsent')
		) AS f (url, expected);
	-- Outcomes of so many failures, with a good request before each.
	CREATE FUNCTION fail(times int) RETURNS text LANGUAGE sql VOLATILE AS $$
		SELECT string_agg(DISTINCT CASE WHEN good.outcome <> 'answered' THEN 'good ' || good.outcome
			WHEN bad.outcome = expected OR bad.outcome = 'stale' AND expected = 'lost' THEN 'as expected'
			ELSE url || ' ' || bad.outcome END, ', ')
		  FROM generate_series(1, times) AS n JOIN failures ON i = n %% 18 + 1,
			   LATERAL http_request(CASE WHEN url LIKE 'https%%' THEN '%2$sok' ELSE '%1$sok' END || '?' || n %% 7,
				   convert_to('good', 'UTF8'), ca_file => '%6$s') AS good,
			   LATERAL http_request(url, convert_to('bad', 'UTF8'), ca_file => '%6$s', timeout => CASE expected WHEN 'late' THEN 3 ELSE 5000 END,
				   max_answer => 1000) AS bad
	$$;
}, $plain, $tls, url('closed', ''), url('wrong', 'ok'), url('close_hello', ''), $ca);

my $session = session($node);
my $pid = result($session, 'SELECT pg_backend_pid()');

# libcurl 8.20 and later keep threads for lookups, of which a host name takes two,
# until they have had nothing to do for some seconds.
my $pool = 20;
sub threads { return scalar(() = glob "/proc/$pid/task/*") }
sub threads_left
{
	for (1 .. 300) { last if threads() == 1; select undef, undef, undef, 0.1; }
	return threads();
}

# Files, threads, kilobytes.
sub holdings
{
	result($session, 'SELECT http_close_idle()');
	return (scalar(() = glob "/proc/$pid/fd/*"), threads(), memory_of($pid, 'RssAnon'));
}

sub check
{
	my ($what, $files, $threads, $memory) = @_;
	my @now = holdings();
	is($now[0], $files, "$what: files");
	cmp_ok($now[1], '<=', 1 + $pool, "$what: threads");
	is(threads_left(), 1, "$what: none in the end");
	cmp_ok($now[2] - $memory, '<', 1024, "$what: memory, $now[2] kB after $memory kB");
	return;
}

is(result($session, 'SELECT fail(200)'), 'as expected', 'failures');
my @before = holdings();
is(result($session, 'SELECT fail(1000)'), 'as expected', 'a thousand failures');
check('a thousand failures', @before);

# Errors raised in the middle: of the statement, and caught in a subtransaction.
$node->safe_psql('postgres', sprintf q{
	CREATE FUNCTION divide(url text) RETURNS text LANGUAGE plpgsql AS $$
	BEGIN
		RETURN 1 / (status - 200) FROM http_request(url, ca_file => '%s');
	EXCEPTION WHEN division_by_zero THEN
		RETURN 'caught';
	END $$;
}, $ca);
result($session, "SET statement_timeout = 5");
is(result($session, "SELECT http_request('${_}stall-in-body', ca_file => '$ca')"), '57014', "cancelled") foreach (($plain, $tls) x 3);
my @warm = holdings();
my %outcomes;
$outcomes{ result($session, "SELECT http_request('${_}stall-in-body', ca_file => '$ca')") }++ foreach (($plain, $tls) x 50);
is_deeply(\%outcomes, { 57014 => 100 }, 'a hundred statements are cancelled');
%outcomes = ();
my $full = url('full', '');
$outcomes{ result($session, "SELECT http_request('$full', connect_timeout => 60000)") }++ for 1 .. 200;
is_deeply(\%outcomes, { 57014 => 200 }, 'two hundred times while they connect');
result($session, "SET statement_timeout = 0");
check('cancels', @warm);
is(result($session, "SELECT outcome FROM http_request('${plain}ok')"), 'answered', 'and then a connection is made');
is(result($session, "SELECT string_agg(DISTINCT divide('${plain}ok'), ' ') FROM generate_series(1, 300)"), 'caught', 'errors of others');
check('errors of others', @warm);

for (1 .. 100) { last if stats()->{open} <= 3; select undef, undef, undef, 0.1; }
cmp_ok(stats()->{open}, '<=', 3, 'no connection is left open');
$session->quit;
$node->stop;
stop_stalls();
done_testing();
