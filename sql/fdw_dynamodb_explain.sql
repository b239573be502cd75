-- EXPLAIN over a storage in DynamoDB: the operation for every shape of request.  (Groups 5, 29, 35.)
-- There is no server: neither planning nor EXPLAIN asks one for anything.
CREATE SERVER explained FOREIGN DATA WRAPPER txstore_fdw OPTIONS (provider 'dynamodb', endpoint 'http://127.0.0.1:1', table_name 'Accounts',
	connect_timeout '1s', request_timeout '1s');
CREATE SCHEMA fdw_dynamodb_explain;
SET search_path = fdw_dynamodb_explain;
CREATE FOREIGN TABLE keys (partition_key text COLLATE "C", grain_key text, etag text, committed_sequence_id bigint, metadata jsonb)
	SERVER explained OPTIONS (kind 'keys');
CREATE FOREIGN TABLE states (partition_key text COLLATE "C", sequence_id bigint, row_key text COLLATE "C", etag text, state jsonb)
	SERVER explained OPTIONS (kind 'states');
CREATE FOREIGN TABLE partitions (partition_key text COLLATE "C", etag text, state jsonb, pending bigint, in_doubt boolean)
	SERVER explained OPTIONS (kind 'partitions');
CREATE TABLE local AS SELECT i AS id, 'p/' || i AS key, 1::bigint AS n FROM generate_series(1, 100) AS i;
ANALYZE local;
SET enable_material = off;
-- The nodes of a plan, with what a foreign scan says of itself: the same on every version.
CREATE FUNCTION nodes(plan json, depth int) RETURNS SETOF text
LANGUAGE sql AS $$
	SELECT repeat('  ', depth) || replace(concat_ws(', ', (plan ->> 'Node Type') || coalesce(' on ' || (plan ->> 'Relation Name'), ''),
		'count of ' || (plan ->> 'Count Of'), plan ->> 'Request', 'key: ' || (plan ->> 'Key Condition'), 'scan filter: ' || (plan ->> 'Scan Filter'),
		'projection: ' || (plan ->> 'Projection'), 'segments: ' || (plan ->> 'Segments'), plan ->> 'Direction', 'rows wanted: ' || (plan ->> 'Rows Wanted'),
		CASE WHEN plan ->> 'Node Type' = 'Foreign Scan' THEN 'filter: ' || (plan ->> 'Filter') END),
		'(InitPlan 1).col1', '$0')
	UNION ALL
	SELECT nodes(p, depth + 1) FROM json_array_elements(plan -> 'Plans') AS p
