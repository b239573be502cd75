--
-- plan_store(): which batch carries the new metadata and commit position.
-- Its key row is larger: with 100 bytes of metadata and the name.
--
\set VERBOSITY terse
CREATE FUNCTION pg_temp.versions(first bigint, last bigint) RETURNS txstore.state_version[]
	BEGIN ATOMIC
		SELECT array_agg(txstore.prepare(n, 'state') ORDER BY n) FROM generate_series(first, last) AS n;
	END;
-- Plan a store with new metadata: the batches, and what their key rows hold
CREATE FUNCTION pg_temp.plan(text, etag text, prepares txstore.state_version[] DEFAULT NULL, commit_up_to bigint DEFAULT NULL,
	abort_after bigint DEFAULT NULL)
	RETURNS TABLE (batch integer, deletes bigint, puts bigint, new_etag bigint, key_bytes bigint)
	BEGIN ATOMIC
		SELECT p.batch, count(*) FILTER (WHERE action = 'delete'), count(*) FILTER (WHERE action = 'put' AND row_key <> 'key'),
			max(p.new_etag) FILTER (WHERE row_key = 'key'), sum(p.bytes) FILTER (WHERE row_key = 'key')
			FROM txstore.plan_store($1, etag, convert_to(repeat('m', 100), 'UTF8'), prepares, commit_up_to, abort_after) AS p
			GROUP BY p.batch ORDER BY p.batch;
	END;

-- A key row of this partition counts 44 + 15 bytes, the digits of committed id
-- and ETag, 9 and 10 for the time of the store, 8 and 100 for metadata.
-- 250 prepares on a fresh partition: the first key rows have no metadata and
-- no time, as Orleans' have none: 44 + 15 + 1 + 1
SELECT etag FROM txstore.load('plan_metadata/a');
SELECT * FROM pg_temp.plan('plan_metadata/a', NULL, pg_temp.versions(1, 250));
-- 99 fill a batch, so the metadata goes alone
SELECT * FROM pg_temp.plan('plan_metadata/a', NULL, pg_temp.versions(1, 99));
SELECT * FROM pg_temp.plan('plan_metadata/a', NULL, pg_temp.versions(1, 98));
-- The commit position goes with it: 101 of 101 to 201 (3 digits)
SELECT * FROM pg_temp.plan('plan_metadata/a', NULL, pg_temp.versions(101, 201), 101);

-- With old metadata of 10 bytes
SELECT txstore.store('plan_metadata/a', NULL, convert_to(repeat('o', 10), 'UTF8'), pg_temp.versions(1, 250));
-- One put and a commit: deletes come after the new metadata, so the first
-- batch carries it and makes the commit durable
SELECT * FROM pg_temp.plan('plan_metadata/a', '2', pg_temp.versions(251, 251), 251);
SELECT * FROM pg_temp.plan('plan_metadata/a', '2', NULL, 250);
SELECT * FROM pg_temp.plan('plan_metadata/a', '2', NULL, 100);
SELECT * FROM pg_temp.plan('plan_metadata/a', '2', NULL, 101);
-- Aborts and prepares come before it: their batches carry the old one
SELECT * FROM pg_temp.plan('plan_metadata/a', '2', NULL, NULL, 0);
SELECT * FROM pg_temp.plan('plan_metadata/a', '2', NULL, NULL, 151);
SELECT * FROM pg_temp.plan('plan_metadata/a', '2', NULL, NULL, 52);
SELECT * FROM pg_temp.plan('plan_metadata/a', '2', pg_temp.versions(1, 250));
SELECT * FROM pg_temp.plan('plan_metadata/a', '2', pg_temp.versions(200, 298));
-- 60 rows aborted and prepared anew are overwrites; 39 of 120 obsolete rows fill
-- the batch, and it carries the new metadata
SELECT * FROM pg_temp.plan('plan_metadata/a', '2', pg_temp.versions(191, 250), 121, 190);
-- 60 aborts and 60 prepares: the 99 first carry the old one; then 21 prepares
-- and 78 of the obsolete rows the new one
SELECT * FROM pg_temp.plan('plan_metadata/a', '2', pg_temp.versions(251, 310), 121, 190);
-- 99 operations before it and some after it: the deletes carry it
SELECT * FROM pg_temp.plan('plan_metadata/a', '2', pg_temp.versions(152, 250), 11);

-- Rows below the commit point that an earlier store left go with the next one,
-- whatever it does
SELECT txstore.store('plan_metadata/a', '2', '', NULL, 250);
SELECT txstore.store('plan_metadata/a', '5', '', pg_temp.versions(1, 120), 1);
SELECT count(*) FROM txstore.export_items('plan_metadata/a');
SELECT * FROM pg_temp.plan('plan_metadata/a', '7');
SELECT * FROM pg_temp.plan('plan_metadata/a', '7', pg_temp.versions(251, 251), 251);
SELECT * FROM pg_temp.plan('plan_metadata/a', '7', NULL, NULL, 250);
SELECT txstore.store('plan_metadata/a', '7', '');
SELECT i #>> '{RowKey,S}' FROM txstore.export_items('plan_metadata/a') AS i;
SELECT txstore.delete_partition('plan_metadata/a', '9');

-- A commit of 101 over 101 rows
SELECT etag FROM txstore.load('plan_metadata/b');
SELECT txstore.store('plan_metadata/b', NULL, '', pg_temp.versions(1, 101));
SELECT * FROM pg_temp.plan('plan_metadata/b', '1', NULL, 101);
SELECT txstore.delete_partition('plan_metadata/b', '1');
