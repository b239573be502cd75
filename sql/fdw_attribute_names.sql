--
-- Attributes of any name and any number: every word that DynamoDB reserves,
-- names that PostgreSQL folds or cuts, and more of them than one expression
-- may hold (groups 30, 31, 32, 33)
--
SELECT value AS storage FROM txstore.describe_storage() WHERE property = 'storage' \gset
CREATE SCHEMA fdw_attribute_names;
SET search_path = fdw_attribute_names;
-- DynamoDB's reserved words
CREATE TABLE words AS SELECT n, word FROM regexp_split_to_table($$
	ABORT ABSOLUTE ACTION ADD AFTER AGENT AGGREGATE ALL ALLOCATE ALTER ANALYZE AND ANY ARCHIVE ARE ARRAY AS ASC ASCII ASENSITIVE
	ASSERTION ASYMMETRIC AT ATOMIC ATTACH ATTRIBUTE AUTH AUTHORIZATION AUTHORIZE AUTO AVG BACK BACKUP BASE BATCH BEFORE BEGIN
	BETWEEN BIGINT BINARY BIT BLOB BLOCK BOOLEAN BOTH BREADTH BUCKET BULK BY BYTE CALL CALLED CALLING CAPACITY CASCADE CASCADED CASE
	CAST CATALOG CHAR CHARACTER CHECK CLASS CLOB CLOSE CLUSTER CLUSTERED CLUSTERING CLUSTERS COALESCE COLLATE COLLATION COLLECTION
	COLUMN COLUMNS COMBINE COMMENT COMMIT COMPACT COMPILE COMPRESS CONDITION CONFLICT CONNECT CONNECTION CONSISTENCY CONSISTENT
	CONSTRAINT CONSTRAINTS CONSTRUCTOR CONSUMED CONTINUE CONVERT COPY CORRESPONDING COUNT COUNTER CREATE CROSS CUBE CURRENT CURSOR
	CYCLE DATA DATABASE DATE DATETIME DAY DEALLOCATE DEC DECIMAL DECLARE DEFAULT DEFERRABLE DEFERRED DEFINE DEFINED DEFINITION
	DELETE DELIMITED DEPTH DEREF DESC DESCRIBE DESCRIPTOR DETACH DETERMINISTIC DIAGNOSTICS DIRECTORIES DISABLE DISCONNECT DISTINCT
	DISTRIBUTE DO DOMAIN DOUBLE DROP DUMP DURATION DYNAMIC EACH ELEMENT ELSE ELSEIF EMPTY ENABLE END EQUAL EQUALS ERROR ESCAPE
	ESCAPED EVAL EVALUATE EXCEEDED EXCEPT EXCEPTION EXCEPTIONS EXCLUSIVE EXEC EXECUTE EXISTS EXIT EXPLAIN EXPLODE EXPORT EXPRESSION
	EXTENDED EXTERNAL EXTRACT FAIL FALSE FAMILY FETCH FIELDS FILE FILTER FILTERING FINAL FINISH FIRST FIXED FLATTERN FLOAT FOR FORCE
	FOREIGN FORMAT FORWARD FOUND FREE FROM FULL FUNCTION FUNCTIONS GENERAL GENERATE GET GLOB GLOBAL GO GOTO GRANT GREATER GROUP
	GROUPING HANDLER HASH HAVE HAVING HEAP HIDDEN HOLD HOUR IDENTIFIED IDENTITY IF IGNORE IMMEDIATE IMPORT IN INCLUDING INCLUSIVE
	INCREMENT INCREMENTAL INDEX INDEXED INDEXES INDICATOR INFINITE INITIALLY INLINE INNER INNTER INOUT INPUT INSENSITIVE INSERT
	INSTEAD INT INTEGER INTERSECT INTERVAL INTO INVALIDATE IS ISOLATION ITEM ITEMS ITERATE JOIN KEY KEYS LAG LANGUAGE LARGE LAST
	LATERAL LEAD LEADING LEAVE LEFT LENGTH LESS LEVEL LIKE LIMIT LIMITED LINES LIST LOAD LOCAL LOCALTIME LOCALTIMESTAMP LOCATION
	LOCATOR LOCK LOCKS LOG LOGED LONG LOOP LOWER MAP MATCH MATERIALIZED MAX MAXLEN MEMBER MERGE METHOD METRICS MIN MINUS MINUTE
	MISSING MOD MODE MODIFIES MODIFY MODULE MONTH MULTI MULTISET NAME NAMES NATIONAL NATURAL NCHAR NCLOB NEW NEXT NO NONE NOT NULL
	NULLIF NUMBER NUMERIC OBJECT OF OFFLINE OFFSET OLD ON ONLINE ONLY OPAQUE OPEN OPERATOR OPTION OR ORDER ORDINALITY OTHER OTHERS
	OUT OUTER OUTPUT OVER OVERLAPS OVERRIDE OWNER PAD PARALLEL PARAMETER PARAMETERS PARTIAL PARTITION PARTITIONED PARTITIONS PATH
	PERCENT PERCENTILE PERMISSION PERMISSIONS PIPE PIPELINED PLAN POOL POSITION PRECISION PREPARE PRESERVE PRIMARY PRIOR PRIVATE
	PRIVILEGES PROCEDURE PROCESSED PROJECT PROJECTION PROPERTY PROVISIONING PUBLIC PUT QUERY QUIT QUORUM RAISE RANDOM RANGE RANK RAW
	READ READS REAL REBUILD RECORD RECURSIVE REDUCE REF REFERENCE REFERENCES REFERENCING REGEXP REGION REINDEX RELATIVE RELEASE
	REMAINDER RENAME REPEAT REPLACE REQUEST RESET RESIGNAL RESOURCE RESPONSE RESTORE RESTRICT RESULT RETURN RETURNING RETURNS
	REVERSE REVOKE RIGHT ROLE ROLES ROLLBACK ROLLUP ROUTINE ROW ROWS RULE RULES SAMPLE SATISFIES SAVE SAVEPOINT SCAN SCHEMA SCOPE
	SCROLL SEARCH SECOND SECTION SEGMENT SEGMENTS SELECT SELF SEMI SENSITIVE SEPARATE SEQUENCE SERIALIZABLE SESSION SET SETS SHARD
	SHARE SHARED SHORT SHOW SIGNAL SIMILAR SIZE SKEWED SMALLINT SNAPSHOT SOME SOURCE SPACE SPACES SPARSE SPECIFIC SPECIFICTYPE SPLIT
	SQL SQLCODE SQLERROR SQLEXCEPTION SQLSTATE SQLWARNING START STATE STATIC STATUS STORAGE STORE STORED STREAM STRING STRUCT STYLE
	SUB SUBMULTISET SUBPARTITION SUBSTRING SUBTYPE SUM SUPER SYMMETRIC SYNONYM SYSTEM TABLE TABLESAMPLE TEMP TEMPORARY TERMINATED
	TEXT THAN THEN THROUGHPUT TIME TIMESTAMP TIMEZONE TINYINT TO TOKEN TOTAL TOUCH TRAILING TRANSACTION TRANSFORM TRANSLATE
	TRANSLATION TREAT TRIGGER TRIM TRUE TRUNCATE TTL TUPLE TYPE UNDER UNDO UNION UNIQUE UNIT UNKNOWN UNLOGGED UNNEST UNPROCESSED
	UNSIGNED UNTIL UPDATE UPPER URL USAGE USE USER USERS USING UUID VACUUM VALUE VALUED VALUES VARCHAR VARIABLE VARIANCE VARINT
	VARYING VIEW VIEWS VIRTUAL VOID WAIT WHEN WHENEVER WHERE WHILE WINDOW WITH WITHIN WITHOUT WORK WRAPPED WRITE YEAR ZONE
$$, '\s+') WITH ORDINALITY AS w(word, n) WHERE word <> '';
SELECT count(*), count(DISTINCT word) FROM words;
-- A foreign table with a column for each of some attributes, under their names or
-- under short ones where those are too long
CREATE FUNCTION make_table(name text, kind text, storage text, attributes text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE FOREIGN TABLE %I (partition_key text COLLATE "C", etag text, %s) SERVER %I OPTIONS (kind %L)', name,
		(SELECT string_agg(format('%I text OPTIONS (attribute %L)', CASE WHEN length(a) < 60 THEN a ELSE 'c' || n END, a), ', ' ORDER BY n)
			FROM unnest(attributes) WITH ORDINALITY AS v(a, n)), storage, kind);
