--
-- Joins that look up many partitions at a time, where the provider can: the
-- same rows as other joins give (groups 27, 29)
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE SCHEMA fdw_lookup;
SET search_path = fdw_lookup;
CREATE FOREIGN TABLE keys (partition_key text COLLATE "C", grain_type text, grain_key text, state_name text, etag text, committed_sequence_id bigint)
	SERVER :"storage" OPTIONS (kind 'keys');
CREATE FOREIGN TABLE states (partition_key text COLLATE "C", grain_type text, grain_key text, state_name text, sequence_id bigint, row_key text COLLATE "C",
	transaction_id text) SERVER :"storage" OPTIONS (kind 'states');
CREATE FOREIGN TABLE partitions (partition_key text COLLATE "C", grain_type text, grain_key text, state_name text, committed_sequence_id bigint,
	state text, pending bigint) SERVER :"storage" OPTIONS (kind 'partitions');
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"looked/%s_default_x"},"RowKey":{"S":"key"},"ETag":{"N":"0"},"CommittedSequenceId":{"N":"%s"}}',
	i, 1 + i % 3))) FROM generate_series(1, 450) AS i;
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"looked/%s_default_x"},"RowKey":{"S":"state_%s"},"ETag":{"N":"0"},"GrainState":{"B":"e30="},"TransactionId":{"S":"t%s"}}',
	i, lpad(to_hex(s), 16, '0'), i % 7))) FROM generate_series(1, 450) AS i, generate_series(1, 4) AS s;
-- Rows that name a partition each, several the same one, none, or nothing
CREATE TABLE named AS SELECT i AS id, i::text AS grain, format('looked/%s_default_x', i) AS key, (i % 5)::bigint AS sequence
	FROM generate_series(2, 700, 2) AS i
	UNION ALL SELECT 1000 + i, '10', 'looked/10_default_x', i FROM generate_series(1, 5) AS i
	UNION ALL SELECT 2000, '', '', NULL UNION ALL SELECT 2001, NULL, NULL, 3;
