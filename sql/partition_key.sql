--
-- partition_key(): the key under which Orleans keeps a state of a grain
--
\set VERBOSITY terse
-- {grain type}/{grain key}_{service id}_{state name}
SELECT txstore.partition_key('banktransferaccount', '00000000000000000000000000000001', 'balance');
SELECT txstore.partition_key('account', '7F', 'balance', 'bank');
SELECT txstore.partition_key(grain_type => 't', grain_key => 'k', state_name => 's', service_id => 'i');
-- A key with an extension, as Orleans joins them
SELECT txstore.partition_key('account', '2A+north', 'balance');

-- Nothing is escaped, checked or changed: separators in a part stay ...
SELECT txstore.partition_key('a_b', 'c/d_e', 'f_g', 'h_i');
SELECT txstore.partition_key('a/b', '/', '_', '/');
-- ... as do case, blanks, quotes, backslashes, controls and other scripts
SELECT txstore.partition_key('Type', ' K ', 'State');
SELECT txstore.partition_key('t', E'"''\\%', 's');
SELECT to_json(txstore.partition_key('t', E'a\tb\nc', 's'));
SELECT txstore.partition_key('größe', '鍵🔑', 'état');
-- So two grains can have one key, as in Orleans
SELECT txstore.partition_key('t', 'k_default_a', 'b') = txstore.partition_key('t', 'k', 'a_default_b', 'default') AS same;

-- A key is at most 2,048 bytes long: 2,038 and ten others are, one more is not
SELECT octet_length(txstore.partition_key('t', repeat('k', 2036), 's'));
SELECT octet_length(txstore.partition_key('t', repeat('k', 2037), 's'));
-- Bytes count, not characters
SELECT octet_length(txstore.partition_key('t', repeat('é', 1018), 's'));
SELECT octet_length(txstore.partition_key('t', repeat('é', 1018) || 'k', 's'));

-- No part is empty
SELECT txstore.partition_key('', 'k', 's');
SELECT txstore.partition_key('t', '', 's');
SELECT txstore.partition_key('t', 'k', '');
SELECT txstore.partition_key('t', 'k', 's', '');
-- Null in, null out
SELECT txstore.partition_key(NULL, 'k', 's') IS NULL AS "type",
	txstore.partition_key('t', NULL, 's') IS NULL AS "key",
	txstore.partition_key('t', 'k', NULL) IS NULL AS state,
	txstore.partition_key('t', 'k', 's', NULL) IS NULL AS service;
