--
-- plan_store(): which rows a store would write, in which order, on which
-- conditions
--
\set VERBOSITY terse
CREATE FUNCTION pg_temp.versions(VARIADIC bigint[]) RETURNS txstore.state_version[]
	BEGIN ATOMIC
		SELECT array_agg(txstore.prepare(n, 'state') ORDER BY i) FROM unnest($1) WITH ORDINALITY AS v(n, i);
	END;

-- The first store of a partition: no row may be there
SELECT etag FROM txstore.load('plan/a');
SELECT * FROM txstore.plan_store('plan/a', NULL, '', pg_temp.versions(1, 2));
-- It may be asked again, and writes nothing
SELECT count(*) FROM txstore.plan_store('plan/a', '', '', pg_temp.versions(1, 2));
SELECT count(*) FROM txstore.export_items('plan/a');

-- Bytes are Orleans' count.  A state row has 169 for names, row key, id and
-- time, 6 for this partition key, 78 for the manager, 1 for the ETag, and the
-- state's; a key row has 71 and 6, the digits of committed id and ETag, and
-- the metadata's.  Empty attributes count nothing, not even their names.
SELECT row_key, bytes, bytes - (169 + 6 + 78 + 1) AS state FROM txstore.plan_store('plan/a', NULL, '\x112233',
	ARRAY[txstore.prepare(1, ''), txstore.prepare(2, 'x'), txstore.prepare(3, convert_to(repeat('y', 1000), 'UTF8')),
		ROW(4, NULL, NULL, NULL, '')::txstore.state_version]);

-- In the order: aborts from the highest, prepares as given, obsolete rows from
-- the lowest, then the key row (ShrinkingBatch)
SELECT txstore.store('plan/a', NULL, '', pg_temp.versions(1, 2, 3, 4, 5, 6, 7, 8));
SELECT batch, operation, action, row_key, condition, expected_etag, new_etag
	FROM txstore.plan_store('plan/a', '0', '', pg_temp.versions(3, 4), 3, 4);
SELECT operation, action, row_key FROM txstore.plan_store('plan/a', '0', '', pg_temp.versions(12, 9, 2, 10, 4));
-- Prepares below the commit point are left out (GrowingBatch)
SELECT operation, action, row_key, expected_etag, new_etag
	FROM txstore.plan_store('plan/a', '0', '', pg_temp.versions(3, 4, 5, 6, 7, 8, 9), 6);
-- Nothing to do is the key row alone
SELECT * FROM txstore.plan_store('plan/a', '0', '');
SELECT operation, action, row_key FROM txstore.plan_store('plan/a', '0', '', NULL, 0, 8);
-- Abort and prepare of one version: one overwrite, in the place of the prepare
SELECT operation, action, row_key, expected_etag, new_etag
	FROM txstore.plan_store('plan/a', '0', '', pg_temp.versions(7, 5), NULL, 4);
-- but where it is below the commit point, only the delete
SELECT operation, action, row_key, expected_etag, new_etag
	FROM txstore.plan_store('plan/a', '0', '', pg_temp.versions(7, 9), 9, 6);
-- A higher commit deletes more, a lower one nothing
SELECT txstore.store('plan/a', '0', '', NULL, 6);
SELECT action, row_key FROM txstore.plan_store('plan/a', '1', '', NULL, 8);
SELECT action, row_key FROM txstore.plan_store('plan/a', '1', '', pg_temp.versions(2, 4), 3);
-- A row is planned on the ETag it has
SELECT txstore.store('plan/a', '1', '', pg_temp.versions(7));
SELECT txstore.store('plan/a', '2', '', pg_temp.versions(7, 8));
SELECT action, row_key, expected_etag, new_etag FROM txstore.plan_store('plan/a', '3', '', pg_temp.versions(6, 7, 9), NULL, 7);

-- A plan is what a store does
CREATE TEMP TABLE planned AS SELECT * FROM txstore.plan_store('plan/a', '3', 'm', pg_temp.versions(7, 9), 7, 7);
SELECT txstore.store('plan/a', '3', 'm', pg_temp.versions(7, 9), 7, 7);
SELECT i #>> '{RowKey,S}' AS row_key, i #>> '{ETag,N}' AS etag, new_etag
	FROM txstore.export_items('plan/a') AS i LEFT JOIN planned ON row_key = i #>> '{RowKey,S}' ORDER BY 1;
SELECT row_key FROM planned WHERE action = 'delete' ORDER BY operation;

-- What a store refuses a plan refuses
SELECT * FROM txstore.plan_store('plan/a', '4', '', pg_temp.versions(8, 8));
SELECT * FROM txstore.plan_store('plan/a', '4', '', NULL, 11);
SELECT * FROM txstore.plan_store('plan/a', '4', '', NULL, NULL, 6);
SELECT * FROM txstore.plan_store('plan/a', '4', '', ARRAY[txstore.prepare(8, convert_to(repeat('x', 409600), 'UTF8'))]);
SELECT txstore.delete_partition('plan/a', '4');
