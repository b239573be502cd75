--
-- import_items(): a bad item names its line and what is wrong, and nothing of
-- that call is kept
--
\set VERBOSITY terse
-- Imports a good line, then this one; returns the error
CREATE FUNCTION pg_temp.try(line text) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
	RETURN txstore.import_items(ARRAY['{"PartitionKey":{"S":"import_errors/good"},"RowKey":{"S":"key"},"ETag":{"N":"0"}}', line]);
EXCEPTION
	WHEN OTHERS THEN RETURN sqlstate || ': ' || sqlerrm;
END $$;
-- The same with the good line after this one
CREATE FUNCTION pg_temp.collide(line text) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
	RETURN txstore.import_items(ARRAY[line, '{"PartitionKey":{"S":"import_errors/good"},"RowKey":{"S":"key"},"ETag":{"N":"0"}}']);
EXCEPTION
	WHEN OTHERS THEN RETURN sqlstate || ': ' || sqlerrm;
END $$;
CREATE FUNCTION pg_temp.try_key(attributes text) RETURNS text
	RETURN pg_temp.try('{"PartitionKey":{"S":"import_errors/bad"},"RowKey":{"S":"key"},' || attributes || '}');
CREATE FUNCTION pg_temp.try_state(attributes text) RETURNS text
	RETURN pg_temp.try('{"PartitionKey":{"S":"import_errors/bad"},"RowKey":{"S":"state_0000000000000001"},' || attributes || '}');

-- Not JSON
SELECT pg_temp.try(NULL);
SELECT pg_temp.try(line) FROM unnest(ARRAY['', ' ', 'null', '1', '"text"', '[]', 'nonsense', '{', '{}}', '{} {}', '{"a"}', '{"a":}',
	'{"a":{"S":"x"},}', '{''a'':{"S":"x"}}', '{"a":{"S":"x}}', E'{"a":{"S":"\t"}}', '{"a":{"S":"\x"}}', '{"a":{"S":"\ud800"}}',
	'{"a":{"N":"1"}} x']) WITH ORDINALITY AS v(line, n) ORDER BY n;
SELECT pg_temp.try(repeat('[', 100000));
SELECT pg_temp.try('{"a":' || repeat('{"L":[', 100) || '{"S":"x"}' || repeat(']}', 100) || '}');
-- Not an item: values are {"TYPE":value}
SELECT pg_temp.try(line) FROM unnest(ARRAY['{}', '{"a":1}', '{"a":"x"}', '{"a":null}', '{"a":[]}', '{"a":{}}', '{"a":{"S":1}}',
	'{"a":{"N":1}}', '{"a":{"S":"x","N":"1"}}', '{"a":{"X":"x"}}', '{"a":{"s":"x"}}', '{"a":{"N":"x"}}', '{"a":{"N":""}}',
	'{"a":{"N":" 1"}}', '{"a":{"N":"1e126"}}', '{"a":{"N":"123456789012345678901234567890123456789"}}', '{"a":{"B":"x"}}',
	'{"a":{"SS":[]}}', '{"a":{"SS":"x"}}', '{"a":{"NS":["x"]}}', '{"a":{"NULL":false}}', '{"a":{"BOOL":"true"}}', '{"a":{"L":{}}}',
	'{"a":{"M":{"x":1}}}', '{"Item":{}}', '{"Item":null}', '{"Item":{"Item":{"PartitionKey":{"S":"p"},"RowKey":{"S":"key"}}}}'])
	WITH ORDINALITY AS v(line, n) ORDER BY n;

-- Keys
SELECT pg_temp.try(line) FROM unnest(ARRAY['{"RowKey":{"S":"key"}}', '{"PartitionKey":{"S":"p"}}',
	'{"PartitionKey":{"S":""},"RowKey":{"S":"key"}}', '{"PartitionKey":{"B":"cA=="},"RowKey":{"S":"key"}}',
	'{"PartitionKey":{"S":"p"},"RowKey":{"N":"1"}}', '{"PartitionKey":{"S":"p\u0000"},"RowKey":{"S":"key"}}',
	'{"PartitionKey":{"S":"p"},"RowKey":{"S":"key\u0000"}}', '{"PartitionKey":{"S":"p"},"PartitionKey":{"S":"p"},"RowKey":{"S":"key"}}'])
	WITH ORDINALITY AS v(line, n) ORDER BY n;
SELECT pg_temp.try('{"PartitionKey":{"S":"' || repeat('k', 2049) || '"},"RowKey":{"S":"key"}}');
SELECT pg_temp.try('{"PartitionKey":{"S":"' || repeat('\u00e9', 1024) || 'k"},"RowKey":{"S":"key"}}');
-- A state row's is state_ and 16 lower-case hexadecimal digits; others are
-- none that a store would address
SELECT k, pg_temp.try('{"PartitionKey":{"S":"import_errors/bad"},"RowKey":{"S":"' || k || '"},"ETag":{"N":"0"}}')
	FROM unnest(ARRAY['state_', 'state_1', 'state_000000000000001', 'state_00000000000000001', 'state_000000000000000A',
	'state_000000000000000g', 'state_ 000000000000001', 'state_8000000000000000', 'state_ffffffffffffffff', 'state_-000000000000001'])
	WITH ORDINALITY AS v(k, n) ORDER BY n;
SELECT k, pg_temp.try('{"PartitionKey":{"S":"import_errors/bad"},"RowKey":{"S":"' || k || '"}}')
	FROM unnest(ARRAY['', 'KEY', 'key ', 'keys', 'State_0000000000000001', 'stat']) WITH ORDINALITY AS v(k, n) ORDER BY n;
