--
-- Conditions on grain type, grain key and state name, which name partitions
-- together; beginnings, patterns and bounds of partition keys; conditions on
-- attributes.  Each is answered as by a plain table
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE SCHEMA fdw_pieces;
SET search_path = fdw_pieces;
CREATE FOREIGN TABLE keys (partition_key text COLLATE "C", grain_type text, grain_key text COLLATE "C", state_name text, etag text,
	committed_sequence_id bigint) SERVER :"storage" OPTIONS (kind 'keys');
CREATE FOREIGN TABLE partitions (partition_key text COLLATE "C", grain_type text, grain_key text COLLATE "C", state_name text,
	committed_sequence_id bigint, transaction_id text, pending bigint) SERVER :"storage" OPTIONS (kind 'partitions');
CREATE FOREIGN TABLE states (partition_key text COLLATE "C", grain_type text, grain_key text, state_name text, sequence_id bigint,
	row_key text COLLATE "C", transaction_id text) SERVER :"storage" OPTIONS (kind 'states');
-- Keys that come apart in no way (no slash, no service, two services), too
CREATE TABLE wanted AS SELECT row_number() OVER () AS n, k FROM unnest(ARRAY['pieces.a/1_default_x', 'pieces.a/2_default_x', 'pieces.a/2_default_y',
	'pieces.a/10_default_x', 'pieces.ab/1_default_x', 'pieces.b/1_default_x', 'pieces.b/ä_default_x', 'pieces.b/a%_default_x',
	'pieces.b/a_default_b_default_x', 'pieces.b/_default_x', 'pieces.b/1_default_', 'pieces.b/1', 'pieces.b', 'pieces.b/a/b_default_x']) AS k;
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"%s"},"RowKey":{"S":"key"},"ETag":{"N":"0"},"CommittedSequenceId":{"N":"%s"}}', k, n % 5)))
	FROM wanted;
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"%s"},"RowKey":{"S":"state_%s"},"ETag":{"N":"0"},"TransactionId":{"S":"t%s"}}',
	k, lpad(to_hex(s), 16, '0'), n % 4))) FROM wanted, generate_series(1, 7) AS s WHERE s >= n % 5;
CREATE TABLE local_keys AS SELECT * FROM keys WHERE partition_key ~ '^pieces';
CREATE TABLE local_partitions AS SELECT * FROM partitions WHERE partition_key ~ '^pieces';
CREATE TABLE local_states AS SELECT * FROM states WHERE partition_key ~ '^pieces';
SELECT count(*), count(grain_type), count(grain_key), count(state_name) FROM local_keys;
SELECT count(*), sum(pending), count(transaction_id) FROM local_partitions;
SELECT count(*) FROM local_states;
-- The rows that a condition finds, and whether count(*) and a plain table agree
CREATE FUNCTION found(name text, condition text, OUT rows bigint, OUT first text, OUT agrees text)
LANGUAGE plpgsql AS $$
DECLARE
	list text := 'SELECT count(*), min(t::text), md5(string_agg(t::text, '','' ORDER BY t::text COLLATE "C")) FROM %I AS t WHERE (%s) AND partition_key ~ ''^pieces''';
	counting text := 'SELECT count(*) FROM %I AS t WHERE %s';
	hash text;
	expected text;
	counted bigint;
	expected_count bigint;
BEGIN
	EXECUTE format(list, name, condition) INTO rows, first, hash;
	EXECUTE format(list, 'local_' || name, condition) INTO rows, first, expected;
	EXECUTE format(counting, name, condition) INTO counted;
	EXECUTE format('SELECT count(*) FROM (SELECT FROM %I WHERE %s OFFSET 0) AS t', name, condition) INTO expected_count;
	agrees := CASE WHEN hash IS DISTINCT FROM expected THEN 'NO' WHEN counted <> expected_count THEN 'NO: count' ELSE 'yes' END;
END $$;

