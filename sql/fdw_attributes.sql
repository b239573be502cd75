--
-- Columns by the option attribute: fewer, renamed, of other types, and
-- attributes that Orleans does not know (group 32: names keep their case)
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE SCHEMA fdw_attributes;
SET search_path = fdw_attributes;
SET timezone = 'UTC';
SELECT txstore.import_items(ARRAY[
	'{"PartitionKey":{"S":"fdw_attributes/a"},"RowKey":{"S":"key"},"ETag":{"N":"1"},"CommittedSequenceId":{"N":"3"},"Timestamp":{"N":"1700000000"},"Metadata":{"B":"e30="},"Owner":{"S":"Zoë \"Z\" \\ "},"owner":{"N":"12.5"},"Nothing":{"NULL":true},"Flag":{"BOOL":true},"Map":{"M":{"a\"b":{"L":[{"N":"1"},{"S":"x"},{"NULL":true},{"M":{}},{"L":[]}]}}},"Names":{"SS":["a","b"]},"Numbers":{"NS":["1","2"]},"Bytes":{"B":"AAH/"}}',
	'{"PartitionKey":{"S":"fdw_attributes/a"},"RowKey":{"S":"state_0000000000000003"},"ETag":{"N":"2"},"GrainState":{"B":"eyJuIjoxfQ=="},"select":{"S":"a reserved word"}}',
	'{"PartitionKey":{"S":"fdw_attributes/b"},"RowKey":{"S":"key"},"ETag":{"N":"1"},"Owner":{"N":"7"}}',
	'{"PartitionKey":{"S":"fdw_attributes/c"},"RowKey":{"S":"key"},"ETag":{"N":"1"}}']);
-- Orleans' names, as column or as attribute
CREATE FOREIGN TABLE orleans ("PartitionKey" text, "RowKey" varchar, "ETag" bigint, "CommittedSequenceId" int,
	"Timestamp" bigint, seen timestamptz OPTIONS (attribute 'Timestamp'), "Metadata" text, m json OPTIONS (attribute 'metadata'))
	SERVER :"storage" OPTIONS (kind 'keys');
SELECT * FROM orleans WHERE "PartitionKey" = 'fdw_attributes/a';
SELECT "ETag" + 1 AS next FROM orleans WHERE "PartitionKey" = 'fdw_attributes/a' AND "RowKey" = 'key';
SELECT count(*) FROM orleans WHERE "PartitionKey" = 'fdw_attributes/a' AND "RowKey" = 'Key';
-- One field in several columns and types
CREATE FOREIGN TABLE twice (k text OPTIONS (attribute 'partition_key'), n bigint OPTIONS (attribute 'sequence_id'),
	r text OPTIONS (attribute 'RowKey'), a bytea OPTIONS (attribute 'state'), b jsonb OPTIONS (attribute 'GrainState'),
	c text OPTIONS (attribute 'GrainState'), d json OPTIONS (attribute 'GrainState'),
	e numeric OPTIONS (attribute 'ETag'), "select" text OPTIONS (attribute 'select'))
	SERVER :"storage" OPTIONS (kind 'states');
SELECT * FROM twice WHERE k = 'fdw_attributes/a';
SELECT k, n FROM twice WHERE k = 'fdw_attributes/a' AND k = 'fdw_attributes/a' AND n = 3 AND r = 'state_0000000000000003';

-- What Orleans does not know, as text and as jsonb
CREATE FOREIGN TABLE other (k text OPTIONS (attribute 'partition_key'),
	upper text OPTIONS (attribute 'Owner'), upper_json jsonb OPTIONS (attribute 'Owner'),
	lower text OPTIONS (attribute 'owner'), lower_json jsonb OPTIONS (attribute 'owner'),
	nothing text OPTIONS (attribute 'Nothing'), nothing_json jsonb OPTIONS (attribute 'Nothing'),
	flag text OPTIONS (attribute 'Flag'), flag_json jsonb OPTIONS (attribute 'Flag'),
	map text OPTIONS (attribute 'Map'), map_json jsonb OPTIONS (attribute 'Map'),
	names jsonb OPTIONS (attribute 'Names'), numbers jsonb OPTIONS (attribute 'Numbers'),
	bytes text OPTIONS (attribute 'Bytes'), missing text OPTIONS (attribute 'Missing'))
	SERVER :"storage" OPTIONS (kind 'keys');
\x on
\pset null (null)
SELECT * FROM other WHERE k = 'fdw_attributes/a';
SELECT * FROM other WHERE k = 'fdw_attributes/b';
\x off
SELECT k, upper FROM other WHERE k = ANY ('{fdw_attributes/a,fdw_attributes/b,fdw_attributes/c}') AND upper IS NULL;
SELECT k FROM other WHERE k = ANY ('{fdw_attributes/a,fdw_attributes/b,fdw_attributes/c}') AND upper = '7';
\pset null ''

-- A value that does not fit its column is named by table, partition and row,
-- and not shown
CREATE FOREIGN TABLE narrow (partition_key text, etag smallint, sequence int OPTIONS (attribute 'committed_sequence_id'),
	written_at date) SERVER :"storage" OPTIONS (kind 'keys');
SELECT txstore.import_items(ARRAY[
	'{"PartitionKey":{"S":"fdw_attributes/wide"},"RowKey":{"S":"key"},"ETag":{"N":"40000"},"CommittedSequenceId":{"N":"3000000000"}}',
	'{"PartitionKey":{"S":"fdw_attributes/wide"},"RowKey":{"S":"state_00000000b2d05e00"},"ETag":{"N":"0"}}']);
SELECT etag FROM narrow WHERE partition_key = 'fdw_attributes/wide';
SELECT sequence FROM narrow WHERE partition_key = 'fdw_attributes/wide';
SELECT written_at FROM narrow WHERE partition_key = 'fdw_attributes/a';
-- A column that the query does not need is not looked at
SELECT partition_key FROM narrow WHERE partition_key = 'fdw_attributes/wide';

-- Columns that stand for nothing, or cannot be of their type: said at use
CREATE FOREIGN TABLE unknown (partition_key text, colour text) SERVER :"storage" OPTIONS (kind 'keys');
SELECT * FROM unknown;
CREATE FOREIGN TABLE of_states (partition_key text, committed_sequence_id bigint) SERVER :"storage" OPTIONS (kind 'states');
SELECT * FROM of_states;
CREATE FOREIGN TABLE of_partitions (partition_key text, extra text OPTIONS (attribute 'Owner'))
	SERVER :"storage" OPTIONS (kind 'partitions');
SELECT * FROM of_partitions;
CREATE FOREIGN TABLE wrong_key (partition_key bytea) SERVER :"storage" OPTIONS (kind 'keys');
SELECT * FROM wrong_key;
CREATE FOREIGN TABLE wrong_sequence (sequence_id integer) SERVER :"storage" OPTIONS (kind 'states');
SELECT * FROM wrong_sequence;
CREATE FOREIGN TABLE wrong_state (state integer) SERVER :"storage" OPTIONS (kind 'states');
SELECT * FROM wrong_state;
CREATE FOREIGN TABLE wrong_other (x integer OPTIONS (attribute 'Owner')) SERVER :"storage" OPTIONS (kind 'states');
SELECT * FROM wrong_other;
CREATE FOREIGN TABLE wrong_doubt (in_doubt text) SERVER :"storage" OPTIONS (kind 'partitions');
SELECT * FROM wrong_doubt;
SET client_min_messages = warning;
DROP SCHEMA fdw_attributes CASCADE;
