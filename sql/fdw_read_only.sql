--
-- Reading writes nothing: in READ ONLY transactions, at every isolation level,
-- beside tables that are read by workers (group 28)
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE SCHEMA fdw_read_only;
SET search_path = fdw_read_only;
CREATE FOREIGN TABLE keys (partition_key text COLLATE "C", etag text) SERVER :"storage" OPTIONS (kind 'keys');
CREATE FOREIGN TABLE states (partition_key text COLLATE "C", sequence_id bigint) SERVER :"storage" OPTIONS (kind 'states');
CREATE FOREIGN TABLE partitions (partition_key text COLLATE "C", state jsonb, pending bigint) SERVER :"storage" OPTIONS (kind 'partitions');
SELECT txstore.import_items(ARRAY[
	'{"PartitionKey":{"S":"fdw_read_only/a"},"RowKey":{"S":"key"},"ETag":{"N":"3"},"CommittedSequenceId":{"N":"1"}}',
	'{"PartitionKey":{"S":"fdw_read_only/a"},"RowKey":{"S":"state_0000000000000001"},"ETag":{"N":"0"},"GrainState":{"B":"NQ=="}}']);
CREATE FUNCTION all_of(key text, OUT etag text, OUT states bigint, OUT state jsonb, OUT counted bigint)
	BEGIN ATOMIC
		SELECT (SELECT etag FROM keys WHERE partition_key = $1), (SELECT max(sequence_id) FROM states WHERE partition_key = $1),
			(SELECT state FROM partitions WHERE partition_key = $1), (SELECT count(*) FROM states WHERE partition_key = $1);
	END;
BEGIN READ ONLY;
SELECT * FROM all_of('fdw_read_only/a');
SELECT count(*) >= 1 AS any FROM partitions;
COMMIT;
BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY;
SELECT * FROM all_of('fdw_read_only/a');
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE, READ ONLY, DEFERRABLE;
SELECT * FROM all_of('fdw_read_only/a');
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT * FROM all_of('fdw_read_only/a');
COMMIT;
-- No transaction id is taken
BEGIN;
SELECT * FROM all_of('fdw_read_only/a');
SELECT pg_current_xact_id_if_assigned() IS NULL AS nothing_written;
-- Nor a lock that another reader, or a store(), would wait for
SELECT count(*) AS locks FROM pg_locks WHERE pid = pg_backend_pid() AND mode <> 'AccessShareLock' AND locktype <> 'virtualxid';
COMMIT;
-- Beside a table that is read by workers
CREATE TABLE local AS SELECT i, 'fdw_read_only/' || chr(97 + i % 26) AS key FROM generate_series(1, 20000) AS i;
ANALYZE local;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT count(*), count(etag) FROM local LEFT JOIN keys ON key = partition_key;
SELECT count(*) FROM states WHERE partition_key = 'fdw_read_only/a';
SELECT * FROM all_of('fdw_read_only/a');
SET client_min_messages = warning;
DROP SCHEMA fdw_read_only CASCADE;