-- All three pieces, fewer, several of each, none that can be
SELECT c, f.* FROM unnest(ARRAY[
	$$grain_type = 'pieces.a' AND grain_key = '2' AND state_name = 'x'$$, $$'x' = state_name AND '2' = grain_key AND 'pieces.a' = grain_type$$,
	$$grain_type = 'pieces.a' AND grain_key = '3' AND state_name = 'x'$$, $$grain_type = 'pieces.a' AND grain_key = '' AND state_name = 'x'$$,
	$$grain_type = 'pieces.a' AND grain_key IN ('1', '2', '3', '2') AND state_name IN ('x', 'y')$$,
	$$grain_type IN ('pieces.a', 'pieces.b') AND grain_key = ANY ('{1,NULL,ä}') AND state_name = 'x'$$,
	$$grain_type = 'pieces.b' AND grain_key = ANY ('{}') AND state_name = 'x'$$,
	$$grain_type = 'pieces.b' AND grain_key = 'a%' AND state_name = 'x'$$, $$grain_type = 'pieces.b' AND grain_key = 'a/b' AND state_name = 'x'$$,
	$$grain_type = 'pieces.b/a' AND grain_key = 'b' AND state_name = 'x'$$,
	$$grain_type = 'pieces.b' AND grain_key = 'a_default_b' AND state_name = 'x'$$, $$grain_type = 'pieces.b' AND grain_key = 'a' AND state_name = 'b_default_x'$$,
	$$grain_type = 'pieces.a' AND grain_key = '2'$$, $$grain_type = 'pieces.a'$$, $$grain_type = 'pieces'$$, $$grain_type = ''$$, $$grain_type = 'pieces.a/2'$$,
	$$grain_type = 'pieces.a' AND state_name = 'y'$$, $$grain_key = '1' AND state_name = 'x'$$, $$grain_key = '1'$$, $$state_name = 'y'$$,
	$$grain_type = 'pieces.a' AND grain_type = 'pieces.b'$$, $$grain_type IN ('pieces.a', 'pieces.b') AND grain_type IN ('pieces.b', 'pieces.ab')$$,
	$$grain_type = 'pieces.a' AND grain_key = '2' AND state_name = 'x' AND partition_key = 'pieces.a/2_default_x'$$,
	$$grain_type = 'pieces.a' AND grain_key = '2' AND state_name = 'x' AND partition_key = 'pieces.a/2_default_y'$$,
	$$grain_type = 'pieces.a' AND partition_key = 'pieces.a/2_default_y'$$, $$grain_type = 'pieces.b' AND partition_key = 'pieces.a/2_default_y'$$,
	$$grain_type = 'pieces.a' AND grain_key = '2' AND state_name = NULL$$, $$grain_type IS NULL$$, $$grain_key IS NULL AND grain_type = 'pieces.b'$$,
	$$grain_type = 'pieces.b' AND grain_key > '1'$$, $$grain_type > 'pieces.a' AND grain_type < 'pieces.b'$$,
	$$grain_type = 'pieces.a'::varchar AND grain_key = '2'::name AND state_name = 'x'::varchar(1)$$,
	$$grain_type LIKE 'pieces.a%' AND grain_key = '1'$$, $$grain_type = lower('PIECES.A') AND grain_key = '1' AND state_name = 'x'$$]) AS c,
	found('keys', c) AS f;
SELECT n, c, f.* FROM unnest(ARRAY['partitions', 'states']) AS n, unnest(ARRAY[
	$$grain_type = 'pieces.a' AND grain_key = '2' AND state_name = 'x'$$, $$grain_type = 'pieces.a' AND grain_key IN ('1', '2') AND state_name IN ('x', 'y')$$,
	$$grain_type = 'pieces.a' AND grain_key = '2'$$, $$grain_type = 'pieces.b'$$, $$grain_type = 'pieces.b' AND grain_key = 'a'$$]) AS c,
	found(n, c) AS f;
SELECT c, f.* FROM unnest(ARRAY[
	$$grain_type = 'pieces.a' AND grain_key = '2' AND state_name = 'y' AND sequence_id = 5$$,
	$$grain_type = 'pieces.a' AND grain_key IN ('1', '2') AND state_name = 'x' AND sequence_id = 5$$,
	$$grain_type = 'pieces.a' AND grain_key = '2' AND state_name = 'y' AND sequence_id > 5$$, $$grain_type = 'pieces.a' AND sequence_id > 6$$]) AS c,
	found('states', c) AS f;
SELECT sequence_id FROM states WHERE grain_type = 'pieces.a' AND grain_key = '2' AND state_name = 'y' ORDER BY sequence_id DESC LIMIT 2;

