# At whatever point a load() or a store() stalls, a cancel, a timeout, termination,
# another session's DROP DATABASE and a shutdown are served at once, what is said
# is right, and the session goes on.  The aim is 100 ms after the signal; what
# fails is what takes a second, since the machine may be busy.  The figures are
# printed.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use FaultServer;
use IO::Socket::INET;
use Interrupts;
use List::Util qw(max);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes;
use Txstore;
use TxstoreHttp;

my $limit = 1000;
my $rounds = $ENV{TXSTORE_ROUNDS} // 1000;

my $folder = PostgreSQL::Test::Utils::tempdir();
system_or_bail("$FindBin::Bin/../servers/make_certificates", $folder);
my %servers = (
	plain => FaultServer->new,
	TLS => FaultServer->new('--certificate', "$folder/server.pem", '--key', "$folder/server.key"));

# Two other addresses of this machine: one takes no connection, as its queue is
# full, the other one takes them and says nothing.
my $full = IO::Socket::INET->new(LocalAddr => '127.0.0.9', Listen => 1) or die "no socket: $!";
my @waiting = map { IO::Socket::INET->new(PeerAddr => '127.0.0.9', PeerPort => $full->sockport, Blocking => 0) } 1 .. 4;
my $silent = IO::Socket::INET->new(LocalAddr => '127.0.0.8', Listen => 1000) or die "no socket: $!";

# Where a call stalls: at an endpoint that is no server, or by a fault.
#   brief: such an endpoint whose lookup ends after a second
#   applied: a store() has been carried out, though no answer tells
#   decided: what was sent has been refused for certain
my @places = (
	{ name => 'lookup', endpoint => 'https://stall10.test.invalid', brief => 'https://stall1.test.invalid' },
	{ name => 'connect', endpoint => 'https://127.0.0.9:' . $full->sockport },
	{ name => 'handshake', endpoint => 'https://127.0.0.8:' . $silent->sockport },
	{ name => 'silent', fault => { fault => 'stall', at => 'start', when => 'before' } },
	{ name => 'silent', fault => { fault => 'stall', at => 'start' }, server => 'plain', applied => 1 },
	{ name => 'head', fault => { fault => 'stall', at => 'headers' }, applied => 1 },
	{ name => 'body', fault => { fault => 'stall', at => 'body' }, applied => 1 },
	{ name => 'drip', fault => { fault => 'drip', at => 'body' }, applied => 1 },
	{ name => 'drip', fault => { fault => 'drip', at => 'headers' }, server => 'plain', applied => 1 },
	{ name => 'pause', fault => { fault => 'throttle', headers => { 'x-amz-retry-after' => '60000' } }, decided => 1 },
	{ name => 'pause after 500', fault => { fault => 'http_500', when => 'after', headers => { 'x-amz-retry-after' => '60000' } }, applied => 1 });
