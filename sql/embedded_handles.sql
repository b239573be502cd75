-- Handles and transactions: a handle dies with what it saw.
\set SHOW_CONTEXT never
CREATE SERVER handles FOREIGN DATA WRAPPER txstore_fdw OPTIONS (schema_name 'handles');
SET txstore.default_storage = 'handles';
CREATE VIEW remembered AS
	SELECT partition_key, etag, committed_sequence_id AS committed, state_rows, must_load FROM txstore.handles ORDER BY 1;

-- A handle outlives its transaction, committed or rolled back, where the rows do.
BEGIN;
SELECT etag FROM txstore.load('p');
COMMIT;
SELECT txstore.store('p', '', '', ARRAY[txstore.prepare(1, 'one')], 1);
BEGIN;
SELECT etag FROM txstore.load('p');
ROLLBACK;
SELECT txstore.store('p', '0', '');
TABLE remembered;

-- After a rollback that undid a store(), load() must come first.
BEGIN;
SELECT txstore.store('p', '1', '', ARRAY[txstore.prepare(2, 'two')]);
TABLE remembered;
ROLLBACK;
TABLE remembered;
SELECT txstore.store('p', '2', '');
\echo :LAST_ERROR_SQLSTATE
SELECT txstore.store('p', '1', '');
SELECT count(*) FROM txstore.plan_store('p', '1', '');
SELECT etag, pending FROM txstore.load('p');
SELECT txstore.store('p', '1', '');
-- Also when the rollback undid the first store() of the partition, with its tables' rows.
BEGIN;
SELECT etag FROM txstore.load('new');
SELECT txstore.store('new', '', '');
ROLLBACK;
SELECT txstore.store('new', '', '');
SELECT etag FROM txstore.load('new');

-- ROLLBACK TO: the store() above the savepoint counts, those below it do not.
BEGIN;
SELECT txstore.store('p', '2', '');
SAVEPOINT a;
SELECT txstore.store('new', '', '');
ROLLBACK TO a;
SELECT txstore.store('new', '0', '');
ROLLBACK TO a;
SELECT txstore.store('p', '3', '');
SAVEPOINT b;
SELECT txstore.store('p', '4', '');
ROLLBACK TO b;
SELECT txstore.store('p', '4', '');
ROLLBACK TO b;
SELECT etag FROM txstore.load('p');
SELECT txstore.store('p', '4', '');
COMMIT;
TABLE remembered;
-- RELEASE makes it the outer part's own: undone with that.
BEGIN;
SAVEPOINT outer_part;
SAVEPOINT inner_part;
SELECT txstore.store('p', '5', '');
RELEASE inner_part;
SELECT txstore.store('p', '6', '');
ROLLBACK TO outer_part;
TABLE remembered;
SELECT etag FROM txstore.load('p');
COMMIT;
SELECT txstore.store('p', '5', '');
-- Released up to the top and committed, it stays.
BEGIN;
SAVEPOINT a;
SAVEPOINT b;
SELECT txstore.store('p', '6', '');
RELEASE a;
SAVEPOINT c;
ROLLBACK TO c;
COMMIT;
SELECT txstore.store('p', '7', '');

-- A load() that saw this transaction's own store() dies with it, though the load is in another part.
BEGIN;
SAVEPOINT a;
SELECT txstore.store('p', '8', '');
RELEASE a;
SAVEPOINT b;
SELECT txstore.forget('p');
SELECT etag FROM txstore.load('p');
ROLLBACK TO b;
SELECT txstore.store('p', '9', '');
ROLLBACK;
TABLE remembered;
BEGIN;
SAVEPOINT a;
SELECT etag FROM txstore.load('p');
SELECT txstore.store('p', '8', '');
SELECT txstore.forget('p');
SELECT etag FROM txstore.load('p');
ROLLBACK TO a;
SELECT txstore.store('p', '9', '');
ROLLBACK;
-- A load() that saw what is committed does not.
BEGIN;
SAVEPOINT a;
SELECT etag FROM txstore.load('p');
ROLLBACK TO a;
SELECT txstore.store('p', '8', '');
COMMIT;

-- Exception blocks are savepoints, nested ones too.
DO $$
BEGIN
	BEGIN
		PERFORM txstore.store('p', '9', '');
		BEGIN
			PERFORM txstore.store('p', '10', '');
			RAISE division_by_zero;
		EXCEPTION WHEN division_by_zero THEN
			RAISE NOTICE 'inner: %', (SELECT must_load FROM remembered WHERE partition_key = 'p');
			PERFORM txstore.load('p');
			PERFORM txstore.store('p', '10', '');
			RAISE NOTICE 'inner: %', (SELECT etag FROM remembered WHERE partition_key = 'p');
		END;
		RAISE division_by_zero;
	EXCEPTION WHEN division_by_zero THEN
		RAISE NOTICE 'outer: %', (SELECT must_load FROM remembered WHERE partition_key = 'p');
		BEGIN
			PERFORM txstore.store('p', '9', '');
		EXCEPTION WHEN object_not_in_prerequisite_state THEN
			RAISE NOTICE 'outer: %', SQLERRM;
		END;
	END;
END
$$;
SELECT etag FROM txstore.load('p');

SET client_min_messages = warning;
DROP VIEW remembered;
DROP SERVER handles;
DROP SCHEMA handles CASCADE;