-- Beginnings, patterns, bounds and alternatives of partition keys
SELECT c, f.* FROM unnest(ARRAY[
	$$partition_key ^@ 'pieces.a'$$, $$starts_with(partition_key, 'pieces.a/')$$, $$partition_key ^@ ''$$, $$partition_key ^@ 'pieces.c'$$, $$partition_key ^@ NULL$$,
	$$partition_key LIKE 'pieces.a/%'$$, $$partition_key LIKE 'pieces._/1%'$$, $$partition_key LIKE 'pieces.b/a\%%'$$, $$partition_key LIKE 'pieces.b/1'$$,
	$$partition_key LIKE 'pieces.b/ä%'$$, $$partition_key LIKE '%x'$$, $$partition_key LIKE ''$$, $$partition_key LIKE 'pieces.b/a!%%' ESCAPE '!'$$,
	$$partition_key NOT LIKE 'pieces.a%'$$, $$partition_key LIKE 'pieces.a%' AND partition_key LIKE 'pieces.ab%'$$,
	$$partition_key LIKE 'pieces.ab%' AND partition_key LIKE 'pieces.a%'$$, $$partition_key LIKE 'pieces.b%' AND partition_key LIKE 'pieces.a%'$$,
	$$partition_key > 'pieces.a/2_default_x'$$, $$partition_key >= 'pieces.a/2_default_x' AND partition_key < 'pieces.b'$$, $$partition_key <= 'pieces.a/2_default_x'$$,
	$$'pieces.b' <= partition_key$$, $$partition_key < ''$$, $$partition_key >= ''$$, $$partition_key > 'pieces.b/ä'$$, $$partition_key > 'pieces.b/_' AND partition_key ^@ 'pieces.b/a'$$,
	$$partition_key BETWEEN 'pieces.a/2' AND 'pieces.a/3'$$, $$partition_key BETWEEN 'pieces.a/3' AND 'pieces.a/2'$$,
	$$partition_key > 'pieces.a/1' AND partition_key > 'pieces.a/2' AND partition_key < 'pieces.b' AND partition_key < 'pieces.c'$$,
	$$partition_key COLLATE "en-x-icu" > 'pieces.b/1'$$, $$partition_key COLLATE "en-x-icu" LIKE 'pieces.b/1%'$$,
	$$partition_key = 'pieces.b' OR partition_key = 'pieces.b/1'$$, $$partition_key = 'pieces.b' OR 'pieces.b/1' = partition_key OR partition_key = 'pieces.c'$$,
	$$partition_key = 'pieces.b' OR partition_key = NULL$$, $$(partition_key = 'pieces.b' AND etag = '0') OR (etag = '0' AND partition_key = 'pieces.b/1')$$,
	$$(partition_key = 'pieces.b' AND etag = '1') OR (etag = '0' AND partition_key = 'pieces.b/1')$$, $$partition_key = 'pieces.b' OR etag = '1'$$,
	$$partition_key = 'pieces.b' OR partition_key > 'pieces.b/1'$$, $$partition_key = 'pieces.b' OR partition_key = 'pieces.b/1'::name$$,
	$$partition_key IN ('pieces.b', 'pieces.b/1') AND partition_key > 'pieces.b'$$, $$partition_key IN ('pieces.b', 'pieces.b/1') AND partition_key ^@ 'pieces.b/'$$,
	$$partition_key = 'pieces.b' AND grain_type = 'pieces.b'$$,
	$$(partition_key = 'pieces.b' OR partition_key = 'pieces.b/1') AND (partition_key = 'pieces.b/1' OR partition_key = 'pieces.a')$$]) AS c, found('keys', c) AS f;
SELECT c, f.* FROM unnest(ARRAY[
	$$partition_key LIKE 'pieces.b/%' AND row_key LIKE 'state\_000000000000000_' AND sequence_id > 3$$, $$partition_key = 'pieces.b/1' AND row_key LIKE 'state\_%7'$$,
	$$row_key LIKE 'key%'$$, $$row_key ^@ 'state_0000000000000007'$$, $$row_key ^@ 'state_00000000000000077'$$, $$row_key LIKE 'state_0000000000000007'$$,
	$$partition_key = 'pieces.b/1' AND row_key ^@ 'state_000000000000000'$$, $$partition_key = 'pieces.b/1' AND row_key LIKE 'state\_0000000000000005%'$$,
	$$(partition_key = 'pieces.b/1' AND sequence_id = 5) OR (partition_key = 'pieces.a/2_default_x' AND sequence_id = 6)$$]) AS c,
	found('states', c) AS f;

