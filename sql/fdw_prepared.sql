--
-- Prepared statements and functions: the second, sixth and twentieth execution
-- answer as the first (group 1: threads 1 to 5)
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE SCHEMA fdw_prepared;
SET search_path = fdw_prepared;
CREATE FOREIGN TABLE keys (partition_key text COLLATE "C", etag text) SERVER :"storage" OPTIONS (kind 'keys');
CREATE FOREIGN TABLE states (partition_key text COLLATE "C", sequence_id bigint, row_key text COLLATE "C", state jsonb, state_bytes bytea)
	SERVER :"storage" OPTIONS (kind 'states');
CREATE FOREIGN TABLE partitions (partition_key text COLLATE "C", state jsonb, pending bigint) SERVER :"storage" OPTIONS (kind 'partitions');
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"fdw_prepared/%s"},"RowKey":{"S":"key"},"ETag":{"N":"%s"},"CommittedSequenceId":{"N":"1"}}',
	n, n))) FROM generate_series(1, 20) AS n;
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"fdw_prepared/%s"},"RowKey":{"S":"state_%s"},"ETag":{"N":"0"},"GrainState":{"B":"eyJuIjoxfQ=="},"TransactionManager":{"B":"e30="}}',
	n, lpad(to_hex(s), 16, '0')))) FROM generate_series(1, 20) AS n, generate_series(1, 3) AS s;
-- Ten executions of each, with the plan made anew and kept
PREPARE none AS SELECT etag FROM keys WHERE partition_key = 'fdw_prepared/7';
PREPARE one(text) AS SELECT etag FROM keys WHERE partition_key = $1;
PREPARE many(text[]) AS SELECT count(*), sum(etag::int) FROM keys WHERE partition_key = ANY ($1);
PREPARE bounds(text, bigint, int) AS SELECT string_agg(row_key, ',') FROM (SELECT * FROM states
	WHERE partition_key = $1 AND sequence_id >= $2 AND sequence_id <= $3 ORDER BY sequence_id DESC) AS s;
PREPARE counted(text, smallint) AS SELECT count(*) FROM states WHERE partition_key = $1 AND sequence_id > $2;
PREPARE limited(text, bigint, bigint) AS SELECT sequence_id FROM states WHERE partition_key = $1 ORDER BY sequence_id DESC LIMIT $2 OFFSET $3;
PREPARE bytes(text) AS SELECT state_bytes, length(state_bytes) FROM states WHERE partition_key = $1 AND state_bytes > '' ORDER BY sequence_id;
PREPARE lists(text, text[]) AS SELECT count(*), min(etag), max(partition_key) FROM keys WHERE partition_key IN ($1, 'fdw_prepared/2') AND partition_key = ANY ($2);
PREPARE actor(text) AS SELECT state, pending FROM partitions WHERE partition_key = $1;
PREPARE joined(int) AS SELECT count(*), sum(k.etag::int) FROM generate_series(1, $1) AS i
	JOIN keys AS k ON k.partition_key = 'fdw_prepared/' || i JOIN states AS s ON s.partition_key = k.partition_key AND s.sequence_id = 2;
CREATE FUNCTION repeat_execute(query text, times int DEFAULT 10) RETURNS TABLE (executions bigint, answer text)
LANGUAGE plpgsql AS $$
DECLARE
	answers text[];
	row record;
	lines text;
BEGIN
	FOR i IN 1..times LOOP
		lines := '';
		FOR row IN EXECUTE query LOOP
			lines := lines || row::text;
		END LOOP;
		answers := answers || lines;
	END LOOP;
	RETURN QUERY SELECT count(*), a FROM unnest(answers) AS a GROUP BY a;
