-- The tables of an embedded storage mirror the items: what each column holds, and how the tables are made.
CREATE SERVER tables FOREIGN DATA WRAPPER txstore_fdw OPTIONS (schema_name 'tables', table_name 't');
SET txstore.default_storage = 'tables';
SELECT txstore.initialize_storage();

SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod) AS type, l.collname, a.attnotnull AS nn,
	   CASE a.attstorage WHEN 'p' THEN 'plain' WHEN 'e' THEN 'external' WHEN 'm' THEN 'main' ELSE 'extended' END AS storage
  FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid LEFT JOIN pg_collation AS l ON l.oid = a.attcollation
 WHERE c.relnamespace = 'tables'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 ORDER BY c.relname, a.attnum;
SELECT relname, reloptions, amname FROM pg_class JOIN pg_am ON pg_am.oid = relam
 WHERE relnamespace = 'tables'::regnamespace AND relkind = 'r' ORDER BY 1;
SELECT pg_get_indexdef(indexrelid), indisprimary FROM pg_index
 WHERE indrelid IN ('tables.t_keys'::regclass, 'tables.t_states'::regclass) ORDER BY 1;
SELECT relname, obj_description(oid, 'pg_class') FROM pg_class WHERE relnamespace = 'tables'::regnamespace AND relkind = 'r' ORDER BY 1;
SELECT count(*) FROM pg_trigger WHERE tgrelid IN ('tables.t_keys'::regclass, 'tables.t_states'::regclass);

-- Partition keys are ordered and compared by their bytes, whatever the database's collation is.
SELECT txstore.store(k, etag, metadata) FROM unnest(ARRAY['b', 'B', 'a', 'é', 'e', 'É', '_', 'a b', 'ab', 'e' || U&'\0301']) AS k, txstore.load(k);
SELECT partition_key FROM tables.t_keys ORDER BY 1;
SELECT item -> 'PartitionKey' ->> 'S' AS key FROM txstore.export_items() AS item;
DELETE FROM tables.t_keys;

-- An item's attributes: numbers as bigint, time as text, bytes as they are; one that is absent is null.
SELECT txstore.import_items(ARRAY[
	'{"PartitionKey":{"S":"full"},"RowKey":{"S":"key"},"CommittedSequenceId":{"N":"255"},"Metadata":{"B":"AAEC/w=="},"Timestamp":{"N":"1704164645"},"ETag":{"N":"9223372036854775806"}}',
	'{"PartitionKey":{"S":"full"},"RowKey":{"S":"state_00000000000000ff"},"GrainState":{"B":"AA=="},"TransactionId":{"S":"an id of its own"},"TransactionTimestamp":{"S":"2024-01-02T03:04:05.1234567Z"},"TransactionManager":{"B":"eyIkaWQiOiIxIn0="},"ETag":{"N":"7"}}',
	'{"PartitionKey":{"S":"full"},"RowKey":{"S":"state_7fffffffffffffff"},"GrainState":{"B":""},"TransactionId":{"S":""},"TransactionManager":{"B":""},"ETag":{"N":"0"}}',
	'{"PartitionKey":{"S":"bare"},"RowKey":{"S":"key"},"ETag":{"N":"0"}}',
	'{"PartitionKey":{"S":"bare"},"RowKey":{"S":"state_0000000000000001"}}',
	'{"PartitionKey":{"S":"more"},"RowKey":{"S":"key"},"ETag":{"N":"1"},"Note":{"S":"caf\u00e9 \"x\""},"Tags":{"SS":["a","b"]},"N":{"N":"1.50"}}',
	'{"PartitionKey":{"S":"more"},"RowKey":{"S":"state_0000000000000002"},"Extra":{"B":"AAEC"},"GrainState":{"B":"AQ=="},"ETag":{"N":"3"},"Rate":{"N":"1E2"}}']);
SELECT partition_key, committed_sequence_id AS committed, metadata, "timestamp", etag, extra, incarnation > 0 AS incarnation
  FROM tables.t_keys ORDER BY 1;
SELECT partition_key, sequence_id, state, transaction_id, transaction_timestamp, transaction_manager, etag, extra
  FROM tables.t_states ORDER BY 1, 2;
-- All of it comes back, but for the order of attributes.
SELECT txstore.export_items();
SELECT txstore.import_items(array_agg(item::text)) FROM txstore.export_items() AS item;

-- A store() puts a whole row: what Orleans does not know is lost from the rows it writes, kept in the others.
SELECT etag, committed_sequence_id, convert_from(metadata, 'UTF8') AS metadata, cardinality(pending) AS pending FROM txstore.load('more');
SELECT txstore.store('more', '1', 'changed', ARRAY[txstore.prepare(3, '\x03', '33333333-3333-3333-3333-333333333333', '2024-01-02 03:04:05.123456+00', 'me')]);
SELECT committed_sequence_id AS committed, metadata, "timestamp" BETWEEN extract(epoch FROM now())::bigint - 3600 AND extract(epoch FROM now())::bigint + 3600 AS now, etag, extra
  FROM tables.t_keys WHERE partition_key = 'more';
SELECT sequence_id, state, transaction_id, transaction_timestamp, transaction_manager, etag, extra FROM tables.t_states WHERE partition_key = 'more' ORDER BY 1;
-- The last ETag that fits in a bigint is the end.
SELECT etag, committed_state FROM txstore.load('full');
SELECT txstore.store('full', '9223372036854775806', '');
SELECT txstore.store('full', '9223372036854775807', '');
\echo :LAST_ERROR_SQLSTATE

-- Incarnations differ between partitions, stay when one is stored, and change when it is made anew.
CREATE TEMP TABLE before AS SELECT partition_key, incarnation FROM tables.t_keys;
SELECT count(DISTINCT incarnation) = count(*) AS different FROM before;
SELECT txstore.store('more', '2', '');
SELECT txstore.delete_partition('bare', '0');
SELECT txstore.store('bare', etag, metadata) FROM txstore.load('bare');
SELECT partition_key, k.incarnation = b.incarnation AS same FROM tables.t_keys AS k JOIN before AS b USING (partition_key) ORDER BY 1;

-- Large states are toasted whole, not compressed, and small ones stay in the row.
SELECT txstore.store('large', etag, metadata, ARRAY[txstore.prepare(1, convert_to(repeat('x', 200000), 'UTF8')), txstore.prepare(2, convert_to(repeat('x', 1500), 'UTF8'))], 1)
  FROM txstore.load('large');
SELECT sequence_id, length(state), pg_column_compression(state) AS compressed, pg_column_size(state) >= length(state) AS whole
  FROM tables.t_states WHERE partition_key = 'large' ORDER BY 1;
SELECT md5(committed_state) = md5(repeat('x', 200000)) AS same FROM txstore.load('large');

-- VACUUM, CLUSTER and REINDEX are nothing special; nor is a dropped and added index of the same name.
VACUUM FULL tables.t_keys;
CLUSTER tables.t_states USING t_states_pkey;
REINDEX TABLE tables.t_keys;
ALTER TABLE tables.t_keys DROP CONSTRAINT t_keys_pkey;
ALTER TABLE tables.t_keys ADD CONSTRAINT other_name PRIMARY KEY (partition_key);
SELECT etag FROM txstore.load('large');
SELECT txstore.store('large', '0', '');

SET client_min_messages = warning;
DROP SERVER tables;
DROP SCHEMA tables CASCADE;
