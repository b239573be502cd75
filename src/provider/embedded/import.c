/*
 * Create rows in an embedded storage that are not there yet.
 */
#include "provider/embedded/embedded.h"

#include "access/htup_details.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

typedef struct Import
{
	TxsTables tables;
	TxsTarget keys;
	TxsTarget states;
} Import;

void *
txs_embedded_open_import(const TxsStorage *storage)
{
	Import *import = palloc(sizeof(Import));

	txs_create_open(storage, &import->tables);
	txs_target_open(&import->keys, import->tables.keys,
					import->tables.keys_index);
	txs_target_open(&import->states, import->tables.states,
					import->tables.states_index);
	return import;
}

/*
 * The row that has the key of this item, if there is one.  Looks at what is
 * committed, and at what this transaction has written in this command.
 */
static bool
find_row(const Import *import, const TxsItem *item, TxsItem *row)
{
	const TxsTarget *target = item->is_key ? &import->keys : &import->states;
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple tuple;

	txs_rows_partition_key(&keys[0], item->partition);
	ScanKeyInit(&keys[1], TXS_STATES_SEQUENCE + 1, BTEqualStrategyNumber,
				F_INT8EQ, Int64GetDatum(item->state.sequence));
	scan = systable_beginscan(target->table, target->index, true, SnapshotSelf,
							  item->is_key ? 1 : 2, keys);
	tuple = systable_getnext(scan);
	if (tuple != NULL)
	{
		int64 incarnation;

		memset(row, 0, sizeof(*row));
		row->is_key = item->is_key;
		row->partition = item->partition;
		if (item->is_key)
			txs_rows_read_key(target->table, tuple, TXS_WANT_ALL, &row->key,
							  &incarnation);
		else
			txs_rows_read_state(target->table, tuple, TXS_WANT_ALL,
								&row->state);
	}
	systable_endscan(scan);
	return tuple != NULL;
}

TxsCreated
txs_embedded_create(void *arg, const TxsItem *item, int64 line)
{
	Import *import = arg;
	TxsTarget *target = item->is_key ? &import->keys : &import->states;
	TxsItem row;

	if (find_row(import, item, &row))
		return txs_item_equals(item, &row) ? TXS_CREATED_BEFORE
										   : TXS_CREATED_OTHER;
	if (item->is_key)
		txs_rows_store_key(target->slot, item->partition, &item->key,
						   txs_rows_new_incarnation());
	else
		txs_rows_store_state(target->slot, item->partition, &item->state,
							 item->state.etag);
	if (txs_target_insert(target))
		return TXS_CREATED;

	/* Another session has created it since find_row(): compare with that. */
	return find_row(import, item, &row) && !txs_item_equals(item, &row)
			   ? TXS_CREATED_OTHER
			   : TXS_CREATED_MEANWHILE;
}

void
txs_embedded_close_import(void *arg, TxsCreatedReceiver receive,
						  void *receive_arg)
{
	Import *import = arg;

	txs_target_close(&import->states);
	txs_target_close(&import->keys);
	txs_tables_close(&import->tables);
	CommandCounterIncrement();
	pfree(import);
}
