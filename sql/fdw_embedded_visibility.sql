-- What a foreign table of an embedded storage sees: what a plain table would have.
\set SHOW_CONTEXT never
CREATE SERVER seen FOREIGN DATA WRAPPER txstore_fdw OPTIONS (schema_name 'fdw_seen', table_name 'x');
SET txstore.default_storage = 'seen';
CREATE SCHEMA fdw_visibility;
SET search_path = fdw_visibility;
IMPORT FOREIGN SCHEMA x FROM SERVER seen INTO fdw_visibility;

-- A cursor over a storage that is made later, and by itself: empty, as its snapshot is.
BEGIN;
DECLARE early CURSOR FOR SELECT partition_key FROM x_keys;
DECLARE late CURSOR FOR SELECT partition_key FROM x_keys;
FETCH ALL FROM early;
SAVEPOINT s;
SELECT txstore.store('a', etag, metadata, ARRAY[txstore.prepare(1, '1')], 1) FROM txstore.load('a');
FETCH ALL FROM early;
FETCH ALL FROM late;
SELECT partition_key, state, pending FROM x_partitions;
ROLLBACK TO s;
FETCH ALL FROM late;
SELECT partition_key FROM x_keys;
COMMIT;

-- One's own, not yet committed; undone; by savepoints.
BEGIN;
SELECT txstore.store('a', etag, metadata, ARRAY[txstore.prepare(1, '1'), txstore.prepare(2, '2')], 1) FROM txstore.load('a');
SELECT partition_key, etag, committed_sequence_id, state, pending FROM x_partitions;
SAVEPOINT s;
SELECT txstore.store('a', '0', 'm', commit_up_to => 2);
SELECT etag, state, pending, metadata_bytes FROM x_partitions;
SELECT sequence_id, state FROM x_states ORDER BY 1;
ROLLBACK TO s;
SELECT etag, state, pending FROM x_partitions;
COMMIT;
SELECT etag, state, pending FROM x_partitions;
SELECT etag FROM txstore.load('a');
BEGIN;
SELECT txstore.delete_partition('a', '0');
SELECT count(*) FROM x_states;
SELECT count(*) FROM x_partitions;
ROLLBACK;
SELECT count(*) FROM x_states;

-- In one statement: a scan sees what was there when the statement began; a function that is volatile sees what came since.
SELECT etag FROM txstore.load('a');
CREATE FUNCTION now_there() RETURNS text VOLATILE LANGUAGE sql AS 'SELECT etag FROM x_keys WHERE partition_key = ''a''';
CREATE FUNCTION was_there() RETURNS text STABLE LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT etag FROM x_keys WHERE partition_key = ''a''); END';
SELECT stored, (SELECT etag FROM x_keys WHERE partition_key = left('a', length(stored))) AS same_statement, now_there(), was_there()
  FROM txstore.store('a', '0', 'm') AS stored;
SELECT etag FROM x_keys;
-- A cursor keeps its snapshot, whatever is stored beside it.
BEGIN;
DECLARE c CURSOR FOR SELECT sequence_id, state FROM x_states;
FETCH 1 FROM c;
SELECT txstore.store('a', '1', 'm', ARRAY[txstore.prepare(3, '3')], 3);
FETCH ALL FROM c;
SELECT sequence_id, state FROM x_states;
COMMIT;
-- A loop that stores what it reads ends.
DO $$
DECLARE
	row record;
	rounds int := 0;
BEGIN
	FOR row IN SELECT * FROM x_partitions LOOP
		PERFORM txstore.store(row.partition_key || '+', l.etag, l.metadata, ARRAY[txstore.prepare(1, row.state_bytes)], 1)
		  FROM txstore.load(row.partition_key || '+') AS l;
		rounds := rounds + 1;
	END LOOP;
	RAISE NOTICE '% rounds', rounds;
END
$$;
SELECT partition_key, state FROM x_partitions ORDER BY 1;
-- Rows that are dead are passed over, and remembered as such by the index, in the middle of a scan.
SET client_min_messages = warning;
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"d%s"},"RowKey":{"S":"key"},"ETag":{"N":"0"}}', lpad(i::text, 4, '0'))))
  FROM generate_series(1, 2000) AS i;
DO $$
BEGIN
	PERFORM txstore.load('d' || lpad(i::text, 4, '0')), txstore.delete_partition('d' || lpad(i::text, 4, '0'), '0')
	  FROM generate_series(1, 2000) AS i WHERE i % 3 > 0;
END
$$;
SELECT count(partition_key), count(etag), min(partition_key), max(partition_key) FROM x_keys;
SELECT count(partition_key), count(pending), sum(pending) FROM x_partitions;
SELECT count(partition_key), count(pending), sum(pending) FROM x_partitions;
DROP SCHEMA fdw_visibility, fdw_seen CASCADE;
DROP SERVER seen;
