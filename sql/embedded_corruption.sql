-- A partition that contradicts itself is reported with its partition and row, never guessed at; the session goes on.
CREATE SERVER corruption FOREIGN DATA WRAPPER txstore_fdw OPTIONS (schema_name 'corrupt', table_name 't');
SET txstore.default_storage = 'corruption';

-- A sound partition: version 2 committed, 3 and 4 pending.
SELECT txstore.store('p', etag, metadata, ARRAY[txstore.prepare(2, 'two'), txstore.prepare(3, 'three'), txstore.prepare(4, 'four')], 2)
  FROM txstore.load('p');
SELECT txstore.store('sound', etag, metadata, ARRAY[txstore.prepare(1, 'one')], 1) FROM txstore.load('sound');

-- Change the tables by hand, call load(), and undo.
CREATE FUNCTION attempt(change text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	message text;
	l record;
BEGIN
	EXECUTE change;
	l := txstore.load('p');
	RAISE EXCEPTION USING ERRCODE = '00001', MESSAGE = format('etag %s, committed %s "%s", pending %s', coalesce(l.etag, 'null'),
		l.committed_sequence_id, convert_from(l.committed_state, 'UTF8'), (SELECT array_agg(sequence_id) FROM unnest(l.pending)));
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
	RETURN concat_ws(' ', nullif(SQLSTATE, '00001'), message, detail);
END
$$;
SELECT attempt(change) FROM (VALUES
	('-- nothing'),
	('UPDATE corrupt.t_keys SET etag = NULL'),
	('UPDATE corrupt.t_keys SET etag = -1'),
	('UPDATE corrupt.t_keys SET etag = -5'),
	('UPDATE corrupt.t_keys SET committed_sequence_id = 1'),
	('UPDATE corrupt.t_keys SET committed_sequence_id = 5'),
	('UPDATE corrupt.t_keys SET committed_sequence_id = -1'),
	('UPDATE corrupt.t_keys SET committed_sequence_id = 9223372036854775807'),
	('DELETE FROM corrupt.t_states WHERE sequence_id = 2'),
	('DELETE FROM corrupt.t_states'),
	('TRUNCATE corrupt.t_states'),
	('UPDATE corrupt.t_states SET sequence_id = -2 WHERE sequence_id = 2'),
	('UPDATE corrupt.t_states SET sequence_id = -9223372036854775808 WHERE sequence_id = 4'),
	('UPDATE corrupt.t_states SET etag = -2 WHERE sequence_id = 3'),
	('UPDATE corrupt.t_states SET extra = ''{"Flag":{"BOOL":true}}'' WHERE sequence_id = 2'),
	('UPDATE corrupt.t_states SET extra = ''{"Note":{"S":"x"},"Tags":{"SS":["x"]}}'' WHERE sequence_id = 4'),
	('UPDATE corrupt.t_states SET extra = ''[1]'' WHERE sequence_id = 3'),
	('UPDATE corrupt.t_states SET extra = ''{"Note":"x"}'' WHERE sequence_id = 3'),
	-- Odd, but sound: a silo reads them like this.
	('UPDATE corrupt.t_states SET extra = ''{"Note":{"S":"x"}}'' WHERE sequence_id = 2'),
	('UPDATE corrupt.t_keys SET extra = ''{"Flag":{"BOOL":true}}'''),
	('UPDATE corrupt.t_keys SET committed_sequence_id = NULL'),
	('UPDATE corrupt.t_keys SET committed_sequence_id = 0'),
	('UPDATE corrupt.t_keys SET committed_sequence_id = 3'),
	('UPDATE corrupt.t_states SET etag = NULL'),
	('UPDATE corrupt.t_states SET state = NULL WHERE sequence_id = 2'),
	('UPDATE corrupt.t_states SET sequence_id = 0 WHERE sequence_id = 3'),
	('UPDATE corrupt.t_states SET transaction_manager = NULL WHERE sequence_id = 3'),
	('UPDATE corrupt.t_states SET transaction_manager = '''' WHERE sequence_id = 4'),
	('DELETE FROM corrupt.t_states WHERE sequence_id = 3'),
	('DELETE FROM corrupt.t_keys')) AS changes(change);

-- The whole message, and the session that goes on.
UPDATE corrupt.t_keys SET committed_sequence_id = 5 WHERE partition_key = 'p';
SELECT * FROM txstore.load('p');
\echo :LAST_ERROR_SQLSTATE
SELECT count(*) FROM txstore.export_items('p');
SELECT etag FROM txstore.load('sound');
BEGIN;
SELECT etag FROM txstore.load('sound');
SAVEPOINT a;
SELECT etag FROM txstore.load('p');
ROLLBACK TO a;
SELECT txstore.store('sound', '0', '');
COMMIT;
-- One who has not loaded cannot store: a load() that failed leaves no handle.
\c
SET txstore.default_storage = 'corruption';
SELECT etag FROM txstore.load('p');
SELECT txstore.store('p', '0', '');
SELECT txstore.store('p', '', '');
SELECT count(*) FROM txstore.handles;
-- It can be deleted, or mended by who knows how.
UPDATE corrupt.t_keys SET committed_sequence_id = 2 WHERE partition_key = 'p';
SELECT etag, committed_sequence_id FROM txstore.load('p');

SET client_min_messages = warning;
DROP FUNCTION attempt(text);
DROP SERVER corruption;
DROP SCHEMA corrupt CASCADE;
