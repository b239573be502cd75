/*
 * Signature Version 4 with OpenSSL 3.
 *
 * The canonical request is written into a buffer that the signer keeps, then
 * hashed at once: a warm signature is two digests of the request, one HMAC and
 * no allocation of ours.  What is derived from the secret is wiped when it is
 * replaced and when the signer is freed.
 */
#include "aws/sigv4.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGEST_LENGTH 32 /* of SHA-256 */
#define HEX_LENGTH	  (2 * DIGEST_LENGTH)
#define DATE_LENGTH	  8	 /* 20261201 */
#define TIME_LENGTH	  16 /* 20261201T051500Z */
#define ALGORITHM	  "AWS4-HMAC-SHA256"
#define TERMINATOR	  "aws4_request"

/* A growing text.  Once memory was short it takes no more. */
typedef struct Text
{
	char *data;
	size_t length;
	size_t size;
	bool failed;
} Text;

struct TxsSigner
{
	EVP_MD *sha256;
	EVP_MD_CTX *digest;
	EVP_MAC *hmac_method;
	EVP_MAC_CTX *hmac; /* with SHA-256 as its digest */
	Text text;		   /* the canonical request; keeps its block */

	bool has_key; /* what follows is set */
	unsigned char key[DIGEST_LENGTH];
	unsigned char key_id[DIGEST_LENGTH]; /* digest of what key is made from */
};

static bool hash(TxsSigner *signer, const void *data, size_t length,
				 unsigned char *out);
static bool hash_hex(TxsSigner *signer, const void *data, size_t length,
					 char *out);
static bool hmac(TxsSigner *signer, const void *key, size_t key_length,
				 const void *data, size_t length, unsigned char *out);
static bool find_key(TxsSigner *signer, const TxsSigningInput *input,
					 const char *secret);
static bool derive_key(TxsSigner *signer, const TxsSigningInput *input,
					   const char *secret);
static bool append_request(TxsSigner *signer, const TxsSigningInput *input,
						   size_t *names);
static void append_path(Text *text, const TxsSigningInput *input);
static bool append_query(Text *text, const char *query);
static void append_headers(Text *text, const TxsHeader *headers, int count,
						   size_t *names);
static void append_value(Text *text, const char *value);
static void append_encoded(Text *text, const char *data, size_t length,
						   const char *safe);
static void append(Text *text, const char *data, size_t length);
static void append_string(Text *text, const char *string);
static void write_hex(const unsigned char *bytes, size_t count, char *out);

TxsSigner *
txs_sigv4_create(void)
{
	TxsSigner *signer = calloc(1, sizeof(TxsSigner));
	OSSL_PARAM parameters[2];
	char digest_name[] = "SHA256";

	if (signer == NULL)
		return NULL;
	parameters[0] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST,
													 digest_name, 0);
	parameters[1] = OSSL_PARAM_construct_end();

	/* Fetched once: looking them up costs more than hashing a request. */
	signer->sha256 = EVP_MD_fetch(NULL, digest_name, NULL);
	signer->digest = EVP_MD_CTX_new();
	signer->hmac_method = EVP_MAC_fetch(NULL, "HMAC", NULL);
	if (signer->hmac_method != NULL)
		signer->hmac = EVP_MAC_CTX_new(signer->hmac_method);
	if (signer->sha256 == NULL || signer->digest == NULL ||
		signer->hmac == NULL ||
		!EVP_MAC_CTX_set_params(signer->hmac, parameters))
	{
		txs_sigv4_free(signer);
		ERR_clear_error();
		return NULL;
	}
	return signer;
}

void
txs_sigv4_free(TxsSigner *signer)
{
	if (signer == NULL)
		return;
	EVP_MAC_CTX_free(signer->hmac);
	EVP_MAC_free(signer->hmac_method);
	EVP_MD_CTX_free(signer->digest);
	EVP_MD_free(signer->sha256);
	/* It holds the session token of the last request. */
	OPENSSL_clear_free(signer->text.data, signer->text.size);
	OPENSSL_cleanse(signer, sizeof(TxsSigner));
	free(signer);
}

