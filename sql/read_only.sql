--
-- Read-only storages and transactions: every write is refused, reads go on
--
\set VERBOSITY sqlstate
-- The default storage under another name: the server of an extension is not altered
CREATE TEMP TABLE storage AS SELECT value FROM txstore.describe_storage() WHERE property = 'storage';
DO $$
BEGIN
	EXECUTE (SELECT format('CREATE SERVER read_only FOREIGN DATA WRAPPER txstore_fdw OPTIONS (%s)',
			string_agg(format('%I %L', split_part(o, '=', 1), substr(o, strpos(o, '=') + 1)), ', '))
		FROM pg_foreign_server, unnest(srvoptions) AS o WHERE srvname = (SELECT value FROM storage));
END
$$;
SET txstore.default_storage = 'read_only';
CREATE TEMP TABLE lines (line text);
-- Calls everything that writes, with arguments that are right
CREATE FUNCTION pg_temp.try(call text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE 'SELECT ' || call INTO result;
	RETURN result;
EXCEPTION
	WHEN OTHERS THEN RETURN 'error ' || sqlstate;
END $$;
CREATE FUNCTION pg_temp.try_all(OUT call text, OUT result text) RETURNS SETOF record
	BEGIN ATOMIC
		SELECT c, pg_temp.try('txstore.' || c) FROM unnest(ARRAY['store(''read_only/a'', ''0'', ''x'')',
			'delete_partition(''read_only/a'', ''0'')', 'import_items(''{}'')', 'import_items_from(''lines'')', 'initialize_storage()',
			'store(''read_only/not loaded'', NULL, ''x'')', 'store(''read_only/a'', ''wrong-etag'', ''x'')'])
			WITH ORDINALITY AS v(c, n) ORDER BY n;
	END;
SELECT etag FROM txstore.load('read_only/a');
SELECT txstore.store('read_only/a', NULL, 'm', ARRAY[txstore.prepare(1, 'one')], 1);

-- A storage with the option read_only, for everyone
ALTER SERVER read_only OPTIONS (ADD read_only 'true');
SELECT * FROM pg_temp.try_all();
SELECT etag, committed_sequence_id, committed_state, metadata FROM txstore.load('read_only/a');
SELECT action, row_key FROM txstore.plan_store('read_only/a', '0', 'x');
SELECT count(*) FROM txstore.export_items('read_only/a');
SELECT value FROM txstore.describe_storage() WHERE property = 'read only';
SELECT txstore.forget('read_only/a');
SELECT etag FROM txstore.load('read_only/a');
ALTER SERVER read_only OPTIONS (SET read_only 'false');
SELECT value FROM txstore.describe_storage() WHERE property = 'read only';
-- The handle is usable afterwards
SELECT txstore.store('read_only/a', '0', 'y');
ALTER SERVER read_only OPTIONS (DROP read_only);
SELECT txstore.store('read_only/a', '1', 'z');

-- A read-only transaction
SET default_transaction_read_only = on;
SELECT txstore.store('read_only/a', '2', 'x');
SELECT txstore.delete_partition('read_only/a', '2');
SELECT txstore.import_items('{}');
SELECT txstore.import_items_from('lines');
SELECT txstore.initialize_storage();
SELECT etag, metadata FROM txstore.load('read_only/a');
SELECT action, row_key FROM txstore.plan_store('read_only/a', '2', 'x');
SELECT count(*) FROM txstore.export_items('read_only/a');
SELECT txstore.forget('read_only/a');
SELECT etag FROM txstore.load('read_only/a');
SET default_transaction_read_only = off;
SELECT txstore.store('read_only/a', '2', 'x');
SELECT txstore.delete_partition('read_only/a', '3');
DROP SERVER read_only;
