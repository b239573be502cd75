--
-- Handles: what a session remembers between load() and store(), and forget()
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE ROLE regress_other;
GRANT USAGE ON SCHEMA txstore TO regress_other;
GRANT USAGE ON FOREIGN SERVER :"storage" TO regress_other;
CREATE VIEW pg_temp.remembered AS
	SELECT partition_key, etag, committed_sequence_id AS committed, state_rows, must_load, bytes > 0 AS has_size
		FROM txstore.handles WHERE partition_key LIKE 'handles/%' ORDER BY partition_key;
GRANT SELECT ON pg_temp.remembered TO regress_other;
\set VERBOSITY sqlstate

-- A store needs a load in this session; the arguments are not looked at
SELECT txstore.store('handles/a', NULL, '', ARRAY[txstore.prepare(1, 'a')], 1);
SELECT txstore.store('handles/a', 'wrong-etag', '', ARRAY[txstore.prepare(1, 'a'), txstore.prepare(1, 'b')], 1);
SELECT * FROM txstore.plan_store('handles/a', NULL, '');
SELECT * FROM pg_temp.remembered;
SELECT count(*) FROM txstore.export_items('handles/a');

-- After the first load a partition is known as fresh
SELECT etag FROM txstore.load('handles/a');
SELECT * FROM pg_temp.remembered;
-- A plan changes nothing
SELECT count(*) FROM txstore.plan_store('handles/a', NULL, '', ARRAY[txstore.prepare(1, 'a')], 1);
SELECT * FROM pg_temp.remembered;
-- A store leaves what it made of the partition
SELECT txstore.store('handles/a', NULL, '', ARRAY[txstore.prepare(7, 'a'), txstore.prepare(8, 'b'), txstore.prepare(9, 'c')], 7);
SELECT * FROM pg_temp.remembered;
SELECT txstore.store('handles/a', '0', '', ARRAY[txstore.prepare(10, 'd')], 8, 8);
SELECT * FROM pg_temp.remembered;
-- A load finds the same
SELECT etag, committed_sequence_id FROM txstore.load('handles/a');
SELECT * FROM pg_temp.remembered;
-- So the second store needs no load: its plan deletes and overwrites by the
-- ETags of the first
SELECT txstore.store('handles/a', '1', '', ARRAY[txstore.prepare(10, 'e')]);
SELECT txstore.store('handles/a', '2', '', ARRAY[txstore.prepare(10, 'f')], 10);
SELECT action, row_key, expected_etag, new_etag FROM txstore.plan_store('handles/a', '3', '', ARRAY[txstore.prepare(10, 'g')]);

-- An argument that is refused leaves the handle as it is
SELECT txstore.store('handles/a', '2', '');
SELECT txstore.store('handles/a', '3', NULL);
SELECT txstore.store('handles/a', '3', '', NULL, 11);
SELECT * FROM pg_temp.remembered;

-- A handle is one user's: another has to load, and sees only its own
SET ROLE regress_other;
SELECT * FROM pg_temp.remembered;
SELECT txstore.store('handles/a', '3', '');
SELECT txstore.forget('handles/a');
SELECT etag FROM txstore.load('handles/a');
SELECT etag FROM txstore.load('handles/b');
SELECT * FROM pg_temp.remembered;
SELECT txstore.store('handles/a', '3', '');
RESET ROLE;
SELECT * FROM pg_temp.remembered;
-- A store that fails for another writer shows nothing but that
SELECT txstore.store('handles/a', '3', '');
SELECT * FROM pg_temp.remembered;
SELECT txstore.store('handles/a', '3', '');
SELECT txstore.store('handles/a', '4', '');
SELECT etag FROM txstore.load('handles/a');
SELECT * FROM pg_temp.remembered;
SELECT txstore.store('handles/a', '4', '');

-- Handles know the storage
SELECT storage = :'storage' AS right FROM txstore.handles WHERE partition_key = 'handles/a';

-- forget(): true if there was a handle; the next store needs a load
SELECT txstore.forget('handles/a');
SELECT txstore.forget('handles/a');
SELECT txstore.forget('handles/never loaded');
SELECT * FROM pg_temp.remembered;
SELECT txstore.store('handles/a', '5', '');
SELECT etag FROM txstore.load('handles/a');
SELECT txstore.store('handles/a', '5', '');
-- The one that demands a load can be forgotten as well
SET ROLE regress_other;
SELECT txstore.store('handles/a', '4', '');
SELECT must_load FROM pg_temp.remembered WHERE partition_key = 'handles/a';
SELECT txstore.forget('handles/a');
SELECT txstore.forget('handles/a');
RESET ROLE;
SELECT txstore.forget('handles/a', :'storage');
-- Nothing was written
SELECT etag FROM txstore.load('handles/a', :'storage');
\set VERBOSITY terse
SELECT txstore.forget(NULL);
SELECT txstore.forget('');
SELECT txstore.forget(repeat('k', 2049));
SELECT txstore.forget('handles/a', 'no such storage');

SELECT txstore.delete_partition('handles/a', '6');
DROP OWNED BY regress_other;
DROP ROLE regress_other;
