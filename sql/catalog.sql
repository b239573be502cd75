-- What the catalogs say of the extension's objects: nothing without a comment, nothing with rights or
-- properties that nobody meant.
SET search_path = pg_catalog;

CREATE TEMP VIEW members AS
	SELECT classid, objid, pg_describe_object(classid, objid, 0) AS object
	  FROM pg_depend
	 WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
	   AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'txstore');

-- Every member, in the order of names; a function that is added must be listed here.
SELECT object FROM members
 WHERE object NOT LIKE 'type %[]' AND object !~ '^(rule|type txstore.handles|type txstore._handles)'
 ORDER BY object COLLATE "C";

-- Members without a comment: array types and row types of views have none.
SELECT object FROM members
 WHERE (CASE classid
			WHEN 'pg_foreign_server'::regclass THEN obj_description(objid, 'pg_foreign_server')
			WHEN 'pg_foreign_data_wrapper'::regclass THEN obj_description(objid, 'pg_foreign_data_wrapper')
			ELSE obj_description(objid, classid::regclass::name)
		END) IS NULL
   AND NOT (classid = 'pg_type'::regclass AND objid NOT IN (SELECT reltype FROM pg_class WHERE relkind = 'c'))
 ORDER BY 1;
SELECT c.relname, a.attname
  FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
 WHERE c.relnamespace = 'txstore'::regnamespace AND a.attnum > 0 AND col_description(a.attrelid, a.attnum) IS NULL
 ORDER BY 1, 2;
SELECT obj_description('txstore'::regnamespace, 'pg_namespace');
-- Comments read as one sentence: a capital first, no full stop.
SELECT description FROM members JOIN pg_description ON (objoid, classoid) = (objid, classid)
 WHERE description !~ '^[A-Z]' OR description ~ '\.$';

-- Functions: v(olatile) or i(mmutable), u(nsafe), r(estricted) or s(afe), in C, and who may call them.
SELECT p.proname, pg_get_function_identity_arguments(p.oid) AS arguments, pg_get_function_result(p.oid) AS result
  FROM pg_proc AS p WHERE pronamespace = 'txstore'::regnamespace ORDER BY proname COLLATE "C";
SELECT p.proname, p.provolatile AS v, p.proparallel AS p, p.proisstrict AS strict, p.prosecdef AS definer,
	   p.proleakproof AS leakproof, l.lanname, p.proconfig AS config, has_function_privilege('public', p.oid, 'EXECUTE') AS public
  FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang
 WHERE pronamespace = 'txstore'::regnamespace ORDER BY proname COLLATE "C";
SELECT p.proname, pg_get_function_arg_default(p.oid, a.n::int) AS default
  FROM pg_proc AS p, generate_series(1, pronargs) AS a(n)
 WHERE pronamespace = 'txstore'::regnamespace AND pg_get_function_arg_default(p.oid, a.n::int) IS NOT NULL
 ORDER BY proname COLLATE "C", a.n;

-- Rights: the schema and the view for all, the server and the wrapper for nobody else.
SELECT has_schema_privilege('public', 'txstore', 'USAGE') AS usage, has_schema_privilege('public', 'txstore', 'CREATE') AS create;
SELECT has_table_privilege('public', 'txstore.handles', 'SELECT') AS select,
	   has_table_privilege('public', 'txstore.handles', 'INSERT, UPDATE, DELETE') AS write;
SELECT has_server_privilege('public', 'embedded', 'USAGE') AS server,
	   has_foreign_data_wrapper_privilege('public', 'txstore_fdw', 'USAGE') AS wrapper;

-- The wrapper has no handler in this version: foreign tables cannot be read.
SELECT fdwhandler = 0 AS no_handler, fdwvalidator::regprocedure, fdwoptions FROM pg_foreign_data_wrapper WHERE fdwname = 'txstore_fdw';
SELECT srvtype, srvversion, srvoptions FROM pg_foreign_server WHERE srvname = 'embedded';

-- The type of versions, and the view.
SELECT attname, format_type(atttypid, atttypmod), attnotnull
  FROM pg_attribute WHERE attrelid = 'txstore.state_version'::regclass AND attnum > 0 ORDER BY attnum;
SELECT attname, format_type(atttypid, atttypmod)
  FROM pg_attribute WHERE attrelid = 'txstore.handles'::regclass AND attnum > 0 ORDER BY attnum;

-- Settings: anyone may set them, and there are no others.  They are known from the first call on.
SELECT count(*) FROM txstore.handles;
SELECT name, setting, unit, context, vartype, min_val, max_val, boot_val, short_desc, extra_desc
  FROM pg_settings WHERE name LIKE 'txstore.%' ORDER BY 1;
SET txstore.no_such_setting = 1;
-- later versions name the unit in the limits, too
\set VERBOSITY sqlstate
SET txstore.max_handle_memory = '1kB';
\set VERBOSITY default

DROP VIEW members;
