# What else goes on in a session must not be disturbed by its requests, nor the
# other way round: descriptors that run out, requests within others, OpenSSL.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use PostgreSQL::Test::Utils;
use Test::More;
use Txstore;
use TxstoreHttp;

start_stalls();
my $node = http_node('session');
my $control = session($node);
my ($plain, $tls, $ca) = (url('plain', ''), url('tls', '', 'good.test'), ca_file());

sub start_session
{
	my $session = session($node);
	result($session, 'SELECT 1 FROM pg_class LIMIT 1');
	return ($session, result($session, 'SELECT pg_backend_pid()'));
}

sub outcome_of
{
	my ($session, $url) = @_;
	return result($session, "SELECT outcome FROM http_request('$url', ca_file => '$ca')");
}

sub open_files
{
	my ($pid) = @_;
	return map { m{/(\d+)$} } glob "/proc/$pid/fd/*";
}

# What counts is the number of a descriptor: the limit below which so many are free.
sub limit_with_spare
{
	my ($spare, @open) = @_;
	my %is_open = map { $_ => 1 } @open;
	my $limit = 0;
	$spare -= !$is_open{ $limit++ } while $spare > 0 || $is_open{$limit};
	return $limit;
}

# Descriptors run out at every point of a request, the session's first one and a
# later one: it fails and says why, and the next is answered.
sub limit_files
{
	my ($pid, $limit) = @_;
	run_command([ 'prlimit', '--pid', $pid, "--nofile=$limit:" ]);
	return;
}

SKIP:
{
	skip 'there is no prlimit', 6 if system('prlimit --version >/dev/null 2>&1') != 0;
	foreach my $name ('plain', 'TLS by name')
	{
		my $url = ($name eq 'plain' ? $plain : $tls) . 'ok';
		my (%first, %later, %after, $grown);
		foreach my $spare (0 .. 14)
		{
			my ($session, $pid) = start_session();
			my ($before) = slurp_file("/proc/$pid/limits") =~ /^Max open files\s+(\d+)/m;
			limit_files($pid, limit_with_spare($spare, open_files($pid)));
			$first{ outcome_of($session, $url) }++;
			limit_files($pid, $before);
			$after{ outcome_of($session, $url) }++;
			result($session, 'SELECT http_close_idle()');
			my @open = open_files($pid);
			limit_files($pid, limit_with_spare($spare, @open));
			$later{ outcome_of($session, $url) }++;
			limit_files($pid, $before);
			$after{ outcome_of($session, $url) }++;
			result($session, 'SELECT http_close_idle()');
			$grown++ if open_files($pid) > @open;
			$session->quit;
		}
		note("$name, without descriptors: ", join ', ', map { "$_ $first{$_} + " . ($later{$_} // 0) } sort keys %first);
		is_deeply([ grep { !/^(unsent|answered|53\w\w\w)$/ } keys %first, keys %later ], [], "$name: what cannot be sent is not sent");
		cmp_ok($first{answered}, '<', 15, "$name: and some could not");
		is_deeply(\%after, { answered => 30 }, "$name: the session is usable");
		is($grown, undef, "$name: nothing is left open");
	}
}

# A request within another, while that one waits and serves an interrupt: the inner
# one is what the outer one's server waits for.
my ($session, $pid) = start_session();
result($session, "SELECT http_nest('${plain}release')");
begin_statement($session, "SELECT outcome, status, length(answer) FROM http_request('${plain}held', timeout => 60000)");
$node->poll_query_until('postgres', "SELECT wait_event_type = 'Extension' FROM pg_stat_activity WHERE pid = $pid") or die;
is(result($control, "SELECT pg_log_backend_memory_contexts($pid)"), 't', 'the session is asked to log');
is(end_statement($session), 'answered|200|100000', 'a request that another one interrupts');
is(result($session, 'SELECT http_nested()'), 'answered', 'the other one');
is(outcome_of($session, "${plain}ok"), 'answered', 'and the next');

# A request in the handler of an error that ended another one, and between the
# fetches of a cursor whose rows are requests.
$node->safe_psql('postgres', qq{
	CREATE FUNCTION handle(url text) RETURNS text LANGUAGE plpgsql AS \$\$
	BEGIN
		PERFORM http_request(url);
		RETURN 'no error';
	EXCEPTION WHEN query_canceled THEN
		RETURN (SELECT outcome FROM http_request('${plain}ok'));
	END \$\$});
result($session, 'SET statement_timeout = 100');
is(result($session, "SELECT handle('${plain}stall-in-body')"), 'answered', 'a request in the handler of an error');
result($session, 'SET statement_timeout = 0');
result($session, "BEGIN; DECLARE c CURSOR FOR SELECT length(answer) FROM generate_series(1, 3) AS n, LATERAL http_request('${plain}ok?' || n)");
is(result($session, 'FETCH c'), '1', 'a request of a cursor');
is(outcome_of($session, "${plain}close-in-body"), 'lost', 'one that fails meanwhile');
is(result($session, 'FETCH c'), '2', "the cursor's next");
result($session, 'COMMIT');

# OpenSSL's queue of errors, which the server's own connection shares.
foreach my $case ([ 'wrong', 'ok', 'unsent' ], [ 'close_hello', '', 'unsent' ], [ 'tls', 'close-in-body', 'lost' ],
	[ 'tls', 'reset-in-body', 'lost' ], [ 'tls', 'close', 'lost' ], [ 'tls', 'ok', 'answered' ])
{
	my ($port, $path, $outcome) = @$case;
	is(outcome_of($session, url($port, $path)), $outcome, "TLS: $port $path");
	is(result($session, 'SELECT http_openssl_error()'), '0', 'leaves no error behind');
}
# A connection that the server has reset while it was idle.
outcome_of($session, url('tls', 'answer-then-reset'));
select undef, undef, undef, 0.1;
is(result($session, 'SELECT http_close_idle() IS NULL, http_openssl_error()'), 'f|0', 'nor does closing a dead connection');

unlike(slurp_file($node->logfile), qr/PANIC|TRAP|terminated by signal/, 'no crash');
$_->quit foreach $session, $control;
$node->stop;
stop_stalls();
done_testing();
