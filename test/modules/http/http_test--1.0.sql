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
