-- Read-only storages and read-only transactions: no function writes, every other works.
\set SHOW_CONTEXT never
CREATE ROLE regress_txs_owner;
CREATE SCHEMA ro AUTHORIZATION regress_txs_owner;
CREATE SERVER ro FOREIGN DATA WRAPPER txstore_fdw OPTIONS (schema_name 'ro', table_name 't');
ALTER SERVER ro OWNER TO regress_txs_owner;
GRANT EXECUTE ON FUNCTION txstore.initialize_storage TO regress_txs_owner;
SET txstore.default_storage = 'ro';
SELECT txstore.store('p', etag, metadata, ARRAY[txstore.prepare(1, 'one'), txstore.prepare(2, 'two')], 1) FROM txstore.load('p');
CREATE TABLE ro_lines (line text);

CREATE TABLE calls (number int, call text);
INSERT INTO calls VALUES
	(1, 'SELECT etag FROM txstore.load(''p'')'),
	(2, 'SELECT etag FROM txstore.load(''fresh'')'),
	(3, 'SELECT count(*) FROM txstore.plan_store(''p'', ''0'', '''')'),
	(4, 'SELECT count(*) FROM txstore.export_items()'),
	(5, 'SELECT value FROM txstore.describe_storage() WHERE property = ''read only'''),
	(6, 'SELECT count(*) FROM txstore.handles'),
	(7, 'SELECT txstore.forget(''fresh'')'),
	(8, 'SELECT txstore.partition_key(''t'', ''k'', ''s'')'),
	(11, 'SELECT txstore.store(''p'', ''0'', '''')'),
	(12, 'SELECT txstore.delete_partition(''p'', ''0'')'),
	(13, 'SELECT txstore.import_items(''{}'')'),
	(14, 'SELECT txstore.import_items_from(''ro_lines'')'),
	(15, 'SELECT txstore.initialize_storage()');
CREATE FUNCTION answer(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE call INTO result;
	RETURN coalesce(result, 'null');
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;

-- The server's option, for everyone: owner and superuser.
ALTER SERVER ro OPTIONS (ADD read_only 'true');
SELECT number, answer(call) FROM calls ORDER BY number;
GRANT USAGE ON SCHEMA ro TO PUBLIC;
SET ROLE regress_txs_owner;
SELECT txstore.store('p', etag, metadata) FROM txstore.load('p');
\echo :LAST_ERROR_SQLSTATE
SELECT txstore.initialize_storage();
RESET ROLE;
-- Nothing was written, and the handle was not hurt by the attempts.
SELECT etag, committed_sequence_id, pending[1].sequence_id FROM txstore.load('p');
ALTER SERVER ro OPTIONS (SET read_only 'false');
SELECT txstore.store('p', '0', '');

-- It is checked at each call, also when the option comes between load() and store().
BEGIN;
SELECT etag FROM txstore.load('p');
ALTER SERVER ro OPTIONS (SET read_only 'yes');
SAVEPOINT a;
SELECT txstore.store('p', '1', '');
ROLLBACK TO a;
ALTER SERVER ro OPTIONS (SET read_only 'no');
SELECT txstore.store('p', '1', '');
ROLLBACK;
-- A read-only storage that is not there yet is not made.
CREATE SERVER ro_new FOREIGN DATA WRAPPER txstore_fdw OPTIONS (schema_name 'ro_new', read_only 'true');
SELECT etag FROM txstore.load('p', 'ro_new');
SELECT txstore.store('p', '', '', storage => 'ro_new');
SELECT txstore.initialize_storage('ro_new');
SELECT count(*) FROM txstore.export_items(storage => 'ro_new');
SELECT count(*) FROM pg_namespace WHERE nspname = 'ro_new';

-- Read-only transactions.
SELECT etag FROM txstore.load('p');
BEGIN READ ONLY;
SELECT number, answer(replace(call, '''0''', '''1''')) FROM calls ORDER BY number;
SELECT txstore.store('p', '1', '');
ROLLBACK;
BEGIN;
SELECT txstore.store('p', '1', '');
SET TRANSACTION READ ONLY;
SELECT etag FROM txstore.load('p');
SELECT txstore.store('p', '2', '');
COMMIT;
SELECT etag FROM txstore.load('p');

SET default_transaction_read_only = on;
SELECT number, answer(replace(call, '''0''', '''1''')) FROM calls WHERE number > 10 ORDER BY number;
SELECT etag FROM txstore.load('p');
-- Whoever may write says so.
BEGIN READ WRITE;
SELECT txstore.store('p', '1', '');
COMMIT;
SET default_transaction_read_only = off;

-- A deferred serializable transaction reads as well.
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE;
SELECT etag, (SELECT count(*) FROM txstore.export_items()) AS items FROM txstore.load('p');
SELECT txstore.store('p', '2', '');
COMMIT;

SET client_min_messages = warning;
DROP SERVER ro, ro_new;
DROP SCHEMA ro CASCADE;
DROP TABLE calls, ro_lines;
DROP FUNCTION answer(text);
REVOKE EXECUTE ON FUNCTION txstore.initialize_storage FROM regress_txs_owner;
DROP ROLE regress_txs_owner;
