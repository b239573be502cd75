# Every fault of a DynamoDB server, met once and at every attempt by a load, by a
# store of one batch and by each batch of a store of three.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use FaultKinds;
use FaultMatrix;
use FaultServer;
use Test::More;
use Txstore;

my $server = FaultServer->new;
my $node = new_node('faults');
my $matrix = FaultMatrix->new($server, $node);

foreach my $fault (fault_kinds())
{
	# What takes all the time does so the first time already.
	foreach my $times (1, $fault->{slow} || $fault->{stuck} ? () : 3, $fault->{once} ? () : undef)
	{
		$matrix->check_store($fault, $times, 1, 1);
		next if defined $times && $times > 1 || $fault->{stuck} && !defined $times;
		$matrix->check_store($fault, $times, 3, $_) foreach 1 .. 3;
		next if $fault->{writes};
		$matrix->check_load($fault, $times, $_) foreach qw(GetItem Query);
	}
}

foreach my $fault (fault_sequences())
{
	$matrix->check_store($fault, undef, 1, 1);
	$matrix->check_store($fault, undef, 3, 2) if $fault->{first}{fault} eq 'drop_after_body';
}

$matrix->quit;
$node->stop;
done_testing();
