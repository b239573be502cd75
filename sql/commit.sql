--
-- store(): committing versions
--
\set VERBOSITY terse
-- A partition as load() gives it, and the last two digits of its row keys
CREATE FUNCTION pg_temp.show(text, OUT etag text, OUT committed bigint, OUT state text, OUT pending text, OUT rows text)
	BEGIN ATOMIC
		SELECT l.etag, l.committed_sequence_id, convert_from(l.committed_state, 'UTF8'),
			(SELECT string_agg(sequence_id || '=' || convert_from(p.state, 'UTF8'), ' ')
				FROM unnest(l.pending) AS p),
			(SELECT string_agg(substr(i #>> '{RowKey,S}', 21), ' ')
				FROM txstore.export_items($1) AS i WHERE i #>> '{RowKey,S}' <> 'key')
			FROM txstore.load($1) AS l;
	END;

-- Prepare, then commit (ConfirmOne, two steps)
SELECT * FROM pg_temp.show('commit/two');
SELECT txstore.store('commit/two', NULL, '', ARRAY[txstore.prepare(1, '123')]);
SELECT txstore.store('commit/two', '0', '', '{}', 1);
SELECT * FROM pg_temp.show('commit/two');

-- Prepare and commit at once (ConfirmOne, one step)
SELECT * FROM pg_temp.show('commit/one');
SELECT txstore.store('commit/one', NULL, '', ARRAY[txstore.prepare(1, '123')], 1);
SELECT * FROM pg_temp.show('commit/one');
-- A commit of the committed version changes nothing but the ETag
SELECT txstore.store('commit/one', '0', '', NULL, 1);
SELECT * FROM pg_temp.show('commit/one');
-- With a prepare of that number it overwrites the committed row
SELECT txstore.store('commit/one', '1', '', ARRAY[txstore.prepare(1, '124')], 1);
SELECT * FROM pg_temp.show('commit/one');
-- So does the prepare without a commit; one below is left out
SELECT txstore.store('commit/one', '2', '', ARRAY[txstore.prepare(0, 'x'), txstore.prepare(1, '125')]);
SELECT * FROM pg_temp.show('commit/one');

-- A commit deletes every version below it
SELECT * FROM pg_temp.show('commit/below');
SELECT txstore.store('commit/below', NULL, '', ARRAY[txstore.prepare(0, 'o'), txstore.prepare(1, 'a'),
	txstore.prepare(3, 'c'), txstore.prepare(5, 'e'), txstore.prepare(6, 'f')]);
SELECT txstore.store('commit/below', '0', '', NULL, 5);
SELECT * FROM pg_temp.show('commit/below');

-- Below the committed version: that one stays, as do the versions from the
-- commit point on; prepares there are really inserted, and load() shows none
SELECT * FROM pg_temp.show('commit/lower');
SELECT txstore.store('commit/lower', NULL, '', ARRAY[txstore.prepare(9, 'i'), txstore.prepare(10, 'j')], 9);
SELECT txstore.store('commit/lower', '0', '', ARRAY[txstore.prepare(3, 'c'), txstore.prepare(4, 'd'),
	txstore.prepare(5, 'e')], 4);
SELECT * FROM pg_temp.show('commit/lower');
-- of those only the ones below a later such point are deleted
SELECT txstore.store('commit/lower', '1', '', NULL, 5);
SELECT * FROM pg_temp.show('commit/lower');
SELECT txstore.store('commit/lower', '2', '', NULL, 0);
SELECT * FROM pg_temp.show('commit/lower');
-- The next store without a commit deletes what is below the committed version
SELECT txstore.store('commit/lower', '3', '');
SELECT * FROM pg_temp.show('commit/lower');

-- A commit of a version that does not exist is refused; in Orleans the next
-- load would fail.  The handle stays usable.
SELECT * FROM pg_temp.show('commit/missing');
SELECT txstore.store('commit/missing', NULL, '', NULL, 1);
SELECT txstore.store('commit/missing', NULL, '', ARRAY[txstore.prepare(1, 'a'), txstore.prepare(3, 'c')], 2);
SELECT txstore.store('commit/missing', NULL, '', ARRAY[txstore.prepare(1, 'a')], 2);
SELECT txstore.store('commit/missing', NULL, '', NULL, 0);
SELECT txstore.store('commit/missing', '0', '', ARRAY[txstore.prepare(1, 'a'), txstore.prepare(2, 'b')]);
SELECT txstore.store('commit/missing', '1', '', NULL, 3);
-- also if this very call aborts it
SELECT txstore.store('commit/missing', '1', '', NULL, 2, 1);
SELECT txstore.store('commit/missing', '1', '', NULL, 9223372036854775807);
SELECT * FROM pg_temp.show('commit/missing');
-- Prepared in the same call it exists, aborted or not
SELECT txstore.store('commit/missing', '1', '', ARRAY[txstore.prepare(2, 'B')], 2, 1);
SELECT * FROM pg_temp.show('commit/missing');

-- The largest number can be committed
SELECT * FROM pg_temp.show('commit/largest');
SELECT txstore.store('commit/largest', NULL, '', ARRAY[txstore.prepare(9223372036854775807, 'z')], 9223372036854775807);
SELECT etag, committed, state FROM pg_temp.show('commit/largest');

SELECT k, txstore.delete_partition('commit/' || k, e) FROM (VALUES ('two', '1'), ('one', '3'), ('below', '1'),
	('lower', '4'), ('missing', '2'), ('largest', '0')) AS v(k, e);
