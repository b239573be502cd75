--
-- What queries cost in a storage that is asked over a network, as EXPLAIN
-- ANALYZE counts it: requests, rows looked at, bytes (group 35).  One of tables
-- has no such costs
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE SCHEMA fdw_requests;
SET search_path = fdw_requests;
CREATE FOREIGN TABLE keys (partition_key text COLLATE "C", etag text, committed_sequence_id bigint) SERVER :"storage" OPTIONS (kind 'keys');
CREATE FOREIGN TABLE states (partition_key text COLLATE "C", sequence_id bigint, row_key text COLLATE "C", etag text, state jsonb)
	SERVER :"storage" OPTIONS (kind 'states');
CREATE FOREIGN TABLE partitions (partition_key text COLLATE "C", etag text, pending bigint) SERVER :"storage" OPTIONS (kind 'partitions');
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"fdw_requests/%s"},"RowKey":{"S":"key"},"ETag":{"N":"0"},"CommittedSequenceId":{"N":"0"}}', i)))
	FROM generate_series(1, 1000) AS i;
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"fdw_requests/%s"},"RowKey":{"S":"state_%s"},"ETag":{"N":"0"},"GrainState":{"B":"%s"}}',
	k, lpad(to_hex(s), 16, '0'), repeat('MTEx', 500)))) FROM generate_series(1, 2) AS k, generate_series(1, 200) AS s;
CREATE TABLE local AS SELECT i AS id, CASE WHEN i <= 10 THEN 'fdw_requests/' || i END AS key, i::bigint AS n FROM generate_series(1, 12) AS i;
ANALYZE local;
-- What all scans of a query have cost; NULL where nothing is counted
CREATE FUNCTION costs(query text, OUT requests bigint, OUT pages bigint, OUT scanned bigint, OUT returned bigint, OUT bytes bigint, OUT retries bigint)
LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || query INTO plan;
	SELECT sum((p ->> 'Requests')::bigint), sum((p ->> 'Pages')::bigint), sum((p ->> 'Items Scanned')::bigint), sum((p ->> 'Items Returned')::bigint),
		sum((p ->> 'Bytes')::bigint), sum((p ->> 'Retries')::bigint)
		INTO requests, pages, scanned, returned, bytes, retries FROM jsonb_path_query(plan, 'strict $.** ? (exists (@.Requests))', silent => true) AS p;