END $$;
-- An item with these attributes, each of which holds its own name
CREATE FUNCTION item(partition text, row_key text, attributes text[]) RETURNS text
	BEGIN ATOMIC
		SELECT (json_object_agg(a, json_build_object('S', a))::jsonb
			|| format('{"PartitionKey":{"S":"fdw_attribute_names/%s"},"RowKey":{"S":"%s"},"ETag":{"N":"7"}}', partition, row_key)::jsonb)::text
			FROM unnest(attributes) AS a;
	END;
SELECT make_table('of_words', 'keys', :'storage', array_agg(word ORDER BY n)) FROM words;
SELECT make_table('of_small_words', 'states', :'storage', array_agg(lower(word) ORDER BY n)) FROM words;
SELECT txstore.import_items(ARRAY[item('words', 'key', (SELECT array_agg(word) FROM words)),
	item('words', 'state_0000000000000001', (SELECT array_agg(lower(word)) FROM words)),
	item('none', 'key', '{x}'), item('none', 'state_0000000000000001', '{x}')]);
-- All at once, by GetItem, BatchGetItem, Query and Scan
SELECT partition_key, etag, (SELECT count(*) FROM jsonb_each_text(to_jsonb(t)) WHERE key = value) AS own FROM of_words AS t
	WHERE partition_key = 'fdw_attribute_names/words';
