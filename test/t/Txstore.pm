# What the tests here share: a server with the extension, and sessions that tell
# a result from an SQLSTATE.
package Txstore;

use strict;
use warnings;
use Exporter 'import';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(new_node install session result begin_statement end_statement memory_of);

# What a caller of the extension would write: put() stores a value whatever was
# there, add_one() decides on what it loaded, save() trusts the session's handle.
my $functions = q{
	CREATE FUNCTION value_of(k text, s name DEFAULT NULL) RETURNS text LANGUAGE sql VOLATILE AS $$
		SELECT convert_from(committed_state, 'UTF8') FROM txstore.load(k, s) $$;
	CREATE FUNCTION put(k text, v text, s name DEFAULT NULL) RETURNS text LANGUAGE sql VOLATILE AS $$
		SELECT txstore.store(k, l.etag, l.metadata,
			ARRAY[txstore.prepare(l.committed_sequence_id + 1, convert_to(v, 'UTF8'))],
			l.committed_sequence_id + 1, storage => s)
		  FROM txstore.load(k, s) AS l $$;
	CREATE FUNCTION save(k text, v text) RETURNS text LANGUAGE sql VOLATILE AS $$
		SELECT txstore.store(k, h.etag, '',
			ARRAY[txstore.prepare(coalesce(h.committed_sequence_id, 0) + 1, convert_to(v, 'UTF8'))],
			coalesce(h.committed_sequence_id, 0) + 1)
		  FROM (VALUES (1)) AS one LEFT JOIN txstore.handles AS h ON h.partition_key = k AND h.storage = 'embedded' $$;
	-- Is the error a conflict, false tells the caller to try again.
	CREATE FUNCTION add_one(k text) RETURNS boolean LANGUAGE plpgsql AS $$
	DECLARE
		was record;
	BEGIN
		SELECT *, coalesce(convert_from(committed_state, 'UTF8'), '0')::bigint AS n INTO was FROM txstore.load(k);
		PERFORM txstore.store(k, was.etag, was.metadata,
			ARRAY[txstore.prepare(was.committed_sequence_id + 1, convert_to((was.n + 1)::text, 'UTF8'))],
			was.committed_sequence_id + 1);
		RETURN true;
	EXCEPTION WHEN serialization_failure THEN
		RETURN false;
	END $$;
};

sub install
{
	my ($node, $database) = @_;
	$node->safe_psql($database // 'postgres', "CREATE EXTENSION txstore; $functions");
}

# Start a server as test/with_cluster does: with the variables of SERVER_ENV, and
# SERVER_PROGRAM in the place of postgres.
sub start
{
	my ($node) = @_;
	local %ENV = (%ENV, map { split /=/, $_, 2 } split ' ', $ENV{SERVER_ENV} // '');
	return $node->start unless $ENV{SERVER_PROGRAM};
	system_or_bail('pg_ctl', '-w', '-t', 300, '-p', $ENV{SERVER_PROGRAM}, '-D', $node->data_dir, '-l', $node->logfile, 'start');
	$node->_update_pid(1);
	return;
}

# A running server with these lines in its configuration.
sub new_node
{
	my ($name, @lines) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init(allows_streaming => 1, extra => [ '--encoding=UTF8', '--locale=C' ]);
	$node->append_conf('postgresql.conf', join("\n", 'autovacuum = off', 'log_statement = none', @lines) . "\n");
	start($node);
	install($node);
	return $node;
}

# A psql that stays open.  Errors show their SQLSTATE only.
sub session
{
	my ($node, $database) = @_;
	my $session = $node->background_psql($database // 'postgres', on_error_stop => 0);
	# The time for a test is for each query.
	$session->set_query_timer_restart;
	$session->query('\set VERBOSITY sqlstate');
	return $session;
}

# What a statement gave: its output, or the SQLSTATE it failed with.
sub result
{
	my ($session, $sql) = @_;
	$session->{stderr} = '';
	return outcome($session, $session->query($sql));
}

# Send a statement that has to wait, and take its result once it need not.
sub begin_statement
{
	my ($session, $sql) = @_;
	$session->{stderr} = '';
	$session->query_until(qr/begun\n/, "\\echo begun\n$sql;\n");
	return;
}

sub end_statement
{
	my ($session) = @_;
	return outcome($session, $session->query(''));
}

sub outcome
{
	my ($session, $output) = @_;
	$output =~ s/\n+\z//;
	return $session->{stderr} =~ /(?:ERROR|FATAL|PANIC):\s+(\w{5})\b/ ? $1 : $output;
}

# Kilobytes of a process: 'VmHWM' is the most it ever had, 'RssAnon' what is its
# own now.
sub memory_of
{
	my ($pid, $what) = @_;
	my ($line) = grep { /^$what:/ } split /\n/, slurp_file("/proc/$pid/status");
	return $line =~ /(\d+) kB/ ? $1 : die "no $what of process $pid";
}

1;
