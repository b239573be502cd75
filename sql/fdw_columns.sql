--
-- What the columns of foreign tables show: of rows as a silo leaves them, and
-- of rows that lack attributes or hold what nobody expects (groups 33, 36)
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE SCHEMA fdw_columns;
SET search_path = fdw_columns;
SET timezone = 'UTC';
SET datestyle = 'ISO';
CREATE FOREIGN TABLE keys (
	partition_key text COLLATE "C" NOT NULL, grain_type text, grain_key text, state_name text, row_key text, etag text,
	committed_sequence_id bigint, written_at timestamptz, metadata jsonb, metadata_bytes bytea, commit_records bigint)
	SERVER :"storage" OPTIONS (kind 'keys');
CREATE FOREIGN TABLE states (
	partition_key text COLLATE "C" NOT NULL, grain_type text, grain_key text, state_name text, sequence_id bigint, row_key text,
	etag text, transaction_id text, transaction_timestamp timestamptz, transaction_timestamp_text text, manager_grain text,
	transaction_manager bytea, state jsonb, state_bytes bytea)
	SERVER :"storage" OPTIONS (kind 'states');
SELECT txstore.import_items(ARRAY[
	'{"PartitionKey":{"S":"fdw_columns/1_default_balance"},"RowKey":{"S":"key"},"ETag":{"N":"7"},"CommittedSequenceId":{"N":"2"},"Timestamp":{"N":"1700000000"},"Metadata":{"B":"eyJDb21taXRSZWNvcmRzIjp7IiR0eXBlIjoiRCIsImEiOnt9LCJiIjp7fX19"}}',
	'{"PartitionKey":{"S":"fdw_columns/1_default_balance"},"RowKey":{"S":"state_0000000000000002"},"ETag":{"N":"1"},"TransactionId":{"S":"0f"},"TransactionTimestamp":{"S":"2024-01-02T03:04:05.1234565Z"},"TransactionManager":{"B":"eyJSZWZlcmVuY2UiOnsiSWQiOnsiVHlwZSI6ImJhbmsiLCJLZXkiOiI5In19fQ=="},"GrainState":{"B":"eyJuIjoxfQ=="}}']);
-- \x: one value a line
\x on
SELECT * FROM keys WHERE partition_key = 'fdw_columns/1_default_balance';
SELECT * FROM states WHERE partition_key = 'fdw_columns/1_default_balance';

-- Rows with their keys alone: what is missing is NULL
SELECT txstore.import_items(ARRAY[
	'{"PartitionKey":{"S":"fdw_columns/bare"},"RowKey":{"S":"key"},"ETag":{"N":"0"}}',
	'{"PartitionKey":{"S":"fdw_columns/bare"},"RowKey":{"S":"state_0000000000000001"},"ETag":{"N":"0"}}']);
SELECT * FROM keys WHERE partition_key = 'fdw_columns/bare';
SELECT * FROM states WHERE partition_key = 'fdw_columns/bare';
\x off

-- Seven digits of a second are rounded as PostgreSQL's input rounds them, and
-- the exact text stays at hand
SELECT txstore.import_items(array_agg(format(
	'{"PartitionKey":{"S":"fdw_columns/times"},"RowKey":{"S":"state_%s"},"ETag":{"N":"0"},"TransactionTimestamp":{"S":"%s"}}',
	lpad(to_hex(n), 16, '0'), t)))
	FROM unnest(ARRAY['2024-01-02T03:04:05.1234564Z', '2024-01-02T03:04:05.1234565Z', '2024-01-02T03:04:05.1234566Z',
		'2024-12-31T23:59:59.9999999Z', '0001-01-01T00:00:00.0000000Z', '9999-12-31T23:59:59.9999999Z',
		'1970-01-01T00:00:00.0000001Z']) WITH ORDINALITY AS v(t, n);
