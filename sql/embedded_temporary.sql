-- A storage with persistence none: rows of one session, in temporary tables.
CREATE SERVER fleeting FOREIGN DATA WRAPPER txstore_fdw OPTIONS (persistence 'none', table_name 'fleeting');
SET txstore.default_storage = 'fleeting';
SELECT value FROM txstore.describe_storage() WHERE property = 'initialize_storage() would';

-- Who may use the server makes and uses them, without a right to them.
CREATE ROLE regress_fleeting;
GRANT USAGE ON FOREIGN SERVER fleeting TO regress_fleeting;
SET ROLE regress_fleeting;
SELECT txstore.store('p', etag, metadata, ARRAY[txstore.prepare(1, 'one')], 1) FROM txstore.load('p');
SELECT property, value FROM txstore.describe_storage() WHERE property IN ('status', 'keys table', 'persistence');
RESET ROLE;
SELECT relname, relpersistence FROM pg_class WHERE relname LIKE 'fleeting%' AND relkind = 'r' ORDER BY 1;
SELECT etag, convert_from(committed_state, 'UTF8') FROM txstore.load('p');

-- A rollback undoes a store, and the making of the tables.
BEGIN;
SELECT txstore.store('p', '0', '', ARRAY[txstore.prepare(2, 'two')], 2);
ROLLBACK;
SELECT etag, convert_from(committed_state, 'UTF8') FROM txstore.load('p');
BEGIN;
SELECT txstore.store('p', '0', '');
PREPARE TRANSACTION 'fleeting';
SELECT etag FROM txstore.load('p');

-- What was loaded before the tables went does not match what comes after.
DISCARD TEMP;
SELECT txstore.store('p', '0', '');
SELECT etag FROM txstore.load('p');
SELECT txstore.store('p', NULL, '');

-- Another session has rows of its own.
\c
SET txstore.default_storage = 'fleeting';
SELECT etag FROM txstore.load('p');
SELECT txstore.export_items();
ALTER SERVER fleeting OPTIONS (ADD create_if_not_exists 'false');
SELECT etag FROM txstore.load('p');
SELECT txstore.initialize_storage();
SELECT etag FROM txstore.load('p');
DROP SERVER fleeting;
DROP OWNED BY regress_fleeting;
DROP ROLE regress_fleeting;
