--
-- Options of foreign tables and their columns are checked when they are given
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE SCHEMA fdw_options;
SET search_path = fdw_options;
CREATE FOREIGN TABLE t () SERVER :"storage";
CREATE FOREIGN TABLE t () SERVER :"storage" OPTIONS (kind 'key');
CREATE FOREIGN TABLE t () SERVER :"storage" OPTIONS (kind 'Keys');
CREATE FOREIGN TABLE t () SERVER :"storage" OPTIONS (kind '');
CREATE FOREIGN TABLE t () SERVER :"storage" OPTIONS (kinds 'keys');
CREATE FOREIGN TABLE t () SERVER :"storage" OPTIONS (kind 'keys', table_name '');
CREATE FOREIGN TABLE t () SERVER :"storage" OPTIONS (kind 'keys', consistent_read 'maybe');
CREATE FOREIGN TABLE t () SERVER :"storage" OPTIONS (kind 'keys', scan_segments '0');
CREATE FOREIGN TABLE t () SERVER :"storage" OPTIONS (kind 'keys', scan_segments 'many');
CREATE FOREIGN TABLE t () SERVER :"storage" OPTIONS (kind 'keys', region 'eu-west-1');
CREATE FOREIGN TABLE t () SERVER :"storage" OPTIONS (kind 'keys', kind 'states');
CREATE FOREIGN TABLE t (partition_key text OPTIONS (attribut 'PartitionKey')) SERVER :"storage" OPTIONS (kind 'keys');
CREATE FOREIGN TABLE t (partition_key text OPTIONS (attribute '')) SERVER :"storage" OPTIONS (kind 'keys');
CREATE FOREIGN TABLE t (partition_key text OPTIONS (kind 'keys')) SERVER :"storage" OPTIONS (kind 'keys');
-- A table without columns has rows, too
CREATE FOREIGN TABLE t () SERVER :"storage" OPTIONS (kind 'keys');
SELECT count(*) >= 0 AS counted FROM t;
-- Changes are checked like a new table, and count at once, also in a plan that
-- is kept
SELECT txstore.import_items(ARRAY[
	'{"PartitionKey":{"S":"fdw_options/a"},"RowKey":{"S":"key"},"ETag":{"N":"5"},"CommittedSequenceId":{"N":"0"}}',
	'{"PartitionKey":{"S":"fdw_options/a"},"RowKey":{"S":"state_0000000000000001"},"ETag":{"N":"6"}}',
	'{"PartitionKey":{"S":"fdw_options/a"},"RowKey":{"S":"state_0000000000000002"},"ETag":{"N":"7"}}']);
ALTER FOREIGN TABLE t OPTIONS (DROP kind);
ALTER FOREIGN TABLE t OPTIONS (SET kind 'stats');
ALTER FOREIGN TABLE t ADD partition_key text, ADD etag int;
SET plan_cache_mode = force_generic_plan;
PREPARE q AS SELECT etag FROM t WHERE partition_key = 'fdw_options/a' ORDER BY etag;
EXECUTE q;
ALTER FOREIGN TABLE t OPTIONS (SET kind 'states');
EXECUTE q;
ALTER FOREIGN TABLE t ALTER etag OPTIONS (ADD attribute 'sequence_id');
EXECUTE q;
ALTER FOREIGN TABLE t ALTER etag TYPE bigint;
EXECUTE q;
ALTER FOREIGN TABLE t ALTER etag OPTIONS (DROP attribute), OPTIONS (SET kind 'partitions');
EXECUTE q;
DEALLOCATE q;
PREPARE q AS SELECT etag FROM t WHERE partition_key = 'fdw_options/a' ORDER BY etag;
EXECUTE q;
DROP FOREIGN TABLE t;
EXECUTE q;
DROP SCHEMA fdw_options;
