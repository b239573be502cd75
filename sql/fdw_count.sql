--
-- count(*), which a storage may do by itself, and what only looks like it
-- (group 6)
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE SCHEMA fdw_count;
SET search_path = fdw_count;
CREATE FOREIGN TABLE keys (partition_key text COLLATE "C", etag text) SERVER :"storage" OPTIONS (kind 'keys');
CREATE FOREIGN TABLE states (partition_key text COLLATE "C", sequence_id bigint, row_key text COLLATE "C", etag text)
	SERVER :"storage" OPTIONS (kind 'states');
CREATE FOREIGN TABLE partitions (partition_key text COLLATE "C", pending bigint) SERVER :"storage" OPTIONS (kind 'partitions');
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"fdw_count/%s"},"RowKey":{"S":"key"},"ETag":{"N":"0"},"CommittedSequenceId":{"N":"0"}}', k)))
	FROM unnest(ARRAY['a', 'b', 'c']) AS k;
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"fdw_count/%s"},"RowKey":{"S":"state_%s"},"ETag":{"N":"%s"}}',
	k, lpad(to_hex(s), 16, '0'), s % 2))) FROM unnest(ARRAY['a', 'b', 'without a key row']) AS k, generate_series(1, 5) AS s;
SELECT count(*) FROM keys WHERE partition_key IN ('fdw_count/a', 'fdw_count/b', 'fdw_count/c', 'fdw_count/without a key row');
SELECT count(*) FROM states WHERE partition_key IN ('fdw_count/a', 'fdw_count/b', 'fdw_count/c', 'fdw_count/without a key row');
SELECT count(*) FROM partitions WHERE partition_key = 'fdw_count/b';
SELECT count(*) FROM partitions WHERE partition_key = 'fdw_count/without a key row';
-- Of everything: as many rows as a scan gives
SELECT (SELECT count(*) FROM keys) = (SELECT count(*) FROM (SELECT * FROM keys OFFSET 0) AS k) AS keys,
	(SELECT count(*) FROM states) = (SELECT count(*) FROM (SELECT * FROM states OFFSET 0) AS s) AS states,
	(SELECT count(*) FROM partitions) = (SELECT count(*) FROM keys) AS partitions;
-- In expressions, twice, with another aggregate, beside constants and sets
SELECT count(*) + 1 AS a, count(*) * 2 AS b, 'x' AS c, count(*) FROM states WHERE partition_key = 'fdw_count/a';
SELECT count(*), count(etag), count(1), count(DISTINCT etag), sum(sequence_id) FROM states WHERE partition_key = 'fdw_count/a';
SELECT count(*), generate_series(1, 2) FROM states WHERE partition_key = 'fdw_count/a';
SELECT generate_series(1, count(*)) FROM states WHERE partition_key = 'fdw_count/a' AND sequence_id <= 2;
SELECT CASE WHEN count(*) > 4 THEN 'many' END FROM states WHERE partition_key = 'fdw_count/a' ORDER BY count(*) LIMIT 1;
SELECT DISTINCT count(*) FROM states WHERE partition_key = 'fdw_count/a';
SELECT count(*) OVER () FROM states WHERE partition_key = 'fdw_count/a' LIMIT 1;
SELECT sum(count(*)) OVER () FROM states WHERE partition_key = 'fdw_count/a';
-- With what it must not leave out
SELECT count(*) FILTER (WHERE etag = '1') FROM states WHERE partition_key = 'fdw_count/a';
SELECT count(*) FROM states WHERE partition_key = 'fdw_count/a' AND etag = '1';
SELECT count(*) FROM states WHERE partition_key = 'fdw_count/a' AND sequence_id IN (1, 3, 9);
SELECT count(*) FROM states WHERE partition_key = 'fdw_count/a' AND sequence_id <> 3;
SELECT count(*) FROM states WHERE partition_key = 'fdw_count/a' HAVING count(*) > 5;
SELECT count(*) FROM states WHERE partition_key = 'fdw_count/a' HAVING count(*) > 4;
SELECT count(*) FROM states WHERE partition_key = 'fdw_count/a' GROUP BY etag ORDER BY 1;
SELECT count(*) FROM states WHERE partition_key IN ('fdw_count/a', 'fdw_count/b') GROUP BY ROLLUP (partition_key) ORDER BY 1;
SELECT count(*) FROM states WHERE partition_key = 'fdw_count/a' GROUP BY ();
SELECT count(*) FROM (SELECT FROM states WHERE partition_key = 'fdw_count/a' LIMIT 3) AS s;
SELECT count(*) FROM (SELECT DISTINCT etag FROM states WHERE partition_key = 'fdw_count/a') AS s;
SELECT count(*) FROM states WHERE partition_key = 'fdw_count/a' AND now() < '2000-01-01';
SELECT count(*) FROM states WHERE partition_key = 'fdw_count/a' AND EXISTS (SELECT FROM keys WHERE partition_key = 'nowhere');
SELECT count(*) FROM states AS s, keys AS k WHERE s.partition_key = 'fdw_count/a' AND k.partition_key = 'fdw_count/b';
SELECT count(*) FROM states WHERE partition_key = 'fdw_count/a' AND partition_key = 'fdw_count/b';
SELECT count(*) FROM states WHERE partition_key = NULL;
-- Once for each row of another table
SELECT k, (SELECT count(*) FROM states WHERE partition_key = 'fdw_count/' || k) FROM unnest(ARRAY['a', 'x', 'b', 'a']) AS k;
SELECT k, n FROM unnest(ARRAY['a', 'x', 'b']) AS k, LATERAL (SELECT count(*) AS n FROM states WHERE partition_key = 'fdw_count/' || k AND sequence_id > 2) AS s;
-- Another aggregate that takes a star is not count()
CREATE AGGREGATE thousands(*) (sfunc = int8inc, stype = bigint, initcond = '1000');
SELECT thousands(*) FROM states WHERE partition_key = 'fdw_count/a';
SELECT thousands(*), count(*) FROM states WHERE partition_key = 'fdw_count/a';
-- In a set, an INSERT and a view
CREATE TABLE counts (n) AS SELECT count(*) FROM states WHERE partition_key = 'fdw_count/a';
INSERT INTO counts SELECT count(*) FROM keys WHERE partition_key = 'fdw_count/a' UNION ALL SELECT count(*) FROM keys WHERE partition_key = 'x';
CREATE VIEW counted AS SELECT count(*) AS n FROM states WHERE partition_key = 'fdw_count/b';
SELECT n FROM counts UNION ALL SELECT n FROM counted ORDER BY n;
SET client_min_messages = warning;
DROP SCHEMA fdw_count CASCADE;
