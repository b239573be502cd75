--
-- Columns of other types than IMPORT gives them: converted as the type's input
-- converts, or refused, and never taken for what they are not (T7; groups 10,
-- 36)
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE SCHEMA fdw_types;
SET search_path = fdw_types;
SET timezone = 'UTC';
SET datestyle = 'ISO';
SELECT txstore.import_items(ARRAY[
	'{"PartitionKey":{"S":"fdw_types/a"},"RowKey":{"S":"key"},"ETag":{"N":"25"},"CommittedSequenceId":{"N":"10"},"Timestamp":{"N":"1700000000"},"Metadata":{"B":"e30="},"Number":{"N":"25"},"Text":{"S":"25"},"Large":{"N":"1E+30"}}',
	'{"PartitionKey":{"S":"fdw_types/b"},"RowKey":{"S":"key"},"ETag":{"N":"3"},"CommittedSequenceId":{"N":"9"},"Timestamp":{"N":"1700000001"},"Number":{"S":"25"},"Text":{"N":"25"}}',
	'{"PartitionKey":{"S":"fdw_types/a"},"RowKey":{"S":"state_000000000000000a"},"ETag":{"N":"25"},"TransactionId":{"S":"0191dd9e-85a5-4a5b-8f49-6b1b0a5b7a33"},"TransactionTimestamp":{"S":"2024-01-02T03:04:05.1234567Z"},"TransactionManager":{"B":"e30="},"GrainState":{"B":"NDI="}}',
	'{"PartitionKey":{"S":"fdw_types/a"},"RowKey":{"S":"state_000000000000000b"},"ETag":{"N":"3"},"TransactionId":{"S":"no number"},"TransactionTimestamp":{"S":"2024-01-02T03:04:05.1234561Z"},"GrainState":{"B":"AAH/"}}']);

-- A Number as text, a text as number: found whatever is asked for it (T7)
CREATE FOREIGN TABLE numbers (partition_key text COLLATE "C", e text OPTIONS (attribute 'etag'), "ETag" bigint, n numeric OPTIONS (attribute 'etag'),
	f float8 OPTIONS (attribute 'etag'), c varchar OPTIONS (attribute 'committed_sequence_id'), number text OPTIONS (attribute 'Number'),
	text text OPTIONS (attribute 'Text'), large text OPTIONS (attribute 'Large'))
	SERVER :"storage" OPTIONS (kind 'keys');
CREATE FUNCTION found(condition text, OUT keys text)
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'SELECT string_agg(right(partition_key, 1), '','' ORDER BY partition_key) FROM numbers
		WHERE partition_key = ANY (''{fdw_types/a,fdw_types/b}'') AND (' || condition || ')' INTO keys;
END $$;
SELECT c, found(c) FROM unnest(ARRAY['e = ''25''', 'e = ''025''', 'e = 25::text', 'e < ''3''', 'e > ''25''', 'e LIKE ''2%''', 'e IN (''3'', ''25'')',
	'"ETag" = 25', '"ETag" < 25', '"ETag" = 25.0', '"ETag" = ''25''', 'n = 25.00', 'n BETWEEN 2.5 AND 3.5', 'f < 25', 'e::bigint = 25', '"ETag"::text = ''25''',
	'c = ''10''', 'c < ''9''', 'c::int < 10', 'number = ''25''', 'number::numeric = 25', 'text = ''25''', 'text < ''3''', 'large::numeric = 1e30']) AS c;
-- Times: as constant in any writing, zone or type, and as text
CREATE FOREIGN TABLE times (partition_key text COLLATE "C", sequence_id bigint, t timestamptz OPTIONS (attribute 'transaction_timestamp'),
	x text OPTIONS (attribute 'transaction_timestamp'), d date OPTIONS (attribute 'transaction_timestamp'),
	l timestamp OPTIONS (attribute 'transaction_timestamp'), s timestamptz(0) OPTIONS (attribute 'transaction_timestamp'),
	b jsonb OPTIONS (attribute 'GrainState'), id text OPTIONS (attribute 'TransactionId')) SERVER :"storage" OPTIONS (kind 'states');
CREATE FUNCTION found_times(condition text, OUT sequences text)
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'SELECT string_agg(sequence_id::text, '','' ORDER BY sequence_id) FROM times
		WHERE partition_key = ''fdw_types/a'' AND (' || condition || ')' INTO sequences;
END $$;
SELECT c, found_times(c) FROM unnest(ARRAY['t = ''2024-01-02 03:04:05.123457Z''', 't = ''2024-01-02 05:04:05.123457+02''', 't = ''2024-01-02T03:04:05.1234567Z''',
	't = ''2024-01-02 03:04:05.123456''::timestamp', 't < ''2024-01-02 03:04:05.123457Z''', 't::date = ''2024-01-02''', 'x = ''2024-01-02T03:04:05.1234567Z''',
	'x > ''2024-01-02T03:04:05.1234561Z''', 'd = ''2024-01-02''', 'l = ''2024-01-02 03:04:05.123457''', 's = ''2024-01-02 03:04:05Z''', 't = x::timestamptz',
	'b = ''42''', 'b IS NULL', 'b::int = 42']) AS c;
SELECT partition_key FROM (SELECT partition_key, to_timestamp("ETag") AS t FROM numbers WHERE partition_key = 'fdw_types/a') AS n WHERE t = '1970-01-01 00:00:25Z';
SET timezone = 'Asia/Kolkata';
SET datestyle = 'SQL, DMY';
SELECT sequence_id, t, x, d, l FROM times WHERE partition_key = 'fdw_types/a' AND t > '2024-01-02 03:04:05.123456Z';
SET timezone = 'UTC';
SET datestyle = 'ISO';

