--
-- Joins: every way of joining, tables with themselves, scans that begin again
-- before their end, scans within scans (T4; groups 6, 21, 27, 29)
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE SCHEMA fdw_joins;
SET search_path = fdw_joins;
CREATE FOREIGN TABLE keys (partition_key text COLLATE "C", etag text, committed_sequence_id bigint)
	SERVER :"storage" OPTIONS (kind 'keys');
CREATE FOREIGN TABLE states (partition_key text COLLATE "C", sequence_id bigint, row_key text COLLATE "C", etag text)
	SERVER :"storage" OPTIONS (kind 'states');
CREATE FOREIGN TABLE partitions (partition_key text COLLATE "C", pending bigint) SERVER :"storage" OPTIONS (kind 'partitions');
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"fdw_joins/%s"},"RowKey":{"S":"key"},"ETag":{"N":"%s"},"CommittedSequenceId":{"N":"1"}}',
	k, n))) FROM unnest(ARRAY['a', 'b', 'c', 'd']) WITH ORDINALITY AS v(k, n);
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"fdw_joins/%s"},"RowKey":{"S":"state_000000000000000%s"},"ETag":{"N":"0"},"TransactionManager":{"B":"e30="}}',
	k, s))) FROM unnest(ARRAY['a', 'b', 'c', 'd']) AS k, generate_series(1, 4) AS s WHERE k <> 'd' OR s = 1;
CREATE TABLE local (id int, key text, n bigint);
INSERT INTO local VALUES (1, 'fdw_joins/a', 2), (2, 'fdw_joins/c', 3), (3, 'fdw_joins/c', 1), (4, NULL, 1), (5, 'nowhere', 1), (6, 'fdw_joins/d', NULL);
ANALYZE local;
-- The answers of some joins, each as one line
CREATE FUNCTION joins() RETURNS TABLE (name text, rows text)
LANGUAGE plpgsql AS $$
DECLARE
	query text;
