-- import_items_from() reads its source with the caller's rights, through views and row security.
CREATE ROLE regress_txs_importer;
CREATE SERVER import_rights FOREIGN DATA WRAPPER txstore_fdw OPTIONS (schema_name 'import_rights');
SET txstore.default_storage = 'import_rights';
GRANT USAGE ON FOREIGN SERVER import_rights TO regress_txs_importer;
GRANT EXECUTE ON FUNCTION txstore.import_items_from TO regress_txs_importer;
CREATE SCHEMA lines;
CREATE TABLE lines.plain (line text);
INSERT INTO lines.plain
	SELECT format('{"PartitionKey":{"S":"p%s"},"RowKey":{"S":"key"},"ETag":{"N":"0"},"CommittedSequenceId":{"N":"0"}}', i) FROM generate_series(1, 4) AS i;
CREATE TABLE lines.wide AS SELECT line, 1 AS number FROM lines.plain;
CREATE VIEW lines.view AS SELECT line FROM lines.plain;
CREATE VIEW lines.barrier WITH (security_barrier) AS SELECT line FROM lines.plain WHERE line LIKE '%p1%';
CREATE VIEW lines.invoker WITH (security_invoker) AS SELECT line FROM lines.plain;
CREATE DOMAIN lines.item AS text;
CREATE TABLE lines.domain (line lines.item);
CREATE TABLE lines.number (line int);
CREATE TABLE lines.varying (line varchar);
CREATE TABLE lines.parts (line text) PARTITION BY LIST (line);
CREATE SEQUENCE lines.sequence;
CREATE TABLE lines."Odd ""name""; --" (line text);

-- Rights on the schema, on the table, on the column.
SELECT 'lines.plain'::regclass::oid AS plain \gset
SET ROLE regress_txs_importer;
SELECT txstore.import_items_from('lines.plain');
SELECT txstore.import_items_from(:plain);
RESET ROLE;
GRANT USAGE ON SCHEMA lines TO regress_txs_importer;
SET ROLE regress_txs_importer;
SELECT txstore.import_items_from('lines.plain');
SELECT txstore.import_items_from('lines.view');
RESET ROLE;
GRANT SELECT (line) ON lines.plain, lines.wide TO regress_txs_importer;
GRANT SELECT ON lines.barrier TO regress_txs_importer;
SET ROLE regress_txs_importer;
BEGIN;
SELECT txstore.import_items_from('lines.plain');
ROLLBACK;
SELECT txstore.import_items_from('lines.wide');
SELECT txstore.import_items_from('lines.barrier');
RESET ROLE;
REVOKE ALL ON lines.plain FROM regress_txs_importer;
GRANT SELECT ON lines.view, lines.invoker TO regress_txs_importer;
SET ROLE regress_txs_importer;
SELECT txstore.import_items_from('lines.invoker');
SELECT txstore.import_items_from('lines.view');
RESET ROLE;
SELECT partition_key FROM import_rights."OrleansTransactionalState_keys" ORDER BY 1;

-- Row security of the source holds for the caller.
SELECT txstore.delete_partition('p' || i, '0') FROM generate_series(1, 4) AS i;
GRANT SELECT ON lines.plain TO regress_txs_importer;
ALTER TABLE lines.plain ENABLE ROW LEVEL SECURITY;
CREATE POLICY third ON lines.plain USING (line LIKE '%p3%');
SET ROLE regress_txs_importer;
SELECT txstore.import_items_from('lines.plain');
RESET ROLE;
SELECT partition_key FROM import_rights."OrleansTransactionalState_keys" ORDER BY 1;

-- The source's form: one column, of type text or a domain over it.
SELECT txstore.import_items_from('lines.wide');
SELECT txstore.import_items_from('lines.domain');
SELECT txstore.import_items_from('lines.number');
SELECT txstore.import_items_from('lines.varying');
SELECT txstore.import_items_from('lines.parts');
SELECT txstore.import_items_from('lines.sequence');
SELECT txstore.import_items_from('lines."Odd ""name""; --"');
SELECT txstore.import_items_from('lines.nowhere');
SELECT txstore.import_items_from(NULL);
SELECT txstore.import_items_from(0);
\echo :LAST_ERROR_SQLSTATE

-- A temporary table is as good as any; a view may even read the storage.
CREATE TEMP TABLE plain AS TABLE lines.plain;
SELECT txstore.import_items_from('plain');
CREATE TEMP VIEW again AS SELECT item::text FROM txstore.export_items() AS item;
SELECT txstore.import_items_from('again');

SET client_min_messages = warning;
DROP SERVER import_rights CASCADE;
DROP SCHEMA import_rights, lines CASCADE;
REVOKE EXECUTE ON FUNCTION txstore.import_items_from FROM regress_txs_importer;
DROP ROLE regress_txs_importer;
