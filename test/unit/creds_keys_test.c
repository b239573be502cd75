/*
 * Sets of keys, and the times that come with them.
 */
#include <string.h>

#include "aws/iso_time.h"
#include "aws/keys.h"
#include "creds_test.h"
#include "tap.h"

static void
expect_time(const char *text, int64_t expected)
{
	int64_t seconds = -1;
	bool done = txs_iso_time_read(slice(text), &seconds);

	ok(expected < 0 ? !done : done && seconds == expected, "time: %s", text);
}

static void
expect_refused(const char *what, const char *id, const char *secret,
			   const char *token)
{
	TxsCredentials credentials = {id, secret, token};
	TxsKeys keys;

	memset(&keys, 'x', sizeof(keys));
	ok(txs_keys_set(&keys, &credentials) != NULL &&
		   keys.access_key_id[0] == '\0' && keys.secret_access_key[0] == '\0',
	   "keys: %s", what);
}

void
test_keys(void)
{
	TxsCredentials credentials = {"A", "S+/ x", NULL};
	TxsFetchError error;
	TxsKeys keys;
	char id[TXS_KEYS_ID_SIZE + 1];

	expect_time("1970-01-01T00:00:00Z", 0);
	expect_time("2026-12-01T05:38:59Z", 1796103539);
	expect_time("2026-12-01T05:38:59.999Z", 1796103539);
	expect_time("2026-12-01T07:38:59+02:00", 1796103539);
	expect_time("2026-12-01T00:08:59-0530", 1796103539);
	expect_time("2024-02-29T00:00:00Z", 1709164800);
	expect_time("9999-12-31T23:59:59Z", INT64_C(253402300799));
	expect_time("2100-02-29T00:00:00Z", -1);
	expect_time("2026-13-01T00:00:00Z", -1);
	expect_time("2026-12-01T05:38:59", -1);
	expect_time("2026-12-01T05:38:59Zx", -1);
	expect_time("2026-12-01T05:38:59.Z", -1);
	expect_time("2026-12-01T05:38:5", -1);
	expect_time("", -1);

	ok(txs_keys_set(&keys, &credentials) == NULL &&
		   keys.expires_at == TXS_KEYS_NEVER &&
		   txs_keys_view(&keys).session_token == NULL &&
		   same_text(txs_keys_view(&keys).secret_access_key, "S+/ x"),
	   "keys: a set without a token");
	txs_keys_wipe(&keys);
	ok(keys.secret_access_key[0] == '\0' && keys.secret_access_key[4] == '\0',
	   "keys: wiped");
	memset(id, 'A', sizeof(id));
	id[TXS_KEYS_ID_SIZE] = '\0';
	expect_refused("an id that is too long", id, "S", NULL);
	id[TXS_KEYS_ID_SIZE - 1] = '\0';
	credentials.access_key_id = id;
	ok(txs_keys_set(&keys, &credentials) == NULL, "keys: the longest id");
	expect_refused("no id", NULL, "S", NULL);
	expect_refused("an empty secret", "A", "", NULL);
	expect_refused("a blank in an id", "A B", "S", NULL);
	expect_refused("a line break in a secret", "A", "S\n", NULL);
	expect_refused("a line break in a token", "A", "S", "T\r\nX: y");

	txs_keys_set_code(&error, "Some.Code_1", 11);
	ok(same_text(error.code, "Some.Code_1"), "keys: a code is kept");
	txs_keys_set_code(&error, "no code", 7);
	ok(same_text(error.code, ""), "keys: what is no code is not");
}
