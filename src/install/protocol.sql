-- The protocol of Orleans' transactional state: load, decide, store.

CREATE FUNCTION partition_key(grain_type text, grain_key text, state_name text, service_id text DEFAULT 'default')
	RETURNS text
	AS 'MODULE_PATHNAME', 'txstore_partition_key'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION partition_key(text, text, text, text) IS 'The partition key under which Orleans keeps this state of this grain';

CREATE FUNCTION prepare(
	sequence_id bigint,
	state bytea,
	transaction_id uuid DEFAULT pg_catalog.gen_random_uuid(),
	at timestamptz DEFAULT pg_catalog.clock_timestamp(),
	manager bytea DEFAULT pg_catalog.convert_to('{"$id":"1","$type":"Orleans.Transactions.ParticipantId, Orleans.Transactions"}', 'UTF8'))
	RETURNS state_version
	AS 'MODULE_PATHNAME', 'txstore_prepare'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION prepare(bigint, bytea, uuid, timestamptz, bytea) IS 'Makes a version for store(); by default one that a local transaction prepares now';

CREATE FUNCTION load(
	partition_key text,
	storage name DEFAULT NULL,
	OUT etag text,
	OUT committed_sequence_id bigint,
	OUT committed_state bytea,
	OUT metadata bytea,
	OUT pending state_version[])
	AS 'MODULE_PATHNAME', 'txstore_load'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION load(text, name) IS 'Reads one partition: its ETag, committed state, metadata and pending versions; store() needs it first';

CREATE FUNCTION store(
	partition_key text,
	expected_etag text,
	metadata bytea,
	prepares state_version[] DEFAULT NULL,
	commit_up_to bigint DEFAULT NULL,
	abort_after bigint DEFAULT NULL,
	storage name DEFAULT NULL)
	RETURNS text
	AS 'MODULE_PATHNAME', 'txstore_store'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION store(text, text, bytea, state_version[], bigint, bigint, name) IS 'Prepares, commits and aborts versions of a partition that was loaded; fails if another writer came first; returns the new ETag';

CREATE FUNCTION plan_store(
	partition_key text,
	expected_etag text,
	metadata bytea,
	prepares state_version[] DEFAULT NULL,
	commit_up_to bigint DEFAULT NULL,
	abort_after bigint DEFAULT NULL,
	storage name DEFAULT NULL,
	OUT batch integer,
	OUT operation integer,
	OUT action text,
	OUT row_key text,
	OUT condition text,
	OUT expected_etag bigint,
	OUT new_etag bigint,
	OUT bytes integer)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txstore_plan_store'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION plan_store(text, text, bytea, state_version[], bigint, bigint, name) IS 'Shows what store() with these arguments would write, batch by batch, and writes nothing; operations count from 0, as the service counts them';

CREATE FUNCTION delete_partition(partition_key text, expected_etag text, storage name DEFAULT NULL)
	RETURNS boolean
	AS 'MODULE_PATHNAME', 'txstore_delete_partition'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION delete_partition(text, text, name) IS 'Deletes all rows of a partition if its ETag is the expected one; true if there was anything';
REVOKE ALL ON FUNCTION delete_partition(text, text, name) FROM PUBLIC;

CREATE FUNCTION forget(partition_key text, storage name DEFAULT NULL)
	RETURNS boolean
	AS 'MODULE_PATHNAME', 'txstore_forget'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION forget(text, name) IS 'Makes this session forget a partition that it has loaded; true if it had';

CREATE FUNCTION _handles(
	OUT storage name,
	OUT partition_key text,
	OUT etag text,
	OUT committed_sequence_id bigint,
	OUT state_rows integer,
	OUT must_load boolean,
	OUT bytes bigint)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txstore_handles'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION _handles() IS 'What the view handles shows';

CREATE VIEW handles AS
	SELECT * FROM _handles();
COMMENT ON VIEW handles IS 'The partitions that this session has loaded and remembers, for the current user';
COMMENT ON COLUMN handles.storage IS 'The storage''s name';
COMMENT ON COLUMN handles.partition_key IS 'The partition''s key';
COMMENT ON COLUMN handles.etag IS 'ETag of the last load() or store(); null for a fresh partition';
COMMENT ON COLUMN handles.committed_sequence_id IS 'Number of the committed version, or 0';
COMMENT ON COLUMN handles.state_rows IS 'How many state rows the partition has';
COMMENT ON COLUMN handles.must_load IS 'Must load() come before the next store()?';
COMMENT ON COLUMN handles.bytes IS 'Memory of this handle; txstore.max_handle_memory bounds the sum';
GRANT SELECT ON handles TO PUBLIC;
