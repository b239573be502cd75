/*
 * Fetch keys from the services that hand them out: a container's agent, STS,
 * the metadata of an instance.  What to ask and how to read it is aws/'s.
 */
#include "provider/dynamodb/credentials.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aws/container.h"
#include "aws/imds.h"
#include "aws/key_answer.h"
#include "aws/sts.h"
#include "storage/fd.h"

/* Milliseconds for STS, which is not on this host. */
#define STS_TIMEOUT 5000

/* Times that STS is asked where it may know better soon. */
#define STS_ATTEMPTS 3

/* A token's file holds no more. */
#define MAX_TOKEN_FILE 32768

static TxsFetch
fail(TxsFetchError *error, const char *problem)
{
	error->problem = problem;
	error->code[0] = '\0';
	return TXS_FETCH_FAILED;
}

const char *
txs_fetch_file(const char *path, size_t limit, TxsSlice *content)
{
	struct stat status;
	char *data;
	ssize_t length;
	int fd;

	content->data = NULL;
	content->length = 0;
	fd = OpenTransientFile(path, O_RDONLY);
	if (fd < 0)
		return errno == ENOENT ? NULL : "a file cannot be read";
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
		(size_t) status.st_size > limit)
	{
		CloseTransientFile(fd);
		return "a file is too large, or none";
	}
	data = palloc(status.st_size + 1);
	length = read(fd, data, status.st_size);
	CloseTransientFile(fd);
	if (length < 0)
	{
		pfree(data);
		return "a file cannot be read";
	}
	content->data = data;
	content->length = (size_t) length;
	return NULL;
}

static void
wipe(TxsSlice content)
{
	if (content.data != NULL)
		explicit_bzero((char *) content.data, content.length);
}

/* Send one request; the answer's status is 0 where none came. */
static void
ask(const TxsHttpRequest *form, const char *ca_file, int timeout,
	TxsHttpAnswer *answer)
{
	TxsHttpRequest request = *form;

	request.ca_file = ca_file;
	request.connect_timeout = timeout;
	request.timeout = timeout;
	request.max_answer = TXS_KEY_ANSWER_MAX;
	request.wait_event = "TxstoreCredentials";
	txs_http_send(&request, answer);
	if (answer->outcome != TXS_HTTP_ANSWERED)
	{
		answer->status = 0;
		answer->body = (TxsSlice){"", 0};
	}
}

static TxsFetch
fetch_container(const TxsIdentity *identity, TxsKeys *keys,
				TxsFetchError *error)
{
	const TxsEnvironment *environment = &identity->environment;
	char url[TXS_CONTAINER_URL_SIZE];
	TxsSlice file = {NULL, 0};
	TxsSlice token;
	TxsHeader header = {"Authorization", NULL};
	TxsHttpRequest request = {.method = "GET", .url = url};
	const char *problem = txs_container_url(environment, url, sizeof(url));
	TxsFetch result = TXS_FETCH_AGAIN;
	int attempt;

	if (problem == NULL && environment->container_token_file != NULL)
	{
		problem = txs_fetch_file(environment->container_token_file,
								 MAX_TOKEN_FILE, &file);
		if (problem == NULL && file.data == NULL)
			problem = "the file of the container's token is not there";
	}
	if (problem == NULL)
		problem = txs_container_token(environment, file, &token);
	if (problem != NULL)
		return fail(error, problem);
	if (token.data != NULL)
	{
		header.value = pnstrdup(token.data, token.length);
		request.headers = &header;
		request.nheaders = 1;
	}
	for (attempt = 1;
		 result == TXS_FETCH_AGAIN && attempt <= TXS_CONTAINER_ATTEMPTS;
		 attempt++)
	{
		TxsHttpAnswer answer;

		if (attempt > 1)
			txs_http_pause(TXS_CONTAINER_PAUSE);
		ask(&request, NULL, TXS_CONTAINER_TIMEOUT, &answer);
		result = txs_container_read(answer.status, answer.body, keys, error);
		wipe(answer.body);
	}
	if (header.value != NULL)
		explicit_bzero((char *) header.value, strlen(header.value));
	wipe(file);
	return result;
}

