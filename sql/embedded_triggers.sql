-- AFTER triggers of the owner on a storage's tables: they fire for every
-- change, and may load and store themselves.
CREATE SERVER fired FOREIGN DATA WRAPPER txstore_fdw
	OPTIONS (schema_name 'txs_fired', table_name 't');
SELECT txstore.initialize_storage('fired');
SET txstore.default_storage = 'fired';

CREATE TABLE txs_fired.log (n serial, what text);
CREATE FUNCTION txs_fired.note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO txs_fired.log (what) VALUES (format('%s %s %s -> %s',
		TG_OP, TG_TABLE_NAME, to_json(OLD)->'etag', to_json(NEW)->'etag'));
	RETURN NULL;
END
$$;
CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON txs_fired.t_keys
	FOR EACH ROW EXECUTE FUNCTION txs_fired.note();
CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON txs_fired.t_states
	FOR EACH ROW EXECUTE FUNCTION txs_fired.note();

-- a store, one that replaces a version, a delete and an import
SELECT etag FROM txstore.load('p');
SELECT txstore.store('p', '', '', ARRAY[txstore.prepare(1, 's'), txstore.prepare(2, 's')]);
SELECT txstore.store('p', '0', '', ARRAY[txstore.prepare(2, 't')], 2);
SELECT txstore.delete_partition('p', '1');
SELECT txstore.import_items(ARRAY[
	'{"PartitionKey":{"S":"i"},"RowKey":{"S":"key"},"ETag":{"N":"7"}}',
	'{"PartitionKey":{"S":"i"},"RowKey":{"S":"state_0000000000000001"},"ETag":{"N":"3"}}']);
SELECT what FROM txs_fired.log ORDER BY n;

-- a deferred trigger that fails at COMMIT undoes the store
CREATE FUNCTION txs_fired.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'refused';
END
$$;
CREATE CONSTRAINT TRIGGER refuse AFTER UPDATE ON txs_fired.t_keys
	DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION txs_fired.refuse();
SELECT etag FROM txstore.load('i');
SELECT txstore.store('i', '7', '');
SELECT txstore.store('i', '8', '');
SELECT etag FROM txstore.load('i');
DROP TRIGGER refuse ON txs_fired.t_keys;

RESET txstore.default_storage;
DROP SERVER fired;
SET client_min_messages = warning;
DROP SCHEMA txs_fired CASCADE;
