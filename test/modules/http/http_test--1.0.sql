\echo Use "CREATE EXTENSION http_test" to load this file. \quit

CREATE FUNCTION http_request(url text, body bytea DEFAULT '{}', method text DEFAULT 'POST',
	headers text[] DEFAULT '{}', ca_file text DEFAULT NULL, connect_timeout int DEFAULT 5000,
	timeout int DEFAULT 20000, max_answer bigint DEFAULT 1048576,
	OUT outcome text, OUT timed_out boolean, OUT status int, OUT answer bytea, OUT crc32 bigint,
	OUT new_connection boolean, OUT received_at float8, OUT expected_crc32 text, OUT request_id text,
	OUT date text, OUT retry_after text, OUT error_type text, OUT problem text)
AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE;

-- Send it so often; microseconds that each took.
CREATE FUNCTION http_loop(url text, body bytea, times int, ca_file text DEFAULT NULL)
RETURNS float8[] AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE;

CREATE FUNCTION http_pause(milliseconds int) RETURNS void AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE;

CREATE FUNCTION http_close_idle() RETURNS void AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE;

-- The first error in OpenSSL's queue, or 0.
CREATE FUNCTION http_openssl_error() RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE;

-- Have a request sent while interrupts are served: when pg_log_backend_memory_contexts()
-- asks this session.  http_nested() tells the outcome, or NULL when there was none.
CREATE FUNCTION http_nest(url text) RETURNS void AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE;
CREATE FUNCTION http_nested() RETURNS text AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE;
