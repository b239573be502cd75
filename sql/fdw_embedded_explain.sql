-- EXPLAIN over an embedded storage: a plan for every shape of request.  (Groups 5, 29, 35.)
CREATE SERVER explained FOREIGN DATA WRAPPER txstore_fdw OPTIONS (schema_name 'fdw_explained', table_name 'x');
CREATE SCHEMA fdw_explain;
SET search_path = fdw_explain;
IMPORT FOREIGN SCHEMA x FROM SERVER explained INTO fdw_explain;
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"p/%s"},"RowKey":{"S":"state_%s"},"ETag":{"N":"0"}}', i,
		lpad(to_hex(s), 16, '0'))), 'explained') FROM generate_series(1, 2000) AS i, generate_series(1, 3) AS s;
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"p/%s"},"RowKey":{"S":"key"},"ETag":{"N":"0"}}', i)), 'explained')
  FROM generate_series(1, 2000) AS i;
ANALYZE fdw_explained.x_keys, fdw_explained.x_states;
CREATE TABLE local AS SELECT i AS id, 'p/' || i AS key, 1::bigint AS n FROM generate_series(1, 100) AS i;
ANALYZE local;
SET enable_material = off;
-- The nodes of a plan, with what a foreign scan says of itself: the same on every version.
CREATE FUNCTION nodes(plan json, depth int) RETURNS SETOF text
LANGUAGE sql AS $$
	SELECT repeat('  ', depth) || concat_ws(', ', (plan ->> 'Node Type') || coalesce(' on ' || (plan ->> 'Relation Name'), ''),
		'count of ' || (plan ->> 'Count Of'), plan ->> 'Request', 'key: ' || (plan ->> 'Key Condition'), plan ->> 'Direction',
		'rows wanted: ' || (plan ->> 'Rows Wanted'),
		CASE WHEN plan ->> 'Node Type' = 'Foreign Scan' THEN 'filter: ' || (plan ->> 'Filter') END)
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

-- A key, keys, everything; what does not name a partition is a filter.
SELECT shape($q$SELECT * FROM x_keys WHERE partition_key = 'p/1'$q$);
SELECT shape($q$SELECT * FROM x_keys WHERE 'p/1' = partition_key AND etag = '0'$q$);
SELECT shape($q$SELECT * FROM x_keys WHERE partition_key IN ('p/1', 'p/2')$q$);
SELECT shape($q$SELECT * FROM x_keys WHERE partition_key > 'p/1'$q$);
SELECT shape($q$SELECT * FROM x_partitions WHERE partition_key = 'p/1' OR pending > 0$q$);
SELECT shape($q$SELECT * FROM x_keys WHERE partition_key = lower('P/1') COLLATE "C"$q$);
SELECT shape($q$SELECT * FROM x_keys WHERE partition_key COLLATE "en-x-icu" = 'p/1'$q$);
-- Ranges of sequence ids and row keys; the order of a partition's rows, both ways, is no sort.
SELECT shape($q$SELECT * FROM x_states WHERE partition_key = 'p/1' AND sequence_id BETWEEN 2 AND 3::smallint$q$);
SELECT shape($q$SELECT * FROM x_states WHERE partition_key = 'p/1' AND row_key >= 'state_2' AND sequence_id = ANY ('{1,2}')$q$);
SELECT shape($q$SELECT * FROM x_states WHERE partition_key = 'p/1' AND row_key COLLATE "en-x-icu" >= 'state_2'$q$);
SELECT shape($q$SELECT * FROM x_states WHERE partition_key = 'p/1' AND sequence_id = 2.0$q$);
SELECT shape($q$SELECT * FROM x_states WHERE sequence_id > 2$q$);
SELECT shape($q$SELECT * FROM x_states WHERE partition_key = 'p/1' ORDER BY sequence_id$q$);
SELECT shape($q$SELECT * FROM x_states WHERE partition_key = 'p/1' ORDER BY row_key DESC LIMIT 1$q$);
SELECT shape($q$SELECT * FROM x_states WHERE partition_key = 'p/1' AND etag = '0' ORDER BY sequence_id DESC LIMIT 2 OFFSET 3$q$);
SELECT shape($q$SELECT max(sequence_id) FROM x_states WHERE partition_key = 'p/1'$q$);
SELECT shape($q$SELECT * FROM x_states WHERE partition_key = 'p/1' ORDER BY row_key COLLATE "en-x-icu"$q$);
SELECT shape($q$SELECT * FROM x_states WHERE partition_key IN ('p/1', 'p/2') ORDER BY sequence_id$q$);
SELECT shape($q$SELECT * FROM x_states WHERE partition_key = 'p/1' ORDER BY sequence_id, etag$q$);
SELECT shape($q$SELECT * FROM x_keys LIMIT 10$q$);
-- count(*) by the storage, and where it cannot be.
SELECT shape($q$SELECT count(*) FROM x_keys$q$);
SELECT shape($q$SELECT count(*) FROM x_states WHERE partition_key = 'p/1' AND sequence_id > 1$q$);
SELECT shape($q$SELECT count(*) FROM x_states WHERE partition_key = 'p/1' AND etag = '0'$q$);
SELECT shape($q$SELECT count(*) FROM x_states WHERE partition_key = 'p/1' AND sequence_id IN (1, 3)$q$);
SELECT shape($q$SELECT count(etag) FROM x_keys$q$);
-- Joins of few rows name their partitions one after the other, those of many read everything once.
SELECT shape($q$SELECT * FROM local JOIN x_states ON partition_key = key WHERE id < 10$q$);
SELECT shape($q$SELECT * FROM local JOIN x_states ON partition_key = key AND sequence_id = n WHERE id < 10$q$);
SELECT shape($q$SELECT * FROM local AS a, local AS b, x_keys
  WHERE partition_key = left(a.key, 9) AND partition_key = left(b.key, 9) AND a.id = 1 AND b.id = 1$q$);
SELECT shape($q$SELECT id, (SELECT max(sequence_id) FROM x_states WHERE partition_key = key) FROM local$q$);
SELECT shape($q$SELECT * FROM local, LATERAL (SELECT * FROM x_states WHERE partition_key = key ORDER BY sequence_id DESC LIMIT 1) AS s WHERE id < 3$q$);
-- A plan that is kept has its parameters, and is not run by EXPLAIN.
SET plan_cache_mode = force_generic_plan;
PREPARE q(text, bigint) AS SELECT * FROM x_states WHERE partition_key = $1 AND sequence_id < $2 ORDER BY sequence_id LIMIT 3;
SELECT shape($q$EXECUTE q('p/1', 2)$q$);
-- As text, and with what it costs, which a storage of tables does not count.
\pset tuples_only off
EXPLAIN (COSTS OFF) SELECT * FROM x_states WHERE partition_key = 'p/1' AND etag = '0' ORDER BY sequence_id DESC;
EXPLAIN (COSTS OFF, VERBOSE) SELECT sequence_id FROM x_states WHERE partition_key = 'p/1';
EXPLAIN (COSTS OFF) SELECT count(*) FROM x_keys;
CREATE FUNCTION analyzed(query text) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	RETURN json_build_object('rows', (plan #>> '{0,Plan,Actual Rows}')::numeric::int, 'requests', plan #> '{0,Plan,Requests}');
END $$;
SELECT analyzed($q$SELECT * FROM x_states WHERE partition_key = 'p/1'$q$);

SET client_min_messages = warning;
DROP SCHEMA fdw_explain, fdw_explained CASCADE;
DROP SERVER explained;
