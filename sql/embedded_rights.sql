-- Who may do what: EXECUTE on the function, then USAGE on the storage's server; the tables' rights do not matter.
CREATE ROLE regress_txs_owner;
CREATE ROLE regress_txs_user;
CREATE ROLE regress_txs_none;
CREATE SCHEMA rights AUTHORIZATION regress_txs_owner;
CREATE SERVER rights FOREIGN DATA WRAPPER txstore_fdw OPTIONS (schema_name 'rights', table_name 'r');
ALTER SERVER rights OWNER TO regress_txs_owner;
SET txstore.default_storage = 'rights';
CREATE TABLE rights_lines (line text);

-- One call of each function that reaches a storage, with its answer or its error.
CREATE TABLE calls (number int, call text);
INSERT INTO calls VALUES
	(1, 'SELECT etag FROM txstore.load(''p'')'),
	(2, 'SELECT count(*) FROM txstore.plan_store(''p'', '''', '''')'),
	(3, 'SELECT txstore.store(''p'', '''', '''', ARRAY[txstore.prepare(1, ''x'')], 1)'),
	(4, 'SELECT txstore.forget(''p'')'),
	(5, 'SELECT count(*) FROM txstore.export_items()'),
	(6, 'SELECT count(*) > 9 FROM txstore.describe_storage()'),
	(7, 'SELECT txstore.import_items(''{}'')'),
	(8, 'SELECT txstore.import_items_from(''rights_lines'')'),
	(9, 'SELECT txstore.initialize_storage()'),
	(10, 'SELECT txstore.delete_partition(''p'', ''0'')'),
	(11, 'SELECT count(*) FROM rights.r_keys');
GRANT SELECT ON calls, rights_lines TO PUBLIC;
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

SET ROLE regress_txs_none;
SELECT number, substring(call FROM 'txstore\.(\w+)') AS function, answer(call) FROM calls ORDER BY number;
-- EXECUTE alone is not enough.
RESET ROLE;
GRANT EXECUTE ON FUNCTION txstore.import_items, txstore.import_items_from, txstore.initialize_storage, txstore.delete_partition TO regress_txs_none;
SET ROLE regress_txs_none;
SELECT number, substring(call FROM 'txstore\.(\w+)') AS function, answer(call) FROM calls WHERE number BETWEEN 7 AND 10 ORDER BY number;
-- What reaches no storage is for all.
SELECT txstore.partition_key('t', 'k', 's'), (txstore.prepare(1, 'x')).sequence_id;
SELECT count(*) FROM txstore.handles;
CREATE SERVER rights_other FOREIGN DATA WRAPPER txstore_fdw;
ALTER SERVER rights OPTIONS (ADD read_only 'true');
RESET ROLE;
REVOKE EXECUTE ON FUNCTION txstore.import_items, txstore.import_items_from, txstore.initialize_storage, txstore.delete_partition FROM regress_txs_none;

-- USAGE alone: the protocol works, what is revoked from PUBLIC does not, nor do the tables.
GRANT USAGE ON FOREIGN SERVER rights TO regress_txs_user;
SET ROLE regress_txs_user;
SELECT number, substring(call FROM 'txstore\.(\w+)') AS function, answer(call) FROM calls ORDER BY number;
RESET ROLE;
-- The user's first write has made tables of the owner.
SELECT relname, relowner::regrole, relacl FROM pg_class WHERE relnamespace = 'rights'::regnamespace AND relkind = 'r' ORDER BY 1;
-- The owner needs EXECUTE for the rest, like anyone.
SET ROLE regress_txs_owner;
SELECT number, substring(call FROM 'txstore\.(\w+)') AS function, answer(call) FROM calls WHERE number IN (1, 5, 9, 11) ORDER BY number;
RESET ROLE;

-- USAGE through membership, and its end.
GRANT regress_txs_user TO regress_txs_none;
SET ROLE regress_txs_none;
SELECT etag FROM txstore.load('p');
RESET ROLE;
REVOKE regress_txs_user FROM regress_txs_none;
SET ROLE regress_txs_none;
SELECT txstore.store('p', '0', '');
SELECT storage, partition_key, etag, must_load FROM txstore.handles;
RESET ROLE;

-- REVOKE between load() and store(); the handle is usable again after a GRANT.
SET ROLE regress_txs_user;
SELECT etag FROM txstore.load('p');
RESET ROLE;
REVOKE USAGE ON FOREIGN SERVER rights FROM regress_txs_user;
SET ROLE regress_txs_user;
SELECT txstore.store('p', '0', '');
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
GRANT USAGE ON FOREIGN SERVER rights TO regress_txs_user;
SET ROLE regress_txs_user;
SELECT txstore.store('p', '0', '');
SELECT storage, partition_key, etag FROM txstore.handles;
RESET ROLE;

-- A handle belongs to the role that loaded, whoever the session is.
SELECT txstore.store('p', '1', '');
SELECT count(*) FROM txstore.handles;
SET ROLE regress_txs_owner;
SELECT partition_key, etag FROM txstore.handles;
SELECT txstore.store('p', '1', '');
SELECT etag FROM txstore.load('p');
SELECT txstore.store('p', '1', '');
SET ROLE regress_txs_user;
SELECT txstore.store('p', '1', '');
SELECT txstore.forget('p'), txstore.forget('p');
SET ROLE regress_txs_owner;
SELECT partition_key, etag, must_load FROM txstore.handles;

-- SECURITY DEFINER: the function's owner needs the rights, and has the handle.
CREATE FUNCTION rights.touch() RETURNS text LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog
	RETURN (SELECT txstore.store('touched', etag, metadata) FROM txstore.load('touched'));
GRANT USAGE ON SCHEMA rights TO PUBLIC;
SET ROLE regress_txs_none;
SELECT rights.touch();
SELECT txstore.store('touched', '0', '');
SET ROLE regress_txs_user;
SELECT txstore.store('touched', '0', '');
SET ROLE regress_txs_owner;
SELECT txstore.store('touched', '0', '');

-- Row security of the tables is for those who read the tables, not for the functions.
ALTER TABLE rights.r_keys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SELECT count(*) FROM rights.r_keys;
SELECT count(*) FROM txstore.export_items('touched');
SET ROLE regress_txs_user;
SELECT etag FROM txstore.load('touched');
RESET ROLE;

SET client_min_messages = warning;
DROP SERVER rights CASCADE;
DROP SCHEMA rights CASCADE;
DROP TABLE rights_lines, calls;
DROP FUNCTION answer(text);
DROP ROLE regress_txs_owner, regress_txs_user, regress_txs_none;
