-- The options of servers: every one is checked when the DDL runs.
\set wrapper 'FOREIGN DATA WRAPPER txstore_fdw OPTIONS'

-- All of them, with good values.
CREATE SERVER opt_all :wrapper (provider 'embedded', schema_name 'opt', table_name 'opt', service_id 's',
	create_if_not_exists 'on', persistence 'persisted', read_only 'no');
SELECT * FROM txstore.describe_storage('opt_all');
CREATE SERVER opt_none FOREIGN DATA WRAPPER txstore_fdw;
SELECT property, value FROM txstore.describe_storage('opt_none') WHERE property IN ('provider', 'service id', 'persistence', 'read only');

-- Values that are none.
CREATE SERVER opt_bad :wrapper (provider 'dynamodb');
CREATE SERVER opt_bad :wrapper (provider '');
CREATE SERVER opt_bad :wrapper (provider 'Embedded');
CREATE SERVER opt_bad :wrapper (schema_name '');
CREATE SERVER opt_bad :wrapper (table_name '');
CREATE SERVER opt_bad :wrapper (service_id '');
CREATE SERVER opt_bad :wrapper (create_if_not_exists 'perhaps');
CREATE SERVER opt_bad :wrapper (create_if_not_exists '');
CREATE SERVER opt_bad :wrapper (read_only '2');
CREATE SERVER opt_bad :wrapper (persistence 'some');
CREATE SERVER opt_bad :wrapper (persistence 'VOLATILE');

-- Names end where a table's name with its suffix has 63 bytes, and a schema's has.
SELECT repeat('x', 64) AS x64, repeat('x', 63) AS x63, repeat('x', 57) AS x57, repeat('x', 55) || '€' AS x58, repeat('x', 56) AS x56 \gset
CREATE SERVER opt_bad :wrapper (schema_name :'x64');
CREATE SERVER opt_bad :wrapper (table_name :'x57');
CREATE SERVER opt_bad :wrapper (table_name :'x58');
CREATE SERVER opt_long :wrapper (schema_name :'x63', table_name :'x56');
SELECT txstore.initialize_storage('opt_long');
SELECT relname FROM pg_class WHERE relnamespace = :'x63'::regnamespace AND relkind = 'r' ORDER BY 1;
SELECT etag FROM txstore.load('p', 'opt_long');
SELECT txstore.store('p', '', '', storage => 'opt_long');

-- Misspelt names get the nearest one, if one is near.
CREATE SERVER opt_bad :wrapper (tabel_name 'x');
\echo :LAST_ERROR_SQLSTATE
CREATE SERVER opt_bad :wrapper (readonly 'true');
CREATE SERVER opt_bad :wrapper ("Provider" 'embedded');
CREATE SERVER opt_bad :wrapper (serviceid 's');
CREATE SERVER opt_bad :wrapper (persistance 'volatile');
CREATE SERVER opt_bad :wrapper (create_if_not_exist 'true');
CREATE SERVER opt_bad :wrapper (host 'localhost');
CREATE SERVER opt_bad :wrapper ("" 'x');
CREATE SERVER opt_bad :wrapper ("größe" 'x');
CREATE SERVER opt_bad :wrapper (endpoint 'http://localhost:8000');
CREATE SERVER opt_bad :wrapper (read_only 'true', read_only 'false');

-- Other objects of the wrapper have no options.
CREATE FOREIGN DATA WRAPPER opt_wrapper VALIDATOR txstore.txstore_fdw_validator OPTIONS (provider 'embedded');
ALTER FOREIGN DATA WRAPPER txstore_fdw OPTIONS (read_only 'true');
CREATE USER MAPPING FOR CURRENT_USER SERVER opt_none OPTIONS (password 'secret');
CREATE USER MAPPING FOR CURRENT_USER SERVER opt_none;
ALTER USER MAPPING FOR CURRENT_USER SERVER opt_none OPTIONS (ADD table_name 'x');
DROP USER MAPPING FOR CURRENT_USER SERVER opt_none;
CREATE FOREIGN TABLE opt_table (a text) SERVER opt_none OPTIONS (table_name 'x');
CREATE FOREIGN TABLE opt_table (a text OPTIONS (table_name 'x')) SERVER opt_none;

-- ALTER SERVER adds, sets and drops; the next call knows.
ALTER SERVER opt_none OPTIONS (ADD read_only 'true');
SELECT txstore.initialize_storage('opt_none');
ALTER SERVER opt_none OPTIONS (ADD read_only 'true');
ALTER SERVER opt_none OPTIONS (SET read_only 'maybe');
ALTER SERVER opt_none OPTIONS (SET read_only 'off', ADD schema_name 'opt', ADD table_name 'set');
SELECT txstore.initialize_storage('opt_none');
ALTER SERVER opt_none OPTIONS (DROP read_only, DROP persistence);
ALTER SERVER opt_none OPTIONS (DROP read_only, SET table_name 'other');
SELECT txstore.initialize_storage('opt_none');
ALTER SERVER opt_none RENAME TO opt_renamed;
SELECT txstore.initialize_storage('opt_none');
SELECT property, value FROM txstore.describe_storage('opt_renamed') WHERE property IN ('storage', 'status', 'keys table');
SELECT relname FROM pg_class WHERE relnamespace = 'opt'::regnamespace AND relkind = 'r' ORDER BY 1;

-- The setting txstore.default_storage names the storage of calls that name none.
SET txstore.default_storage = 'opt_renamed';
SELECT value FROM txstore.describe_storage() WHERE property = 'storage';
SET txstore.default_storage = '';
SELECT count(*) FROM txstore.export_items();
SET txstore.default_storage = 'nowhere';
SELECT * FROM txstore.load('p');
\echo :LAST_ERROR_SQLSTATE
RESET txstore.default_storage;
-- A server of another wrapper is no storage.
CREATE FOREIGN DATA WRAPPER opt_wrapper;
CREATE SERVER opt_foreign FOREIGN DATA WRAPPER opt_wrapper;
SELECT * FROM txstore.load('p', 'opt_foreign');
\echo :LAST_ERROR_SQLSTATE

SET client_min_messages = warning;
DROP FOREIGN DATA WRAPPER opt_wrapper CASCADE;
DROP SERVER opt_all, opt_renamed, opt_long;
DROP SCHEMA opt CASCADE;
DROP SCHEMA :x63 CASCADE;
