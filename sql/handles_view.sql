-- What the view handles shows of each storage.
CREATE SERVER shown FOREIGN DATA WRAPPER txstore_fdw
	OPTIONS (schema_name 'txs_shown');
SELECT txstore.load('p', 'shown');
SELECT txstore.load('p', 'embedded');

SELECT storage, partition_key, etag, committed_sequence_id, state_rows, must_load, bytes > 0 AS has_size
	FROM txstore.handles ORDER BY storage;
SELECT s.srvname FROM txstore.handles h JOIN pg_foreign_server s ON s.srvname = h.storage ORDER BY 1;

-- a server that is gone takes its handles out of sight
DROP SERVER shown;
SELECT storage, partition_key FROM txstore.handles ORDER BY storage;

SELECT txstore.forget('p');
SELECT txstore.forget('p');
SELECT count(*) FROM txstore.handles;
