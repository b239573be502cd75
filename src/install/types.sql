\echo Use "CREATE EXTENSION txstore" to load this file. \quit
-- Checks and types.

DO $$
BEGIN
	IF pg_catalog.getdatabaseencoding() <> 'UTF8' THEN
		RAISE EXCEPTION 'txstore needs a database with encoding UTF8'
			USING ERRCODE = 'feature_not_supported',
				DETAIL = pg_catalog.format('This database has encoding %s.', pg_catalog.getdatabaseencoding()),
				HINT = 'Use CREATE DATABASE ... TEMPLATE template0 ENCODING ''UTF8'' to make one.';
	END IF;
END
$$;

COMMENT ON SCHEMA @extschema@ IS 'txstore: transactional state of actors behind SQL';

-- Names may be seen by all; who may do what is decided by function and by server.
GRANT USAGE ON SCHEMA @extschema@ TO PUBLIC;

CREATE TYPE state_version AS (
	sequence_id bigint,
	transaction_id text,
	transaction_timestamp text,
	transaction_manager bytea,
	state bytea
);
COMMENT ON TYPE state_version IS 'One prepared version of an actor''s state, as its row holds it; prepare() makes one';
COMMENT ON COLUMN state_version.sequence_id IS 'Number of the version, from 1';
COMMENT ON COLUMN state_version.transaction_id IS 'The transaction that prepared it, a GUID in lower case';
COMMENT ON COLUMN state_version.transaction_timestamp IS 'When, in UTC with seven digits of a second: 2024-01-02T03:04:05.1234567Z';
COMMENT ON COLUMN state_version.transaction_manager IS 'The participant that decides, as JSON; without one the version is aborted on recovery';
COMMENT ON COLUMN state_version.state IS 'The state, as bytes';