END $$;
-- Is it so?  What it is, if it is not
CREATE FUNCTION is_so(query text, condition text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	cost text;
	result boolean;
BEGIN
	EXECUTE format('SELECT c::text, %s FROM costs(%L) AS c', condition, query) INTO cost, result;
	RETURN CASE WHEN cost = '(,,,,,)' OR result THEN 'yes' ELSE 'NO: ' || cost END;
END $$;
-- One row by its key, there or not; one that cannot be is not asked for
SELECT q, e, is_so(q, e) FROM (VALUES
	($$SELECT * FROM keys WHERE partition_key = 'fdw_requests/1'$$, 'requests = 1 AND pages = 1 AND scanned = 1 AND returned = 1 AND retries = 0'),
	($$SELECT * FROM keys WHERE partition_key = 'nowhere'$$, 'requests = 1 AND returned = 0'),
	($$SELECT * FROM states WHERE partition_key = 'fdw_requests/1' AND sequence_id = 5$$, 'requests = 1 AND returned = 1'),
	($$SELECT etag FROM partitions WHERE partition_key = 'fdw_requests/1'$$, 'requests = 1 AND returned = 1'),
	($$SELECT * FROM keys WHERE partition_key = 'fdw_requests/1' AND partition_key = 'fdw_requests/2'$$, 'requests = 0'),
	($$SELECT * FROM keys WHERE partition_key = (SELECT key FROM local WHERE id = 11)$$, 'requests = 0'),
	($$SELECT * FROM keys WHERE partition_key = ANY ('{}')$$, 'requests = 0'),
	($$SELECT * FROM states WHERE partition_key = 'fdw_requests/1' AND sequence_id > 5 AND sequence_id < 5$$, 'requests = 0'),
	($$SELECT * FROM states WHERE partition_key = 'fdw_requests/1' AND sequence_id > 9223372036854775807$$, 'requests = 0'),
	($$SELECT * FROM states WHERE partition_key = 'fdw_requests/1' AND row_key = 'key'$$, 'requests = 0')) AS v(q, e);
-- A hundred keys a request
SELECT q, e, is_so(q, e) FROM (VALUES
	($$SELECT * FROM keys WHERE partition_key = ANY (ARRAY(SELECT 'fdw_requests/' || i FROM generate_series(1, 1000) AS i))$$, 'requests = 10 AND returned = 1000'),
	($$SELECT * FROM keys WHERE partition_key = ANY (ARRAY(SELECT 'fdw_requests/' || i % 100 + 1 FROM generate_series(1, 1000) AS i))$$, 'requests = 1 AND returned = 100'),
	($$SELECT * FROM keys WHERE partition_key IN ('fdw_requests/1', 'fdw_requests/2', NULL)$$, 'requests = 1 AND returned = 2'),
	($$SELECT * FROM keys WHERE partition_key IN ('fdw_requests/1', 'fdw_requests/2') AND partition_key = 'fdw_requests/2'$$, 'requests = 1 AND returned = 1'),
	($$SELECT * FROM states WHERE partition_key IN ('fdw_requests/1', 'fdw_requests/2', 'fdw_requests/3') AND sequence_id = 7$$, 'requests = 1 AND returned = 2')) AS v(q, e);
-- Of a partition no more than what is named, and no more than the first or the last
SELECT q, e, is_so(q, e) FROM (VALUES
	($$SELECT * FROM states WHERE partition_key = 'fdw_requests/1'$$, 'requests = pages AND scanned = 200 AND returned = 200'),
	($$SELECT * FROM states WHERE partition_key = 'fdw_requests/1' AND sequence_id BETWEEN 11 AND 20$$, 'requests = 1 AND scanned = 10 AND returned = 10'),
	($$SELECT * FROM states WHERE sequence_id BETWEEN 11 AND 20 AND partition_key IN ('fdw_requests/1', 'fdw_requests/2', 'fdw_requests/3')$$, 'requests = 3 AND scanned = 20'),
	($$SELECT * FROM states WHERE partition_key = 'fdw_requests/1' AND row_key > 'state_00000000000000c0'$$, 'requests = 1 AND scanned = 8'),
	($$SELECT * FROM states WHERE partition_key = 'fdw_requests/1' ORDER BY sequence_id DESC LIMIT 1$$, 'requests = 1 AND scanned = 1'),
	($$SELECT * FROM states WHERE partition_key = 'fdw_requests/1' ORDER BY row_key LIMIT 3 OFFSET 2$$, 'requests = 1 AND scanned = 5'),
	($$SELECT * FROM states WHERE partition_key = 'fdw_requests/1' AND sequence_id < 100 ORDER BY sequence_id DESC LIMIT 2$$, 'requests = 1 AND scanned = 2'),
	($$SELECT max(sequence_id) FROM states WHERE partition_key = 'fdw_requests/1'$$, 'requests = 1 AND scanned = 1'),
	($$SELECT EXISTS (SELECT FROM states WHERE partition_key = 'fdw_requests/1')$$, 'requests = 1 AND bytes < 200 * 200'),
	($$SELECT * FROM states WHERE partition_key = 'fdw_requests/1' LIMIT 0$$, 'requests = 0')) AS v(q, e);
-- Only what is needed is sent: attributes, and of a count none
SELECT q, e, is_so(q, e) FROM (VALUES
	($$SELECT state FROM states WHERE partition_key = 'fdw_requests/1'$$, 'bytes > 200 * 2000'),
	($$SELECT etag FROM states WHERE partition_key = 'fdw_requests/1'$$, 'bytes < 200 * 200'),
	($$SELECT count(*) FROM states WHERE partition_key = 'fdw_requests/1'$$, 'requests = 1 AND bytes < 0.01 * 200 * 2000 AND returned = 200'),
	($$SELECT count(*) FROM states WHERE partition_key IN ('fdw_requests/1', 'fdw_requests/2', 'fdw_requests/3')$$, 'requests = 3 AND bytes < 0.01 * 400 * 2000 AND returned = 400')) AS v(q, e);
-- Scans that begin again: as often as there is something to ask for
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT q, e, is_so(q, e) FROM (VALUES
	($$SELECT * FROM local JOIN keys ON partition_key = key$$, 'requests <= 10'),
	($$SELECT * FROM local JOIN states ON partition_key = key AND sequence_id = n$$, 'requests <= 10'),
	($$SELECT id, (SELECT max(sequence_id) FROM states WHERE partition_key = key) FROM local$$, 'requests = 10 AND scanned = 2'),
	($$SELECT id, (SELECT count(*) FROM states WHERE partition_key = key) FROM local$$, 'requests = 10 AND bytes < 10 * 500'),
	($$SELECT id FROM local WHERE EXISTS (SELECT FROM states WHERE partition_key = key AND sequence_id = n)$$, 'requests <= 10')) AS v(q, e);
-- Kept plans: the same with every execution
PREPARE q(text, bigint) AS SELECT * FROM states WHERE partition_key = $1 AND sequence_id = $2;
SET plan_cache_mode = force_generic_plan;
SELECT k, is_so(format('EXECUTE q(%L, 5)', k), 'requests = ' || CASE WHEN k IS NULL THEN 0 ELSE 1 END) FROM unnest(ARRAY['fdw_requests/1', 'x', NULL, 'fdw_requests/2']) AS k;
-- The names of what is counted, in every format
CREATE FUNCTION counters(format text, OUT names text)
LANGUAGE plpgsql AS $$
DECLARE
	plan text;
	line text;
BEGIN
	FOR line IN EXECUTE format('EXPLAIN (ANALYZE, FORMAT %s) SELECT * FROM keys WHERE partition_key = ''fdw_requests/1''', format) LOOP
		plan := concat_ws(E'\n', plan, line);
	END LOOP;
	SELECT string_agg(replace(m[1], '-', ' '), ', ') INTO names
		FROM regexp_matches(plan, '^[ <"]*(Requests|Retries|Pages|Items.Scanned|Items.Returned|Bytes|Capacity.Units|Time.Waiting)[">:]+', 'gn') AS m;
	names := coalesce(nullif(names, 'Requests, Retries, Pages, Items Scanned, Items Returned, Bytes, Capacity Units, Time Waiting'), 'all or none');
END $$;
SELECT f, counters(f) FROM unnest(ARRAY['text', 'json', 'xml', 'yaml']) AS f;
SET client_min_messages = warning;
DROP SCHEMA fdw_requests CASCADE;
