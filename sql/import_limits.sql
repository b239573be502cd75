-- Import: nulls, and items larger than any that a table of the service can hold
\set VERBOSITY terse
\set SHOW_CONTEXT never
\pset format unaligned
\pset tuples_only on
CREATE FUNCTION pg_temp.item(metadata_bytes int) RETURNS text LANGUAGE sql RETURN
	format('{"PartitionKey":{"S":"import_limits/x"},"RowKey":{"S":"key"},"Metadata":{"B":"%s"},"ETag":{"N":"0"}}',
		replace(encode(convert_to(repeat('m', metadata_bytes), 'UTF8'), 'base64'), e'\n', ''));
CREATE FUNCTION pg_temp.attempt(items text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	RETURN txstore.import_items(items);
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN concat_ws(' | ', SQLSTATE, SQLERRM, detail);
END
$$;

-- A null where items should be, and among them
SELECT pg_temp.attempt(NULL);
SELECT pg_temp.attempt('{}');
SELECT pg_temp.attempt(ARRAY[NULL]);

-- 49 bytes beside the metadata make it 409,600
SELECT pg_temp.attempt(ARRAY[pg_temp.item(409552)]);
SELECT pg_temp.attempt(ARRAY['{"PartitionKey":{"S":"import_limits/y"},"RowKey":{"S":"key"},"ETag":{"N":"0"}}', pg_temp.item(500000)]);
SELECT count(*) FROM txstore.export_items('import_limits/y');
SELECT pg_temp.attempt(ARRAY[pg_temp.item(409551)]);
SELECT length(metadata) FROM txstore.load('import_limits/x');
SELECT txstore.delete_partition('import_limits/x', '0');

-- A message shows no more of an ETag than an ETag has
SELECT etag IS NULL FROM txstore.load('import_limits/x');
DO $$
DECLARE
	shown text;
BEGIN
	PERFORM txstore.store('import_limits/x', repeat('é', 100000), '');
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS shown = PG_EXCEPTION_DETAIL;
	RAISE NOTICE '%: %', SQLSTATE, substring(shown FROM 'expected.*');
END
$$;
