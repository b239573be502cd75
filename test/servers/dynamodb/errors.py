"""The errors of the service: code, HTTP status, and how the body names them."""

SERVICE = "com.amazonaws.dynamodb.v20120810#"
CORAL = "com.amazon.coral.service#"
VALIDATE = "com.amazon.coral.validate#"

# Codes that do not come from DynamoDB itself but from the layer before it.
CORAL_CODES = {
    "SerializationException", "UnknownOperationException", "UnrecognizedClientException",
    "InvalidSignatureException", "MissingAuthenticationTokenException", "IncompleteSignatureException",
    "AccessDeniedException", "ExpiredTokenException", "InternalFailure", "ServiceUnavailable",
}

# These spell the key of the text with a capital.
CAPITAL_MESSAGE = {
    "TransactionCanceledException", "TransactionInProgressException", "IdempotentParameterMismatchException",
}


class ServiceError(Exception):
    def __init__(self, code, message=None, status=400, **more):
        super().__init__(code, message)
        self.code, self.message, self.status, self.more = code, message, status, more

    def body(self):
        if self.code.startswith("com."):
            kind = self.code
        elif self.code == "ValidationException":
            kind = VALIDATE + self.code
        else:
            kind = (CORAL if self.code in CORAL_CODES else SERVICE) + self.code
        body = {"__type": kind}
        if self.message is not None:
            body["Message" if self.code in CAPITAL_MESSAGE else "message"] = self.message
        body.update(self.more)
        return body


class KeyMismatch(ServiceError):
    """A key of another shape than the table's; it cancels a transaction rather than refusing it."""

    def __init__(self, message):
        super().__init__("ValidationException", message)


def invalid(message):
    return ServiceError("ValidationException", message)


def invalid_parameter(message):
    return invalid("One or more parameter values were invalid: " + message)


def not_found(message="Requested resource not found"):
    return ServiceError("ResourceNotFoundException", message)


REASON_MESSAGES = {
    "ConditionalCheckFailed": "The conditional request failed",
    "ItemCollectionSizeLimitExceeded": "Collection size exceeded.",
    "TransactionConflict": "Transaction is ongoing for the item",
    "ProvisionedThroughputExceeded": "The level of configured provisioned throughput for the table was exceeded. "
                                     "Consider increasing your provisioning level with the UpdateTable API.",
    "ThrottlingError": "Throughput exceeds the current capacity of your table or index.",
    "ValidationError": "The provided expression refers to an attribute that does not exist in the item",
    "AccessDenied": "Access denied.",
    "DuplicateItem": "Duplicate primary key exists in table",
}


def cancelled(reasons):
    """reasons: a code or a dict an action, in order."""
    listed = []
    for reason in reasons:
        if isinstance(reason, str):
            reason = {"Code": reason}
            if reason["Code"] in REASON_MESSAGES:
                reason["Message"] = REASON_MESSAGES[reason["Code"]]
        listed.append(reason)
    return ServiceError(
        "TransactionCanceledException",
        "Transaction cancelled, please refer cancellation reasons for specific reasons [%s]"
        % ", ".join(reason["Code"] for reason in listed),
        CancellationReasons=listed)
