/*
 * From the values of quals to the partitions that are asked for: some by their
 * keys, or those within bounds.
 *
 * Quals are all of one AND, so each narrows what the others have left.  Grain
 * type, grain key and state name name a partition together; fewer of them say
 * how its key begins.
 */
#include "fdw/fdw.h"

#include "access/stratnum.h"

#include "orleans/partition_key.h"

/* Partitions that grain types, keys and names may name together. */
#define MAX_NAMED 1000000

/* ------------------------------------------------------ lists of partitions */

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

/* No partition is left. */
static void
none(TxsScanRequest *request)
{
	request->all = false;
	request->npartitions = 0;
}

/* ---------------------------------------------------- bounds and beginnings */

static bool
begins_with(TxsSlice text, TxsSlice prefix)
{
	return text.length >= prefix.length &&
		   memcmp(text.data, prefix.data, prefix.length) == 0;
}

/* Of two beginnings the longer one counts, if it begins with the other. */
static void
narrow_prefix(TxsScanRequest *request, TxsSlice prefix)
{
	if (prefix.length == 0)
		return;
	if (request->prefix.data == NULL ||
		begins_with(prefix, request->prefix))
		request->prefix = prefix;
	else if (!begins_with(request->prefix, prefix))
		none(request);
}

static void
narrow_bounds(TxsScanRequest *request, int strategy, TxsSlice text)
{
	bool is_lower = strategy == BTGreaterStrategyNumber ||
					strategy == BTGreaterEqualStrategyNumber;

	/* Nothing comes before an empty text, and no partition is called so. */
	if (text.length == 0)
	{
		if (!is_lower)
			none(request);
	}
	else if (is_lower && (request->low.data == NULL ||
						  compare_slices(&text, &request->low) > 0))
		request->low = text;
	else if (!is_lower && (request->high.data == NULL ||
						   compare_slices(&text, &request->high) < 0))
		request->high = text;
}

static void
narrow_whole(TxsScanRequest *request, int strategy, TxsSlice text)
{
	TxsSlice *partition;

	switch (strategy)
	{
		case BTEqualStrategyNumber:
			partition = palloc(sizeof(TxsSlice));
			*partition = text;
			narrow_partitions(request, partition,
							  sort_partitions(partition, 1));
			break;
		case TXS_BEGINS_WITH:
			narrow_prefix(request, text);
			break;
		case TXS_LIKE:
			narrow_prefix(request, txs_operand_prefix(text));
			break;
		default:
			narrow_bounds(request, strategy, text);
	}
}

/* ---------------------------------------------------- pieces of their keys */

/* The texts that a value allows, sorted. */
static TxsChoice
read_choice(const TxsKeyValue *value, Datum datum)
{
	TxsChoice choice = {true, 1, NULL};
	Datum *elements = &datum;
	int i;

	if (value->is_array)
		choice.count = txs_operand_elements(datum, &elements);
	choice.texts = palloc(sizeof(TxsSlice) * Max(choice.count, 1));
	for (i = 0; i < choice.count; i++)
		choice.texts[i] = txs_operand_text(elements[i], value->type);
	choice.count = sort_partitions(choice.texts, choice.count);
	return choice;
}

/* Keep of a choice what another allows, too. */
static void
narrow_choice(TxsChoice *choice, TxsChoice other)
{
	int kept = 0;
	int i;

	if (!choice->is_given)
	{
		*choice = other;
		return;
	}
	for (i = 0; i < choice->count; i++)
	{
		if (bsearch(&choice->texts[i], other.texts, other.count,
					sizeof(TxsSlice), compare_slices) != NULL)
			choice->texts[kept++] = choice->texts[i];
	}
	choice->count = kept;
}

static void
narrow_pieces(TxsPieces *pieces, const TxsKeyValue *value, Datum datum)
{
	TxsChoice choice = read_choice(value, datum);

	if (value->part == TXS_PART_GRAIN_TYPE)
		narrow_choice(&pieces->type, choice);
	else if (value->part == TXS_PART_GRAIN_KEY)
		narrow_choice(&pieces->key, choice);
	else
		narrow_choice(&pieces->name, choice);
}

