--
-- Ranges of sequence ids and row keys, with a partition and without (T8)
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE SCHEMA fdw_ranges;
SET search_path = fdw_ranges;
CREATE FOREIGN TABLE states (partition_key text COLLATE "C", sequence_id bigint, row_key text COLLATE "C", etag text)
	SERVER :"storage" OPTIONS (kind 'states');
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"fdw_ranges/a"},"RowKey":{"S":"state_%s"},"ETag":{"N":"0"}}',
	lpad(to_hex(s), 16, '0'))))
	FROM unnest(ARRAY[1, 2, 9, 10, 15, 16, 255, 256, 4294967296, 1311768467463790320, 9223372036854775806, 9223372036854775807]) AS s;
SELECT txstore.import_items(ARRAY['{"PartitionKey":{"S":"fdw_ranges/b"},"RowKey":{"S":"state_0000000000000009"},"ETag":{"N":"0"}}']);
CREATE TABLE copy AS SELECT * FROM states WHERE partition_key = 'fdw_ranges/a';
CREATE COLLATION ignore_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
-- Sequence ids that a condition finds in the partition, whether count(*) is
-- as many, and whether a plain table agrees
CREATE FUNCTION found(condition text, OUT sequences text, OUT counted text, OUT agrees text)
LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
	expected text;
	list text := 'SELECT string_agg(sequence_id::text, '','' ORDER BY sequence_id) FROM ';
BEGIN
	condition := ' WHERE partition_key = ''fdw_ranges/a'' AND (' || condition || ')';
	EXECUTE list || 'states' || condition INTO sequences;
	EXECUTE list || 'copy' || condition INTO expected;
	EXECUTE 'SELECT count(*) FROM states' || condition INTO n;
	counted := CASE WHEN n = coalesce(cardinality(string_to_array(sequences, ',')), 0) THEN 'yes' ELSE 'NO: ' || n END;
	agrees := CASE WHEN sequences IS NOT DISTINCT FROM expected THEN 'yes' ELSE 'NO: ' || expected END;
END $$;
SELECT c, f.* FROM unnest(ARRAY[
	'sequence_id = 10', '10 = sequence_id', 'sequence_id = 10::smallint', 'sequence_id = 10::integer', 'sequence_id = 10::numeric',
	'sequence_id = 10.5', 'sequence_id = 10::real', 'sequence_id = -1', 'sequence_id = 3', 'sequence_id = NULL',
	'sequence_id < 10', 'sequence_id <= 10', 'sequence_id > 255', 'sequence_id >= 255', '255::smallint <= sequence_id', '10 > sequence_id',
	'sequence_id <> 10', 'sequence_id BETWEEN 9 AND 16', 'sequence_id BETWEEN 16 AND 9', 'sequence_id BETWEEN SYMMETRIC 16 AND 9',
	'sequence_id > 1 AND sequence_id < 10 AND sequence_id <> 9', 'sequence_id > 10 AND sequence_id < 10', 'sequence_id >= 10 AND sequence_id <= 10',
	'sequence_id > 9223372036854775806', 'sequence_id > 9223372036854775807', 'sequence_id >= 9223372036854775807',
	'sequence_id <= 9223372036854775807', 'sequence_id < -9223372036854775808', 'sequence_id >= -9223372036854775808',
	'sequence_id <= -9223372036854775808', 'sequence_id > 9223372036854775808', 'sequence_id < 1e30', 'sequence_id = 1 OR sequence_id > 9223372036854775806',
	'NOT sequence_id > 10', 'sequence_id + 0 = 10', 'sequence_id = length(row_key) - 12', '-sequence_id > -10']) AS c, found(c) AS f;