-- Attributes
SELECT c, f.* FROM unnest(ARRAY[
	'committed_sequence_id = 3', 'committed_sequence_id > 3::smallint', '2 >= committed_sequence_id', 'committed_sequence_id <> 3', 'committed_sequence_id IS NULL',
	'committed_sequence_id > 1 AND committed_sequence_id <= 3', 'committed_sequence_id = ANY (''{1,2}'')', 'committed_sequence_id < -9223372036854775808',
	'committed_sequence_id <= 9223372036854775807', 'committed_sequence_id > 1.5', 'committed_sequence_id + 0 = 3',
	'grain_type = ''pieces.a'' AND grain_key = ''2'' AND state_name = ''x'' AND committed_sequence_id = 2', 'committed_sequence_id = 2 OR committed_sequence_id = 3']) AS c,
	unnest(ARRAY['keys', 'partitions']) AS n, found(n, c) AS f;
SELECT c, f.* FROM unnest(ARRAY[
	$$transaction_id = 't1'$$, $$transaction_id = 'T1'$$, $$transaction_id = ''$$, $$transaction_id > 't2'$$, $$transaction_id IN ('t1', 't2')$$,
	$$transaction_id IS NULL$$, $$transaction_id = 't1' AND partition_key = 'pieces.b/1'$$, $$transaction_id = 't3' AND partition_key = 'pieces.b/1'$$,
	$$transaction_id = 't3' AND sequence_id > 5 AND partition_key ^@ 'pieces.b'$$, $$transaction_id = 't1'::name$$, $$transaction_id LIKE 't1%'$$]) AS c,
	found('states', c) AS f;
SELECT f.* FROM found('partitions', $$transaction_id = 't2'$$) AS f;
SELECT f.* FROM found('partitions', $$transaction_id = 't2' AND committed_sequence_id > 2$$) AS f;
-- More of them than a request takes
SELECT f.* FROM found('keys', 'committed_sequence_id > 0 AND committed_sequence_id < 5 AND committed_sequence_id < 6 AND committed_sequence_id < 7 AND
	committed_sequence_id < 8 AND committed_sequence_id < 9 AND committed_sequence_id < 10 AND committed_sequence_id < 11 AND committed_sequence_id < 12 AND
	committed_sequence_id <= 3') AS f;

-- Columns that may cut a text are compared as they show it
CREATE FOREIGN TABLE cut (key name OPTIONS (attribute 'grain_key'), grain_type text, state_name varchar(9), partition_key text COLLATE "C")
	SERVER :"storage" OPTIONS (kind 'keys');
SELECT txstore.import_items(ARRAY[format('{"PartitionKey":{"S":"pieces.cut/%s_default_x  "},"RowKey":{"S":"key"},"ETag":{"N":"0"}}', repeat('k', 70))]);
SELECT count(*) FROM cut WHERE grain_type = 'pieces.cut' AND key = repeat('k', 63) AND state_name = 'x  ';
SELECT count(*) FROM cut WHERE grain_type = 'pieces.cut' AND key = repeat('k', 70) AND state_name = 'x  ';

-- Values that come with the execution, or from the other side of a join
PREPARE pieces (text, text, text) AS SELECT partition_key FROM keys WHERE grain_type = $1 AND grain_key = $2 AND state_name = $3;
SET plan_cache_mode = force_generic_plan;
EXECUTE pieces ('pieces.a', '2', 'y');
EXECUTE pieces ('pieces.b', 'ä', 'x');
EXECUTE pieces ('pieces.b', NULL, 'x');
PREPARE pattern (text) AS SELECT partition_key FROM keys WHERE partition_key LIKE $1 ORDER BY 1;
EXECUTE pattern ('pieces.ab%');
EXECUTE pattern ('pieces.b/1%');
RESET plan_cache_mode;
CREATE TABLE accounts AS SELECT i::text AS id FROM generate_series(1, 12) AS i;
SELECT id, partition_key, committed_sequence_id FROM accounts JOIN partitions ON grain_key = id AND grain_type = 'pieces.a' AND state_name = 'x' ORDER BY 1;
SELECT id, p.partition_key, s.sequence_id FROM accounts JOIN keys AS p ON p.grain_key = id AND p.grain_type = 'pieces.a'
	JOIN states AS s ON s.partition_key = p.partition_key AND s.sequence_id = p.committed_sequence_id + 3 ORDER BY 1, 2;
SELECT id, (SELECT count(*) FROM states WHERE grain_type = 'pieces.a' AND grain_key = id AND state_name = 'y') FROM accounts WHERE id < '3' ORDER BY 1;
SELECT id, k.partition_key FROM accounts LEFT JOIN keys AS k ON (k.partition_key = 'pieces.a/' || id || '_default_x' OR k.partition_key = 'pieces.b/' || id)
	WHERE id < '3' ORDER BY 1, 2;
SET client_min_messages = warning;
DROP SCHEMA fdw_pieces CASCADE;
