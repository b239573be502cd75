--
-- The table of partitions: a row an actor, made of its key row and its state
-- rows as load() makes it
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE SCHEMA fdw_partitions;
SET search_path = fdw_partitions;
CREATE FOREIGN TABLE partitions (partition_key text COLLATE "C", grain_key text COLLATE "C", etag text, committed_sequence_id bigint,
	state text, pending bigint, in_doubt boolean, transaction_id text, transaction_timestamp_text text)
	SERVER :"storage" OPTIONS (kind 'partitions');
-- Rows in short: partition, sequence or NULL for the key row, committed or
-- state, manager.  {} is a manager without a grain, G one with
CREATE FUNCTION add(partition text, sequence bigint, value text DEFAULT NULL, manager text DEFAULT NULL) RETURNS text
LANGUAGE sql AS $$
	SELECT json_strip_nulls(json_build_object('PartitionKey', json_build_object('S', 'fdw_partitions/' || partition),
		'RowKey', json_build_object('S', coalesce('state_' || lpad(to_hex(sequence), 16, '0'), 'key')), 'ETag', json_build_object('N', '1'),
		'CommittedSequenceId', CASE WHEN sequence IS NULL AND value IS NOT NULL THEN json_build_object('N', value) END,
		'GrainState', CASE WHEN sequence IS NOT NULL AND value IS NOT NULL THEN json_build_object('B', translate(encode(convert_to(value, 'UTF8'), 'base64'), E'\n', '')) END,
		'TransactionId', CASE WHEN sequence IS NOT NULL THEN json_build_object('S', 'tx' || sequence) END,
		'TransactionManager', CASE WHEN manager IS NOT NULL THEN json_build_object('B', translate(encode(convert_to(CASE manager
			WHEN 'G' THEN '{"Reference":{"Id":{"Type":"a","Key":"b"}}}' ELSE manager END, 'UTF8'), 'base64'), E'\n', '')) END))::text
$$;
SELECT txstore.import_items(array_agg(add(p, s, v, m))) FROM (VALUES
	('1 fresh', NULL, '0', NULL),
	('2 no number', NULL::bigint, NULL, NULL),
	('3 committed', NULL, '1', NULL), ('3 committed', 1, 'one', 'G'),
	('4 pending', NULL, '1', NULL), ('4 pending', 1, 'one', 'G'), ('4 pending', 2, 'two', '{}'), ('4 pending', 3, 'three', '{}'),
	('5 in doubt', NULL, '1', NULL), ('5 in doubt', 1, 'one', '{}'), ('5 in doubt', 2, 'two', '{}'), ('5 in doubt', 3, 'three', 'G'),
	('6 only pending', NULL, '0', NULL), ('6 only pending', 5, 'five', 'G'),
	('7 left over', NULL, '3', NULL), ('7 left over', 1, 'one', 'G'), ('7 left over', 2, 'two', 'G'), ('7 left over', 3, 'three', '{}'),
	('8 garbage', NULL, '1', NULL), ('8 garbage', 1, 'one', '{}'), ('8 garbage', 2, 'two', '{}'), ('8 garbage', 3, 'three', NULL), ('8 garbage', 4, 'four', 'G'),
	('9 no state', NULL, '1', NULL), ('9 no state', 1, NULL, '{}'),
	('no key row', 1, 'one', 'G'), ('no key row', 2, 'two', 'G')) AS v(p, s, v, m);
-- Other partitions of the storage are of no interest, and may contradict
-- themselves
CREATE TABLE actors AS SELECT partition_key AS key FROM partitions WHERE partition_key LIKE 'fdw\_partitions/%';
SELECT replace(partition_key, 'fdw_partitions/', '') AS actor, etag, committed_sequence_id AS committed, state, pending, in_doubt, transaction_id
	FROM partitions WHERE partition_key = ANY (ARRAY(SELECT key FROM actors)) ORDER BY 1;
-- As load() says, for each
SELECT count(*) AS differ FROM partitions AS p, LATERAL txstore.load(p.partition_key) AS l
	WHERE p.partition_key = ANY (ARRAY(SELECT key FROM actors)) AND (p.etag, coalesce(p.committed_sequence_id, 0), p.pending, coalesce(p.state, ''))
		IS DISTINCT FROM (l.etag, l.committed_sequence_id, cardinality(l.pending), coalesce(convert_from(l.committed_state, 'UTF8'), ''));
-- One alone, some, and by what no key answers
SELECT state, pending, in_doubt FROM partitions WHERE partition_key = 'fdw_partitions/5 in doubt';
SELECT partition_key, pending FROM partitions WHERE partition_key IN ('fdw_partitions/4 pending', 'fdw_partitions/6 only pending',
	'fdw_partitions/no key row', 'nowhere') ORDER BY 1;
SELECT partition_key FROM partitions WHERE in_doubt AND partition_key = ANY (ARRAY(SELECT key FROM actors)) ORDER BY 1;
SELECT sum(pending), count(*), count(state) FROM partitions WHERE partition_key = ANY (ARRAY(SELECT key FROM actors));
-- Columns of the key row alone need no state rows, and say the same
SELECT count(*), count(etag), sum(committed_sequence_id) FROM partitions WHERE partition_key = ANY (ARRAY(SELECT key FROM actors));
-- Partitions whose keys begin with each other, and with odd characters, stay apart
SELECT txstore.import_items(array_agg(item)) FROM unnest(ARRAY['x', 'x/', 'x0', 'xx', 'x ', 'x''', 'x"', 'xé', 'x\', repeat('x', 900)]) WITH ORDINALITY AS v(k, n),
	LATERAL (VALUES (add(k, NULL, n::text)), (add(k, n, k, '{}')), (add(k, n + 1, k, '{}'))) AS w(item);
INSERT INTO actors SELECT partition_key FROM partitions WHERE partition_key LIKE 'fdw\_partitions/x%';
SELECT count(*), bool_and(partition_key = 'fdw_partitions/' || state) AS own_state, bool_and(pending = 1) AS own_pending FROM partitions
	WHERE partition_key = ANY (ARRAY(SELECT key FROM actors)) AND partition_key LIKE 'fdw\_partitions/x%';
-- A store() is seen as a whole
SELECT txstore.store('fdw_partitions/4 pending', '1', 'm', commit_up_to => 3) FROM txstore.load('fdw_partitions/4 pending');
SELECT etag, committed_sequence_id, state, pending FROM partitions WHERE partition_key = 'fdw_partitions/4 pending';
SET client_min_messages = warning;
DROP SCHEMA fdw_partitions CASCADE;
