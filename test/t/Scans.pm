# What the tests of foreign tables share: a storage in the fault server, its foreign
# tables, and what a query has asked the server for.
package Scans;

use strict;
use warnings;
use Exporter 'import';
use MIME::Base64;
use Txstore;

our @EXPORT = qw(partition_of key_item state_item fill foreign_tables requests_of placeholders);

sub partition_of { return sprintf 'account/%05d', $_[0] }

sub key_item
{
	my ($partition, $committed) = @_;
	return {
		PartitionKey => { S => $partition }, RowKey => { S => 'key' }, ETag => { N => '1' },
		CommittedSequenceId => { N => "$committed" }, Metadata => { B => encode_base64('{}', '') }, Timestamp => { N => '1700000000' },
	};
}

sub state_item
{
	my ($partition, $sequence, $state) = @_;
	return {
		PartitionKey => { S => $partition }, RowKey => { S => sprintf 'state_%016x', $sequence }, ETag => { N => '1' },
		GrainState => { B => encode_base64($state, '') }, TransactionId => { S => '00000000-0000-0000-0000-000000000001' },
		TransactionTimestamp => { S => '2024-01-02T03:04:05.1234565Z' }, TransactionManager => { B => encode_base64('{}', '') },
	};
}

# So many partitions, each with so many states of so many bytes.
sub fill
{
	my ($server, $table, $partitions, $states, $bytes) = @_;
	my $state = sprintf '{"text":"%s"}', 'x' x ($bytes - 11);
	my @items;
	foreach my $partition (map { partition_of($_) } 1 .. $partitions)
	{
		push @items, key_item($partition, $states), map { state_item($partition, $_, $state) } 1 .. $states;
	}
	$server->control(items => { $table => \@items });
	return;
}

# A foreign server, and its tables in a schema of its name: TABLE_keys and so on.
sub foreign_tables
{
	my ($node, $name, %options) = @_;
	my $options = join ', ', map { "$_ '$options{$_}'" } sort keys %options;
	$node->safe_psql('postgres', qq{
		CREATE SERVER $name FOREIGN DATA WRAPPER txstore_fdw OPTIONS (provider 'dynamodb', $options);
		CREATE SCHEMA $name;
		IMPORT FOREIGN SCHEMA "all" FROM SERVER $name INTO $name});
	return;
}

# What a statement gives, and the requests that it has made.
sub requests_of
{
	my ($session, $server, $sql) = @_;
	$server->control(clear_log => \1);
	my $result = result($session, $sql);
	return ($result, @{ $server->log });
}

# The attributes that a request asks for, sorted; undef where it has no projection.
sub placeholders
{
	my ($body) = @_;
	my ($part) = $body->{RequestItems} ? values %{ $body->{RequestItems} } : $body;
	return unless defined $part->{ProjectionExpression};
	return join ' ', sort map { $part->{ExpressionAttributeNames}{$_} } split /,/, $part->{ProjectionExpression};
}

1;