BEGIN
	FOR name, query IN VALUES
		('inner', 'SELECT id, etag FROM local JOIN keys ON key = partition_key'),
		('left', 'SELECT id, etag FROM local LEFT JOIN keys ON key = partition_key'),
		('right', 'SELECT id, etag FROM local RIGHT JOIN keys ON key = partition_key WHERE partition_key LIKE ''fdw\_joins/%'''),
		('full', 'SELECT id, etag FROM local FULL JOIN (SELECT * FROM keys WHERE partition_key LIKE ''fdw\_joins/%'') AS k ON key = partition_key'),
		('semi', 'SELECT etag FROM keys WHERE partition_key IN (SELECT key FROM local)'),
		('exists', 'SELECT id FROM local WHERE EXISTS (SELECT FROM states WHERE partition_key = key AND sequence_id = n)'),
		('anti', 'SELECT id FROM local WHERE NOT EXISTS (SELECT FROM states WHERE partition_key = key AND sequence_id = n)'),
		('both keys', 'SELECT id, row_key FROM local JOIN states ON key = partition_key AND n = sequence_id'),
		('range', 'SELECT id, sequence_id FROM local JOIN states ON key = partition_key AND sequence_id > n'),
		('row key', 'SELECT id, sequence_id FROM local JOIN states ON key = partition_key AND row_key = ''state_000000000000000'' || n'),
		('or', 'SELECT id, sequence_id FROM local JOIN states ON key = partition_key AND (sequence_id = n OR sequence_id = 4)'),
		('two keys', 'SELECT a.id, b.id, etag FROM local a, local b, keys WHERE partition_key = a.key AND partition_key = b.key'),
		('two expressions', 'SELECT a.id, b.id, etag FROM local a, local b, keys
			WHERE partition_key = left(a.key, 20) AND partition_key = left(b.key, 20) AND a.id < b.id'),
		('expression of two', 'SELECT a.id, b.id, etag FROM local a, local b, keys WHERE partition_key = left(a.key, 10) || right(b.key, 1)'),
		('itself', 'SELECT a.sequence_id, b.sequence_id FROM states a JOIN states b USING (partition_key) WHERE a.partition_key = ''fdw_joins/b'''),
		('itself, shifted', 'SELECT a.partition_key, a.sequence_id FROM states a JOIN states b ON a.partition_key = b.partition_key
			AND b.sequence_id = a.sequence_id + 1 WHERE a.partition_key IN (''fdw_joins/a'', ''fdw_joins/b'')'),
		('all three', 'SELECT etag, sequence_id, pending FROM keys JOIN partitions USING (partition_key)
			JOIN (SELECT partition_key, sequence_id FROM states) s USING (partition_key) WHERE partition_key = ''fdw_joins/a'''),
		('lateral', 'SELECT id, s.* FROM local, LATERAL (SELECT sequence_id FROM states WHERE partition_key = key ORDER BY sequence_id DESC LIMIT 2) s'),
		('lateral, left', 'SELECT id, s.* FROM local LEFT JOIN LATERAL (SELECT sequence_id FROM states WHERE partition_key = key AND sequence_id >= n
			ORDER BY sequence_id LIMIT 1 OFFSET 1) s ON true'),
		('in the list', 'SELECT id, (SELECT max(sequence_id) FROM states WHERE partition_key = key), (SELECT count(*) FROM states WHERE partition_key = key)
			FROM local'),
		('limit', 'SELECT count(*) FROM (SELECT FROM local JOIN states ON key = partition_key LIMIT 7) s'),
		('ordered limit', 'SELECT * FROM (SELECT id, sequence_id FROM local JOIN states ON key = partition_key ORDER BY sequence_id DESC, id LIMIT 3) s')
	LOOP
		EXECUTE format('SELECT string_agg(concat_ws('','', %s), '' '' ORDER BY q::text COLLATE "C") FROM (%s) AS q', 'q::text', query) INTO rows;
		RETURN NEXT;
	END LOOP;
END $$;
CREATE TABLE answers AS SELECT * FROM joins();
SELECT * FROM answers;
-- However it is done, the answers are the same
CREATE FUNCTION differences(settings text[]) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
	setting text;
BEGIN
	FOREACH setting IN ARRAY settings LOOP
		PERFORM set_config(setting, 'off', true);
	END LOOP;
	RETURN (SELECT count(*) FROM joins() AS j JOIN answers AS a USING (name) WHERE j.rows IS DISTINCT FROM a.rows);
END $$;
SELECT differences(ARRAY['enable_hashjoin', 'enable_mergejoin']) AS nested_loop;
SELECT differences(ARRAY['enable_hashjoin', 'enable_mergejoin', 'enable_material', 'enable_memoize']) AS nested_loop_that_reads_again;
SELECT differences(ARRAY['enable_nestloop', 'enable_mergejoin']) AS hash_join;
SELECT differences(ARRAY['enable_nestloop', 'enable_hashjoin']) AS merge_join;
SELECT differences(ARRAY['enable_sort', 'enable_hashagg']) AS no_sort;

-- A scan in a function for each row of another scan of the same table
CREATE FUNCTION highest(key text) RETURNS bigint
	LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT max(sequence_id) FROM states WHERE partition_key = key); END $$;
CREATE FUNCTION first_of(key text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
	row record;
BEGIN
	FOR row IN SELECT * FROM states WHERE partition_key = key LOOP
		RETURN row.sequence_id;
	END LOOP;
	RETURN NULL;
END $$;
SELECT partition_key, sequence_id, highest(partition_key), first_of(partition_key) FROM states
	WHERE partition_key IN ('fdw_joins/a', 'fdw_joins/d') ORDER BY 1, 2;
-- Recursion over a foreign table, and one beside it in a set
WITH RECURSIVE steps AS (
	SELECT sequence_id FROM states WHERE partition_key = 'fdw_joins/a' AND sequence_id = 1
	UNION ALL
	SELECT s.sequence_id FROM steps JOIN states AS s ON s.sequence_id = steps.sequence_id + 1 AND s.partition_key = 'fdw_joins/a')
SELECT array_agg(sequence_id) FROM steps;
SELECT partition_key FROM keys WHERE partition_key IN ('fdw_joins/a', 'fdw_joins/b') EXCEPT SELECT key FROM local;
-- An error in the middle, many times: what has been opened is closed
DO $$
BEGIN
	FOR i IN 1..1000 LOOP
		BEGIN
			PERFORM 1 / (sequence_id - 3) FROM states WHERE partition_key = 'fdw_joins/a';
		EXCEPTION
			WHEN division_by_zero THEN NULL;
		END;
	END LOOP;
END $$;
SELECT count(*) FROM states WHERE partition_key = 'fdw_joins/a';
SET client_min_messages = warning;
DROP SCHEMA fdw_joins CASCADE;
