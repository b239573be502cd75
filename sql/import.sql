--
-- import_items(), import_items_from(): rows from items in DynamoDB's JSON
--
\set VERBOSITY terse
-- A partition as a silo wrote it becomes one that can be loaded and stored
SELECT txstore.import_items(ARRAY[
	'{"PartitionKey":{"S":"import/a"},"RowKey":{"S":"key"},"CommittedSequenceId":{"N":"1"},"Metadata":{"B":"e30="},"Timestamp":{"N":"1700000000"},"ETag":{"N":"4"}}',
	'{"PartitionKey":{"S":"import/a"},"RowKey":{"S":"state_0000000000000001"},"GrainState":{"B":"b25l"},"TransactionId":{"S":"00000000-0000-0000-0000-000000000001"},"TransactionTimestamp":{"S":"2024-01-02T03:04:05.1234567Z"},"TransactionManager":{"B":"dG0="},"ETag":{"N":"2"}}',
	'{"PartitionKey":{"S":"import/a"},"RowKey":{"S":"state_0000000000000002"},"GrainState":{"B":"dHdv"},"TransactionId":{"S":"00000000-0000-0000-0000-000000000002"},"TransactionTimestamp":{"S":"2024-01-02T03:04:06.7654321Z"},"TransactionManager":{"B":"dG0="},"ETag":{"N":"0"}}']);
SELECT etag, committed_sequence_id, committed_state, metadata FROM txstore.load('import/a');
SELECT p.* FROM txstore.load('import/a'), unnest(pending) AS p;
SELECT txstore.store('import/a', '4', '{}', ARRAY[txstore.prepare(2, 'Two')], 2);
SELECT i #>> '{RowKey,S}' AS row_key, i #>> '{ETag,N}' AS etag FROM txstore.export_items('import/a') AS i;

-- The items' order is free, in a call and among calls; so is the attributes'
SELECT txstore.import_items(ARRAY[
	'{"ETag":{"N":"0"},"RowKey":{"S":"state_0000000000000002"},"GrainState":{"B":"Yg=="},"TransactionManager":{"B":"dG0="},"PartitionKey":{"S":"import/order"}}',
	'{"ETag":{"N":"7"},"CommittedSequenceId":{"N":"1"},"RowKey":{"S":"key"},"PartitionKey":{"S":"import/order"}}']);
SELECT txstore.import_items(ARRAY[
	'{"RowKey":{"S":"state_0000000000000001"},"ETag":{"N":"0"},"PartitionKey":{"S":"import/order"}}']);
SELECT etag, committed_state, (SELECT array_agg(p.state) FROM unnest(pending) AS p) FROM txstore.load('import/order');

-- Bare or wrapped, as the service's own exports are; blanks and escapes are
-- those of JSON
SELECT txstore.import_items(ARRAY[
	'{"Item":{"PartitionKey":{"S":"import/form"},"RowKey":{"S":"key"},"ETag":{"N":"0"}}}',
	E' {\t"Item" :\n{ "PartitionKey" : { "S" : "import\\/f\\u006frm" } , "RowKey":{"S":"state_0000000000000001"},"Grain\\u0053tate":{"B":"\\/+8="},"ETag":{"N":"0"}} }\r\n',
	'{"Item":{"S":"an attribute"},"PartitionKey":{"S":"import/form"},"RowKey":{"S":"state_0000000000000002"},"ETag":{"N":"0"}}']);
SELECT i FROM txstore.export_items('import/form') AS i;

-- The same row again is skipped and counted, whatever the form and the order
-- of what is known
SELECT txstore.import_items(ARRAY[
	'{"PartitionKey":{"S":"import/form"},"ETag":{"N":"0"},"RowKey":{"S":"key"}}',
	'{"Item":{"PartitionKey":{"S":"import/form"},"RowKey":{"S":"state_0000000000000001"},"ETag":{"N":"0"},"GrainState":{"B":"/+8="}}}',
	'{"PartitionKey":{"S":"import/form"},"RowKey":{"S":"state_0000000000000003"},"ETag":{"N":"0"}}']);
-- also within one call
SELECT txstore.import_items(array_fill('{"PartitionKey":{"S":"import/form"},"RowKey":{"S":"state_0000000000000004"},"ETag":{"N":"0"}}'::text, ARRAY[3]));

