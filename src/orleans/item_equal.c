/*
 * Compare rows; see item.h.
 *
 * Attributes that Orleans does not know are compared as the service does:
 * neither attributes, nor the members of a map, nor the elements of a set have
 * an order, and it does not matter how a character is escaped.
 */
#include "palloc.h"

#include "orleans/item.h"

static bool
same_bytes(TxsSlice a, TxsSlice b)
{
	if (a.data == NULL || b.data == NULL)
		return a.data == b.data;
	return a.length == b.length &&
		   (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

/* A member of an object, or an element of an array. */
typedef struct Part
{
	TxsSlice name; /* unescaped; of a set's element its text */
	TxsSlice raw;  /* the value */
} Part;

typedef struct Parts
{
	int count;
	int size;
	Part *list;
} Parts;

static TxsSlice
unescape(const TxsReader *reader)
{
	TxsSlice text = reader->value;
	char *copy;

	if (!reader->escaped)
		return text;
	copy = palloc(text.length + 1);
	text.length = txs_reader_unescape(text, copy);
	text.data = copy;
	return text;
}

static Part *
add_part(Parts *parts)
{
	if (parts->count == parts->size)
	{
		parts->size = parts->size == 0 ? 8 : parts->size * 2;
		parts->list = parts->list == NULL
						  ? palloc(sizeof(Part) * parts->size)
						  : repalloc(parts->list, sizeof(Part) * parts->size);
	}
	memset(&parts->list[parts->count], 0, sizeof(Part));
	return &parts->list[parts->count++];
}

static int
compare_parts(const void *a, const void *b)
{
	const TxsSlice *left = &((const Part *) a)->name;
	const TxsSlice *right = &((const Part *) b)->name;
	size_t length = Min(left->length, right->length);
	int order = length == 0 ? 0 : memcmp(left->data, right->data, length);

	if (order != 0)
		return order;
	return (left->length > right->length) - (left->length < right->length);
}

/* The members of an object whose brace was read, in the order of names. */
static void
take_members(TxsReader *reader, Parts *parts)
{
	while (txs_reader_next(reader) == TXS_TOKEN_NAME)
	{
		Part *part = add_part(parts);

		part->name = unescape(reader);
		txs_reader_raw(reader, &part->raw);
	}
	if (parts->count > 1)
		qsort(parts->list, parts->count, sizeof(Part), compare_parts);
}

/* The elements of an array whose bracket was read; a set's in their order. */
static void
take_elements(TxsReader *reader, bool is_set, Parts *parts)
{
	TxsSlice raw;

	while (txs_reader_raw(reader, &raw))
	{
		Part *part = add_part(parts);
		TxsReader inner;

		part->raw = raw;
		txs_reader_open(&inner, raw.data, raw.length);
		if (is_set && txs_reader_next(&inner) == TXS_TOKEN_STRING)
			part->name = unescape(&inner);
	}
	if (is_set && parts->count > 1)
		qsort(parts->list, parts->count, sizeof(Part), compare_parts);
}

/* Are these the types of sets: SS, NS, BS? */
static bool
is_set_type(TxsSlice name)
{
	return name.length == 2 && name.data[1] == 'S';
}

static bool same_values(TxsSlice a, TxsSlice b, bool is_set);

static bool
same_parts(const Parts *a, const Parts *b, bool are_members)
{
	int i;

	if (a->count != b->count)
		return false;
	for (i = 0; i < a->count; i++)
	{
		const Part *left = &a->list[i];
		const Part *right = &b->list[i];

		if (compare_parts(left, right) != 0 ||
			!same_values(left->raw, right->raw,
						 are_members && is_set_type(left->name)))
			return false;
	}
	return true;
}

/* Are two JSON values the same, where objects and sets have no order? */
static bool
same_values(TxsSlice a, TxsSlice b, bool is_set)
{
	TxsReader left;
	TxsReader right;
	TxsToken token;
	Parts parts_a = {0};
	Parts parts_b = {0};

	txs_reader_open(&left, a.data, a.length);
	txs_reader_open(&right, b.data, b.length);
	token = txs_reader_next(&left);
	if (txs_reader_next(&right) != token)
		return false;
	if (token == TXS_TOKEN_STRING || token == TXS_TOKEN_NUMBER)
		return same_bytes(unescape(&left), unescape(&right));
	if (token == TXS_TOKEN_OBJECT)
	{
		take_members(&left, &parts_a);
		take_members(&right, &parts_b);
		return same_parts(&parts_a, &parts_b, true);
	}
	if (token == TXS_TOKEN_ARRAY)
	{
		take_elements(&left, is_set, &parts_a);
		take_elements(&right, is_set, &parts_b);
		return same_parts(&parts_a, &parts_b, false);
	}
	return true; /* true and null have no more to them */
}

static bool
same_extra(TxsSlice a, TxsSlice b)
{
	if (same_bytes(a, b))
		return true;
	return a.data != NULL && b.data != NULL && same_values(a, b, false);
}

static bool
same_key_rows(const TxsKeyRow *a, const TxsKeyRow *b)
{
	return a->etag == b->etag && a->has_committed == b->has_committed &&
		   (!a->has_committed || a->committed == b->committed) &&
		   a->has_timestamp == b->has_timestamp &&
		   (!a->has_timestamp || a->timestamp == b->timestamp) &&
		   same_bytes(a->metadata, b->metadata) &&
		   same_extra(a->extra, b->extra);
}

static bool
same_state_rows(const TxsStateRow *a, const TxsStateRow *b)
{
	return a->sequence == b->sequence && a->etag == b->etag &&
		   same_bytes(a->transaction_id, b->transaction_id) &&
		   same_bytes(a->timestamp, b->timestamp) &&
		   same_bytes(a->manager, b->manager) &&
		   same_bytes(a->state, b->state) && same_extra(a->extra, b->extra);
}

bool
txs_item_equals(const TxsItem *a, const TxsItem *b)
{
	if (a->is_key != b->is_key || !same_bytes(a->partition, b->partition))
		return false;
	return a->is_key ? same_key_rows(&a->key, &b->key)
					 : same_state_rows(&a->state, &b->state);
}
