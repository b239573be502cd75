-- A trigger on a storage's table that stores into the same partition.
CREATE SERVER nested FOREIGN DATA WRAPPER txstore_fdw
	OPTIONS (schema_name 'txs_nested', table_name 't');
SELECT txstore.initialize_storage('nested');
SET txstore.default_storage = 'nested';

CREATE FUNCTION txs_nested.again() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	known text;
BEGIN
	IF NEW.etag >= 3 THEN
		RETURN NULL;
	END IF;
	BEGIN
		PERFORM txstore.store('p', NEW.etag::text, '');
	EXCEPTION WHEN object_not_in_prerequisite_state THEN
		RAISE NOTICE 'store() before load(): %', SQLERRM;
	END;
	SELECT etag INTO known FROM txstore.load('p');
	RAISE NOTICE '% -> %', known, txstore.store('p', known, 'nested');
	RETURN NULL;
END
$$;
CREATE TRIGGER again AFTER INSERT OR UPDATE ON txs_nested.t_keys
	FOR EACH ROW EXECUTE FUNCTION txs_nested.again();

SELECT etag FROM txstore.load('p');

-- every store() answers with its own ETag; the handle has the last one
SELECT txstore.store('p', '', 'outer');
SELECT etag, must_load FROM txstore.handles;
SELECT txstore.store('p', '0', '');
SELECT txstore.store('p', '3', 'after');
SELECT etag, convert_from(metadata, 'UTF8') FROM txstore.load('p');

-- nested stores that are rolled back alone
CREATE OR REPLACE FUNCTION txs_nested.again() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	known text;
BEGIN
	BEGIN
		SELECT etag INTO known FROM txstore.load('p');
		IF known::bigint < 8 THEN
			known := txstore.store('p', known, 'undone');
		END IF;
		RAISE EXCEPTION 'undo';
	EXCEPTION WHEN raise_exception THEN
		RETURN NULL;
	END;
END
$$;
SELECT txstore.store('p', '4', 'kept');
SELECT etag, must_load FROM txstore.handles;
SELECT txstore.store('p', '5', 'kept as well');
SELECT etag, convert_from(metadata, 'UTF8') FROM txstore.load('p');

RESET txstore.default_storage;
DROP SERVER nested;
SET client_min_messages = warning;
DROP SCHEMA txs_nested CASCADE;
