# Runs an operation into a fault, and holds what is said against what the fault
# server has recorded: how often each write was applied, and what is in the table.
#
#   my $matrix = FaultMatrix->new($server, $node, ca_file => ...);
#   $matrix->check_load($fault, $times, 'Query');
#   $matrix->check_store($fault, $times, $batches, $at);
#   $matrix->quit;
#
# Two storages show the same table: a fault that takes all the time there is is met
# by the hasty one.  For slow tools: TXSTORE_FAULT_SHARE=10 checks every tenth case,
# TXSTORE_SLOWNESS=10 gives ten times the time.
package FaultMatrix;

use strict;
use warnings;
use FaultKinds;
use Test::More;
use Txstore;

my $share = $ENV{TXSTORE_FAULT_SHARE} || 1;

# Tokens for retries, of which a bucket has 500: what may be spent before successes
# have to fill it up.
my $may_spend = 350;

sub new
{
	my ($class, $server, $node, %options) = @_;
	my $url = $server->url;
	my $more = join '', map { ", $_ '$options{$_}'" } sort keys %options;
	my %timeouts = (patient => $patient, hasty => $hasty);
	$node->safe_psql('postgres', join ';', map { qq{
		CREATE SERVER $_ FOREIGN DATA WRAPPER txstore_fdw
			OPTIONS (provider 'dynamodb', endpoint '$url', table_name 'faults', request_timeout '$timeouts{$_}ms'$more)} } sort keys %timeouts);
	$node->safe_psql('postgres', q{
		SELECT txstore.initialize_storage('patient');
		-- What a call came to: its value or SQLSTATE, and the message with its detail.
		CREATE FUNCTION outcome_of(call text) RETURNS text LANGUAGE plpgsql AS $$
		DECLARE
			value text;
			detail text;
		BEGIN
			EXECUTE call INTO value;
			RETURN value;
		EXCEPTION WHEN OTHERS THEN
			GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
			RETURN concat_ws('|', SQLSTATE, SQLERRM, detail);
		END $$;
		CREATE FUNCTION state_of(key text, storage name) RETURNS text LANGUAGE sql VOLATILE AS $$
			SELECT etag || ' ' || greatest(committed_sequence_id, (SELECT max(sequence_id) FROM unnest(pending)))
			FROM txstore.load(key, storage) $$});
	return bless {
		server => $server, node => $node, count => 0, cases => 0, spent => 0,
		session => session($node), witness => session($node),
	}, $class;
}

sub quit { $_[0]->{$_}->quit foreach qw(session witness); return }

# Another session, which meets no fault.
sub witness { return $_[0]->{witness} }

# A clock that was corrected stays so, for all sessions: a refusal with the right
# time corrects it again.
sub set_clock
{
	my ($self, $storage) = @_;
	$self->faults({ operation => 'GetItem', fault => 'skew', seconds => 0, times => 1 });
	result($self->{session}, "SELECT count(*) FROM txstore.load('clock', '$storage')");
	$self->faults;
	return;
}

# Is this a case to leave out?
sub skips { return $_[0]->{cases}++ % $share != 0 }

sub faults { my ($self, @rules) = @_; $self->{server}->control(clear_log => \1, faults => \@rules); return }

# What a statement came to, as SQLSTATE or value, message and detail.
sub call
{
	my ($self, $sql) = @_;
	$sql =~ s/'/''/g;
	return split /\|/, result($self->{session}, "SELECT outcome_of('$sql')"), 3;
}

# What another session sees, without faults.
sub state_of
{
	my ($self, $key) = @_;
	return result($self->{witness}, "SELECT state_of('$key', 'patient')");
}

# A partition with two versions committed one after the other: ETag 1.
sub new_partition
{
	my ($self) = @_;
	if ($self->{count} % 100 == 0)
	{
		my ($first, $last) = ($self->{count} + 1, $self->{count} + 100);
		result($self->{witness}, "SELECT put('p' || n, i::text, 'patient') FROM generate_series($first, $last) AS n, generate_series(1, 2) AS i");
	}
	return 'p' . ++$self->{count};
}

# Tokens are given back by successes: each load() has three.
sub refill
{
	my ($self, $spent) = @_;
	$self->{spent} += $spent;
	return if $self->{spent} < $may_spend;
	$self->faults;
	result($self->{witness}, "SELECT count(state_of('refill', 'patient')) FROM generate_series(1, 160)");
	$self->{spent} = 0;
	return;
}

