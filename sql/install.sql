-- Installing and dropping the extension: data outlives it.
\set SHOW_CONTEXT never
\set own_database :DBNAME
CREATE DATABASE regress_txstore_install TEMPLATE template0 ENCODING 'UTF8';
CREATE DATABASE regress_txstore_latin1 TEMPLATE template0 ENCODING 'LATIN1';

-- A database whose texts are not UTF-8 cannot hold what a silo writes.
\c regress_txstore_latin1
CREATE EXTENSION txstore;
SELECT count(*) FROM pg_extension WHERE extname = 'txstore';

\c regress_txstore_install
CREATE EXTENSION txstore;
SELECT e.extversion, n.nspname, e.extrelocatable, e.extconfig IS NULL AS no_config
  FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace
 WHERE e.extname = 'txstore';
SELECT name, superuser, trusted, relocatable, schema, requires
  FROM pg_available_extension_versions WHERE name = 'txstore' AND installed;
ALTER EXTENSION txstore SET SCHEMA public;
SHOW txstore.default_storage;
SHOW txstore.max_handle_memory;

-- Nothing is made before the first write, and reading makes nothing.
SELECT * FROM txstore.load('account/a_default_balance');
SELECT count(*) FROM txstore.export_items();
SELECT count(*) FROM pg_namespace WHERE nspname = 'txstore_data';
SELECT txstore.store('account/a_default_balance', NULL, '',
	ARRAY[txstore.prepare(1, 'hundred', '11111111-1111-1111-1111-111111111111', '2024-01-02 03:04:05+00')], 1);
SELECT relname FROM pg_class WHERE relnamespace = 'txstore_data'::regnamespace AND relkind = 'r' ORDER BY 1;
SELECT txstore.initialize_storage();

-- The tables are no members, so the extension goes without them.
SELECT count(*)
  FROM pg_depend AS d JOIN pg_class AS c ON d.classid = 'pg_class'::regclass AND d.objid = c.oid
 WHERE d.deptype = 'e' AND c.relnamespace = 'txstore_data'::regnamespace;
DROP EXTENSION txstore;
SELECT partition_key, committed_sequence_id, etag FROM txstore_data."OrleansTransactionalState_keys";
SELECT partition_key, sequence_id, convert_from(state, 'UTF8') AS state, etag
  FROM txstore_data."OrleansTransactionalState_states";
-- The rows are the user's: dropping the schema of the functions is no way to lose them either.
SELECT count(*) FROM pg_proc WHERE pronamespace = to_regnamespace('txstore');

-- Made again, it finds them.  This session's handles are of a server that is gone.
CREATE EXTENSION txstore;
SELECT txstore.store('account/a_default_balance', '0', '');
SELECT etag, committed_sequence_id, convert_from(committed_state, 'UTF8') AS state
  FROM txstore.load('account/a_default_balance');
SELECT txstore.store('account/a_default_balance', '0', '',
	ARRAY[txstore.prepare(2, 'ninety', '22222222-2222-2222-2222-222222222222', '2024-01-02 03:04:06+00')], 2);
SELECT txstore.initialize_storage();

-- Storages of other servers depend on the wrapper.
CREATE SERVER other FOREIGN DATA WRAPPER txstore_fdw;
DROP EXTENSION txstore;
DROP SERVER other;
DROP EXTENSION txstore;

-- The installing transaction may be rolled back, or put the schema elsewhere: it cannot.
BEGIN;
CREATE EXTENSION txstore;
SELECT count(*) FROM txstore.export_items();
ROLLBACK;
SELECT count(*) FROM pg_foreign_data_wrapper WHERE fdwname = 'txstore_fdw';
CREATE EXTENSION txstore SCHEMA public;
CREATE EXTENSION txstore VERSION '9.9';

-- Only a superuser may install it: it is not trusted.
CREATE ROLE regress_txstore_installer;
GRANT CREATE ON DATABASE regress_txstore_install TO regress_txstore_installer;
SET ROLE regress_txstore_installer;
CREATE EXTENSION txstore;
RESET ROLE;
REVOKE ALL ON DATABASE regress_txstore_install FROM regress_txstore_installer;
DROP ROLE regress_txstore_installer;

\c :own_database
DROP DATABASE regress_txstore_install;
DROP DATABASE regress_txstore_latin1;
