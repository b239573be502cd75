--
-- Rights on foreign tables: their own, with their owner's on the server; views
-- with their owner's
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE ROLE regress_fdw_owner;
CREATE ROLE regress_fdw_analyst;
CREATE SCHEMA fdw_rights AUTHORIZATION regress_fdw_owner;
GRANT USAGE ON SCHEMA fdw_rights TO PUBLIC;
SELECT txstore.import_items(ARRAY[
	'{"PartitionKey":{"S":"fdw_rights/a"},"RowKey":{"S":"key"},"ETag":{"N":"3"},"Metadata":{"B":"e30="}}']);
-- Whose the storage is not, needs USAGE to make a table or to import
SET ROLE regress_fdw_owner;
SET search_path = fdw_rights;
\set VERBOSITY sqlstate
CREATE FOREIGN TABLE keys (partition_key text, etag text, metadata jsonb) SERVER :"storage" OPTIONS (kind 'keys');
IMPORT FOREIGN SCHEMA x FROM SERVER :"storage" INTO fdw_rights;
RESET ROLE;
GRANT USAGE ON FOREIGN SERVER :"storage" TO regress_fdw_owner;
SET ROLE regress_fdw_owner;
CREATE FOREIGN TABLE keys (partition_key text, etag text, metadata jsonb) SERVER :"storage" OPTIONS (kind 'keys');
SELECT etag FROM keys WHERE partition_key = 'fdw_rights/a';
-- Another needs SELECT on the table, or on columns, and nothing on the server
SET ROLE regress_fdw_analyst;
\set VERBOSITY terse
SELECT etag FROM keys WHERE partition_key = 'fdw_rights/a';
SELECT count(*) FROM keys;
SET ROLE regress_fdw_owner;
GRANT SELECT (partition_key, etag) ON keys TO regress_fdw_analyst;
SET ROLE regress_fdw_analyst;
SELECT etag FROM keys WHERE partition_key = 'fdw_rights/a';
SELECT metadata FROM keys WHERE partition_key = 'fdw_rights/a';
SELECT * FROM keys WHERE partition_key = 'fdw_rights/a';
SELECT count(*) FROM keys WHERE partition_key = 'fdw_rights/a';
SELECT count(*) FROM keys WHERE metadata IS NULL;
-- A view gives what its owner may see; so does a function with its definer's rights
RESET ROLE;
CREATE VIEW shown AS SELECT partition_key, metadata FROM keys;
CREATE VIEW counted AS SELECT count(*) AS n FROM keys WHERE partition_key = 'fdw_rights/a';
CREATE VIEW guarded WITH (security_barrier) AS SELECT partition_key, metadata FROM keys WHERE etag = '3';
CREATE VIEW invoked WITH (security_invoker) AS SELECT partition_key, metadata FROM keys;
CREATE FUNCTION defined() RETURNS jsonb SECURITY DEFINER BEGIN ATOMIC SELECT metadata FROM keys WHERE partition_key = 'fdw_rights/a'; END;
ALTER VIEW shown OWNER TO regress_fdw_owner;
ALTER VIEW counted OWNER TO regress_fdw_owner;
ALTER VIEW guarded OWNER TO regress_fdw_owner;
ALTER FUNCTION defined OWNER TO regress_fdw_owner;
GRANT SELECT ON shown, counted, guarded, invoked TO regress_fdw_analyst;
SET ROLE regress_fdw_analyst;
SELECT metadata FROM shown WHERE partition_key = 'fdw_rights/a';
SELECT n FROM counted;
SELECT metadata FROM guarded WHERE partition_key = 'fdw_rights/a';
SELECT metadata FROM invoked WHERE partition_key = 'fdw_rights/a';
SELECT defined();
-- A security barrier is not looked behind: the function sees what the view shows
RESET ROLE;
CREATE FUNCTION peek(text) RETURNS boolean COST 0.0001 LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '%', $1; RETURN true; END $$;
SET ROLE regress_fdw_analyst;
SELECT metadata FROM guarded WHERE partition_key = 'fdw_rights/a' AND peek(metadata::text);
-- A kept plan is of the user who runs it
SET plan_cache_mode = force_generic_plan;
PREPARE q AS SELECT etag FROM keys WHERE partition_key = 'fdw_rights/a';
EXECUTE q;
RESET ROLE;
EXECUTE q;
REVOKE SELECT (etag) ON keys FROM regress_fdw_analyst;
SET ROLE regress_fdw_analyst;
EXECUTE q;
-- The owner's USAGE can be taken back: then nobody reads the table
RESET ROLE;
REVOKE USAGE ON FOREIGN SERVER :"storage" FROM regress_fdw_owner;
SET ROLE regress_fdw_owner;
\set VERBOSITY sqlstate
SELECT etag FROM keys WHERE partition_key = 'fdw_rights/a';
EXPLAIN SELECT etag FROM keys;
SET ROLE regress_fdw_analyst;
SELECT n FROM counted;
RESET ROLE;
SELECT etag FROM keys WHERE partition_key = 'fdw_rights/a';
SET client_min_messages = warning;
DROP SCHEMA fdw_rights CASCADE;
DROP ROLE regress_fdw_owner, regress_fdw_analyst;