SELECT partition_key, etag, (SELECT count(*) FROM jsonb_each_text(to_jsonb(t)) WHERE key = value) AS own,
	(SELECT count(value) FROM jsonb_each_text(to_jsonb(t))) AS present
	FROM of_words AS t WHERE partition_key IN ('fdw_attribute_names/words', 'fdw_attribute_names/none') ORDER BY 1;
SELECT partition_key, (SELECT count(*) FROM jsonb_each_text(to_jsonb(t)) WHERE key = value) AS own FROM of_small_words AS t
	WHERE partition_key = 'fdw_attribute_names/words';
SELECT partition_key, (SELECT count(*) FROM jsonb_each_text(to_jsonb(t)) WHERE key = value) AS own FROM of_words AS t
	WHERE partition_key ~ '^fdw_attribute_names/w';
-- One at a time, and each in a condition
CREATE FUNCTION wrong(name text) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
	word text;
	answer text;
BEGIN
	FOR word IN SELECT attname FROM pg_attribute WHERE attrelid = name::regclass AND attnum > 2 LOOP
		EXECUTE format('SELECT %I FROM %I WHERE partition_key = ''fdw_attribute_names/words'' AND %I = %L AND %I IS NOT NULL',
			word, name, word, word, word) INTO answer;
		IF answer IS DISTINCT FROM word THEN
			RETURN NEXT word;
		END IF;
	END LOOP;
END $$;
SELECT wrong('of_words');
-- Only what Orleans calls GrainState is state here
SELECT wrong('of_small_words');

-- 233 attributes of 100 characters: their names alone are 23 kB, and an
-- expression may be 4 kB long
CREATE TABLE many AS SELECT n, rpad('attribute ' || n || ' ', 100, 'x') AS attribute FROM generate_series(1, 233) AS n;
SELECT make_table('of_many', 'states', :'storage', array_agg(attribute ORDER BY n)) FROM many;
SELECT txstore.import_items(array_agg(item('many', 'state_000000000000000' || s, (SELECT array_agg(attribute) FROM many WHERE n % s = 0))))
	FROM generate_series(1, 3) AS s;
SELECT t.etag, (SELECT count(value) FROM jsonb_each_text(to_jsonb(t))) - 2 AS present,
	(SELECT count(*) FROM many WHERE attribute = (to_jsonb(t) ->> ('c' || n))) AS own
	FROM of_many AS t WHERE partition_key = 'fdw_attribute_names/many' ORDER BY present;
SELECT count(*), count(c1), count(c2), count(c3), count(c233) FROM of_many WHERE partition_key = 'fdw_attribute_names/many';
SELECT count(*) FROM of_many WHERE partition_key ~ '^fdw_attribute_names/m' AND c6 IS NOT NULL;
-- As many as a foreign table can have
SELECT make_table('of_most', 'keys', :'storage', array_agg('a' || n ORDER BY n)) FROM generate_series(1, 1598) AS n;
SELECT txstore.import_items(ARRAY[item('most', 'key', (SELECT array_agg('a' || n) FROM generate_series(1, 1598) AS n))]);
SELECT a1, a799, a1598 FROM of_most WHERE partition_key = 'fdw_attribute_names/most';
SELECT count(*) FROM of_most AS t WHERE partition_key = 'fdw_attribute_names/most' AND t IS NOT NULL;

-- Names that differ by case, begin with digits, or hold what is something else
-- in expressions, in JSON and in SQL
CREATE TABLE odd AS SELECT a AS attribute, n FROM unnest(ARRAY['camelCase', 'camelcase', 'CAMELCASE', '0', '1st', 'a.b', 'a[0]', '#p', ':p', ' ', ',',
	'"', '\', '''', '%s', E'\t', E'\n', 'ä', '€', '🐘', 'partitionkey', 'etag ', 'GrainStat', 'GrainState_']) WITH ORDINALITY AS v(a, n);
SELECT make_table('of_odd', 'keys', :'storage', array_agg(attribute ORDER BY n)) FROM odd;
SELECT txstore.import_items(ARRAY[item('odd', 'key', (SELECT array_agg(attribute) FROM odd))]);
SELECT (SELECT count(value) FROM jsonb_each_text(to_jsonb(t))) - 2 AS present,
	(SELECT array_agg(attribute) FROM odd WHERE attribute IS DISTINCT FROM to_jsonb(t) ->> attribute) AS wrong
	FROM of_odd AS t WHERE partition_key = 'fdw_attribute_names/odd';
SELECT "camelCase", camelcase, "CAMELCASE" FROM of_odd WHERE partition_key = 'fdw_attribute_names/odd' AND "camelCase" = 'camelCase';
SET client_min_messages = warning;
DROP SCHEMA fdw_attribute_names CASCADE;
