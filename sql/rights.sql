--
-- Rights: a storage is reached with USAGE on its server, which nobody but its
-- owner has by default; what makes or deletes is revoked from PUBLIC as well
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE ROLE regress_user;
GRANT USAGE ON SCHEMA txstore TO regress_user;
CREATE TEMP TABLE lines (line text);
GRANT SELECT ON lines TO regress_user;
CREATE FUNCTION pg_temp.try(call text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE 'SELECT ' || call INTO result;
	RETURN coalesce(result, 'null');
EXCEPTION
	WHEN OTHERS THEN
		RETURN sqlstate || ': ' || replace(sqlerrm, current_setting('txstore.default_storage'), 'NAME');
END $$;
CREATE FUNCTION pg_temp.try_all(OUT call text, OUT result text) RETURNS SETOF record
	BEGIN ATOMIC
		SELECT c, pg_temp.try(c) FROM unnest(ARRAY['etag FROM txstore.load(''rights/a'')', 'txstore.store(''rights/a'', NULL, '''')',
			'count(*) FROM txstore.plan_store(''rights/a'', ''0'', '''')', 'txstore.forget(''rights/a'')',
			'count(*) FROM txstore.export_items(''rights/a'')', 'count(*) > 0 FROM txstore.describe_storage()',
			'txstore.delete_partition(''rights/a'', ''0'')', 'txstore.import_items(''{}'')', 'txstore.import_items_from(''lines'')',
			'txstore.initialize_storage()']) WITH ORDINALITY AS v(c, n) ORDER BY n;
	END;

-- Without USAGE nothing is reached, but values need no storage
SET ROLE regress_user;
SELECT * FROM pg_temp.try_all();
SELECT txstore.partition_key('t', 'k', 's'), (txstore.prepare(1, 'x')).sequence_id;
SELECT count(*) FROM txstore.handles;
-- With it, what reads and stores is; a store needs no right on any table
RESET ROLE;
GRANT USAGE ON FOREIGN SERVER :"storage" TO regress_user;
SET ROLE regress_user;
SELECT * FROM pg_temp.try_all();
-- The rest can be granted
RESET ROLE;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA txstore TO regress_user;
SET ROLE regress_user;
SELECT etag FROM txstore.load('rights/a');
SELECT * FROM pg_temp.try_all() WHERE call !~ '^txstore\.store';
-- USAGE is asked for at each call, whatever handles there are
SELECT etag FROM txstore.load('rights/a');
RESET ROLE;
REVOKE USAGE ON FOREIGN SERVER :"storage" FROM regress_user;
SET ROLE regress_user;
SELECT * FROM pg_temp.try_all();
RESET ROLE;
DROP OWNED BY regress_user;
DROP ROLE regress_user;
