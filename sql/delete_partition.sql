--
-- delete_partition(): all rows of one partition, against its ETag
--
\set VERBOSITY sqlstate
CREATE FUNCTION pg_temp.rows(text) RETURNS bigint
	BEGIN ATOMIC
		SELECT count(*) FROM txstore.export_items($1);
	END;

-- A partition and two whose keys are like its own
SELECT k, etag, txstore.store(k, etag, 'm', ARRAY[txstore.prepare(1, 'one'), txstore.prepare(2, 'two')], 1)
	FROM unnest(ARRAY['delete_partition/a', 'delete_partition/', 'delete_partition/aa']) AS k, txstore.load(k);
-- A wrong ETag is a conflict: nothing is deleted
SELECT txstore.delete_partition('delete_partition/a', '1');
SELECT txstore.delete_partition('delete_partition/a', NULL);
SELECT txstore.delete_partition('delete_partition/a', '');
SELECT txstore.delete_partition('delete_partition/a', ' ');
SELECT pg_temp.rows('delete_partition/a');
-- What is no ETag is refused
SELECT txstore.delete_partition('delete_partition/a', 'wrong-etag');
SELECT txstore.delete_partition('delete_partition/a', '-1');
SELECT txstore.delete_partition('delete_partition/a', '00');
SELECT txstore.delete_partition('delete_partition/a', '0.0');
SELECT txstore.delete_partition('delete_partition/a', ' 0');
SELECT txstore.delete_partition('delete_partition/a', '0x0');
SELECT txstore.delete_partition('delete_partition/a', '9223372036854775808');
SELECT txstore.delete_partition('delete_partition/a', '9223372036854775807');
SELECT pg_temp.rows('delete_partition/a');

-- The right one deletes this partition and no other; the handle is of no use
SELECT etag FROM txstore.load('delete_partition/a');
SELECT txstore.delete_partition('delete_partition/a', '0');
SELECT pg_temp.rows('delete_partition/a'), pg_temp.rows('delete_partition/'), pg_temp.rows('delete_partition/aa');
SELECT txstore.store('delete_partition/a', '0', '');
SELECT txstore.store('delete_partition/a', NULL, '');
SELECT * FROM txstore.load('delete_partition/a');
-- It begins anew, with rows that were never there
SELECT txstore.store('delete_partition/a', NULL, '', ARRAY[txstore.prepare(1, 'anew')]);
SELECT etag, committed_sequence_id, metadata, (SELECT array_agg(p.state) FROM unnest(pending) AS p)
	FROM txstore.load('delete_partition/a');
-- The new ETag may be equal to the old one: then it is the right one again
SELECT txstore.delete_partition('delete_partition/a', '0');

-- Nothing there: false where nothing is expected, else a conflict
SELECT txstore.delete_partition('delete_partition/a', NULL);
SELECT txstore.delete_partition('delete_partition/a', '');
SELECT txstore.delete_partition('delete_partition/a', '  ');
SELECT txstore.delete_partition('delete_partition/a', '0');

-- No load is needed, nor a handle
SELECT txstore.forget('delete_partition/aa');
SELECT txstore.delete_partition('delete_partition/aa', '0');
SELECT pg_temp.rows('delete_partition/aa');

-- Any number of rows, in any batches
SELECT etag, txstore.store('delete_partition/many', etag, '', (SELECT array_agg(txstore.prepare(n, 's')) FROM generate_series(1, 250) AS n))
	FROM txstore.load('delete_partition/many');
SELECT pg_temp.rows('delete_partition/many');
SELECT txstore.delete_partition('delete_partition/many', '1');
SELECT pg_temp.rows('delete_partition/many');
SELECT txstore.delete_partition('delete_partition/many', '2');
SELECT pg_temp.rows('delete_partition/many');

-- State rows without a key row have no ETag
SELECT txstore.import_items(ARRAY['{"PartitionKey":{"S":"delete_partition/orphan"},"RowKey":{"S":"state_0000000000000001"},"ETag":{"N":"3"}}']);
SELECT txstore.delete_partition('delete_partition/orphan', '3');
SELECT txstore.delete_partition('delete_partition/orphan', NULL);
SELECT pg_temp.rows('delete_partition/orphan');

\set VERBOSITY terse
SELECT txstore.delete_partition(NULL, '0');
SELECT txstore.delete_partition('', '0');
SELECT txstore.delete_partition(repeat('k', 2049), '0');
SELECT txstore.delete_partition('delete_partition/', 'x');
SELECT txstore.delete_partition('delete_partition/', '0', 'no such storage');
SELECT txstore.delete_partition('delete_partition/', '0');
