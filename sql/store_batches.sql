--
-- store(): how many rows a batch takes: 99, or as many as have 3,719,168
-- bytes by Orleans' count
--
\set VERBOSITY terse
-- n versions from number one on whose items have this many bytes: in this
-- file's partitions, 169 + 15 for other attributes, 78 for the manager, 1 for
-- the ETag
CREATE FUNCTION pg_temp.versions(n bigint, item integer, first bigint DEFAULT 1) RETURNS txstore.state_version[]
	BEGIN ATOMIC
		SELECT array_agg(txstore.prepare(i, convert_to(repeat('x', item - 263), 'UTF8')) ORDER BY i)
			FROM generate_series(first, first + n - 1) AS i;
	END;
CREATE FUNCTION pg_temp.plan(text, etag text, prepares txstore.state_version[], commit_up_to bigint DEFAULT NULL,
	abort_after bigint DEFAULT NULL, OUT batches bigint[], OUT bytes bigint[])
	BEGIN ATOMIC
		SELECT array_agg(rows ORDER BY batch), array_agg(coalesce(sum, 0) ORDER BY batch)
			FROM (SELECT batch, count(*) - 1 AS rows, sum(p.bytes) FILTER (WHERE row_key <> 'key')
				FROM txstore.plan_store($1, etag, '', prepares, commit_up_to, abort_after) AS p GROUP BY batch) AS b;
	END;

SELECT etag FROM txstore.load('store_batches/a');
-- Small rows: 99
SELECT n, batches FROM unnest(ARRAY[98, 99, 100, 197, 198, 199]) AS n,
	pg_temp.plan('store_batches/a', NULL, pg_temp.versions(n, 300));
-- Up to 37,567 bytes the count decides, then the size
SELECT item, p.* FROM unnest(ARRAY[37567, 37568]) AS item,
	pg_temp.plan('store_batches/a', NULL, pg_temp.versions(198, item)) AS p;
SELECT p.* FROM pg_temp.plan('store_batches/a', NULL, pg_temp.versions(80, 100000)) AS p;
SELECT item, p.* FROM unnest(ARRAY[371916, 371917, 409600]) AS item,
	pg_temp.plan('store_batches/a', NULL, pg_temp.versions(21, item)) AS p;
-- Exactly 3,719,168 bytes fit, one more does not
SELECT p.* FROM unnest(ARRAY[371924, 371925]) AS item,
	pg_temp.plan('store_batches/a', NULL, pg_temp.versions(9, 371916) || pg_temp.versions(1, item, 10)) AS p;
-- What is too large for this batch begins the next, though a smaller one would fit
SELECT p.* FROM pg_temp.plan('store_batches/a', NULL,
	pg_temp.versions(9, 400000) || pg_temp.versions(1, 300000, 10) || pg_temp.versions(1, 1000, 11)) AS p;
-- Left out, a version takes no room
SELECT p.* FROM pg_temp.plan('store_batches/a', NULL, pg_temp.versions(12, 371917), 11) AS p;

-- So it is stored: 21 rows of 400,000 bytes in batches of 9, 9 and 3
SELECT txstore.store('store_batches/a', NULL, 'm', pg_temp.versions(21, 400000));
SELECT etag, count(*), sum(octet_length(state)) FROM txstore.load('store_batches/a'), unnest(pending) GROUP BY 1;
-- A delete counts the row as it was written last
SELECT p.* FROM pg_temp.plan('store_batches/a', '2', NULL, NULL, 0) AS p;
SELECT p.* FROM pg_temp.plan('store_batches/a', '2', NULL, 21) AS p;
SELECT txstore.store('store_batches/a', '2', 'm', pg_temp.versions(15, 1000));
SELECT p.* FROM pg_temp.plan('store_batches/a', '3', NULL, NULL, 0) AS p;
-- also after a load
SELECT etag FROM txstore.load('store_batches/a');
SELECT p.* FROM pg_temp.plan('store_batches/a', '3', NULL, NULL, 0) AS p;
-- An ETag of two digits counts one more
SELECT txstore.import_items(ARRAY[
	'{"PartitionKey":{"S":"store_batches/b"},"RowKey":{"S":"key"},"ETag":{"N":"9"}}',
	'{"PartitionKey":{"S":"store_batches/b"},"RowKey":{"S":"state_0000000000000001"},"GrainState":{"B":"eHg="},"ETag":{"N":"9"}}',
	'{"PartitionKey":{"S":"store_batches/b"},"RowKey":{"S":"state_0000000000000002"},"GrainState":{"B":"eHg="},"ETag":{"N":"1234567"}}']);
SELECT etag FROM txstore.load('store_batches/b');
SELECT action, row_key, expected_etag, new_etag, bytes FROM txstore.plan_store('store_batches/b', '9', '',
	ARRAY[txstore.prepare(1, 'xx')], NULL, 1);
SELECT txstore.store('store_batches/b', '9', '', ARRAY[txstore.prepare(1, 'xx')]);
SELECT action, row_key, bytes FROM txstore.plan_store('store_batches/b', '10', '', NULL, NULL, 0);

-- Attributes that Orleans does not know count as long as they are there: the
-- bytes of name and text, also where the text has escapes
SELECT txstore.import_items(ARRAY[
	'{"PartitionKey":{"S":"store_batches/c"},"RowKey":{"S":"key"},"ETag":{"N":"0"}}',
	'{"PartitionKey":{"S":"store_batches/c"},"RowKey":{"S":"state_0000000000000001"},"ETag":{"N":"0"}}',
	'{"PartitionKey":{"S":"store_batches/c"},"RowKey":{"S":"state_0000000000000002"},"ETag":{"N":"0"},"Note":{"S":"abc"}}',
	'{"PartitionKey":{"S":"store_batches/c"},"RowKey":{"S":"state_0000000000000003"},"ETag":{"N":"0"},"N":{"N":"-12.5"},"B":{"B":"AAEC"}}',
	'{"PartitionKey":{"S":"store_batches/c"},"RowKey":{"S":"state_0000000000000004"},"ETag":{"N":"0"},"\u00e9":{"S":"a\n\u0041\u00e9\u20ac\ud83d\udd11"}}']);
SELECT etag FROM txstore.load('store_batches/c');
SELECT row_key, bytes - (12 + 15 + 6 + 22 + 4 + 1) AS other FROM txstore.plan_store('store_batches/c', '0', '', NULL, NULL, 0)
	WHERE action = 'delete';
SELECT k, txstore.delete_partition('store_batches/' || k, e) FROM (VALUES ('a', '3'), ('b', '10'), ('c', '0')) AS v(k, e);
