# Faults over TLS: of the handshake, where nothing is sent, and of every request.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use FaultKinds;
use FaultMatrix;
use FaultServer;
use PostgreSQL::Test::Utils;
use Test::More;
use Txstore;

plan skip_all => 'there is no openssl to make certificates' if system('openssl version >/dev/null 2>&1') != 0;

my $folder = PostgreSQL::Test::Utils::tempdir;
system_or_bail("$FindBin::Bin/../servers/make_certificates", $folder);
my $server = FaultServer->new('--certificate', "$folder/server.pem", '--key', "$folder/server.key");
my $node = new_node('tls');
my $matrix = FaultMatrix->new($server, $node, ca_file => "$folder/ca.pem");

foreach my $fault (connection_faults($folder))
{
	foreach my $times (1, $fault->{stuck} ? () : 3, undef)
	{
		$matrix->check_store($fault, $times, 1, 1);
		next if defined $times && $times > 1;
		$matrix->check_store($fault, $times, 3, $_) foreach 1 .. 3;
		$matrix->check_load($fault, $times, $_) foreach qw(GetItem Query);
	}
}

# What is said within TLS is said by the same code; how a connection ends is not.
foreach my $fault (grep { $_->{says} =~ /^(good|nothing|noise)$/ && !$_->{fresh} } fault_kinds())
{
	foreach my $times ($fault->{stuck} ? () : 1, undef)
	{
		$matrix->check_store($fault, $times, 1, 1);
		$matrix->check_load($fault, $times, 'Query') unless $fault->{writes};
	}
}

$matrix->quit;
$node->stop;
done_testing();
