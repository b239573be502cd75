--
-- store(): preparing versions, again and in batches
--
\set VERBOSITY terse
-- A partition as load() gives it
CREATE FUNCTION pg_temp.show(text, OUT etag text, OUT committed bigint, OUT state text, OUT pending text)
	BEGIN ATOMIC
		SELECT l.etag, l.committed_sequence_id, convert_from(l.committed_state, 'UTF8'),
			(SELECT string_agg(sequence_id || '=' || convert_from(p.state, 'UTF8'), ' ')
				FROM unnest(l.pending) AS p)
			FROM txstore.load($1) AS l;
	END;
-- ETags of a partition's rows
CREATE FUNCTION pg_temp.etags(text) RETURNS TABLE (row_key text, etag text)
	BEGIN ATOMIC
		SELECT i #>> '{RowKey,S}', i #>> '{ETag,N}' FROM txstore.export_items($1) AS i;
	END;

-- Preparing a number again replaces it: the row's ETag grows (ReplaceOne)
SELECT * FROM pg_temp.show('pending/replace');
SELECT txstore.store('pending/replace', NULL, '', ARRAY[txstore.prepare(1, '123')]);
SELECT txstore.store('pending/replace', '0', '', ARRAY[txstore.prepare(1, '456',
	'00000000-0000-0000-0000-000000000456', '2024-04-05 06:00+00', 'second')]);
SELECT * FROM pg_temp.show('pending/replace');
SELECT p.* FROM txstore.load('pending/replace'), unnest(pending) AS p;
SELECT * FROM pg_temp.etags('pending/replace');

-- Versions below the commit point are left out, at it they overwrite: of 1 to
-- 4 and 3 to 8 with a commit of 6, 6 is committed and 7, 8 wait (GrowingBatch)
SELECT * FROM pg_temp.show('pending/growing');
SELECT txstore.store('pending/growing', NULL, '', ARRAY[txstore.prepare(1, '11'), txstore.prepare(2, '22'),
	txstore.prepare(3, '333'), txstore.prepare(4, '444')]);
SELECT txstore.store('pending/growing', '0', '', ARRAY[txstore.prepare(3, '33'), txstore.prepare(4, '44'),
	txstore.prepare(5, '55'), txstore.prepare(6, '66'), txstore.prepare(7, '77'), txstore.prepare(8, '88')], 6);
SELECT * FROM pg_temp.show('pending/growing');
SELECT * FROM pg_temp.etags('pending/growing');

-- Abort above 4, replace 3 and 4, commit 3, at once (ShrinkingBatch)
SELECT * FROM pg_temp.show('pending/shrinking');
SELECT txstore.store('pending/shrinking', NULL, '', ARRAY[txstore.prepare(1, '11'), txstore.prepare(2, '22'),
	txstore.prepare(3, '333'), txstore.prepare(4, '444'), txstore.prepare(5, '55'), txstore.prepare(6, '66'),
	txstore.prepare(7, '77'), txstore.prepare(8, '88')]);
SELECT txstore.store('pending/shrinking', '0', '', ARRAY[txstore.prepare(3, '33'), txstore.prepare(4, '44')], 3, 4);
SELECT * FROM pg_temp.show('pending/shrinking');
SELECT * FROM pg_temp.etags('pending/shrinking');

-- Later numbers may come first, and between others
SELECT * FROM pg_temp.show('pending/unsorted');
SELECT txstore.store('pending/unsorted', NULL, '', ARRAY[txstore.prepare(5, 'e'), txstore.prepare(1, 'a'),
	txstore.prepare(3, 'c')]);
SELECT txstore.store('pending/unsorted', '0', '', ARRAY[txstore.prepare(4, 'd'), txstore.prepare(2, 'b'),
	txstore.prepare(3, 'C')]);
SELECT * FROM pg_temp.show('pending/unsorted');
SELECT * FROM pg_temp.etags('pending/unsorted');

-- Version 0 is stored, but no load shows it, and the next commit deletes it
SELECT * FROM pg_temp.show('pending/zero');
SELECT txstore.store('pending/zero', NULL, '', ARRAY[txstore.prepare(0, 'nothing')]);
SELECT * FROM pg_temp.show('pending/zero');
SELECT * FROM pg_temp.etags('pending/zero');
SELECT txstore.store('pending/zero', '0', '', ARRAY[txstore.prepare(1, 'one')], 1);
SELECT * FROM pg_temp.show('pending/zero');
SELECT * FROM pg_temp.etags('pending/zero');

-- One number twice in a call is refused before anything is written, also where
-- the versions are equal, or lie in different batches; the handle stays usable
-- (D4; Orleans would have to load again)
SELECT * FROM pg_temp.show('pending/twice');
SELECT txstore.store('pending/twice', NULL, '', ARRAY[txstore.prepare(1, '10'), txstore.prepare(1, '20')], 1);
SELECT txstore.store('pending/twice', NULL, '', (SELECT array_agg(txstore.prepare(n, '0') ORDER BY n) FROM
	generate_series(1, 150) AS n) || txstore.prepare(1, '1'));
-- also where both lie below the commit point and would be left out
SELECT txstore.store('pending/twice', NULL, '',
	ARRAY[txstore.prepare(2, '2'), txstore.prepare(1, '1'), txstore.prepare(1, '1')], 2);
SELECT count(*) FROM txstore.export_items('pending/twice');
SELECT txstore.store('pending/twice', NULL, '', ARRAY[txstore.prepare(1, '40')], 1);
SELECT * FROM pg_temp.show('pending/twice');

SELECT k, txstore.delete_partition('pending/' || k, e) FROM (VALUES ('replace', '1'), ('growing', '1'),
	('shrinking', '1'), ('unsorted', '1'), ('zero', '1'), ('twice', '0')) AS v(k, e);
