-- Views over foreign tables.  Each reads one table once.

CREATE FUNCTION create_views(schema name, table_name name DEFAULT NULL)
	RETURNS SETOF regclass
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $function$
DECLARE
	source record;
	made integer := 0;
	pieces CONSTANT text := 'partition_key, grain_type, grain_key, state_name';
BEGIN
	FOR source IN
		SELECT c.relname, regexp_replace(c.relname, '_(partitions|keys)$', '') AS base, kind.option_value AS kind
		FROM pg_foreign_table AS f
			JOIN pg_class AS c ON c.oid = f.ftrelid
			JOIN pg_namespace AS n ON n.oid = c.relnamespace
			JOIN pg_foreign_server AS s ON s.oid = f.ftserver
			JOIN pg_foreign_data_wrapper AS w ON w.oid = s.srvfdw,
			LATERAL pg_options_to_table(f.ftoptions) AS kind
		WHERE n.nspname = schema AND w.fdwname = 'txstore_fdw' AND kind.option_name = 'kind'
			AND c.relname LIKE '%\_' || kind.option_value AND kind.option_value IN ('partitions', 'keys')
			AND (table_name IS NULL OR c.relname = table_name || '_' || kind.option_value)
		ORDER BY c.relname
	LOOP
		IF octet_length(source.base || '_commit_records') > 63 THEN
			RAISE EXCEPTION USING ERRCODE = 'name_too_long',
				MESSAGE = format('name of table "%s" is too long for views', source.base),
				DETAIL = 'The views'' names are made of it.',
				HINT = 'Rename its foreign tables, and let them end in the same words.';
		END IF;
		IF source.kind = 'keys' THEN
			RETURN NEXT txstore._create_view(schema, source.base, 'commit_records', format($view$
				SELECT %1$s, record.key AS transaction_id,
					CASE WHEN record.value ->> 'Timestamp' ~ '^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$'
						THEN (record.value ->> 'Timestamp')::timestamptz END AS transaction_timestamp,
					coalesce(record.value #> '{WriteParticipants,$values}', record.value -> 'WriteParticipants') AS participants
				FROM %2$I.%3$I AS k,
					LATERAL jsonb_each(CASE jsonb_typeof(k.metadata -> 'CommitRecords') WHEN 'object' THEN k.metadata -> 'CommitRecords' END) AS record
				WHERE jsonb_typeof(record.value) = 'object'$view$, pieces, schema, source.relname),
				'Transactions that this actor has decided and still tells others of, as table %s has them');
		ELSE
			RETURN NEXT txstore._create_view(schema, source.base, 'committed', format($view$
				SELECT %1$s, committed_sequence_id, written_at, transaction_id, transaction_timestamp, state, state_bytes
				FROM %2$I.%3$I
				WHERE committed_sequence_id > 0$view$, pieces, schema, source.relname),
				'Actors with their committed state, as table %s has them');
			RETURN NEXT txstore._create_view(schema, source.base, 'pending', format($view$
				SELECT %1$s, p.committed_sequence_id, version.*
				FROM %2$I.%3$I AS p,
					LATERAL jsonb_to_recordset(p.pending_versions) AS version (sequence_id bigint, transaction_id text,
						transaction_timestamp timestamptz, manager_grain text, state jsonb)$view$, pieces, schema, source.relname),
				'Versions that are prepared and not decided, as table %s has them');
			RETURN NEXT txstore._create_view(schema, source.base, 'in_doubt', format($view$
				SELECT %1$s, p.committed_sequence_id, version.*
				FROM %2$I.%3$I AS p,
					LATERAL jsonb_to_recordset(p.pending_versions) AS version (sequence_id bigint, transaction_id text,
						transaction_timestamp timestamptz, manager_grain text, state jsonb)
				WHERE version.manager_grain IS NOT NULL$view$, pieces, schema, source.relname),
				'Prepared versions that wait for the decision of another grain, as table %s has them');
		END IF;
		made := made + 1;
	END LOOP;
	IF made = 0 THEN
		RAISE EXCEPTION USING ERRCODE = 'fdw_table_not_found',
			MESSAGE = CASE WHEN table_name IS NULL THEN format('schema "%s" has no foreign tables of a storage', schema)
				ELSE format('schema "%s" has no foreign tables of a table "%s"', schema, table_name) END,
			DETAIL = 'Looked for are tables whose names end in _partitions and _keys.',
			HINT = 'Make them with IMPORT FOREIGN SCHEMA.';
	END IF;
END
$function$;
COMMENT ON FUNCTION create_views(name, name) IS 'Makes views over the foreign tables of a schema: committed states, pending and in-doubt versions, commit records; of one table, or of all';

CREATE FUNCTION _create_view(schema name, base text, kind text, query text, meaning text)
	RETURNS regclass
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $function$
DECLARE
	view CONSTANT text := format('%I.%I', schema, base || '_' || kind);
BEGIN
	EXECUTE format('CREATE OR REPLACE VIEW %s AS %s', view, query);
	EXECUTE format('COMMENT ON VIEW %s IS %L', view, format(meaning, base));
	RETURN view::regclass;
END
$function$;
COMMENT ON FUNCTION _create_view(name, text, text, text, text) IS 'Makes one view of create_views()';
