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
	foreach my $times ($fault->{slow} ? 1 : (1, 3), $fault->{once} ? () : undef)
	{
		# A clock that was corrected stays so.
		$matrix->begin_anew if $fault->{fault} eq 'skew';
		$matrix->check_store($fault, $times, 1, 1);
		next if defined $times && $times > 1;
		$matrix->check_store($fault, $times, 3, $_) foreach 1 .. 3;
		next if $fault->{writes};
		$matrix->check_load($fault, $times, $_) foreach qw(GetItem Query);
	}
}

$matrix->quit;
$node->stop;
done_testing();
