# A DynamoDB server that goes wrong on demand, see test/servers/README.md.
#
#   my $server = FaultServer->new('--verify');
#   $server->control(faults => [ { operation => 'GetItem', fault => 'throttle', times => 2 } ]);
#   ... $server->url ...
#   is(scalar(@{ $server->log('GetItem') }), 3);
#
# It ends with the object, and with this process whatever becomes of it, since it
# waits for the end of its standard input.
package FaultServer;

use strict;
use warnings;
use File::Basename 'dirname';
use File::Spec;
use HTTP::Tiny;
use IPC::Open2;
use JSON::PP;

my $program = File::Spec->catfile(dirname(File::Spec->rel2abs(__FILE__)), '..', 'servers', 'fault_server.py');

sub new
{
	my ($class, @options) = @_;
	my $pid = open2(my $from, my $to, 'python3', $program, @options);
	my %port;
	foreach my $name (qw(PORT CONTROL))
	{
		my $line = <$from> // die 'the fault server did not start';
		($port{$name}) = $line =~ /^$name (\d+)$/ or die "the fault server said: $line";
	}
	my $scheme = (grep { $_ eq '--certificate' } @options) ? 'https' : 'http';
	return bless {
		pid => $pid, to => $to, from => $from, owner => $$, port => $port{PORT},
		url => "$scheme://127.0.0.1:$port{PORT}",
		control => "http://127.0.0.1:$port{CONTROL}/_control",
		http => HTTP::Tiny->new(timeout => 30, proxy => undef, http_proxy => undef),
	}, $class;
}

sub url { return $_[0]->{url} }
sub port { return $_[0]->{port} }
sub pid { return $_[0]->{pid} }

# Changes, as POST /_control takes them; a scalar reference \1 is true.
sub control
{
	my ($self, @changes) = @_;
	# In the order given: it matters that a reset comes first.
	my $json = JSON::PP->new->utf8;
	while (my ($name, $value) = splice(@changes, 0, 2))
	{
		my $answer = $self->{http}->post($self->{control}, { content => $json->encode({ $name => $value }) });
		die "fault server: $answer->{content}" unless $answer->{success};
	}
	return;
}

# What GET /_control$path says.
sub get
{
	my ($self, $path) = @_;
	my $answer = $self->{http}->get($self->{control} . ($path // ''));
	die "fault server: $answer->{content}" unless $answer->{success};
	return decode_json($answer->{content});
}

# The requests of an operation, or all.
sub log
{
	my ($self, $operation) = @_;
	return $self->get('/log' . (defined $operation ? "?operation=$operation" : ''));
}

# Token => { sent, applied, replayed }.
sub writes { return $_[0]->get('/writes') }

sub tables { return $_[0]->get('/tables') }

sub stop
{
	my ($self) = @_;
	return unless $self->{pid} && $self->{owner} == $$;
	local ($?, $!);
	kill 'TERM', $self->{pid};
	close $self->{to};
	close $self->{from};
	waitpid $self->{pid}, 0;
	delete $self->{pid};
	return;
}

sub DESTROY { $_[0]->stop; return }

1;