-- A row that comes between load and store is a conflict, as any writer's is
SELECT txstore.import_items(ARRAY['{"PartitionKey":{"S":"import/between"},"RowKey":{"S":"key"},"ETag":{"N":"0"}}']);
SELECT etag FROM txstore.load('import/between');
SELECT txstore.import_items(ARRAY['{"PartitionKey":{"S":"import/between"},"RowKey":{"S":"state_0000000000000001"},"ETag":{"N":"4"}}']);
\set VERBOSITY sqlstate
SELECT txstore.store('import/between', '0', '', ARRAY[txstore.prepare(1, 'one')], 1);
SELECT txstore.store('import/between', '0', '');
\set VERBOSITY terse
SELECT etag, committed_sequence_id FROM txstore.load('import/between');
SELECT txstore.store('import/between', '0', '', ARRAY[txstore.prepare(1, 'one')], 1);
SELECT i #>> '{RowKey,S}' AS row_key, i #>> '{ETag,N}' AS etag FROM txstore.export_items('import/between') AS i;

-- Items that are no rows of a partition are refused, or skipped and counted
SELECT txstore.import_items(ARRAY['{"PartitionKey":{"S":"import/other"},"RowKey":{"S":"Key"},"ETag":{"N":"0"}}']);
SELECT txstore.import_items(ARRAY['{"PartitionKey":{"S":"import/other"},"RowKey":{"S":"something else"}}'], skip_unknown => false);
SELECT txstore.import_items(ARRAY[
	'{"PartitionKey":{"S":"import/other"},"RowKey":{"S":"Key"},"ETag":{"N":"0"}}',
	'{"PartitionKey":{"S":"import/other"},"RowKey":{"S":"something else"},"Any":{"M":{"x":{"L":[{"NULL":true}]}}}}',
	'{"PartitionKey":{"S":"import/other"},"RowKey":{"S":"state"}}',
	'{"PartitionKey":{"S":"import/other"},"RowKey":{"S":"key"},"ETag":{"N":"0"}}'], skip_unknown => true);
SELECT i #>> '{RowKey,S}' AS row_key FROM txstore.export_items('import/other') AS i;

-- Nothing is nothing
SELECT txstore.import_items('{}');

-- From a table or view with one column of text
CREATE TEMP TABLE lines (line text);
INSERT INTO lines SELECT format('{"PartitionKey":{"S":"import/from"},"RowKey":{"S":"state_%s"},"GrainState":{"B":"eA=="},"ETag":{"N":"0"}}',
	lpad(to_hex(n), 16, '0')) FROM generate_series(0, 999) AS n;
SELECT txstore.import_items_from('lines');
INSERT INTO lines VALUES ('{"PartitionKey":{"S":"import/from"},"RowKey":{"S":"key"},"CommittedSequenceId":{"N":"999"},"ETag":{"N":"1"}}'),
	('{"PartitionKey":{"S":"import/from"},"RowKey":{"S":"else"}}');
INSERT INTO lines VALUES ('{"PartitionKey":{"S":"import/from"},"RowKey":{"S":"else too"}}');
CREATE TEMP VIEW lines_view AS SELECT line FROM lines;
SELECT txstore.import_items_from('lines_view');
SELECT txstore.import_items_from('lines_view', skip_unknown => true);
SELECT count(*) FROM txstore.export_items('import/from');
SELECT etag, committed_sequence_id, committed_state FROM txstore.load('import/from');
CREATE TEMP TABLE two (a text, b text);
CREATE TEMP TABLE number (a integer);
SELECT txstore.import_items_from('two');
SELECT txstore.import_items_from('number');
SELECT txstore.import_items_from(NULL);
SELECT txstore.import_items_from('pg_temp.no_such_table');
SELECT txstore.import_items_from('lines', 'no such storage');
SELECT txstore.import_items('{}', 'no such storage');

SELECT k, txstore.delete_partition('import/' || k, e) FROM (VALUES ('a', '5'), ('order', '7'), ('form', '0'), ('between', '1'),
	('other', '0'), ('from', '1')) AS v(k, e);
