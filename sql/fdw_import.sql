--
-- IMPORT FOREIGN SCHEMA: three tables for each of Orleans' tables (groups 32,
-- 36)
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
-- The table of this storage, which has a name of its own on every server
SELECT replace(regexp_replace(value, '^.*\.', ''), '"', '') AS keys FROM txstore.describe_storage() WHERE property = 'keys table'
UNION ALL
SELECT value || '_keys' FROM txstore.describe_storage() WHERE property = 'table' \gset
SELECT regexp_replace(:'keys', '_keys$', '') AS name \gset
SELECT :'name' || '_states' AS states, :'name' || '_partitions' AS partitions \gset
SELECT txstore.import_items(ARRAY['{"PartitionKey":{"S":"fdw_import/a"},"RowKey":{"S":"key"},"ETag":{"N":"5"}}']);
CREATE SCHEMA fdw_import;
CREATE FUNCTION pg_temp.tables(name text) RETURNS TABLE (kind text, columns bigint, options text)
	BEGIN ATOMIC
		SELECT replace(c.relname, name, ''), (SELECT count(*) FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0),
			array_to_string(ftoptions, ',')
			FROM pg_foreign_table JOIN pg_class AS c ON c.oid = ftrelid
			WHERE relnamespace::regnamespace::text = 'fdw_import' ORDER BY relname;
	END;
IMPORT FOREIGN SCHEMA anything LIMIT TO (:"keys", :"states", :"partitions") FROM SERVER :"storage" INTO fdw_import;
SELECT * FROM pg_temp.tables(:'name');
-- All columns, with their types
SELECT attrelid::regclass::text = format('fdw_import.%I', :'keys') AS is_key, attname, format_type(atttypid, atttypmod) AS type,
	attnotnull, collname
	FROM pg_attribute LEFT JOIN pg_collation AS c ON c.oid = attcollation AND collname <> 'default'
	WHERE attrelid IN (format('fdw_import.%I', :'keys')::regclass, format('fdw_import.%I', :'states')::regclass) AND attnum > 0
	ORDER BY 1 DESC, attnum;
SELECT attname, format_type(atttypid, atttypmod) AS type FROM pg_attribute
	WHERE attrelid = format('fdw_import.%I', :'partitions')::regclass AND attnum > 0 ORDER BY attnum;
-- They can be read as they are
SELECT partition_key, etag FROM fdw_import.:"keys" WHERE partition_key = 'fdw_import/a';
SELECT pending, in_doubt, state FROM fdw_import.:"partitions" WHERE partition_key = 'fdw_import/a';
SELECT count(*) FROM fdw_import.:"states" WHERE partition_key = 'fdw_import/a';
-- No secret, no option but its kind, is in what is made
SELECT DISTINCT array_length(ftoptions, 1) AS options FROM pg_foreign_table JOIN pg_class AS c ON c.oid = ftrelid
	WHERE relnamespace = 'fdw_import'::regnamespace;
-- A second import finds the names taken
\set VERBOSITY sqlstate
IMPORT FOREIGN SCHEMA anything LIMIT TO (:"keys") FROM SERVER :"storage" INTO fdw_import;
\set VERBOSITY default
SET client_min_messages = warning;
DROP SCHEMA fdw_import CASCADE;
CREATE SCHEMA fdw_import;
RESET client_min_messages;

-- LIMIT TO and EXCEPT name foreign tables
IMPORT FOREIGN SCHEMA anything LIMIT TO (:"states") FROM SERVER :"storage" INTO fdw_import;
SELECT * FROM pg_temp.tables(:'name');
DROP FOREIGN TABLE fdw_import.:"states";
IMPORT FOREIGN SCHEMA anything LIMIT TO (nothing_of_this_name) FROM SERVER :"storage" INTO fdw_import;
SELECT * FROM pg_temp.tables(:'name');

-- There are no options
IMPORT FOREIGN SCHEMA anything FROM SERVER :"storage" INTO fdw_import OPTIONS (kind 'keys');
DROP SCHEMA fdw_import;
