# What can go wrong with a request, and what must then be said of it.
#
# Each fault is a rule of the fault server (see test/servers/README.md) with what
# a client can know of it, `says`:
#
#   good        a good answer, in whatever form
#   unreached   the request was never sent: no connection, no handshake
#   nothing     no whole answer: lost, late
#   failure     the service, or what is in front of it, says that it failed
#   noise       an answer that is not the service's
#   SQLSTATE    the service has refused, for the reason that has this code
#
# `again`: the refusal is for now, and so many attempts are worth it.
# `slow`: takes all the time that there is, if it is met at every attempt;
# `stuck`: even if it is met once.
# `writes`: of writes only; `once`: not to be met at every attempt.
# `fresh`: at a connection as it is made.
# `first`: another fault that is met once before.
package FaultKinds;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw($hasty $patient fault_kinds fault_sequences connection_faults attempts_of expected_of name_of rules_of);

# Milliseconds for one request: so that it takes no long time to run out, and so that
# it does not.
my $slowness = $ENV{TXSTORE_SLOWNESS} || 1;
our $hasty = 250 * $slowness;
our $patient = 3000 * $slowness;

sub kinds { my ($says, @faults) = @_; return map { { says => $says, %$_ } } @faults }
sub named { return map { { fault => $_ } } @_ }
sub cancelled { my ($says, @reasons) = @_; return { fault => 'cancel', reasons => \@reasons, says => $says, writes => 1 } }

sub fault_kinds
{
	return (
		kinds('good', named(qw(drop_idle close no_crc no_date bad_date chunked)), { fault => 'drop_idle', reset => \1 },
			{ fault => 'delay', seconds => 0.02 }),
		kinds('nothing', named(qw(truncated drop_before_read drop_after_headers drop_after_body drop_mid_answer)),
			{ fault => 'drop_before_read', reset => \0 }, { fault => 'drop_after_headers', reset => \1 },
			{ fault => 'drop_after_body', reset => \1 }, { fault => 'drop_after_body', when => 'before' },
			{ fault => 'drop_after_body', later => 0.2, writes => 1 },
			{ fault => 'drop_mid_answer', at => 'headers' }, { fault => 'drop_mid_answer', reset => \1 },
			{ fault => 'connection_drop', fresh => 1 }, { fault => 'connection_stall', seconds => 20, fresh => 1, stuck => 1 },
			{ fault => 'stall', at => 'start', seconds => 20, stuck => 1 },
			{ fault => 'stall', at => 'headers', seconds => 20, stuck => 1 },
			{ fault => 'stall', at => 'body', seconds => 20, stuck => 1 },
			{ fault => 'stall', when => 'before', seconds => 20, stuck => 1 },
			{ fault => 'drip', at => 'headers', interval => $slowness, stuck => 1 },
			{ fault => 'drip', at => 'body', interval => $slowness, stuck => 1 }),
		kinds('failure', named(qw(http_500 http_502 http_503 http_503_html http_504)),
			(map { { fault => $_, when => 'after' } } qw(http_500 http_502 http_503 http_503_html http_504)),
			{ fault => 'http_503', later => 0.2, writes => 1 },
			{ fault => 'replicated_write_conflict', writes => 1 },
			{ fault => 'in_progress', writes => 1, slow => 1 }, { fault => 'in_progress', when => 'after', writes => 1, slow => 1 }),
		kinds('noise', named(qw(html empty_body bad_json not_an_object wrong_crc gzip redirect big_headers)),
			{ fault => 'bad_json', body => '' }, { fault => 'bad_json', body => '{} {}' }, { fault => 'wrong_crc', crc => '1' },
			{ fault => 'big_answer', bytes => 34 << 20 },
			{ fault => 'redirect', when => 'after' },
			{ fault => 'http', status => 204, body => 'empty' },
			(map { { fault => 'http', status => 403, body => $_ } } 'html', 'empty', '{}')),
		kinds('53400', (map { { fault => 'throttle', code => $_, again => 4, slow => 1 } }
			qw(ProvisionedThroughputExceededException ThrottlingException Throttling RequestLimitExceeded
				TooManyRequestsException LimitExceededException)),
			# The next attempt would have no time left.
			{ fault => 'throttle', headers => { 'x-amz-retry-after' => $hasty - 50 }, again => 4, stuck => 1 },
			# Told of a write that was applied, it is a lie, but the next attempt knows better.
			{ fault => 'throttle', when => 'after', again => 4, slow => 1, once => 1 }),
		kinds('28000', named(qw(access_denied expired_token unrecognized_client bad_signature)),
			{ fault => 'skew', seconds => 360, again => 2 }, { fault => 'skew', seconds => -360, again => 2 }),
		kinds('22023', { fault => 'error', code => 'ValidationException' }),
		kinds('HV00R', { fault => 'not_found', writes => 1, again => 2 }),
		kinds('HV000', named('token_mismatch'), { fault => 'error', code => 'SomethingNewException' }),
		kinds('55P03', { fault => 'conflict', writes => 1, again => 4 }, { fault => 'conflict', action => 'all', writes => 1, again => 4 }),
		{ %{ cancelled('55P03', 'ThrottlingError', 'TransactionConflict') }, again => 4 },
		{ %{ cancelled('53400', 'ThrottlingError') }, again => 4, slow => 1 },
		{ %{ cancelled('53400', 'None', 'ProvisionedThroughputExceeded') }, again => 4, slow => 1 },
		cancelled('40001', 'ConditionalCheckFailed'),
		cancelled('40001', 'None', 'ConditionalCheckFailed'),
		cancelled('40001', 'TransactionConflict', 'ConditionalCheckFailed'),
		cancelled('40001', 'ConditionalCheckFailed', 'ThrottlingError'),
		cancelled('40001', 'ValidationError', 'ConditionalCheckFailed'),
		cancelled('54000', 'ItemCollectionSizeLimitExceeded'),
		cancelled('22023', 'ValidationError'),
		cancelled('22023', 'ValidationError', 'TransactionConflict'),
		cancelled('22023', 'ThrottlingError', 'ValidationError'),
		cancelled('28000', 'None', 'AccessDenied'),
		cancelled('HV000', 'SomethingNew', 'TransactionConflict'),
		{ fault => 'error', code => 'TransactionCanceledException', says => 'HV000', writes => 1 });
}

