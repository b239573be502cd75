# The table of a storage: made in both billing modes, waited for, changed only
# where that was asked for, described; time to live is looked at and left alone.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use FaultServer;
use JSON::PP;
use Test::More;
use Txstore;

my $server = FaultServer->new;
my $node = new_node('tables');
my $session = session($node);
my $ttl_warning = qr/has a time to live/;

# A storage of a table of its own.
sub new_storage
{
	my ($name, $options) = @_;
	my $url = $server->url;
	$node->safe_psql('postgres', qq{CREATE SERVER $name FOREIGN DATA WRAPPER txstore_fdw
		OPTIONS (provider 'dynamodb', endpoint '$url', table_name '$name' @{[ $options ? ", $options" : '' ]})});
	return;
}

sub initialize { return result($session, "SELECT txstore.initialize_storage('$_[0]')") }

sub property
{
	my ($storage, $property) = @_;
	return result($session, "SELECT value FROM txstore.describe_storage('$storage') WHERE property = '$property'");
}

sub operations { return join ' ', map { $_->{operation} } @{ $server->log } }

sub last_request { return (grep { $_->{operation} eq $_[0] } @{ $server->log })[-1]{body} }

# As Orleans makes it.
new_storage('provisioned');
is(property('provisioned', 'initialize_storage() would'), 'create the table with 10 read units and 5 write units', 'described before it is there');
$server->control(clear_log => \1);
is(initialize('provisioned'), 't', 'a table is made');
is(operations(), 'DescribeTable CreateTable DescribeTable DescribeTimeToLive', 'with the requests of a silo');
is(last_request('CreateTable')->{BillingMode}, 'PROVISIONED', 'provisioned by default');
is(property('provisioned', 'status'), 'ready', 'it is ready');
is(property('provisioned', 'capacity'), '10 read units, 5 write units', 'its capacity');
is(property('provisioned', 'time to live'), 'off', 'its time to live');
is(initialize('provisioned'), 'f', 'again: nothing to do');

new_storage('on_demand', "use_provisioned_throughput 'false'");
is(initialize('on_demand'), 't', 'a table on demand');
is(last_request('CreateTable')->{BillingMode}, 'PAY_PER_REQUEST', 'as asked for');
ok(!exists last_request('CreateTable')->{ProvisionedThroughput}, 'without units');
is(property('on_demand', 'capacity'), 'on demand', 'its capacity');

# Changed only where that is asked for.
$node->safe_psql('postgres', "ALTER SERVER on_demand OPTIONS (SET use_provisioned_throughput 'true', ADD read_capacity_units '7', ADD write_capacity_units '3')");
$server->control(clear_log => \1);
is(property('on_demand', 'not as the options say'), 'the capacity', 'a difference is shown');
is(property('on_demand', 'initialize_storage() would'), 'do nothing (update_if_exists is false)', 'and what would happen');
is(initialize('on_demand'), 'f', 'it is left alone');
is(property('on_demand', 'capacity'), 'on demand', 'as it was');
$node->safe_psql('postgres', "ALTER SERVER on_demand OPTIONS (ADD update_if_exists 'true')");
is(property('on_demand', 'initialize_storage() would'), 'change the capacity to what the options say', 'unless update_if_exists is set');
is(initialize('on_demand'), 't', 'then it is changed');
is(property('on_demand', 'capacity'), '7 read units, 3 write units', 'to units');
is(initialize('on_demand'), 'f', 'and is right now');
$node->safe_psql('postgres', "ALTER SERVER on_demand OPTIONS (SET use_provisioned_throughput 'false')");
is(initialize('on_demand'), 't', 'and changed');
is(property('on_demand', 'capacity'), 'on demand', 'back');

# Waited for, also where an answer does not know of it yet.
$server->control(table_seconds => { create => 1, update => 1 });
new_storage('slow');
is(initialize('slow'), 't', 'a table that is being made');
is(property('slow', 'status'), 'ready', 'is waited for');
$node->safe_psql('postgres', "ALTER SERVER slow OPTIONS (ADD update_if_exists 'true', ADD read_capacity_units '11')");
is(initialize('slow'), 't', 'a table that is being changed');
is(property('slow', 'capacity'), '11 read units, 5 write units', 'is waited for');
$server->control(table_seconds => {});
new_storage('late');
$server->control(faults => [ { operation => 'DescribeTable', fault => 'not_found', nth => 2, times => 1 } ]);
is(initialize('late'), 't', 'a table that is not known at once');
$server->control(faults => []);

# Two make it at once, or an answer is lost.
new_storage('raced');
$server->control(faults => [ { operation => 'CreateTable', fault => 'drop_after_body', times => 1 } ]);
is(initialize('raced'), 't', 'made, and the answer is lost');
$server->control(faults => [ { operation => 'UpdateTable', fault => 'drop_after_body', times => 1 } ], table_seconds => { update => 1 });
$node->safe_psql('postgres', "ALTER SERVER raced OPTIONS (ADD update_if_exists 'true', ADD read_capacity_units '12')");
is(initialize('raced'), 't', 'changed, and the answer is lost');
is(property('raced', 'capacity'), '12 read units, 5 write units', 'as asked for');
$server->control(faults => [ { operation => 'UpdateTable', fault => 'error', status => 400, code => 'ResourceInUseException', message => 'no' } ], table_seconds => {});
$node->safe_psql('postgres', "ALTER SERVER raced OPTIONS (SET read_capacity_units '13')");
is(initialize('raced'), 'HV00R', 'somebody else changes it');
$server->control(faults => []);

# Time to live is looked at and left alone; who may not ask is told nothing.
$server->call('UpdateTimeToLive', decode_json('{"TableName":"provisioned","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"Ends"}}'));
is(property('provisioned', 'time to live'), 'by attribute Ends', 'a time to live is shown');
my ($status, $out, $err) = $node->psql('postgres', "SELECT txstore.initialize_storage('provisioned')");
is($out, 'f', 'and left alone');
like($err, $ttl_warning, 'with a warning');
$server->control(faults => [ { operation => 'DescribeTimeToLive', fault => 'access_denied', times => undef } ]);
is(property('provisioned', 'time to live'), 'not said', 'a role that may not ask');
($status, $out, $err) = $node->psql('postgres', "SELECT txstore.initialize_storage('provisioned')");
is("$out$err", 'f', 'is no hindrance');
$server->control(faults => []);

# A table with other keys is left alone, and refused.
$server->call('CreateTable', decode_json('{"TableName":"foreign_keys","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"Id","AttributeType":"S"}],"KeySchema":[{"AttributeName":"Id","KeyType":"HASH"}]}'));
new_storage('foreign_keys');
is(initialize('foreign_keys'), 'HV00R', 'a table with other keys');
is(property('foreign_keys', 'keys'), 'others', 'is shown as that');
is(property('foreign_keys', 'initialize_storage() would'), 'fail, since the table has other keys', 'and what would happen');

$session->quit;
$node->stop;
done_testing();
