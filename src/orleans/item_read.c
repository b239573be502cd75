/*
 * Read a DynamoDB item in JSON into a row; see item.h.
 *
 * First all attributes are gathered as slices of the text, since only RowKey
 * tells which of them the row knows; then the known ones are decoded and the
 * others are kept as they are.
 */
#include "palloc.h"

#include "orleans/item.h"
#include "orleans/item_value.h"
#include "orleans/time_text.h"

typedef struct Attribute
{
	TxsSlice name; /* escapes resolved */
	TxsSlice raw;  /* the value as it stands, with its braces */
	TxsItemValue value;
	bool known; /* taken up into the row */
} Attribute;

typedef struct Attributes
{
	int count;
	int size;
	Attribute *list;
	TxsItemError *error;
} Attributes;

/* Bytes of a name that fit into a message, cut between characters. */
static int
shown_length(const TxsSlice *name)
{
	size_t length = Min(name->length, 80);

	while (length > 0 && length < name->length &&
		   (name->data[length] & 0xC0) == 0x80)
		length--;
	return (int) length;
}

/* Set the error's message; name is NULL or an attribute's. */
static void
explain(TxsItemError *error, const char *problem, const TxsSlice *name)
{
	if (name == NULL)
		snprintf(error->message, TXS_ITEM_MESSAGE_LENGTH, "%s", problem);
	else
		snprintf(error->message, TXS_ITEM_MESSAGE_LENGTH,
				 "attribute \"%.*s\" %s", shown_length(name), name->data,
				 problem);
}

/* A text with its escapes resolved, in memory of its own. */
static TxsSlice
copy_text(TxsSlice content, bool escaped)
{
	char *copy = palloc(content.length + 1);
	TxsSlice result = {copy, content.length};

	if (escaped)
		result.length = txs_reader_unescape(content, copy);
	else
		memcpy(copy, content.data, content.length);
	return result;
}

static Attribute *
add_attribute(Attributes *attributes)
{
	if (attributes->count == attributes->size)
	{
		attributes->size = Max(16, attributes->size * 2);
		if (attributes->list == NULL)
			attributes->list = palloc(sizeof(Attribute) * attributes->size);
		else
			attributes->list = repalloc(attributes->list,
										sizeof(Attribute) * attributes->size);
	}
	return &attributes->list[attributes->count++];
}

/* Gather the members of the object whose brace was just read. */
static bool
gather(TxsReader *reader, Attributes *attributes)
{
	while (txs_reader_next(reader) == TXS_TOKEN_NAME)
	{
		Attribute *attribute = add_attribute(attributes);
		const char *problem;
		TxsReader inner;

		attribute->known = false;
		attribute->name =
			reader->escaped ? copy_text(reader->value, true) : reader->value;
		if (!txs_reader_raw(reader, &attribute->raw))
			break;
		txs_reader_open(&inner, attribute->raw.data, attribute->raw.length);
		problem = txs_item_value_read(&inner, &attribute->value);
		if (problem != NULL)
		{
			explain(attributes->error, problem, NULL);
			return false;
		}
	}
	if (reader->token == TXS_TOKEN_OBJECT_END)
		return true;
	explain(attributes->error, reader->error, NULL);
	return false;
}

static int
compare_names(const void *a, const void *b)
{
	const TxsSlice *left = &((const Attribute *) a)->name;
	const TxsSlice *right = &((const Attribute *) b)->name;
	size_t length = Min(left->length, right->length);
	int order = length == 0 ? 0 : memcmp(left->data, right->data, length);

	if (order != 0)
		return order;
	return (left->length > right->length) - (left->length < right->length);
}

/* Put attributes in the order of their names; none may come twice. */
static bool
sort_names(Attributes *attributes)
{
	int i;

	if (attributes->count < 2)
		return true;
	qsort(attributes->list, attributes->count, sizeof(Attribute),
		  compare_names);
	for (i = 1; i < attributes->count; i++)
	{
		if (compare_names(&attributes->list[i - 1], &attributes->list[i]) == 0)
		{
			explain(attributes->error, "comes twice",
					&attributes->list[i].name);
			return false;
		}
	}
	return true;
}

/*
 * Find an attribute of the given type; it counts as known from now on.
 * Sets *found to NULL where the item does not have it; false where it has it
 * with another type.
 */
static bool
find_attribute(Attributes *attributes, const char *name, char type,
			   Attribute **found)
{
	size_t length = strlen(name);
	int i;

	*found = NULL;
	for (i = 0; i < attributes->count; i++)
	{
		Attribute *attribute = &attributes->list[i];

		if (attribute->name.length != length ||
			memcmp(attribute->name.data, name, length) != 0)
			continue;
		if (attribute->value.type != type)
		{
			char problem[] = "is not of type X";

			problem[sizeof(problem) - 2] = type;
			explain(attributes->error, problem, &attribute->name);
			return false;
		}
		attribute->known = true;
		*found = attribute;
	}
	return true;
}

