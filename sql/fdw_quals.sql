--
-- Conditions on partition keys: every operator, either way round, of other
-- types and collations (T6, T7, T9; groups 9, 10, 34).  Each is answered as
-- by a plain table
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE SCHEMA fdw_quals;
SET search_path = fdw_quals;
CREATE FOREIGN TABLE keys (partition_key text COLLATE "C" NOT NULL, grain_key text, etag text, committed_sequence_id bigint)
	SERVER :"storage" OPTIONS (kind 'keys');
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"fdw_quals/%s"},"RowKey":{"S":"key"},"ETag":{"N":"%s"}}', k, n)))
	FROM unnest(ARRAY['a', 'A', 'b', 'B', 'ä', 'a%', 'a b', 'a ', '_', '10', '9']) WITH ORDINALITY AS v(k, n);
-- The rows of this test; the condition on the prefix is none that a key answers
CREATE TABLE copy AS SELECT * FROM keys WHERE partition_key LIKE 'fdw\_quals/%';
SELECT count(*) FROM copy;
-- What a condition finds, and whether the plain table agrees
CREATE FUNCTION found(condition text, OUT keys text, OUT agrees text)
LANGUAGE plpgsql AS $$
DECLARE
	expected text;
	list text := 'SELECT string_agg(replace(partition_key, ''fdw_quals/'', ''''), '','' ORDER BY partition_key) FROM %s
		WHERE partition_key LIKE ''fdw\_quals/%%'' AND (%s)';
BEGIN
	EXECUTE format(list, 'keys', condition) INTO keys;
	EXECUTE format(list, 'copy AS keys', condition) INTO expected;
	agrees := CASE WHEN keys IS NOT DISTINCT FROM expected THEN 'yes' ELSE 'NO: ' || expected END;
END $$;
CREATE COLLATION ignore_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE DOMAIN key_text AS text;

-- Operators and their commutators
SELECT c, f.* FROM unnest(ARRAY[
	$$partition_key = 'fdw_quals/a'$$, $$'fdw_quals/a' = partition_key$$,
	$$partition_key <> 'fdw_quals/a'$$, $$NOT partition_key = 'fdw_quals/a'$$,
	$$partition_key < 'fdw_quals/A'$$, $$partition_key <= 'fdw_quals/A'$$,
	$$partition_key > 'fdw_quals/b'$$, $$'fdw_quals/b' <= partition_key$$,
	$$partition_key BETWEEN 'fdw_quals/A' AND 'fdw_quals/a'$$,
	$$partition_key BETWEEN 'fdw_quals/a' AND 'fdw_quals/A'$$,
	$$partition_key ^@ 'fdw_quals/a'$$,
	$$partition_key LIKE 'fdw\_quals/a%'$$, $$partition_key LIKE 'fdw\_quals/a\%'$$, $$partition_key ILIKE 'fdw\_quals/a'$$,
	$$partition_key ~ '/[ab]$'$$, $$partition_key IS NULL$$, $$partition_key IS NOT NULL$$,
	$$partition_key IS DISTINCT FROM 'fdw_quals/a'$$, $$partition_key IS NOT DISTINCT FROM 'fdw_quals/a'$$,
	$$(partition_key, etag) = ('fdw_quals/a', '1')$$, $$(partition_key, etag) > ('fdw_quals/a', '1')$$]) AS c, found(c) AS f;

-- Other types: a name is one, blanks at the end of a bpchar are none
SELECT c, f.* FROM unnest(ARRAY[
	$$partition_key = 'fdw_quals/a'::varchar$$, $$partition_key = 'fdw_quals/a'::varchar(200)$$,
	$$partition_key = 'fdw_quals/a'::name$$, $$'fdw_quals/a'::name = partition_key$$, $$partition_key = repeat('x', 100)::name$$,
	$$partition_key = 'fdw_quals/a '::bpchar$$, $$partition_key::bpchar = 'fdw_quals/a'$$,
	$$partition_key::varchar = 'fdw_quals/a'$$, $$partition_key::varchar(11) = 'fdw_quals/a'$$, $$partition_key::name = 'fdw_quals/a'$$,
	$$partition_key = 'fdw_quals/a'::key_text$$, $$partition_key::key_text = 'fdw_quals/a'$$,
	$$partition_key = 'fdw_quals/' || 'a'$$, $$partition_key = concat('fdw_quals/', 10)$$,
	$$partition_key = grain_key$$, $$partition_key = partition_key$$, $$partition_key = NULL$$, $$partition_key = NULL::name$$,
	$$partition_key = ''$$, $$partition_key = repeat('x', 5000)$$]) AS c, found(c) AS f;

-- Collations: equality is that of bytes but for nondeterministic ones, order
-- only in C
SELECT c, f.* FROM unnest(ARRAY[
	$$partition_key COLLATE "C" = 'fdw_quals/a'$$, $$partition_key = 'fdw_quals/a' COLLATE "POSIX"$$,
	$$partition_key COLLATE "default" = 'fdw_quals/a'$$, $$partition_key COLLATE "en-x-icu" = 'fdw_quals/a'$$,
	$$partition_key COLLATE "en-x-icu" < 'fdw_quals/b'$$, $$partition_key COLLATE "en-x-icu" BETWEEN 'fdw_quals/9' AND 'fdw_quals/A'$$,
	$$partition_key COLLATE ignore_case = 'fdw_quals/a'$$, $$partition_key COLLATE ignore_case <> 'fdw_quals/a'$$,
	$$partition_key COLLATE ignore_case IN ('fdw_quals/a', 'fdw_quals/B')$$]) AS c, found(c) AS f;

-- More than one: contradictions, OR, NOT
SELECT c, f.* FROM unnest(ARRAY[
	$$partition_key = 'fdw_quals/a' AND partition_key = 'fdw_quals/a'$$, $$partition_key = 'fdw_quals/a' AND partition_key = 'fdw_quals/b'$$,
	$$partition_key = 'fdw_quals/a' AND partition_key > 'fdw_quals/a'$$, $$partition_key = 'fdw_quals/a' OR partition_key = 'fdw_quals/b'$$,
	$$partition_key = 'fdw_quals/a' OR etag = '3'$$, $$partition_key = 'fdw_quals/a' AND (etag = '1' OR etag = '2')$$,
	$$(partition_key = 'fdw_quals/a' AND etag = '1') OR (partition_key = 'fdw_quals/b' AND etag = '1')$$,
	$$partition_key = 'fdw_quals/a' AND etag = '2'$$, $$partition_key = 'fdw_quals/a' AND false$$,
	$$partition_key = 'fdw_quals/a' AND partition_key IS NULL$$,
	$$partition_key = CASE WHEN etag = '1' THEN 'fdw_quals/a' END$$,
	$$partition_key = (SELECT min(partition_key) FROM copy)$$, $$partition_key = (SELECT partition_key FROM copy WHERE false)$$,
	$$partition_key = 'fdw_quals/a' AND random() >= 0$$, $$partition_key = 'fdw_quals/' || CASE WHEN random() >= 0 THEN 'a' END$$]) AS c,
	found(c) AS f;
-- What no key answers, beside a partition key
SELECT c, f.* FROM unnest(ARRAY[
	$$partition_key = 'fdw_quals/a' AND etag LIKE '1%'$$, $$etag LIKE '_' AND partition_key = 'fdw_quals/a'$$, $$partition_key = 'fdw_quals/a' AND etag NOT LIKE '1%'$$,
	$$partition_key = 'fdw_quals/a' AND etag IN ('1', '2')$$, $$etag IN ('2', '3') AND partition_key = 'fdw_quals/a'$$, $$partition_key = 'fdw_quals/a' AND etag NOT IN ('2', NULL)$$,
	$$partition_key = 'fdw_quals/a' AND partition_key LIKE '%/a'$$, $$partition_key = 'fdw_quals/a' AND partition_key LIKE '%/b'$$,
	$$partition_key = 'fdw_quals/a' AND etag = ANY (ARRAY(SELECT etag FROM copy))$$, $$partition_key IN ('fdw_quals/a', 'fdw_quals/b') AND etag BETWEEN '2' AND '3'$$,
	$$partition_key = 'fdw_quals/a' AND committed_sequence_id IS NULL$$, $$partition_key = 'fdw_quals/a' AND etag ~ '^1$' AND etag <> '2'$$]) AS c, found(c) AS f;
SELECT partition_key FROM keys WHERE partition_key = 'fdw_quals/a' || (1 / 0)::text;
-- The nearest that can go wrong: a value as long as its type allows
SELECT count(*) FROM keys WHERE partition_key = (repeat('é', 31) || 'x')::name;
-- A column of type varchar is compared as text is
CREATE FOREIGN TABLE short (partition_key varchar) SERVER :"storage" OPTIONS (kind 'keys');
SELECT * FROM short WHERE partition_key = 'fdw_quals/a';
SELECT * FROM short WHERE partition_key = 'fdw_quals/a'::name OR partition_key IN ('fdw_quals/b', 'fdw_quals/c') ORDER BY partition_key COLLATE "C";
-- One of a nondeterministic collation finds more than the key
CREATE FOREIGN TABLE loose (partition_key text COLLATE ignore_case) SERVER :"storage" OPTIONS (kind 'keys');
SELECT * FROM loose WHERE partition_key = 'fdw_quals/a' ORDER BY partition_key COLLATE "C";
SET client_min_messages = warning;
DROP SCHEMA fdw_quals CASCADE;
