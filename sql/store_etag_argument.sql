--
-- store(): the ETag argument must be the one that was loaded (WrongEtags)
--
\set VERBOSITY terse
-- A fresh partition has none: null, empty and blank mean that, nothing else
-- does; what does not match is refused, and the handle stays usable
SELECT etag FROM txstore.load('store_etag_argument/a');
SELECT txstore.store('store_etag_argument/a', 'wrong-etag', 'm');
SELECT txstore.store('store_etag_argument/a', '0', 'm');
SELECT txstore.store('store_etag_argument/a', '-1', 'm');
SELECT txstore.store('store_etag_argument/a', 'null', 'm');
SELECT * FROM txstore.plan_store('store_etag_argument/a', '0', 'm');
SELECT count(*) FROM txstore.export_items('store_etag_argument/a');
SELECT txstore.store('store_etag_argument/a', NULL, 'm');

SELECT etag FROM txstore.load('store_etag_argument/empty');
SELECT txstore.store('store_etag_argument/empty', '', 'm');
SELECT etag FROM txstore.load('store_etag_argument/blank');
SELECT txstore.store('store_etag_argument/blank', E' \t\n', 'm');

-- Once stored it has one; none of those mean it
SELECT txstore.store('store_etag_argument/a', NULL, 'other');
SELECT txstore.store('store_etag_argument/a', '', 'other');
SELECT txstore.store('store_etag_argument/a', '  ', 'other');
-- Texts are compared, not numbers
SELECT txstore.store('store_etag_argument/a', '00', 'other');
SELECT txstore.store('store_etag_argument/a', '-0', 'other');
SELECT txstore.store('store_etag_argument/a', '0.0', 'other');
SELECT txstore.store('store_etag_argument/a', ' 0', 'other');
SELECT txstore.store('store_etag_argument/a', '0 ', 'other');
SELECT txstore.store('store_etag_argument/a', '"0"', 'other');
SELECT txstore.store('store_etag_argument/a', '1', 'other');
SELECT txstore.store('store_etag_argument/a', repeat('9', 100), 'other');
SELECT * FROM txstore.plan_store('store_etag_argument/a', '1', 'other');
-- Nothing of that was written, and no load is needed
SELECT etag, metadata FROM txstore.load('store_etag_argument/a');
SELECT txstore.store('store_etag_argument/a', '1', 'other');
SELECT txstore.store('store_etag_argument/a', '0', 'next');
-- The ETag of a store counts as loaded; the one before is stale at once
SELECT txstore.store('store_etag_argument/a', '0', 'stale');
SELECT txstore.store('store_etag_argument/a', '1', 'last');
SELECT etag, metadata FROM txstore.load('store_etag_argument/a');
-- A mismatch is found before anything else is looked at
SELECT txstore.store('store_etag_argument/a', '1', 'm', ARRAY[txstore.prepare(1, ''), txstore.prepare(1, '')], 7);

SELECT k, txstore.delete_partition('store_etag_argument/' || k, e)
	FROM (VALUES ('a', '2'), ('empty', '0'), ('blank', '0')) AS v(k, e);
