# What the tests of the HTTP client share: the server that goes wrong, and a
# database with its functions.  The module is in test/modules/http.
package TxstoreHttp;

use strict;
use warnings;
use Exporter 'import';
use HTTP::Tiny;
use IPC::Run;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(start_stalls stop_stalls stats url ca_file http_node start_http_node);

my ($server, $in, $out, $ports, $folder);

sub start_stalls
{
	($in, $out) = ('', '');
	$folder = PostgreSQL::Test::Utils::tempdir();
	my ($script) = __FILE__ =~ m{^(.*)/t/[^/]*$};
	$server = IPC::Run::start([ 'python3', "$script/servers/stall_server.py", $folder ],
		'<', \$in, '>', \$out, IPC::Run::timeout(120));
	$server->pump until $out =~ /\n/;
	$ports = decode_json($out);
	return;
}

sub stop_stalls
{
	$server->finish;
	return;
}

# url('tls', 'ok'): an address of one of the server's ports.
sub url
{
	my ($port, $path, $host) = @_;
	my $scheme = $port =~ /^(plain|full|closed)$/ ? 'http' : 'https';
	return sprintf '%s://%s:%d/%s', $scheme, $host // '127.0.0.1', $ports->{$port}, $path // '';
}

sub ca_file
{
	my ($name) = @_;
	return "$folder/" . ($name // 'ca') . '.pem';
}

# How often requests were read, and the like.
sub stats
{
	my $answer = HTTP::Tiny->new(proxy => undef, http_proxy => undef)->get(url('plain', 'stats'));
	die $answer->{content} unless $answer->{success};
	return decode_json($answer->{content});
}

# The library that makes lookups hang, and only where it is asked to.
sub preload
{
	my ($libraries) = run_command([ 'pg_config', '--pkglibdir' ]);
	return "$libraries/http_test_preload.so";
}

sub http_node
{
	my ($name, @lines) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
	$node->append_conf('postgresql.conf', join("\n", 'autovacuum = off', 'log_statement = none', @lines) . "\n");
	start_http_node($node);
	$node->safe_psql('postgres', 'CREATE EXTENSION http_test');
	return $node;
}

sub start_http_node
{
	my ($node, %options) = @_;
	local $ENV{LD_PRELOAD} = preload();
	local $ENV{TEST_CERTIFICATES} = "$folder/system";
	# Nothing of it may reach the client.
	local $ENV{http_proxy} = 'http://127.0.0.1:9';
	local $ENV{https_proxy} = 'http://127.0.0.1:9';
	local $ENV{ALL_PROXY} = 'http://127.0.0.1:9';
	return $node->start(%options);
}

1;
