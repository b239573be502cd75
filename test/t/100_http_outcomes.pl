# What became of a request is said rightly: never "unsent" where a byte of it
# could have been read, never an answer that is not whole or not its own.  No
# request is sent twice.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Txstore;
use TxstoreHttp;

start_stalls();
my $node = http_node('outcomes');
my $session = session($node);
my $id = 0;

# A request with an id of its own: outcome and status, and how often it was read.
sub request
{
	my ($url, %options) = @_;
	my $body = delete $options{body} // "'hello'";
	my $get = delete $options{get} // '';
	$id++;
	my $arguments = join ', ', "url => '$url'", "body => $body", "headers => '{X-Id: $id}'",
		map { "$_ => $options{$_}" } sort keys %options;
	my $row = result($session, "SELECT concat_ws(' ', outcome, nullif(status, 0)$get) FROM http_request($arguments)");
	return "$row, read " . (stats()->{read}{$id} // 0);
}

sub fresh { result($session, 'SELECT http_close_idle()'); }

# Whole answers.
is(request(url('plain', 'ok?1000'), get => ', length(answer), new_connection'), 'answered 200 1000 t, read 1', 'an answer');
is(request(url('plain', 'ok?0'), get => ', length(answer), new_connection'), 'answered 200 0 f, read 1', 'an empty one, on the same connection');
is(request(url('plain', 'ok?1000000'), get => ', length(answer), crc32 = expected_crc32::bigint'), 'answered 200 1000000 t, read 1', 'a large one');
is(request(url('plain', 'ok'), body => "convert_to(repeat('x', 3000000), 'UTF8')"), 'answered 200, read 1', 'a large request');
is(request(url('plain', 'ok'), body => "''"), 'answered 200, read 1', 'an empty request');
is(request(url('plain', 'ok'), method => "'GET'"), 'answered 200, read 1', 'GET');
is(request(url('plain', 'ok'), method => "'PUT'", body => "''"), 'answered 200, read 1', 'an empty PUT');
is(request(url('plain', 'continued'), get => ", convert_from(answer, 'UTF8'), date LIKE 'Tue, %'"),
	'answered 200 at last t, read 1', 'what comes before the answer does not count');
is(request(url('plain', 'chunked'), get => ", convert_from(answer, 'UTF8'), expected_crc32 IS NULL"),
	'answered 200 abcd t, read 1', 'chunks, whose trailers do not count');
is(request(url('plain', 'error'), get => ', error_type, retry_after, request_id'),
	'answered 400 X 125 REQUEST1, read 1', 'an error, with its headers; the first of two counts');
is(request(url('plain', 'redirect')), 'answered 302, read 1', 'redirects are not followed');
is(request(url('plain', 'compressed'), get => ', length(answer) < 100, crc32 = expected_crc32::bigint'),
	'answered 200 t t, read 1', 'bytes are as they came');
is(request(url('plain', 'strange-bytes'), get => ', retry_after'), 'answered 200 ??%n, read 1', 'headers are printable');
is(request(url('plain', 'refuse-unread'), body => "convert_to(repeat('x', 3000000), 'UTF8')"),
	'answered 413, read 0', 'an answer to a request that is half sent');
fresh();
like(request(url('plain', 'refuse-reset'), body => "convert_to(repeat('x', 3000000), 'UTF8')"),
	qr/^(answered 413|lost), read 0$/, 'which a reset may overtake') foreach 1 .. 10;
is(result($session, sprintf q{SELECT abs(received_at - extract(epoch FROM clock_timestamp())) < 5 FROM http_request('%s')}, url('plain', 'ok')),
	't', 'when it came');

# Exactly these bytes.
my $echo = result($session, sprintf q{SELECT convert_from(answer, 'UTF8') FROM http_request('%s', 'hello',
	headers => '{Host: h:1,Content-Type: t,X-Amz-Date: d,X-Empty:}')}, url('plain', 'echo?a=b/../c'));
$echo =~ s/\r//g;
is($echo, "POST /echo?a=b/../c HTTP/1.1\nHost: h:1\nContent-Type: t\nX-Amz-Date: d\nX-Empty:\nContent-Length: 5\n\nhello", 'what is sent');
unlike(result($session, sprintf q{SELECT convert_from(answer, 'UTF8') FROM http_request('%s', convert_to(repeat('x', 2000000), 'UTF8'), max_answer => 3000000)},
	url('plain', 'echo')), qr/Expect/, 'a large request asks for no permission');
is(result($session, sprintf q{SELECT outcome, problem FROM http_request('%s', headers => ARRAY[E'A: b\nC: d'])}, url('plain', 'ok')),
	'unsent|a header has a line break', 'no header within a header');

# Nothing was sent.
my $tls = url('tls', 'ok');
is(request('http://nowhere.invalid/'), 'unsent, read 0', 'no such host');
is(request(url('closed', 'ok')), 'unsent, read 0', 'nobody listens');
is(request(url('full', 'ok'), connect_timeout => 100, get => ', timed_out'), 'unsent t, read 0', 'connecting takes too long');
is(request('http://stall.test.invalid/', connect_timeout => 100, get => ', timed_out'), 'unsent t, read 0', 'a lookup takes too long');
is(request(url('hello', 'ok'), connect_timeout => 100, get => ', timed_out'), 'unsent t, read 0', 'a handshake takes too long');
is(request(url('hello', 'ok'), timeout => 100, get => ', timed_out'), 'unsent t, read 0', 'longer than all may');
is(request(url('close_hello', 'ok')), 'unsent, read 0', 'a handshake is broken off');
is(request(url('plain', 'ok') =~ s/^http/https/r), 'unsent, read 0', 'TLS to a server without it');
is(request('ftp://127.0.0.1/'), 'unsent, read 0', 'another protocol');
is(request('file:///etc/passwd'), 'unsent, read 0', 'a file');
is(request($tls), 'unsent, read 0', 'a certificate that the system does not trust');
is(request($tls, ca_file => "'" . ca_file('other-ca') . "'"), 'unsent, read 0', 'nor does another authority');
is(request($tls, ca_file => "'/nowhere'"), 'unsent, read 0', 'no file with certificates');
my $ca = "'" . ca_file() . "'";
is(request(url('wrong', 'ok'), ca_file => $ca), 'unsent, read 0', 'a certificate for somebody else');
is(request($tls, ca_file => $ca), 'answered 200, read 1', 'the right one');
is(request(url('tls', 'ok', 'good.test'), ca_file => $ca), 'answered 200, read 1', 'by name');
is(request(url('trusted', 'ok')), 'answered 200, read 1', 'one that the system trusts');
is(request(url('trusted', 'ok'), ca_file => $ca), 'unsent, read 0', 'but no others than those of ca_file');
is(request(url('tls', 'ok', 'other.test'), ca_file => $ca), 'unsent, read 0', 'not by any name');

# Sent, and no whole answer.
foreach my $how (qw(close reset close-in-status close-in-head close-after-continue not-http))
{
	fresh();
	my $status = $how eq 'close-after-continue' ? ' 100' : '';
	is(request(url('plain', $how)), "lost$status, read 1", "$how: it may have been read");
	is(request(url('plain', $how), method => "'GET'"), "lost$status, read 1", "$how: GET");
}
foreach my $how (qw(close-in-body reset-in-body close-in-chunk))
{
	is(request(url('plain', $how)), 'lost 200, read 1', $how);
}
is(request(url('plain', 'reset-unread'), body => "convert_to(repeat('x', 3000000), 'UTF8')"), 'lost, read 0', 'reset-unread');
is(request(url('tls', 'close'), ca_file => $ca), 'lost, read 1', 'close after TLS');
foreach my $how (qw(silent stall-in-head))
{
	is(request(url('plain', $how), timeout => 100, get => ', timed_out'), 'late t, read 1', $how);
}
is(request(url('plain', 'stall-in-body'), timeout => 100), 'late 200, read 1', 'stall-in-body');
is(request(url('plain', 'stall-unread'), timeout => 100, body => "convert_to(repeat('x', 8000000), 'UTF8')"), 'late, read 0', 'stall-unread');
is(request(url('plain', 'drip?0.01'), timeout => 150), 'late, read 1', 'drip');

# A kept connection that dies is told from others, and nothing is sent again.
foreach my $how (qw(close-second reset-second part-second))
{
	foreach my $method ("'POST'", "'GET'", "'PUT'")
	{
		fresh();
		request(url('plain', $how), method => $method);
		is(request(url('plain', $how), method => $method), 'stale, read 1', "$how: $method");
		is(request(url('plain', 'ok')), 'answered 200, read 1', "$how: then a new connection");
	}
	fresh();
	request(url('plain', $how), body => "''");
	is(request(url('plain', $how), body => "''"), 'stale, read 1', "$how: an empty request");
	fresh();
	request(url('plain', $how));
	is(request(url('plain', $how), body => "convert_to(repeat('x', 3000000), 'UTF8')"), 'stale, read 1', "$how: a large request");
	fresh();
	request(url('tls', $how), ca_file => $ca);
	is(request(url('tls', $how), ca_file => $ca), 'stale, read 1', "$how: TLS");
}

# What comes unasked is nobody's answer, and a connection closed while idle is
# nobody's trouble.
foreach my $port ('plain', 'tls')
{
	foreach my $how ('answer-twice', 'answer-twice?at-once', 'answer-twice?in-records', 'time-out-idle', 'answer-then-close')
	{
		request(url($port, $how), ca_file => $ca);
		select undef, undef, undef, 0.1;
		is(request(url($port, 'ok?3'), ca_file => $ca, get => ", convert_from(answer, 'UTF8'), new_connection"),
			'answered 200 xxx t, read 1', "$how: $port");
	}
}

# Caps.
is(request(url('plain', 'ok?1000'), max_answer => 1000), 'answered 200, read 1', 'as large as allowed');
is(request(url('plain', 'ok?1001'), max_answer => 1000), 'too large 200, read 1', 'a byte more');
is(request(url('plain', 'endless-body')), 'too large 200, read 1', 'no end of it');
is(request(url('plain', 'many-headers?600')), 'answered 200, read 1', 'a large head');
is(request(url('plain', 'many-headers?700')), 'too large, read 1', 'too large a head');
is(request(url('plain', 'endless-continue')), 'too large, read 1', 'no end of heads');
is(request(url('plain', 'endless-line')), 'too large, read 1', 'no end of a line');

# One handshake a session and endpoint.
fresh();
my $before = stats()->{handshakes};
my $connections = stats()->{connections};
result($session, "SELECT count(*) FROM generate_series(1, 200), LATERAL http_request('$tls', ca_file => $ca)");
is(stats()->{handshakes} - $before, 1, '200 requests, one handshake');
is(request($tls, get => ', new_connection'), 'unsent t, read 0', 'a connection is not shared with who trusts others');
# stats() itself makes connections.
cmp_ok(stats()->{connections} - $connections, '<=', 6, 'and one connection');

my $log = slurp_log($node);
unlike($log, qr/PANIC|TRAP|terminated by signal/, 'no crash');
$session->quit;
$node->stop;
stop_stalls();
done_testing();

sub slurp_log { return PostgreSQL::Test::Utils::slurp_file($_[0]->logfile); }
