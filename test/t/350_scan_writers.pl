# While others write, a table of partitions over DynamoDB never misses an actor,
# and never shows a state that was not committed at some moment of the scan: not
# the state of one version with the number of another, none older than what
# load() gave before the scan, none newer than what it gives after.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use FaultServer;
use Test::More;
use Txstore;

my $rounds = $ENV{TXSTORE_ROUNDS} // 1000;
my $server = FaultServer->new;
my $node = new_node('writers');
my $url = $server->url;

$node->safe_psql('postgres', qq{
	CREATE SERVER remote FOREIGN DATA WRAPPER txstore_fdw OPTIONS (provider 'dynamodb', endpoint '$url', table_name 'Remote', scan_segments '1');
	SELECT txstore.initialize_storage('remote');
	CREATE FOREIGN TABLE one (partition_key text COLLATE "C", etag text, committed_sequence_id bigint, state text, pending bigint, pending_versions jsonb)
		SERVER remote OPTIONS (kind 'partitions');
	CREATE FOREIGN TABLE several (partition_key text COLLATE "C", etag text, committed_sequence_id bigint, state text, pending bigint, pending_versions jsonb)
		SERVER remote OPTIONS (kind 'partitions', scan_segments '4');
	CREATE TABLE actors AS SELECT 'writers/' || i || '_default_x' AS key FROM generate_series(1, 9) AS i;
	CREATE TABLE stop (at bigint);
	-- A version holds its own number.  It is prepared, sometimes with another one,
	-- and committed by a later store().
	CREATE FUNCTION write_one(k text, ahead int) RETURNS void LANGUAGE plpgsql AS \$\$
	DECLARE
		l record;
	BEGIN
		SELECT etag, committed_sequence_id AS n INTO l FROM txstore.load(k, 'remote');
		PERFORM txstore.store(k, l.etag, '{}', ARRAY(SELECT txstore.prepare(l.n + i, convert_to((l.n + i)::text, 'UTF8')) FROM generate_series(1, ahead) AS i),
			storage => 'remote');
		SELECT etag INTO l.etag FROM txstore.load(k, 'remote');
		PERFORM txstore.store(k, l.etag, '{}', NULL, l.n + ahead, storage => 'remote');
	END \$\$;
	CREATE FUNCTION write_until_stopped() RETURNS bigint LANGUAGE plpgsql AS \$\$
	DECLARE
		k text;
		written bigint := 0;
	BEGIN
		LOOP
			FOR k IN SELECT key FROM actors LOOP
				PERFORM write_one(k, 1 + (written % 3)::int);
				written := written + 1;
			END LOOP;
			EXIT WHEN EXISTS (SELECT FROM stop);
		END LOOP;
		RETURN written;
	END \$\$;
	-- What is wrong of a number of scans.
	CREATE FUNCTION committed() RETURNS TABLE (key text, n bigint) LANGUAGE sql VOLATILE AS
		\$\$ SELECT key, l.committed_sequence_id FROM actors, LATERAL txstore.load(key, 'remote') AS l \$\$;
	CREATE FUNCTION read_rounds(query text, rounds int, OUT wrong text, OUT changed bigint) LANGUAGE plpgsql AS \$\$
	DECLARE
		found text;
	BEGIN
		changed := 0;
		FOR i IN 1 .. rounds LOOP
			DELETE FROM before;
			DELETE FROM rows;
			DELETE FROM after;
			INSERT INTO before SELECT * FROM committed();
			EXECUTE 'INSERT INTO rows ' || query;
			INSERT INTO after SELECT * FROM committed();
			SELECT string_agg(format('%s: %s %s in %s..%s, pending %s', b.key, r.committed_sequence_id, r.state, b.n, a.n, r.pending), '; ') INTO found
				FROM before AS b JOIN after AS a USING (key) LEFT JOIN rows AS r ON r.partition_key = b.key
				WHERE r.partition_key IS NULL OR r.committed_sequence_id < b.n OR r.committed_sequence_id > a.n
					OR (r.committed_sequence_id > 0 AND r.state IS DISTINCT FROM r.committed_sequence_id::text)
					OR r.pending NOT BETWEEN 0 AND 3 OR jsonb_array_length(r.pending_versions) <> r.pending
					OR EXISTS (SELECT FROM jsonb_array_elements(r.pending_versions) AS v WHERE v ->> 'state' <> v ->> 'sequence_id'
						OR (v ->> 'sequence_id')::bigint <= r.committed_sequence_id);
			wrong := coalesce(wrong, found);
			IF (SELECT count(*) <> count(DISTINCT partition_key) FROM rows) THEN
				wrong := coalesce(wrong, 'an actor twice');
			END IF;
			changed := changed + (SELECT count(*) FROM before AS b JOIN after AS a USING (key) WHERE a.n <> b.n);
		END LOOP;
		wrong := coalesce(wrong, 'nothing');
	END \$\$;
	CREATE UNLOGGED TABLE before (key text, n bigint);
	CREATE UNLOGGED TABLE after (key text, n bigint);
	CREATE UNLOGGED TABLE rows (LIKE one);
	SELECT write_one(key, 2) FROM actors;
});
# About three items a page, so that most pages end within an actor.
$server->control(page_bytes => 450);

my $writer = session($node);
begin_statement($writer, 'SELECT write_until_stopped()');
my $reader = session($node);
foreach my $case ([ 'a scan', 'SELECT * FROM one', 0.4 ], [ 'a scan of several segments', 'SELECT * FROM several', 0.3 ],
	[ 'Queries', 'SELECT * FROM one WHERE partition_key = ANY (ARRAY(SELECT key FROM actors))', 0.2 ],
	[ 'a lookup join', 'SELECT one.* FROM one JOIN actors ON partition_key = key', 0.1 ])
{
	my ($name, $query, $part) = @$case;
	my $count = int($rounds * $part) || 1;
	my ($wrong, $changed) = split /\|/, result($reader, "SET client_min_messages = error; SELECT wrong, changed FROM read_rounds('$query', $count)"), 2;
	is($wrong, 'nothing', "$name, $count rounds: nothing is wrong");
	note("$name: $changed actors were written meanwhile");
	cmp_ok($changed // 0, '>', $count / 10, "$name: while others write");
}
result($reader, 'INSERT INTO stop VALUES (1)');
my $written = end_statement($writer);
like($written, qr/^\d+$/, "the writer has ended well, after $written times");

$_->quit foreach $writer, $reader;
$node->stop;
$server->stop;
done_testing();
