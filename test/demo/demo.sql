-- What demo.sh shows.  ECHO prints the queries; \echo explains them.
\pset footer off
\pset null '-'
\set SHOW_CONTEXT never
\echo
\echo 'txstore puts the transactional state of actors behind SQL: it reads and writes the'
\echo 'rows of Microsoft Orleans as Orleans does.  What follows is run as it is shown.'
\echo
\echo '1. A bank that ran on Orleans'
\echo '   The recording is the whole DynamoDB table of a real Orleans service after more'
\echo '   than two hundred transfers: 34 items, in the JSON that DynamoDB exports.  They'
\echo '   go into txstore''s embedded storage, which is tables in this database.'
\echo
CREATE TEMP TABLE recording (file text, items json);
\copy recording (items) FROM 'test/data/orleans/silo/silo-6-load-settled.items.json' CSV QUOTE e'\x01' DELIMITER e'\x02'
UPDATE recording SET file = 'settled';
\copy recording (items) FROM 'test/data/orleans/silo/silo-7-indoubt-3.items.json' CSV QUOTE e'\x01' DELIMITER e'\x02'
UPDATE recording SET file = 'hanging' WHERE file IS NULL;
\copy recording (items) FROM 'test/data/orleans/silo/silo-9-recovered-3.items.json' CSV QUOTE e'\x01' DELIMITER e'\x02'
UPDATE recording SET file = 'recovered' WHERE file IS NULL;

\set ECHO queries
CREATE EXTENSION txstore;
SELECT txstore.import_items(array_agg(item::text)) AS rows_created
  FROM recording, json_array_elements(items) AS item
 WHERE file = 'settled';
\set ECHO none

\echo
\echo '2. Balances out of actor state, joined with a table of our own'
\echo '   An account is the actor account/NAME with a state called balance, in the'
\echo '   service bank.  Its state is JSON, kept byte for byte as the silo wrote it.'
\echo
CREATE TABLE customers (account text PRIMARY KEY, name text, city text);
INSERT INTO customers VALUES
	('alice', 'Alice Archer', 'Aarhus'), ('bob', 'Bob Baker', 'Bergen'), ('carol', 'Carol Cook', 'Cork'),
	('dave', 'Dave Dyer', 'Delft'), ('zoe', 'Zoe, no account yet', 'Zagreb');
\set ECHO queries
CREATE FUNCTION account_key(account text) RETURNS text LANGUAGE sql IMMUTABLE
	RETURN txstore.partition_key('account', account, 'balance', 'bank');
CREATE FUNCTION amount(state bytea) RETURNS numeric LANGUAGE sql IMMUTABLE
	RETURN (convert_from(state, 'UTF8')::jsonb ->> 'Amount')::numeric;

SELECT c.name, c.city, amount(a.committed_state) AS balance, a.committed_sequence_id AS version, a.etag
  FROM customers AS c, txstore.load(account_key(c.account)) AS a
 ORDER BY balance DESC NULLS LAST;
\set ECHO none

\echo
\echo '3. A transfer that hangs'
\echo '   The same bank a moment later: alice pays bob 2.00 and the silo stops half way.'
\echo '   That table goes into a second storage.  What is pending there, which account'
\echo '   decides about it, and does that one''s metadata hold a commit record?'
\echo
\set ECHO queries
CREATE SERVER hanging FOREIGN DATA WRAPPER txstore_fdw
	OPTIONS (provider 'embedded', table_name 'hanging');
\set ECHO none
CREATE SERVER recovered FOREIGN DATA WRAPPER txstore_fdw
	OPTIONS (provider 'embedded', table_name 'recovered');
SELECT txstore.import_items(array_agg(item::text), storage => file::name) AS rows
  FROM recording, json_array_elements(items) AS item
 WHERE file <> 'settled'
 GROUP BY file