ANALYZE named;
-- How many rows a query gives by a lookup join (and whether it has one, or
-- the storage knows none), and whether another join gives the same
CREATE FUNCTION digest(query text, OUT rows bigint, OUT hash text)
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'SELECT count(*), md5(string_agg(t::text, '','' ORDER BY t::text COLLATE "C")) FROM (' || query || ') AS t' INTO rows, hash;
END $$;
CREATE FUNCTION has_lookup(query text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
	plan text;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan ~ 'Lookup Join';
END $$;
CREATE FUNCTION compare(query text, OUT rows bigint, OUT looked_up text, OUT agrees text)
LANGUAGE plpgsql AS $$
DECLARE
	looked record;
	other record;
BEGIN
	SET LOCAL enable_hashjoin = off;
	SET LOCAL enable_mergejoin = off;
	SET LOCAL enable_nestloop = off;
	looked_up := CASE WHEN (SELECT value FROM txstore.describe_storage() WHERE property = 'keys table') IS NOT NULL OR has_lookup(query) THEN 'yes' ELSE 'NO' END;
	SELECT * INTO looked FROM digest(query);
	RESET enable_hashjoin;
	RESET enable_mergejoin;
	RESET enable_nestloop;
	SET LOCAL txstore.enable_lookup_join = off;
	IF has_lookup(query) THEN
		RAISE 'a lookup join that is off';
	END IF;
	SELECT * INTO other FROM digest(query);
	RESET txstore.enable_lookup_join;
	rows := looked.rows;
	agrees := CASE WHEN looked IS NOT DISTINCT FROM other THEN 'yes' ELSE 'NO: ' || other.rows END;
END $$;
SELECT q, c.* FROM unnest(ARRAY[
	'SELECT * FROM named JOIN keys ON partition_key = key', 'SELECT id, etag FROM named JOIN keys ON key = partition_key AND id < 300',
	'SELECT * FROM named LEFT JOIN keys ON partition_key = key', 'SELECT * FROM named LEFT JOIN keys ON partition_key = key AND id < 300 AND committed_sequence_id > 1',
	'SELECT * FROM named LEFT JOIN keys ON partition_key = key WHERE partition_key IS NULL OR id < 20',
	'SELECT id FROM named WHERE EXISTS (SELECT FROM keys WHERE partition_key = key)', 'SELECT id FROM named WHERE key IN (SELECT partition_key FROM states WHERE sequence_id > 2)',
	'SELECT id FROM named WHERE NOT EXISTS (SELECT FROM keys WHERE partition_key = key)',
	'SELECT id FROM named WHERE NOT EXISTS (SELECT FROM states WHERE partition_key = key AND sequence_id = sequence)',
	'SELECT * FROM named JOIN states ON partition_key = key', 'SELECT * FROM named JOIN states ON partition_key = key AND sequence_id = 2',
	'SELECT * FROM named JOIN states ON partition_key = key AND sequence_id = sequence', 'SELECT * FROM named LEFT JOIN states ON partition_key = key AND sequence_id = sequence',
	'SELECT * FROM named JOIN states ON partition_key = key AND sequence_id > sequence', 'SELECT * FROM named JOIN states ON partition_key = key AND sequence_id BETWEEN 2 AND 3',
	$$SELECT * FROM named JOIN states ON partition_key = key AND row_key = 'state_' || lpad(sequence::text, 16, '0')$$,
	'SELECT * FROM named JOIN partitions ON partition_key = key',
	$$SELECT * FROM named LEFT JOIN partitions ON grain_type = 'looked' AND grain_key = grain AND state_name = 'x'$$,
	$$SELECT * FROM named JOIN keys ON grain_type = 'looked' AND grain_key = grain AND state_name IN ('x', 'y', 'x')$$,
	$$SELECT * FROM named JOIN keys ON partition_key = 'looked/' || grain || '_default_x'$$,
	'SELECT * FROM named JOIN keys AS k ON partition_key = key JOIN states AS s ON s.partition_key = k.partition_key AND s.sequence_id = k.committed_sequence_id',
	'SELECT * FROM named AS a JOIN named AS b ON a.id = b.id + 2 JOIN keys ON partition_key = a.key AND committed_sequence_id = b.sequence',
	'SELECT n, (SELECT count(*) FROM named JOIN keys ON partition_key = key WHERE id < n) FROM generate_series(10, 30, 10) AS n',
	'SELECT n, c FROM generate_series(10, 30, 10) AS n, LATERAL (SELECT count(*) AS c FROM named LEFT JOIN states ON partition_key = key AND sequence_id < n WHERE id < n) AS l',
	'SELECT partition_key, count(*), max(id) FROM named JOIN states ON partition_key = key GROUP BY 1',
	'SELECT * FROM (SELECT id, key FROM named ORDER BY id LIMIT 150) AS n JOIN keys ON partition_key = key',
	'SELECT * FROM generate_series(1, 900) AS i JOIN keys ON partition_key = format(''looked/%s_default_x'', i)',
	'SELECT * FROM (VALUES (''looked/1_default_x''), (''looked/2_default_x'')) AS v(k) JOIN states ON partition_key = k',
	'SELECT a.partition_key FROM keys AS a JOIN keys AS b ON a.partition_key = b.partition_key WHERE a.grain_type = ''looked''']) AS q, compare(q) AS c;
-- Stopped early, gone back to, prepared
SELECT count(*) FROM (SELECT id FROM named JOIN keys ON partition_key = key LIMIT 3) AS l;
PREPARE looked (int) AS SELECT count(*), sum(id) FROM named JOIN keys ON partition_key = key AND id > $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE looked (0);
EXECUTE looked (400);
EXECUTE looked (NULL);
RESET plan_cache_mode;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT id FROM named JOIN keys ON partition_key = key;
MOVE 200 IN c;
MOVE BACKWARD ALL IN c;
MOVE ALL IN c;
COMMIT;
-- A side that can have no rows
SELECT count(*), count(k.etag) FROM named LEFT JOIN (SELECT * FROM keys WHERE etag = NULL) AS k ON k.partition_key = key;
SELECT count(*) FROM named WHERE NOT EXISTS (SELECT FROM states WHERE partition_key = key AND row_key < NULL);
SELECT count(*) FROM named LEFT JOIN (SELECT * FROM partitions WHERE false) AS p ON p.partition_key = key;
-- Rows that are locked, changed, merged
SELECT count(*) FROM (SELECT id FROM named JOIN keys ON partition_key = key FOR UPDATE OF named) AS l;
UPDATE named SET sequence = committed_sequence_id FROM keys WHERE partition_key = key AND id < 100;
SELECT sum(sequence) FROM named WHERE id < 100;
DELETE FROM named USING keys WHERE partition_key = key AND id > 1000;
INSERT INTO named SELECT id + 3000, grain_key, partition_key, 1 FROM named JOIN keys ON partition_key = key WHERE id < 10;
SELECT count(*) FROM named;
SET client_min_messages = warning;
DROP SCHEMA fdw_lookup CASCADE;
