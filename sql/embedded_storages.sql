-- Several embedded storages side by side: names, quotes, persistence, and one that moves.
\set wrapper 'FOREIGN DATA WRAPPER txstore_fdw OPTIONS'
CREATE SERVER side_a :wrapper (schema_name 'side', table_name 'a');
CREATE SERVER side_b :wrapper (schema_name 'side', table_name 'b');
CREATE SERVER "Side ""C""; --" :wrapper (schema_name 'Side "C"; --', table_name 'Tab''le %1$s "q" \');
CREATE SERVER side_volatile :wrapper (schema_name 'side', table_name 'v', persistence 'volatile');

-- The same partition key is another partition in each.
SELECT srvname, txstore.store('p', etag, metadata, ARRAY[txstore.prepare(1, srvname::text::bytea)], 1, storage => srvname)
  FROM pg_foreign_server, txstore.load('p', srvname)
 WHERE srvname IN ('side_a', 'side_b', 'side_volatile') ORDER BY 1;
SELECT etag FROM txstore.load('p', 'Side "C"; --');
SELECT txstore.store('p', '', '', ARRAY[txstore.prepare(1, 'quoted')], 1, storage => 'Side "C"; --');
SELECT txstore.store('p', '0', '', storage => 'Side "C"; --');
SELECT srvname, etag, convert_from(committed_state, 'UTF8') AS state
  FROM pg_foreign_server, txstore.load('p', srvname) WHERE srvname ILIKE 'side%' ORDER BY srvname COLLATE "C";
SELECT storage, etag FROM txstore.handles ORDER BY storage COLLATE "C";
SELECT n.nspname, relname, relpersistence, reloptions
  FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace
 WHERE nspname ILIKE 'side%' AND relkind = 'r' ORDER BY n.nspname COLLATE "C", relname COLLATE "C";
SELECT * FROM txstore.describe_storage('Side "C"; --') WHERE property IN ('keys table', 'states table', 'status');

-- The toast tables and indexes of an unlogged table are unlogged.
SELECT relkind, relpersistence, count(*) FROM pg_class
 WHERE relkind IN ('i', 't') AND (oid IN (SELECT reltoastrelid FROM pg_class WHERE relname LIKE 'v\_%')
	OR oid IN (SELECT indexrelid FROM pg_index WHERE indrelid IN ('side.v_keys'::regclass, 'side.v_states'::regclass)))
 GROUP BY 1, 2 ORDER BY 1;
-- The option counts when the tables are made; describe_storage() says where they differ.
ALTER SERVER side_volatile OPTIONS (SET persistence 'persisted');
SELECT property, value FROM txstore.describe_storage('side_volatile') WHERE property ~ 'persistence|options';
SELECT txstore.initialize_storage('side_volatile');
ALTER TABLE side.v_keys SET LOGGED;
ALTER TABLE side.v_states SET LOGGED;
SELECT property, value FROM txstore.describe_storage('side_volatile') WHERE property ~ 'persistence|options';

-- Two servers over the same tables are two doors to one partition.
CREATE SERVER side_door :wrapper (schema_name 'side', table_name 'a', read_only 'false');
SELECT etag FROM txstore.load('p', 'side_door');
SELECT txstore.store('p', '0', '', storage => 'side_door');
SELECT txstore.store('p', '0', '', storage => 'side_a');
\echo :LAST_ERROR_SQLSTATE
SELECT etag FROM txstore.load('p', 'side_a');
SELECT txstore.store('p', '1', '', storage => 'side_a');

-- The tables of one storage may be given to another: copied by SQL, renamed, moved.
SELECT etag FROM txstore.load('p', 'side_b');
ALTER TABLE side.b_keys RENAME TO c_keys;
ALTER TABLE side.b_states RENAME TO c_states;
SELECT etag FROM txstore.load('p', 'side_b');
SELECT etag FROM txstore.load('q', 'side_b');
ALTER SERVER side_b OPTIONS (SET table_name 'c');
SELECT etag, convert_from(committed_state, 'UTF8') AS state FROM txstore.load('p', 'side_b');
ALTER SCHEMA side RENAME TO moved;
SELECT txstore.store('p', '0', '', storage => 'side_b');
-- That made no tables, since the error undid it; a first write where the options point to nothing does.
SELECT count(*) FROM pg_namespace WHERE nspname = 'side';
SELECT txstore.store('q', etag, metadata, storage => 'side_b') FROM txstore.load('q', 'side_b');
SELECT relname FROM pg_class WHERE relnamespace = 'side'::regnamespace AND relkind = 'r' ORDER BY 1;
SELECT count(*) FROM moved.c_keys;

-- The caller's search_path does not matter, nor does what is in it.
CREATE SCHEMA other_path;
CREATE TABLE other_path.text (a int);
SET search_path = other_path, pg_catalog;
CREATE SERVER side_path FOREIGN DATA WRAPPER txstore_fdw OPTIONS (schema_name 'path', table_name 't');
SELECT txstore.initialize_storage('side_path');
SHOW search_path;
RESET search_path;
SELECT attname, atttypid::regtype FROM pg_attribute WHERE attrelid = 'path.t_keys'::regclass AND attnum > 0 ORDER BY attnum;

SET client_min_messages = warning;
DROP SERVER side_a, side_b, "Side ""C""; --", side_volatile, side_door, side_path;
DROP SCHEMA side, moved, path, other_path, "Side ""C""; --" CASCADE;
