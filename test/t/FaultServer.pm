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
use IO::Socket::INET;
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
		control => $port{CONTROL},
	}, $class;
}

sub url { return $_[0]->{url} }
sub port { return $_[0]->{port} }
sub pid { return $_[0]->{pid} }

# One request on the control port, sent at once: head and body apart would wait for
# each other (Nagle).  What the answer holds.
sub exchange
{
	my ($self, $method, $path, $content, @headers) = @_;
	my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $self->{control}) or die "fault server: $@";
	my $length = length $content;
	$socket->syswrite(join "\r\n", "$method $path HTTP/1.1", 'Host: localhost', "Content-Length: $length", @headers, '', $content);
	my $answer = '';
	until ($answer =~ /\r\ncontent-length: (\d+)(?=\r\n).*?\r\n\r\n/is && length $answer >= $+[0] + $1)
	{
		$socket->sysread($answer, 1 << 16, length $answer) or die "fault server: its answer ends with: $answer";
	}
	my ($head, $body) = split /\r\n\r\n/, $answer, 2;
	die "fault server: $body" unless $head =~ m{^HTTP/1\.1 200 };
	return $body;
}

# Changes, as POST /_control takes them; a scalar reference \1 is true.
sub control
{
	my ($self, @changes) = @_;
	# In the order given: it matters that a reset comes first.
	my $json = JSON::PP->new->utf8->allow_nonref;
	my @members;
	while (my ($name, $value) = splice(@changes, 0, 2))
	{
		push @members, $json->encode($name) . ':' . $json->encode($value);
	}
	$self->exchange('POST', '/_control', '{' . join(',', @members) . '}');
	return;
}

# What GET /_control$path says.
sub get { my ($self, $path) = @_; return decode_json($self->exchange('GET', '/_control' . ($path // ''), '')) }

# Call an operation, as a client without signatures.
sub call
{
	my ($self, $operation, $input) = @_;
	return decode_json($self->exchange('POST', '/', encode_json($input),
		'Content-Type: application/x-amz-json-1.0', "X-Amz-Target: DynamoDB_20120810.$operation"));
}

# The requests of an operation, or all.
sub log
{
	my ($self, $operation) = @_;
	return $self->get('/log' . (defined $operation ? "?operation=$operation" : ''));
}

# The same with a digest in place of each body.
sub digests { my ($self, $operation) = @_; return $self->get("/log?bodies=0&operation=$operation") }

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