my @stalls = map { my $place = $_; map { { %$place, call => $_, server => $place->{server} // 'TLS' } } ('load', 'store') } @places;
foreach my $i (0 .. $#stalls)
{
	my $stall = $stalls[$i];
	$stall->{remote} = "remote$i";
	$stall->{key} = "partition<$i>";
	$stall->{name} = join ' ', $stall->{call}, $stall->{name}, $stall->{server} eq 'plain' ? 'plain' : ();
	$stall->{writes} = $stall->{call} eq 'store';
	$stall->{sql} = $stall->{writes} ? "SELECT append('$stall->{key}', '$stall->{remote}')" : state_sql($stall);
	$stall->{fault} = { %{ $stall->{fault} }, operation => $stall->{writes} ? 'TransactWriteItems' : 'GetItem',
		body_contains => $stall->{key}, times => undef } if $stall->{fault};
	$stall->{version} = 1;
}

sub state_sql { return "SELECT committed_sequence_id FROM txstore.load('$_[0]{key}', '$_[0]{remote}')" }

my $node;
{
	local $ENV{LD_PRELOAD} = TxstoreHttp::preload();
	$node = new_node('interrupted', 'max_connections = 60', 'log_min_messages = log');
}

$node->safe_psql('postgres', q{
	-- Store the version after the one that the session has loaded.
	CREATE FUNCTION append(k text, s name) RETURNS text LANGUAGE sql VOLATILE AS $$
		SELECT txstore.store(k, h.etag, '', ARRAY[txstore.prepare(h.committed_sequence_id + 1, 'x')],
			h.committed_sequence_id + 1, storage => s)
		  FROM txstore.handles AS h WHERE h.partition_key = k AND h.storage = s $$;
	-- The milliseconds since a time in the call's own terms, and the detail of a cancel.
	CREATE FUNCTION attempt(call text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		detail text;
		at float8;
	BEGIN
		EXECUTE call;
		RETURN 'it did not stall';
	EXCEPTION WHEN query_canceled THEN
		at := extract(epoch FROM clock_timestamp()) * 1000;
		GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
		RETURN format('%s %s %s', SQLSTATE, at, detail);
	END $$;
});
foreach my $stall (@stalls)
{
	my $url = $servers{ $stall->{server} }->url;
	$node->safe_psql('postgres', qq{
		CREATE SERVER $stall->{remote} FOREIGN DATA WRAPPER txstore_fdw OPTIONS (provider 'dynamodb', endpoint '$url',
			table_name 'stalls', ca_file '$folder/ca.pem', request_timeout '300s', connect_timeout '300s');
		SELECT put('$stall->{key}', 'first', '$stall->{remote}')});
}

my $control = session($node);
sub start_sessions
{
	foreach (@stalls)
	{
		$_->{session} = session($node);
		$_->{pid} = result($_->{session}, 'SELECT pg_backend_pid()');
	}
	return;
}

sub set_endpoint
{
	my ($stall, $url) = @_;
	result($control, "ALTER SERVER $stall->{remote} OPTIONS (SET endpoint '$url')");
	return;
}

# Faults and endpoints as they are when a call must stall, and when not.
sub arm
{
	foreach my $name (keys %servers)
	{
		$servers{$name}->control(clear_log => \1, faults => [ map { $_->{fault} } grep { $_->{fault} && $_->{server} eq $name } @stalls ]);
	}
	set_endpoint($_, $_->{endpoint}) foreach grep { $_->{endpoint} } @stalls;
	return;
}

sub disarm
{
	$_->control(faults => []) foreach values %servers;
	set_endpoint($_, $servers{ $_->{server} }->url) foreach grep { $_->{endpoint} } @stalls;
	return;
}

# All sessions begin to stall; returns when every one of them does.
sub begin_all
{
	my ($sql) = @_;
	result($_->{session}, state_sql($_)) foreach @stalls;
	arm();
	begin_statement($_->{session}, sprintf $sql, $_->{sql}) foreach @stalls;
	return;
}

sub stall_all
{
	begin_all('SELECT attempt($$%s$$)');
	my $pids = join ',', map { $_->{pid} } @stalls;
	$node->poll_query_until('postgres', "SELECT count(*) = @{[ scalar @stalls ]} FROM pg_stat_activity
		WHERE pid IN ($pids) AND state = 'active' AND wait_event_type = 'Extension'") or die 'they do not wait';
	foreach my $server (values %servers)
	{
		Time::HiRes::sleep(0.01) while grep { !$_->{hits} } @{ $server->get->{rules} };
	}
	Time::HiRes::sleep(0.1);
	return;
}

sub report
{
	my ($what, @milliseconds) = @_;
	my @named = map { sprintf '%s %.0f', $stalls[$_]{name}, $milliseconds[$_] } 0 .. $#milliseconds;
	note("$what, ms: ", join ', ', @named);
	cmp_ok(max(@milliseconds), '<', $limit, sprintf '%s takes effect after at most %.0f ms', $what, max(@milliseconds));
	return;
}

# What a cancelled call says: code, time, detail.
sub check_cancel
{
	my ($stall, $outcome) = @_;
	my ($code, $at, $detail) = $outcome =~ /^(\w{5}) (\S+) ?(.*)$/s;
	is($code, '57014', "$stall->{name}: SQLSTATE") or diag($outcome);
	if ($stall->{writes} && !$stall->{decided})
	{
		like($detail, qr/^A write to table "\w+" of server "$stall->{remote}" was under way: it may have been applied/, "$stall->{name}: detail");
	}
	else
	{
		is($detail, '', "$stall->{name}: no detail");
	}
	return $at // 1e15;
}

# Sessions are usable, load() agrees with what the server has applied, nothing was
# applied twice, and there are as many descriptors as before.
sub usable
{
	my ($what) = @_;
	disarm();
	my @wrong;
	foreach my $stall (@stalls)
	{
		$stall->{version}++ if $stall->{writes} && $stall->{applied} && $what ne 'at first';
		my $found = result($stall->{session}, state_sql($stall));
		push @wrong, "$stall->{name}: $found, not $stall->{version}" if $found ne $stall->{version};
	}
	is(join(', ', @wrong), '', "$what: all sessions are usable, and load() agrees");
	my @twice = grep { ($_->{applied} // 0) > 1 } map { values %{ $_->writes } } values %servers;
	is(scalar(@twice), 0, "$what: nothing was applied twice");
	return;
}

start_sessions();
usable('at first');

# pg_cancel_backend().
stall_all();
my @milliseconds = map {
	my $sent = result($control, "SELECT extract(epoch FROM clock_timestamp()) * 1000 FROM pg_cancel_backend($_->{pid})");
	check_cancel($_, end_statement($_->{session})) - $sent;
} @stalls;
report('pg_cancel_backend()', @milliseconds);
my @handles = grep { result($_->{session}, "SELECT txstore.store('$_->{key}', '0', '', storage => '$_->{remote}')") ne '55000' }
	grep { $_->{writes} } @stalls;
is(join(', ', map { $_->{name} } @handles), '', 'after a store() that was cancelled load() is demanded');
usable('cancel');

# statement_timeout.
result($_->{session}, state_sql($_) . '; SET statement_timeout = 1000') foreach @stalls;
arm();
begin_statement($_->{session}, "SELECT extract(epoch FROM statement_timestamp()) * 1000 || '|' || attempt(\$\$$_->{sql}\$\$)") foreach @stalls;
@milliseconds = map {
	my ($start, $outcome) = end_statement($_->{session}) =~ /^([\d.]+)\|(.*)$/s;
	check_cancel($_, $outcome // '') - 1000 - ($start // 0);
} @stalls;
report('statement_timeout', @milliseconds);
result($_->{session}, 'SET statement_timeout = 0') foreach @stalls;
usable('statement_timeout');

my $idle = drop_database($control);
stall_all();
my $stalled = drop_database($control);
cmp_ok($stalled, '<', $idle + $limit, sprintf 'DROP DATABASE elsewhere takes %.0f ms, %.0f ms when nobody stalls', $stalled, $idle);
result($control, "SELECT pg_cancel_backend($_->{pid})") foreach @stalls;
check_cancel($_, end_statement($_->{session})) foreach @stalls;
usable('barrier');

# As many rounds as it takes to see a leak.
my $each = int($rounds / @stalls);
sub fail_often
{
	my ($times, $endpoint) = @_;
	foreach my $stall (@stalls)
	{
		my $good = $servers{ $stall->{server} }->url;
		my ($set, $reset) = map { $stall->{endpoint} ? "ALTER SERVER $stall->{remote} OPTIONS (SET endpoint '$_')" : 'SELECT 1' }
			($stall->{brief} // $stall->{endpoint}, $good);
		my $writes = $stall->{writes} ? state_sql($stall) : 'SELECT 1';
		# Retries cost tokens, and every success gives one back.
		my $refill = $stall->{name} =~ /pause/
			? "SELECT count(l.etag) FROM generate_series(1, 7), txstore.load('refill', '$stall->{remote}') AS l" : 'SELECT 1';
		result($stall->{session}, "PREPARE refill AS $refill; PREPARE good AS $writes; PREPARE bad AS $stall->{sql}");
		my $one = join ";\n", 'SET statement_timeout = 0', $stall->{fault} ? () : $reset, 'EXECUTE refill', 'EXECUTE good',
			$stall->{fault} ? () : $set, 'SET statement_timeout = 20', 'EXECUTE bad';
		begin_statement($stall->{session}, join ";\n", ($one) x $times, 'SET statement_timeout = 0', $reset, 'DEALLOCATE ALL', q{SELECT 'over'});
	}
	my @wrong;
	foreach my $stall (@stalls)
	{
		$stall->{session}{stderr} = '';
		my $output = $stall->{session}->query('');
		my $cancelled = () = $stall->{session}{stderr} =~ /ERROR:  57014/g;
		my $errors = () = $stall->{session}{stderr} =~ /ERROR:/g;
		push @wrong, "$stall->{name}: $cancelled of $errors" if $cancelled != $times || $errors != $times;
	}
	is(join(', ', @wrong), '', "$times times each is cancelled");
	return;
}

sub memory { return memory_of($_[0]{pid}, 'RssAnon') }

arm();
set_endpoint($_, $servers{ $_->{server} }->url) foreach grep { $_->{endpoint} } @stalls;
# Not before the resolver's threads have returned, after a second or so.
sub threads
{
	my @more;
	for (1 .. 200)
	{
		@more = grep { scalar(() = glob "/proc/$_->{pid}/task/*") > 1 } @stalls;
		last unless @more;
		Time::HiRes::sleep(0.1);
	}
	return join ', ', map { $_->{name} } @more;
}
fail_often($each);
threads();
my @before = map { [ open_sockets($_->{pid}), memory($_) ] } @stalls;
fail_often($each);
is(threads(), '', 'no thread is left');
my (@files, @grown, @figures);
foreach my $i (0 .. $#stalls)
{
	my ($open, $memory) = (open_sockets($stalls[$i]{pid}), memory($stalls[$i]));
	push @files, "$stalls[$i]{name} $open after $before[$i][0]" if $open > $before[$i][0];
	push @grown, "$stalls[$i]{name} $memory kB after $before[$i][1] kB" if $memory > $before[$i][1] + 256;
	push @figures, $memory - $before[$i][1];
}
is(join(', ', @files), '', 'no descriptor is left');
is(join(', ', @grown), '', 'no memory is left');
note("$each rounds of @{[ scalar @stalls ]} kinds; memory has grown by at most ", max(@figures), ' kB');
disarm();
my @after = map { result($_->{session}, state_sql($_)) } @stalls;
like(join(' ', @after), qr/^\d+( \d+){$#stalls}$/, 'all sessions are usable after that');
is(scalar(grep { ($_->{applied} // 0) > 1 } map { values %{ $_->writes } } values %servers), 0, 'nothing was applied twice');
$stalls[$_]{version} = $after[$_] foreach 0 .. $#stalls;

sub ended_by
{
	my ($stall) = @_;
	$stall->{session}{stderr} = '';
	eval { $stall->{session}{run}->finish };
	return $stall->{session}{stderr} =~ /FATAL:\s+(\w{5})/ ? $1 : $stall->{session}{stderr};
}

stall_all();
@milliseconds = map {
	my $start = Time::HiRes::time;
	result($control, "SELECT pg_terminate_backend($_->{pid})");
	wait_for_end($_->{pid}, $start);
} @stalls;
report('pg_terminate_backend()', @milliseconds);
is(join(' ', grep { $_ ne '57P01' } map { ended_by($_) } @stalls), '', 'with 57P01');
start_sessions();
usable('termination');

# A shutdown, by the times in the server's log.
stall_all();
my $took = stop_fast($node);
cmp_ok($took, '<', $limit, sprintf 'with a fast shutdown all have gone after %.0f ms', $took);
is(join(' ', grep { $_ ne '57P01' } map { ended_by($_) } @stalls), '', 'with 57P01');
eval { $control->{run}->finish };
$node->start;
$control = session($node);
start_sessions();
usable('shutdown');
unlike(slurp_file($node->logfile), qr/PANIC|TRAP|terminated by signal/, 'no crash');
$_->{session}->quit foreach @stalls;
$control->quit;
$node->stop;
done_testing();

