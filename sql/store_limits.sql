--
-- store(): an item has at most 409,600 bytes, by Orleans' count and by the
-- service's; too large ones are refused before anything is written
--
CREATE FUNCTION pg_temp.bytes(integer) RETURNS bytea
	BEGIN ATOMIC
		SELECT convert_to(repeat('x', $1), 'UTF8');
	END;
CREATE FUNCTION pg_temp.rows(text, OUT row_key text, OUT etag text, OUT state integer, OUT metadata integer) RETURNS SETOF record
	BEGIN ATOMIC
		SELECT i #>> '{RowKey,S}', i #>> '{ETag,N}', octet_length(decode(i #>> '{GrainState,B}', 'base64')),
			octet_length(decode(i #>> '{Metadata,B}', 'base64')) FROM txstore.export_items($1) AS i;
	END;
-- A state row has 169 + 14 + 78 + 1 bytes in this partition, so the largest
-- state is 409,338 bytes long
SELECT etag FROM txstore.load('store_limits/a');
SELECT txstore.store('store_limits/a', NULL, '', ARRAY[txstore.prepare(1, pg_temp.bytes(409339))]);
SELECT txstore.store('store_limits/a', NULL, '', ARRAY[txstore.prepare(1, pg_temp.bytes(1000000))], 1);
SELECT txstore.plan_store('store_limits/a', NULL, '', ARRAY[txstore.prepare(1, pg_temp.bytes(409339))]);
-- also in a later batch: the first is not written
SELECT txstore.store('store_limits/a', NULL, '', (SELECT array_agg(txstore.prepare(n, 's') ORDER BY n)
	FROM generate_series(1, 150) AS n) || txstore.prepare(151, pg_temp.bytes(409339)));
SELECT count(*) FROM txstore.export_items('store_limits/a');
-- The handle stays usable
SELECT txstore.store('store_limits/a', NULL, '', ARRAY[txstore.prepare(1, pg_temp.bytes(409338))]);
SELECT * FROM pg_temp.rows('store_limits/a');
-- A shorter manager or no time leaves more room; a version that is left out
-- needs none
SELECT max(bytes) FROM txstore.plan_store('store_limits/a', '0', '', ARRAY[txstore.prepare(2, pg_temp.bytes(409338 + 78 - 1), manager => 'm')]);
SELECT max(bytes) FROM txstore.plan_store('store_limits/a', '0', '', ARRAY[ROW(2, NULL, NULL, NULL,
	pg_temp.bytes(409600 - (12 + 14 + 6 + 22 + 10 + 4 + 1)))::txstore.state_version]);
SELECT txstore.plan_store('store_limits/a', '0', '', ARRAY[ROW(2, NULL, NULL, NULL,
	pg_temp.bytes(409600 - (12 + 14 + 6 + 22 + 10 + 4 + 1) + 1))::txstore.state_version]);
SELECT count(*) FROM txstore.plan_store('store_limits/a', '0', '', ARRAY[txstore.prepare(1, pg_temp.bytes(1000000)), txstore.prepare(2, '')], 2);

-- The service counts an ETag of 1 to 9 as two bytes, so an overwritten row has
-- room for one byte less
SELECT txstore.store('store_limits/a', '0', '', ARRAY[txstore.prepare(1, pg_temp.bytes(409338))]);
SELECT txstore.store('store_limits/a', '0', '', ARRAY[txstore.prepare(1, pg_temp.bytes(409337))]);
SELECT * FROM pg_temp.rows('store_limits/a');

-- A key row's metadata: 90 + 14 bytes beside it with an ETag of 19 digits,
-- which every ETag counts, and the digits of the committed id
SELECT txstore.store('store_limits/a', '1', pg_temp.bytes(409600 - 90 - 14 - 1 + 1));
SELECT txstore.store('store_limits/a', '1', pg_temp.bytes(10000000));
SELECT txstore.plan_store('store_limits/a', '1', pg_temp.bytes(409600 - 90 - 14 - 1 + 1));
SELECT txstore.store('store_limits/a', '1', pg_temp.bytes(409600 - 90 - 14 - 1));
SELECT * FROM pg_temp.rows('store_limits/a');
-- The committed id counts as it will be
SELECT txstore.store('store_limits/a', '2', pg_temp.bytes(409600 - 90 - 14 - 1), ARRAY[txstore.prepare(10, 's')], 10);
SELECT txstore.store('store_limits/a', '2', pg_temp.bytes(409600 - 90 - 14 - 2), ARRAY[txstore.prepare(10, 's')], 10);
SELECT txstore.store('store_limits/a', '3', pg_temp.bytes(409600 - 90 - 14 - 1), NULL, 1);
SELECT * FROM pg_temp.rows('store_limits/a');
SELECT octet_length(metadata) FROM txstore.load('store_limits/a');
-- Metadata that was imported may be larger than a store may write: a batch that
-- carried it on would have 20 bytes more for the committed id, and by the
-- service's count one more for the ETag
SELECT txstore.import_items(ARRAY['{"PartitionKey":{"S":"store_limits/b"},"RowKey":{"S":"key"},"ETag":{"N":"0"},"Metadata":{"B":"'
	|| translate(encode(pg_temp.bytes(409600 - 71 - 14 - 1 - 1 + 20), 'base64'), E'\n', '') || '"}}']);
SELECT etag, octet_length(metadata) FROM txstore.load('store_limits/b');
SELECT txstore.store('store_limits/b', '0', '', (SELECT array_agg(txstore.prepare(n, 's')) FROM generate_series(1, 99) AS n));
SELECT txstore.store('store_limits/b', '0', '', (SELECT array_agg(txstore.prepare(n, 's')) FROM generate_series(1, 98) AS n));

-- No ETag passes the largest bigint
SELECT txstore.import_items(ARRAY[
	'{"PartitionKey":{"S":"store_limits/c"},"RowKey":{"S":"key"},"ETag":{"N":"9223372036854775806"}}',
	'{"PartitionKey":{"S":"store_limits/c"},"RowKey":{"S":"state_0000000000000001"},"GrainState":{"B":"eA=="},"ETag":{"N":"9223372036854775807"}}']);
SELECT etag FROM txstore.load('store_limits/c');
SELECT txstore.store('store_limits/c', '9223372036854775806', '', ARRAY[txstore.prepare(1, 's')]);
SELECT txstore.store('store_limits/c', '9223372036854775806', '', (SELECT array_agg(txstore.prepare(n, 's')) FROM generate_series(2, 100) AS n));
SELECT txstore.store('store_limits/c', '9223372036854775806', '', NULL, NULL, 0);
SELECT txstore.store('store_limits/c', '9223372036854775807', '');
SELECT k, txstore.delete_partition('store_limits/' || k, e)
	FROM (VALUES ('a', '3'), ('b', '1'), ('c', '9223372036854775807')) AS v(k, e);
