--
-- Ten thousand small statements in one transaction leave no memory behind
-- (group 22)
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE SCHEMA fdw_long_transaction;
SET search_path = fdw_long_transaction;
CREATE FOREIGN TABLE keys (partition_key text COLLATE "C", etag text, metadata jsonb) SERVER :"storage" OPTIONS (kind 'keys');
CREATE FOREIGN TABLE states (partition_key text COLLATE "C", sequence_id bigint, state jsonb) SERVER :"storage" OPTIONS (kind 'states');
CREATE FOREIGN TABLE partitions (partition_key text COLLATE "C", state jsonb, pending bigint) SERVER :"storage" OPTIONS (kind 'partitions');
SELECT txstore.import_items(ARRAY[
	'{"PartitionKey":{"S":"fdw_long/a"},"RowKey":{"S":"key"},"ETag":{"N":"3"},"CommittedSequenceId":{"N":"1"},"Metadata":{"B":"e30="}}',
	format('{"PartitionKey":{"S":"fdw_long/a"},"RowKey":{"S":"state_0000000000000001"},"ETag":{"N":"0"},"GrainState":{"B":"%s"}}',
		translate(encode(convert_to('"' || repeat('x', 3000) || '"', 'UTF8'), 'base64'), E'\n', ''))]);
CREATE FUNCTION memory() RETURNS bigint BEGIN ATOMIC SELECT sum(total_bytes)::bigint FROM pg_backend_memory_contexts; END;
-- Statements of every kind by number: planned anew, kept, stopped early, failed
CREATE PROCEDURE run(first int, last int, INOUT done int DEFAULT 0)
LANGUAGE plpgsql AS $$
DECLARE
	found text;
	row record;
BEGIN
	FOR i IN first..last LOOP
		CASE i % 6
			WHEN 0 THEN EXECUTE 'SELECT etag FROM keys WHERE partition_key = ''fdw_long/a''' INTO STRICT found;
			WHEN 1 THEN SELECT metadata::text INTO STRICT found FROM keys WHERE partition_key = 'fdw_long/' || CASE WHEN i > 0 THEN 'a' END;
			WHEN 2 THEN SELECT state::text INTO STRICT found FROM states WHERE partition_key = 'fdw_long/a' AND sequence_id BETWEEN 0 AND i;
			WHEN 3 THEN SELECT state::text INTO STRICT found FROM partitions WHERE partition_key = 'fdw_long/a';
			WHEN 4 THEN
				FOR row IN SELECT * FROM states WHERE partition_key IN ('fdw_long/a', 'nowhere') LOOP
					EXIT;
				END LOOP;
			WHEN 5 THEN
				BEGIN
					SELECT 1 / (sequence_id - 1) INTO found FROM states WHERE partition_key = 'fdw_long/a';
				EXCEPTION
					WHEN division_by_zero THEN NULL;
				END;
		END CASE;
		done := done + 1;
	END LOOP;
END $$;
BEGIN;
CALL run(1, 1000);
SELECT memory() AS before \gset
CALL run(1001, 10000);
SELECT memory() - :before < 100000 AS flat;
SELECT count(*) FROM states WHERE partition_key = 'fdw_long/a';
COMMIT;
SET client_min_messages = warning;
DROP SCHEMA fdw_long_transaction CASCADE;
