-- A scan's memory does not grow with its rows, nor with how often it begins again.  (Groups 15 to 19, 22.)
CREATE SERVER measured FOREIGN DATA WRAPPER txstore_fdw OPTIONS (schema_name 'fdw_measured', table_name 'x');
CREATE SCHEMA fdw_memory;
SET search_path = fdw_memory;
IMPORT FOREIGN SCHEMA x FROM SERVER measured INTO fdw_memory;
SELECT txstore.initialize_storage('measured');
INSERT INTO fdw_measured.x_keys (partition_key, metadata, incarnation, committed_sequence_id, "timestamp", etag)
	SELECT 'p/' || i || '_default_s', '{}', i, 1, 1700000000, 1 FROM generate_series(1, 20000) AS i;
INSERT INTO fdw_measured.x_states (partition_key, sequence_id, state, transaction_id, transaction_timestamp, transaction_manager, etag)
	SELECT 'p/' || i || '_default_s', 1, convert_to('{"n":' || i || ',"x":"' || repeat('x', 600) || '"}', 'UTF8'), 'tx',
		'2024-01-02T03:04:05.1234567Z', '{}', 1 FROM generate_series(1, 20000) AS i;
ANALYZE fdw_measured.x_keys, fdw_measured.x_states;
-- What the session uses at one row and 18,000 rows later.
CREATE FUNCTION used() RETURNS bigint VOLATILE LANGUAGE sql AS 'SELECT sum(used_bytes)::bigint FROM pg_backend_memory_contexts';
CREATE FUNCTION growth(query text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	row record;
	n int := 0;
	first bigint;
	last bigint;
BEGIN
	FOR row IN EXECUTE query LOOP
		n := n + 1;
		IF n = 1000 THEN
			first := used();
		ELSIF n = 19000 THEN
			last := used();
		END IF;
	END LOOP;
	RETURN CASE WHEN last - first < 100000 THEN 'none' ELSE last - first || ' bytes' END || ' in ' || n || ' rows';
END $$;
SELECT growth('SELECT * FROM x_keys');
SELECT growth('SELECT * FROM x_states');
SELECT growth('SELECT * FROM x_partitions');
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_memoize = off;
SELECT growth('SELECT i, etag FROM generate_series(1, 20000) AS i JOIN x_keys ON partition_key = ''p/'' || i || ''_default_s''');
SELECT growth('SELECT i, state FROM generate_series(1, 20000) AS i JOIN x_states ON partition_key = ''p/'' || i || ''_default_s'' AND sequence_id <= i');
SELECT growth('SELECT i, (SELECT state FROM x_partitions WHERE partition_key = ''p/'' || i || ''_default_s'') FROM generate_series(1, 20000) AS i');
SELECT growth('SELECT i, (SELECT count(*) FROM x_states WHERE partition_key = ANY (ARRAY[''p/'' || i || ''_default_s'', ''x''])) FROM generate_series(1, 20000) AS i');
-- Many small statements in one transaction.
DO $$
DECLARE
	first bigint;
	found jsonb;
BEGIN
	FOR i IN 1..10000 LOOP
		EXECUTE format('SELECT state FROM x_partitions WHERE partition_key = ''p/%s_default_s''', i) INTO found;
		IF i = 1000 THEN
			first := used();
		END IF;
	END LOOP;
	RAISE NOTICE '%', CASE WHEN used() - first < 100000 THEN 'no growth' ELSE used() - first || ' bytes' END;
END
$$;
SET client_min_messages = warning;
DROP SCHEMA fdw_memory, fdw_measured CASCADE;
DROP SERVER measured;
