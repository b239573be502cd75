# Whose credentials sign: user mapping, environment, profile, container, web
# identity, instance metadata; how they are renewed, and what happens when they
# are not to be had.  The server checks every signature.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use FaultServer;
use PostgreSQL::Test::Utils;
use Test::More;
use Txstore;

my $server = FaultServer->new('--verify');
my $url = $server->url;
my $files = PostgreSQL::Test::Utils::tempdir();
my $node = new_node('credentials', 'log_min_messages = debug2');
my $session;

# Only what a test says is in the server's environment.
my @variables = qw(AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_PROFILE AWS_CONFIG_FILE
	AWS_SHARED_CREDENTIALS_FILE AWS_ROLE_ARN AWS_ROLE_SESSION_NAME AWS_WEB_IDENTITY_TOKEN_FILE
	AWS_CONTAINER_CREDENTIALS_RELATIVE_URI AWS_CONTAINER_CREDENTIALS_FULL_URI AWS_CONTAINER_AUTHORIZATION_TOKEN
	AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE AWS_EC2_METADATA_DISABLED AWS_EC2_METADATA_SERVICE_ENDPOINT
	AWS_ENDPOINT_URL AWS_ENDPOINT_URL_STS AWS_REGION AWS_DEFAULT_REGION);
delete @ENV{@variables};

