--
-- Foreign tables of every shape: columns that were dropped, generated or are of
-- a domain, whole rows, system columns, empty lists, children of other tables
-- (group 6)
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE SCHEMA fdw_shapes;
SET search_path = fdw_shapes;
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"fdw_shapes/%s"},"RowKey":{"S":"key"},"ETag":{"N":"%s"},"CommittedSequenceId":{"N":"2"}}', k, n)))
	FROM unnest(ARRAY['a', 'b', 'c']) WITH ORDINALITY AS v(k, n);
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"fdw_shapes/%s"},"RowKey":{"S":"state_000000000000000%s"},"ETag":{"N":"0"},"GrainState":{"B":"eyJuIjoxfQ=="}}', k, s)))
	FROM unnest(ARRAY['a', 'b', 'c']) AS k, generate_series(1, 3) AS s;
CREATE FOREIGN TABLE states (gone_1 text OPTIONS (attribute 'Gone'), sequence_id bigint, partition_key text COLLATE "C", gone_2 text OPTIONS (attribute 'Gone'),
	state jsonb, etag int, gone_3 text OPTIONS (attribute 'Gone')) SERVER :"storage" OPTIONS (kind 'states');
ALTER FOREIGN TABLE states DROP gone_1, DROP gone_2, DROP gone_3;
-- No column at all
SELECT FROM states WHERE partition_key = 'fdw_shapes/a';
SELECT FROM states AS a JOIN states AS b USING (partition_key) WHERE partition_key = 'fdw_shapes/a';
SELECT FROM states AS a JOIN states AS b USING (partition_key) WHERE partition_key = 'fdw_shapes/a';
PREPARE empty AS SELECT FROM states WHERE partition_key = 'fdw_shapes/a' AND sequence_id > 1;
EXECUTE empty;
EXECUTE empty;
SET plan_cache_mode = force_generic_plan;
EXECUTE empty;
EXECUTE empty;
RESET plan_cache_mode;
DEALLOCATE empty;
SELECT EXISTS (SELECT FROM states WHERE partition_key = 'fdw_shapes/a'), EXISTS (SELECT FROM states WHERE partition_key = 'nowhere'),
	NOT EXISTS (SELECT 1 FROM states WHERE partition_key = 'fdw_shapes/a' AND sequence_id = 9);
SELECT 1 AS one FROM states WHERE partition_key = 'fdw_shapes/a';
SELECT count(*) FROM (SELECT FROM states WHERE partition_key = 'fdw_shapes/a' AND state ->> 'n' = '1') AS s;
-- All, past dropped ones; one that was added
SELECT * FROM states WHERE partition_key = 'fdw_shapes/a' ORDER BY sequence_id;
ALTER FOREIGN TABLE states ADD row_key text COLLATE "C";
SELECT row_key, etag FROM states WHERE partition_key = 'fdw_shapes/a' ORDER BY row_key DESC LIMIT 1;
-- Whole rows
SELECT s FROM states AS s WHERE partition_key = 'fdw_shapes/a' ORDER BY s LIMIT 1;
SELECT to_jsonb(s) FROM states AS s WHERE partition_key = 'fdw_shapes/a' AND sequence_id = 2;
SELECT (s).sequence_id FROM states AS s WHERE partition_key = 'fdw_shapes/a' AND (s).sequence_id > 1 ORDER BY 1;
SELECT s IS NOT NULL AS whole, count(*) FROM states AS s WHERE partition_key = 'fdw_shapes/a' GROUP BY 1;
SELECT count(s), count(DISTINCT s) FROM states AS s WHERE partition_key IN ('fdw_shapes/a', 'fdw_shapes/b');
CREATE FUNCTION sequence_of(states) RETURNS bigint LANGUAGE sql AS 'SELECT $1.sequence_id';
SELECT sequence_of(s) FROM states AS s WHERE partition_key = 'fdw_shapes/a' ORDER BY 1;
SELECT l.id, s FROM (VALUES (1, 'fdw_shapes/a'), (2, 'nowhere')) AS l(id, key) LEFT JOIN states AS s ON s.partition_key = l.key AND s.sequence_id = 1 ORDER BY 1;
-- System columns: which table, and no more
SELECT tableoid::regclass, count(*) FROM states WHERE partition_key = 'fdw_shapes/a' GROUP BY 1;
SELECT count(*) FROM states WHERE partition_key = 'fdw_shapes/a' AND tableoid = 'states'::regclass;
SELECT ctid FROM states WHERE partition_key = 'fdw_shapes/a';
SELECT xmin FROM states WHERE partition_key = 'fdw_shapes/a';
-- Rows locked beside those of a table that changes
CREATE TABLE local (key text, n bigint);
INSERT INTO local VALUES ('fdw_shapes/a', 0), ('fdw_shapes/b', 0);
WITH changed AS (
	UPDATE local SET n = s.sequence_id FROM states AS s WHERE s.partition_key = local.key AND s.sequence_id = 3 RETURNING local.*, s.state)
SELECT * FROM changed ORDER BY key;
DELETE FROM local USING states AS s WHERE s.partition_key = local.key AND s.sequence_id = 1 AND local.key = 'fdw_shapes/b' RETURNING s.partition_key;
SELECT l.key, s.sequence_id FROM local AS l JOIN states AS s ON s.partition_key = l.key ORDER BY 2 FOR UPDATE OF l;
SELECT l.key, s.sequence_id FROM local AS l JOIN states AS s ON s.partition_key = l.key ORDER BY 2 FOR SHARE;
-- Domains: their checks hold for values by any way
CREATE DOMAIN key_text AS text COLLATE "C" CHECK (VALUE <> 'fdw_shapes/b');
CREATE DOMAIN small AS bigint CHECK (VALUE < 3);
CREATE DOMAIN object AS jsonb CHECK (VALUE ? 'n');
CREATE DOMAIN bytes AS bytea CHECK (length(VALUE) < 5);
CREATE DOMAIN shorter AS text CHECK (length(VALUE) < 5);
CREATE FOREIGN TABLE domains (partition_key key_text, sequence_id small, state object, short bytes OPTIONS (attribute 'state'),
	short_text shorter OPTIONS (attribute 'state')) SERVER :"storage" OPTIONS (kind 'states');
SELECT partition_key, sequence_id, state FROM domains WHERE partition_key = 'fdw_shapes/a' AND sequence_id < 3 ORDER BY 2;
SELECT partition_key, sequence_id, state FROM domains WHERE partition_key = 'fdw_shapes/a' AND sequence_id = 3;
SELECT partition_key FROM domains WHERE partition_key = 'fdw_shapes/b';
SELECT short FROM domains WHERE partition_key = 'fdw_shapes/a' AND sequence_id = 1;
SELECT short_text FROM domains WHERE partition_key = 'fdw_shapes/a' AND sequence_id = 1;
-- Generated columns stand for nothing; defaults are of no use
CREATE FOREIGN TABLE generated (partition_key text, n int GENERATED ALWAYS AS (length(partition_key)) STORED) SERVER :"storage" OPTIONS (kind 'keys');
SELECT * FROM generated;
CREATE FOREIGN TABLE defaults (partition_key text DEFAULT 'x', etag text DEFAULT 'y') SERVER :"storage" OPTIONS (kind 'keys');
SELECT * FROM defaults WHERE partition_key = 'fdw_shapes/a';
SET client_min_messages = warning;
DROP SCHEMA fdw_shapes CASCADE;
