-- Many items in and out: 20,000 from a table, compared by count and hash; what fails leaves nothing.
\set SHOW_CONTEXT never
CREATE SERVER bulk FOREIGN DATA WRAPPER txstore_fdw OPTIONS (schema_name 'bulk', table_name 't');
SET txstore.default_storage = 'bulk';

-- 4,000 partitions of a key row and four versions each, in the text form that export_items() gives.
CREATE TABLE source AS
	SELECT format('{"PartitionKey":{"S":"account/%s_bank_balance"},"RowKey":{"S":"key"},"CommittedSequenceId":{"N":"1"},"Metadata":{"B":"%s"},"Timestamp":{"N":"1704164645"},"ETag":{"N":"%s"}}',
		lpad(i::text, 4, '0'), encode(sha256(i::text::bytea), 'base64'), i) AS line
	  FROM generate_series(1, 4000) AS i
	UNION ALL
	SELECT format('{"PartitionKey":{"S":"account/%s_bank_balance"},"RowKey":{"S":"state_%s"},"GrainState":{"B":"%s"},"TransactionId":{"S":"%s"},"TransactionTimestamp":{"S":"2024-01-02T03:04:05.%sZ"},"TransactionManager":{"B":"eyIkaWQiOiIxIn0="},"ETag":{"N":"0"}}',
		lpad(i::text, 4, '0'), lpad(to_hex(j), 16, '0'), encode(format('{"Amount":%s}', i * j)::bytea, 'base64'),
		md5(i::text || j)::uuid, lpad((i * j)::text, 7, '0'))
	  FROM generate_series(1, 4000) AS i, generate_series(1, 4) AS j;
SELECT count(*) FROM source;
SELECT txstore.import_items_from('source');
SELECT (SELECT count(*) FROM bulk.t_keys) AS keys, (SELECT count(*) FROM bulk.t_states) AS states;

-- What comes out is what went in.
CREATE TABLE exported AS SELECT item::text AS line FROM txstore.export_items() AS item;
SELECT (SELECT md5(string_agg(line, E'\n' ORDER BY line COLLATE "C")) FROM source) =
	   (SELECT md5(string_agg(line, E'\n' ORDER BY line COLLATE "C")) FROM exported) AS same;
SELECT count(*) FROM (TABLE source EXCEPT ALL TABLE exported) AS missing;
-- Ordered by partition and row, the key row first.
SELECT bool_and(ordered) AS ordered FROM (
	SELECT (item -> 'PartitionKey' ->> 'S', item -> 'RowKey' ->> 'S') >= lag((item -> 'PartitionKey' ->> 'S', item -> 'RowKey' ->> 'S')) OVER (ORDER BY n) AS ordered
	  FROM txstore.export_items() WITH ORDINALITY AS e(item, n)) AS pairs;
-- Every partition loads.
SELECT count(*), sum((convert_from(l.committed_state, 'UTF8')::jsonb ->> 'Amount')::int) AS amount, sum(cardinality(l.pending)) AS pending,
	   count(DISTINCT l.etag) AS etags
  FROM generate_series(1, 4000) AS i, txstore.load(txstore.partition_key('account', lpad(i::text, 4, '0'), 'balance', 'bank')) AS l;
SELECT sum(n) FROM (SELECT count(*) AS n FROM generate_series(1, 4000, 100) AS i, txstore.export_items('account/' || lpad(i::text, 4, '0') || '_bank_balance')) AS part;

-- Again, it is all there already; into a second storage, from the first's export, it is the same.
SELECT txstore.import_items_from('exported');
CREATE SERVER bulk2 FOREIGN DATA WRAPPER txstore_fdw OPTIONS (schema_name 'bulk', table_name 't2');
SELECT txstore.import_items(array_agg(item::text), 'bulk2') FROM txstore.export_items() AS item;
SELECT count(*) FROM (SELECT item::text FROM txstore.export_items() AS item EXCEPT ALL SELECT item::text FROM txstore.export_items(storage => 'bulk2') AS item) AS missing;

-- An export through a cursor, in pieces.
BEGIN;
DECLARE items NO SCROLL CURSOR FOR SELECT item -> 'RowKey' ->> 'S' AS row FROM txstore.export_items() AS item;
MOVE 19997 IN items;
FETCH 2 FROM items;
FETCH ALL FROM items;
COMMIT;

-- A bad line names itself; nothing of that call is kept, whatever came before it.
CREATE TABLE more (n serial, line text);
INSERT INTO more (line) SELECT replace(line, 'account/', 'other/') FROM source;
UPDATE more SET line = '{"PartitionKey":{"S":"other/x"},"RowKey":{"S":"key"},"ETag":{"N":"x"}}' WHERE n = 19000;
CREATE VIEW more_lines AS SELECT line FROM more ORDER BY n;
SELECT txstore.import_items_from('more_lines');
\echo :LAST_ERROR_SQLSTATE
UPDATE more SET line = NULL WHERE n = 19000;
SELECT txstore.import_items_from('more_lines');
UPDATE more SET line = (SELECT replace(line, '"ETag":{"N":"1"}', '"ETag":{"N":"2"}') FROM source WHERE line LIKE '%/0001_bank%"key"%') WHERE n = 19000;
SELECT txstore.import_items_from('more_lines');
\echo :LAST_ERROR_SQLSTATE
SELECT count(*) FROM bulk.t_keys WHERE partition_key NOT LIKE 'account/%';
SELECT count(*) FROM bulk.t_states WHERE partition_key NOT LIKE 'account/%';

-- Rolled back, in whole or in part, it never was.
DELETE FROM more WHERE line NOT LIKE '%other/00%';
BEGIN;
SELECT txstore.import_items_from('more_lines');
SELECT count(*) FROM txstore.export_items();
SAVEPOINT a;
SELECT txstore.import_items(ARRAY['{"PartitionKey":{"S":"one"},"RowKey":{"S":"key"},"ETag":{"N":"0"}}']);
SELECT etag FROM txstore.load('one');
ROLLBACK TO a;
SELECT txstore.store('one', '0', '');
ROLLBACK;
SELECT count(*) FROM txstore.export_items();
SELECT txstore.store('one', '0', '');

SET client_min_messages = warning;
DROP VIEW more_lines;
DROP TABLE source, exported, more;
DROP SERVER bulk, bulk2;
DROP SCHEMA bulk CASCADE;
