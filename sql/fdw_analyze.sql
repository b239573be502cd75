--
-- ANALYZE
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE SCHEMA fdw_analyze;
SET search_path = fdw_analyze;
CREATE FOREIGN TABLE keys (partition_key text COLLATE "C", grain_key text, etag text, committed_sequence_id bigint, written_at timestamptz, metadata jsonb)
	SERVER :"storage" OPTIONS (kind 'keys');
CREATE FOREIGN TABLE states (partition_key text COLLATE "C", sequence_id bigint, row_key text, transaction_id text, state jsonb, state_bytes bytea, state_text text OPTIONS (attribute 'state'))
	SERVER :"storage" OPTIONS (kind 'states');
CREATE FOREIGN TABLE partitions (partition_key text COLLATE "C", committed_sequence_id bigint, state jsonb, state_bytes bytea, pending bigint, in_doubt boolean)
	SERVER :"storage" OPTIONS (kind 'partitions');
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"analyzed/%s_default_x"},"RowKey":{"S":"key"},"ETag":{"N":"0"},"CommittedSequenceId":{"N":"%s"}}',
	i, i % 3))) FROM generate_series(1, 400) AS i;
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"analyzed/%s_default_x"},"RowKey":{"S":"state_%s"},"ETag":{"N":"0"},"TransactionId":{"S":"t"},"GrainState":{"B":"%s"}}',
	i, lpad(to_hex(s), 16, '0'), repeat('IiAi', CASE i WHEN 7 THEN 10000 ELSE 1 END)))) FROM generate_series(1, 400) AS i, generate_series(0, 2) AS s;
ANALYZE keys, states, partitions;
SELECT relname, reltuples = CASE relname WHEN 'keys' THEN (SELECT count(*) FROM keys) WHEN 'states' THEN (SELECT count(*) FROM states)
	ELSE (SELECT count(*) FROM partitions) END AS counted, relpages > 0 AS has_pages
	FROM pg_class WHERE relnamespace = 'fdw_analyze'::regnamespace AND relkind = 'f' ORDER BY 1;
SELECT tablename, attname, null_frac < 1 AS has_values, n_distinct < 0 OR n_distinct > 100 AS many, avg_width > 0 AS has_width
	FROM pg_stats WHERE schemaname = 'fdw_analyze' AND attname IN ('partition_key', 'sequence_id', 'committed_sequence_id', 'state', 'state_bytes') ORDER BY 1, 2;
-- Again with a smaller sample, of one column, of a table with a dropped one
SET default_statistics_target = 1;
ANALYZE keys;
ANALYZE states (sequence_id, state);
ALTER FOREIGN TABLE keys DROP COLUMN etag;
ANALYZE keys;
SELECT reltuples = (SELECT count(*) FROM keys) AS counted FROM pg_class WHERE oid = 'keys'::regclass;
RESET default_statistics_target;
-- The planner believes it
CREATE FUNCTION rows_of(query text) RETURNS float8
LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan #>> '{0,Plan,Plan Rows}';
END $$;
SELECT rows_of('SELECT * FROM states') = (SELECT count(*) FROM states) AS all_states,
	rows_of($$SELECT * FROM keys WHERE partition_key = 'analyzed/1_default_x'$$) AS one_key,
	rows_of($$SELECT * FROM keys WHERE partition_key IN ('analyzed/1_default_x', 'analyzed/2_default_x')$$) AS two_keys,
	rows_of($$SELECT * FROM states WHERE partition_key = 'analyzed/1_default_x'$$) BETWEEN 1 AND 5 AS few_states;
-- Within a transaction that has written, and in a read only one
BEGIN;
SELECT etag FROM txstore.load('analyzed/new_default_x');
SELECT txstore.store('analyzed/new_default_x', '', '\x7b7d') <> '' AS stored;
ANALYZE keys;
ROLLBACK;
BEGIN READ ONLY;
ANALYZE keys;
ROLLBACK;
-- What cannot be read is not analyzed
CREATE FOREIGN TABLE wrong (nothing text) SERVER :"storage" OPTIONS (kind 'partitions');
ANALYZE wrong;
CREATE ROLE fdw_analyze_role;
GRANT CREATE, USAGE ON SCHEMA fdw_analyze TO fdw_analyze_role;
ALTER FOREIGN TABLE keys OWNER TO fdw_analyze_role;
\set VERBOSITY sqlstate
ANALYZE keys;
SET client_min_messages = warning;
DROP SCHEMA fdw_analyze CASCADE;
DROP ROLE fdw_analyze_role;