bool
txs_sigv4_sign(TxsSigner *signer, const TxsSigningInput *input,
			   const TxsCredentials *credentials, char *authorization,
			   size_t size)
{
	Text *text = &signer->text;
	const char *time = input->timestamp;
	unsigned char signature[DIGEST_LENGTH];
	char hex[HEX_LENGTH + 1];
	char *names_text; /* the names of the signed headers, in text */
	size_t names;	  /* where they begin */
	size_t to_sign;	  /* where the string to sign begins, in text */
	int length;
	bool done = false;

	if (strlen(time) != TIME_LENGTH || input->nheaders < 0 ||
		input->nheaders > TXS_SIGV4_MAX_HEADERS)
		return false;

	if (append_request(signer, input, &names) &&
		hash_hex(signer, text->data, text->length, hex))
	{
		/* The NUL ends the names, which stand before the body's digest. */
		text->length -= HEX_LENGTH + 1;
		append(text, "", 1);
		to_sign = text->length;
		append_string(text, ALGORITHM "\n");
		append_string(text, time);
		append_string(text, "\n");
		append(text, time, DATE_LENGTH);
		append_string(text, "/");
		append_string(text, input->region);
		append_string(text, "/");
		append_string(text, input->service);
		append_string(text, "/" TERMINATOR "\n");
		append(text, hex, HEX_LENGTH);

		if (!text->failed &&
			find_key(signer, input, credentials->secret_access_key) &&
			hmac(signer, signer->key, DIGEST_LENGTH, text->data + to_sign,
				 text->length - to_sign, signature))
		{
			names_text = text->data + names;
			write_hex(signature, DIGEST_LENGTH, hex);
			hex[HEX_LENGTH] = '\0';
			length = snprintf(authorization, size,
							  ALGORITHM " Credential=%s/%.*s/%s/%s/" TERMINATOR
										", SignedHeaders=%s, Signature=%s",
							  credentials->access_key_id, DATE_LENGTH, time,
							  input->region, input->service, names_text, hex);
			done = length >= 0 && (size_t) length < size;
		}
	}
	if (!done)
		ERR_clear_error();
	return done;
}

static bool
hash(TxsSigner *signer, const void *data, size_t length, unsigned char *out)
{
	return EVP_DigestInit_ex2(signer->digest, signer->sha256, NULL) &&
		   EVP_DigestUpdate(signer->digest, data, length) &&
		   EVP_DigestFinal_ex(signer->digest, out, NULL);
}

/* Lower-case digits, without a NUL. */
static bool
hash_hex(TxsSigner *signer, const void *data, size_t length, char *out)
{
	unsigned char digest[DIGEST_LENGTH];

	if (!hash(signer, data, length, digest))
		return false;
	write_hex(digest, DIGEST_LENGTH, out);
	return true;
}

/*
 * The key is given anew each time: to go on with the one that the context has
 * does not work in the first releases of OpenSSL 3.0.
 */
static bool
hmac(TxsSigner *signer, const void *key, size_t key_length, const void *data,
	 size_t length, unsigned char *out)
{
	size_t written;

	return EVP_MAC_init(signer->hmac, key, key_length, NULL) &&
		   EVP_MAC_update(signer->hmac, data, length) &&
		   EVP_MAC_final(signer->hmac, out, &written, DIGEST_LENGTH) &&
		   written == DIGEST_LENGTH;
}

/* Make sure that signer->key is the one for this request. */
static bool
find_key(TxsSigner *signer, const TxsSigningInput *input, const char *secret)
{
	unsigned char id[DIGEST_LENGTH];
	bool found;

	/* By the secret and not by its name, which may keep another secret after
	 * a mistake was corrected.  Where the parts end is part of the digest. */
	found = EVP_DigestInit_ex2(signer->digest, signer->sha256, NULL) &&
			EVP_DigestUpdate(signer->digest, secret, strlen(secret) + 1) &&
			EVP_DigestUpdate(signer->digest, input->timestamp, DATE_LENGTH) &&
			EVP_DigestUpdate(signer->digest, input->region,
							 strlen(input->region) + 1) &&
			EVP_DigestUpdate(signer->digest, input->service,
							 strlen(input->service) + 1) &&
			EVP_DigestFinal_ex(signer->digest, id, NULL);
	if (found && !(signer->has_key &&
				   CRYPTO_memcmp(id, signer->key_id, DIGEST_LENGTH) == 0))
	{
		signer->has_key = false;
		OPENSSL_cleanse(signer->key, DIGEST_LENGTH);
		found = derive_key(signer, input, secret);
		signer->has_key = found;
		memcpy(signer->key_id, id, DIGEST_LENGTH);
	}
	OPENSSL_cleanse(id, sizeof(id));
	return found;
}