/* type/key_service_name; data NULL for what has not these pieces. */
static TxsSlice
compose(TxsSlice type, TxsSlice key, TxsSlice name, const char *service_id)
{
	size_t size = type.length + key.length + name.length +
				  strlen(service_id) + 4;
	char *text = palloc(size);
	TxsPartitionParts parts;
	TxsSlice whole;

	whole.data = text;
	whole.length =
		(size_t) snprintf(text, size, "%.*s/%.*s_%s_%.*s", (int) type.length,
						  type.data, (int) key.length, key.data, service_id,
						  (int) name.length, name.data);
	txs_partition_key_split(whole, service_id, &parts);
	if (parts.state_name.data == NULL ||
		parts.grain_type.length != type.length ||
		parts.grain_key.length != key.length)
		whole.data = NULL;
	return whole;
}

/* All three pieces are given: the partitions that have them. */
static void
name_partitions(TxsScanRequest *request, const TxsPieces *pieces,
				const char *service_id)
{
	int most = pieces->type.count * pieces->key.count * pieces->name.count;
	TxsSlice *partitions = palloc(sizeof(TxsSlice) * Max(most, 1));
	int count = 0;
	int i;

	for (i = 0; i < most; i++)
	{
		int names = pieces->name.count;
		int keys = pieces->key.count;

		partitions[count] =
			compose(pieces->type.texts[i / (names * keys)],
					pieces->key.texts[i / names % keys],
					pieces->name.texts[i % names], service_id);
		if (partitions[count].data != NULL)
			count++;
	}
	narrow_partitions(request, partitions, sort_partitions(partitions, count));
}

/* One type is given, and perhaps one key: how the partition's key begins. */
static void
name_prefix(TxsScanRequest *request, const TxsPieces *pieces,
			const char *service_id)
{
	StringInfoData prefix;

	if (pieces->type.count != 1)
		return;
	initStringInfo(&prefix);
	appendBinaryStringInfo(&prefix, pieces->type.texts[0].data,
						   (int) pieces->type.texts[0].length);
	appendStringInfoChar(&prefix, '/');
	if (pieces->key.is_given && pieces->key.count == 1)
	{
		appendBinaryStringInfo(&prefix, pieces->key.texts[0].data,
							   (int) pieces->key.texts[0].length);
		appendStringInfo(&prefix, "_%s_", service_id);
	}
	narrow_prefix(request, (TxsSlice){prefix.data, (size_t) prefix.len});
}

static bool
is_impossible(const TxsChoice *choice)
{
	return choice->is_given && choice->count == 0;
}

static void
apply_pieces(TxsScanRequest *request, const TxsPieces *pieces,
			 const char *service_id)
{
	double most = (double) pieces->type.count * pieces->key.count *
				  pieces->name.count;

	if (is_impossible(&pieces->type) || is_impossible(&pieces->key) ||
		is_impossible(&pieces->name))
		none(request);
	else if (pieces->type.is_given && pieces->key.is_given &&
			 pieces->name.is_given && most <= MAX_NAMED)
		name_partitions(request, pieces, service_id);
	else if (pieces->type.is_given)
		name_prefix(request, pieces, service_id);
}

/* Those that are named must be within the bounds, too. */
static void
keep_within_bounds(TxsScanRequest *request)
{
	TxsSlice *kept = (TxsSlice *) request->partitions;
	int nkept = 0;
	int i;

	for (i = 0; i < request->npartitions; i++)
	{
		if ((request->low.data == NULL ||
			 compare_slices(&kept[i], &request->low) >= 0) &&
			(request->high.data == NULL ||
			 compare_slices(&kept[i], &request->high) <= 0) &&
			(request->prefix.data == NULL ||
			 begins_with(kept[i], request->prefix)))
			kept[nkept++] = kept[i];
	}
	request->npartitions = nkept;
}

/* ----------------------------------------------------------------- together */

void
txs_partition_quals_apply(TxsScanRequest *request, TxsPieces *pieces,
						  const TxsKeyValue *value, Datum datum)
{
	TxsSlice *partitions;
	Datum *elements;
	int count;
	int i;

	if (value->part != TXS_PART_PARTITION)
	{
		narrow_pieces(pieces, value, datum);
		return;
	}
	if (!value->is_array)
	{
		narrow_whole(request, value->strategy,
					 txs_operand_text(datum, value->type));
		return;
	}
	count = txs_operand_elements(datum, &elements);
	partitions = palloc(sizeof(TxsSlice) * Max(count, 1));
	for (i = 0; i < count; i++)
		partitions[i] = txs_operand_text(elements[i], value->type);
	narrow_partitions(request, partitions, sort_partitions(partitions, count));
}

void
txs_partition_quals_finish(TxsScanRequest *request, const TxsPieces *pieces,
						   const char *service_id)
{
	apply_pieces(request, pieces, service_id);
	if (!request->all)
		keep_within_bounds(request);
}
