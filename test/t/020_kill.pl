# kill -9 of the whole server during stores.  After the restart every partition
# loads and holds the last store that was acknowledged, or the one that was under
# way.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use PostgreSQL::Test::Utils;
use Test::More;
use IPC::Run;
use Txstore;

my $clients = 4;
my $partitions = 5;    # of each client
my $stores = 20000;    # more than a client gets done before the kill

my $node = new_node('killed', 'shared_buffers = 16MB', 'checkpoint_timeout = 30s', 'max_wal_size = 64MB');

# A state of some kilobytes that shows if any of it is not of that store; every
# third store leaves a pending version, every hundredth is two batches long.
$node->safe_psql('postgres', q{
	CREATE SERVER lossy FOREIGN DATA WRAPPER txstore_fdw OPTIONS (table_name 'lossy', persistence 'volatile');
	CREATE FUNCTION body(k text, n int) RETURNS text LANGUAGE sql AS $$
		SELECT n || ':' || repeat(md5(k || n), n % 150) $$;
	CREATE FUNCTION step(k text, n int) RETURNS int LANGUAGE sql AS $$
		SELECT n FROM txstore.load(k) AS l, txstore.store(k, l.etag, convert_to('meta ' || n, 'UTF8'),
			(SELECT array_agg(txstore.prepare(l.committed_sequence_id + i, convert_to(body(k, n), 'UTF8')) ORDER BY i)
			   FROM generate_series(1, CASE WHEN n % 100 = 0 THEN 120 WHEN n % 3 = 0 THEN 2 ELSE 1 END) AS i),
			l.committed_sequence_id + 1, l.committed_sequence_id) $$;
	-- The number of a partition's last store, or what is wrong with it.
	CREATE FUNCTION last_step(k text) RETURNS text LANGUAGE sql AS $$
		SELECT CASE
			WHEN etag IS NULL THEN '0'
			WHEN convert_from(committed_state, 'UTF8') <> body(k, n) THEN 'another state'
			WHEN convert_from(metadata, 'UTF8') <> 'meta ' || n THEN 'another metadata'
			WHEN cardinality(pending) <> CASE WHEN n % 100 = 0 THEN 119 WHEN n % 3 = 0 THEN 1 ELSE 0 END THEN 'other pending'
			ELSE n::text END
		  FROM txstore.load(k), split_part(convert_from(committed_state, 'UTF8'), ':', 1) AS t, CAST(t AS int) AS n $$;
	SELECT txstore.initialize_storage();
});

# The server's processes: the postmaster and its children.
sub processes_of
{
	my ($postmaster) = @_;
	my @pids = ($postmaster);
	foreach my $file (glob '/proc/[0-9]*/stat')
	{
		my $line = eval { slurp_file($file) } // next;
		push @pids, $1 if $line =~ /^(\d+) \(.*\) \S (\d+)/s && $2 == $postmaster;
	}
	return @pids;
}

# A killed process takes its time to go.  Where nobody reaps the dead (a bare
# container), PostgreSQL takes its old postmaster for a living one.
sub start_again
{
	my (@pids) = @_;
	foreach (1 .. 100)
	{
		@pids = grep { -e "/proc/$_" } @pids or last;
		select undef, undef, undef, 0.1;
	}
	unlink $node->data_dir . '/postmaster.pid' if @pids;
	$node->start;
	return;
}

# Start a client that stores n = from, from + 1, … into its partitions in turn
# and prints each number once the server has acknowledged it.
sub start_client
{
	my ($client, $from) = @_;
	my %client = (client => $client, from => $from, acknowledged => '', errors => '');
	my $script = PostgreSQL::Test::Utils::tempdir() . "/client$client.sql";
	append_to_file($script, join '', map { sprintf "SELECT step('c%d/%d', %d);\n", $client, $_ % $partitions, $_ } $from .. $from + $stores - 1);
	$client{run} = IPC::Run::start([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('postgres'),
		'-f', $script ], '>', \$client{acknowledged}, '2>', \$client{errors});
	return \%client;
}

my @next = map { 1 } 1 .. $clients;
my @last = map { [ (0) x $partitions ] } 1 .. $clients;

foreach my $round (1 .. 3)
{
	my @running = map { start_client($_, $next[$_]) } 0 .. $clients - 1;
	$node->safe_psql('postgres', q{SELECT put('p', 'gone', 'lossy')});
	my $goal = 150 * $round;
	while (grep { ($_->{acknowledged} =~ tr/\n//) < $goal } @running)
	{
		foreach (@running) { $_->{run}->pump_nb or die "a client ended: $_->{errors}"; }
		$node->safe_psql('postgres', 'CHECKPOINT') if $round == 2;
	}

	my @pids = processes_of($node->{_pid});
	$node->kill9;
	kill 'KILL', @pids;
	foreach (@running) { $_->{run}->finish; }
	unlike($running[0]{acknowledged}, qr/\b$stores\b/, "round $round: the kill came during stores");

	start_again(@pids);
	my ($wrong, $ahead) = (0, 0);
	foreach my $client (@running)
	{
		my ($last, $number) = ($last[$client->{client}], $client->{client});
		foreach my $n (split /\n/, $client->{acknowledged})
		{
			$last->[$n % $partitions] = $n;
			$next[$number] = $n + 1;
		}
		my @found = split /\n/, $node->safe_psql('postgres',
			"SELECT last_step('c$number/' || p) FROM generate_series(0, $partitions - 1) AS p");
		foreach my $p (0 .. $partitions - 1)
		{
			my $found = $found[$p];
			my $under_way = $next[$number] % $partitions == $p ? $next[$number] : $last->[$p];
			next if $found eq $last->[$p];
			if ($found eq $under_way) { $ahead++; $last->[$p] = $found; next; }
			$wrong++;
			diag("c$number/$p has $found, acknowledged was $last->[$p]");
		}
		$next[$number]++;
	}
	is($wrong, 0, "round $round: every partition is at its last acknowledged store or the one under way ($ahead)");
	is($node->safe_psql('postgres', q{SELECT value_of('p', 'lossy') IS NULL}), 't',
		"round $round: an unlogged storage is empty and usable");
}

cmp_ok($last[0][0], '>', 200, 'every round went on from the one before');
is($node->safe_psql('postgres', q{SELECT count(*) FROM txstore.export_items() AS i WHERE i ->> 'RowKey' IS NULL}), 0,
	'all rows can be exported');
$node->command_ok([ 'pg_amcheck', '-d', 'postgres', '--install-missing', '--heapallindexed',
	'-s', 'txstore_data' ], 'tables and indexes agree');
$node->stop;
done_testing();
