--
-- ORDER BY, LIMIT, OFFSET and DISTINCT lose no row and give none twice (T2,
-- T3, T5; group 7)
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE SCHEMA fdw_limit;
SET search_path = fdw_limit;
CREATE FOREIGN TABLE states (partition_key text COLLATE "C", sequence_id bigint, row_key text COLLATE "C", etag text)
	SERVER :"storage" OPTIONS (kind 'states');
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"fdw_limit/%s"},"RowKey":{"S":"state_%s"},"ETag":{"N":"%s"}}',
	k, lpad(to_hex(s), 16, '0'), s % 3))) FROM unnest(ARRAY['a', 'b']) AS k, generate_series(1, 20) AS s;
CREATE TABLE copy AS SELECT * FROM states WHERE partition_key IN ('fdw_limit/a', 'fdw_limit/b');
CREATE FUNCTION sequences(query text, OUT list text, OUT agrees text)
LANGUAGE plpgsql AS $$
DECLARE
	expected text;
BEGIN
	EXECUTE format('SELECT string_agg(sequence_id::text, '','') FROM (%s) AS s', query) INTO list;
	EXECUTE format('SELECT string_agg(sequence_id::text, '','') FROM (%s) AS s', replace(query, 'states', 'copy')) INTO expected;
	agrees := CASE WHEN list IS NOT DISTINCT FROM expected THEN 'yes' ELSE 'NO: ' || expected END;
END $$;
CREATE FUNCTION matrix(select_from text, conditions text[], orders text[])
	RETURNS TABLE (condition text, "order" text, list text, agrees text)
	BEGIN ATOMIC
		SELECT c, o, s.* FROM unnest(conditions) WITH ORDINALITY AS v(c, i), unnest(orders) WITH ORDINALITY AS w(o, j),
			sequences(format('%s WHERE %s ORDER BY %s', select_from, c, o)) AS s ORDER BY i, j;
	END;
-- One partition, in the order of its rows and against it, and in others; with
-- a condition that the storage cannot answer, with OR, and in two partitions
SELECT * FROM matrix('SELECT * FROM states',
	ARRAY[$$partition_key = 'fdw_limit/a'$$, $$partition_key = 'fdw_limit/a' AND etag = '1'$$,
		$$partition_key = 'fdw_limit/a' AND sequence_id BETWEEN 3 AND 8$$, $$partition_key = 'fdw_limit/a' AND (sequence_id < 3 OR etag = '2')$$,
		$$partition_key IN ('fdw_limit/a', 'fdw_limit/b')$$, $$partition_key IN ('fdw_limit/a', 'fdw_limit/b') AND partition_key = 'fdw_limit/b'$$],
	ARRAY['sequence_id, partition_key LIMIT 3', 'sequence_id DESC, partition_key LIMIT 3', 'sequence_id DESC, partition_key LIMIT 3 OFFSET 2',
		'sequence_id DESC NULLS LAST, partition_key LIMIT 2', 'row_key, partition_key LIMIT 2 OFFSET 1', 'row_key DESC, partition_key LIMIT 2',
		'etag, sequence_id, partition_key LIMIT 3', 'sequence_id, partition_key OFFSET 18', 'sequence_id, partition_key LIMIT 0',
		'sequence_id, partition_key LIMIT NULL OFFSET 17']);
-- Sorts by one column alone, which the storage may do
SELECT * FROM matrix('SELECT * FROM states', ARRAY[$$partition_key = 'fdw_limit/a'$$, $$partition_key = 'fdw_limit/a' AND etag = '1'$$],
	ARRAY['sequence_id', 'sequence_id DESC', 'sequence_id LIMIT 1', 'sequence_id DESC LIMIT 1', 'sequence_id DESC LIMIT 2 OFFSET 3',
		'row_key COLLATE "C" DESC LIMIT 2', 'row_key COLLATE "en-x-icu" DESC LIMIT 2', 'sequence_id + 0 DESC LIMIT 2', '-sequence_id LIMIT 2',
		'sequence_id FETCH FIRST 2 ROWS WITH TIES', 'etag FETCH FIRST 0 ROWS WITH TIES']);
-- Without an order, as many rows as there must be
SELECT limits, (SELECT count(*) FROM (SELECT FROM states WHERE partition_key = 'fdw_limit/a' LIMIT l OFFSET o) AS s) AS plain,
	(SELECT count(*) FROM (SELECT FROM states WHERE partition_key = 'fdw_limit/a' AND etag = '1' LIMIT l OFFSET o) AS s) AS filtered,
	(SELECT count(*) FROM (SELECT DISTINCT etag FROM states WHERE partition_key = 'fdw_limit/a' LIMIT l OFFSET o) AS s) AS "distinct"
	FROM (VALUES ('1', 1, 0), ('5, 18', 5, 18), ('0', 0, 0), ('none, 6', NULL, 6), ('1000, 1', 1000, 1)) AS v(limits, l, o);