static bool
take_text(Attributes *attributes, const char *name, TxsSlice *text)
{
	Attribute *attribute;

	if (!find_attribute(attributes, name, 'S', &attribute))
		return false;
	if (attribute == NULL)
		return true;
	*text = copy_text(attribute->value.content, attribute->value.escaped);
	if (memchr(text->data, 0, text->length) != NULL)
	{
		explain(attributes->error, "holds a NUL character", &attribute->name);
		return false;
	}
	return true;
}

static bool
take_bytes(Attributes *attributes, const char *name, TxsSlice *bytes)
{
	Attribute *attribute;
	TxsSlice text;
	char *data;

	if (!find_attribute(attributes, name, 'B', &attribute))
		return false;
	if (attribute == NULL)
		return true;
	text = attribute->value.content;
	if (attribute->value.escaped)
		text = copy_text(text, true);
	data = palloc(text.length / 4 * 3 + 1);
	bytes->data = data;
	if (txs_base64_decode(text, data, &bytes->length))
		return true;
	explain(attributes->error, "is not base64", &attribute->name);
	return false;
}

/* A whole number that is at least lowest. */
static bool
take_number(Attributes *attributes, const char *name, int64_t lowest,
			int64_t *number, bool *present)
{
	Attribute *attribute;

	if (!find_attribute(attributes, name, 'N', &attribute))
		return false;
	*present = attribute != NULL;
	if (attribute == NULL)
		return true;
	if (txs_number_to_int64(attribute->value.content, number) &&
		*number >= lowest)
		return true;
	explain(attributes->error,
			lowest == 0 ? "is not a whole number from 0"
						: "is not a whole number",
			&attribute->name);
	return false;
}

/* Every base64 value that is not taken up must be base64 all the same. */
static bool
check_bytes(const Attribute *attribute, TxsItemError *error)
{
	const TxsItemValue *value = &attribute->value;
	size_t length;

	if (value->type != 'B' ||
		txs_item_bytes_length(value->content, value->escaped, &length))
		return true;
	explain(error, "is not base64", &attribute->name);
	return false;
}

static void *
grow_block(void *block, size_t size)
{
	return block == NULL ? palloc(size) : repalloc(block, size);
}

/* The attributes that were not taken up, as one object; or none. */
static bool
keep_extra(const Attributes *attributes, TxsSlice *extra)
{
	TxsWriter writer;
	int i;

	txs_writer_open(&writer, grow_block);
	for (i = 0; i < attributes->count; i++)
	{
		const Attribute *attribute = &attributes->list[i];
		char *name;

		if (attribute->known)
			continue;
		if (!check_bytes(attribute, attributes->error))
			return false;
		if (memchr(attribute->name.data, 0, attribute->name.length) != NULL)
		{
			explain(attributes->error, "has a NUL character in its name",
					&attribute->name);
			return false;
		}
		if (writer.length == 0)
			txs_writer_object(&writer);
		name = palloc(attribute->name.length + 1);
		memcpy(name, attribute->name.data, attribute->name.length);
		name[attribute->name.length] = '\0';
		txs_writer_name(&writer, name);
		txs_writer_raw(&writer, attribute->raw);
	}
	if (writer.length > 0)
	{
		txs_writer_object_end(&writer);
		extra->data = writer.data;
		extra->length = writer.length;
	}
	return true;
}

static TxsItemStatus
read_key_row(Attributes *attributes, TxsKeyRow *row)
{
	bool has_etag;

	if (!take_number(attributes, "CommittedSequenceId", 0, &row->committed,
					 &row->has_committed) ||
		!take_bytes(attributes, "Metadata", &row->metadata) ||
		!take_number(attributes, "Timestamp", INT64_MIN, &row->timestamp,
					 &row->has_timestamp) ||
		!take_number(attributes, "ETag", 0, &row->etag, &has_etag) ||
		!keep_extra(attributes, &row->extra))
		return TXS_ITEM_INVALID;
	if (!has_etag)
		row->etag = TXS_NO_ETAG;
	return TXS_ITEM_OK;
}

