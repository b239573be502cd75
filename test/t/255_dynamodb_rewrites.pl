# Faults met by what deletes and imports: what is said of them is true, and both can
# be done again.
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
my $node = new_node('rewrites');
my $matrix = FaultMatrix->new($server, $node);
my $witness = $matrix->witness;
my $count = 0;

# What is deleted: 150 states are requests of 99 and 51, the last with the key row.
$node->safe_psql('postgres', q{
	CREATE FUNCTION make(key text, states int) RETURNS text LANGUAGE sql VOLATILE AS $$
		SELECT txstore.store(key, '', 'm', (SELECT array_agg(txstore.prepare(n, 'x')) FROM generate_series(1, states) AS n), storage => 'patient')
		FROM txstore.load(key, 'patient') $$;
	CREATE FUNCTION rows_of(key text) RETURNS bigint LANGUAGE sql VOLATILE AS $$
		SELECT count(*) FROM txstore.export_items(key, 'patient') $$;
	-- What is imported: partitions of 121 and of 2 rows are requests of 100, 21 and 2.
	CREATE TABLE lines (n int, line text);
	SELECT make('LONG', 120), make('SHORT', 1);
	INSERT INTO lines SELECT row_number() OVER (), l FROM (
		SELECT txstore.export_items('LONG', 'patient')::text UNION ALL SELECT txstore.export_items('SHORT', 'patient')::text) AS e (l);
	CREATE FUNCTION lines_of(key text) RETURNS text[] LANGUAGE sql STABLE AS $$
		SELECT array_agg(replace(replace(line, '"LONG"', format('"%s/1"', key)), '"SHORT"', format('"%s/2"', key)) ORDER BY n) FROM lines $$;
	CREATE FUNCTION is_imported(key text) RETURNS boolean LANGUAGE sql VOLATILE AS $$
		SELECT lines_of(key) = (SELECT array_agg(l) FROM (
			SELECT txstore.export_items(key || '/1', 'patient')::text UNION ALL SELECT txstore.export_items(key || '/2', 'patient')::text) AS e (l)) $$});

# One call that writes in several requests and meets a fault at one of them; returns
# its name, what was expected, and how many requests were applied.
sub meet
{
	my ($what, $fault, $times, $requests, $at, $call, $done) = @_;
	my $name = "$what: " . name_of($fault) . (defined $times ? " $times times" : ' always') . " at request $at";
	my $expected = expected_of($fault, 1, $times);
	$matrix->set_fault($fault, $times, 'TransactWriteItems', $at);
	my ($outcome, $message, $detail) = $matrix->call($call);
	my $applied = $matrix->applied_once($fault, $name);
	$matrix->faults;
	is($outcome, $expected eq 'ok' ? $done : $expected, "$name: outcome") or diag(join ' | ', $message // '', $detail // '');
	my %possible = map { $_ => 1 } $expected eq 'ok' ? $requests : $expected eq '08007' ? ($at - 1, $at) : $at - 1;
	ok($possible{$applied}, "$name: so much is applied") or diag("$applied requests");
	$matrix->refill(84) if $expected ne 'ok';
	return ($name, $expected, $applied, $message, $detail);
}

sub check_deletion
{
	my ($fault, $times, $at) = @_;
	return if $matrix->skips;
	my $key = 'deleted' . ++$count;
	my $storage = FaultMatrix::storage_for($fault, $times, expected_of($fault, 1, $times));
	result($witness, "SELECT make('$key', 150)");
	my ($name, $expected, $applied, $message, $detail) =
	  meet('delete', $fault, $times, 2, $at, "SELECT txstore.delete_partition('$key', '1', '$storage')", 'true');
	like($message . $detail, $at > 1 ? qr/partition "$key".*99 state rows are deleted/s : qr/partition "$key"/, "$name: what is said") if $expected ne 'ok';
	is(result($witness, "SELECT rows_of('$key')"), (151, 52, 0)[$applied], "$name: what is there");
	result($witness, "SELECT txstore.delete_partition('$key', l.etag, 'patient') FROM txstore.load('$key', 'patient') AS l");
	is(result($witness, "SELECT rows_of('$key')"), '0', "$name: deleted in the end");
	return;
}

sub check_import
{
	my ($fault, $times, $at) = @_;
	return if $matrix->skips;
	my $key = 'imported' . ++$count;
	my $storage = FaultMatrix::storage_for($fault, $times, expected_of($fault, 1, $times));
	my $partition = $at < 3 ? "$key/1" : "$key/2";
	my ($name, $expected, $applied, $message, $detail) =
	  meet('import', $fault, $times, 3, $at, "SELECT txstore.import_items(lines_of('$key'), '$storage')", '123');
	like($message . $detail, qr/partition "$partition".*import again/s, "$name: what is said") if $expected ne 'ok';
	is(result($witness, "SELECT rows_of('$key/1') + rows_of('$key/2')"), (0, 100, 121, 123)[$applied], "$name: what is there");
	result($witness, "SELECT txstore.import_items(lines_of('$key'), 'patient')");
	is(result($witness, "SELECT is_imported('$key')"), 't', "$name: imported in the end");
	return;
}

# A table that is not there is made for a store only; connections are made for what
# is read first.
foreach my $fault (grep { $_->{fault} !~ /^(not_found|skew)$/ && !$_->{fresh} } fault_kinds())
{
	my @always = $fault->{once} ? () : undef;
	check_deletion($fault, 1, 2);
	check_deletion($fault, $_, 1) foreach @always;
	check_deletion($fault, $_, 2) foreach @always;
	check_import($fault, 1, 2);
	next if !@always || $fault->{stuck};
	check_import($fault, undef, $_) foreach 1 .. 3;
}

$matrix->quit;
$node->stop;
done_testing();
