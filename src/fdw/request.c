/*
 * From the values of quals to the rows that are asked for: which partitions,
 * which sequence ids.
 *
 * Quals are all of one AND, so each narrows what the others have left.  An
 * array of sequence ids narrows to the range that holds them; the quals are
 * checked again on the rows.
 */
#include "fdw/fdw.h"

#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

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

static TxsSlice
slice_of(Datum value, Oid type)
{
	text *packed;

	if (type == NAMEOID)
		return (TxsSlice){NameStr(*DatumGetName(value)),
						  strlen(NameStr(*DatumGetName(value)))};
	packed = DatumGetTextPP(value);
	return (TxsSlice){VARDATA_ANY(packed), VARSIZE_ANY_EXHDR(packed)};
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

/*
 * The first sequence whose row key comes after a text, or, with equal, does
 * not come before it; false where there is none.
 */
static bool
first_after(TxsSlice text, bool equal, int64 *sequence)
{
	int64 low = 0;
	int64 high = PG_INT64_MAX;
	int last = compare_row_key(high, text);

	if (last < 0 || (last == 0 && !equal))
		return false;
	while (low < high)
	{
		int64 middle = low + (high - low) / 2;
		int order = compare_row_key(middle, text);

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
						&bound))
			at_least(request, bound);
		else
			nothing(request);
	}
	else if (first_after(text, strategy == BTLessStrategyNumber, &bound))
	{
		if (bound == 0)
			nothing(request);
		else
			at_most(request, bound - 1);
	}
}

static void
narrow(TxsScanRequest *request, const TxsKeyValue *value, int strategy,
	   Datum datum)
{
	if (value->part == TXS_PART_SEQUENCE)
		narrow_sequence(request, strategy, int64_of(datum, value->type));
	else
		narrow_row_key(request, strategy, slice_of(datum, value->type));
}

/* The elements of an array but NULLs; returns how many. */
static int
read_array(Datum array, Datum **elements)
{
	ArrayType *values = DatumGetArrayTypeP(array);
	bool *isnull;
	int16 length;
	bool by_value;
	char alignment;
	int total;
	int count = 0;
	int i;

	get_typlenbyvalalign(ARR_ELEMTYPE(values), &length, &by_value, &alignment);
	deconstruct_array(values, ARR_ELEMTYPE(values), length, by_value,
					  alignment, elements, &isnull, &total);
	for (i = 0; i < total; i++)
	{
		if (!isnull[i])
			(*elements)[count++] = (*elements)[i];
	}
	return count;
}

static int
compare_slices(const void *left, const void *right)
{
	const TxsSlice *a = left;
	const TxsSlice *b = right;
	int order = memcmp(a->data, b->data, Min(a->length, b->length));

	if (order != 0)
		return order;
	return a->length < b->length ? -1 : a->length > b->length;
}

/* Could a partition have this key?  The service refuses others. */
static bool
is_possible(TxsSlice key)
{
	return key.length > 0 && key.length <= TXS_MAX_PARTITION_KEY;
}

/* Sorted, without duplicates and without what no partition is called. */
static int
sort_partitions(TxsSlice *partitions, int count)
{
	int kept = 0;
	int i;

	qsort(partitions, count, sizeof(TxsSlice), compare_slices);
	for (i = 0; i < count; i++)
	{
		if (is_possible(partitions[i]) &&
			(kept == 0 ||
			 compare_slices(&partitions[kept - 1], &partitions[i]) != 0))
			partitions[kept++] = partitions[i];
	}
	return kept;
}

/* Keep of a request's partitions those that are in a sorted list, too. */
static void
narrow_partitions(TxsScanRequest *request, TxsSlice *partitions, int count)
{
	TxsSlice *kept = (TxsSlice *) request->partitions;
	int nkept = 0;
	int i;

	if (request->all)
	{
		request->all = false;
		request->partitions = partitions;
		request->npartitions = count;
		return;
	}
	for (i = 0; i < request->npartitions; i++)
	{
		if (bsearch(&kept[i], partitions, count, sizeof(TxsSlice),
					compare_slices) != NULL)
			kept[nkept++] = kept[i];
	}
	request->npartitions = nkept;
}

static void
apply_array(TxsScanRequest *request, const TxsKeyValue *value, Datum array)
{
	TxsScanRequest widest = *request;
	Datum *elements;
	int count = read_array(array, &elements);
	int i;

	if (value->part == TXS_PART_PARTITION)
	{
		TxsSlice *partitions = palloc(sizeof(TxsSlice) * Max(count, 1));

		for (i = 0; i < count; i++)
			partitions[i] = slice_of(elements[i], value->type);
		narrow_partitions(request, partitions,
						  sort_partitions(partitions, count));
		return;
	}
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
apply_value(TxsScanRequest *request, const TxsKeyValue *value, Datum datum)
{
	if (value->is_array)
		apply_array(request, value, datum);
	else if (value->part == TXS_PART_PARTITION)
	{
		TxsSlice *partition = palloc(sizeof(TxsSlice));

		*partition = slice_of(datum, value->type);
		narrow_partitions(request, partition, sort_partitions(partition, 1));
	}
	else
		narrow(request, value, value->strategy, datum);
}

bool
txs_request_make(const TxsKeyValue *values, int count, ExprContext *econtext,
				 TxsScanRequest *request)
{
	int i;

	request->all = true;
	request->npartitions = 0;
	request->first = 0;
	request->last = PG_INT64_MAX;
	for (i = 0; i < count; i++)
	{
		bool isnull;
		Datum datum = ExecEvalExpr(values[i].value, econtext, &isnull);

		/* All operators are strict. */
		if (isnull)
			return false;
		apply_value(request, &values[i], datum);
	}
	return request->first <= request->last &&
		   (request->all || request->npartitions > 0);
}