static TxsItemStatus
read_state_row(Attributes *attributes, TxsStateRow *row)
{
	bool has_etag;

	if (!take_bytes(attributes, "GrainState", &row->state) ||
		!take_text(attributes, "TransactionId", &row->transaction_id) ||
		!take_text(attributes, "TransactionTimestamp", &row->timestamp) ||
		!take_bytes(attributes, "TransactionManager", &row->manager) ||
		!take_number(attributes, "ETag", 0, &row->etag, &has_etag) ||
		!keep_extra(attributes, &row->extra))
		return TXS_ITEM_INVALID;
	if (!has_etag)
		row->etag = TXS_NO_ETAG;
	if (row->timestamp.data != NULL && !txs_time_text_is_valid(row->timestamp))
	{
		explain(attributes->error,
				"attribute \"TransactionTimestamp\" is not a time such as "
				"2024-01-02T03:04:05.1234567Z",
				NULL);
		return TXS_ITEM_INVALID;
	}
	row->extra_size = txs_extra_size(row->extra, &row->extra_foreign);
	return TXS_ITEM_OK;
}

static bool
check_keys(Attributes *attributes, TxsSlice partition, TxsSlice row_key)
{
	if (partition.data == NULL || row_key.data == NULL)
		explain(attributes->error, "there is no PartitionKey or no RowKey",
				NULL);
	else if (partition.length == 0)
		explain(attributes->error, "PartitionKey is empty", NULL);
	else if (partition.length > TXS_MAX_PARTITION_KEY)
		explain(attributes->error, "PartitionKey is longer than 2048 bytes",
				NULL);
	else
		return true;
	return false;
}

static TxsItemStatus
read_row(Attributes *attributes, TxsItem *item)
{
	TxsSlice row_key = {NULL, 0};

	if (!sort_names(attributes) ||
		!take_text(attributes, "PartitionKey", &item->partition) ||
		!take_text(attributes, "RowKey", &row_key) ||
		!check_keys(attributes, item->partition, row_key))
		return TXS_ITEM_INVALID;

	switch (txs_row_key_read(row_key, &item->state.sequence))
	{
		case TXS_ROW_KEY_KEY:
			item->is_key = true;
			return read_key_row(attributes, &item->key);
		case TXS_ROW_KEY_STATE:
			return read_state_row(attributes, &item->state);
		case TXS_ROW_KEY_MALFORMED:
			explain(attributes->error,
					"RowKey is not state_ and 16 lower-case hexadecimal "
					"digits of a sequence id",
					NULL);
			return TXS_ITEM_MALFORMED;
		case TXS_ROW_KEY_FOREIGN:
			break;
	}
	explain(attributes->error, "RowKey is neither \"key\" nor \"state_...\"",
			NULL);
	return TXS_ITEM_FOREIGN;
}

/*
 * Is text {"Item":{...}}, as the service's own exports have it?  An item of
 * its own that has an attribute of this name has others beside it.
 */
static bool
unwrap(TxsReader *reader, TxsSlice *inner)
{
	return txs_reader_next(reader) == TXS_TOKEN_OBJECT &&
		   txs_reader_next(reader) == TXS_TOKEN_NAME &&
		   txs_reader_is(reader, "Item") && txs_reader_raw(reader, inner) &&
		   txs_reader_next(reader) == TXS_TOKEN_OBJECT_END &&
		   txs_reader_next(reader) == TXS_TOKEN_END;
}

TxsItemStatus
txs_item_read(TxsSlice text, TxsItem *item, TxsItemError *error)
{
	Attributes attributes = {.error = error};
	TxsReader reader;
	TxsSlice inner;

	memset(item, 0, sizeof(*item));
	error->message[0] = '\0';
	txs_reader_open(&reader, text.data, text.length);
	if (unwrap(&reader, &inner))
		text = inner;
	else if (reader.error != NULL)
	{
		explain(error, reader.error, NULL);
		return TXS_ITEM_INVALID;
	}

	txs_reader_open(&reader, text.data, text.length);
	if (txs_reader_next(&reader) != TXS_TOKEN_OBJECT)
	{
		explain(error, "this is not a JSON object", NULL);
		return TXS_ITEM_INVALID;
	}
	if (!gather(&reader, &attributes))
		return TXS_ITEM_INVALID;
	if (txs_reader_next(&reader) != TXS_TOKEN_END)
	{
		explain(error, reader.error, NULL);
		return TXS_ITEM_INVALID;
	}
	return read_row(&attributes, item);
}

size_t
txs_extra_size(TxsSlice extra, bool *foreign)
{
	TxsReader reader;
	size_t size = 0;

	*foreign = false;
	if (extra.data == NULL)
		return 0;
	txs_reader_open(&reader, extra.data, extra.length);
	*foreign = txs_reader_next(&reader) != TXS_TOKEN_OBJECT;
	while (reader.token != TXS_TOKEN_ERROR &&
		   txs_reader_next(&reader) == TXS_TOKEN_NAME)
	{
		TxsItemValue value;

		size += txs_item_text_length(reader.value, reader.escaped);
		if (txs_item_value_read(&reader, &value) != NULL)
		{
			*foreign = true;
			break;
		}
		if (value.type == 0)
			*foreign = true;
		size += value.size;
	}
	return size;
}
