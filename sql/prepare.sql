--
-- prepare(): a version for store(), in the texts that Orleans writes
--
\set VERBOSITY terse
SET timezone = 'UTC';
SET datestyle = 'ISO';
-- Every field is what was asked for; the time has seven digits of a second
SELECT * FROM txstore.prepare(7, '\x00ff', '01234567-89AB-CDEF-0123-456789ABCDEF',
	'2024-01-02 03:04:05.123456+00', '\x7b7d');
-- Times are in UTC, whatever the zone they were given in
SELECT (txstore.prepare(1, '', at => t)).transaction_timestamp
	FROM unnest(ARRAY['2024-01-02 03:04:05+05:30', '2024-12-31 23:59:59.999999-01', '2024-02-29 00:00+00',
		'1969-12-31 23:59:59.5+00', '0001-01-01 00:00+00', '9999-12-31 23:59:59.999999+00']::timestamptz[])
	WITH ORDINALITY AS times(t, n) ORDER BY n;
-- Orleans knows the years 1 to 9999
SELECT txstore.prepare(1, '', at => '0001-12-31 23:59:59 BC');
SELECT txstore.prepare(1, '', at => '10000-01-01 00:00+00');
SELECT txstore.prepare(1, '', at => 'infinity');
SELECT txstore.prepare(1, '', at => '-infinity');

-- By default: a new transaction, now, that this actor's own manager decides
SELECT v.sequence_id, v.state, v.transaction_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' AS is_guid,
	v.transaction_timestamp ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}0Z$' AS is_time,
	v.transaction_timestamp::timestamptz BETWEEN statement_timestamp() AND clock_timestamp() AS is_now
	FROM txstore.prepare(1, 'state') AS v;
SELECT octet_length(transaction_manager), convert_from(transaction_manager, 'UTF8')
	FROM txstore.prepare(1, 'state');
SELECT (txstore.prepare(n, '')).transaction_id <> (txstore.prepare(n, '')).transaction_id AS differ
	FROM generate_series(1, 1) AS n;

-- Sequence ids go from 0 to the largest bigint
SELECT (txstore.prepare(n, '')).sequence_id
	FROM unnest(ARRAY[0, 1, 9223372036854775807]) AS n;
SELECT txstore.prepare(-1, '');
SELECT txstore.prepare(-9223372036854775808, '');
-- What is null stays null: store() says what it needs
SELECT * FROM txstore.prepare(NULL, NULL, NULL, NULL, NULL);
