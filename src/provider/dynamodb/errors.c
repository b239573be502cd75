/*
 * From what the service or the network said to an error of PostgreSQL's.
 *
 * By code, never by the words of a message, which differ from region to region
 * (spec dynamodb-client section 9).  DETAIL keeps the service's own words,
 * code and request id.
 */
#include "provider/dynamodb/dynamodb.h"

static const char load_hint[] = "Call load() to see what is there, then "
								"decide anew.";

typedef struct CodeMeaning
{
	const char *code;
	int sqlstate;
	const char *hint;
} CodeMeaning;

/* What is refused for ever; faults that are retried are reported by class. */
static const CodeMeaning meanings[] = {
	{"ResourceNotFoundException", ERRCODE_FDW_TABLE_NOT_FOUND,
	 "Call initialize_storage() to make the table."},
	{"AccessDeniedException", ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION,
	 "The credentials do not allow this operation."},
	{"UnrecognizedClientException",
	 ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION,
	 "Check the options of the user mapping."},
	{"InvalidSignatureException", ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION,
	 "Check the options of the user mapping."},
	{"IncompleteSignatureException",
	 ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION, NULL},
	{"MissingAuthenticationTokenException",
	 ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION, NULL},
	{"MissingAuthenticationToken", ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION,
	 NULL},
	{"ExpiredTokenException", ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION,
	 "Get new credentials and change the user mapping."},
	{"SignatureDoesNotMatch", ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION,
	 "Check the options of the user mapping."},
	{"ValidationException", ERRCODE_INVALID_PARAMETER_VALUE,
	 "Call describe_storage() to see whether the table is as Orleans' are."},
	{"ItemCollectionSizeLimitExceededException",
	 ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL},

	/* Reasons of a cancelled transaction. */
	{"AccessDenied", ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION,
	 "The credentials do not allow this operation."},
	{"ValidationError", ERRCODE_INVALID_PARAMETER_VALUE, NULL},
	{"ItemCollectionSizeLimitExceeded", ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL},
};

static const CodeMeaning *
find_meaning(const char *code)
{
	int i;

	for (i = 0; code != NULL && i < (int) lengthof(meanings); i++)
	{
		if (strcmp(meanings[i].code, code) == 0)
			return &meanings[i];
	}
	return NULL;
}

/* By the code, or by the first reason that means something. */
static const CodeMeaning *
find_call_meaning(const TxsCall *call)
{
	const CodeMeaning *meaning = find_meaning(call->code);
	int i;

	for (i = 0; meaning == NULL && i < call->nreasons; i++)
		meaning = find_meaning(call->reasons[i].code);
	return meaning;
}

/* As many reasons as a message should show. */
#define SHOWN_REASONS 5

/* Why a transaction was cancelled, action by action. */
static void
describe_reasons(StringInfo text, const TxsCall *call)
{
	int shown = 0;
	int i;

	for (i = 0; i < call->nreasons && shown < SHOWN_REASONS; i++)
	{
		const TxsReason *reason = &call->reasons[i];

		if (strcmp(reason->code, "None") == 0)
			continue;
		appendStringInfo(text, ", action %d %s", i, reason->code);
		if (reason->message != NULL)
			appendStringInfo(text, ": %s", reason->message);
		shown++;
	}
}

/* Where the call went, and what was said last. */
static char *
describe(const TxsCall *call, const char *detail)
{
	StringInfoData text;

	initStringInfo(&text);
	if (detail != NULL)
		appendStringInfo(&text, "%s  ", detail);
	appendStringInfo(&text, "%s on table \"%s\" at %s", call->operation,
					 call->connection->storage->table_name,
					 call->connection->endpoint.host);
	if (call->attempts > 1)
		appendStringInfo(&text, ", %d attempts", call->attempts);
	if (call->status != 0)
		appendStringInfo(&text, ", HTTP status %d", call->status);
	if (call->code != NULL)
		appendStringInfo(&text, ", %s", call->code);
	if (call->message != NULL)
		appendStringInfo(&text, ": %s", call->message);
	describe_reasons(&text, call);
	if (call->throttling != NULL)
		appendStringInfo(&text, ", reasons %s", call->throttling);
	if (call->request_id != NULL)
		appendStringInfo(&text, " (request %s)", call->request_id);
	return text.data;
}

/* Was there an answer that is none of DynamoDB's? */
static bool
is_no_answer(const TxsCall *call)
{
	return call->outcome == TXS_HTTP_TOO_LARGE ||
		   (call->outcome == TXS_HTTP_ANSWERED && call->status < 500 &&
			call->code == NULL);
}

static int
fault_sqlstate(const TxsCall *call, const char **hint)
{
	const CodeMeaning *meaning = find_call_meaning(call);

	*hint = NULL;
	switch (call->fault)
	{
		case TXS_FAULT_THROTTLED:
			*hint = "Try again later, or give the table more capacity.";
			return ERRCODE_CONFIGURATION_LIMIT_EXCEEDED;
		case TXS_FAULT_CONFLICT:
			*hint = "Nothing was applied.  Try again.";
			return ERRCODE_LOCK_NOT_AVAILABLE;
		case TXS_FAULT_CONDITION:
			*hint = load_hint;
			return ERRCODE_T_R_SERIALIZATION_FAILURE;
		case TXS_FAULT_CREDENTIALS:
		case TXS_FAULT_CLOCK:
		case TXS_FAULT_FINAL:
			if (meaning != NULL)
			{
				*hint = meaning->hint;
				return meaning->sqlstate;
			}
			return call->fault == TXS_FAULT_FINAL
					   ? ERRCODE_FDW_ERROR
					   : ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION;
		case TXS_FAULT_TRANSIENT:
		case TXS_FAULT_IN_PROGRESS:
			break;
	}
	if (call->outcome == TXS_HTTP_UNSENT)
		return ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION;
	return is_no_answer(call) ? ERRCODE_FDW_UNABLE_TO_CREATE_EXECUTION
							  : ERRCODE_CONNECTION_FAILURE;
}

void
txs_errors_report(const TxsCall *call, const char *what, const char *detail)
{
	const char *hint;
	int sqlstate;

	if (call->result == TXS_CALL_UNKNOWN)
		ereport(ERROR, errcode(ERRCODE_TRANSACTION_RESOLUTION_UNKNOWN),
				errmsg("%s: it is not known whether it was applied", what),
				errdetail("%s.", describe(call, detail)),
				errhint("%s", load_hint));
	sqlstate = fault_sqlstate(call, &hint);
	ereport(ERROR, errcode(sqlstate), errmsg("%s", what),
			errdetail("%s.", describe(call, detail)),
			hint != NULL ? errhint("%s", hint) : 0);
	pg_unreachable();
}

void
txs_errors_report_answer(const TxsConnection *connection,
						 const char *operation, TxsSlice partition,
						 const char *problem)
{
	const char *about = partition.data == NULL
							? ""
							: psprintf(" for partition \"%.*s\"",
									   (int) partition.length, partition.data);

	ereport(ERROR, errcode(ERRCODE_FDW_UNABLE_TO_CREATE_EXECUTION),
			errmsg("server \"%s\" gave no valid answer: %s",
				   connection->storage->name, problem),
			errdetail("%s%s on table \"%s\" at %s.", operation, about,
					  connection->storage->table_name,
					  connection->endpoint.host));
	pg_unreachable();
}

void
txs_errors_call(TxsCall *call, const char *what)
{
	txs_client_call(call);
	if (call->result != TXS_CALL_OK)
		txs_errors_report(call, what, NULL);
}
