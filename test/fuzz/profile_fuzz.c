/*
 * Fuzzes what reads the shared files of the AWS tools: the input is the config
 * file and, after the first 0x01, the credentials file.
 */
#include "aws/profile.h"
#include "fuzz.h"

static void check_profile(const char *name, TxsSlice config,
						  TxsSlice credentials);
static void check_value(const char *value);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *cut = size > 0 ? memchr(data, 1, size) : NULL;
	size_t length = cut != NULL ? (size_t) (cut - data) : size;
	size_t rest = cut != NULL ? size - length - 1 : 0;
	TxsSlice config = {exact_copy(data, length), length};
	TxsSlice credentials = {exact_copy(data + size - rest, rest), rest};

	check_profile("default", config, credentials);
	check_profile("x", config, credentials);
	free((char *) config.data);
	free((char *) credentials.data);
	return 0;
}

static void
check_profile(const char *name, TxsSlice config, TxsSlice credentials)
{
	TxsProfile profile;
	TxsProfileError error;
	bool done = txs_profile_read(name, config, credentials, &profile, &error);

	require(done == (error.problem == NULL));
	require(error.line >= 0);
	if (!profile.found)
	{
		require(profile.region == NULL);
		require(profile.access_key_id == NULL);
	}
	if (profile.services == NULL)
		require(profile.dynamodb_endpoint_url == NULL);
	check_value(profile.access_key_id);
	check_value(profile.secret_access_key);
	check_value(profile.region);
	check_value(profile.dynamodb_endpoint_url);
	txs_profile_free(&profile);
	require(profile.region == NULL && !profile.found);
}

/* No value is empty, too long, or has a blank around it. */
static void
check_value(const char *value)
{
	size_t length = value != NULL ? strlen(value) : 1;

	require(length > 0 && length <= TXS_PROFILE_MAX_VALUE);
	if (value != NULL)
		require(strchr(" \t\r", value[0]) == NULL &&
				strchr(" \t\r", value[length - 1]) == NULL);
}