-- skip_unknown does not let them pass where they begin with state_
SELECT txstore.import_items(ARRAY['{"PartitionKey":{"S":"import_errors/bad"},"RowKey":{"S":"state_1"}}'], skip_unknown => true);

-- Attributes that Orleans knows have its types and forms
SELECT a, pg_temp.try_key(a) FROM unnest(ARRAY['"ETag":{"S":"0"}', '"ETag":{"N":"-1"}', '"ETag":{"N":"1.5"}', '"ETag":{"N":"1e3"}',
	'"ETag":{"N":"9223372036854775808"}', '"CommittedSequenceId":{"N":"-1"}', '"CommittedSequenceId":{"B":""}',
	'"CommittedSequenceId":{"N":"9223372036854775808"}', '"Timestamp":{"N":"1.5"}', '"Timestamp":{"S":"now"}', '"Metadata":{"S":"{}"}',
	'"Metadata":{"B":"e3"}', '"Metadata":{"B":"e31="}', '"Metadata":{"B":"e30 "}', '"Metadata":{"B":"-_8="}', '"Metadata":{"NULL":true}',
	'"ETag":{"N":"0"},"ETag":{"N":"0"}', '"ETag":{"N":"0"},"\u0045Tag":{"N":"0"}']) WITH ORDINALITY AS v(a, n) ORDER BY n;
SELECT a, pg_temp.try_state(a) FROM unnest(ARRAY['"ETag":{"N":"-1"}', '"ETag":{"B":"MA=="}', '"GrainState":{"S":"{}"}', '"GrainState":{"B":"e"}',
	'"TransactionId":{"B":""}', '"TransactionId":{"S":"\u0000"}', '"TransactionTimestamp":{"N":"1"}', '"TransactionTimestamp":{"S":""}',
	'"TransactionTimestamp":{"S":"2024-01-02"}', '"TransactionTimestamp":{"S":"2024-02-30T00:00:00.0000000Z"}', '"TransactionManager":{"S":"tm"}',
	'"TransactionManager":{"B":"===="}', '"x":{"S":"1"},"x":{"S":"2"}', '"x\u0000":{"S":"1"}', '"x":{"B":"e3=="}'])
	WITH ORDINALITY AS v(a, n) ORDER BY n;

-- Nothing of that was kept, nor is it where the bad line is the last of many
SELECT txstore.import_items(array_fill('{"PartitionKey":{"S":"import_errors/good"},"RowKey":{"S":"key"},"ETag":{"N":"0"}}'::text, ARRAY[500])
	|| '{"PartitionKey":{"S":"import_errors/good"}}'::text);
CREATE TEMP TABLE lines AS SELECT format('{"PartitionKey":{"S":"import_errors/good"},"RowKey":{"S":"state_%s"}}', lpad(to_hex(n), 16, '0')) AS line
	FROM generate_series(1, 450) AS n;
INSERT INTO lines VALUES ('{"PartitionKey":{"S":"import_errors/good"},"RowKey":{"S":"key"},"ETag":{"N":"x"}}'), ('');
SELECT txstore.import_items_from('lines');
SELECT count(*) FROM txstore.export_items() AS i WHERE i #>> '{PartitionKey,S}' LIKE 'import_errors/%';

-- A row that is there already and differs in anything is refused
SELECT txstore.import_items(ARRAY['{"PartitionKey":{"S":"import_errors/bad"},"RowKey":{"S":"key"},"Timestamp":{"N":"1"},"ETag":{"N":"0"}}',
	'{"PartitionKey":{"S":"import_errors/bad"},"RowKey":{"S":"state_0000000000000001"},"GrainState":{"B":"eA=="},"ETag":{"N":"0"},"x":{"S":"x"}}']);
SELECT a, pg_temp.collide('{"PartitionKey":{"S":"import_errors/bad"},"RowKey":{"S":"key"},' || a || '}') AS error FROM unnest(ARRAY['"Timestamp":{"N":"1"},"ETag":{"N":"1"}', '"Timestamp":{"N":"1"}', '"ETag":{"N":"0"}',
	'"Timestamp":{"N":"2"},"ETag":{"N":"0"}', '"CommittedSequenceId":{"N":"0"},"Timestamp":{"N":"1"},"ETag":{"N":"0"}',
	'"Metadata":{"B":""},"Timestamp":{"N":"1"},"ETag":{"N":"0"}', '"Timestamp":{"N":"1"},"ETag":{"N":"0"},"x":{"S":"x"}'])
	WITH ORDINALITY AS v(a, n) ORDER BY n;
SELECT a, pg_temp.collide('{"PartitionKey":{"S":"import_errors/bad"},"RowKey":{"S":"state_0000000000000001"},' || a || '}') AS error FROM unnest(ARRAY['"GrainState":{"B":"eQ=="},"ETag":{"N":"0"},"x":{"S":"x"}', '"GrainState":{"B":"eA=="},"ETag":{"N":"0"}',
	'"GrainState":{"B":"eA=="},"ETag":{"N":"0"},"x":{"S":"y"}', '"GrainState":{"B":"eA=="},"ETag":{"N":"0"},"x":{"S":"x"},"TransactionId":{"S":"t"}'])
	WITH ORDINALITY AS v(a, n) ORDER BY n;
SELECT i FROM txstore.export_items() AS i WHERE i #>> '{PartitionKey,S}' LIKE 'import_errors/%';
SELECT txstore.delete_partition('import_errors/bad', '0');
