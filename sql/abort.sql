--
-- store(): aborting versions
--
\set VERBOSITY terse
-- A partition as load() gives it, and its rows: the end of the row key, and the ETag
CREATE FUNCTION pg_temp.show(text, OUT etag text, OUT committed bigint, OUT state text, OUT pending text, OUT rows text)
	BEGIN ATOMIC
		SELECT l.etag, l.committed_sequence_id, convert_from(l.committed_state, 'UTF8'),
			(SELECT string_agg(sequence_id || '=' || convert_from(p.state, 'UTF8'), ' ')
				FROM unnest(l.pending) AS p),
			(SELECT string_agg(substr(i #>> '{RowKey,S}', 21) || ':' || (i #>> '{ETag,N}'), ' ')
				FROM txstore.export_items($1) AS i WHERE i #>> '{RowKey,S}' <> 'key')
			FROM txstore.load($1) AS l;
	END;
CREATE FUNCTION pg_temp.versions(VARIADIC bigint[]) RETURNS txstore.state_version[]
	BEGIN ATOMIC
		SELECT array_agg(txstore.prepare(n, convert_to('s' || n, 'UTF8'))) FROM unnest($1) AS n;
	END;

-- Prepare, then abort (CancelOne)
SELECT * FROM pg_temp.show('abort/one');
SELECT txstore.store('abort/one', NULL, '', ARRAY[txstore.prepare(1, '123')]);
SELECT txstore.store('abort/one', '0', '', '{}', NULL, 0);
SELECT * FROM pg_temp.show('abort/one');
-- Nothing to abort: the key row is written all the same
SELECT txstore.store('abort/one', '1', '', NULL, NULL, 0);
SELECT txstore.store('abort/one', '2', '', NULL, NULL, 9223372036854775807);
SELECT * FROM pg_temp.show('abort/one');

-- One to commit and one to abort: at once, or in either order
-- (ConfirmOneAndCancelOne)
SELECT k, s.* FROM unnest(ARRAY['abort/both', 'abort/first', 'abort/last']) AS k, pg_temp.show(k) AS s;
SELECT k, txstore.store(k, NULL, '', ARRAY[txstore.prepare(1, '123'), txstore.prepare(2, '456')])
	FROM unnest(ARRAY['abort/both', 'abort/first', 'abort/last']) AS k;
SELECT txstore.store('abort/both', '0', '', NULL, 1, 1);
SELECT txstore.store('abort/first', '0', '', NULL, NULL, 1);
SELECT txstore.store('abort/first', '1', '', NULL, 1);
SELECT txstore.store('abort/last', '0', '', NULL, 1);
SELECT txstore.store('abort/last', '1', '', NULL, NULL, 1);
SELECT k, s.* FROM unnest(ARRAY['abort/both', 'abort/first', 'abort/last']) AS k, pg_temp.show(k) AS s;

-- Versions above abort_after go, the others stay
SELECT * FROM pg_temp.show('abort/above');
SELECT txstore.store('abort/above', NULL, '', pg_temp.versions(1, 2, 4, 6, 8), 1);
SELECT txstore.store('abort/above', '0', '', NULL, NULL, 4);
SELECT * FROM pg_temp.show('abort/above');
-- New ones may come in the same call, above and at abort_after
SELECT txstore.store('abort/above', '1', '', ARRAY[txstore.prepare(4, 'new'), txstore.prepare(5, 'new')], NULL, 4);
SELECT * FROM pg_temp.show('abort/above');

-- Aborted and prepared anew in one call: one conditional overwrite, so the
-- row's ETag goes on (Orleans sends a request that the service refuses)
SELECT * FROM pg_temp.show('abort/anew');
SELECT txstore.store('abort/anew', NULL, '', pg_temp.versions(1, 2, 3, 4, 5), 1);
SELECT txstore.store('abort/anew', '0', '', ARRAY[txstore.prepare(3, 'new'), txstore.prepare(5, 'new')], NULL, 2);
SELECT * FROM pg_temp.show('abort/anew');
-- and committed as well
SELECT txstore.store('abort/anew', '1', '', ARRAY[txstore.prepare(3, 'newer')], 3, 1);
SELECT * FROM pg_temp.show('abort/anew');
-- A prepare below the commit point is left out, so its old row is just aborted
SELECT txstore.store('abort/anew', '2', '', ARRAY[txstore.prepare(4, 'd'), txstore.prepare(6, 'f')]);
SELECT txstore.store('abort/anew', '3', '', ARRAY[txstore.prepare(4, 'left out'), txstore.prepare(7, 'g')], 7, 3);
SELECT * FROM pg_temp.show('abort/anew');

-- Aborting the committed version is refused, since nothing could be loaded
-- afterwards; the handle stays usable
SELECT txstore.store('abort/anew', '4', '', NULL, NULL, 6);
SELECT txstore.store('abort/anew', '4', '', NULL, NULL, 0);
-- also with a new version of that number in the same call, or a commit above
SELECT txstore.store('abort/anew', '4', '', ARRAY[txstore.prepare(7, 'h'), txstore.prepare(8, 'h')], 8, 6);
SELECT txstore.store('abort/anew', '4', '', NULL, NULL, 7);
SELECT * FROM pg_temp.show('abort/anew');

SELECT k, txstore.delete_partition('abort/' || k, e) FROM (VALUES ('one', '3'), ('both', '1'), ('first', '2'),
	('last', '2'), ('above', '2'), ('anew', '5')) AS v(k, e);