\g /dev/null
\set ECHO queries
SELECT c.account, amount(a.committed_state) AS committed, amount(p.state) AS prepared, d.decider,
       convert_from(m.metadata, 'UTF8')::jsonb -> 'CommitRecords' ? p.transaction_id AS has_decided
  FROM customers AS c,
       txstore.load(account_key(c.account), 'hanging') AS a,
       unnest(a.pending) AS p,
       LATERAL (SELECT convert_from(p.transaction_manager, 'UTF8')::jsonb #>> '{Reference,Id,Key}' AS decider) AS d,
       txstore.load(account_key(d.decider), 'hanging') AS m;
\set ECHO none
\echo 'Alice has committed and holds the record that says so; bob''s new balance is only'
\echo 'prepared, in doubt until he hears of it.  A new silo read that record and finished'
\echo 'the transfer.  Its table, in a third storage, beside the one that hangs:'
\echo
\set ECHO queries
SELECT c.account, amount(h.committed_state) AS hanging, cardinality(h.pending) AS pending,
       amount(r.committed_state) AS recovered, cardinality(r.pending) AS pending
  FROM customers AS c,
       txstore.load(account_key(c.account), 'hanging') AS h,
       txstore.load(account_key(c.account), 'recovered') AS r
 WHERE c.account IN ('alice', 'bob')
 ORDER BY c.account;
\set ECHO none

\echo
\echo '4. A stored procedure that loads, decides and stores'
\echo '   It leaves what a silo would leave: the next version, committed, and the'
\echo '   metadata with its commit records untouched.'
\echo
\set ECHO queries
CREATE FUNCTION deposit(account text, change numeric) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	key text := account_key(account);
	actor record;
	balance numeric;
	state text;
BEGIN
	SELECT * INTO actor FROM txstore.load(key);
	IF actor.committed_state IS NULL OR cardinality(actor.pending) > 0 THEN
		RAISE EXCEPTION 'account % is missing or busy', account;
	END IF;
	balance := amount(actor.committed_state) + change;
	IF balance < 0 THEN
		RAISE EXCEPTION '% has only %', account, balance - change;
	END IF;
	-- The text is edited: jsonb would sort the members, and Orleans wants $id and $type first.
	state := regexp_replace(convert_from(actor.committed_state, 'UTF8'), '"Amount":[^,}]*', '"Amount":' || balance);
	PERFORM txstore.store(key, actor.etag, actor.metadata,
		prepares => ARRAY[txstore.prepare(actor.committed_sequence_id + 1, convert_to(state, 'UTF8'))],
		commit_up_to => actor.committed_sequence_id + 1);
	RETURN balance;
END $$;
CREATE PROCEDURE transfer(payer text, payee text, amount numeric) LANGUAGE sql AS $$
	SELECT deposit(payee, amount), deposit(payer, -amount);
$$;
CALL transfer('alice', 'carol', 100);
SELECT c.account, amount(a.committed_state) AS balance, a.etag
  FROM customers AS c, txstore.load(account_key(c.account)) AS a
 WHERE c.account IN ('alice', 'carol');
\set ECHO none
\echo 'More than carol has: the second half fails, and the first is undone with it.'
\echo
\set ON_ERROR_STOP off
\set ECHO queries
CALL transfer('carol', 'dave', 1000);
\set ECHO none
\set ON_ERROR_STOP on
\echo
\set ECHO queries
SELECT c.account, amount(a.committed_state) AS balance, a.etag
  FROM customers AS c, txstore.load(account_key(c.account)) AS a
 WHERE c.account IN ('carol', 'dave');
\set ECHO none
-- Division by zero, and the end of the demo, if it went otherwise.
SELECT 1 / (:'LAST_ERROR_SQLSTATE' = 'P0001')::int, 1 / (amount(committed_state) = 5)::int
  FROM txstore.load(account_key('dave')) \g /dev/null

\echo
\echo '5. Two sessions, one actor'
\echo '   This session loads carol.  Another one pays her 1.00 meanwhile.  What this'
\echo '   session stores then was decided on an old state, under an ETag that is stale:'
\echo '   it is refused.'
\echo
\set ECHO queries
CREATE TEMP TABLE loaded AS SELECT * FROM txstore.load(account_key('carol'));
\set ECHO none
\echo '  (the other session:)  CALL transfer(''alice'', ''carol'', 1);'
\! psql --no-psqlrc --quiet --command="CALL transfer('alice', 'carol', 1)" </dev/null
\set ON_ERROR_STOP off
\set ECHO queries
SELECT txstore.store(account_key('carol'), etag, metadata,
                     prepares => ARRAY[txstore.prepare(committed_sequence_id + 1, committed_state)],
                     commit_up_to => committed_sequence_id + 1)
  FROM loaded;
\set ECHO none
\set ON_ERROR_STOP on
SELECT 1 / (:'LAST_ERROR_SQLSTATE' = '40001')::int \g /dev/null
\echo
\echo 'Loaded again and decided anew it goes through, and no payment is lost:'
\echo
\set ECHO queries
SELECT deposit('carol', 0.50) AS balance;
\set ECHO none
SELECT 1 / (amount(committed_state) = 106.5)::int FROM txstore.load(account_key('carol')) \g /dev/null