static bool
derive_key(TxsSigner *signer, const TxsSigningInput *input, const char *secret)
{
	unsigned char *key = signer->key;
	size_t length = strlen("AWS4") + strlen(secret);
	char *start = OPENSSL_malloc(length + 1);
	bool done;

	if (start == NULL)
		return false;
	snprintf(start, length + 1, "AWS4%s", secret);
	done =
		hmac(signer, start, length, input->timestamp, DATE_LENGTH, key) &&
		hmac(signer, key, DIGEST_LENGTH, input->region, strlen(input->region),
			 key) &&
		hmac(signer, key, DIGEST_LENGTH, input->service,
			 strlen(input->service), key) &&
		hmac(signer, key, DIGEST_LENGTH, TERMINATOR, strlen(TERMINATOR), key);
	OPENSSL_clear_free(start, length + 1);
	return done;
}

/*
 * Write the canonical request into signer->text.  *names is where the names of
 * the signed headers begin; they end before the newline and the body's digest.
 */
static bool
append_request(TxsSigner *signer, const TxsSigningInput *input, size_t *names)
{
	Text *text = &signer->text;
	char digest[HEX_LENGTH];

	text->length = 0;
	text->failed = false;
	append_string(text, input->method);
	append_string(text, "\n");
	append_path(text, input);
	append_string(text, "\n");
	if (input->query != NULL && *input->query != '\0' &&
		!append_query(text, input->query))
		return false;
	append_string(text, "\n");
	append_headers(text, input->headers, input->nheaders, names);
	append_string(text, "\n");
	if (!hash_hex(signer, input->body, input->body_length, digest))
		return false;
	append(text, digest, HEX_LENGTH);
	return !text->failed;
}

static void
append_path(Text *text, const TxsSigningInput *input)
{
	const char *at = input->path;
	size_t start = text->length;
	size_t length = strlen(at);

	if (input->keep_path)
	{
		append_encoded(text, at, length, "/");
		if (length == 0)
			append_string(text, "/");
		return;
	}
	while (*at != '\0')
	{
		size_t part = strcspn(at, "/");

		if (part == 2 && memcmp(at, "..", 2) == 0)
		{
			while (text->length > start && text->data[--text->length] != '/')
				;
		}
		else if (part > 0 && !(part == 1 && *at == '.'))
		{
			append_string(text, "/");
			append_encoded(text, at, part, "");
		}
		at += part;
		at += *at == '/';
	}
	if (text->length == start || input->path[length - 1] == '/')
		append_string(text, "/");
}

