# Signatures over the life of a session: keys that change, a session token, and
# midnight, when the key that is derived from a secret changes.  The server checks
# every one.
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
	CREATE SERVER remote FOREIGN DATA WRAPPER txstore_fdw OPTIONS (provider 'dynamodb', endpoint '$url', table_name 'signatures');
	SELECT put('p', 'there', 'remote')});
my $session = session($node);

sub load { return result($session, q{SELECT value_of('p', 'remote')}) }

# What requests were signed with: access keys, and days.
sub signed
{
	my ($part) = @_;
	my %found;
	foreach my $request (@{ $server->log })
	{
		my %parts;
		@parts{qw(key day)} = $request->{headers}{authorization} =~ /Credential=([^\/]+)\/(\d{8})\//;
		$found{ $parts{$part} } = 1;
	}
	return join ' ', sort keys %found;
}

# The keys of a session's requests are those of the mapping at that time.
$server->control(clear_log => \1);
is(load(), 'there', 'no mapping');
is(signed('key'), 'dummy', 'signs as Orleans does');
foreach my $keys (
	[ 'AKIDEXAMPLE', 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', undef ],
	[ 'ASIAEXAMPLE', 'c2Vzc2lvbi1leGFtcGxlLXNlY3JldA', 'session+token/example==' ],
	[ 'dummy', 'dummyKey', undef ])
{
	my ($id, $secret, $token) = @$keys;
	my $options = "access_key_id '$id', secret_access_key '$secret'" . ($token ? ", session_token '$token'" : '');
	$node->safe_psql('postgres', qq{
		DROP USER MAPPING IF EXISTS FOR CURRENT_USER SERVER remote;
		CREATE USER MAPPING FOR CURRENT_USER SERVER remote OPTIONS ($options)});
	$server->control(clear_log => \1);
	is(load(), 'there', "$id: load");
	like(result($session, q{SELECT put('p', 'there', 'remote')}), qr/^\d+$/, "$id: store");
	is(signed('key'), $id, "$id: signs at once");
	my @tokens = grep { defined $_->{headers}{'x-amz-security-token'} } @{ $server->log };
	is(@tokens > 0, defined $token, "$id: a session token goes along where there is one");
}

# Two requests before midnight UTC by the server's clock, and on until it is past.
my $seconds_to_midnight = 86400 - time % 86400;
$server->control(clock_offset => $seconds_to_midnight - 2, clear_log => \1);
is(load(), 'there', 'just before midnight');
my $days = '';
for (my $i = 0; $i < 200 && $days !~ / /; $i++)
{
	my $value = load();
	is($value, 'there', 'just after it') if $value ne 'there';
	$days = signed('day');
	Time::HiRes::sleep(0.05);
}
like($days, qr/^\d{8} \d{8}$/, 'one connection signs for two days');
is((grep { $_->{status} != 200 && $_->{status} != 400 } @{ $server->log }) + 0, 0, 'and nothing goes wrong');
is((grep { $_->{status} == 400 } @{ $server->log }) + 0, 1, 'but the first request, which told the time');

$session->quit;
$node->stop;
done_testing();
