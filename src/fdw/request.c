/*
 * From the values of quals to the rows that are asked for: which partitions,
 * which sequence ids.
 *
 * Quals are all of one AND, so each narrows what the others have left.  An
 * array of sequence ids narrows to the range that holds them, a pattern to its
 * beginning; the quals are checked again on the rows.
 */
#include "fdw/fdw.h"

#include "access/stratnum.h"
#include "catalog/pg_type.h"

static int64
int64_of(Datum value, Oid type)
{
	switch (type)
	{
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		default:
			return DatumGetInt64(value);
	}
}

/* Order of the row key of a sequence and a text, by bytes. */
static int
compare_row_key(int64 sequence, TxsSlice text)
{
	char key[TXS_STATE_ROW_KEY_LENGTH];
	int order;

	txs_row_key_write(sequence, key);
	order = memcmp(key, text.data, Min(sizeof(key), text.length));
	if (order != 0)
		return order;
	return sizeof(key) < text.length ? -1 : sizeof(key) > text.length;
}

/* The same for the beginning of the row key, as long as the text. */
static int
compare_beginning(int64 sequence, TxsSlice text)
{
	char key[TXS_STATE_ROW_KEY_LENGTH];
	int order;

	txs_row_key_write(sequence, key);
	order = memcmp(key, text.data, Min(sizeof(key), text.length));
	return order != 0 ? order : -(sizeof(key) < text.length);
}

/*
 * The first sequence whose row key comes after a text, or, with equal, does
 * not come before it; false where there is none.
 */
static bool
first_after(TxsSlice text, bool equal, int (*compare)(int64, TxsSlice),
			int64 *sequence)
{
	int64 low = 0;
	int64 high = PG_INT64_MAX;
	int last = compare(high, text);

	if (last < 0 || (last == 0 && !equal))
		return false;
	while (low < high)
	{
		int64 middle = low + (high - low) / 2;
		int order = compare(middle, text);

		if (order > 0 || (order == 0 && equal))
			high = middle;
		else
			low = middle + 1;
	}
	*sequence = low;
	return true;
}

static void
at_least(TxsScanRequest *request, int64 sequence)
{
	request->first = Max(request->first, sequence);
}

static void
at_most(TxsScanRequest *request, int64 sequence)
{
	request->last = Min(request->last, sequence);
}

static void
nothing(TxsScanRequest *request)
{
	request->first = 1;
	request->last = 0;
}

/* Sequences below one. */
static void
below(TxsScanRequest *request, int64 sequence)
{
	if (sequence == 0)
		nothing(request);
	else
		at_most(request, sequence - 1);
}

static void
narrow_sequence(TxsScanRequest *request, int strategy, int64 value)
{
	if ((strategy == BTLessStrategyNumber && value == PG_INT64_MIN) ||
		(strategy == BTGreaterStrategyNumber && value == PG_INT64_MAX))
	{
		nothing(request);
		return;
	}
	if (strategy == BTLessStrategyNumber)
		at_most(request, value - 1);
	else if (strategy == BTGreaterStrategyNumber)
		at_least(request, value + 1);
	if (strategy == BTLessEqualStrategyNumber ||
		strategy == BTEqualStrategyNumber)
		at_most(request, value);
	if (strategy == BTGreaterEqualStrategyNumber ||
		strategy == BTEqualStrategyNumber)
		at_least(request, value);
}

static void
narrow_row_key(TxsScanRequest *request, int strategy, TxsSlice text)
{
	bool is_lower = strategy == BTGreaterStrategyNumber ||
					strategy == BTGreaterEqualStrategyNumber;
	int64 bound;

	if (strategy == BTEqualStrategyNumber)
	{
		if (txs_row_key_read(text, &bound) == TXS_ROW_KEY_STATE)
			narrow_sequence(request, strategy, bound);
		else
			nothing(request);
	}
	else if (is_lower)
	{
		if (first_after(text, strategy == BTGreaterEqualStrategyNumber,
						compare_row_key, &bound))
			at_least(request, bound);
		else
			nothing(request);
	}
	else if (first_after(text, strategy == BTLessStrategyNumber,
						 compare_row_key, &bound))
		below(request, bound);
}

