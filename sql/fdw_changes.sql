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
-- Those who ask beforehand are told
SELECT table_name, is_insertable_into FROM information_schema.tables WHERE table_schema = 'fdw_changes' AND table_type = 'FOREIGN' ORDER BY 1;
SELECT pg_relation_is_updatable('keys', true) AS updatable;
-- Reading into a plain table, and out
CREATE TABLE copy AS SELECT * FROM keys WHERE partition_key = 'nowhere';
COPY (SELECT * FROM keys WHERE partition_key = 'nowhere') TO stdout;
COPY keys TO stdout;
SET client_min_messages = warning;
DROP SCHEMA fdw_changes CASCADE;
