-- Where nothing looks on, a new state row takes the place of a deleted one.
-- The rows are the same as where a trigger makes a store delete and insert.
CREATE SERVER replaced FOREIGN DATA WRAPPER txstore_fdw OPTIONS (schema_name 'txs_replace', table_name 'replaced');
CREATE SERVER watched FOREIGN DATA WRAPPER txstore_fdw OPTIONS (schema_name 'txs_replace', table_name 'watched');
SELECT txstore.initialize_storage('replaced'), txstore.initialize_storage('watched');
CREATE FUNCTION txs_replace.look() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN NULL; END$$;
CREATE TRIGGER look AFTER INSERT OR UPDATE OR DELETE ON txs_replace.watched_states FOR EACH ROW EXECUTE FUNCTION txs_replace.look();

-- The same hundreds of stores, drawn by lot: prepares, commits and aborts of several versions at once
CREATE FUNCTION txs_replace.store(key text, versions bigint[], commit_up_to bigint, abort_after bigint, storage name) RETURNS text
LANGUAGE sql AS $$
	SELECT txstore.store(key, l.etag, l.metadata,
		(SELECT array_agg(txstore.prepare(n, convert_to(concat(key, n, l.etag), 'UTF8'), '00000000-0000-0000-0000-000000000001', '2024-01-01Z'))
			FROM unnest(versions) AS n), commit_up_to, abort_after, storage)
	FROM txstore.load(key, storage) AS l;
$$;
SELECT setseed(0.5);
DO $$
DECLARE
	committed bigint;
	last bigint;
	versions bigint[];
	up_to bigint;
	above bigint;
	key text;
	etags text[];
BEGIN
	FOR i IN 1..600 LOOP
		key := 'replace/' || i % 5;
		SELECT l.committed_sequence_id, coalesce(max(p.sequence_id), l.committed_sequence_id) INTO committed, last
			FROM txstore.load(key, 'replaced') AS l LEFT JOIN unnest(l.pending) AS p ON true GROUP BY 1;
		above := CASE WHEN random() < 0.3 THEN committed + floor(random() * 4) END;
		SELECT array_agg(n ORDER BY random()) INTO versions
			FROM generate_series(committed + 1, least(last, coalesce(above, last)) + 1 + (random() * 3)::int) AS n WHERE random() < 0.6;
		SELECT max(n) INTO up_to FROM unnest(versions) AS n WHERE random() < 0.4;
		etags := ARRAY[txs_replace.store(key, versions, up_to, above, 'replaced'), txs_replace.store(key, versions, up_to, above, 'watched')];
		ASSERT etags[1] = etags[2], etags;
	END LOOP;
	RAISE NOTICE 'rows were replaced: %, and where a trigger looks on: %',
		pg_stat_get_xact_tuples_deleted('txs_replace.replaced_states'::regclass) < pg_stat_get_xact_tuples_deleted('txs_replace.watched_states'::regclass) / 2,
		pg_stat_get_xact_tuples_updated('txs_replace.watched_states'::regclass) > pg_stat_get_xact_tuples_deleted('txs_replace.watched_states'::regclass);
END
$$;
CREATE TEMP VIEW differences AS
	SELECT count(*) FROM (SELECT e::jsonb - 'Timestamp' FROM txstore.export_items(storage => 'replaced') AS e) a
	FULL JOIN (SELECT e::jsonb - 'Timestamp' FROM txstore.export_items(storage => 'watched') AS e) b USING ("?column?")
	WHERE a IS NULL OR b IS NULL;
TABLE differences;
SELECT count(*) > 15 AS many_rows FROM txstore.export_items(storage => 'replaced');

-- More inserts than deletes, and more deletes than inserts, in several batches
SELECT txs_replace.store('replace/many', (SELECT array_agg(n) FROM generate_series(1, 250) n), NULL, NULL, s::name),
	txs_replace.store('replace/many', (SELECT array_agg(n) FROM generate_series(251, 400) n), 250, NULL, s::name),
	txs_replace.store('replace/many', ARRAY[300, 401], 300, 350, s::name)
	FROM unnest(ARRAY['replaced', 'watched']) AS s;
TABLE differences;
SELECT etag, committed_sequence_id, (SELECT array_agg(sequence_id) FROM unnest(pending)) AS pending FROM txstore.load('replace/many', 'replaced');
DROP SERVER replaced, watched;
SET client_min_messages = warning;
DROP VIEW differences;
DROP SCHEMA txs_replace CASCADE;
