-- User mappings and foreign tables: a mapping without options can be made, as a dump without secrets makes it; what is
-- missing is said at use, and no secret is in a table, a message or a plan.  (Group 36.)  Nothing here reaches a network.
CREATE SERVER mapped FOREIGN DATA WRAPPER txstore_fdw OPTIONS (provider 'dynamodb', endpoint 'http://127.0.0.1:1', table_name 'Accounts',
	connect_timeout '1s', request_timeout '1s');
CREATE ROLE regress_fdw_mapped;
GRANT USAGE ON FOREIGN SERVER mapped TO regress_fdw_mapped;
CREATE SCHEMA fdw_dynamodb_mappings AUTHORIZATION regress_fdw_mapped;
SET ROLE regress_fdw_mapped;
SET search_path = fdw_dynamodb_mappings;
CREATE FOREIGN TABLE keys (partition_key text, etag text) SERVER mapped OPTIONS (kind 'keys');
-- One without options, one that gets and loses them, one for all
CREATE USER MAPPING FOR CURRENT_USER SERVER mapped;
SELECT etag FROM keys WHERE partition_key = 'a';
EXPLAIN (COSTS OFF) SELECT etag FROM keys WHERE partition_key = 'a';
IMPORT FOREIGN SCHEMA x FROM SERVER mapped INTO fdw_dynamodb_mappings;
ALTER USER MAPPING FOR CURRENT_USER SERVER mapped OPTIONS (ADD access_key_id 'AKIDEXAMPLE');
ALTER USER MAPPING FOR CURRENT_USER SERVER mapped OPTIONS (ADD access_key_id 'AKIDEXAMPLE', ADD secret_access_key 'do-not-show');
ALTER USER MAPPING FOR CURRENT_USER SERVER mapped OPTIONS (DROP secret_access_key);
ALTER USER MAPPING FOR CURRENT_USER SERVER mapped OPTIONS (DROP access_key_id, DROP secret_access_key);
DROP USER MAPPING FOR CURRENT_USER SERVER mapped;
RESET ROLE;
CREATE USER MAPPING FOR PUBLIC SERVER mapped;
SET ROLE regress_fdw_mapped;
SELECT etag FROM keys WHERE partition_key = 'a';
\set VERBOSITY terse
-- A secret is no option of a server, a table or a column
ALTER SERVER mapped OPTIONS (ADD secret_access_key 'do-not-show');
RESET ROLE;
ALTER SERVER mapped OPTIONS (ADD access_key_id 'AKIDEXAMPLE', ADD secret_access_key 'do-not-show');
CREATE FOREIGN TABLE t (partition_key text) SERVER mapped OPTIONS (kind 'keys', secret_access_key 'do-not-show');
CREATE FOREIGN TABLE t (partition_key text OPTIONS (secret_access_key 'do-not-show')) SERVER mapped OPTIONS (kind 'keys');
\set VERBOSITY default
-- Nor is it in what fails, or in a plan
CREATE USER MAPPING FOR regress_fdw_mapped SERVER mapped OPTIONS (access_key_id 'AKIDEXAMPLE', secret_access_key 'do-not-show');
SET ROLE regress_fdw_mapped;
EXPLAIN (COSTS OFF, VERBOSE) SELECT etag FROM keys WHERE partition_key = 'a';
SELECT count(*) FROM pg_foreign_table JOIN pg_foreign_server AS s ON s.oid = ftserver
	WHERE ftoptions::text || srvoptions::text LIKE '%do-not-show%';
CREATE FUNCTION message(query text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	hint text;
	context text;
BEGIN
	EXECUTE query;
EXCEPTION
	WHEN connection_exception OR sqlclient_unable_to_establish_sqlconnection THEN
		GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT, context = PG_EXCEPTION_CONTEXT;
		RETURN concat_ws(' ', SQLERRM, detail, hint, context);
END $$;
SELECT q, message(q) LIKE '%do-not-show%' AS shows_secret FROM unnest(ARRAY['SELECT etag FROM keys WHERE partition_key = ''a''', 'SELECT * FROM keys', 'SELECT count(*) FROM keys']) AS q;
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA fdw_dynamodb_mappings CASCADE;
DROP SERVER mapped CASCADE;
DROP ROLE regress_fdw_mapped;
