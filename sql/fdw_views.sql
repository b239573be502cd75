--
-- Views over foreign tables: committed states, pending and in-doubt versions,
-- commit records
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE SCHEMA fdw_views;
SET search_path = fdw_views;
CREATE FOREIGN TABLE "Some_partitions" (partition_key text COLLATE "C", grain_type text, grain_key text, state_name text, committed_sequence_id bigint,
	written_at timestamptz, transaction_id text, transaction_timestamp timestamptz, state jsonb, state_bytes bytea, pending bigint, in_doubt boolean,
	pending_versions jsonb) SERVER :"storage" OPTIONS (kind 'partitions');
CREATE FOREIGN TABLE "Some_keys" (partition_key text COLLATE "C", grain_type text, grain_key text, state_name text, metadata jsonb, commit_records bigint)
	SERVER :"storage" OPTIONS (kind 'keys');
CREATE FUNCTION add(partition text, sequence bigint, value text DEFAULT NULL, manager text DEFAULT NULL) RETURNS text
LANGUAGE sql AS $$
	SELECT json_strip_nulls(json_build_object('PartitionKey', json_build_object('S', 'viewed/' || partition || '_default_x'),
		'RowKey', json_build_object('S', coalesce('state_' || lpad(to_hex(sequence), 16, '0'), 'key')), 'ETag', json_build_object('N', '1'),
		'CommittedSequenceId', CASE WHEN sequence IS NULL THEN json_build_object('N', value) END,
		'Metadata', CASE WHEN sequence IS NULL AND manager IS NOT NULL THEN json_build_object('B', translate(encode(convert_to(manager, 'UTF8'), 'base64'), E'\n', '')) END,
		'GrainState', CASE WHEN sequence IS NOT NULL AND value IS NOT NULL THEN json_build_object('B', translate(encode(convert_to(value, 'UTF8'), 'base64'), E'\n', '')) END,
		'TransactionId', CASE WHEN sequence IS NOT NULL THEN json_build_object('S', 'tx' || sequence) END,
		'TransactionTimestamp', CASE WHEN sequence IS NOT NULL THEN json_build_object('S', '2026-01-0' || sequence || 'T10:00:00.1234567Z') END,
		'TransactionManager', CASE WHEN sequence IS NOT NULL AND manager IS NOT NULL THEN json_build_object('B', translate(encode(convert_to(CASE manager
			WHEN 'G' THEN '{"Reference":{"Id":{"Type":"a","Key":"b"}}}' ELSE manager END, 'UTF8'), 'base64'), E'\n', '')) END))::text
$$;
SELECT txstore.import_items(array_agg(add(p, s, v, m))) FROM (VALUES
	('1', NULL, '0', NULL), ('2', NULL::bigint, '1', '{"CommitRecords":{}}'), ('2', 1, '{"balance":7}', '{}'),
	('3', NULL, '1', '{"$id":"1","CommitRecords":{"$id":"2","$type":"d","11111111-2222-3333-4444-555555555555":{"Timestamp":"2026-01-02T03:04:05.1234567Z","WriteParticipants":{"$type":"l","$values":[{"Name":"a"},{"Name":"b"}]}}}}'),
	('3', 1, '{"balance":7}', '{}'), ('3', 2, '{"balance":8}', '{}'), ('3', 3, '{"balance":9}', 'G'),
	('4', NULL, '1', '{"CommitRecords":{"x":{"Timestamp":"2026-01-02T03:04:05Z","WriteParticipants":[]},"y":{"Timestamp":null},"z":{"Timestamp":"yesterday"}}}'), ('4', 1, NULL, '{}'), ('4', 2, 'no JSON', 'G'),
	('4', 3, '"\u0000"', '{}'), ('4', 4, repeat('[', 1000) || repeat(']', 1000), '{}'), ('4', 5, NULL, '{}'), ('4', 6, '1', NULL), ('4', 7, '2', 'G'),
	('5', NULL, '0', 'no JSON'), ('5', 5, '5', '{}'), ('6', NULL, '0', '[]'), ('7', NULL, '0', '{"CommitRecords":[1]}')) AS v(p, s, v, m);
SELECT txstore.create_views('fdw_views');
-- Again, and of one table
SELECT count(*) FROM txstore.create_views('fdw_views', 'Some');
SELECT grain_key, committed_sequence_id, transaction_id, transaction_timestamp, state FROM "Some_committed" WHERE grain_type = 'viewed' ORDER BY 1;
SELECT grain_key, committed_sequence_id AS committed, sequence_id, transaction_id, transaction_timestamp, manager_grain, left(state::text, 20) AS state
	FROM "Some_pending" WHERE grain_type = 'viewed' ORDER BY 1, 3;
SELECT grain_key, sequence_id, manager_grain FROM "Some_in_doubt" WHERE grain_type = 'viewed' ORDER BY 1, 2;
SELECT grain_key, transaction_id, transaction_timestamp, participants FROM "Some_commit_records" WHERE grain_type = 'viewed' ORDER BY 1, 2;
-- They count as the tables do, and load() does
SELECT grain_key, pending, in_doubt, jsonb_array_length(pending_versions) = pending AS all_pending,
	(SELECT array_agg((v ->> 'sequence_id')::bigint) FROM jsonb_array_elements(pending_versions) AS v) IS NOT DISTINCT FROM
		(SELECT array_agg((v).sequence_id) FROM unnest((txstore.load(partition_key)).pending) AS v) AS as_loaded
	FROM "Some_partitions" WHERE grain_type = 'viewed' ORDER BY 1;
SELECT grain_key, commit_records, (SELECT count(*) FROM "Some_commit_records" AS c WHERE c.partition_key = k.partition_key) FROM "Some_keys" AS k
	WHERE grain_type = 'viewed' ORDER BY 1;
-- Each is one scan
CREATE FUNCTION scans(query text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
	plan text;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN (SELECT count(*) FROM regexp_matches(plan, 'Foreign Scan', 'g'));
END $$;
SELECT v, scans('SELECT * FROM "Some_' || v || '"') FROM unnest(ARRAY['committed', 'pending', 'in_doubt', 'commit_records']) AS v;
SELECT obj_description('"Some_pending"'::regclass);
-- A role that may read the view alone
CREATE ROLE fdw_views_role;
GRANT USAGE ON SCHEMA fdw_views TO fdw_views_role;
GRANT SELECT ON "Some_committed" TO fdw_views_role;
SET ROLE fdw_views_role;
SELECT count(*) > 0 AS found FROM "Some_committed" WHERE grain_type = 'viewed';
SELECT count(*) FROM "Some_partitions";
\set VERBOSITY terse
SELECT txstore.create_views('fdw_views');
RESET ROLE;
-- Refused
SELECT txstore.create_views('fdw_views', 'Other');
SELECT txstore.create_views('nowhere');
CREATE FOREIGN TABLE wrong (pending_versions text) SERVER :"storage" OPTIONS (kind 'partitions');
SELECT * FROM wrong;
ALTER FOREIGN TABLE "Some_keys" RENAME TO a23456789012345678901234567890123456789012345678901234567_keys;
SELECT txstore.create_views('fdw_views', 'a23456789012345678901234567890123456789012345678901234567');
ALTER VIEW "Some_pending" RENAME TO other;
CREATE TABLE "Some_pending" ();
SELECT txstore.create_views('fdw_views', 'Some');
SET client_min_messages = warning;
DROP SCHEMA fdw_views CASCADE;
DROP ROLE fdw_views_role;
