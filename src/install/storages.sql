-- Storages: the foreign-data wrapper, the server made here, and its care.

CREATE FUNCTION txstore_fdw_validator(options text[], catalog oid)
	RETURNS void
	AS 'MODULE_PATHNAME'
	LANGUAGE C STRICT VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION txstore_fdw_validator(text[], oid) IS 'Checks the options of storages';

CREATE FUNCTION txstore_fdw_handler()
	RETURNS fdw_handler
	AS 'MODULE_PATHNAME'
	LANGUAGE C STRICT VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION txstore_fdw_handler() IS 'Reads storages as foreign tables';

CREATE FOREIGN DATA WRAPPER txstore_fdw
	HANDLER txstore_fdw_handler
	VALIDATOR txstore_fdw_validator;
COMMENT ON FOREIGN DATA WRAPPER txstore_fdw IS 'Storages of actor state: a storage is a server of this wrapper';

CREATE SERVER embedded FOREIGN DATA WRAPPER txstore_fdw
	OPTIONS (provider 'embedded');
COMMENT ON SERVER embedded IS 'The storage that txstore uses out of the box: tables in schema txstore_data';

CREATE FUNCTION initialize_storage(storage name DEFAULT NULL)
	RETURNS boolean
	AS 'MODULE_PATHNAME', 'txstore_initialize_storage'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION initialize_storage(name) IS 'Makes what a storage needs and does not have; true if anything was made';
REVOKE ALL ON FUNCTION initialize_storage(name) FROM PUBLIC;

CREATE FUNCTION describe_storage(storage name DEFAULT NULL, OUT property text, OUT value text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txstore_describe_storage'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION describe_storage(name) IS 'Shows where a storage keeps its rows, how many there are, and what initialize_storage() would do';

CREATE FUNCTION connections(
	OUT storage name,
	OUT user_name name,
	OUT endpoint text,
	OUT open_sockets integer,
	OUT in_use boolean,
	OUT requests bigint,
	OUT retries bigint,
	OUT throttles bigint,
	OUT bytes_sent bigint,
	OUT bytes_received bigint,
	OUT last_error text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txstore_connections'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION connections() IS 'The DynamoDB servers that this session has used, each with its user, open sockets and what went over them';

CREATE FUNCTION disconnect(storage name DEFAULT NULL)
	RETURNS boolean
	AS 'MODULE_PATHNAME', 'txstore_disconnect'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION disconnect(name) IS 'Closes this session''s connections to a storage that are not in use; true if any was open';

CREATE FUNCTION disconnect_all()
	RETURNS boolean
	AS 'MODULE_PATHNAME', 'txstore_disconnect_all'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION disconnect_all() IS 'Closes all of this session''s connections that are not in use; true if any was open';

CREATE FUNCTION diag(OUT property text, OUT value text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'txstore_diag'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION diag() IS 'Shows the versions of txstore, of PostgreSQL and of the libraries, and what this session shares with others';
