--
-- Foreign tables as children: of a partitioned table, of an inherited one, with
-- columns in another order, and in UNION ALL (group 29)
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE SCHEMA fdw_children;
SET search_path = fdw_children;
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"fdw_children/%s"},"RowKey":{"S":"state_000000000000000%s"},"ETag":{"N":"%s"}}', k, s, s)))
	FROM unnest(ARRAY['a', 'b', 'c']) AS k, generate_series(1, 3) AS s;
CREATE TABLE parent (sequence_id bigint, partition_key text COLLATE "C", etag text) PARTITION BY LIST (partition_key);
CREATE TABLE local PARTITION OF parent FOR VALUES IN ('fdw_children/local');
INSERT INTO local VALUES (1, 'fdw_children/local', 'l1'), (2, 'fdw_children/local', 'l2'), (3, 'fdw_children/local', 'l3');
CREATE FOREIGN TABLE a (gone text OPTIONS (attribute 'Gone'), etag text, partition_key text COLLATE "C", sequence_id bigint)
	SERVER :"storage" OPTIONS (kind 'states');
ALTER FOREIGN TABLE a DROP gone;
ALTER TABLE parent ATTACH PARTITION a DEFAULT;
SELECT tableoid::regclass, * FROM parent WHERE partition_key = 'fdw_children/a' ORDER BY sequence_id;
SELECT tableoid::regclass, * FROM parent WHERE partition_key IN ('fdw_children/c', 'fdw_children/local') AND sequence_id >= 2 ORDER BY 1, 2;
SELECT partition_key, sequence_id, etag FROM parent WHERE partition_key = 'fdw_children/a' ORDER BY sequence_id DESC LIMIT 2;
SELECT count(*) FROM parent WHERE partition_key = 'fdw_children/b';
SELECT count(*) FROM parent WHERE partition_key IN ('fdw_children/a', 'fdw_children/local');
SELECT p FROM parent AS p WHERE partition_key = 'fdw_children/a' AND sequence_id = 1;
-- Joins, of which each child has a side
CREATE TABLE wanted (key text, n bigint);
INSERT INTO wanted VALUES ('fdw_children/a', 1), ('fdw_children/c', 3), ('fdw_children/local', 2), ('nowhere', 1);
ANALYZE wanted;
SELECT key, etag FROM wanted JOIN parent ON partition_key = key AND sequence_id = n ORDER BY 1;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT key, etag FROM wanted JOIN parent ON partition_key = key AND sequence_id = n ORDER BY 1;
SELECT key, (SELECT max(sequence_id) FROM parent WHERE partition_key = key) FROM wanted ORDER BY 1;
RESET enable_hashjoin;
RESET enable_mergejoin;
SET enable_partitionwise_join = on;
SET enable_partitionwise_aggregate = on;
SELECT x.partition_key, x.etag, y.etag FROM parent AS x JOIN parent AS y USING (partition_key, sequence_id)
	WHERE partition_key IN ('fdw_children/a', 'fdw_children/local') AND sequence_id = 2 ORDER BY 1;
SELECT partition_key, count(*) FROM parent WHERE partition_key IN ('fdw_children/a', 'fdw_children/b', 'fdw_children/local') GROUP BY 1 ORDER BY 1;
-- In order from every child
SET enable_sort = off;
SELECT etag, sequence_id FROM parent WHERE partition_key IN ('fdw_children/a', 'fdw_children/local') ORDER BY sequence_id, etag;
RESET enable_sort;
-- Pruned when it runs
SET plan_cache_mode = force_generic_plan;
PREPARE q(text) AS SELECT sequence_id, etag FROM parent WHERE partition_key = $1 ORDER BY 1;
EXECUTE q('fdw_children/a');
EXECUTE q('fdw_children/local');
DEALLOCATE q;
-- Inheritance
CREATE TABLE elder (partition_key text COLLATE "C", note text);
CREATE FOREIGN TABLE younger (etag text) INHERITS (elder) SERVER :"storage" OPTIONS (kind 'keys');
SELECT count(*) FROM elder;
ALTER TABLE elder DROP note;
SELECT count(*) FROM ONLY elder;
SELECT txstore.import_items(ARRAY['{"PartitionKey":{"S":"fdw_children/k"},"RowKey":{"S":"key"},"ETag":{"N":"7"}}']);
INSERT INTO elder VALUES ('fdw_children/k');
SELECT tableoid::regclass, partition_key FROM elder WHERE partition_key = 'fdw_children/k' ORDER BY 1;
SELECT count(*) FROM elder WHERE partition_key = 'fdw_children/k';
-- UNION ALL, below an aggregate and a LIMIT
SELECT count(*), sum(n) FROM (SELECT sequence_id AS n FROM a WHERE partition_key = 'fdw_children/b' UNION ALL SELECT n FROM wanted) AS u;
SELECT n FROM (SELECT sequence_id AS n FROM a WHERE partition_key = 'fdw_children/b' UNION ALL SELECT n FROM wanted) AS u ORDER BY n DESC LIMIT 3;
SET client_min_messages = warning;
DROP SCHEMA fdw_children CASCADE;
