/*
 * Partition keys taken apart.
 */
#include "item_test.h"
#include "orleans/partition_key.h"
#include "tap.h"

typedef struct Key
{
	const char *service_id;
	const char *text;
	const char *grain_type; /* NULL: not certain */
	const char *grain_key;
	const char *state_name;
} Key;

static const Key keys[] = {
	{"default", "account/1_default_balance", "account", "1", "balance"},
	{"default", "a/b/c_default_s", "a", "b/c", "s"},
	{"default", "a/k_default_s_t", "a", "k", "s_t"},
	{"default", "a/k_t_default_s", "a", "k_t", "s"},
	{"x", "a/k_x_s", "a", "k", "s"},
	{"a_b", "a/k_a_b_s", "a", "k", "s"},
	{"Größe", "ä/ö_Größe_ü", "ä", "ö", "ü"},

	/* The service id is another, or comes in another case. */
	{"default", "a/k_other_s", "a", NULL, NULL},
	{"default", "a/k_Default_s", "a", NULL, NULL},

	/* It stands in two places, which may share an underscore. */
	{"default", "a/k_default_default_s", "a", NULL, NULL},
	{"default", "a/k_default__default_s", "a", NULL, NULL},
	{"default", "a/_default_k_default_s", "a", NULL, NULL},
	{"x", "a/k_x_x_x_s", "a", NULL, NULL},

	/* A part would be empty. */
	{"default", "a/_default_s", "a", NULL, NULL},
	{"default", "a/k_default_", "a", NULL, NULL},
	{"default", "a/_default_", "a", NULL, NULL},
	{"default", "/k_default_s", NULL, NULL, NULL},
	{"default", "a/", "a", NULL, NULL},
	{"default", "/", NULL, NULL, NULL},

	/* No slash; one only after the service id is part of the type's text. */
	{"default", "a", NULL, NULL, NULL},
	{"default", "k_default_s", NULL, NULL, NULL},
	{"default", "k_default_s/t", "k_default_s", NULL, NULL},
	{"default", "a/_default", "a", NULL, NULL},
	{"default", "a/default_s", "a", NULL, NULL},
};

static bool
is_part(TxsSlice part, const char *expected)
{
	if (expected == NULL)
		return part.data == NULL;
	return part.data != NULL && part.length == strlen(expected) &&
		   memcmp(part.data, expected, part.length) == 0;
}

static void
test_key(const Key *key)
{
	size_t length = strlen(key->text);
	char *copy = malloc(length);
	TxsPartitionParts parts;

	memcpy(copy, key->text, length);
	memset(&parts, 0x77, sizeof(parts));
	txs_partition_key_split((TxsSlice){copy, length}, key->service_id, &parts);
	ok(is_part(parts.grain_type, key->grain_type) &&
		   is_part(parts.grain_key, key->grain_key) &&
		   is_part(parts.state_name, key->state_name),
	   "partition key \"%s\" is taken apart", key->text);
	free(copy);
}

/* Put together of parts from few characters: certain means unique. */
static bool
is_right(TxsSlice key, const char *service_id)
{
	TxsPartitionParts parts;
	size_t separator = strlen(service_id) + 2;

	txs_partition_key_split(key, service_id, &parts);
	if ((parts.grain_key.data == NULL) != (parts.state_name.data == NULL))
		return false;
	if (parts.grain_key.data == NULL)
		return true;
	return parts.grain_type.data == key.data &&
		   parts.grain_type.length + 1 + parts.grain_key.length + separator +
				   parts.state_name.length ==
			   key.length &&
		   parts.grain_key.length > 0 && parts.state_name.length > 0;
}

void
test_partition_keys(void)
{
	static const char characters[] = "/_xa";
	char text[8];
	int wrong = 0;
	size_t i;
	unsigned n;

	for (i = 0; i < lengthof(keys); i++)
		test_key(&keys[i]);
	for (n = 0; n < 1u << 16; n++)
	{
		for (i = 0; i < sizeof(text); i++)
			text[i] = characters[n >> 2 * i & 3];
		for (i = 0; i <= sizeof(text); i++)
			wrong += !is_right((TxsSlice){text, i}, "x");
	}
	ok(wrong == 0, "every key of eight characters gives all parts or not");
}