my %example = (AWS_ACCESS_KEY_ID => 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY => 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY');

sub write_file
{
	my ($name, $content) = @_;
	open(my $file, '>', "$files/$name") or die "$files/$name: $!";
	print $file $content;
	close $file;
	return "$files/$name";
}

# Files that are not there, and no metadata, unless a test says otherwise.
my %nothing = (AWS_CONFIG_FILE => "$files/none", AWS_SHARED_CREDENTIALS_FILE => "$files/none", AWS_EC2_METADATA_DISABLED => 'true');

# Start the server anew with an environment.
sub with_environment
{
	my (%environment) = (%nothing, @_);
	$session->quit if $session;
	local @ENV{ keys %environment } = values %environment;
	$node->restart;
	$session = session($node);
	$server->control(clear_log => \1, faults => []);
	return;
}

sub load { return result($session, q{SELECT coalesce(value_of('p', 'remote'), 'nothing')}) }

# The access keys with which DynamoDB's requests were signed.
sub signers
{
	my %found;
	foreach my $request (grep { ($_->{headers}{authorization} // '') =~ /AWS4/ } @{ $server->log })
	{
		$request->{headers}{authorization} =~ /Credential=([^\/]+)/ and $found{$1} = 1;
	}
	return join ' ', sort keys %found;
}

sub asked { return scalar grep { $_->{operation} eq $_[0] } @{ $server->log } }

sub message_of
{
	my ($sql) = @_;
	my ($status, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\n$sql");
	return $err;
}

with_environment();
$node->safe_psql('postgres', qq{
	CREATE SERVER remote FOREIGN DATA WRAPPER txstore_fdw OPTIONS (provider 'dynamodb', endpoint '$url', table_name 'credentials');
	SELECT put('p', 'there', 'remote');
	CREATE ROLE analyst LOGIN;
	GRANT USAGE ON FOREIGN SERVER remote TO analyst;
	GRANT USAGE ON SCHEMA txstore TO analyst});

# Without a mapping a URL is Orleans' local server, whatever the environment has.
with_environment(%example);
is(load(), 'there', 'no mapping');
is(signers(), 'dummy', 'signs as Orleans does');

# A mapping without keys is none; nor is the server's identity anybody's.
$node->safe_psql('postgres', 'CREATE USER MAPPING FOR PUBLIC SERVER remote');
is(load(), '28000', 'a mapping without keys is refused');
$node->safe_psql('postgres', q{ALTER USER MAPPING FOR PUBLIC SERVER remote OPTIONS (ADD credentials_required 'false')});
$server->control(clear_log => \1);
is(load(), 'there', 'environment');
is(signers(), 'AKIDEXAMPLE', 'its keys sign');
my ($status, $out) = $node->psql('postgres', q{SET ROLE analyst; SELECT count(*) FROM txstore.load('p', 'remote')});
is($out, '1', 'who is no superuser has what a superuser allowed');
$node->safe_psql('postgres', q{CREATE USER MAPPING FOR analyst SERVER remote});
like(message_of(q{SET ROLE analyst; SELECT txstore.load('p', 'remote')}), qr/28000/, 'and not what his own mapping does not allow');
$node->safe_psql('postgres', q{DROP USER MAPPING FOR analyst SERVER remote});

# The mapping's own keys come first.
$node->safe_psql('postgres', q{ALTER USER MAPPING FOR PUBLIC SERVER remote OPTIONS (ADD access_key_id 'dummy', ADD secret_access_key 'dummyKey')});
$server->control(clear_log => \1);
is(load(), 'there', 'mapping and environment');
is(signers(), 'dummy', 'the mapping signs');
$node->safe_psql('postgres', q{ALTER USER MAPPING FOR PUBLIC SERVER remote OPTIONS (DROP access_key_id, DROP secret_access_key)});

# Half a pair is an error, never passed over.
with_environment(AWS_ACCESS_KEY_ID => 'AKIDEXAMPLE', AWS_CONTAINER_CREDENTIALS_FULL_URI => "$url/ecs");
like(message_of(q{SELECT txstore.load('p', 'remote')}), qr/28000.*AWS_ACCESS_KEY_ID and no AWS_SECRET_ACCESS_KEY/s, 'half a pair in the environment');
is(asked('ContainerCredentials'), 0, 'is not passed over');

# Profile files: the default one, another by name, and what changes in them.
my $credentials = write_file('credentials', "[default]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = $example{AWS_SECRET_ACCESS_KEY}\n"
	  . "[reports]\naws_access_key_id = ASIAEXAMPLE\naws_secret_access_key = c2Vzc2lvbi1leGFtcGxlLXNlY3JldA\naws_session_token = session+token/example==\n");
with_environment(AWS_SHARED_CREDENTIALS_FILE => $credentials);
is(load(), 'there', 'profile');
is(signers(), 'AKIDEXAMPLE', 'the default one');
$node->safe_psql('postgres', q{ALTER SERVER remote OPTIONS (ADD profile_name 'reports')});
$server->control(clear_log => \1);
is(load(), 'there', 'a profile by name');
is(signers(), 'ASIAEXAMPLE', 'with its session token');
$node->safe_psql('postgres', q{ALTER SERVER remote OPTIONS (SET profile_name 'missing')});
like(message_of(q{SELECT txstore.load('p', 'remote')}), qr/28000.*no such profile/s, 'a profile that is not there');
$node->safe_psql('postgres', q{ALTER SERVER remote OPTIONS (DROP profile_name)});
write_file('credentials', "[default]\naws_access_key_id = dummy\naws_secret_access_key = dummyKey\n");
$server->control(clear_log => \1);
is(load(), 'there', 'a file that has changed');
is(signers(), 'dummy', 'is read anew');
write_file('credentials', "[default\n");
like(message_of(q{SELECT txstore.load('p', 'remote')}), qr/28000.*line 1 of the shared file credentials/s, 'a file that is none');

# Container: with and without a token, keys kept for all sessions.
my $token = write_file('token', 'secret-of-the-container');
$server->control(metadata => { container_token => 'secret-of-the-container' });
with_environment(AWS_CONTAINER_CREDENTIALS_FULL_URI => "$url/ecs", AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE => $token);
is(load(), 'there', 'container');
is(signers(), 'ASIAEXAMPLE', 'its keys sign');
$node->safe_psql('postgres', q{SELECT value_of('p', 'remote')}) for 1 .. 3;
is(asked('ContainerCredentials'), 1, 'are fetched once for all sessions');
write_file('token', 'wrong');
$server->control(faults => [ { operation => 'GetItem', fault => 'expired_token', times => 1 } ]);
is(load(), '28000', 'expired, and the container refuses: an error');
write_file('token', 'secret-of-the-container');
is(load(), 'there', 'and then it gives keys again');
$server->control(clear_log => \1, faults => [ { operation => 'TransactWriteItems', fault => 'expired_token', times => 1 } ]);
like(result($session, q{SELECT put('p', 'there', 'remote')}), qr/^\d+$/, 'keys that the service calls expired');
is(asked('ContainerCredentials'), 1, 'are fetched anew');
is((grep { $_->{applied} != 1 } values %{ $server->writes }) + 0, 0, 'and the write is applied once');

# A write that may have been applied stays so, whatever becomes of the keys.
$server->control(faults => [
	{ operation => 'TransactWriteItems', fault => 'drop_after_body', times => 1 },
	{ operation => 'TransactWriteItems', fault => 'expired_token', nth => 2, times => undef } ]);
is(result($session, q{SELECT put('p', 'there', 'remote')}), '08007', 'an open outcome and then expired keys');
$server->control(faults => [
	{ operation => 'TransactWriteItems', fault => 'drop_after_body', times => 1 },
	{ operation => 'TransactWriteItems', fault => 'expired_token', nth => 2, times => 1 },
	{ operation => 'ContainerCredentials', fault => 'http', status => 500, times => undef } ]);
is(result($session, q{SELECT put('p', 'there', 'remote')}), '08007', 'and no new ones');
$server->control(faults => []);
is(load(), 'there', 'load() goes on');

# Renewed before they end: somebody else's keys serve until then.
$server->control(metadata => { container_token => undef, credentials => [ { expires_in => 12 * 60 }, {} ] });
with_environment(AWS_CONTAINER_CREDENTIALS_FULL_URI => "$url/ecs");
is(load(), 'there', 'keys that end soon');
is(load(), 'there', 'serve for a while');
is(asked('ContainerCredentials'), 1, 'and are not fetched for each request');
$server->control(metadata => { credentials => { expires_in => -10 } });
with_environment(AWS_CONTAINER_CREDENTIALS_FULL_URI => "$url/ecs");
like(message_of(q{SELECT txstore.load('p', 'remote')}), qr/28000.*expired already/s, 'keys that have ended');
$server->control(metadata => { credentials => {} });
with_environment(AWS_CONTAINER_CREDENTIALS_FULL_URI => 'http://192.0.2.1/ecs');
like(message_of(q{SELECT txstore.load('p', 'remote')}), qr/28000.*neither https nor/s, 'an agent elsewhere is not asked');

# Web identity.
my $identity = write_file('identity', 'token-of-the-web-identity');
$server->control(metadata => { web_identity_token => 'token-of-the-web-identity' });
my %web = (AWS_ROLE_ARN => 'arn:aws:iam::000000000000:role/test-role', AWS_WEB_IDENTITY_TOKEN_FILE => $identity,
	AWS_ENDPOINT_URL_STS => "$url/sts");
with_environment(%web);
is(load(), 'there', 'web identity');
is(signers(), 'ASIAEXAMPLE', 'the keys of its role sign');
is(asked('AssumeRoleWithWebIdentity'), 1, 'fetched once');
write_file('identity', 'another');
with_environment(%web);
like(message_of(q{SELECT txstore.load('p', 'remote')}), qr/28000.*InvalidIdentityToken/s, 'a token that STS refuses');
with_environment(%web, AWS_WEB_IDENTITY_TOKEN_FILE => "$files/none");
like(message_of(q{SELECT txstore.load('p', 'remote')}), qr/28000.*not there/s, 'a token that is not there');
with_environment(%web, AWS_CONTAINER_CREDENTIALS_FULL_URI => "$url/ecs");
is(load(), 'there', 'container and web identity');
is(asked('AssumeRoleWithWebIdentity') . asked('ContainerCredentials'), '01', 'the container comes first');

# Instance metadata.
my %imds = (AWS_EC2_METADATA_DISABLED => 'false', AWS_EC2_METADATA_SERVICE_ENDPOINT => $url);
with_environment(%imds);
is(load(), 'there', 'instance metadata');
is(signers(), 'ASIAEXAMPLE', 'the keys of its role sign');
is(asked('ImdsToken') . asked('ImdsRole') . asked('ImdsCredentials'), '111', 'three requests');
$server->control(metadata => { credentials => { expires_in => -10 } });
with_environment(%imds);
is(load(), 'there', 'expired keys of an instance are tried: the service decides');
is(load(), 'there', 'again');
is(asked('ImdsCredentials'), 1, 'and metadata is not asked each time');
$server->control(faults => [ { operation => 'GetItem', fault => 'expired_token', times => 1 },
	{ operation => 'ImdsToken', fault => 'drop_before_read', times => undef } ]);
is(load(), '28000', 'the service refuses them, and there are no others');
$server->control(metadata => { credentials => {} }, faults => []);
is(load(), 'there', 'until there are');
with_environment(%imds);
$server->control(faults => [ { operation => 'ImdsRole', fault => 'http', status => 401, body => 'no', times => 1 } ]);
is(load(), 'there', 'a token that metadata has forgotten');
is(asked('ImdsToken'), 2, 'is asked for anew');
with_environment();
like(message_of(q{SELECT txstore.load('p', 'remote')}), qr/28000.*instance metadata is disabled/s, 'disabled');

# A service that does not answer is not waited for long, and a cancel ends it.
with_environment(%imds);
$server->control(faults => [ { operation => 'ImdsToken', fault => 'stall', at => 'start', seconds => 30, times => undef } ]);
my $start = time;
is(load(), '28000', 'metadata that does not answer');
cmp_ok(time - $start, '<', 5, 'is not waited for long');
result($session, 'SET statement_timeout = 100');
is(load(), '57014', 'and the wait can be ended');
$server->control(faults => []);

# Nothing of a secret is in the log.
$session->quit;
$node->stop;
my $log = PostgreSQL::Test::Utils::slurp_file($node->logfile);
foreach my $secret ($example{AWS_SECRET_ACCESS_KEY}, 'c2Vzc2lvbi1leGFtcGxlLXNlY3JldA', 'session+token/example', 'secret-of-the-container', 'token-of-the-web-identity')
{
	is(index($log, $secret), -1, 'a secret is not in the log: ' . substr($secret, 0, 4));
}
done_testing();