sub storage_for
{
	my ($fault, $times, $expected) = @_;
	return 'hasty' if $fault->{stuck} || $fault->{slow} && !defined $times;
	# A write that may have been applied is tried on for as long as there is time.
	return !defined $times && ($expected // '') eq '08007' ? 'hasty' : 'patient';
}

# Set a fault of the nth request of an operation.  One of a connection needs one to
# be made just then.
sub set_fault
{
	my ($self, $fault, $times, $operation, $nth) = @_;
	my @rules = rules_of($fault, $operation, $nth, $times);
	if ($fault->{fresh} && $nth == 1)
	{
		result($self->{session}, 'SELECT txstore.disconnect_all()');
	}
	elsif ($fault->{fresh})
	{
		push @rules, { operation => $operation, nth => $nth - 1, fault => 'close' };
	}
	$self->faults(@rules);
	return;
}

# What the server has recorded since: how many writes were applied, and that it was
# once and with the same bytes at every attempt.
sub applied_once
{
	my ($self, $fault, $name) = @_;
	my %bodies;
	select undef, undef, undef, $fault->{later} + 0.1 if $fault->{later};
	my $requests = $self->{server}->digests('TransactWriteItems');
	$self->{requests} = @$requests;
	foreach my $request (grep { defined $_->{token} } @$requests)
	{
		$bodies{ $request->{token} }{ $request->{body} }++;
	}
	my @writes = values %{ $self->{server}->writes };
	my @applied = grep { $_->{applied} > 0 } @writes;
	is(join(' ', (grep { $_->{applied} > 1 } @writes) + 0, (grep { keys %$_ > 1 } values %bodies) + 0), '0 0',
		"$name: nothing is applied twice, attempts are the same");
	return scalar @applied;
}

my $versions = 200;    # batches of 99, 99 and 2

sub store_call
{
	my ($key, $storage, $batches) = @_;
	my $states = $batches == 1 ? q{ARRAY[txstore.prepare(3, 'three')], 3}
	  : "(SELECT array_agg(txstore.prepare(n, 'x')) FROM generate_series(3, $versions + 2) n)";
	return "SELECT txstore.store('$key', '1', 'm', $states, storage => '$storage')";
}

# One store that meets a fault at one batch.
sub check_store
{
	my ($self, $fault, $times, $batches, $at) = @_;
	return if $self->skips;
	my $name = name_of($fault) . (defined $times ? " $times times" : ' always') . " at batch $at of $batches";
	my $expected = expected_of($fault, 1, $times);
	my $storage = storage_for($fault, $times, $expected);
	my $key = $self->new_partition;
	my $call = store_call($key, $storage, $batches);
	my $done = $batches == 1 ? '2' : '4';

	$self->set_clock($storage) if $fault->{fault} eq 'skew';
	result($self->{session}, "SELECT state_of('$key', '$storage')");
	$self->set_fault($fault, $times, 'TransactWriteItems', $at);
	my ($outcome, $message, $detail) = $self->call($call);
	my $applied = $self->applied_once($fault, $name);
	$self->faults;

	# What was said.
	is($outcome, $expected eq 'ok' ? $done : $expected, "$name: outcome") or diag(join ' | ', $message // '', $detail // '');
	if ($expected ne 'ok')
	{
		like($message, qr/partition "$key" of storage "$storage"/, "$name: the message names the partition");
		like($detail, $batches > 1 ? qr/atch $at of $batches; @{[$at - 1]} before it are durable/ : qr/./, "$name: the detail says what is durable");
	}

	# What is final is asked once; what is not, as often as it is worth.  A connection
	# that was kept from before and is lost has one attempt for nothing.  A write that
	# may have been applied is tried on for as long as there is time.
	if (!defined $times && $batches == 1 && !grep { $fault->{$_} } qw(slow stuck fresh first))
	{
		my $attempts = attempts_of($fault);
		my $free = $fault->{says} eq 'nothing' ? 1 : 0;
		my $is_unknown = $expected eq '08007';
		# Where all is slow, one attempt can take all of the time.
		my $least = !$is_unknown ? $attempts : ($ENV{TXSTORE_SLOWNESS} // 1) > 1 ? 1 : 2;
		ok($self->{requests} >= $least && ($is_unknown || $self->{requests} <= $attempts + $free),
			"$name: so many attempts") or diag($self->{requests});
	}

	# What was done is what was said: all of it, what is durable for certain, or,
	# where that is unknown, perhaps one batch more.
	my %possible = map { $_ => 1 } $expected eq 'ok' ? $batches : $expected eq '08007' ? ($at - 1, $at) : $at - 1;
	ok($possible{$applied}, "$name: so much is applied") or diag("$applied batches");
	my @states = $batches == 1 ? ('1 2', '2 3') : ('1 2', '2 101', '3 200', '4 202');
	is($self->state_of($key), $states[$applied], "$name: what is there");

	# The handle: usable after a definite refusal of the first batch that is no
	# conflict, and then the same call succeeds.
	my $usable = $expected eq 'ok' || $at == 1 && $expected !~ /^(08007|40001)$/;
	my $etag = $expected eq 'ok' ? $done : '1';
	is(result($self->{session}, "SELECT count(*) > 0 FROM txstore.plan_store('$key', '$etag', '', storage => '$storage')"),
		$usable ? 't' : '55000', "$name: handle");
	is(($self->call($call))[0], $done, "$name: the same again") if $usable && $expected ne 'ok';
	is(result($self->{session}, "SELECT state_of('$key', '$storage')"), $usable ? $states[-1] : $states[$applied], "$name: load() agrees");
	$self->refill(84) if $expected ne 'ok';
	return;
}

# One load that meets a fault.
sub check_load
{
	my ($self, $fault, $times, $operation) = @_;
	return if $self->skips;
	my $name = name_of($fault) . (defined $times ? " $times times" : ' always') . " at $operation";
	my $expected = expected_of($fault, 0, $times);
	my $storage = storage_for($fault, $times, $expected);
	my $key = $self->new_partition;
	my $load = "SELECT state_of('$key', '$storage')";

	$self->set_clock($storage) if $fault->{fault} eq 'skew';
	$self->set_fault($fault, $times, $operation, 1);
	my ($outcome, $message, $detail) = $self->call($load);
	$self->faults;
	is($outcome, $expected eq 'ok' ? '1 2' : $expected, "$name: outcome") or diag(join ' | ', $message // '', $detail // '');
	like($message . $detail, qr/partition "$key" of storage "$storage".*table "faults"/s, "$name: the partition and the table are named")
	  if $expected ne 'ok';
	is(($self->call($load))[0], '1 2', "$name: the session is usable");
	$self->refill(84) if $expected ne 'ok';
	return;
}

1;
