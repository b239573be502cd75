-- Handles whose partition, storage or session has changed under them.
\set SHOW_CONTEXT never
\set wrapper 'FOREIGN DATA WRAPPER txstore_fdw OPTIONS'
CREATE SERVER lost :wrapper (schema_name 'lost');
SET txstore.default_storage = 'lost';
CREATE VIEW remembered AS
	SELECT storage, partition_key, etag, must_load FROM txstore.handles ORDER BY 1, 2;
SELECT txstore.store('p', etag, metadata, ARRAY[txstore.prepare(1, 'one')], 1) FROM txstore.load('p');
CREATE SERVER door :wrapper (schema_name 'lost');

-- A partition that was deleted and made anew, up to the same ETag, is not the old one.
SELECT etag FROM txstore.load('p', 'door');
SELECT txstore.delete_partition('p', '0');
TABLE remembered;
SELECT txstore.store('p', '', '');
SELECT etag FROM txstore.load('p');
SELECT txstore.store('p', '', '', ARRAY[txstore.prepare(1, 'another')], 1);
SELECT txstore.store('p', '0', '', ARRAY[txstore.prepare(2, 'of the old')], 2, storage => 'door');
\echo :LAST_ERROR_SQLSTATE
SELECT convert_from(committed_state, 'UTF8') AS state FROM txstore.load('p');
-- The same for a deletion by a handle: the incarnation counts where one is known.
SELECT etag FROM txstore.load('p', 'door');
SELECT txstore.delete_partition('p', '0'), etag FROM txstore.load('p');
SELECT txstore.store('p', etag, '') FROM txstore.load('p');
SELECT txstore.delete_partition('p', '0', 'door');
SELECT txstore.delete_partition('p', '0', 'door');
SELECT txstore.delete_partition('p', '0');
SELECT txstore.delete_partition('p', '');

-- A deletion that is rolled back, and the load() after it, which saw nothing.
SELECT txstore.store('p', etag, '') FROM txstore.load('p');
BEGIN;
SELECT txstore.delete_partition('p', '0');
SELECT etag FROM txstore.load('p');
TABLE remembered;
ROLLBACK;
TABLE remembered;
SELECT txstore.store('p', '', '');
SELECT etag FROM txstore.load('p');
-- It does not matter who deleted it, what became of the handle, or which part is undone.
BEGIN;
SELECT txstore.delete_partition('p', '0');
SELECT txstore.forget('p');
SELECT etag FROM txstore.load('p');
ROLLBACK;
SELECT txstore.store('p', '', '');
BEGIN;
DELETE FROM lost."OrleansTransactionalState_keys" WHERE partition_key = 'p';
SELECT etag FROM txstore.load('p');
SAVEPOINT a;
SELECT txstore.store('p', '', '');
ROLLBACK TO a;
SELECT etag FROM txstore.load('p');
SAVEPOINT b;
SELECT txstore.store('p', '', '');
SELECT txstore.delete_partition('p', '0');
SELECT etag FROM txstore.load('p');
ROLLBACK TO b;
TABLE remembered;
SELECT etag FROM txstore.load('p');
SAVEPOINT c;
ROLLBACK TO c;
TABLE remembered;
ROLLBACK;
TABLE remembered;
SELECT etag FROM txstore.load('p');
-- What others deleted, or what never was, stays away.
BEGIN;
SELECT etag FROM txstore.load('never');
SELECT txstore.store('p', '0', '');
SELECT etag FROM txstore.load('never');
ROLLBACK;
SELECT txstore.store('never', '', '');
SELECT txstore.delete_partition('never', '0');
SELECT etag FROM txstore.load('p');
-- Deleted and made anew in one transaction, then rolled back.
BEGIN;
SELECT txstore.delete_partition('p', '0');
SELECT txstore.store('p', etag, metadata, ARRAY[txstore.prepare(7, 'seven')]) FROM txstore.load('p');
ROLLBACK;
SELECT txstore.store('p', '0', '');
SELECT etag, pending FROM txstore.load('p');

-- PREPARE TRANSACTION: another session decides, so this one forgets what it touched.
SELECT txstore.store('untouched', etag, '') FROM txstore.load('untouched');
BEGIN;
SELECT etag FROM txstore.load('untouched');
SELECT txstore.store('p', '0', '');
SELECT txstore.store('made', etag, '') FROM txstore.load('made');
PREPARE TRANSACTION 'regress_txs_1';
TABLE remembered;
SELECT txstore.store('p', '1', '');
SELECT etag FROM txstore.load('p');
COMMIT PREPARED 'regress_txs_1';
SELECT txstore.store('p', '0', '');
SELECT txstore.store('p', etag, '') FROM txstore.load('p');
BEGIN;
SELECT txstore.store('p', '2', '');
SAVEPOINT a;
SELECT txstore.delete_partition('made', '0');
RELEASE a;
PREPARE TRANSACTION 'regress_txs_2';
ROLLBACK PREPARED 'regress_txs_2';
TABLE remembered;
SELECT txstore.store('p', '3', '');
SELECT 'p' AS key, etag FROM txstore.load('p') UNION ALL SELECT 'made', etag FROM txstore.load('made');

-- The storage changes: a handle fits only the rows it was read from.
ALTER SERVER lost OPTIONS (ADD table_name 'elsewhere');
SELECT txstore.store('p', '2', '');
\echo :LAST_ERROR_SQLSTATE
SELECT count(*) FROM pg_tables WHERE schemaname = 'lost' AND tablename LIKE 'elsewhere%';
SELECT etag FROM txstore.load('p');
SELECT txstore.store('p', '', '');
ALTER SERVER lost OPTIONS (DROP table_name);
SELECT txstore.store('p', '0', '');
SELECT etag FROM txstore.load('p');
-- Renamed, it is the same storage; dropped and made with the same name, it is another.
ALTER SERVER lost RENAME TO found;
SELECT txstore.store('p', '2', '', storage => 'found');
DROP SERVER found;
SELECT count(*) FROM remembered WHERE storage = 'found';
CREATE SERVER found :wrapper (schema_name 'lost');
SELECT txstore.store('p', '3', '', storage => 'found');
SET txstore.default_storage = 'found';
SELECT etag FROM txstore.load('p');
-- Tables that were dropped and made anew hold other incarnations.
DROP TABLE lost."OrleansTransactionalState_keys", lost."OrleansTransactionalState_states";
SELECT txstore.store('p', '3', '');
SELECT etag FROM txstore.load('p');
SELECT txstore.store('p', '', '');

-- DISCARD ALL knows nothing of handles, and the roles that share a session have their own.
SELECT etag FROM txstore.load('p');
DISCARD ALL;
SELECT storage, partition_key, etag FROM remembered WHERE storage = 'found' ORDER BY 2;
SELECT txstore.store('p', '0', '', storage => 'found');

SET client_min_messages = warning;
DROP VIEW remembered;
DROP SERVER found, door;
DROP SCHEMA lost CASCADE;
