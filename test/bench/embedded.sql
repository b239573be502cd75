-- What test/bench/embedded.sh measures against each other: the same actors in
-- three shapes.  Run with -v actors=N -v payload=TEXT.

\set ON_ERROR_STOP on
SET client_min_messages = warning;

CREATE EXTENSION txstore;

-- (a) one row an actor, with a version, and nothing else.
CREATE TABLE raw_state (
	id text COLLATE "C" PRIMARY KEY,
	version bigint NOT NULL,
	payload bytea NOT NULL
) WITH (fillfactor = 70);
ALTER TABLE raw_state ALTER COLUMN payload SET STORAGE EXTERNAL;

-- (b) Orleans' own grain storage over ADO.NET, written from a description of
-- its table and function (columns, one index that is not unique, the write
-- in PL/pgSQL with its "both null or equal" test).
CREATE TABLE orleansstorage (
	grainidhash integer NOT NULL,
	grainidn0 bigint NOT NULL,
	grainidn1 bigint NOT NULL,
	graintypehash integer NOT NULL,
	graintypestring varchar(512) NOT NULL,
	grainidextensionstring varchar(512),
	serviceid varchar(150) NOT NULL,
	payloadbinary bytea,
	modifiedon timestamp NOT NULL,
	version integer
);
CREATE INDEX ix_orleansstorage ON orleansstorage (grainidhash, graintypehash);

CREATE FUNCTION writetostorage(
	_grainidhash integer, _grainidn0 bigint, _grainidn1 bigint,
	_graintypehash integer, _graintypestring varchar,
	_grainidextensionstring varchar, _serviceid varchar,
	_version integer, _payload bytea)
RETURNS TABLE (newgrainstateversion integer)
LANGUAGE plpgsql AS $$
DECLARE
	_new integer := _version;
	_changed integer := 0;
BEGIN
	IF _version IS NOT NULL THEN
		UPDATE orleansstorage
		SET payloadbinary = _payload,
			modifiedon = (now() AT TIME ZONE 'utc'),
			version = version + 1
		WHERE grainidhash = _grainidhash
			AND graintypehash = _graintypehash
			AND grainidn0 = _grainidn0
			AND grainidn1 = _grainidn1
			AND graintypestring = _graintypestring
			AND ((_grainidextensionstring IS NOT NULL
					AND grainidextensionstring IS NOT NULL
					AND grainidextensionstring = _grainidextensionstring)
				OR (_grainidextensionstring IS NULL AND grainidextensionstring IS NULL))
			AND serviceid = _serviceid
			AND version IS NOT NULL
			AND version = _version;
		GET DIAGNOSTICS _changed = ROW_COUNT;
		IF _changed > 0 THEN
			_new := _version + 1;
		END IF;
	ELSE
		INSERT INTO orleansstorage
		SELECT _grainidhash, _grainidn0, _grainidn1, _graintypehash,
			_graintypestring, _grainidextensionstring, _serviceid, _payload,
			(now() AT TIME ZONE 'utc'), 1
		WHERE NOT EXISTS (
			SELECT 1 FROM orleansstorage
			WHERE grainidhash = _grainidhash
				AND graintypehash = _graintypehash
				AND grainidn0 = _grainidn0
				AND grainidn1 = _grainidn1
				AND graintypestring = _graintypestring
				AND ((_grainidextensionstring IS NOT NULL
						AND grainidextensionstring IS NOT NULL
						AND grainidextensionstring = _grainidextensionstring)
					OR (_grainidextensionstring IS NULL AND grainidextensionstring IS NULL))
				AND serviceid = _serviceid);
		GET DIAGNOSTICS _changed = ROW_COUNT;
		IF _changed > 0 THEN
			_new := 1;
		END IF;
	END IF;
	RETURN QUERY SELECT _new;
END
$$;

-- The same actors everywhere, each with one version.
INSERT INTO raw_state
SELECT 'account/' || i || '_default_balance', 1, convert_to(:'payload', 'UTF8')
FROM generate_series(1, :actors) i;

SELECT count(w.newgrainstateversion)
FROM generate_series(1, :actors) i,
	writetostorage((i::bigint * 2654435761 % 2147483647)::integer, 0, i, 7,
		'Bank.Account', NULL, 'default', NULL, convert_to(:'payload', 'UTF8')) w;

DO $$
BEGIN
	PERFORM txstore.initialize_storage();
END
$$;
SELECT count(txstore.store(k, l.etag, convert_to(
		'{"$id":"1","$type":"Orleans.Transactions.Abstractions.TransactionalStateMetaData, Orleans.Transactions","CommitRecords":{"$id":"2","$type":"System.Collections.Generic.Dictionary`2[[System.Guid, System.Private.CoreLib],[Orleans.Transactions.Abstractions.CommitRecord, Orleans.Transactions]], System.Private.CoreLib"}}', 'UTF8'),
	ARRAY[txstore.prepare(1, convert_to(:'payload', 'UTF8'))], 1))
FROM generate_series(1, :actors) i,
	LATERAL (SELECT 'account/' || i || '_default_balance' AS k) names,
	LATERAL txstore.load(k) l;

VACUUM ANALYZE;
CHECKPOINT;