static int
compare_strings(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

static int
hex_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	digit |= 'a' ^ 'A';
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/*
 * Resolve %xx in a name or value in place.  What is no such escape stays.
 * Returns the length.
 */
static size_t
decode(char *data, size_t length)
{
	const char *at = data;
	const char *end = data + length;
	char *out = data;

	while (at < end)
	{
		if (*at == '%' && end - at >= 3 && hex_value(at[1]) >= 0 &&
			hex_value(at[2]) >= 0)
		{
			*out++ = (char) (hex_value(at[1]) * 16 + hex_value(at[2]));
			at += 3;
		}
		else
			*out++ = *at++;
	}
	return out - data;
}

/*
 * Append a parameter "name=value" in canonical form, as name, 1, value, NUL:
 * as such strings they sort by the name, then the value.
 */
static void
append_parameter(Text *text, char *data, size_t length)
{
	char *equals = memchr(data, '=', length);
	size_t name = equals == NULL ? length : (size_t) (equals - data);

	append_encoded(text, data, decode(data, name), "");
	append_string(text, "\1");
	if (equals != NULL)
		append_encoded(text, equals + 1, decode(equals + 1, length - name - 1),
					   "");
	append(text, "", 1);
}

/* The parameters encoded and sorted; false when memory is short. */
static bool
append_query(Text *text, const char *query)
{
	Text encoded = {NULL, 0, 0, false};
	char *copy = strdup(query);
	char *part = copy;
	char **sorted = NULL;
	size_t count = 0;
	size_t at = 0;
	size_t i;
	bool more = copy != NULL;
	bool done;

	while (more)
	{
		size_t length = strcspn(part, "&");

		more = part[length] == '&';
		append_parameter(&encoded, part, length);
		part += length + 1;
		count++;
	}
	if (count > 0 && !encoded.failed)
		sorted = malloc(count * sizeof(char *));
	if (sorted != NULL)
	{
		for (i = 0; i < count; i++)
		{
			sorted[i] = encoded.data + at;
			at += strlen(sorted[i]) + 1;
		}
		qsort(sorted, count, sizeof(char *), compare_strings);
		for (i = 0; i < count; i++)
		{
			*strchr(sorted[i], '\1') = '=';
			append_string(text, i > 0 ? "&" : "");
			append_string(text, sorted[i]);
		}
	}
	done = sorted != NULL;
	free(sorted);
	free(copy);
	OPENSSL_clear_free(encoded.data, encoded.size);
	return done;
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c;
}

/* Not strcasecmp(): that goes by the locale. */
static int
compare_names(const char *a, const char *b)
{
	while (*a != '\0' && lower(*a) == lower(*b))
		a++, b++;
	return (unsigned char) lower(*a) - (unsigned char) lower(*b);
}

static void
append_lower(Text *text, const char *name)
{
	for (; *name != '\0'; name++)
	{
		char c = lower(*name);

		append(text, &c, 1);
	}
}

/*
 * "name:value" lines sorted by name, an empty line, the names.  Values of one
 * name stay in the order in which they are sent.
 */
static void
append_headers(Text *text, const TxsHeader *headers, int count, size_t *names)
{
	const TxsHeader *sorted[TXS_SIGV4_MAX_HEADERS];
	int i;
	int j;

	for (i = 0; i < count; i++)
	{
		for (j = i;
			 j > 0 && compare_names(sorted[j - 1]->name, headers[i].name) > 0;
			 j--)
			sorted[j] = sorted[j - 1];
		sorted[j] = &headers[i];
	}
	for (i = 0; i < count; i++)
	{
		if (i == 0 || compare_names(sorted[i - 1]->name, sorted[i]->name) != 0)
		{
			append_string(text, i > 0 ? "\n" : "");
			append_lower(text, sorted[i]->name);
			append_string(text, ":");
		}
		else
			append_string(text, ",");
		append_value(text, sorted[i]->value);
	}
	append_string(text, "\n\n");

	*names = text->length;
	for (i = 0; i < count; i++)
		if (i == 0 || compare_names(sorted[i - 1]->name, sorted[i]->name) != 0)
		{
			append_string(text, i > 0 ? ";" : "");
			append_lower(text, sorted[i]->name);
		}
}

/* A header's value, trimmed, each run of white space in it one blank. */
static void
append_value(Text *text, const char *value)
{
	const char *blanks = " \t\r\n";

	value += strspn(value, blanks);
	while (*value != '\0')
	{
		size_t word = strcspn(value, blanks);

		append(text, value, word);
		value += word;
		value += strspn(value, blanks);
		if (*value != '\0')
			append_string(text, " ");
	}
}

/* RFC 3986's unreserved characters and those in safe stand as they are. */
static void
append_encoded(Text *text, const char *data, size_t length, const char *safe)
{
	static const char digits[] = "0123456789ABCDEF";
	const char *end = data + length;

	for (; data < end; data++)
	{
		unsigned char c = (unsigned char) *data;
		char escape[3] = {'%', digits[c >> 4], digits[c & 15]};

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			(c >= '0' && c <= '9') ||
			(c != '\0' && (strchr("-._~", c) || strchr(safe, c))))
			append(text, data, 1);
		else
			append(text, escape, sizeof(escape));
	}
}

static void
append(Text *text, const char *data, size_t length)
{
	if (text->failed || length == 0)
		return;
	if (length > text->size - text->length)
	{
		size_t size = 2 * (text->length + length) + 1024;
		char *grown = OPENSSL_clear_realloc(text->data, text->size, size);

		if (grown == NULL)
		{
			text->failed = true;
			return;
		}
		text->data = grown;
		text->size = size;
	}
	memcpy(text->data + text->length, data, length);
	text->length += length;
}

static void
append_string(Text *text, const char *string)
{
	append(text, string, strlen(string));
}

static void
write_hex(const unsigned char *bytes, size_t count, char *out)
{
	static const char digits[] = "0123456789abcdef";

	for (; count > 0; count--, bytes++)
	{
		*out++ = digits[*bytes >> 4];
		*out++ = digits[*bytes & 15];
	}
}
