--
-- store(): the ETag grows by one with each batch, so it tells how many there
-- were (the table of returned ETags)
--
\set VERBOSITY terse
CREATE FUNCTION pg_temp.versions(number bigint, state text) RETURNS txstore.state_version[]
	BEGIN ATOMIC
		SELECT array_agg(txstore.prepare(n, convert_to(state || n, 'UTF8')) ORDER BY n) FROM generate_series(1, number) AS n;
	END;
-- Calls store() as often as the list has elements, loading in between, and
-- returns the ETags; each step is prepare, commit, abort or both.  A state names
-- its step, the ETag before it, and its number.
CREATE FUNCTION pg_temp.run(key text, number bigint, VARIADIC steps text[]) RETURNS text[]
LANGUAGE plpgsql AS $$
DECLARE
	step text;
	last text;
	loaded text;
	etags text[];
BEGIN
	PERFORM FROM txstore.load(key);
	FOREACH step IN ARRAY steps LOOP
		last := txstore.store(key, last, '',
			CASE WHEN step IN ('prepare', 'both') THEN pg_temp.versions(number, format('%s/%s/', step, last)) END,
			CASE WHEN step IN ('commit', 'both') THEN number END,
			CASE WHEN step = 'abort' THEN 0 END);
		etags := etags || last;
		SELECT etag INTO loaded FROM txstore.load(key);
		ASSERT loaded = last;
	END LOOP;
	RETURN etags;
END $$;
-- A partition as load() gives it: how many versions are pending, of which steps
CREATE FUNCTION pg_temp.show(text, OUT etag text, OUT committed bigint, OUT state text, OUT pending bigint, OUT steps text)
	BEGIN ATOMIC
		SELECT l.etag, l.committed_sequence_id, convert_from(l.committed_state, 'UTF8'), cardinality(l.pending),
			(SELECT string_agg(DISTINCT rtrim(convert_from(p.state, 'UTF8'), '0123456789'), ' ') FROM unnest(l.pending) AS p
				WHERE convert_from(p.state, 'UTF8') ~ ('/' || p.sequence_id || '$'))
			FROM txstore.load($1) AS l;
	END;

-- 99 operations fill a batch; what fills one exactly needs another for the
-- new metadata (PrepareMany)
SELECT n, pg_temp.run('store_etags/prepare' || n, n, 'prepare') FROM unnest(ARRAY[1, 98, 99, 100, 197, 198, 199, 200]) AS n;
SELECT n, s.* FROM unnest(ARRAY[99, 100, 200]) AS n, pg_temp.show('store_etags/prepare' || n) AS s;

-- Prepare and commit at once: only the last version is written (ConfirmMany)
SELECT n, pg_temp.run('store_etags/both' || n, n, 'both') FROM unnest(ARRAY[1, 98, 99, 100, 200]) AS n;
SELECT n, s.* FROM unnest(ARRAY[99, 100, 200]) AS n, pg_temp.show('store_etags/both' || n) AS s;

-- Then commit: the deletes come after the new metadata, so a full batch needs
-- no other (ConfirmMany, two steps)
SELECT n, pg_temp.run('store_etags/commit' || n, n, 'prepare', 'commit') FROM unnest(ARRAY[1, 98, 99, 100, 101, 200]) AS n;
SELECT n, s.* FROM unnest(ARRAY[99, 100, 200]) AS n, pg_temp.show('store_etags/commit' || n) AS s;

-- Then abort: here they come before it (CancelMany)
SELECT n, pg_temp.run('store_etags/abort' || n, n, 'prepare', 'abort') FROM unnest(ARRAY[1, 98, 99, 100, 200]) AS n;
SELECT n, s.* FROM unnest(ARRAY[99, 100, 200]) AS n, pg_temp.show('store_etags/abort' || n) AS s;

-- Then replace (ReplaceMany)
SELECT n, pg_temp.run('store_etags/replace' || n, n, 'prepare', 'prepare') FROM unnest(ARRAY[1, 98, 99, 100, 200]) AS n;
SELECT n, s.* FROM unnest(ARRAY[99, 100, 200]) AS n, pg_temp.show('store_etags/replace' || n) AS s;

-- Nothing at all is one batch: the cheapest fence
SELECT pg_temp.run('store_etags/fence', 0, 'nothing', 'nothing', 'nothing');
-- The text goes from "9" to "10"
SELECT pg_temp.run('store_etags/digits', 1, 'prepare', 'prepare', 'prepare', 'prepare', 'prepare', 'prepare',
	'prepare', 'prepare', 'prepare', 'prepare', 'commit');
SELECT i #>> '{RowKey,S}' AS row_key, i #>> '{ETag,N}' AS etag FROM txstore.export_items('store_etags/digits') AS i;

SELECT count(*) FROM (SELECT DISTINCT i #>> '{PartitionKey,S}' AS key FROM txstore.export_items() AS i) AS k,
	txstore.load(key) AS l, txstore.delete_partition(key, l.etag) WHERE key LIKE 'store_etags/%';