-- Every type in the place of every field: a value of the type, or an error that
-- names the row, and never the value
CREATE TYPE colour AS ENUM ('red');
CREATE TYPE pair AS (a int, b text);
CREATE FUNCTION as_type(storage text, kind text, field text, type text, OUT value text)
LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	EXECUTE format('CREATE FOREIGN TABLE typed (k text OPTIONS (attribute ''partition_key''), v %s OPTIONS (attribute %L)) SERVER %I OPTIONS (kind %L)',
		type, field, storage, kind);
	EXECUTE 'SELECT string_agg(coalesce(v::text, ''NULL''), '' '' ORDER BY v::text COLLATE "C") FROM typed WHERE k = ''fdw_types/a''' INTO value;
	DROP FOREIGN TABLE typed;
EXCEPTION
	WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
		value := concat_ws(' ', SQLSTATE, SQLERRM, detail);
END $$;
SELECT type, as_type(:'storage', 'keys', 'etag', type) AS etag FROM unnest(ARRAY['smallint', 'integer', 'oid', 'xid', 'numeric(3,1)', 'numeric(2,1)', 'real', 'boolean',
	'"char"', 'char', 'char(4)', 'varchar(1)', 'varchar(2)', 'name', 'bytea', 'uuid', 'inet', 'date', 'interval', 'bit', 'int[]', 'int4range', 'json', 'jsonb', 'regclass',
	'colour', 'pair', 'numbers', 'point', 'cstring', 'record', 'anyelement', 'tsvector', 'refcursor']) AS type;
SELECT type, as_type(:'storage', 'states', 'transaction_id', type) AS transaction_id FROM unnest(ARRAY['integer', 'bigint', 'uuid', 'numeric', 'float8', 'boolean', 'bytea', 'jsonb',
	'timestamptz', 'text[]', 'colour', 'pair', 'name', 'varchar(5)', 'char(40)']) AS type;
SELECT type, as_type(:'storage', 'states', 'state', type) AS state FROM unnest(ARRAY['bytea', 'text', 'json', 'jsonb', 'integer', 'uuid', 'varchar', 'name', 'bytea[]', 'pair']) AS type;
SELECT type, as_type(:'storage', 'keys', 'Number', type) AS number FROM unnest(ARRAY['text', 'jsonb', 'integer', 'bigint', 'uuid', 'json', 'varchar', 'bytea', 'text[]', 'pair']) AS type;
SELECT f, as_type(:'storage', f[1], f[2], 'integer') AS of_integer, as_type(:'storage', f[1], f[2], 'uuid') AS of_uuid FROM (VALUES
	(ARRAY['keys', 'partition_key']), ('{keys,row_key}'), ('{states,sequence_id}'), ('{keys,grain_key}'), ('{keys,committed_sequence_id}'), ('{keys,written_at}'), ('{keys,metadata}'),
	('{keys,commit_records}'), ('{states,transaction_timestamp}'), ('{states,transaction_manager}'), ('{states,manager_grain}'), ('{partitions,pending}'),
	('{partitions,in_doubt}'), ('{partitions,state}')) AS v(f);

-- Types of the user's own with the names of PostgreSQL's, first on the search path
CREATE DOMAIN text AS pg_catalog.int4;
CREATE DOMAIN jsonb AS pg_catalog.text CHECK (VALUE <> '42');
CREATE TYPE bigint AS (a pg_catalog.text);
CREATE TYPE timestamptz AS ENUM ('never');
CREATE TYPE bytea AS RANGE (SUBTYPE = pg_catalog.int4);
SET search_path = fdw_types, pg_catalog;
CREATE FOREIGN TABLE own (k pg_catalog.text OPTIONS (attribute 'partition_key'), e text OPTIONS (attribute 'etag'), s jsonb OPTIONS (attribute 'state'),
	b "bigint" OPTIONS (attribute 'etag')) SERVER :"storage" OPTIONS (kind 'states');
SELECT e FROM own WHERE k = 'fdw_types/a' ORDER BY 1;
SELECT s FROM own WHERE k = 'fdw_types/a';
SELECT b FROM own WHERE k = 'fdw_types/a';
CREATE FOREIGN TABLE own_key (partition_key text) SERVER :"storage" OPTIONS (kind 'keys');
SELECT * FROM own_key;
CREATE FOREIGN TABLE own_bytes (state bytea) SERVER :"storage" OPTIONS (kind 'states');
SELECT * FROM own_bytes;
CREATE FOREIGN TABLE own_time (partition_key pg_catalog.text, transaction_timestamp timestamptz, written_at timestamptz) SERVER :"storage" OPTIONS (kind 'partitions');
SELECT transaction_timestamp FROM own_time WHERE partition_key = 'fdw_types/a';
-- IMPORT means PostgreSQL's
CREATE SCHEMA fdw_types_imported;
SELECT replace(regexp_replace(value, '^.*\.|_keys"?$', '', 'g'), '"', '') AS name FROM txstore.describe_storage() WHERE property IN ('table', 'keys table') \gset
SELECT :'name' || '_keys' AS keys, :'name' || '_states' AS states, :'name' || '_partitions' AS partitions \gset
\set VERBOSITY sqlstate
IMPORT FOREIGN SCHEMA x LIMIT TO (:"keys", :"states", :"partitions") FROM SERVER :"storage" INTO fdw_types_imported;
\set VERBOSITY default
SELECT typnamespace::regnamespace, count(DISTINCT attrelid) AS tables FROM pg_attribute JOIN pg_type AS t ON t.oid = atttypid
	WHERE attnum > 0 AND attrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'fdw_types_imported'::regnamespace) GROUP BY 1;
SET client_min_messages = warning;
DROP SCHEMA fdw_types, fdw_types_imported CASCADE;
