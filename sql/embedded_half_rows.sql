-- Rows that are read as a silo reads them, but that store() will not touch, or that only a deletion can mend.
CREATE SERVER half FOREIGN DATA WRAPPER txstore_fdw OPTIONS (schema_name 'half', table_name 't');
SET txstore.default_storage = 'half';

-- A state row without ETag: nobody could write it conditionally.
SELECT txstore.import_items(ARRAY[
	'{"PartitionKey":{"S":"p"},"RowKey":{"S":"key"},"CommittedSequenceId":{"N":"1"},"ETag":{"N":"4"}}',
	'{"PartitionKey":{"S":"p"},"RowKey":{"S":"state_0000000000000001"},"GrainState":{"B":"AQ=="},"ETag":{"N":"0"}}',
	'{"PartitionKey":{"S":"p"},"RowKey":{"S":"state_0000000000000002"},"GrainState":{"B":"Ag=="},"TransactionManager":{"B":"AQ=="}}']);
SELECT etag, committed_sequence_id, pending[1].sequence_id FROM txstore.load('p');
SELECT txstore.store('p', '4', '', ARRAY[txstore.prepare(2, 'x')]);
\echo :LAST_ERROR_SQLSTATE
SELECT txstore.store('p', '4', '', abort_after => 1);
SELECT txstore.store('p', '4', '', ARRAY[txstore.prepare(3, 'x')], 3);
SELECT count(*) FROM txstore.plan_store('p', '4', '', abort_after => 1);
-- Nothing was written, the handle is usable, and a store() that leaves the row alone goes through: even its commit.
SELECT partition_key, etag, must_load FROM txstore.handles;
SELECT txstore.store('p', '4', '', ARRAY[txstore.prepare(3, 'x')]);
SELECT txstore.store('p', '5', '', commit_up_to => 2);
SELECT etag, committed_sequence_id, committed_state FROM txstore.load('p');
SELECT sequence_id, etag FROM half.t_states ORDER BY 1;
SELECT txstore.delete_partition('p', '6');
SELECT count(*) FROM txstore.export_items();

-- A key row without ETag: Orleans would take it for fresh, then conflict for ever.
SELECT txstore.import_items(ARRAY[
	'{"PartitionKey":{"S":"k"},"RowKey":{"S":"key"},"CommittedSequenceId":{"N":"1"}}',
	'{"PartitionKey":{"S":"k"},"RowKey":{"S":"state_0000000000000001"},"GrainState":{"B":"AQ=="},"ETag":{"N":"0"}}']);
SELECT etag FROM txstore.load('k');
\echo :LAST_ERROR_SQLSTATE
SELECT txstore.delete_partition('k', '0');
SELECT txstore.delete_partition('k', '');
SELECT count(*) FROM txstore.export_items();
-- A fresh handle does not write over one that turns up.
SELECT etag FROM txstore.load('k');
INSERT INTO half.t_keys (partition_key, incarnation) VALUES ('k', 1);
SELECT txstore.store('k', '', '');
DELETE FROM half.t_keys;

-- State rows without a key row are a fresh partition; the first store() meets them by their ETags.
SELECT txstore.import_items(ARRAY[
	'{"PartitionKey":{"S":"o"},"RowKey":{"S":"state_0000000000000001"},"GrainState":{"B":"AQ=="},"TransactionManager":{"B":"AQ=="},"ETag":{"N":"6"}}',
	'{"PartitionKey":{"S":"o"},"RowKey":{"S":"state_0000000000000002"},"GrainState":{"B":"Ag=="},"TransactionManager":{"B":"AQ=="},"ETag":{"N":"0"}}',
	'{"PartitionKey":{"S":"o"},"RowKey":{"S":"state_0000000000000009"},"GrainState":{"B":"CQ=="},"TransactionManager":{"B":"AQ=="},"ETag":{"N":"0"}}']);
SELECT etag, committed_sequence_id, committed_state, pending FROM txstore.load('o');
SELECT state_rows, must_load FROM txstore.handles WHERE partition_key = 'o';
SELECT action, row_key, expected_etag, new_etag FROM txstore.plan_store('o', '', '', ARRAY[txstore.prepare(2, 'x')], 2, 2);
SELECT txstore.store('o', '', '', ARRAY[txstore.prepare(2, 'x')], 2, 2);
SELECT sequence_id, state, etag FROM half.t_states ORDER BY 1;
-- Rows that changed under a handle without a change of the key row: somebody wrote by hand.
UPDATE half.t_states SET etag = 5;
SELECT txstore.store('o', '0', '', ARRAY[txstore.prepare(2, 'y')]);
\echo :LAST_ERROR_SQLSTATE
SELECT etag FROM txstore.load('o');
INSERT INTO half.t_states (partition_key, sequence_id, etag) VALUES ('o', 3, 0);
SELECT txstore.store('o', '0', '', ARRAY[txstore.prepare(3, 'y')]);
SELECT etag FROM txstore.load('o');
DELETE FROM half.t_states WHERE sequence_id = 3;
SELECT txstore.store('o', '0', '', abort_after => 2);
-- None of these has left anything behind.
SELECT etag FROM half.t_keys;
SELECT sequence_id, state, etag FROM half.t_states ORDER BY 1;

-- Orphans can be deleted as what they are.
DELETE FROM half.t_keys;
SELECT txstore.delete_partition('o', '0');
BEGIN;
SELECT txstore.delete_partition('o', NULL);
SELECT txstore.forget('o');
SELECT etag FROM txstore.load('o');
ROLLBACK;
SELECT txstore.store('o', '', '', ARRAY[txstore.prepare(1, 'x')], 1);
SELECT txstore.delete_partition('o', NULL);
SELECT count(*) FROM half.t_states;

SET client_min_messages = warning;
DROP SERVER half;
DROP SCHEMA half CASCADE;
