--
-- Partition keys and sequence ids equal to one of an array (T9): empty, with
-- NULLs, duplicates, of other types, of one and of thousands
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE SCHEMA fdw_arrays;
SET search_path = fdw_arrays;
CREATE FOREIGN TABLE states (partition_key text COLLATE "C", sequence_id bigint, row_key text COLLATE "C", etag text)
	SERVER :"storage" OPTIONS (kind 'states');
CREATE FOREIGN TABLE keys (partition_key text COLLATE "C", etag text) SERVER :"storage" OPTIONS (kind 'keys');
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"fdw_arrays/%s"},"RowKey":{"S":"state_%s"},"ETag":{"N":"0"}}',
	k, lpad(to_hex(s), 16, '0')))) FROM unnest(ARRAY['a', 'b', 'c', 'd']) AS k, unnest(ARRAY[1, 2, 5, 10, 31]) AS s;
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"fdw_arrays/%s"},"RowKey":{"S":"key"},"ETag":{"N":"0"}}', k)))
	FROM unnest(ARRAY['a', 'b', 'c', 'd']) AS k;
CREATE DOMAIN key_text AS text;
CREATE DOMAIN key_list AS text[];
CREATE DOMAIN number AS smallint CHECK (VALUE < 100);
-- What a condition finds: partitions and sequence ids
CREATE FUNCTION found(condition text, OUT rows text)
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'SELECT string_agg(right(partition_key, 1) || sequence_id, '' '' ORDER BY partition_key, sequence_id)
		FROM states WHERE partition_key LIKE ''fdw\_arrays/%'' AND (' || condition || ')' INTO rows;
END $$;
SELECT c, found(c) FROM unnest(ARRAY[
	$$partition_key = ANY ('{fdw_arrays/a,fdw_arrays/c}')$$, $$partition_key IN ('fdw_arrays/d', 'fdw_arrays/b', 'fdw_arrays/d')$$,
	$$partition_key = ANY (ARRAY['fdw_arrays/a', NULL, 'nowhere', 'fdw_arrays/a', ''])$$,
	$$partition_key = ANY ('{}')$$, $$partition_key = ANY ('{NULL}')$$, $$partition_key = ANY (NULL)$$,
	$$partition_key = ANY ('{{fdw_arrays/a,x},{y,fdw_arrays/b}}')$$, $$partition_key = ANY ('[5:6]={fdw_arrays/a,fdw_arrays/b}')$$,
	$$partition_key = ANY ('{fdw_arrays/a,fdw_arrays/c}'::name[])$$, $$partition_key = ANY ('{fdw_arrays/a,fdw_arrays/c}'::varchar[])$$,
	$$partition_key = ANY ('{fdw_arrays/a,fdw_arrays/c}'::key_text[])$$, $$partition_key = ANY ('{fdw_arrays/a,fdw_arrays/c}'::key_list)$$,
	$$partition_key = ANY ('{fdw_arrays/a,fdw_arrays/c}'::bpchar[])$$,
	$$partition_key = ALL ('{fdw_arrays/a,fdw_arrays/a}')$$, $$partition_key = ALL ('{fdw_arrays/a,fdw_arrays/b}')$$,
	$$partition_key <> ALL ('{fdw_arrays/a,fdw_arrays/b,fdw_arrays/c}')$$, $$partition_key NOT IN ('fdw_arrays/a', NULL)$$,
	$$partition_key > ANY ('{fdw_arrays/c,fdw_arrays/a}') AND sequence_id = 1$$]) AS c;
-- Arrays and others beside them: what is left is in all
SELECT c, found(c) FROM unnest(ARRAY[
	$$partition_key = ANY ('{fdw_arrays/a,fdw_arrays/b}') AND partition_key = 'fdw_arrays/b'$$,
	$$partition_key = 'fdw_arrays/b' AND partition_key = ANY ('{fdw_arrays/a,fdw_arrays/c}')$$,
	$$partition_key = ANY ('{fdw_arrays/a,fdw_arrays/b,fdw_arrays/c}') AND partition_key = ANY ('{fdw_arrays/d,fdw_arrays/c,fdw_arrays/b}')$$,
	$$partition_key IN ('fdw_arrays/a', 'fdw_arrays/b') AND sequence_id BETWEEN 2 AND 5$$,
	$$partition_key IN ('fdw_arrays/a', 'fdw_arrays/b') AND sequence_id IN (1, 10, 3)$$,
	$$partition_key IN ('fdw_arrays/a', 'fdw_arrays/b') AND sequence_id IN (1, 10) AND sequence_id IN (2, 10)$$,
	$$partition_key = 'fdw_arrays/a' AND sequence_id = ANY ('{}')$$, $$partition_key = 'fdw_arrays/a' AND sequence_id = ANY ('{NULL}')$$,
	$$partition_key = 'fdw_arrays/a' AND sequence_id = ANY ('{2,NULL,2,-1,9223372036854775807}')$$,
	$$partition_key = 'fdw_arrays/a' AND sequence_id = ANY ('{2,5}'::smallint[])$$,
	$$partition_key = 'fdw_arrays/a' AND sequence_id = ANY ('{2,5}'::integer[])$$,
	$$partition_key = 'fdw_arrays/a' AND sequence_id = ANY ('{2,5}'::numeric[])$$,
	$$partition_key = 'fdw_arrays/a' AND sequence_id = ANY ('{2,5}'::number[])$$,
	$$partition_key = 'fdw_arrays/a' AND sequence_id <> ALL ('{2,5}')$$,
	$$partition_key = 'fdw_arrays/a' AND sequence_id < ANY ('{2,5}')$$,
	$$partition_key = 'fdw_arrays/a' AND row_key IN ('state_0000000000000005', 'key', 'state_000000000000000A', 'state_000000000000000a')$$,
	$$partition_key = 'fdw_arrays/a' AND row_key = ANY ('{state_0000000000000005}'::name[])$$,
	$$sequence_id = ANY ('{31,10}')$$, $$row_key = ANY ('{state_000000000000001f,state_0000000000000002}')$$]) AS c;
-- count(*), which the storage may do, agrees
SELECT count(*) FROM states WHERE partition_key = ANY (ARRAY['fdw_arrays/a', NULL, 'nowhere', 'fdw_arrays/a', '']);
SELECT count(*) FROM states WHERE partition_key IN ('fdw_arrays/a', 'fdw_arrays/b') AND sequence_id IN (1, 10, 3);
SELECT count(*) FROM states WHERE partition_key IN ('fdw_arrays/a', 'fdw_arrays/b') AND sequence_id BETWEEN 2 AND 9;
SELECT count(*) FROM keys WHERE partition_key = ANY ('{}');
-- More keys than fit into one request, each of which is there once, twice or
-- not at all
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"fdw_arrays_many/%s"},"RowKey":{"S":"key"},"ETag":{"N":"%s"}}', i, i)))
	FROM generate_series(1, 350) AS i;
SELECT count(*), count(DISTINCT partition_key), min(etag::int), max(etag::int), sum(etag::int) FROM keys
	WHERE partition_key = ANY (ARRAY(SELECT 'fdw_arrays_many/' || i % 400 FROM generate_series(1, 1000) AS i));
SELECT count(*) FROM keys WHERE partition_key = ANY (ARRAY(SELECT 'fdw_arrays_many/' || i FROM generate_series(301, 9000) AS i));
SET client_min_messages = warning;
DROP SCHEMA fdw_arrays CASCADE;
