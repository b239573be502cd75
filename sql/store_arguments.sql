--
-- store() and plan_store(): arguments that are refused, each before anything
-- is written, with the handle usable afterwards
--
\set VERBOSITY terse
SELECT etag FROM txstore.load('store_arguments/a');
SELECT txstore.store('store_arguments/a', NULL, 'm', ARRAY[txstore.prepare(1, 'one')], 1);

-- A partition key is 1 to 2,048 bytes of text
SELECT txstore.store(NULL, '0', '');
SELECT txstore.store('', '0', '');
SELECT txstore.store(repeat('k', 2049), '0', '');
SELECT * FROM txstore.plan_store(NULL, '0', '');
SELECT * FROM txstore.plan_store('', '0', '');
SELECT * FROM txstore.plan_store(repeat('é', 1024) || 'k', '0', '');

-- Sequence ids are not negative
SELECT txstore.store('store_arguments/a', '0', 'x', ARRAY[ROW(-1, 'id', NULL, 'm', 's')::txstore.state_version]);
SELECT txstore.store('store_arguments/a', '0', 'x', ARRAY[txstore.prepare(2, 's'),
	ROW(-9223372036854775808, 'id', NULL, 'm', 's')::txstore.state_version], 2);
SELECT txstore.store('store_arguments/a', '0', 'x', NULL, -1);
SELECT txstore.store('store_arguments/a', '0', 'x', NULL, NULL, -1);
SELECT txstore.store('store_arguments/a', '0', 'x', NULL, NULL, -9223372036854775808);
SELECT * FROM txstore.plan_store('store_arguments/a', '0', 'x', NULL, -1);

-- A version needs a sequence id and a state
SELECT txstore.store('store_arguments/a', '0', 'x', ARRAY[NULL]::txstore.state_version[]);
SELECT txstore.store('store_arguments/a', '0', 'x', ARRAY[txstore.prepare(2, 's'), NULL]);
SELECT txstore.store('store_arguments/a', '0', 'x', ARRAY[txstore.prepare(NULL, 's')]);
SELECT txstore.store('store_arguments/a', '0', 'x', ARRAY[txstore.prepare(2, NULL)]);
SELECT txstore.store('store_arguments/a', '0', 'x', ARRAY[ROW(NULL, NULL, NULL, NULL, NULL)::txstore.state_version]);
SELECT * FROM txstore.plan_store('store_arguments/a', '0', 'x', ARRAY[txstore.prepare(2, NULL)]);

-- The time is in Orleans' 28 characters and there is such a time
SELECT t.text AS time, p.new_etag FROM unnest(ARRAY['2024-02-29T23:59:59.9999999Z', '0001-01-01T00:00:00.0000000Z',
	'9999-12-31T23:59:59.9999999Z', '2000-02-29T00:00:00.0000001Z']) AS t(text),
	txstore.plan_store('store_arguments/a', '0', 'x', ARRAY[ROW(2, 'id', t.text, 'm', 's')::txstore.state_version]) AS p
	WHERE p.row_key <> 'key';
CREATE FUNCTION pg_temp.try_time(text) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM txstore.store('store_arguments/a', '0', 'x', ARRAY[ROW(2, 'id', $1, 'm', 's')::txstore.state_version]);
	RETURN 'stored';
EXCEPTION
	WHEN OTHERS THEN RETURN sqlstate || ': ' || sqlerrm;
END $$;
SELECT pg_temp.try_time(t) FROM unnest(ARRAY['now', ' ', '2024-01-02', '2024-01-02T03:04:05Z',
	'2024-01-02T03:04:05.123456Z', '2024-01-02T03:04:05.12345678Z', '2024-01-02T03:04:05.1234567',
	'2024-01-02T03:04:05.1234567z', '2024-01-02t03:04:05.1234567Z', '2024-01-02 03:04:05.1234567Z',
	'2024-01-02T03:04:05,1234567Z', '2024-01-02T03:04:05.1234567+00:00', '2024-01-02T03:04:05.123456xZ',
	' 2024-01-02T03:04:05.1234567Z', '2024-01-02T03:04:05.1234567Z ', '-024-01-02T03:04:05.1234567Z',
	'0000-01-02T03:04:05.1234567Z', '2024-00-02T03:04:05.1234567Z', '2024-13-02T03:04:05.1234567Z',
	'2024-01-00T03:04:05.1234567Z', '2024-04-31T03:04:05.1234567Z', '2023-02-29T03:04:05.1234567Z',
	'1900-02-29T03:04:05.1234567Z', '2024-01-02T24:00:00.0000000Z', '2024-01-02T03:60:05.1234567Z',
	'2024-01-02T03:04:60.1234567Z', '２024-01-02T03:04:05.1234567Z'])
	WITH ORDINALITY AS v(t, n) ORDER BY n;
-- A long one is shown in part, cut between characters
SELECT pg_temp.try_time(repeat('x', 1000));
SELECT pg_temp.try_time('x' || repeat('é', 1000));

-- Nothing of that was written, and no load is needed
SELECT txstore.store('store_arguments/a', '0', 'x', ARRAY[]::txstore.state_version[]);
SELECT etag, committed_sequence_id, committed_state, metadata, pending FROM txstore.load('store_arguments/a');

-- A version may come as a literal
SELECT txstore.store('store_arguments/a', '1', 'x', ARRAY['(2,id,"2024-01-02T03:04:05.1234567Z",m,s)']::txstore.state_version[]);
SELECT txstore.store('store_arguments/a', '2', 'x', ARRAY['(2,id)']::txstore.state_version[]);
-- An array of more than one dimension is read in its order
SELECT txstore.store('store_arguments/a', '2', 'x', ARRAY[ARRAY[txstore.prepare(3, 'c')], ARRAY[txstore.prepare(4, 'd')]]);
SELECT p.sequence_id, p.state FROM txstore.load('store_arguments/a'), unnest(pending) AS p;
SELECT txstore.delete_partition('store_arguments/a', '3');
