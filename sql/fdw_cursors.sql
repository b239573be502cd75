--
-- Cursors over foreign tables: read in parts, held, rolled back under, closed
-- by whatever ends them (groups 4, 21)
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE SCHEMA fdw_cursors;
SET search_path = fdw_cursors;
CREATE FOREIGN TABLE states (partition_key text COLLATE "C", sequence_id bigint, etag text) SERVER :"storage" OPTIONS (kind 'states');
CREATE FOREIGN TABLE partitions (partition_key text COLLATE "C", pending bigint) SERVER :"storage" OPTIONS (kind 'partitions');
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"fdw_cursors/%s"},"RowKey":{"S":"state_%s"},"ETag":{"N":"0"}}',
	k, lpad(to_hex(s), 16, '0')))) FROM unnest(ARRAY['a', 'b']) AS k, generate_series(1, 5) AS s;
SELECT txstore.import_items(array_agg(format('{"PartitionKey":{"S":"fdw_cursors/%s"},"RowKey":{"S":"key"},"ETag":{"N":"0"}}', k)))
	FROM unnest(ARRAY['a', 'b']) AS k;
-- In parts, forward and back; after the end
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT sequence_id FROM states WHERE partition_key = 'fdw_cursors/a' ORDER BY sequence_id;
FETCH 2 FROM c;
FETCH ALL FROM c;
FETCH NEXT FROM c;
FETCH ABSOLUTE 2 FROM c;
FETCH PRIOR FROM c;
FETCH LAST FROM c;
MOVE FIRST FROM c;
FETCH RELATIVE 2 FROM c;
DECLARE once NO SCROLL CURSOR FOR SELECT sequence_id FROM states WHERE partition_key = 'fdw_cursors/a' ORDER BY sequence_id DESC;
FETCH 2 FROM once;
\set VERBOSITY sqlstate
FETCH PRIOR FROM once;
\set VERBOSITY default
ROLLBACK;
-- Two at a time over the same table, one of them inside the other's savepoint
BEGIN;
DECLARE outside CURSOR FOR SELECT sequence_id FROM states WHERE partition_key = 'fdw_cursors/a' ORDER BY sequence_id;
FETCH 1 FROM outside;
SAVEPOINT s;
DECLARE inside CURSOR FOR SELECT sequence_id FROM states WHERE partition_key = 'fdw_cursors/b' ORDER BY sequence_id DESC;
FETCH 2 FROM inside;
FETCH 1 FROM outside;
SELECT 1 / 0;
ROLLBACK TO s;
FETCH 1 FROM outside;
FETCH 1 FROM inside;
ROLLBACK TO s;
FETCH ALL FROM outside;
COMMIT;
-- First read inside of a savepoint that is rolled back
BEGIN;
DECLARE late CURSOR FOR SELECT sequence_id FROM states WHERE partition_key = 'fdw_cursors/a' ORDER BY sequence_id;
SAVEPOINT s;
FETCH 2 FROM late;
ROLLBACK TO s;
FETCH 2 FROM late;
RELEASE s;
FETCH ALL FROM late;
COMMIT;
-- Held: it has its rows when the transaction ends, whatever becomes of them
BEGIN;
DECLARE held CURSOR WITH HOLD FOR SELECT sequence_id FROM states WHERE partition_key = 'fdw_cursors/b' ORDER BY sequence_id;
FETCH 1 FROM held;
COMMIT;
FETCH 2 FROM held;
SELECT txstore.delete_partition('fdw_cursors/b', '0') FROM txstore.load('fdw_cursors/b');
SELECT count(*) FROM states WHERE partition_key = 'fdw_cursors/b';
FETCH ALL FROM held;
CLOSE held;
BEGIN;
DECLARE held CURSOR WITH HOLD FOR SELECT 1 / (sequence_id - 3) FROM states WHERE partition_key = 'fdw_cursors/a' ORDER BY sequence_id;
FETCH 1 FROM held;
COMMIT;
FETCH 1 FROM held;
-- DISCARD ALL closes what is held; a cursor of actors, never read to its end
DECLARE held CURSOR WITH HOLD FOR SELECT sequence_id FROM states WHERE partition_key = 'fdw_cursors/a';
DISCARD ALL;
FETCH 1 FROM held;
SET search_path = fdw_cursors;
BEGIN;
DECLARE actors CURSOR FOR SELECT pending FROM partitions WHERE partition_key IN ('fdw_cursors/a', 'fdw_cursors/b');
FETCH 1 FROM actors;
CLOSE actors;
DECLARE actors CURSOR FOR SELECT pending FROM partitions WHERE partition_key IN ('fdw_cursors/a', 'fdw_cursors/b');
FETCH 1 FROM actors;
FETCH 5 FROM actors;
FETCH 5 FROM actors;
DECLARE unread CURSOR FOR SELECT * FROM partitions;
COMMIT;
-- A loop over a cursor, left early, many times, in one transaction
DO $$
DECLARE
	row record;
	n int := 0;
BEGIN
	FOR i IN 1..1000 LOOP
		FOR row IN SELECT * FROM states WHERE partition_key = 'fdw_cursors/a' LOOP
			n := n + 1;
			EXIT WHEN row.sequence_id >= 2;
		END LOOP;
	END LOOP;
	RAISE NOTICE '% rows', n;
END $$;
SET client_min_messages = warning;
DROP SCHEMA fdw_cursors CASCADE;
