/*
 * Keys in JSON; see key_answer.h.
 */
#include "aws/key_answer.h"

#include <string.h>

#include "aws/iso_time.h"

/* The members that matter; NULL data where absent or null. */
typedef struct Members
{
	TxsSlice access_key_id;
	TxsSlice secret_access_key;
	TxsSlice token;
	TxsSlice expiration;
	TxsSlice account_id;
	TxsSlice code;
} Members;

static const char *read_members(TxsSlice body, Members *members);
static TxsSlice *find_member(const TxsReader *reader, Members *members);
static const char *read_keys(const Members *members, bool is_temporary,
							 TxsKeys *keys);
static bool copy_text(TxsSlice value, char *out, size_t size);

TxsFetch
txs_key_answer_read(int status, TxsSlice body, bool is_temporary,
					TxsKeys *keys, TxsFetchError *error)
{
	Members members;

	txs_keys_wipe(keys);
	memset(error, 0, sizeof(*error));
	memset(&members, 0, sizeof(members));

	if (body.length > TXS_KEY_ANSWER_MAX)
	{
		error->problem = "the answer is too large";
		return TXS_FETCH_FAILED;
	}
	error->problem = read_members(body, &members);
	txs_keys_set_code(error, members.code.data, members.code.length);
	if (status != 200)
	{
		error->problem =
			status == 0 ? "there is no answer" : "the request was refused";
		return status == 429 || status >= 500 || status == 0
				   ? TXS_FETCH_AGAIN
				   : TXS_FETCH_FAILED;
	}
	if (error->problem != NULL)
		return TXS_FETCH_AGAIN; /* cut short, perhaps */

	error->problem = read_keys(&members, is_temporary, keys);
	if (error->problem == NULL)
		return TXS_FETCH_DONE;
	txs_keys_wipe(keys);
	return TXS_FETCH_FAILED;
}

static const char *
read_members(TxsSlice body, Members *members)
{
	TxsReader reader;

	txs_reader_open(&reader, body.data, body.length);
	if (txs_reader_next(&reader) != TXS_TOKEN_OBJECT)
		return "the answer is not a JSON object";
	while (txs_reader_next(&reader) == TXS_TOKEN_NAME)
	{
		TxsSlice *member = find_member(&reader, members);
		TxsSlice raw;

		if (!txs_reader_raw(&reader, &raw))
			break;
		if (member == NULL)
			continue;
		member->data = NULL;
		member->length = 0;
		if (raw.data[0] == '"')
		{
			member->data = raw.data + 1;
			member->length = raw.length - 2;
		}
		else if (raw.data[0] != 'n')
			return "the answer has a member of the wrong type";
	}
	if (reader.token != TXS_TOKEN_OBJECT_END ||
		txs_reader_next(&reader) != TXS_TOKEN_END)
		return "the answer is not a JSON object";
	return NULL;
}

static TxsSlice *
find_member(const TxsReader *reader, Members *members)
{
	if (txs_reader_is(reader, "AccessKeyId"))
		return &members->access_key_id;
	if (txs_reader_is(reader, "SecretAccessKey"))
		return &members->secret_access_key;
	if (txs_reader_is(reader, "Token"))
		return &members->token;
	if (txs_reader_is(reader, "Expiration"))
		return &members->expiration;
	if (txs_reader_is(reader, "AccountId"))
		return &members->account_id;
	if (txs_reader_is(reader, "Code"))
		return &members->code;
	return NULL;
}

static const char *
read_keys(const Members *members, bool is_temporary, TxsKeys *keys)
{
	char expiration[64];
	TxsSlice time = {expiration, 0};
	TxsCredentials view;

	if (members->access_key_id.length == 0 ||
		members->secret_access_key.length == 0)
		return "the answer has no keys";
	if (is_temporary && members->token.length == 0)
		return "the answer has no token";
	if (is_temporary && members->expiration.length == 0)
		return "the answer has no expiration";

	if (!copy_text(members->access_key_id, keys->access_key_id,
				   sizeof(keys->access_key_id)) ||
		!copy_text(members->secret_access_key, keys->secret_access_key,
				   sizeof(keys->secret_access_key)) ||
		!copy_text(members->token, keys->session_token,
				   sizeof(keys->session_token)) ||
		!copy_text(members->account_id, keys->account_id,
				   sizeof(keys->account_id)) ||
		!copy_text(members->expiration, expiration, sizeof(expiration)))
		return "a value in the answer is too long or has a NUL character";

	keys->expires_at = TXS_KEYS_NEVER;
	time.length = strlen(expiration);
	if (time.length > 0 && !txs_iso_time_read(time, &keys->expires_at))
		return "the answer's expiration is no time";
	view = txs_keys_view(keys);
	return txs_keys_check(&view);
}

/* An absent value is an empty one. */
static bool
copy_text(TxsSlice value, char *out, size_t size)
{
	size_t length = 0;

	if (value.length >= size)
		return false;
	if (value.length > 0)
		length = txs_reader_unescape(value, out);
	out[length] = '\0';
	return strlen(out) == length;
}
