-- Tables that somebody has put where a superuser's storage would make them.
-- The storage must not write to them: their triggers would run as the caller.
CREATE ROLE regress_txs_squatter;
CREATE SCHEMA txs_squat AUTHORIZATION regress_txs_squatter;
CREATE SERVER squatted FOREIGN DATA WRAPPER txstore_fdw
	OPTIONS (schema_name 'txs_squat', table_name 't');

SET ROLE regress_txs_squatter;
CREATE TABLE txs_squat.t_keys (
	partition_key text COLLATE "C" PRIMARY KEY,
	metadata bytea,
	extra json,
	incarnation bigint NOT NULL,
	committed_sequence_id bigint,
	"timestamp" bigint,
	etag bigint
);
CREATE TABLE txs_squat.t_states (
	partition_key text COLLATE "C",
	sequence_id bigint,
	state bytea,
	transaction_id text COLLATE "C",
	transaction_timestamp text COLLATE "C",
	transaction_manager bytea,
	etag bigint,
	extra json,
	PRIMARY KEY (partition_key, sequence_id)
);
CREATE FUNCTION txs_squat.trap() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE 'trapped';
	RETURN NULL;
END
$$;
CREATE TRIGGER trap AFTER INSERT ON txs_squat.t_keys
	FOR EACH ROW EXECUTE FUNCTION txs_squat.trap();
RESET ROLE;

-- a superuser owns the server, and has every right on the tables
SELECT txstore.load('p', 'squatted');
SELECT txstore.initialize_storage('squatted');
SELECT txstore.import_items(ARRAY['{"PartitionKey":{"S":"p"},"RowKey":{"S":"key"},"ETag":{"N":"0"}}'], 'squatted');

-- once server and tables have one owner, they are the storage
ALTER TABLE txs_squat.t_keys OWNER TO CURRENT_USER;
ALTER TABLE txs_squat.t_states OWNER TO CURRENT_USER;
SELECT etag FROM txstore.load('p', 'squatted');
SELECT txstore.store('p', '', '', storage => 'squatted');

DROP SERVER squatted;
SET client_min_messages = warning;
DROP SCHEMA txs_squat CASCADE;
DROP ROLE regress_txs_squatter;
