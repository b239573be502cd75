-- Rows as DynamoDB items in JSON.

CREATE FUNCTION import_items(items text[], storage name DEFAULT NULL, skip_unknown boolean DEFAULT false)
	RETURNS bigint
	AS 'MODULE_PATHNAME', 'txstore_import_items'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION import_items(text[], name, boolean) IS 'Creates rows from items in DynamoDB''s JSON; returns how many were created, identical ones are skipped';
REVOKE ALL ON FUNCTION import_items(text[], name, boolean) FROM PUBLIC;

CREATE FUNCTION import_items_from(source regclass, storage name DEFAULT NULL, skip_unknown boolean DEFAULT false)
	RETURNS bigint
	AS 'MODULE_PATHNAME', 'txstore_import_items_from'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION import_items_from(regclass, name, boolean) IS 'Like import_items(), from a table or view with one text column, an item a row';
REVOKE ALL ON FUNCTION import_items_from(regclass, name, boolean) FROM PUBLIC;

CREATE FUNCTION export_items(partition_key text DEFAULT NULL, storage name DEFAULT NULL)
	RETURNS SETOF json
	AS 'MODULE_PATHNAME', 'txstore_export_items'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION export_items(text, name) IS 'The rows of one partition, or of all, as items in DynamoDB''s JSON, ordered by partition key and row key';
