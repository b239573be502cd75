--
-- Partitions that contradict themselves: reported with partition and row,
-- never guessed at
--
\set VERBOSITY terse
-- Make rows with these row keys and other attributes
CREATE FUNCTION pg_temp.make(partition_key text, VARIADIC items text[]) RETURNS bigint
	RETURN txstore.import_items((SELECT array_agg(format('{"PartitionKey":{"S":"contradictions/%s"},%s}', partition_key, i)) FROM unnest(items) AS i));
-- All of the error of a load
CREATE FUNCTION pg_temp.try_load(text, OUT state text, OUT message text, OUT detail text)
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM FROM txstore.load($1);
EXCEPTION
	WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
		message := replace(message, (SELECT value FROM txstore.describe_storage() WHERE property = 'storage'), 'NAME');
END $$;

-- A key row without ETag (Orleans takes it for fresh, then conflicts for ever)
SELECT pg_temp.make('no etag', '"RowKey":{"S":"key"},"CommittedSequenceId":{"N":"0"}');
SELECT * FROM pg_temp.try_load('contradictions/no etag');
-- The failed load left no handle
\set VERBOSITY sqlstate
SELECT txstore.store('contradictions/no etag', NULL, '');
\set VERBOSITY terse

-- A committed version whose row does not exist
SELECT pg_temp.make('not there', '"RowKey":{"S":"key"},"CommittedSequenceId":{"N":"10"},"ETag":{"N":"3"}',
	'"RowKey":{"S":"state_0000000000000009"},"ETag":{"N":"0"}', '"RowKey":{"S":"state_000000000000000b"},"ETag":{"N":"0"}');
SELECT * FROM pg_temp.try_load('contradictions/not there');
-- It can be repaired by an import, then loaded
SELECT pg_temp.make('not there', '"RowKey":{"S":"state_000000000000000a"},"GrainState":{"B":"eA=="},"ETag":{"N":"0"}');
SELECT etag, committed_sequence_id, committed_state, pending FROM txstore.load('contradictions/not there');
SELECT txstore.store('contradictions/not there', '3', '');

-- A state row with an attribute of a type that no silo loads; S, N and B are
-- no trouble, nor is anything on a key row
SELECT pg_temp.make('type', '"RowKey":{"S":"key"},"ETag":{"N":"0"},"x":{"BOOL":true},"y":{"M":{}}',
	'"RowKey":{"S":"state_0000000000000001"},"ETag":{"N":"0"},"s":{"S":"s"},"n":{"N":"1"},"b":{"B":""}');
SELECT * FROM pg_temp.try_load('contradictions/type');
SELECT pg_temp.make('type', '"RowKey":{"S":"state_0000000000000002"},"ETag":{"N":"0"},"x":{"BOOL":true}');
SELECT * FROM pg_temp.try_load('contradictions/type');
-- A load that fails changes no handle: what was usable stays so ...
SELECT txstore.store('contradictions/type', '0', '');
-- ... and what demands a load goes on to do so
\set VERBOSITY sqlstate
SELECT txstore.delete_partition('contradictions/type', '7');
SELECT * FROM pg_temp.try_load('contradictions/type');
SELECT txstore.store('contradictions/type', '1', '');
\set VERBOSITY terse

-- A state row without ETag loads as in a silo, but no store changes it: there
-- is no condition for that.  The handle stays usable for what does not.
SELECT pg_temp.make('row', '"RowKey":{"S":"key"},"CommittedSequenceId":{"N":"1"},"ETag":{"N":"0"}',
	'"RowKey":{"S":"state_0000000000000001"},"GrainState":{"B":"YQ=="},"ETag":{"N":"0"}',
	'"RowKey":{"S":"state_0000000000000002"},"GrainState":{"B":"Yg=="},"TransactionManager":{"B":"dA=="}');
SELECT etag, committed_sequence_id, committed_state, (SELECT array_agg(sequence_id) FROM unnest(pending)) AS pending
	FROM txstore.load('contradictions/row');
\set VERBOSITY sqlstate
SELECT txstore.store('contradictions/row', '0', '', NULL, NULL, 1);
SELECT txstore.store('contradictions/row', '0', '', ARRAY[txstore.prepare(2, 'B')]);
SELECT txstore.store('contradictions/row', '0', '', ARRAY[txstore.prepare(2, 'B')], NULL, 1);
SELECT txstore.store('contradictions/row', '0', '', ARRAY[txstore.prepare(3, 'c')], 3);
SELECT * FROM txstore.plan_store('contradictions/row', '0', '', NULL, NULL, 1);
SELECT txstore.store('contradictions/row', '0', '', ARRAY[txstore.prepare(3, 'c')], 2);
\set VERBOSITY terse
SELECT etag, committed_sequence_id, committed_state, (SELECT array_agg(sequence_id) FROM unnest(pending)) AS pending
	FROM txstore.load('contradictions/row');

-- State rows without a key row: fresh, with nothing pending; a store deletes
-- or overwrites them by their ETags
SELECT pg_temp.make('orphans', '"RowKey":{"S":"state_0000000000000001"},"ETag":{"N":"5"},"TransactionManager":{"B":"dA=="}',
	'"RowKey":{"S":"state_0000000000000002"},"ETag":{"N":"6"},"TransactionManager":{"B":"dA=="}',
	'"RowKey":{"S":"state_0000000000000003"},"ETag":{"N":"7"},"TransactionManager":{"B":"dA=="}');
SELECT * FROM txstore.load('contradictions/orphans');
SELECT action, row_key, expected_etag, new_etag FROM txstore.plan_store('contradictions/orphans', NULL, '', ARRAY[txstore.prepare(2, 'b')], 2, 2);
SELECT txstore.store('contradictions/orphans', NULL, '', ARRAY[txstore.prepare(2, 'b')], 2, 2);
SELECT i #>> '{RowKey,S}' AS row_key, i #>> '{ETag,N}' AS etag FROM txstore.export_items('contradictions/orphans') AS i;

-- Absent attributes are empty: a key row with nothing but its ETag
SELECT pg_temp.make('bare', '"RowKey":{"S":"key"},"ETag":{"N":"2"}',
	'"RowKey":{"S":"state_0000000000000001"},"ETag":{"N":"0"},"TransactionManager":{"B":"dA=="}');
SELECT etag, committed_sequence_id, committed_state, metadata FROM txstore.load('contradictions/bare');
SELECT p.* FROM txstore.load('contradictions/bare'), unnest(pending) AS p;

-- All of them can be deleted
SELECT k, txstore.delete_partition('contradictions/' || k, e) FROM (VALUES ('no etag', NULL), ('not there', '4'),
	('type', '1'), ('row', '1'), ('orphans', '0'), ('bare', '2')) AS v(k, e);