SELECT transaction_timestamp_text, transaction_timestamp, transaction_timestamp = transaction_timestamp_text::timestamptz AS same
	FROM states WHERE partition_key = 'fdw_columns/times' ORDER BY sequence_id;
-- T7: the time as a constant is found
SELECT count(*) FROM states
	WHERE partition_key = 'fdw_columns/times' AND transaction_timestamp = '2024-01-02 03:04:05.123457+00';

-- A state that is no jsonb is NULL there, and its bytes are not; none stops
-- the others: empty, no JSON, not UTF-8, NUL, lone surrogate, numbers beyond
-- any bound, too deep
SELECT txstore.import_items(array_agg(format(
	'{"PartitionKey":{"S":"fdw_columns/odd"},"RowKey":{"S":"state_%s"},"ETag":{"N":"0"},"GrainState":{"B":"%s"}}',
	lpad(to_hex(n), 16, '0'), translate(encode(s, 'base64'), E'\n', ''))))
	FROM unnest(ARRAY['{"n": 1 }', '', 'no JSON', '\xff'::bytea, '\x00'::bytea, '{"n":"\\u0000"}', '{"n":"\\ud800"}', '{"n":1e999999999}',
		convert_to('{"n":' || repeat('9', 2000) || '}', 'UTF8'),
		convert_to(repeat('[', 20000) || repeat(']', 20000), 'UTF8'),
		convert_to('{"ä":"€\u0301"}', 'UTF8'), '{"a":1,"a":2}', ' null ', '{} {}', '\xefbbbf7b7d'::bytea]) WITH ORDINALITY AS v(s, n);
SELECT sequence_id, state, length(state_bytes) AS bytes FROM states WHERE partition_key = 'fdw_columns/odd' ORDER BY sequence_id;
SELECT count(*) AS rows, count(state) AS json FROM states WHERE partition_key = 'fdw_columns/odd';

-- Type, key and name of partition keys: certain, or NULL.  The service id
-- may stand in two places
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"%s"},"RowKey":{"S":"key"},"ETag":{"N":"0"}}', k)))
	FROM unnest(ARRAY['fdw_columns_parts', 'fdw_columns_parts/', 'fdw_columns_parts/k', 'fdw_columns_parts/k_default_',
		'fdw_columns_parts/_default_s', 'fdw_columns_parts/k_default_s', 'fdw_columns_parts/k/k_default_s_s',
		'fdw_columns_parts/k_default_default_s', 'fdw_columns_parts/k_default__default_s',
		'fdw_columns_parts/k_other_s']) AS k;
SELECT partition_key, grain_type, grain_key, state_name FROM keys WHERE partition_key LIKE 'fdw\_columns\_parts%' ORDER BY 1;

-- Numbers at their bounds, times beyond timestamptz
SELECT txstore.import_items(ARRAY[
	'{"PartitionKey":{"S":"fdw_columns/large"},"RowKey":{"S":"key"},"ETag":{"N":"9223372036854775806"},"CommittedSequenceId":{"N":"9223372036854775807"},"Timestamp":{"N":"-1"}}',
	'{"PartitionKey":{"S":"fdw_columns/late"},"RowKey":{"S":"key"},"ETag":{"N":"0"},"Timestamp":{"N":"9223372036854775807"}}',
	'{"PartitionKey":{"S":"fdw_columns/large"},"RowKey":{"S":"state_7fffffffffffffff"},"ETag":{"N":"0"}}']);
SELECT etag, committed_sequence_id, written_at FROM keys WHERE partition_key = 'fdw_columns/large';
SELECT sequence_id, row_key FROM states WHERE partition_key = 'fdw_columns/large' AND sequence_id = 9223372036854775807;
SELECT etag FROM keys WHERE partition_key = 'fdw_columns/late';
SELECT written_at FROM keys WHERE partition_key = 'fdw_columns/late';
SET client_min_messages = warning;
DROP SCHEMA fdw_columns CASCADE;
