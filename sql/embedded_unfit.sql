-- What a table's owner may add to it, and what is refused because a store
-- would pass it over.
CREATE SERVER unfit FOREIGN DATA WRAPPER txstore_fdw
	OPTIONS (schema_name 'txs_unfit', table_name 't');
SELECT txstore.initialize_storage('unfit');
SET txstore.default_storage = 'unfit';
SELECT txstore.store('p', '', '') FROM txstore.load('p');
CREATE FUNCTION txs_unfit.note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE '% fired', TG_NAME;
	RETURN NULL;
END
$$;

-- CHECK and NOT NULL constraints
ALTER TABLE txs_unfit.t_keys ADD CONSTRAINT few CHECK (etag < 1000);
SELECT etag FROM txstore.load('p');
SELECT txstore.store('p', '0', '');
ALTER TABLE txs_unfit.t_keys DROP CONSTRAINT few;
ALTER TABLE txs_unfit.t_states ALTER transaction_id SET NOT NULL;
SELECT etag FROM txstore.load('p');
ALTER TABLE txs_unfit.t_states ALTER transaction_id DROP NOT NULL;
ALTER TABLE txs_unfit.t_keys ALTER incarnation DROP NOT NULL;
SELECT etag FROM txstore.load('p');
ALTER TABLE txs_unfit.t_keys ALTER incarnation SET NOT NULL;

-- a partition's bounds
CREATE TABLE txs_unfit.parent (LIKE txs_unfit.t_keys) PARTITION BY LIST (partition_key);
ALTER TABLE txs_unfit.parent ATTACH PARTITION txs_unfit.t_keys FOR VALUES IN ('p');
SELECT etag FROM txstore.load('p');
ALTER TABLE txs_unfit.parent DETACH PARTITION txs_unfit.t_keys;

-- triggers
CREATE TRIGGER note BEFORE UPDATE ON txs_unfit.t_keys
	FOR EACH ROW EXECUTE FUNCTION txs_unfit.note();
SELECT etag FROM txstore.load('p');
ALTER TABLE txs_unfit.t_keys DISABLE TRIGGER note;
SELECT txstore.store('p', '0', '') FROM txstore.load('p');
DROP TRIGGER note ON txs_unfit.t_keys;
CREATE TRIGGER note AFTER TRUNCATE OR UPDATE ON txs_unfit.t_keys EXECUTE FUNCTION txs_unfit.note();
SELECT etag FROM txstore.load('p');
DROP TRIGGER note ON txs_unfit.t_keys;
CREATE TRIGGER note AFTER UPDATE OF etag ON txs_unfit.t_keys
	FOR EACH ROW EXECUTE FUNCTION txs_unfit.note();
SELECT etag FROM txstore.load('p');
DROP TRIGGER note ON txs_unfit.t_keys;
CREATE TRIGGER note AFTER INSERT ON txs_unfit.t_states REFERENCING NEW TABLE AS made
	FOR EACH ROW EXECUTE FUNCTION txs_unfit.note();
SELECT etag FROM txstore.load('p');
DROP TRIGGER note ON txs_unfit.t_states;
CREATE TRIGGER note BEFORE TRUNCATE ON txs_unfit.t_keys EXECUTE FUNCTION txs_unfit.note();
CREATE TRIGGER row AFTER UPDATE ON txs_unfit.t_keys
	FOR EACH ROW WHEN (NEW.etag > OLD.etag) EXECUTE FUNCTION txs_unfit.note();
SELECT etag FROM txstore.load('p');
SELECT txstore.store('p', '1', '');
DROP TRIGGER row ON txs_unfit.t_keys;

-- a published table that a subscriber could not follow
SET client_min_messages = error;
CREATE PUBLICATION regress_txs_unfit FOR TABLE txs_unfit.t_keys, txs_unfit.t_states;
RESET client_min_messages;
SELECT txstore.store('p', '2', '');
ALTER TABLE txs_unfit.t_keys REPLICA IDENTITY NOTHING;
SELECT txstore.store('p', '3', '');
SELECT txstore.delete_partition('p', '3');
ALTER TABLE txs_unfit.t_keys REPLICA IDENTITY DEFAULT;
SELECT etag FROM txstore.load('p');
DROP PUBLICATION regress_txs_unfit;

-- indexes and foreign keys are the owner's business
CREATE UNIQUE INDEX ON txs_unfit.t_states (sequence_id) WHERE partition_key <> 'q';
CREATE TABLE txs_unfit.child (k text COLLATE "C" REFERENCES txs_unfit.t_keys);
SELECT txstore.store('p', '3', '', ARRAY[txstore.prepare(1, 's')]);
SELECT txstore.store('r', '', '', ARRAY[txstore.prepare(1, 's')]) FROM txstore.load('r');
INSERT INTO txs_unfit.child VALUES ('p');
SELECT txstore.delete_partition('p', '4');
SELECT txstore.store('p', '4', '') FROM txstore.load('p');

RESET txstore.default_storage;
DROP SERVER unfit;
SET client_min_messages = warning;
DROP SCHEMA txs_unfit CASCADE;
