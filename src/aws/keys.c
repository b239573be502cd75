/*
 * A set of credentials that we own; see keys.h.
 */
#include "aws/keys.h"

#include <openssl/crypto.h>
#include <string.h>

static bool has_only(const char *text, unsigned char from, unsigned char to);

const char *
txs_keys_check(const TxsCredentials *credentials)
{
	const char *id = credentials->access_key_id;
	const char *secret = credentials->secret_access_key;
	const char *token = credentials->session_token;

	if (id == NULL || *id == '\0')
		return "there is no access key id";
	if (secret == NULL || *secret == '\0')
		return "there is no secret access key";
	if (strlen(id) >= TXS_KEYS_ID_SIZE)
		return "the access key id is too long";
	if (strlen(secret) >= TXS_KEYS_SECRET_SIZE)
		return "the secret access key is too long";
	if (token != NULL && strlen(token) >= TXS_KEYS_TOKEN_SIZE)
		return "the session token is too long";
	if (!has_only(id, 0x21, 0x7E))
		return "the access key id has a character that none has";
	if (!has_only(secret, 0x20, 0xFF))
		return "the secret access key has a control character";
	if (token != NULL && !has_only(token, 0x21, 0x7E))
		return "the session token has a character that none has";
	return NULL;
}

const char *
txs_keys_set(TxsKeys *keys, const TxsCredentials *credentials)
{
	const char *problem = txs_keys_check(credentials);

	txs_keys_wipe(keys);
	if (problem != NULL)
		return problem;
	strcpy(keys->access_key_id, credentials->access_key_id);
	strcpy(keys->secret_access_key, credentials->secret_access_key);
	if (credentials->session_token != NULL)
		strcpy(keys->session_token, credentials->session_token);
	keys->expires_at = TXS_KEYS_NEVER;
	return NULL;
}

TxsCredentials
txs_keys_view(const TxsKeys *keys)
{
	TxsCredentials view;

	view.access_key_id = keys->access_key_id;
	view.secret_access_key = keys->secret_access_key;
	view.session_token =
		keys->session_token[0] == '\0' ? NULL : keys->session_token;
	return view;
}

void
txs_keys_wipe(TxsKeys *keys)
{
	OPENSSL_cleanse(keys, sizeof(*keys));
}

void
txs_keys_set_code(TxsFetchError *error, const char *text, size_t length)
{
	size_t i;

	error->code[0] = '\0';
	if (length == 0 || length >= sizeof(error->code))
		return;
	for (i = 0; i < length; i++)
	{
		char c = text[i];

		if (!(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z') &&
			!(c >= '0' && c <= '9') && c != '.' && c != '_' && c != '-')
			return;
	}
	memcpy(error->code, text, length);
	error->code[length] = '\0';
}

/* Delete (0x7F) is a control, too. */
static bool
has_only(const char *text, unsigned char from, unsigned char to)
{
	for (; *text != '\0'; text++)
	{
		unsigned char c = (unsigned char) *text;

		if (c < from || c > to || c == 0x7F)
			return false;
	}
	return true;
}
