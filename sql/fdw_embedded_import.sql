-- IMPORT FOREIGN SCHEMA of embedded storages: names that want quotes, names too long, EXCEPT, storages not made yet.
CREATE SERVER "fdw ""import"" 'x'" FOREIGN DATA WRAPPER txstore_fdw
	OPTIONS (schema_name 'fdw_import', table_name 'A "quoted" ''name'' é');
CREATE SCHEMA fdw_imported;
IMPORT FOREIGN SCHEMA x FROM SERVER "fdw ""import"" 'x'" INTO fdw_imported;
SELECT ftrelid::regclass AS "table", ftoptions AS options FROM pg_foreign_table
 WHERE ftserver = (SELECT oid FROM pg_foreign_server WHERE srvname LIKE 'fdw "import"%') ORDER BY ftrelid::regclass::text;
-- The storage has not been made: its tables are empty, and stay so until somebody writes.
SELECT count(*) FROM fdw_imported."A ""quoted"" 'name' é_keys";
SELECT * FROM fdw_imported."A ""quoted"" 'name' é_states";
SELECT pending FROM fdw_imported."A ""quoted"" 'name' é_partitions" WHERE partition_key = 'a';
SELECT to_regnamespace('fdw_import') AS schema;
SELECT txstore.import_items(ARRAY['{"PartitionKey":{"S":"a"},"RowKey":{"S":"key"},"ETag":{"N":"0"}}'], 'fdw "import" ''x''');
SELECT count(*) FROM fdw_imported."A ""quoted"" 'name' é_keys";
SELECT pending FROM fdw_imported."A ""quoted"" 'name' é_partitions" WHERE partition_key = 'a';
SET client_min_messages = warning;
DROP SCHEMA fdw_imported, fdw_import CASCADE;
RESET client_min_messages;

-- EXCEPT leaves out.
CREATE SCHEMA fdw_imported;
IMPORT FOREIGN SCHEMA x EXCEPT ("A ""quoted"" 'name' é_states", "A ""quoted"" 'name' é_partitions")
  FROM SERVER "fdw ""import"" 'x'" INTO fdw_imported;
SELECT ftrelid::regclass AS "table", ftoptions AS options FROM pg_foreign_table
 WHERE ftserver = (SELECT oid FROM pg_foreign_server WHERE srvname LIKE 'fdw "import"%');
SET client_min_messages = warning;
DROP SCHEMA fdw_imported CASCADE;
RESET client_min_messages;

-- A name that leaves no room for what the table shows is said and skipped.
CREATE SERVER fdw_long FOREIGN DATA WRAPPER txstore_fdw OPTIONS (table_name 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabc');
CREATE SCHEMA fdw_imported;
IMPORT FOREIGN SCHEMA x FROM SERVER fdw_long INTO fdw_imported;
SELECT ftrelid::regclass AS "table" FROM pg_foreign_table
 WHERE ftserver = (SELECT oid FROM pg_foreign_server WHERE srvname = 'fdw_long') ORDER BY ftrelid::regclass::text;

-- A storage that has to be made first, and one that is half there.
ALTER SERVER fdw_long OPTIONS (ADD create_if_not_exists 'false', ADD schema_name 'fdw_import');
SELECT count(*) FROM fdw_imported.abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabc_keys;
EXPLAIN (COSTS OFF) SELECT count(*) FROM fdw_imported.abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabc_keys;
SELECT txstore.initialize_storage('fdw_long');
SELECT count(*) FROM fdw_imported.abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabc_keys;
DROP TABLE fdw_import.abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabc_states;
SELECT count(*) FROM fdw_imported.abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabc_keys;

SET client_min_messages = warning;
DROP SCHEMA fdw_imported, fdw_import CASCADE;
DROP SERVER fdw_long;
DROP SERVER "fdw ""import"" 'x'";
