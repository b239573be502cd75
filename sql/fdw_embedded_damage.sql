-- Foreign tables over embedded storages that are damaged, of other kinds, or go away under a plan that is kept.
\set SHOW_CONTEXT never
CREATE SERVER damaged FOREIGN DATA WRAPPER txstore_fdw OPTIONS (schema_name 'fdw_damaged', table_name 'x', read_only 'false');
SET txstore.default_storage = 'damaged';
CREATE SCHEMA fdw_damage;
SET search_path = fdw_damage;
IMPORT FOREIGN SCHEMA x FROM SERVER damaged INTO fdw_damage;
SELECT txstore.import_items(ARRAY['{"PartitionKey":{"S":"a"},"RowKey":{"S":"key"},"ETag":{"N":"0"},"CommittedSequenceId":{"N":"1"},"Blobs":{"BS":["AA==","AQ=="]}}',
	'{"PartitionKey":{"S":"a"},"RowKey":{"S":"state_0000000000000001"},"ETag":{"N":"0"},"GrainState":{"B":"MQ=="}}',
	'{"PartitionKey":{"S":"torn"},"RowKey":{"S":"key"},"ETag":{"N":"0"},"CommittedSequenceId":{"N":"2"}}',
	'{"PartitionKey":{"S":"torn"},"RowKey":{"S":"state_0000000000000001"},"ETag":{"N":"0"}}',
	'{"PartitionKey":{"S":"lost"},"RowKey":{"S":"state_0000000000000001"},"ETag":{"N":"0"}}']);
-- A partition without its committed version is said, where its states are wanted, and can be looked at elsewhere.
SELECT partition_key, state FROM x_partitions;
SELECT partition_key, pending FROM x_partitions WHERE partition_key = 'torn';
SELECT partition_key, etag FROM x_partitions ORDER BY 1;
SELECT partition_key, state FROM x_partitions WHERE partition_key IN ('a', 'lost');
SELECT partition_key, sequence_id FROM x_states ORDER BY 1, 2;
-- Rows without an ETag.
UPDATE fdw_damaged.x_keys SET etag = NULL WHERE partition_key = 'a';
UPDATE fdw_damaged.x_states SET etag = NULL WHERE partition_key = 'a';
SELECT etag, state FROM x_partitions WHERE partition_key = 'a';
SELECT etag, sequence_id FROM x_states WHERE partition_key = 'a';
-- A set of bytes, which not every emulator gives back.
ALTER FOREIGN TABLE x_keys ADD blobs jsonb OPTIONS (attribute 'Blobs');
SELECT blobs FROM x_keys WHERE partition_key = 'a';

-- The storage becomes read-only, moves, is changed, goes away and comes back, under one plan.
SET plan_cache_mode = force_generic_plan;
PREPARE q AS SELECT partition_key FROM x_keys WHERE partition_key = 'a';
EXECUTE q;
ALTER SERVER damaged OPTIONS (SET read_only 'true');
EXECUTE q;
ALTER SERVER damaged OPTIONS (SET table_name 'y');
EXECUTE q;
ALTER SERVER damaged OPTIONS (SET table_name 'x');
EXECUTE q;
ALTER TABLE fdw_damaged.x_keys ADD extra_column int;
EXECUTE q;
ALTER TABLE fdw_damaged.x_keys DROP extra_column;
EXECUTE q;
DROP TABLE fdw_damaged.x_keys;
EXECUTE q;
DROP TABLE fdw_damaged.x_states;
EXECUTE q;
ALTER SERVER damaged OPTIONS (ADD create_if_not_exists 'false');
EXECUTE q;
DROP SCHEMA fdw_damaged;
EXECUTE q;
-- Under a cursor that is open, the tables cannot go.
ALTER SERVER damaged OPTIONS (SET read_only 'false', SET create_if_not_exists 'true');
SELECT txstore.import_items(ARRAY['{"PartitionKey":{"S":"a"},"RowKey":{"S":"key"},"ETag":{"N":"0"}}',
	'{"PartitionKey":{"S":"b"},"RowKey":{"S":"key"},"ETag":{"N":"0"}}']);
BEGIN;
DECLARE c CURSOR FOR SELECT partition_key FROM x_keys;
FETCH 1 FROM c;
DROP TABLE fdw_damaged.x_keys;
ROLLBACK;
-- Made in a savepoint that is rolled back under the cursor: no rows are made up.
DROP SCHEMA fdw_damaged CASCADE;
BEGIN;
DECLARE c CURSOR FOR SELECT partition_key FROM x_keys;
SAVEPOINT s;
SELECT txstore.store('a', etag, metadata) FROM txstore.load('a');
FETCH 1 FROM c;
ROLLBACK TO s;
FETCH 1 FROM c;
COMMIT;

-- Rows of one session.
CREATE SERVER fdw_own FOREIGN DATA WRAPPER txstore_fdw OPTIONS (persistence 'none', table_name 'own');
IMPORT FOREIGN SCHEMA x FROM SERVER fdw_own INTO fdw_damage;
SELECT count(*) FROM own_keys;
SELECT txstore.store('p', etag, metadata, ARRAY[txstore.prepare(1, '1')], 1, storage => 'fdw_own') FROM txstore.load('p', 'fdw_own');
SELECT partition_key, state FROM own_partitions;
DISCARD TEMP;
SELECT count(*) FROM fdw_damage.own_keys;
SET client_min_messages = warning;
DROP SCHEMA fdw_damage CASCADE;
DROP SERVER damaged;
DROP SERVER fdw_own;
