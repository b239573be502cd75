--
-- load(): what a partition holds
--
\set VERBOSITY terse
-- The first load of a partition finds nothing: no ETag, sequence 0, no state,
-- empty metadata, nothing pending; and nothing is written (FirstTime_Load)
SELECT * FROM txstore.load('load/fresh');
SELECT * FROM txstore.load('load/fresh');
SELECT count(*) FROM txstore.export_items('load/fresh');

-- A pending version comes back as it was given, field by field
SELECT etag FROM txstore.load('load/fields');
SELECT txstore.store('load/fields', NULL, '\x6d', ARRAY[ROW(1, '00000000-0000-0000-0000-00000000000a',
	'2024-01-02T03:04:05.1234567Z', '\x746d', '\x00ff')::txstore.state_version]);
SELECT etag, committed_sequence_id, committed_state, metadata FROM txstore.load('load/fields');
SELECT p.* FROM txstore.load('load/fields'), unnest(pending) AS p;

-- Pending ends before the first version that names no transaction manager
SELECT etag FROM txstore.load('load/manager');
SELECT txstore.store('load/manager', NULL, '', ARRAY[txstore.prepare(1, 'a'), txstore.prepare(2, 'b'),
	txstore.prepare(3, 'c', manager => ''), txstore.prepare(4, 'd')], 1);
SELECT etag, committed_sequence_id, committed_state, (SELECT array_agg(sequence_id) FROM unnest(pending)) AS pending
	FROM txstore.load('load/manager');
-- The committed version needs none
SELECT txstore.store('load/manager', '0', '', NULL, 3);
SELECT etag, committed_sequence_id, committed_state, (SELECT array_agg(sequence_id) FROM unnest(pending)) AS pending
	FROM txstore.load('load/manager');

-- An empty state is a state; what else was left out is null
SELECT etag FROM txstore.load('load/empty');
SELECT txstore.store('load/empty', NULL, '', ARRAY[txstore.prepare(1, ''),
	ROW(2, NULL, NULL, 'm', '')::txstore.state_version, ROW(3, '', '', 'm', '')::txstore.state_version], 1);
SELECT committed_state, metadata FROM txstore.load('load/empty');
SELECT p.* FROM txstore.load('load/empty'), unnest(pending) AS p;

-- Pending versions are ordered by number, also beyond 32 bits
SELECT etag FROM txstore.load('load/order');
SELECT txstore.store('load/order', NULL, '', (SELECT array_agg(txstore.prepare(n, 's'))
	FROM unnest(ARRAY[9223372036854775807, 10, 9, 4294967296, 256, 16, 255]) AS n));
SELECT p.sequence_id FROM txstore.load('load/order'), unnest(pending) WITH ORDINALITY AS p ORDER BY p.ordinality;

-- Many versions, all their fields (PrepareMany)
SELECT etag FROM txstore.load('load/many');
CREATE TEMP TABLE prepared AS
	SELECT n, txstore.prepare(n, convert_to((n - 1) * 1000 || '', 'UTF8')) AS version FROM generate_series(1, 200) AS n;
SELECT txstore.store('load/many', NULL, '', (SELECT array_agg(version ORDER BY n) FROM prepared));
SELECT l.etag, l.committed_sequence_id, l.committed_state,
	l.pending = (SELECT array_agg(version ORDER BY n) FROM prepared) AS same
	FROM txstore.load('load/many') AS l;

-- Keys: any text of 1 to 2,048 bytes; case and blanks count
SELECT etag FROM txstore.load('load/key');
SELECT txstore.store('load/key', NULL, 'm');
SELECT k AS key, etag FROM unnest(ARRAY['load/key', 'load/Key', 'load/key ', 'load/ke', 'load/key_']) AS k, txstore.load(k);
SELECT etag FROM txstore.load(E'load/\u00e9\U0001F511"''\\\n%');
SELECT txstore.store(E'load/\u00e9\U0001F511"''\\\n%', NULL, 'other');
SELECT etag, metadata FROM txstore.load(E'load/\u00e9\U0001F511"''\\\n%');
SELECT etag FROM txstore.load('load/' || repeat('x', 2043));
SELECT txstore.store('load/' || repeat('x', 2043), NULL, 'longest');
SELECT etag, metadata FROM txstore.load('load/' || repeat('x', 2043));
SELECT etag FROM txstore.load('load/' || repeat('x', 2044));
SELECT etag FROM txstore.load(repeat('é', 1024) || 'x');
SELECT etag FROM txstore.load('');
SELECT etag FROM txstore.load(NULL);
-- A storage that is none
SELECT etag FROM txstore.load('load/fresh', 'no such storage');

SELECT k, txstore.delete_partition('load/' || k, e) FROM (VALUES ('fields', '0'), ('manager', '1'), ('empty', '0'),
	('order', '0'), ('many', '2'), ('key', '0'), (E'\u00e9\U0001F511"''\\\n%', '0')) AS v(k, e);
SELECT txstore.delete_partition('load/' || repeat('x', 2043), '0');
SELECT count(*) FROM txstore.export_items() AS i WHERE i #>> '{PartitionKey,S}' LIKE 'load/%';
