-- txstore.max_handle_memory bounds what a session remembers, however much it touches; the newest handle is kept.
\set SHOW_CONTEXT never
CREATE SERVER memory FOREIGN DATA WRAPPER txstore_fdw OPTIONS (schema_name 'memory');
SET txstore.default_storage = 'memory';
SET txstore.max_handle_memory = '256kB';
CREATE VIEW used AS
	SELECT sum(total_bytes) AS bytes FROM pg_backend_memory_contexts WHERE name = 'txstore handles';

SELECT count(*), bool_and(l.etag IS NULL) AS all_fresh FROM generate_series(1, 5000) AS i, txstore.load('fresh ' || i) AS l;
SELECT bytes BETWEEN 1 AND 256 * 1024 AS bounded FROM used;
SELECT count(*) BETWEEN 100 AND 2000 AS some, sum(bytes) <= 256 * 1024 AS bounded FROM txstore.handles;
-- The newest are kept, one after the other.
SELECT min(substr(partition_key, 7)::int) + count(*) - 1 AS newest FROM txstore.handles;
SELECT txstore.store('fresh 5000', '', '');
SELECT txstore.store('fresh 1', '', '');
\echo :LAST_ERROR_SQLSTATE
SELECT etag FROM txstore.load('fresh 1');
SELECT txstore.store('fresh 1', '', '');

-- A handle that is used again and again stays, whatever else is loaded meanwhile.
DO $$
BEGIN
	PERFORM txstore.load('in use'), txstore.load('looked at');
	FOR i IN 0..39 LOOP
		PERFORM txstore.load('other ' || i || ' ' || j) FROM generate_series(1, 100) AS j;
		PERFORM txstore.store('in use', CASE WHEN i > 0 THEN (i - 1)::text END, '');
		PERFORM txstore.plan_store('looked at', '', '');
	END LOOP;
END
$$;
SELECT partition_key, etag FROM txstore.handles WHERE partition_key IN ('in use', 'looked at') ORDER BY 1;
SELECT bytes BETWEEN 1 AND 256 * 1024 AS bounded FROM used;

-- Handles of one transaction are no exception, nor those that it undoes.
BEGIN;
SELECT count(DISTINCT txstore.store('own ' || i, l.etag, l.metadata)) FROM generate_series(1, 3000) AS i, txstore.load('own ' || i) AS l;
SELECT bytes BETWEEN 1 AND 256 * 1024 AS bounded FROM used;
SELECT bool_or(must_load) AS must_load FROM txstore.handles;
ROLLBACK;
SELECT count(*) > 100 AS some FROM txstore.handles WHERE partition_key LIKE 'own %' AND must_load;
SELECT count(*) FROM txstore.handles WHERE partition_key LIKE 'own %' AND NOT must_load;
SELECT count(*) FROM txstore.export_items() WHERE export_items::text LIKE '%"own %';

-- Metadata counts; state bytes do not, since a handle holds none.
SELECT txstore.store('wide', etag, convert_to(repeat('m', 100000), 'UTF8'), ARRAY[txstore.prepare(1, convert_to(repeat('s', 300000), 'UTF8'))], 1)
  FROM txstore.load('wide');
SELECT bytes BETWEEN 100000 AND 110000 AS bytes FROM txstore.handles WHERE partition_key = 'wide';

-- A partition that is larger than the bound alone is kept while it is the newest, and can be stored.
SELECT txstore.store('many', etag, metadata, (SELECT array_agg(txstore.prepare(i, 'x')) FROM generate_series(1, 12000) AS i))
  FROM txstore.load('many');
SELECT partition_key, etag, state_rows, bytes > 256 * 1024 AS large FROM txstore.handles;
SELECT txstore.store('many', '121', '', abort_after => 11999);
SELECT etag FROM txstore.load('fresh 2');
SELECT etag FROM txstore.load('fresh 3');
SELECT bytes BETWEEN 1 AND 256 * 1024 AS bounded FROM used;
SELECT partition_key FROM txstore.handles ORDER BY 1;

-- The bound may change at any time.
SET txstore.max_handle_memory = '2MB';
SELECT count(*) FROM generate_series(1, 3000) AS i, txstore.load('fresh ' || i) AS l;
SELECT count(*) > 2000 AS more FROM txstore.handles;
SET txstore.max_handle_memory = '256kB';
SELECT etag FROM txstore.load('fresh 2');
SELECT bytes BETWEEN 1 AND 256 * 1024 AS bounded FROM used;
SELECT count(*) > 100 AS some FROM txstore.handles;

SET client_min_messages = warning;
DROP VIEW used;
DROP SERVER memory;
DROP SCHEMA memory CASCADE;