-- Row keys are compared by their bytes, also with what is no row key
SELECT c, f.* FROM unnest(ARRAY[
	$$row_key = 'state_000000000000000a'$$, $$row_key = 'state_000000000000000A'$$, $$row_key = 'state_a'$$, $$row_key = 'key'$$, $$row_key = ''$$,
	$$row_key = 'state_000000000000000a'::name$$, $$row_key = 'state_000000000000000a  '::bpchar$$, $$row_key = 'state_000000000000000a '$$,
	$$row_key < 'state_000000000000000a'$$, $$row_key <= 'state_000000000000000a'$$, $$row_key > 'state_00000000000000ff'$$,
	$$row_key >= 'state_00000000000000ff'$$, $$'state_000000000000000a' > row_key$$, $$row_key < 'state_000000000000000a'::name$$,
	$$row_key > 'state_000000000000000A'$$, $$row_key < 'state_000000000000000A'$$, $$row_key < 'state_00000000000000'$$, $$row_key > 'state_00000000000000'$$,
	$$row_key > 'state_000000000000000a0'$$, $$row_key <= 'state_000000000000000a0'$$, $$row_key < 'state_00000000000000010'$$,
	$$row_key > 'key'$$, $$row_key < 'key'$$, $$row_key >= ''$$, $$row_key < ''$$, $$row_key > 'zzz'$$, $$row_key < 'zzz'$$,
	$$row_key >= 'state_7fffffffffffffff'$$, $$row_key > 'state_7fffffffffffffff'$$, $$row_key > 'state_8000000000000000'$$, $$row_key < 'state_8'$$,
	$$row_key > 'state_g'$$, $$row_key < 'state_0000000000000000'$$, $$row_key <= 'state_0000000000000001'$$,
	$$row_key BETWEEN 'state_0000000000000009' AND 'state_0000000000000010'$$, $$row_key LIKE 'state\_000000000000000_'$$, $$row_key LIKE '%ff'$$,
	$$row_key LIKE 'state\_7%'$$, $$row_key ^@ 'state_0000000000000'$$,
	$$row_key > 'state_0000000000000009' AND sequence_id < 16$$, $$row_key = 'state_000000000000000a' AND sequence_id = 10$$,
	$$row_key = 'state_000000000000000a' AND sequence_id = 9$$,
	$$row_key COLLATE "en-x-icu" > 'state_000000000000000a'$$, $$row_key COLLATE ignore_case = 'STATE_000000000000000A'$$,
	$$row_key COLLATE ignore_case < 'STATE_000000000000000A'$$, $$row_key COLLATE "default" = 'state_000000000000000a'$$]) AS c, found(c) AS f;
-- The partition after the range, between its bounds and before it
SELECT array_agg(sequence_id ORDER BY sequence_id) FROM states WHERE sequence_id BETWEEN 9 AND 16 AND partition_key = 'fdw_ranges/a';
SELECT array_agg(sequence_id ORDER BY sequence_id) FROM states WHERE sequence_id >= 9 AND partition_key = 'fdw_ranges/a' AND sequence_id <= 16;
SELECT array_agg(sequence_id ORDER BY sequence_id) FROM states WHERE sequence_id BETWEEN 16 AND 9 AND partition_key = 'fdw_ranges/a';
SELECT array_agg(sequence_id ORDER BY sequence_id) FROM states WHERE 'fdw_ranges/a' = partition_key AND 16 >= sequence_id AND 9 <= sequence_id;
SELECT array_agg(sequence_id ORDER BY sequence_id) FROM states WHERE row_key > 'state_0000000000000009' AND partition_key = 'fdw_ranges/a' AND row_key <= 'state_0000000000000010';
SELECT array_agg(sequence_id ORDER BY sequence_id) FROM states WHERE row_key LIKE 'state\_00000000000000_f' AND partition_key = 'fdw_ranges/a';
SELECT array_agg(sequence_id ORDER BY sequence_id) FROM states WHERE etag LIKE '0%' AND etag IN ('0', '1') AND row_key LIKE '%a' AND partition_key = 'fdw_ranges/a';
SELECT sequence_id FROM states WHERE sequence_id < 16 AND partition_key = 'fdw_ranges/a' AND sequence_id > 9 ORDER BY sequence_id DESC LIMIT 2;
-- Without a partition
SELECT partition_key, sequence_id FROM states WHERE sequence_id BETWEEN 9 AND 10 AND partition_key LIKE 'fdw\_ranges/%' ORDER BY 1, 2;
SELECT partition_key, sequence_id FROM states WHERE row_key >= 'state_7ffffffffffffffe' AND partition_key LIKE 'fdw\_ranges/%' ORDER BY 1, 2;
-- A count that the storage makes is of the same rows
SELECT (SELECT count(*) FROM states WHERE sequence_id >= 9) = (SELECT count(*) FROM (SELECT FROM states WHERE sequence_id >= 9 OFFSET 0) AS s) AS same,
	(SELECT count(*) FROM states WHERE row_key < 'state_0000000000000010') = (SELECT count(*) FROM (SELECT FROM states WHERE row_key < 'state_0000000000000010' OFFSET 0) AS s) AS same,
	(SELECT count(*) FROM states WHERE sequence_id > 9223372036854775805 AND sequence_id < 9223372036854775807) >= 1 AS found;
SET client_min_messages = warning;
DROP SCHEMA fdw_ranges CASCADE;