static TxsFetch
fetch_web_identity(const TxsIdentity *identity, const TxsSourceChoice *choice,
				   const TxsConnection *connection, TxsKeys *keys,
				   TxsFetchError *error)
{
	TxsStsRequest form = {
		.role_arn = choice->role_arn,
		.session_name = choice->session_name,
		.now = (int64_t) time(NULL),
	};
	TxsHeader header = {"Content-Type", TXS_STS_CONTENT_TYPE};
	char url[TXS_STS_URL_SIZE];
	char *body = palloc(TXS_STS_BODY_SIZE);
	TxsHttpRequest request = {.method = "POST",
							  .url = url,
							  .headers = &header,
							  .nheaders = 1};
	TxsFetch result = TXS_FETCH_AGAIN;
	const char *problem;
	size_t length = 0;
	int attempt;

	problem = txs_sts_url(txs_environment_endpoint(TXS_SERVICE_STS, NULL,
												   &identity->environment,
												   &identity->profile),
						  connection->endpoint.region, url, sizeof(url));
	if (problem == NULL)
		problem =
			txs_fetch_file(choice->token_file, MAX_TOKEN_FILE, &form.token);
	if (problem == NULL && form.token.data == NULL)
		problem = "the file of the web identity's token is not there";
	if (problem == NULL)
		problem = txs_sts_write(&form, body, TXS_STS_BODY_SIZE, &length);
	wipe(form.token);
	if (problem != NULL)
		return fail(error, problem);
	request.body = (TxsSlice){body, length};
	for (attempt = 1; result == TXS_FETCH_AGAIN && attempt <= STS_ATTEMPTS;
		 attempt++)
	{
		TxsHttpAnswer answer;

		ask(&request, connection->storage->ca_file, STS_TIMEOUT, &answer);
		result = txs_sts_read(answer.status, answer.body, keys, error);
		wipe(answer.body);
	}
	explicit_bzero(body, length);
	pfree(body);
	return result;
}

/* One of the three requests to IMDS. */
static void
ask_imds(const TxsImdsRequest *form, TxsHttpAnswer *answer)
{
	TxsHttpRequest request = {.method = form->method,
							  .url = form->url,
							  .headers = &form->header,
							  .nheaders = 1};

	ask(&request, NULL, TXS_IMDS_TIMEOUT, answer);
}

/* A token, the role, its keys. */
static TxsFetch
ask_imds_for_keys(const char *url, TxsKeys *keys, TxsFetchError *error)
{
	char token[TXS_IMDS_TOKEN_SIZE];
	char role[TXS_IMDS_ROLE_SIZE];
	TxsImdsRequest request;
	TxsHttpAnswer answer;
	TxsFetch result;

	if (!txs_imds_ask_token(url, &request))
		return fail(error, "the URL of instance metadata is too long");
	ask_imds(&request, &answer);
	result = txs_imds_read_token(answer.status, answer.body, token, error);
	if (result != TXS_FETCH_DONE)
		return result;
	if (!txs_imds_ask_role(url, token, &request))
		return fail(error, "the URL of instance metadata is too long");
	ask_imds(&request, &answer);
	result = txs_imds_read_role(answer.status, answer.body, role, error);
	if (result != TXS_FETCH_DONE)
		return result;
	if (!txs_imds_ask_keys(url, token, role, &request))
		return fail(error, "the URL of instance metadata is too long");
	ask_imds(&request, &answer);
	result = txs_imds_read_keys(answer.status, answer.body, keys, error);
	wipe(answer.body);
	explicit_bzero(token, sizeof(token));
	return result;
}

static TxsFetch
fetch_imds(const TxsIdentity *identity, TxsKeys *keys, TxsFetchError *error)
{
	char url[TXS_IMDS_URL_SIZE];
	const char *problem = txs_imds_url(&identity->environment,
									   &identity->profile, url, sizeof(url));
	TxsFetch result;

	if (problem != NULL)
		return fail(error, problem);
	result = ask_imds_for_keys(url, keys, error);
	/* The service forgets tokens now and then. */
	if (result == TXS_FETCH_NEW_TOKEN)
		result = ask_imds_for_keys(url, keys, error);
	return result;
}

TxsFetch
txs_fetch_keys(const TxsIdentity *identity, const TxsSourceChoice *choice,
			   const TxsConnection *connection, TxsKeys *keys,
			   TxsFetchError *error)
{
	memset(error, 0, sizeof(*error));
	switch (choice->source)
	{
		case TXS_SOURCE_CONTAINER:
			return fetch_container(identity, keys, error);
		case TXS_SOURCE_WEB_IDENTITY:
			return fetch_web_identity(identity, choice, connection, keys,
									  error);
		case TXS_SOURCE_IMDS:
			return fetch_imds(identity, keys, error);
		default:
			return fail(error, "the source hands out no keys");
	}
}
