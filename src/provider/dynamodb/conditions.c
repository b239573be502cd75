/*
 * Conditions on rows; see conditions.h.
 */
#include "provider/dynamodb/conditions.h"

#include "access/stratnum.h"

#include "provider/dynamodb/body.h"

void
txs_conditions_begin(TxsConditions *conditions)
{
	initStringInfo(&conditions->text);
	txs_body_open(&conditions->values);
	conditions->used = 0;
}

void
txs_conditions_continue(TxsConditions *conditions, const TxsConditions *others)
{
	*conditions = *others;
	initStringInfo(&conditions->text);
}

static void
add(TxsConditions *conditions, TxsPlace place, const char *text)
{
	appendStringInfo(&conditions->text, "%s%s",
					 conditions->text.len > 0 ? " AND " : "", text);
	conditions->used |= 1 << place;
}

static void
add_text(TxsConditions *conditions, TxsPlace place, const char *text,
		 const char *name, TxsSlice value)
{
	add(conditions, place, text);
	txs_body_value(&conditions->values, name, value.data, value.length);
}

void
txs_conditions_partition(TxsConditions *conditions, TxsSlice partition)
{
	add_text(conditions, TXS_PLACE_PARTITION, "#p = :p", ":p", partition);
}

void
txs_conditions_bounds(TxsConditions *conditions, const TxsScanRequest *request)
{
	if (request->low.data != NULL)
		add_text(conditions, TXS_PLACE_PARTITION, "#p >= :g", ":g",
				 request->low);
	if (request->high.data != NULL)
		add_text(conditions, TXS_PLACE_PARTITION, "#p <= :h", ":h",
				 request->high);
	if (request->prefix.data != NULL)
		add_text(conditions, TXS_PLACE_PARTITION, "begins_with(#p, :b)", ":b",
				 request->prefix);
}

static void
put_sequence(TxsConditions *conditions, const char *name, int64 sequence)
{
	char row_key[TXS_STATE_ROW_KEY_LENGTH];

	txs_row_key_write(sequence, row_key);
	txs_body_value(&conditions->values, name, row_key, sizeof(row_key));
}

void
txs_conditions_rows(TxsConditions *conditions, const TxsScanRequest *request)
{
	TxsSlice key = {TXS_KEY_ROW_KEY, strlen(TXS_KEY_ROW_KEY)};

	if (request->kinds == TXS_KEY_ROWS)
	{
		add_text(conditions, TXS_PLACE_ROW, "#r = :k", ":k", key);
		return;
	}
	add(conditions, TXS_PLACE_ROW, "#r BETWEEN :f AND :l");
	if (request->first == 0 && request->last == PG_INT64_MAX)
	{
		/* Malformed row keys are seen, too. */
		txs_body_value(&conditions->values, ":f", "state_", 6);
		txs_body_value(&conditions->values, ":l", "state_~", 7);
		return;
	}
	put_sequence(conditions, ":f", request->first);
	put_sequence(conditions, ":l", request->last);
}

void
txs_conditions_attributes(TxsConditions *conditions,
						  const TxsScanRequest *request)
{
	static const char *const operators[] = {
		[BTLessStrategyNumber] = "<",	 [BTLessEqualStrategyNumber] = "<=",
		[BTEqualStrategyNumber] = "=",	 [BTGreaterEqualStrategyNumber] = ">=",
		[BTGreaterStrategyNumber] = ">",
	};
	int i;

	if (request->kinds == (TXS_KEY_ROWS | TXS_STATE_ROWS))
		return;
	for (i = 0; i < request->nfilters; i++)
	{
		const TxsScanFilter *filter = &request->filters[i];
		bool is_number = filter->attribute == TXS_WANT_COMMITTED;
		const char *value = psprintf(":v%d", i);

		add(conditions,
			is_number ? TXS_PLACE_COMMITTED : TXS_PLACE_TRANSACTION,
			psprintf("%s %s %s", is_number ? "#c" : "#i",
					 operators[filter->strategy], value));
		if (is_number)
			txs_body_number_value(&conditions->values, value, filter->number);
		else
			txs_body_value(&conditions->values, value, filter->text.data,
						   filter->text.length);
	}
}
