/*
 * A foreign table's options and columns.
 */
#include "fdw/fdw.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "foreign/foreign.h"
#include "utils/lsyscache.h"

static void
read_column(TxsForeignTable *table, Form_pg_attribute attribute,
			TxsTableColumn *column)
{
	Oid input;

	column->field = TXS_FIELD_DROPPED;
	if (attribute->attisdropped)
		return;
	column->name = pstrdup(NameStr(attribute->attname));
	column->type = attribute->atttypid;
	column->typmod = attribute->atttypmod;
	column->base_typmod = column->typmod;
	column->base = getBaseTypeAndTypmod(column->type, &column->base_typmod);
	column->field =
		txs_columns_find(table->kind, table->name, column->name,
						 txs_options_attribute(
							 GetForeignColumnOptions(table->oid,
													 attribute->attnum)),
						 column->base, &column->attribute);
	getTypeInputInfo(column->base, &input, &column->input_param);
	fmgr_info(input, &column->input);
}

/*
 * Rights on a storage are the server's.  Who may read a foreign table reads
 * with its owner's, as with a view; they can be taken back from the owner.
 */
static void
check_owner(Relation relation, Oid server, const char *storage)
{
	if (txs_server_aclcheck(server, relation->rd_rel->relowner, ACL_USAGE) !=
		ACLCHECK_OK)
		ereport(ERROR, errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				errmsg("permission denied for foreign server %s", storage),
				errdetail("The owner of foreign table \"%s\" needs USAGE on "
						  "the server.",
						  RelationGetRelationName(relation)));
}

TxsForeignTable *
txs_table_open(Oid oid, Oid user)
{
	ForeignTable *foreign = GetForeignTable(oid);
	TxsForeignTable *table = palloc0(sizeof(TxsForeignTable));
	TxsStorage *storage = txs_storage_of_server(foreign->serverid, user);
	TxsTableOptions options;
	Relation relation;
	int i;

	txs_options_apply_table(foreign->options, &options);
	if (options.table_name != NULL)
		storage->table_name = options.table_name;
	if (options.has_remote_estimate)
		storage->use_remote_estimate = options.use_remote_estimate;
	if (options.has_sampling)
		storage->analyze_whole = options.analyze_whole;
	table->oid = oid;
	table->storage = storage;
	table->kind = options.kind;
	table->consistent_read = options.has_consistent_read
								 ? options.consistent_read
								 : storage->consistent_read;
	table->scan_segments = options.scan_segments > 0 ? options.scan_segments
													 : storage->scan_segments;

	relation = table_open(oid, NoLock);
	check_owner(relation, foreign->serverid, storage->name);
	table->name = pstrdup(RelationGetRelationName(relation));
	table->ncolumns = RelationGetDescr(relation)->natts;
	table->columns = palloc0(sizeof(TxsTableColumn) * table->ncolumns);
	for (i = 0; i < table->ncolumns; i++)
		read_column(table, TupleDescAttr(RelationGetDescr(relation), i),
					&table->columns[i]);
	table_close(relation, NoLock);
	return table;
}
