--
-- Foreign tables are read only: every change is refused, and the hint says
-- what to use
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE SCHEMA fdw_changes;
SET search_path = fdw_changes;
CREATE FOREIGN TABLE keys (partition_key text COLLATE "C", etag text) SERVER :"storage" OPTIONS (kind 'keys');
CREATE FOREIGN TABLE other (partition_key text COLLATE "C") SERVER :"storage" OPTIONS (kind 'partitions');
INSERT INTO keys VALUES ('fdw_changes/a', '0');
INSERT INTO keys SELECT * FROM keys WHERE false;
INSERT INTO keys DEFAULT VALUES RETURNING *;
INSERT INTO keys VALUES ('fdw_changes/a', '0') ON CONFLICT DO NOTHING;
UPDATE keys SET etag = '1';
UPDATE keys SET etag = '1' WHERE false;
UPDATE keys SET etag = o.partition_key FROM other AS o WHERE o.partition_key = keys.partition_key;
DELETE FROM keys WHERE partition_key = 'fdw_changes/a';
DELETE FROM keys RETURNING *;
WITH gone AS (DELETE FROM keys RETURNING *) SELECT * FROM gone;
EXPLAIN DELETE FROM keys;
PREPARE change AS DELETE FROM keys;
EXECUTE change;
TRUNCATE keys;
TRUNCATE keys, other;
MERGE INTO keys USING other AS o ON o.partition_key = keys.partition_key WHEN MATCHED THEN DELETE;
COPY keys FROM stdin;
\.
-- Through a view, and through a table above
CREATE VIEW shown AS SELECT * FROM keys;
INSERT INTO shown VALUES ('fdw_changes/a', '0');
UPDATE shown SET etag = '1';
CREATE TABLE parent (partition_key text COLLATE "C", etag text) PARTITION BY LIST (partition_key);
CREATE FOREIGN TABLE child PARTITION OF parent DEFAULT SERVER :"storage" OPTIONS (kind 'keys');
INSERT INTO parent VALUES ('fdw_changes/a', '0');
UPDATE parent SET etag = '1';
DELETE FROM parent;
TRUNCATE parent;
DROP TABLE parent;
-- A row that is to go into a partition, by every way; rows for others go in
CREATE TABLE parent (partition_key text COLLATE "C", etag text) PARTITION BY LIST (partition_key);
CREATE TABLE local PARTITION OF parent FOR VALUES IN ('local', 'here');
CREATE FOREIGN TABLE child PARTITION OF parent DEFAULT SERVER :"storage" OPTIONS (kind 'keys');
INSERT INTO parent VALUES ('local', '0');
INSERT INTO parent VALUES ('here', '0'), ('fdw_changes/a', '0');
UPDATE parent SET partition_key = 'fdw_changes/a' WHERE partition_key = 'local';
MERGE INTO parent USING (VALUES ('local'), ('fdw_changes/a')) AS v(k) ON partition_key = k AND partition_key = 'local'
	WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (k, '0');
COPY parent FROM stdin;
here	0
fdw_changes/a	0
\.
COPY parent FROM stdin;
here	0
\.
SELECT * FROM local ORDER BY partition_key;
-- The SQLSTATE and the hint are the same for each kind of table, but where PostgreSQL does not ask
CREATE FUNCTION refusal(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	EXECUTE statement;
	RETURN 'done';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(', ', SQLSTATE, nullif(hint, ''));
END $$;
CREATE FOREIGN TABLE states (partition_key text COLLATE "C", sequence_id bigint) SERVER :"storage" OPTIONS (kind 'states');
SELECT change, count(*) AS kinds, string_agg(DISTINCT refusal(format(change, name)), '; ') AS refusal
  FROM unnest(ARRAY['keys', 'other', 'states']) AS name,
	   unnest(ARRAY['INSERT INTO %s VALUES (NULL)', 'UPDATE %s SET partition_key = NULL', 'DELETE FROM %s', 'TRUNCATE %s',
		   $$COPY %s FROM '/dev/null'$$, 'MERGE INTO %s AS t USING local ON false WHEN MATCHED THEN DO NOTHING']) AS change
 GROUP BY change ORDER BY change COLLATE "C";
-- Nothing was read, nor written
SELECT count(*) FROM keys WHERE partition_key LIKE 'fdw_changes/%';
-- Those who ask beforehand are told, also after a change was refused
BEGIN;
SAVEPOINT before;
COPY keys FROM '/dev/null';
ROLLBACK TO before;
SELECT pg_relation_is_updatable('keys', true) AS updatable;
ALTER FOREIGN TABLE keys OPTIONS (ADD consistent_read 'true');
SELECT pg_relation_is_updatable('keys', true) AS updatable;
COPY keys FROM '/dev/null';
ROLLBACK;
SELECT table_name, is_insertable_into FROM information_schema.tables WHERE table_schema = 'fdw_changes' AND table_type = 'FOREIGN' ORDER BY 1;
SELECT pg_relation_is_updatable('keys', true) AS updatable;
-- Reading into a plain table, and out
CREATE TABLE copy AS SELECT * FROM keys WHERE partition_key = 'nowhere';
COPY (SELECT * FROM keys WHERE partition_key = 'nowhere') TO stdout;
COPY keys TO stdout;
SET client_min_messages = warning;
DROP SCHEMA fdw_changes CASCADE;
