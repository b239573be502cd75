-- Where in a statement load() and store() stand: each sees what came before it, in the same statement too.
\set SHOW_CONTEXT never
CREATE SERVER statements FOREIGN DATA WRAPPER txstore_fdw OPTIONS (schema_name 'statements');
SET txstore.default_storage = 'statements';

-- store() after load() after store(), in one statement and in one function.
SELECT before.etag AS before, stored, after.etag AS after, convert_from(after.committed_state, 'UTF8') AS state
  FROM txstore.load('p') AS before,
	   txstore.store('p', before.etag, before.metadata, ARRAY[txstore.prepare(1, 'one')], 1) AS stored,
	   txstore.load(left('p', length(stored))) AS after;
SELECT txstore.store('p', '0', '') AS a, txstore.store('p', '1', '') AS b, (SELECT etag FROM txstore.load('p')) AS c;
SELECT i, txstore.store('p', (i + 1)::text, '') FROM generate_series(1, 3) AS i;
DO $$
DECLARE
	l record;
BEGIN
	l := txstore.load('p');
	FOR i IN 2..4 LOOP
		l.etag := txstore.store('p', l.etag, l.metadata, ARRAY[txstore.prepare(i, i::text::bytea)], i);
		l := txstore.load('p');
		RAISE NOTICE 'version % with ETag %: %', l.committed_sequence_id, l.etag, convert_from(l.committed_state, 'UTF8');
	END LOOP;
END
$$;
-- A function that calls itself STABLE sees the store() of its own statement all the same.
CREATE FUNCTION peek() RETURNS text STABLE LANGUAGE sql RETURN (SELECT etag FROM txstore.load('p'));
CREATE FUNCTION peek_items() RETURNS bigint STABLE LANGUAGE plpgsql AS $$BEGIN RETURN (SELECT count(*) FROM txstore.export_items('p')); END$$;
SELECT peek(), peek_items(), txstore.store('p', '8', '', ARRAY[txstore.prepare(5, 'five')]) AS stored, peek(), peek_items();

-- One statement fails as a whole.
SELECT txstore.store('p', '9', ''), txstore.store('p', '9', '');
SELECT etag FROM txstore.load('p');

-- In the WHERE of an UPDATE, its RETURNING, and a data-modifying WITH.
CREATE TABLE accounts (key text PRIMARY KEY, etag text, note text);
INSERT INTO accounts SELECT 'account ' || i FROM generate_series(1, 3) AS i;
UPDATE accounts AS a SET etag = l.etag, note = 'loaded' FROM txstore.load('p') AS l WHERE txstore.load(key) IS NOT NULL;
UPDATE accounts SET note = 'stored' WHERE txstore.store(key, '', '') = '0' RETURNING key, txstore.store(key, '0', '') AS etag;
WITH changed AS (UPDATE accounts SET etag = txstore.store(key, '1', '') RETURNING key, etag)
SELECT c.key, c.etag, l.etag AS loaded FROM changed AS c, txstore.load(c.key) AS l ORDER BY 1;
TABLE accounts ORDER BY key;

-- In triggers, also a deferred one, that runs at COMMIT.
CREATE FUNCTION store_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM txstore.store(NEW.key, l.etag, l.metadata) FROM txstore.load(NEW.key) AS l;
	RETURN NEW;
END
$$;
CREATE CONSTRAINT TRIGGER deferred AFTER UPDATE ON accounts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION store_account();
BEGIN;
UPDATE accounts SET note = 'deferred' WHERE key = 'account 1';
SELECT etag FROM txstore.load('account 1');
COMMIT;
SELECT etag FROM txstore.load('account 1');
SELECT etag FROM txstore.handles WHERE partition_key = 'account 1';
DROP TRIGGER deferred ON accounts;

-- A procedure may commit between load() and store().
CREATE PROCEDURE in_parts() LANGUAGE plpgsql AS $$
DECLARE
	l record;
BEGIN
	l := txstore.load('account 2');
	COMMIT;
	PERFORM txstore.store('account 2', l.etag, l.metadata);
	ROLLBACK;
	l := txstore.load('account 2');
	PERFORM txstore.store('account 2', l.etag, l.metadata);
	COMMIT;
END
$$;
CALL in_parts();
SELECT etag FROM txstore.load('account 2');

-- Cursors: load() reads when its row is fetched; export_items() when the first is.
BEGIN;
DECLARE loads CURSOR FOR SELECT i, l.etag FROM generate_series(1, 3) AS i, txstore.load('account ' || (3 + 0 * i)) AS l;
DECLARE items CURSOR FOR SELECT item -> 'ETag' ->> 'N' AS etag FROM txstore.export_items('account 3') AS item;
FETCH loads;
FETCH items;
SELECT txstore.store('account 3', '2', '', ARRAY[txstore.prepare(1, 'x')]);
FETCH loads;
FETCH items;
DECLARE held CURSOR WITH HOLD FOR SELECT item -> 'RowKey' ->> 'S' AS row FROM txstore.export_items('account 3') AS item;
COMMIT;
SELECT txstore.store('account 3', '3', '', abort_after => 0);
FETCH ALL FROM held;
CLOSE held;

-- Under REPEATABLE READ and SERIALIZABLE a transaction sees its own stores, and nothing else that is new.
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT etag FROM txstore.load('account 3');
SELECT txstore.store('account 3', '4', '');
SELECT etag, (SELECT count(*) FROM txstore.export_items('account 3')) FROM txstore.load('account 3');
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT txstore.store('account 3', '5', ''), txstore.store('account 3', '6', '');
COMMIT;
SELECT etag FROM txstore.load('account 3');

SET client_min_messages = warning;
DROP TABLE accounts;
DROP FUNCTION peek(), peek_items(), store_account();
DROP PROCEDURE in_parts();
DROP SERVER statements;
DROP SCHEMA statements CASCADE;