SELECT count(*) FROM (SELECT FROM states WHERE partition_key IN ('fdw_limit/a', 'fdw_limit/b') LIMIT 25) AS s;
-- DISTINCT, GROUP BY, window functions and sets over a LIMIT of their own
SELECT DISTINCT etag FROM states WHERE partition_key = 'fdw_limit/a' ORDER BY etag LIMIT 2 OFFSET 1;
SELECT DISTINCT ON (etag) etag, sequence_id FROM states WHERE partition_key = 'fdw_limit/a' ORDER BY etag, sequence_id DESC;
SELECT etag, count(*), max(sequence_id) FROM states WHERE partition_key = 'fdw_limit/a' GROUP BY etag ORDER BY etag LIMIT 2;
SELECT sequence_id, row_number() OVER (ORDER BY sequence_id DESC) FROM states WHERE partition_key = 'fdw_limit/a' ORDER BY sequence_id LIMIT 2;
SELECT max(sequence_id), min(sequence_id), max(row_key) FROM states WHERE partition_key = 'fdw_limit/a';
SELECT max(sequence_id) FROM states WHERE partition_key = 'fdw_limit/a' AND etag = '0';
(SELECT sequence_id FROM states WHERE partition_key = 'fdw_limit/a' ORDER BY sequence_id DESC LIMIT 1)
UNION ALL
(SELECT sequence_id FROM states WHERE partition_key = 'fdw_limit/b' ORDER BY sequence_id LIMIT 1) LIMIT 2;
SELECT sequence_id, generate_series(1, 2) AS n FROM states WHERE partition_key = 'fdw_limit/a' ORDER BY sequence_id DESC LIMIT 3;
-- Rows that are locked: a foreign table's cannot be, and none is lost
SELECT sequence_id FROM states WHERE partition_key = 'fdw_limit/a' ORDER BY sequence_id DESC LIMIT 2 FOR UPDATE;
SELECT s.sequence_id FROM states AS s JOIN copy AS c USING (partition_key, sequence_id)
	WHERE s.partition_key = 'fdw_limit/a' ORDER BY sequence_id LIMIT 2 FOR UPDATE OF c;
-- Below joins and EXISTS: as many rows as are asked for, whichever they are
CREATE FUNCTION rows_of(query text, OUT limited bigint, OUT offsets bigint, OUT as_plain boolean)
LANGUAGE plpgsql AS $$
DECLARE
	all_rows bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM (%s) AS s', replace(query, 'states', 'copy')) INTO all_rows;
	EXECUTE format('SELECT count(*) FROM (%s LIMIT 4) AS s', query) INTO limited;
	EXECUTE format('SELECT count(*) FROM (%s LIMIT 4 OFFSET 3) AS s', query) INTO offsets;
	as_plain := limited = least(all_rows, 4) AND offsets = greatest(least(all_rows - 3, 4), 0);
END $$;
SELECT q, r.* FROM unnest(ARRAY[
	$$SELECT FROM states AS s JOIN copy AS c USING (partition_key, sequence_id) WHERE s.partition_key = 'fdw_limit/a' AND c.etag = '2'$$,
	$$SELECT FROM copy AS c JOIN states AS s USING (partition_key, sequence_id) WHERE c.etag = '0' AND c.sequence_id > 10$$,
	$$SELECT FROM states AS s JOIN states AS t USING (partition_key, etag) WHERE s.partition_key = 'fdw_limit/b' AND s.sequence_id = t.sequence_id + 15$$,
	$$SELECT FROM states AS s LEFT JOIN copy AS c ON c.sequence_id = s.sequence_id + 18 AND c.partition_key = s.partition_key WHERE s.partition_key = 'fdw_limit/a'$$,
	$$SELECT FROM states AS s WHERE s.partition_key = 'fdw_limit/a' AND EXISTS (SELECT FROM copy AS c WHERE c.sequence_id = s.sequence_id + 15)$$,
	$$SELECT FROM states AS s WHERE s.partition_key = 'fdw_limit/a' AND NOT EXISTS (SELECT FROM copy AS c WHERE c.sequence_id = s.sequence_id + 5)$$,
	$$SELECT FROM copy AS c WHERE EXISTS (SELECT FROM states AS s WHERE s.partition_key = c.partition_key AND s.sequence_id = c.sequence_id + 17)$$,
	$$SELECT FROM states WHERE partition_key = 'fdw_limit/a' AND sequence_id IN (SELECT sequence_id + 16 FROM copy)$$,
	$$SELECT FROM states WHERE (partition_key = 'fdw_limit/a' AND etag = '0') OR (partition_key = 'fdw_limit/b' AND sequence_id = 20)$$,
	$$SELECT FROM states WHERE partition_key = 'fdw_limit/a' AND sequence_id % 7 = 6$$,
	$$SELECT DISTINCT s.etag FROM states AS s JOIN copy USING (partition_key) WHERE s.partition_key = 'fdw_limit/a'$$,
	$$SELECT FROM (SELECT * FROM states WHERE partition_key = 'fdw_limit/a' LIMIT 6 OFFSET 1) AS s$$,
	$$SELECT FROM states WHERE partition_key = 'fdw_limit/a' GROUP BY sequence_id / 3$$]) AS q, rows_of(q) AS r;
SELECT EXISTS (SELECT FROM states WHERE partition_key = 'fdw_limit/a' AND etag = '2' LIMIT 1 OFFSET 5) AS a_sixth,
	EXISTS (SELECT FROM states WHERE partition_key = 'fdw_limit/a' AND etag = '2' LIMIT 1 OFFSET 7) AS an_eighth;
SET client_min_messages = warning;
DROP SCHEMA fdw_limit CASCADE;