/* Row keys that begin with a text are a range. */
static void
narrow_row_key_prefix(TxsScanRequest *request, TxsSlice prefix)
{
	int64 bound;

	if (first_after(prefix, true, compare_beginning, &bound))
		at_least(request, bound);
	else
		nothing(request);
	if (first_after(prefix, false, compare_beginning, &bound))
		below(request, bound);
}

static void
narrow(TxsScanRequest *request, const TxsKeyValue *value, int strategy,
	   Datum datum)
{
	if (value->part == TXS_PART_SEQUENCE)
		narrow_sequence(request, strategy, int64_of(datum, value->type));
	else if (strategy == TXS_BEGINS_WITH)
		narrow_row_key_prefix(request, txs_operand_text(datum, value->type));
	else if (strategy == TXS_LIKE)
		narrow_row_key_prefix(request,
							  txs_operand_prefix(txs_operand_text(datum, value->type)));
	else
		narrow_row_key(request, strategy, txs_operand_text(datum, value->type));
}

/* What is asked of an attribute. */
static void
add_filter(TxsScanRequest *request, const TxsKeyValue *value, Datum datum)
{
	TxsScanFilter *filter = &request->filters[request->nfilters];

	if (request->nfilters == TXS_MAX_FILTERS)
		return;
	request->nfilters++;
	memset(filter, 0, sizeof(*filter));
	filter->strategy = value->strategy;
	if (value->part == TXS_PART_COMMITTED)
	{
		filter->attribute = TXS_WANT_COMMITTED;
		filter->number = int64_of(datum, value->type);
	}
	else
	{
		filter->attribute = TXS_WANT_TRANSACTION;
		filter->text = txs_operand_text(datum, value->type);
	}
}

/* Within the range that holds all elements of an array. */
static void
apply_array(TxsScanRequest *request, const TxsKeyValue *value, Datum array)
{
	TxsScanRequest widest = *request;
	Datum *elements;
	int count = txs_operand_elements(array, &elements);
	int i;

	nothing(&widest);
	for (i = 0; i < count; i++)
	{
		TxsScanRequest one = *request;

		narrow(&one, value, BTEqualStrategyNumber, elements[i]);
		if (one.first > one.last)
			continue;
		if (widest.first > widest.last)
			widest = one;
		widest.first = Min(widest.first, one.first);
		widest.last = Max(widest.last, one.last);
	}
	*request = widest;
}

static void
apply_value(TxsScanRequest *request, TxsPieces *pieces,
			const TxsKeyValue *value, Datum datum)
{
	if (txs_quals_is_of_partition(value->part))
		txs_partition_quals_apply(request, pieces, value, datum);
	else if (!txs_quals_is_of_key(value->part))
		add_filter(request, value, datum);
	else if (value->is_array)
		apply_array(request, value, datum);
	else
		narrow(request, value, value->strategy, datum);
}

bool
txs_request_make(const TxsKeyValue *values, int count, const char *service_id,
				 ExprContext *econtext, TxsScanRequest *request)
{
	TxsPieces pieces = {{0}};
	int i;

	request->all = true;
	request->low.data = request->high.data = request->prefix.data = NULL;
	request->npartitions = 0;
	request->sequences = NULL;
	request->first = 0;
	request->last = PG_INT64_MAX;
	request->nfilters = 0;
	for (i = 0; i < count; i++)
	{
		bool isnull;
		Datum datum = ExecEvalExpr(values[i].value, econtext, &isnull);

		/* All operators are strict. */
		if (isnull)
			return false;
		apply_value(request, &pieces, &values[i], datum);
	}
	txs_partition_quals_finish(request, &pieces, service_id);
	return request->first <= request->last &&
		   (request->all || request->npartitions > 0);
}
