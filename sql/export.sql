--
-- export_items(): rows as items in DynamoDB's JSON, which import takes back
--
\set VERBOSITY terse
-- Every attribute and every byte; the texts of numbers as they are; attributes
-- that Orleans does not know come last
SELECT txstore.import_items(ARRAY[
	'{"PartitionKey":{"S":"export/a"},"RowKey":{"S":"key"},"CommittedSequenceId":{"N":"9007199254740993"},"Metadata":{"B":"AP8="},"Timestamp":{"N":"1700000000"},"ETag":{"N":"9223372036854775807"}}',
	'{"PartitionKey":{"S":"export/a"},"RowKey":{"S":"state_0020000000000001"},"GrainState":{"B":"eyJhIjoxfQ=="},"TransactionId":{"S":"any text"},"TransactionTimestamp":{"S":"2024-01-02T03:04:05.1234567Z"},"TransactionManager":{"B":"dG0="},"ETag":{"N":"12"},"Number":{"N":"12345678901234567890123456789012345678"},"Fraction":{"N":"-0.000125"},"Bytes":{"B":"+/8="},"Text":{"S":"<&>"}}',
	'{"PartitionKey":{"S":"export/a"},"RowKey":{"S":"state_7fffffffffffffff"}}']);
SELECT * FROM txstore.export_items('export/a');
-- Types that only others use are kept on key rows, in their form
SELECT txstore.import_items(ARRAY['{"PartitionKey":{"S":"export/b"},"RowKey":{"S":"key"},"ETag":{"N":"0"},"b":{"BOOL":false},"n":{"NULL":true},"l":{"L":[{"S":"x"},{"L":[]},{"M":{}}]},"m":{"M":{"k":{"N":"1"}}},"ss":{"SS":["x"]},"ns":{"NS":["1"]},"bs":{"BS":["eA=="]},"s":{"S":""}}']);
SELECT (SELECT jsonb_object_agg(k, v) FROM jsonb_each(i::jsonb) AS e(k, v) WHERE length(k) <= 2)
	FROM txstore.export_items('export/b') AS i;
-- Texts are UTF-8, with JSON's escapes where they must be
SELECT txstore.import_items(ARRAY[E'{"PartitionKey":{"S":"export/\\u00e9\\ud83d\\udd11\\"\\\\\\/\\n\\u0001"},"RowKey":{"S":"key"},"ETag":{"N":"0"}}']);
SELECT i FROM txstore.export_items(E'export/é🔑"\\/\n\u0001') AS i;
SELECT etag FROM txstore.load(E'export/é🔑"\\/\n\u0001');

-- A store replaces whole rows: what Orleans does not know goes with the old one
SELECT etag, txstore.store('export/b', etag, '\xff', ARRAY[ROW(1, 'id', '2024-01-02T03:04:05.0000000Z', 'tm', '\x00')::txstore.state_version], 1)
	FROM txstore.load('export/b');
SELECT regexp_replace(i::text, '"Timestamp":{"N":"\d{10,}"}', '"Timestamp":now') FROM txstore.export_items('export/b') AS i;

-- Rows are ordered by their keys, byte by byte: the key row first, state rows
-- by number; partitions whatever the locale says
SELECT txstore.import_items((SELECT array_agg(format('{"PartitionKey":{"S":"export/order/%s"},"RowKey":{"S":"%s"},"ETag":{"N":"0"}}', k, r)) FROM
	unnest(ARRAY['b', 'B', 'a', '_', 'aa', 'ä', 'a_']) AS k, unnest(ARRAY['state_000000000000000a', 'state_0000000000000009', 'key']) AS r));
SELECT i #>> '{RowKey,S}' AS row_key FROM txstore.export_items('export/order/a') WITH ORDINALITY AS e(i, n) ORDER BY n;
SELECT i #>> '{PartitionKey,S}' AS partition_key, i #>> '{RowKey,S}' AS row_key
	FROM txstore.export_items() WITH ORDINALITY AS e(i, n) WHERE i #>> '{PartitionKey,S}' LIKE 'export/order/%' ORDER BY n;

-- What is exported can be imported: it is there already, or comes back
CREATE TEMP TABLE exported AS SELECT i::text AS line FROM txstore.export_items() AS i WHERE i #>> '{PartitionKey,S}' LIKE 'export/%';
SELECT txstore.import_items_from('exported');
SELECT count(*) FROM (SELECT DISTINCT line::json #>> '{PartitionKey,S}' AS key FROM exported) AS k, txstore.load(key) AS l,
	txstore.delete_partition(key, l.etag) WHERE key <> 'export/a';
SELECT txstore.delete_partition('export/a', '9223372036854775807');
SELECT txstore.import_items_from('exported');
SELECT count(*) FROM ((SELECT line FROM exported) EXCEPT ALL
	(SELECT i::text FROM txstore.export_items() AS i WHERE i #>> '{PartitionKey,S}' LIKE 'export/%')) AS lost;

-- A partition that is not there has no rows
SELECT * FROM txstore.export_items('export/none');
SELECT * FROM txstore.export_items('');
SELECT * FROM txstore.export_items(repeat('k', 2049));
SELECT * FROM txstore.export_items('export/a', 'no such storage');

SELECT count(*) FROM (SELECT DISTINCT line::json #>> '{PartitionKey,S}' AS key FROM exported) AS k, txstore.load(key) AS l,
	txstore.delete_partition(key, l.etag) WHERE key <> 'export/a';
SELECT txstore.delete_partition('export/a', '9223372036854775807');
SELECT count(*) FROM txstore.export_items() AS i WHERE i #>> '{PartitionKey,S}' LIKE 'export/%';