END $$;
CREATE FUNCTION all_executions() RETURNS TABLE (query text, executions bigint, answer text)
	BEGIN ATOMIC
		SELECT q, r.* FROM unnest(ARRAY['EXECUTE none', 'EXECUTE one(''fdw_prepared/7'')', 'EXECUTE one(NULL)', 'EXECUTE one(''x'')',
			'EXECUTE many(''{fdw_prepared/1,fdw_prepared/2,NULL,x}'')', 'EXECUTE many(''{}'')', 'EXECUTE many(NULL)',
			'EXECUTE bounds(''fdw_prepared/7'', 2, 3)', 'EXECUTE bounds(''fdw_prepared/7'', 3, 2)', 'EXECUTE bounds(''fdw_prepared/7'', NULL, 2)',
			'EXECUTE counted(''fdw_prepared/7'', 1::smallint)', 'EXECUTE counted(NULL, NULL)', 'EXECUTE limited(''fdw_prepared/7'', 2, 1)',
			'EXECUTE limited(''fdw_prepared/7'', NULL, NULL)', 'EXECUTE limited(''fdw_prepared/7'', 0, 0)',
			'EXECUTE actor(''fdw_prepared/7'')', 'EXECUTE bytes(''fdw_prepared/7'')', 'EXECUTE bytes(NULL)',
			'EXECUTE lists(''fdw_prepared/1'', ''{fdw_prepared/1,fdw_prepared/3}'')', 'EXECUTE lists(''fdw_prepared/1'', NULL)', 'EXECUTE joined(5)', 'EXECUTE joined(0)']) WITH ORDINALITY AS v(q, n), repeat_execute(q) AS r
			ORDER BY n;
	END;
SELECT * FROM all_executions();
CREATE TABLE answers AS SELECT * FROM all_executions();
SET plan_cache_mode = force_generic_plan;
SELECT * FROM all_executions() EXCEPT SELECT * FROM answers;
SET plan_cache_mode = force_custom_plan;
SELECT * FROM all_executions() EXCEPT SELECT * FROM answers;
RESET plan_cache_mode;
-- Under EXPLAIN nothing is evaluated, not even what would fail
PREPARE failing(int) AS SELECT etag FROM keys WHERE partition_key = 'fdw_prepared/' || (1 / $1)::text;
SET plan_cache_mode = force_generic_plan;
DO $$ BEGIN EXECUTE 'EXPLAIN EXECUTE failing(0)'; END $$;
EXECUTE failing(0);
EXECUTE failing(1);
RESET plan_cache_mode;

-- A loop of twenty in PL/pgSQL: other values each time, as variable, as record's
-- field, as array that grows, and the same cursor opened again
DO $$
DECLARE
	etags text[];
	keys_so_far text[];
	counts bigint[];
	sums bigint[];
	wanted record;
	found_state jsonb;
	c CURSOR (key text) FOR SELECT sequence_id FROM states WHERE partition_key = key AND sequence_id > 1;
	n bigint;
BEGIN
	FOR i IN 1..20 LOOP
		wanted := ROW('fdw_prepared/' || i, i % 3 + 1);
		keys_so_far := keys_so_far || ('fdw_prepared/' || i);
		SELECT etags || etag INTO etags FROM keys WHERE partition_key = keys_so_far[i];
		SELECT counts || count(*) INTO counts FROM keys WHERE partition_key = ANY (keys_so_far);
		SELECT state INTO found_state FROM partitions WHERE partition_key = keys_so_far[i];
		IF found_state ->> 'n' <> '1' THEN
			RAISE EXCEPTION 'state %', found_state;
		END IF;
		OPEN c(keys_so_far[i]);
		FETCH c INTO n;
		sums := sums || n;
		CLOSE c;
	END LOOP;
	RAISE NOTICE '% % %', etags, counts, sums;
END $$;
-- SQL functions, inlined and not
CREATE FUNCTION etag_of(text) RETURNS text STABLE BEGIN ATOMIC SELECT etag FROM keys WHERE partition_key = $1; END;
CREATE FUNCTION states_of(text) RETURNS SETOF states STABLE BEGIN ATOMIC SELECT * FROM states WHERE partition_key = $1; END;
CREATE FUNCTION states_of_slowly(text) RETURNS SETOF states VOLATILE AS 'SELECT * FROM states WHERE partition_key = $1' LANGUAGE sql;
SELECT string_agg(etag_of('fdw_prepared/' || i), ',' ORDER BY i) FROM generate_series(0, 20) AS i;
SELECT count(*), max(sequence_id) FROM states_of('fdw_prepared/3') WHERE sequence_id < 3;
SELECT i, s.sequence_id FROM generate_series(1, 2) AS i, states_of_slowly('fdw_prepared/' || i) AS s ORDER BY 1, 2;
DEALLOCATE ALL;
SET client_min_messages = warning;
DROP SCHEMA fdw_prepared CASCADE;
