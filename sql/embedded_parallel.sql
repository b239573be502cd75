-- Parallel queries: what reads or writes a storage stays in the leader.
\set SHOW_CONTEXT never
CREATE SERVER parallel FOREIGN DATA WRAPPER txstore_fdw OPTIONS (schema_name 'parallel');
SET txstore.default_storage = 'parallel';
CREATE TABLE numbers AS SELECT i FROM generate_series(1, 5000) AS i;
ANALYZE numbers;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT etag FROM txstore.load('p');

-- Does the plan of a query have workers, and do they run what is in its WHERE?
CREATE FUNCTION workers(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan text := '';
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF, VERBOSE) ' || query LOOP
		plan := plan || line || E'\n';
	END LOOP;
	RETURN CASE WHEN plan !~ 'Gather' THEN 'none' WHEN plan ~ 'Gather.*(txstore\.|lies)' THEN 'run it' ELSE 'do not run it' END;
END
$$;
SELECT call, workers(format('SELECT count(*) FROM numbers WHERE %s IS NOT NULL', call)) FROM (VALUES
	('txstore.partition_key(''t'', i::text, ''s'')'),
	('txstore.prepare(i, ''x'')'),
	('txstore.prepare(i, ''x'', ''11111111-1111-1111-1111-111111111111'', ''2024-01-01'')'),
	('txstore.load(''p'')'),
	('txstore.store(''p'', '''', '''')'),
	('txstore.delete_partition(''p'', '''')'),
	('txstore.forget(''p'')')) AS calls(call);
SELECT count(DISTINCT txstore.partition_key('t', i::text, 's')) FROM numbers;
SELECT count(*) FROM numbers WHERE (txstore.prepare(i, 'x')).sequence_id = i;
SELECT count((txstore.load('p' || i % 3)).committed_sequence_id) FROM numbers;
SELECT count(*), (SELECT count(*) FROM txstore.handles) AS handles FROM numbers;

-- A function that lies about it is stopped before it writes.
CREATE FUNCTION lies(i int) RETURNS text PARALLEL SAFE LANGUAGE plpgsql AS $$BEGIN RETURN txstore.store('p', '', ''); END$$;
SELECT workers('SELECT max(lies(i)) FROM numbers');
SELECT max(lies(i)) FROM numbers;
\echo :LAST_ERROR_SQLSTATE
SELECT txstore.store('p', '', '');
-- export_items() is read by the leader, beside workers.
SELECT sum(n.i) FROM numbers AS n WHERE n.i % 2 = 0 AND n.i > (SELECT count(*) FROM txstore.export_items());

SET client_min_messages = warning;
DROP TABLE numbers;
DROP FUNCTION workers(text), lies(int);
DROP SERVER parallel;
DROP SCHEMA parallel CASCADE;
