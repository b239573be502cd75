# The keys that sign in one session: a mapping that changes, several users, a
# session token, and midnight UTC, when the signing key is another.  The server
# verifies every signature; it and its clock are told what to do, nobody waits.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use FaultServer;
use Test::More;
use Time::HiRes;
use Txstore;

my $server = FaultServer->new('--verify');
my $node = new_node('signatures');
my $url = $server->url;
$node->safe_psql('postgres', qq{
	CREATE SERVER remote FOREIGN DATA WRAPPER txstore_fdw
		OPTIONS (provider 'dynamodb', endpoint '$url', table_name 'signatures');
	CREATE ROLE teller;
	GRANT USAGE ON SCHEMA txstore TO teller;
	GRANT USAGE ON FOREIGN SERVER remote TO teller});
my $session = session($node);
my $load = q{SELECT value_of('p', 'remote')};
my $token = 'session+token/example==';

# The key ids, regions and tokens of the requests since the last look.
sub signers
{
	my %seen;
	foreach my $record (@{ $server->log })
	{
		my ($id, $region) = $record->{headers}{authorization} =~ m{Credential=([^/]+)/\d+/([^/]+)/};
		$seen{ join ' ', $id, $region, $record->{headers}{'x-amz-security-token'} // 'without token', $record->{status} } = 1;
	}
	$server->control(clear_log => \1);
	return join ', ', sort keys %seen;
}

sub alter { $node->safe_psql('postgres', "ALTER USER MAPPING FOR $_[0] SERVER remote OPTIONS ($_[1])"); return }

# Without a mapping, as Orleans signs for a local server.
is(result($session, q{SELECT put('p', 'first', 'remote')}), '0', 'no mapping');
like(signers(), qr/^dummy us-east-1 without token 200, dummy us-east-1 without token 400$/, 'signs as Orleans does');

# What another session does to the mapping counts for the next request, on the same connection.
my $secret = 'c2Vzc2lvbi1leGFtcGxlLXNlY3JldA';
$node->safe_psql('postgres', qq{CREATE USER MAPPING FOR postgres SERVER remote
	OPTIONS (access_key_id 'ASIAEXAMPLE', secret_access_key '$secret', session_token '$token')});
is(result($session, $load), 'first', 'a mapping with a session token');
is(signers(), "ASIAEXAMPLE us-east-1 $token 200", 'the next request has its key and token');
alter('postgres', "SET session_token 'old'");
is(result($session, $load), '28000', 'a token that is not the one of the key');
alter('postgres', "SET session_token '$token', SET secret_access_key 'wrong'");
is(result($session, $load), '28000', 'a secret that is wrong');
alter('postgres', "SET secret_access_key '$secret'");
is(result($session, $load), 'first', 'is put right');
signers();
alter('postgres', q{SET access_key_id 'AKIDEXAMPLE', SET secret_access_key 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', DROP session_token});
is(result($session, q{SELECT put('p', 'second', 'remote')}), '1', 'another key, without a token');
is(signers(), 'AKIDEXAMPLE us-east-1 without token 200', 'signs the whole store');
is($server->get->{connections}, 1, 'one connection did for all of it');

# A key that the service has turned off, and one made in its place.
$server->control(keys => { dummy => { secret => 'dummyKey' }, AKIDEXAMPLE => { secret => 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', expired => \1 }, ROTATED => { secret => 'rotated' } });
is(result($session, $load), '28000', 'a key is turned off');
alter('postgres', q{SET access_key_id 'ROTATED', SET secret_access_key 'rotated'});
is(result($session, $load), 'second', 'and another is in its place');
signers();

# Each user has an own mapping, or that of PUBLIC; the user counts who calls.
$node->safe_psql('postgres', q{CREATE USER MAPPING FOR PUBLIC SERVER remote OPTIONS (access_key_id 'dummy', secret_access_key 'dummyKey')});
my $of_teller = q{SELECT convert_from(committed_state, 'UTF8') FROM txstore.load('p', 'remote')};
result($session, 'SET ROLE teller');
is(result($session, $of_teller), 'second', 'a user without a mapping of its own');
is(signers(), 'dummy us-east-1 without token 200', 'has that of PUBLIC');
result($session, 'RESET ROLE');
is(result($session, $of_teller), 'second', 'the first user again');
is(signers(), 'ROTATED us-east-1 without token 200', 'has the one before');

# Seconds from now to the next midnight UTC.
sub to_midnight { my $now = Time::HiRes::time; return 86400 - ($now - 86400 * int($now / 86400)) }

# The days that the requests since the last look were signed for, with their outcome.
sub days
{
	my @days;
	foreach my $record (@{ $server->log })
	{
		my ($day) = $record->{headers}{authorization} =~ m{Credential=[^/]+/(\d+)/};
		my $text = "$day " . ($record->{code} // $record->{status});
		push @days, $text unless @days && $days[-1] eq $text;
	}
	$server->control(clear_log => \1);
	return @days;
}

sub day { my @t = gmtime(time + $_[0]); return sprintf '%04d%02d%02d', $t[5] + 1900, $t[4] + 1, $t[3] }

# The server's clock is ten minutes before midnight, then ten after it, then ten
# before again: each time a request is refused, and signed anew by that clock.
my ($before, $after) = (to_midnight() - 600, to_midnight() + 600);
# Were our own clock as near to midnight, it would need no correction.
($before, $after) = map { $_ + 86400 } $before, $after if abs($before) < 600 || abs($after) < 900;
my $today = day(0);
$server->control(clock_offset => $before);
is(result($session, $load), 'second', 'a clock before midnight');
my @days = days();
is($days[-1], day($before) . ' 200', 'the day is that of the clock');
like($days[0], qr/^$today InvalidSignatureException$/, 'after one refusal');
$server->control(clock_offset => $after);
is(result($session, q{SELECT put('p', 'third', 'remote')}), '2', 'a store when it is past midnight');
is_deeply([ days() ], [ day($before) . ' InvalidSignatureException', day($after) . ' 200' ], 'is signed by the next day\'s key');
$server->control(clock_offset => $before);
is(result($session, $load), 'third', 'a clock that is set back');
is_deeply([ days() ], [ day($after) . ' InvalidSignatureException', day($before) . ' 200' ], 'is signed by the day before');

# Midnight as it comes by itself: loads, one after the other, while the clock that
# the session signs by passes it.  Nothing is refused.
my $late = to_midnight() - 2;
$late += 86400 if $late < 900;
my ($last_day, $next_day) = (day($late - 60), day($late + 60));
$server->control(clock_offset => $late);
is(result($session, $load), 'third', 'a clock two seconds before midnight');
is((days())[-1], "$last_day 200", 'still has the day before');
my ($failed, $deadline) = (0, Time::HiRes::time + 30);
do
{
	my $loaded = result($session, q{SELECT count(l.etag) FROM generate_series(1, 50), txstore.load('p', 'remote') AS l});
	$failed++ if $loaded ne '50';
} until ($server->log->[-1]{headers}{authorization} =~ m{/$next_day/} || Time::HiRes::time > $deadline);
is_deeply([ days() ], [ "$last_day 200", "$next_day 200" ], 'midnight passes: one key after the other, and no refusal');
is($failed, 0, 'and none fails');

$session->quit;
$node->stop;
done_testing();
