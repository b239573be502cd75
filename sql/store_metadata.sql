--
-- store(): metadata, which holds the commit records
--
\set VERBOSITY terse
\set empty '{"$id":"1","$type":"Orleans.Transactions.Abstractions.TransactionalStateMetaData, Orleans.Transactions","CommitRecords":{"$id":"2","$type":"System.Collections.Generic.Dictionary`2[[System.Guid, System.Private.CoreLib],[Orleans.Transactions.Abstractions.CommitRecord, Orleans.Transactions]], System.Private.CoreLib"}}'
\set records '{"$id":"1","$type":"Orleans.Transactions.Abstractions.TransactionalStateMetaData, Orleans.Transactions","TimeStamp":"2024-01-02T03:04:05.1234567Z","CommitRecords":{"$id":"2","$type":"System.Collections.Generic.Dictionary`2[[System.Guid, System.Private.CoreLib],[Orleans.Transactions.Abstractions.CommitRecord, Orleans.Transactions]], System.Private.CoreLib","11111111-2222-3333-4444-555555555555":{"$id":"3","$type":"Orleans.Transactions.Abstractions.CommitRecord, Orleans.Transactions","Timestamp":"2024-01-02T03:04:05.1234567Z","WriteParticipants":{"$type":"System.Collections.Generic.List`1[[Orleans.Transactions.ParticipantId, Orleans.Transactions]], System.Private.CoreLib","$values":[]}}}}'
CREATE FUNCTION pg_temp.attributes(text) RETURNS TABLE (row_key text, attributes text)
	BEGIN ATOMIC
		SELECT i #>> '{RowKey,S}', (SELECT string_agg(k, ' ') FROM json_object_keys(i) AS k)
			FROM txstore.export_items($1) AS i;
	END;

-- Stores that change nothing else (StoreWithoutChanges): bytes come back as
-- they were given
SELECT * FROM txstore.load('store_metadata/a');
SELECT octet_length(:'empty'), txstore.store('store_metadata/a', NULL, convert_to(:'empty', 'UTF8'), '{}');
SELECT etag, committed_sequence_id, metadata = convert_to(:'empty', 'UTF8') AS same, pending
	FROM txstore.load('store_metadata/a');
SELECT txstore.store('store_metadata/a', '0', convert_to(:'records', 'UTF8'), '{}');
SELECT etag, committed_sequence_id, metadata = convert_to(:'records', 'UTF8') AS same, pending
	FROM txstore.load('store_metadata/a');
-- They need not be JSON
SELECT txstore.store('store_metadata/a', '1', '\x00ff0a00');
SELECT metadata FROM txstore.load('store_metadata/a');
-- Each store replaces them
SELECT txstore.store('store_metadata/a', '2', 'x', ARRAY[txstore.prepare(1, 's')], 1);
SELECT metadata FROM txstore.load('store_metadata/a');
-- Empty metadata is not written at all
SELECT txstore.store('store_metadata/a', '3', '');
SELECT metadata FROM txstore.load('store_metadata/a');
SELECT * FROM pg_temp.attributes('store_metadata/a');
SELECT txstore.store('store_metadata/a', '4', 'y');
SELECT * FROM pg_temp.attributes('store_metadata/a');
-- The time of the store goes with it, in whole seconds
SELECT (i #>> '{Timestamp,N}')::bigint BETWEEN extract(epoch FROM statement_timestamp()) - 60
	AND extract(epoch FROM clock_timestamp()) AS is_now
	FROM txstore.export_items('store_metadata/a') AS i WHERE i #>> '{RowKey,S}' = 'key';

-- Null is refused, so that nobody loses commit records by leaving them out;
-- nothing is written and the handle stays usable
SELECT txstore.store('store_metadata/a', '5', NULL);
SELECT txstore.store('store_metadata/a', '5', NULL, ARRAY[txstore.prepare(2, 's')], 2);
SELECT * FROM txstore.plan_store('store_metadata/a', '5', NULL);
SELECT etag, committed_sequence_id, metadata FROM txstore.load('store_metadata/a');
SELECT txstore.store('store_metadata/a', '5', NULL);
SELECT txstore.store('store_metadata/a', '5', 'z');

-- 512 commit records of two participants fit, as large as Orleans writes them
SELECT txstore.store('store_metadata/a', '6', convert_to(repeat('r', 512 * 777), 'UTF8'));
SELECT etag, octet_length(metadata), metadata = convert_to(repeat('r', 512 * 777), 'UTF8') AS same
	FROM txstore.load('store_metadata/a');
SELECT txstore.delete_partition('store_metadata/a', '7');
