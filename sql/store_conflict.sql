--
-- store(): of two writers one wins, and the other must load again.  A handle
-- belongs to a user, so two users are two writers: the winner is the user
-- who runs the test, the loser a role.
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE ROLE regress_loser;
GRANT USAGE ON SCHEMA txstore TO regress_loser;
GRANT USAGE ON FOREIGN SERVER :"storage" TO regress_loser;
CREATE FUNCTION pg_temp.show(text, OUT etag text, OUT committed bigint, OUT state text, OUT pending text)
	BEGIN ATOMIC
		SELECT l.etag, l.committed_sequence_id, convert_from(l.committed_state, 'UTF8'),
			(SELECT string_agg(sequence_id || '=' || convert_from(p.state, 'UTF8'), ' ')
				FROM unnest(l.pending) AS p)
			FROM txstore.load($1) AS l;
	END;
-- Everything that the error of a store says
CREATE FUNCTION pg_temp.error_of(text, VARIADIC txstore.state_version[]) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	message text;
	detail text;
	hint text;
	context text;
BEGIN
	RETURN txstore.store($1, NULL, '', $2, 1);
EXCEPTION
	WHEN serialization_failure THEN
		GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL,
			hint = PG_EXCEPTION_HINT, context = PG_EXCEPTION_CONTEXT;
		RETURN message || detail || hint || context;
END $$;
\set VERBOSITY sqlstate

-- Both make the same new row (D1): the second fails, and none of its payload
-- is in the message, but the partition is
SELECT * FROM pg_temp.show('store_conflict/new');
SET ROLE regress_loser;
SELECT * FROM pg_temp.show('store_conflict/new');
RESET ROLE;
SELECT txstore.store('store_conflict/new', NULL, '', ARRAY[txstore.prepare(1, '101')], 1);
SET ROLE regress_loser;
SELECT error LIKE '%store_conflict/new%' AS partition, error LIKE '%999%' OR error LIKE '%very secret%' AS payload
	FROM pg_temp.error_of('store_conflict/new', txstore.prepare(1, '999 very secret')) AS error;
-- It cannot store again before it loads, whatever the arguments
SELECT txstore.store('store_conflict/new', NULL, '', ARRAY[txstore.prepare(1, '999')], 1);
SELECT txstore.store('store_conflict/new', '0', '', ARRAY[txstore.prepare(1, '999')], 1);
SELECT txstore.store('store_conflict/new', 'wrong-etag', '');
SELECT * FROM txstore.plan_store('store_conflict/new', NULL, '');
RESET ROLE;
SELECT * FROM pg_temp.show('store_conflict/new');
SET ROLE regress_loser;
SELECT * FROM pg_temp.show('store_conflict/new');
SELECT txstore.store('store_conflict/new', '0', '', ARRAY[txstore.prepare(1, '202')], 1);
RESET ROLE;
SELECT * FROM pg_temp.show('store_conflict/new');

-- Both overwrite a row (D2)
SELECT * FROM pg_temp.show('store_conflict/old');
SELECT txstore.store('store_conflict/old', NULL, '', ARRAY[txstore.prepare(1, '10')], 1);
SET ROLE regress_loser;
SELECT * FROM pg_temp.show('store_conflict/old');
RESET ROLE;
SELECT txstore.store('store_conflict/old', '0', '', ARRAY[txstore.prepare(1, '20')], 1);
SET ROLE regress_loser;
SELECT txstore.store('store_conflict/old', '0', '', ARRAY[txstore.prepare(1, '30'), txstore.prepare(2, '31')], 1);
RESET ROLE;
SELECT * FROM pg_temp.show('store_conflict/old');
SET ROLE regress_loser;
SELECT * FROM pg_temp.show('store_conflict/old');
SELECT txstore.store('store_conflict/old', '1', '', ARRAY[txstore.prepare(1, '40')], 1);
RESET ROLE;
SELECT * FROM pg_temp.show('store_conflict/old');
SELECT i #>> '{RowKey,S}' AS row_key, i #>> '{ETag,N}' AS etag FROM txstore.export_items('store_conflict/old') AS i;

-- One commits what the other aborts (D3)
SELECT * FROM pg_temp.show('store_conflict/abort');
SELECT txstore.store('store_conflict/abort', NULL, '', ARRAY[txstore.prepare(1, '10'), txstore.prepare(2, '20')], 1);
SET ROLE regress_loser;
SELECT * FROM pg_temp.show('store_conflict/abort');
RESET ROLE;
SELECT txstore.store('store_conflict/abort', '0', '', ARRAY[txstore.prepare(2, '21')], 2);
SET ROLE regress_loser;
SELECT txstore.store('store_conflict/abort', '0', '', NULL, NULL, 1);
RESET ROLE;
SELECT * FROM pg_temp.show('store_conflict/abort');

-- A store that changes nothing is a conflict, too: for the stale writer, and
-- for the writer that it made stale
SET ROLE regress_loser;
SELECT * FROM pg_temp.show('store_conflict/abort');
RESET ROLE;
SELECT txstore.store('store_conflict/abort', '1', '');
SET ROLE regress_loser;
SELECT txstore.store('store_conflict/abort', '1', '');
SELECT txstore.store('store_conflict/abort', '1', '', ARRAY[txstore.prepare(3, '3')]);
-- After a load it goes on from there
SELECT * FROM pg_temp.show('store_conflict/abort');
SELECT txstore.store('store_conflict/abort', '2', '', ARRAY[txstore.prepare(3, '3')]);
RESET ROLE;
SELECT txstore.store('store_conflict/abort', '2', '', ARRAY[txstore.prepare(3, '4')], 3);
SELECT * FROM pg_temp.show('store_conflict/abort');

-- A plan asks no storage, so it knows of no conflict
SET ROLE regress_loser;
SELECT txstore.store('store_conflict/abort', '3', '');
RESET ROLE;
SELECT batch, row_key, expected_etag FROM txstore.plan_store('store_conflict/abort', '3', '');
SELECT txstore.store('store_conflict/abort', '3', '');

-- A partition that is gone is a conflict
SET ROLE regress_loser;
SELECT * FROM pg_temp.show('store_conflict/new');
RESET ROLE;
SELECT txstore.delete_partition('store_conflict/new', '1');
SET ROLE regress_loser;
SELECT txstore.store('store_conflict/new', '1', '', ARRAY[txstore.prepare(1, '3')], 1);
SELECT * FROM pg_temp.show('store_conflict/new');
RESET ROLE;

SELECT k, txstore.delete_partition('store_conflict/' || k, e) FROM (VALUES ('old', '2'), ('abort', '4')) AS v(k, e);
DROP OWNED BY regress_loser;
DROP ROLE regress_loser;
