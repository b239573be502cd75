--
-- Keys in columns whose collation does not order texts by their bytes: ranges,
-- sorts, the first and the last are those of the collation, and no row is lost
-- (T6; group 9)
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE SCHEMA fdw_collations;
SET search_path = fdw_collations;
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"fdw_collations/%s"},"RowKey":{"S":"key"},"ETag":{"N":"%s"}}', k, n)))
	FROM unnest(ARRAY['a', 'A', 'b', 'B', 'ä', 'z', '_', '-a', 'a b', 'ab', '10', '9']) WITH ORDINALITY AS v(k, n);
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"fdw_collations/a"},"RowKey":{"S":"state_%s"},"ETag":{"N":"0"}}', lpad(to_hex(s), 16, '0'))))
	FROM unnest(ARRAY[1, 9, 10, 11, 15, 16, 160, 171]) AS s;
CREATE FOREIGN TABLE keys (partition_key text COLLATE "en-x-icu", etag bigint) SERVER :"storage" OPTIONS (kind 'keys');
CREATE FOREIGN TABLE states (partition_key text COLLATE "en-x-icu", sequence_id bigint, row_key text COLLATE "en-x-icu") SERVER :"storage" OPTIONS (kind 'states');
CREATE TABLE keys_copy AS SELECT * FROM keys WHERE partition_key ~ '^fdw_collations/';
CREATE TABLE states_copy AS SELECT * FROM states WHERE partition_key = 'fdw_collations/a';
SELECT count(*), (SELECT count(*) FROM states_copy) FROM keys_copy;
-- The list that a query makes, and whether plain tables agree
CREATE FUNCTION agreed(query text, OUT list text, OUT agrees text)
LANGUAGE plpgsql AS $$
DECLARE
	expected text;
BEGIN
	EXECUTE format('SELECT string_agg(regexp_replace(v, ''^fdw_collations/|^state_0{14}'', ''''), '','') FROM (%s) AS q(v)', query) INTO list;
	EXECUTE format('SELECT string_agg(regexp_replace(v, ''^fdw_collations/|^state_0{14}'', ''''), '','') FROM (%s) AS q(v)',
		replace(replace(query, 'FROM keys', 'FROM keys_copy AS keys'), 'FROM states', 'FROM states_copy AS states')) INTO expected;
	agrees := CASE WHEN list IS NOT DISTINCT FROM expected THEN 'yes' ELSE 'NO: ' || coalesce(expected, 'none') END;
END $$;
-- Partition keys in a range and in order
SELECT c, a.* FROM unnest(ARRAY['partition_key < ''fdw_collations/B''', 'partition_key > ''fdw_collations/a''', 'partition_key BETWEEN ''fdw_collations/a'' AND ''fdw_collations/B''',
	'partition_key BETWEEN ''fdw_collations/B'' AND ''fdw_collations/a''', 'partition_key = ''fdw_collations/A''', 'partition_key IN (''fdw_collations/ä'', ''fdw_collations/A'')',
	'partition_key >= ''fdw_collations/Z''', 'partition_key <= ''fdw_collations/ab''', 'partition_key COLLATE "C" < ''fdw_collations/a''']) AS c,
	agreed('SELECT partition_key FROM keys WHERE partition_key ~ ''^fdw_collations/'' AND ' || c || ' ORDER BY partition_key') AS a;
SELECT o, a.* FROM unnest(ARRAY['partition_key', 'partition_key DESC', 'partition_key LIMIT 3', 'partition_key DESC LIMIT 3 OFFSET 2', 'partition_key COLLATE "C" LIMIT 4', 'etag DESC LIMIT 2']) AS o,
	agreed('SELECT partition_key FROM keys WHERE partition_key ~ ''^fdw_collations/'' ORDER BY ' || o) AS a;
SELECT a.* FROM agreed('SELECT min(partition_key) FROM keys WHERE partition_key ~ ''^fdw_collations/'' UNION ALL SELECT max(partition_key) FROM keys WHERE partition_key ~ ''^fdw_collations/''') AS a;
-- Row keys beside a partition key: digits come before letters, and small before
-- large ones
SELECT c, a.* FROM unnest(ARRAY['row_key > ''state_000000000000000A''', 'row_key < ''state_000000000000000A''', 'row_key >= ''state_000000000000000F''',
	'row_key BETWEEN ''state_000000000000000A'' AND ''state_000000000000000F''', 'row_key BETWEEN ''STATE_0000000000000009'' AND ''STATE_000000000000000F''',
	'row_key = ''state_000000000000000a''', 'row_key > ''state''', 'row_key < ''State_''', 'row_key > ''state-000000000000000a''', 'row_key COLLATE "C" > ''state_000000000000000A''',
	'sequence_id < 11 AND row_key > ''state_0000000000000009''']) AS c,
	agreed('SELECT row_key FROM states WHERE partition_key = ''fdw_collations/a'' AND ' || c || ' ORDER BY row_key') AS a;
SELECT o, a.* FROM unnest(ARRAY['row_key DESC LIMIT 2', 'row_key LIMIT 2 OFFSET 1', 'row_key COLLATE "C" DESC LIMIT 2', 'sequence_id DESC LIMIT 2', 'row_key, sequence_id LIMIT 2']) AS o,
	agreed('SELECT row_key FROM states WHERE partition_key = ''fdw_collations/a'' ORDER BY ' || o) AS a;
SELECT count(*), min(row_key), max(row_key), max(row_key COLLATE "C") FROM states WHERE partition_key = 'fdw_collations/a' AND row_key > 'state_000000000000000A';
-- Joins on keys of different collations, merged and by one key at a time
CREATE TABLE local (key text COLLATE "C", n bigint);
INSERT INTO local SELECT partition_key, etag FROM keys_copy;
ANALYZE local;
SET enable_hashjoin = off;
SET enable_nestloop = off;
SELECT count(*) FROM local JOIN keys ON key COLLATE "C" = partition_key COLLATE "C";
SELECT count(*) FROM keys_copy JOIN keys USING (partition_key);
SET enable_mergejoin = off;
SET enable_nestloop = on;
SELECT count(*) FROM local JOIN keys ON key COLLATE "C" = partition_key COLLATE "C";
SELECT count(*) FROM keys_copy JOIN keys USING (partition_key);
SELECT count(*) FROM local JOIN keys ON key < partition_key COLLATE "C" WHERE partition_key IN ('fdw_collations/a', 'fdw_collations/B');
SELECT count(*) FROM keys_copy AS c JOIN keys AS k ON c.partition_key < k.partition_key WHERE k.partition_key IN ('fdw_collations/a', 'fdw_collations/B');
SET client_min_messages = warning;
DROP SCHEMA fdw_collations CASCADE;