$$;
CREATE FUNCTION shape(query text) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (COSTS OFF, FORMAT JSON) ' || query INTO plan;
	RETURN QUERY SELECT nodes(plan #> '{0,Plan}', 0);
END $$;
\pset tuples_only on
-- One row by its full key: GetItem.
SELECT shape($q$SELECT * FROM keys WHERE partition_key = 'p/1'$q$);
SELECT shape($q$SELECT etag FROM keys WHERE 'p/1' = partition_key AND committed_sequence_id > 5$q$);
SELECT shape($q$SELECT * FROM states WHERE partition_key = 'p/1' AND sequence_id = 5$q$);
SELECT shape($q$SELECT * FROM states WHERE sequence_id = 5::smallint AND partition_key = 'p/1'::varchar$q$);
SELECT shape($q$SELECT * FROM states WHERE partition_key = 'p/1' AND row_key = 'state_0000000000000005'$q$);
SELECT shape($q$SELECT etag FROM partitions WHERE partition_key = 'p/1'$q$);
SELECT shape($q$SELECT * FROM keys WHERE partition_key IN ('p/1', 'p/2') AND partition_key = 'p/1'$q$);
-- Many rows by their full keys: BatchGetItem.
SELECT shape($q$SELECT * FROM keys WHERE partition_key IN ('p/1', 'p/2')$q$);
SELECT shape($q$SELECT * FROM keys WHERE partition_key = ANY (ARRAY(SELECT key FROM local))$q$);
SELECT shape($q$SELECT * FROM states WHERE partition_key IN ('p/1', 'p/2') AND sequence_id = 5$q$);
SELECT shape($q$SELECT count(etag) FROM partitions WHERE partition_key = ANY ('{p/1,p/2}')$q$);
-- A partition's rows, all or a range of them, both ways: Query.
SELECT shape($q$SELECT * FROM states WHERE partition_key = 'p/1'$q$);
SELECT shape($q$SELECT * FROM states WHERE partition_key = 'p/1' AND sequence_id < 5$q$);
SELECT shape($q$SELECT * FROM states WHERE partition_key = 'p/1' AND sequence_id <= 5$q$);
SELECT shape($q$SELECT * FROM states WHERE partition_key = 'p/1' AND sequence_id > 5$q$);
SELECT shape($q$SELECT * FROM states WHERE partition_key = 'p/1' AND sequence_id >= 5$q$);
SELECT shape($q$SELECT * FROM states WHERE partition_key = 'p/1' AND sequence_id BETWEEN 2 AND 5$q$);
SELECT shape($q$SELECT * FROM states WHERE sequence_id BETWEEN 2 AND 5 AND partition_key = 'p/1'$q$);
SELECT shape($q$SELECT * FROM states WHERE partition_key = 'p/1' AND sequence_id IN (2, 5)$q$);
SELECT shape($q$SELECT * FROM states WHERE partition_key = 'p/1' AND row_key > 'state_0000000000000005' AND row_key <= 'state_000000000000000a'$q$);
SELECT shape($q$SELECT * FROM states WHERE partition_key = 'p/1' AND sequence_id <> 5$q$);
SELECT shape($q$SELECT * FROM states WHERE partition_key = 'p/1' ORDER BY sequence_id$q$);
SELECT shape($q$SELECT * FROM states WHERE partition_key = 'p/1' ORDER BY sequence_id DESC$q$);
SELECT shape($q$SELECT * FROM states WHERE partition_key = 'p/1' ORDER BY row_key DESC, etag$q$);
SELECT shape($q$SELECT * FROM states WHERE partition_key = 'p/1' AND sequence_id > 2 ORDER BY row_key DESC LIMIT 1$q$);
SELECT shape($q$SELECT * FROM states WHERE partition_key = 'p/1' ORDER BY sequence_id LIMIT 2 OFFSET 3$q$);
SELECT shape($q$SELECT * FROM states WHERE partition_key = 'p/1' ORDER BY sequence_id FETCH FIRST 2 ROWS WITH TIES$q$);
SELECT shape($q$SELECT * FROM states WHERE partition_key = 'p/1' ORDER BY etag LIMIT 1$q$);
SELECT shape($q$SELECT min(sequence_id), max(row_key) FROM states WHERE partition_key = 'p/1'$q$);
SELECT shape($q$SELECT * FROM partitions WHERE partition_key = 'p/1'$q$);
-- Several partitions: a Query for each, some at a time; their rows are in no order.
SELECT shape($q$SELECT * FROM states WHERE partition_key IN ('p/1', 'p/2')$q$);
SELECT shape($q$SELECT * FROM states WHERE partition_key IN ('p/1', 'p/2') AND sequence_id BETWEEN 2 AND 5 ORDER BY sequence_id LIMIT 1$q$);
SELECT shape($q$SELECT * FROM partitions WHERE partition_key = ANY ('{p/1,p/2}') AND pending > 0$q$);
-- Everything: Scan, in segments but for a few rows.
SELECT shape($q$SELECT * FROM keys$q$);
SELECT shape($q$SELECT * FROM states WHERE sequence_id > 5$q$);
SELECT shape($q$SELECT * FROM states WHERE row_key = 'state_0000000000000005'$q$);
SELECT shape($q$SELECT * FROM partitions WHERE in_doubt$q$);
SELECT shape($q$SELECT * FROM keys WHERE partition_key > 'p/1' ORDER BY partition_key$q$);
SELECT shape($q$SELECT * FROM keys LIMIT 10$q$);
SELECT shape($q$SELECT * FROM keys ORDER BY etag LIMIT 10$q$);
SELECT shape($q$SELECT partition_key, max(sequence_id) FROM states GROUP BY 1$q$);
-- What is read of a row: the attributes that the query needs, or all where Orleans does not know one.
SELECT shape($q$SELECT partition_key FROM keys$q$);
SELECT shape($q$SELECT grain_key FROM keys WHERE etag = '1'$q$);
SELECT shape($q$SELECT sequence_id FROM states WHERE partition_key = 'p/1'$q$);
SELECT shape($q$SELECT state ->> 'n' FROM states WHERE partition_key = 'p/1'$q$);
SELECT shape($q$SELECT FROM states$q$);
SELECT shape($q$SELECT s FROM states AS s WHERE partition_key = 'p/1'$q$);
SELECT shape($q$SELECT in_doubt FROM partitions$q$);
CREATE FOREIGN TABLE others (partition_key text, owner text OPTIONS (attribute 'Owner')) SERVER explained OPTIONS (kind 'keys', scan_segments '32');
SELECT shape($q$SELECT partition_key FROM others$q$);
SELECT shape($q$SELECT owner FROM others$q$);
SELECT shape($q$SELECT owner FROM others WHERE partition_key = 'p/1'$q$);
-- What counts by Select=COUNT, and what does not.
SELECT shape($q$SELECT count(*) FROM keys$q$);
SELECT shape($q$SELECT count(*) FROM states$q$);
SELECT shape($q$SELECT count(*) FROM states WHERE partition_key = 'p/1' AND sequence_id BETWEEN 2 AND 5$q$);
SELECT shape($q$SELECT count(*) FROM states WHERE partition_key IN ('p/1', 'p/2')$q$);
SELECT shape($q$SELECT count(*) FROM keys WHERE partition_key = 'p/1'$q$);
SELECT shape($q$SELECT count(*) FROM keys WHERE etag = '1'$q$);
SELECT shape($q$SELECT count(*), count(etag) FROM keys$q$);
SELECT shape($q$SELECT count(DISTINCT partition_key) FROM keys$q$);
SELECT shape($q$SELECT count(*) FROM states WHERE sequence_id % 2 = 0$q$);
-- Grain type, key and state name name a partition; fewer are a filter, as are beginnings and bounds, and a few attributes.
CREATE FOREIGN TABLE pieces (partition_key text COLLATE "C", grain_type text, grain_key text, state_name text, committed_sequence_id bigint)
	SERVER explained OPTIONS (kind 'keys');
CREATE FOREIGN TABLE piece_states (partition_key text COLLATE "C", grain_type text, grain_key text, state_name text, sequence_id bigint, row_key text COLLATE "C",
	transaction_id text) SERVER explained OPTIONS (kind 'states');
SELECT shape($q$SELECT * FROM pieces WHERE grain_type = 'a' AND grain_key = 'b' AND state_name = 'c' AND committed_sequence_id > 1$q$);
SELECT shape($q$SELECT * FROM pieces WHERE grain_type = 'a' AND grain_key IN ('b', 'd') AND state_name = 'c'$q$);
SELECT shape($q$SELECT * FROM piece_states WHERE grain_type = 'a' AND grain_key = 'b' AND state_name = 'c' ORDER BY sequence_id DESC LIMIT 1$q$);
SELECT shape($q$SELECT * FROM pieces WHERE grain_type = 'a' AND grain_key = 'b' AND committed_sequence_id > 1$q$);
SELECT shape($q$SELECT * FROM pieces WHERE partition_key LIKE 'a/%' AND partition_key < 'a/5'$q$);
SELECT shape($q$SELECT * FROM pieces WHERE partition_key ^@ 'a/'$q$);
SELECT shape($q$SELECT * FROM pieces WHERE partition_key = 'a' OR partition_key = 'b'$q$);
SELECT shape($q$SELECT * FROM piece_states WHERE (partition_key = 'a' AND sequence_id = 1) OR (partition_key = 'b' AND sequence_id = 2)$q$);
SELECT shape($q$SELECT * FROM piece_states WHERE transaction_id = 't' AND row_key LIKE 'state\_00%'$q$);
SELECT shape($q$SELECT * FROM piece_states WHERE partition_key = 'a' AND transaction_id = 't' AND row_key LIKE 'state\_00%'$q$);
SELECT shape($q$SELECT * FROM local JOIN pieces ON grain_type = 'a' AND grain_key = key AND state_name = 'c'$q$);
-- Joins: few rows name their partitions one after the other, many read everything once.
SELECT shape($q$SELECT * FROM local JOIN keys ON partition_key = key WHERE id < 10$q$);
SELECT shape($q$SELECT * FROM local JOIN states ON partition_key = key WHERE id < 10$q$);
SELECT shape($q$SELECT * FROM local JOIN states ON partition_key = key AND sequence_id = n WHERE id < 10$q$);
SELECT shape($q$SELECT * FROM local LEFT JOIN states ON partition_key = key AND sequence_id BETWEEN n AND n + 1 WHERE id < 10$q$);
SELECT shape($q$SELECT * FROM local JOIN partitions ON partition_key = key WHERE id = 10$q$);
-- The same one row at a time
SET txstore.enable_lookup_join = off;
SELECT shape($q$SELECT * FROM local JOIN keys ON partition_key = key WHERE id < 10$q$);
SELECT shape($q$SELECT * FROM local JOIN states ON partition_key = key WHERE id < 10$q$);
SELECT shape($q$SELECT * FROM local JOIN states ON partition_key = key AND sequence_id = n WHERE id < 10$q$);
SELECT shape($q$SELECT * FROM local LEFT JOIN states ON partition_key = key AND sequence_id BETWEEN n AND n + 1 WHERE id < 10$q$);
SELECT shape($q$SELECT * FROM local JOIN partitions ON partition_key = key WHERE id = 10$q$);
RESET txstore.enable_lookup_join;
SELECT shape($q$SELECT id, (SELECT max(sequence_id) FROM states WHERE partition_key = key) FROM local$q$);
SELECT shape($q$SELECT id, (SELECT count(*) FROM states WHERE partition_key = key) FROM local$q$);
SELECT shape($q$SELECT * FROM local, LATERAL (SELECT * FROM states WHERE partition_key = key ORDER BY sequence_id DESC LIMIT 1) AS s WHERE id < 3$q$);
SELECT shape($q$SELECT * FROM local WHERE id < 3 AND EXISTS (SELECT FROM states WHERE partition_key = key AND sequence_id = n)$q$);
SELECT shape($q$SELECT a.etag FROM states AS a JOIN states AS b USING (partition_key) WHERE partition_key = 'p/1' AND a.sequence_id = b.sequence_id + 1$q$);
SELECT shape($q$SELECT etag FROM keys UNION ALL SELECT etag FROM states WHERE partition_key = 'p/1'$q$);
-- A plan that is kept has its parameters, and nothing is evaluated.
SET plan_cache_mode = force_generic_plan;
PREPARE one(text, int) AS SELECT * FROM states WHERE partition_key = $1 || (1 / $2)::text AND sequence_id = $2;
SELECT shape($q$EXECUTE one('p/', 0)$q$);
PREPARE many(text[], bigint) AS SELECT * FROM states WHERE partition_key = ANY ($1) AND sequence_id < $2 LIMIT $2;
SELECT shape($q$EXECUTE many(NULL, -1)$q$);
RESET plan_cache_mode;
SELECT shape($q$EXECUTE many('{}', 5)$q$);
-- In every format.
\pset tuples_only off
CREATE FUNCTION explained(format text, query text) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
	plan text;
BEGIN
	FOR plan IN EXECUTE format('EXPLAIN (COSTS OFF, FORMAT %s) %s', format, query) LOOP
		RETURN QUERY SELECT trim(l) FROM regexp_split_to_table(plan, '\n') AS l WHERE l ~ 'Request|Projection|Segments|Count.Of|Key.Condition|Scan.Filter|Direction|Rows.Wanted';
	END LOOP;
END $$;
SELECT f AS format, e AS line FROM unnest(ARRAY['text', 'json', 'xml', 'yaml']) WITH ORDINALITY AS v(f, n),
	explained(f, $q$SELECT etag FROM states WHERE partition_key = 'a "b" <c>' AND sequence_id < 5 ORDER BY sequence_id DESC LIMIT 3$q$) AS e ORDER BY n;
SELECT f AS format, e AS line FROM unnest(ARRAY['text', 'json', 'xml', 'yaml']) WITH ORDINALITY AS v(f, n),
	explained(f, 'SELECT count(*) FROM states WHERE sequence_id > 5') AS e ORDER BY n;
EXPLAIN (COSTS OFF) SELECT etag FROM states WHERE partition_key = 'p/1' AND etag = '0' ORDER BY sequence_id DESC;
EXPLAIN (COSTS OFF, VERBOSE) SELECT sequence_id FROM states AS s WHERE partition_key = 'p/1' AND sequence_id > 5;
EXPLAIN (COSTS OFF) SELECT count(*) FROM keys;
-- At use, the server is missed.
\set VERBOSITY sqlstate
SELECT etag FROM keys WHERE partition_key = 'p/1';
SET client_min_messages = warning;
DROP SCHEMA fdw_dynamodb_explain CASCADE;
DROP SERVER explained;
