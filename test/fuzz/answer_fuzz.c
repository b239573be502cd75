/*
 * Fuzzes what reads the answers of services that give keys in JSON or as plain
 * text, and the times in them.
 */
#include "aws/container.h"
#include "aws/imds.h"
#include "aws/iso_time.h"
#include "fuzz.h"

static void check_keys(TxsFetch fetch, const TxsKeys *keys,
					   const TxsFetchError *error);
static void check_plain(TxsSlice text);
static void check_time(TxsSlice text);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	TxsSlice text = {exact_copy(data, size), size};
	TxsKeys keys;
	TxsFetchError error;

	check_keys(txs_container_read(200, text, &keys, &error), &keys, &error);
	check_keys(txs_imds_read_keys(200, text, &keys, &error), &keys, &error);
	require(txs_imds_read_keys(403, text, &keys, &error) != TXS_FETCH_DONE);
	check_plain(text);
	check_time(text);
	free((char *) text.data);
	return 0;
}

/* All of it, fit for a header, or nothing and a reason. */
static void
check_keys(TxsFetch fetch, const TxsKeys *keys, const TxsFetchError *error)
{
	TxsCredentials view = txs_keys_view(keys);
	size_t i;

	require((fetch == TXS_FETCH_DONE) == (error->problem == NULL));
	require(strlen(error->code) < sizeof(error->code));
	if (fetch == TXS_FETCH_DONE)
	{
		require(txs_keys_check(&view) == NULL);
		require(keys->expires_at >= -86400);
		require(strlen(keys->account_id) < TXS_KEYS_ACCOUNT_SIZE);
		return;
	}
	for (i = 0; i < sizeof(*keys); i++)
		require(((const char *) keys)[i] == 0);
}

static void
check_plain(TxsSlice text)
{
	char token[TXS_IMDS_TOKEN_SIZE];
	char role[TXS_IMDS_ROLE_SIZE];
	TxsFetchError error;

	if (txs_imds_read_token(200, text, token, &error) == TXS_FETCH_DONE)
		require(strlen(token) == text.length && text.length > 0);
	else
		require(token[0] == '\0' && error.problem != NULL);
	if (txs_imds_read_role(200, text, role, &error) == TXS_FETCH_DONE)
		require(strlen(role) > 0 && strpbrk(role, "/?#% \r\n") == NULL);
	else
		require(role[0] == '\0' && error.problem != NULL);
}

static void
check_time(TxsSlice text)
{
	int64_t seconds;

	if (txs_iso_time_read(text, &seconds))
		require(seconds >= -86400 && seconds < INT64_C(253402387200) &&
				text.length >= 20);
}
