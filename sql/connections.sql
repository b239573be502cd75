--
-- What a session has of its servers, the same for every provider: what is
-- refused, who may ask, and that a storage works after its connections were closed
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
-- Has it connections at all?
SELECT value = 'dynamodb' AS remote FROM txstore.describe_storage() WHERE property = 'provider' \gset
CREATE SCHEMA connections;
SET search_path = connections;
CREATE FOREIGN TABLE keys (partition_key text COLLATE "C", etag text) SERVER :"storage" OPTIONS (kind 'keys');
SELECT txstore.import_items(ARRAY[
	'{"PartitionKey":{"S":"connections/a"},"RowKey":{"S":"key"},"ETag":{"N":"3"},"CommittedSequenceId":{"N":"0"}}',
	'{"PartitionKey":{"S":"connections/b"},"RowKey":{"S":"key"},"ETag":{"N":"4"},"CommittedSequenceId":{"N":"0"}}']);
-- What is refused
SELECT txstore.disconnect('no such storage');
CREATE FOREIGN DATA WRAPPER connections_other;
CREATE SERVER connections_elsewhere FOREIGN DATA WRAPPER connections_other;
SELECT txstore.disconnect('connections_elsewhere');
DROP FOREIGN DATA WRAPPER connections_other CASCADE;
-- PostgreSQL's own storages have no connections
SELECT txstore.disconnect('embedded');
SELECT count(*) FROM txstore.connections() WHERE storage = 'embedded';
-- What is shown of others fits together
SELECT count(*) = :'remote'::boolean::int AS shown FROM txstore.connections() WHERE storage = :'storage' AND open_sockets > 0;
SELECT count(*) FROM txstore.connections()
 WHERE user_name <> CURRENT_USER OR endpoint !~ '^https?://' OR open_sockets < 0 OR in_use
	OR requests < 1 OR retries < 0 OR throttles > requests OR bytes_sent < requests OR bytes_received < 0;
-- Closed, nothing is open, and the next call connects anew
SELECT txstore.disconnect() = :'remote' AS closed;
SELECT txstore.disconnect() AS again;
SELECT coalesce(sum(open_sockets), 0) AS open FROM txstore.connections();
SELECT etag FROM txstore.load('connections/a');
SELECT txstore.disconnect(:'storage') = :'remote' AS closed;
SELECT txstore.disconnect(:'storage') AS again;
SELECT etag FROM keys WHERE partition_key = 'connections/a';
SELECT txstore.disconnect_all() = :'remote' AS closed;
SELECT txstore.disconnect_all() AS again;
-- In the midst of a transaction, too
BEGIN;
SELECT etag FROM txstore.load('connections/a');
SELECT txstore.disconnect() = :'remote' AS closed;
SELECT txstore.store('connections/a', '3', '');
SELECT txstore.disconnect_all() = :'remote' AS closed;
SELECT etag FROM txstore.load('connections/a');
COMMIT;
-- A cursor reads on; where it has connections there is a warning
BEGIN;
SET LOCAL client_min_messages = error;
DECLARE reading CURSOR FOR SELECT * FROM keys WHERE partition_key IN ('connections/a', 'connections/b') ORDER BY partition_key;
FETCH 1 FROM reading;
SELECT txstore.disconnect(), txstore.disconnect_all();
FETCH ALL FROM reading;
COMMIT;
SELECT txstore.disconnect() = :'remote' AS closed;
SELECT txstore.disconnect() AS again;
-- Everyone may ask for what is the session's own
CREATE ROLE regress_txstore_connections;
GRANT USAGE ON SCHEMA txstore TO regress_txstore_connections;
SET ROLE regress_txstore_connections;
SELECT (count(*) > 0) = :'remote' AS listed FROM txstore.connections();
SELECT txstore.disconnect(:'storage') AS closed, txstore.disconnect_all() AS all_closed;
SELECT count(*) > 10 AS facts FROM txstore.diag();
RESET ROLE;
DROP OWNED BY regress_txstore_connections;
DROP ROLE regress_txstore_connections;
-- Versions, of what was compiled and of what runs
SELECT property, value ~ '^[0-9]+\.[0-9]+' OR value ~ '^OpenSSL' AS version FROM txstore.diag() WHERE property !~ '^TLS|name|endpoints|storage';
SELECT value = (SELECT extversion FROM pg_extension WHERE extname = 'txstore') AS same FROM txstore.diag() WHERE property ~ '^txstore';
SELECT value = current_setting('server_version') AS same FROM txstore.diag() WHERE property = 'PostgreSQL';
SELECT value ~ '\d' AS tls FROM txstore.diag() WHERE property = 'TLS of libcurl';
SELECT property, value FROM txstore.diag() WHERE property = 'name resolution';
SELECT value ~ '^\d+ of 16$' AS endpoints FROM txstore.diag() WHERE property = 'endpoints in shared memory';
SELECT value = current_setting('txstore.default_storage') AS same FROM txstore.diag() WHERE property = 'default storage';
SET client_min_messages = warning;
DROP SCHEMA connections CASCADE;
