-- Tables of an embedded storage: found by name, checked for form and owner before they are used.
CREATE ROLE regress_emb_other;
CREATE SCHEMA emb_form;
CREATE SERVER emb_form FOREIGN DATA WRAPPER txstore_fdw
	OPTIONS (schema_name 'emb_form', table_name 't', create_if_not_exists 'false');

-- Missing, and not to be made by a write.
SELECT * FROM txstore.load('p', 'emb_form');
\echo :LAST_ERROR_SQLSTATE
SELECT count(*) FROM txstore.export_items(storage => 'emb_form');
SELECT txstore.import_items('{}', 'emb_form');
SELECT txstore.delete_partition('p', '', 'emb_form');
SELECT property, value FROM txstore.describe_storage('emb_form')
 WHERE property IN ('status', 'create if not exists', 'keys table', 'initialize_storage() would');
SELECT txstore.initialize_storage('emb_form');
SELECT * FROM txstore.load('p', 'emb_form');
-- Half of them.
DROP TABLE emb_form.t_states;
SELECT * FROM txstore.load('p', 'emb_form');
SELECT value FROM txstore.describe_storage('emb_form') WHERE property = 'initialize_storage() would';
SELECT txstore.initialize_storage('emb_form');

-- Each of these changes is undone; none of the tables is taken.
CREATE FUNCTION attempt(change text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	message text;
BEGIN
	EXECUTE change;
	PERFORM txstore.load('p', 'emb_form');
	PERFORM txstore.store('p', '', '', ARRAY[txstore.prepare(1, 'x')], 1, storage => 'emb_form');
	RAISE EXCEPTION 'taken' USING DETAIL = 'The storage works.';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
	RETURN SQLSTATE || ' ' || message || ': ' || detail;
END
$$;
CREATE FUNCTION emb_trigger() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
SELECT attempt(change) FROM (VALUES
	('-- nothing'),
	('ALTER TABLE emb_form.t_keys ADD note text'),
	('ALTER TABLE emb_form.t_keys ADD note text; ALTER TABLE emb_form.t_keys DROP note'),
	('ALTER TABLE emb_form.t_keys DROP extra'),
	('ALTER TABLE emb_form.t_keys DROP metadata; ALTER TABLE emb_form.t_keys ADD metadata bytea'),
	('ALTER TABLE emb_form.t_keys RENAME etag TO version'),
	('ALTER TABLE emb_form.t_keys ALTER etag TYPE int'),
	('ALTER TABLE emb_form.t_keys ALTER extra TYPE jsonb'),
	('ALTER TABLE emb_form.t_keys ALTER incarnation DROP NOT NULL'),
	('ALTER TABLE emb_form.t_keys DROP CONSTRAINT t_keys_pkey'),
	('ALTER TABLE emb_form.t_keys DROP CONSTRAINT t_keys_pkey, ADD PRIMARY KEY (partition_key) DEFERRABLE'),
	('ALTER TABLE emb_form.t_keys DROP CONSTRAINT t_keys_pkey, ADD PRIMARY KEY (partition_key, incarnation)'),
	('ALTER TABLE emb_form.t_keys ALTER partition_key TYPE text COLLATE "default"'),
	('ALTER TABLE emb_form.t_states DROP CONSTRAINT t_states_pkey, ADD PRIMARY KEY (sequence_id, partition_key)'),
	('ALTER TABLE emb_form.t_states DROP CONSTRAINT t_states_pkey, ADD PRIMARY KEY (partition_key, sequence_id) INCLUDE (etag)'),
	('ALTER TABLE emb_form.t_states DROP etag; ALTER TABLE emb_form.t_states DROP extra;
	  ALTER TABLE emb_form.t_states ADD etag bigint GENERATED ALWAYS AS (sequence_id) STORED; ALTER TABLE emb_form.t_states ADD extra json'),
	('ALTER TABLE emb_form.t_states RENAME TO elsewhere; CREATE VIEW emb_form.t_states AS TABLE emb_form.elsewhere'),
	('ALTER TABLE emb_form.t_states RENAME TO elsewhere; CREATE MATERIALIZED VIEW emb_form.t_states AS TABLE emb_form.elsewhere'),
	('ALTER TABLE emb_form.t_states RENAME TO elsewhere; CREATE INDEX t_states ON emb_form.elsewhere (etag)'),
	('ALTER TABLE emb_form.t_states RENAME TO elsewhere;
	  CREATE TABLE emb_form.t_states (LIKE emb_form.elsewhere INCLUDING ALL) PARTITION BY RANGE (partition_key)'),
	('ALTER TABLE emb_form.t_states RENAME TO elsewhere; CREATE TABLE emb_form.parted (LIKE emb_form.elsewhere INCLUDING ALL) PARTITION BY LIST (partition_key);
	  CREATE TABLE emb_form.t_states PARTITION OF emb_form.parted FOR VALUES IN (''q'')'),
	('CREATE TABLE emb_form.child () INHERITS (emb_form.t_states)'),
	('CREATE TABLE emb_form.child () INHERITS (emb_form.t_states); DROP TABLE emb_form.child'),
	('CREATE TRIGGER t BEFORE INSERT ON emb_form.t_keys FOR EACH ROW EXECUTE FUNCTION emb_trigger()'),
	('CREATE TRIGGER t BEFORE UPDATE ON emb_form.t_states FOR EACH ROW EXECUTE FUNCTION emb_trigger()'),
	('CREATE TRIGGER t BEFORE DELETE ON emb_form.t_states FOR EACH ROW EXECUTE FUNCTION emb_trigger()'),
	('CREATE TRIGGER t BEFORE UPDATE ON emb_form.t_keys EXECUTE FUNCTION emb_trigger()'),
	('CREATE TRIGGER t AFTER DELETE ON emb_form.t_states EXECUTE FUNCTION emb_trigger()'),
	('CREATE TRIGGER t AFTER INSERT ON emb_form.t_states REFERENCING NEW TABLE AS n FOR EACH ROW EXECUTE FUNCTION emb_trigger()'),
	('CREATE TRIGGER t AFTER TRUNCATE ON emb_form.t_states EXECUTE FUNCTION emb_trigger()'),
	('CREATE TRIGGER t AFTER INSERT ON emb_form.t_states FOR EACH ROW EXECUTE FUNCTION emb_trigger()'),
	('ALTER TABLE emb_form.t_states ALTER extra SET NOT NULL'),
	('ALTER TABLE emb_form.t_keys OWNER TO regress_emb_other'),
	('ALTER SERVER emb_form OPTIONS (SET schema_name ''pg_catalog'', SET table_name ''pg_class'')')
	) AS changes(change);

-- The whole message, for who reads it.
ALTER TABLE emb_form.t_keys ADD note text;
SELECT * FROM txstore.load('p', 'emb_form');
\echo :LAST_ERROR_SQLSTATE

-- Tables of somebody else are out of reach: a server could name any table.
DROP SCHEMA emb_form CASCADE;
CREATE SCHEMA emb_form;
SELECT txstore.initialize_storage('emb_form');
GRANT ALL ON SCHEMA emb_form TO regress_emb_other;
ALTER SERVER emb_form OWNER TO regress_emb_other;
SELECT * FROM txstore.load('p', 'emb_form');
\echo :LAST_ERROR_SQLSTATE
SELECT txstore.import_items('{}', 'emb_form');
ALTER TABLE emb_form.t_keys OWNER TO regress_emb_other;
SELECT * FROM txstore.load('p', 'emb_form');
ALTER TABLE emb_form.t_states OWNER TO regress_emb_other;
SELECT * FROM txstore.load('p', 'emb_form');

-- What initialize_storage() makes belongs to the server's owner, who must be allowed to make it.
DROP TABLE emb_form.t_keys, emb_form.t_states;
SELECT txstore.initialize_storage('emb_form');
SELECT relname, relowner::regrole FROM pg_class WHERE relnamespace = 'emb_form'::regnamespace AND relkind = 'r' ORDER BY 1;
ALTER SERVER emb_form OPTIONS (SET schema_name 'emb_form2');
SELECT txstore.initialize_storage('emb_form');

SET client_min_messages = warning;
DROP SERVER emb_form;
DROP SCHEMA emb_form CASCADE;
DROP FUNCTION attempt(text), emb_trigger();
DROP ROLE regress_emb_other;