# An attempt that leaves the outcome open, and then a refusal, of which the client
# cannot know that it is about the same thing: it stays open.
sub fault_sequences
{
	my @open = ({ fault => 'drop_after_body' }, { fault => 'drop_after_body', when => 'before' }, { fault => 'http_500', when => 'after' }, { fault => 'wrong_crc' });
	my @refusals = grep { $_->{says} =~ /^[0-9A-Z]{5}$/ && !$_->{once} && $_->{fault} ne 'skew' } fault_kinds();
	return map { my $first = $_; map { { %$_, first => $first, says => 'nothing' } } @refusals } @open;
}

# Of TLS; `certificates` is a folder that make_certificates has filled.
sub connection_faults
{
	my ($certificates) = @_;
	return map { { %$_, fresh => 1 } } kinds('unreached', named(qw(handshake_drop connection_drop)),
		# Each side waits for the other's first word.
		{ fault => 'plain_text', stuck => 1 },
		{ fault => 'handshake_drop', reset => \1 },
		{ fault => 'handshake_stall', seconds => 20, stuck => 1 }, { fault => 'connection_stall', seconds => 20, stuck => 1 },
		map { { fault => 'wrong_certificate', certificate => "$certificates/$_.pem", key => "$certificates/$_.key" } }
			qw(wrong foreign expired));
}

# How often an operation is sent that meets a fault every time.
sub attempts_of
{
	my ($fault) = @_;
	return 1 if $fault->{says} eq 'good';
	return $fault->{says} =~ /^[0-9A-Z]{5}$/ ? $fault->{again} // 1 : 4;
}

# What a client must say that met a fault so often (undef: at every attempt):
# 'ok', or an SQLSTATE of the design's table.
sub expected_of
{
	my ($fault, $is_write, $times) = @_;
	my $says = $fault->{says};
	my $is_refusal = $says =~ /^[0-9A-Z]{5}$/;
	return 'ok' if $says eq 'good' || !$fault->{stuck} && defined $times && $times < attempts_of($fault);
	return $says if $is_refusal;
	return '08001' if $says eq 'unreached';
	return '08007' if $is_write;
	return $says eq 'noise' ? 'HV00L' : '08006';
}

my @facts = qw(says again slow stuck writes once fresh first);

# For the fault server: how the nth request of an operation, and those after it, meet
# a fault.
sub rules_of
{
	my ($fault, $operation, $nth, $times) = @_;
	my @first = $fault->{first} ? { %{ $fault->{first} }, operation => $operation, nth => $nth } : ();
	my %rule = (%$fault, times => $times);
	delete @rule{@facts};
	return (@first, { %rule, $fault->{fresh} ? (operation => 'connection') : (operation => $operation, nth => $nth + @first) });
}

sub name_of
{
	my ($fault) = @_;
	my $first = $fault->{first} ? name_of($fault->{first}) . ' then ' : '';
	my @hint = $fault->{headers} ? 'with a hint' : ();
	return $first . join ' ', (map { ref $fault->{$_} eq 'ARRAY' ? "[@{ $fault->{$_} }]" : ref $fault->{$_} ? "$_ ${ $fault->{$_} }" : $fault->{$_} }
		grep { defined $fault->{$_} } qw(fault code status body reasons action at when later reset seconds crc)), @hint;
}

1;
