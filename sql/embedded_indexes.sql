-- Indexes of every kind and references that the owner of the tables adds.
\set SHOW_CONTEXT never
CREATE SERVER indexes FOREIGN DATA WRAPPER txstore_fdw OPTIONS (schema_name 'added', table_name 't');
SET txstore.default_storage = 'indexes';
SELECT txstore.store('i', etag, 'm') FROM txstore.load('i');
CREATE FUNCTION added.decoded(state bytea) RETURNS text IMMUTABLE LANGUAGE sql RETURN convert_from(state, 'UTF8');

-- Indexes of every kind are kept up.
CREATE INDEX by_expression ON added.t_states (added.decoded(state)) WHERE transaction_manager IS NOT NULL;
CREATE UNIQUE INDEX by_state ON added.t_states (state) WHERE sequence_id > 100;
CREATE INDEX by_hash ON added.t_keys USING hash (etag);
CREATE INDEX by_range ON added.t_keys USING brin ("timestamp");
SELECT txstore.store('i', '0', 'm', ARRAY[txstore.prepare(1, 'one'), txstore.prepare(101, 'last')], 1);
SELECT txstore.store('i', '1', 'm', ARRAY[txstore.prepare(2, 'two')], 2);
SET enable_seqscan = off;
SELECT sequence_id FROM added.t_states WHERE added.decoded(state) = 'two' AND transaction_manager IS NOT NULL;
SELECT count(*) FROM added.t_states WHERE added.decoded(state) = 'one' AND transaction_manager IS NOT NULL;
SELECT partition_key FROM added.t_keys WHERE etag = 2;
RESET enable_seqscan;
-- One that the row would violate is reported as itself: no other writer was there.
SELECT txstore.store('i', '2', 'm', ARRAY[txstore.prepare(102, 'last')]);
\echo :LAST_ERROR_SQLSTATE
SELECT txstore.store('i', etag, metadata, ARRAY[txstore.prepare(101, 'other')]) FROM txstore.load('i');
SELECT txstore.store('i', '3', 'm', ARRAY[txstore.prepare(102, 'last')]);
DROP INDEX added.by_state;

-- References to the tables, and between them.
CREATE TABLE customers (account text REFERENCES added.t_keys, note text);
INSERT INTO customers VALUES ('i'), ('nobody');
INSERT INTO customers VALUES ('i');
SELECT etag, txstore.delete_partition('i', etag) FROM txstore.load('i');
\echo :LAST_ERROR_SQLSTATE
ALTER TABLE customers DROP CONSTRAINT customers_account_fkey, ADD FOREIGN KEY (account) REFERENCES added.t_keys ON DELETE CASCADE DEFERRABLE;
ALTER TABLE added.t_states ADD CONSTRAINT has_key FOREIGN KEY (partition_key) REFERENCES added.t_keys;
SELECT txstore.delete_partition('i', etag) FROM txstore.load('i');
SELECT count(*) FROM customers;
SELECT txstore.store('i', etag, 'm', ARRAY[txstore.prepare(1, 'one')], 1) FROM txstore.load('i');
SELECT txstore.import_items(ARRAY['{"PartitionKey":{"S":"orphan"},"RowKey":{"S":"state_0000000000000001"},"ETag":{"N":"0"}}']);
\echo :LAST_ERROR_SQLSTATE
SELECT txstore.import_items(ARRAY['{"PartitionKey":{"S":"k"},"RowKey":{"S":"state_0000000000000001"},"ETag":{"N":"0"}}',
	'{"PartitionKey":{"S":"k"},"RowKey":{"S":"key"},"ETag":{"N":"0"}}']);

SET client_min_messages = warning;
DROP TABLE customers;
DROP SERVER indexes;
DROP SCHEMA added CASCADE;
