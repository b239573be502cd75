"""
Faults: what can go wrong with one request.  script.py says when it does.

A rule is a dict, for example {"operation": "TransactWriteItems", "nth": 2,
"fault": "throttle", "times": 3}; README.md lists the fields and the faults.
"""

import json
import time

from .answers import Answer
from .errors import REASON_MESSAGES, ServiceError, cancelled
from .tables import ARN

BEFORE, AFTER = "before", "after"
KINDS = {}
# Those of a connection as it is made, before any request.
CONNECTION_KINDS = {"handshake_stall", "handshake_drop", "wrong_certificate", "plain_text", "connection_stall",
                    "connection_drop"}
WRITES = {"TransactWriteItems", "PutItem", "DeleteItem", "UpdateItem", "BatchWriteItem"}


def kind(when, *names):
    """A fault: function(answer, rule, request) changes or replaces the answer."""
    def register(function):
        for name in names or (function.__name__,):
            KINDS[name] = (function, when)
        return function
    return register


class Request:
    """What faults see of a request; the web server fills it in."""
    __slots__ = ("operation", "method", "path", "headers", "pairs", "body", "json", "record")


def carries_out(rule):
    """Whether the request is to be carried out at all."""
    return "later" not in rule and rule.get("when", KINDS[rule["fault"]][1]) == AFTER


def apply_fault(answer, rule, request):
    """The answer that the fault makes of a good one; headers may be added."""
    answer = KINDS[rule["fault"]][0](answer, rule, request)
    answer.headers.update(rule.get("headers", {}))
    return answer


# ----------------------------------------------------------- errors of the service

def error(code, message, status=400, **more):
    return Answer.error(ServiceError(code, message, status, **more))


def table_of(request):
    fields = request.json or {}
    if isinstance(fields.get("TransactItems"), list):
        fields = next((part for action in fields["TransactItems"] for part in action.values()), {})
    return fields.get("TableName") or "unknown"


@kind(BEFORE, "error")
def service_error(answer, rule, request):
    return error(rule.get("code", "InternalServerError"), rule.get("message", "An error."), rule.get("status", 400),
                 **rule.get("more", {}))


THROTTLES = {
    "ProvisionedThroughputExceededException": "The level of configured provisioned throughput for the table was "
                                              "exceeded. Consider increasing your provisioning level with the "
                                              "UpdateTable API.",
    "ThrottlingException": "Throughput exceeds the current capacity of your table or index.",
    "Throttling": "Rate exceeded",
    "RequestLimitExceeded": "Throughput exceeds the current throughput limit for your account.",
    "TooManyRequestsException": "Too many requests",
    "LimitExceededException": "Subscriber limit exceeded: There is a limit of 500 concurrent operations",
}


@kind(BEFORE)
def throttle(answer, rule, request):
    code = rule.get("code", "ProvisionedThroughputExceededException")
    more = {}
    if code in ("ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"):
        name = "throttlingReasons" if code == "ThrottlingException" else "ThrottlingReasons"
        more[name] = rule.get("reasons", [{
            "reason": "Table%sProvisionedThroughputExceeded" % ("Write" if request.operation in WRITES else "Read"),
            "resource": ARN + table_of(request)}])
    return error(code, THROTTLES.get(code, "Rate exceeded"), 429 if code == "TooManyRequestsException" else 400,
                 **more)


@kind(BEFORE)
def expired_token(answer, rule, request):
    return error("ExpiredTokenException", "The security token included in the request is expired")


@kind(BEFORE)
def unrecognized_client(answer, rule, request):
    return error("UnrecognizedClientException", "The security token included in the request is invalid.")


@kind(BEFORE)
def access_denied(answer, rule, request):
    return error("AccessDeniedException", "User: arn:aws:iam::000000000000:user/test is not authorized to perform: "
                 "dynamodb:%s on resource: %s%s" % (request.operation, ARN, table_of(request)))


@kind(BEFORE)
def not_found(answer, rule, request):
    return error("ResourceNotFoundException", "Requested resource not found")


@kind(BEFORE)
def bad_signature(answer, rule, request):
    return error("InvalidSignatureException", "The request signature we calculated does not match the signature you "
                 "provided. Check your AWS Secret Access Key and signing method. Consult the service documentation "
                 "for details.")


@kind(BEFORE)
def skew(answer, rule, request):
    """The server's clock is `seconds` ahead of ours, or behind."""
    answer = Answer.error(skew_error(request.headers.get("x-amz-date"), rule.get("seconds", 360)))
    answer.date_offset = rule.get("seconds", 360)
    return answer


def skew_error(signed_at, offset):
    now = time.time() + offset
    if offset < 0:
        text = "Signature not yet current: %s is still later than %s (%s + 5 min.)"
        limit = now + 300
    else:
        text = "Signature expired: %s is now earlier than %s (%s - 5 min.)"
        limit = now - 300
    return ServiceError("InvalidSignatureException",
                        text % (signed_at or basic_time(time.time()), basic_time(limit), basic_time(now)))


def basic_time(seconds):
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(seconds))


@kind(BEFORE)
def in_progress(answer, rule, request):
    return error("TransactionInProgressException",
                 "Transaction is in progress for the idempotent token. Please retry after some time.")


@kind(BEFORE)
def token_mismatch(answer, rule, request):
    return error("IdempotentParameterMismatchException", "The request uses the same client token as a previous, but "
                 "non-identical request. Do not reuse a client token with different requests, unless the requests are "
                 "identical")


@kind(BEFORE)
def replicated_write_conflict(answer, rule, request):
    return error("ReplicatedWriteConflictException", "The request was rejected because of a concurrent write in "
                 "another region.", 409)


@kind(BEFORE)
def cancel(answer, rule, request):
    """`reasons` as they are, or `code` at `action` (or "all") of the request's."""
    reasons = list(rule.get("reasons") or [])
    actions = len((request.json or {}).get("TransactItems") or [None])
    if not reasons:
        code, position = rule.get("code", "ConditionalCheckFailed"), rule.get("action", 0)
        reasons = [code if position == "all" or number == position % actions else "None" for number in range(actions)]
    reasons += ["None"] * (actions - len(reasons))
    return Answer.error(cancelled(reasons))


@kind(BEFORE)
def conflict(answer, rule, request):
    """The item is in another transaction."""
    if request.operation.startswith("Transact"):
        return cancel(answer, {"code": "TransactionConflict", "action": rule.get("action", 0)}, request)
    return error("TransactionConflictException", REASON_MESSAGES["TransactionConflict"])


# ----------------------------------------------------------------- HTTP statuses

def html(text):
    return ("<html><head><title>%s</title></head><body><h1>%s</h1></body></html>" % (text, text)).encode()


@kind(BEFORE, "http")
def http_status(answer, rule, request):
    """Any status, headers and body; body "html" and "empty" are abbreviations."""
    body = rule.get("body", "")
    answer = Answer(rule.get("status", 500), html("Error") if body == "html" else body.encode(),
                    rule.get("content_type", "text/html" if body == "html" else "application/x-amz-json-1.0"))
    if body in ("html", "empty"):
        answer.aws = False
        answer.body = answer.body if body == "html" else b""
    return answer


@kind(BEFORE)
def http_500(answer, rule, request):
    return error("InternalServerError", "Internal server error", 500)


@kind(BEFORE)
def http_502(answer, rule, request):
    return http_status(answer, {"status": 502, "body": "html"}, request)


@kind(BEFORE)
def http_503(answer, rule, request):
    return error("ServiceUnavailable", "Service Unavailable", 503)


@kind(BEFORE)
def http_503_html(answer, rule, request):
    return http_status(answer, {"status": 503, "body": "html"}, request)


@kind(BEFORE)
def http_504(answer, rule, request):
    return http_status(answer, {"status": 504, "body": "empty"}, request)


@kind(BEFORE)
def redirect(answer, rule, request):
    answer = http_status(answer, {"status": 307}, request)
    answer.headers["Location"] = rule.get("location", "http://127.0.0.1:9/")
    return answer


# -------------------------------------------------------------- bodies gone wrong

@kind(AFTER, "html")
def html_body(answer, rule, request):
    answer.status, answer.body, answer.content_type = 200, html("Welcome"), "text/html"
    return answer


@kind(AFTER)
def empty_body(answer, rule, request):
    answer.status, answer.body = 200, b""
    return answer


@kind(AFTER)
def wrong_crc(answer, rule, request):
    answer.crc = rule.get("crc", "wrong")
    return answer


@kind(AFTER)
def no_crc(answer, rule, request):
    answer.crc = None
    return answer


@kind(AFTER)
def truncated(answer, rule, request):
    """Content-Length says more than is sent before the connection ends."""
    answer.missing = rule.get("bytes", 10)
    answer.close = True
    return answer


@kind(AFTER)
def bad_json(answer, rule, request):
    answer.status = 200
    answer.body = rule.get("body", '{"Item": {"PartitionKey": {"S": "x", ').encode()
    return answer


@kind(AFTER)
def empty_object(answer, rule, request):
    answer.body = b"{}"
    return answer


@kind(AFTER)
def not_an_object(answer, rule, request):
    answer.status, answer.body = 200, rule.get("body", "[]").encode()
    return answer


@kind(AFTER)
def big_answer(answer, rule, request):
    """Over any cap: blanks follow the body, which stays good JSON."""
    answer.padding = rule.get("bytes", 64 << 20)
    answer.crc = None
    return answer


@kind(AFTER)
def big_headers(answer, rule, request):
    for number in range(rule.get("bytes", 1 << 20) // 1000):
        answer.headers["x-padding-%d" % number] = "x" * 980
    return answer


@kind(AFTER, "gzip")
def compressed(answer, rule, request):
    answer.gzip = True
    return answer


@kind(AFTER)
def chunked(answer, rule, request):
    answer.chunked = True
    return answer


@kind(AFTER)
def no_date(answer, rule, request):
    answer.date = ""
    return answer


@kind(AFTER)
def bad_date(answer, rule, request):
    answer.date = rule.get("date", "yesterday")
    return answer


# ------------------------------------------------------------- items gone wrong

def content_of(answer):
    """The object that a good answer holds, or None."""
    try:
        content = json.loads(answer.body) if answer.status == 200 else None
    except ValueError:
        return None
    return content if isinstance(content, dict) else None


def hold(answer, content):
    answer.body = json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")
    return answer


def shape(answer, rule, change):
    """change(items) on every list of items of an answer; "item" says which."""
    content = content_of(answer)
    if content is None:
        return answer
    if isinstance(content.get("Item"), dict):
        items = [content["Item"]]
        change(items)
        content["Item"] = items[-1]
    if isinstance(content.get("Items"), list):
        change(content["Items"])
        if "Count" in content:
            content["Count"] = content["ScannedCount"] = len(content["Items"])
    for items in (content.get("Responses") or {}).values() if isinstance(content.get("Responses"), dict) else ():
        change(items)
    return hold(answer, content)


def chosen(items, rule):
    """The items that a rule means: "item" is a position or, by default, all."""
    position = rule.get("item", "all")
    if position == "all":
        return list(items)
    return [items[position]] if -len(items) <= position < len(items) else []


def set_attribute(answer, rule, value, types):
    def change(items):
        for item in chosen(items, rule):
            names = [rule["attribute"]] if "attribute" in rule else [
                name for name, given in item.items() if next(iter(given)) in types and name not in (
                    "PartitionKey", "RowKey")][:1]
            for name in names:
                item[name] = value
    return shape(answer, rule, change)


@kind(AFTER)
def missing_attribute(answer, rule, request):
    def change(items):
        for item in chosen(items, rule):
            item.pop(rule.get("attribute", "ETag"), None)
    return shape(answer, rule, change)


@kind(AFTER)
def bad_number(answer, rule, request):
    return set_attribute(answer, rule, {"N": rule.get("value", "12x")}, ("N",))


@kind(AFTER)
def bad_base64(answer, rule, request):
    return set_attribute(answer, rule, {"B": rule.get("value", "!no base64!")}, ("B",))


@kind(AFTER)
def wrong_type(answer, rule, request):
    return set_attribute(answer, rule, rule.get("value", {"BOOL": True}), ("S", "N", "B"))


@kind(AFTER)
def duplicate_row(answer, rule, request):
    def change(items):
        if items:
            items.append(dict(items[-1]))
    return shape(answer, rule, change)


@kind(AFTER)
def unknown_row(answer, rule, request):
    def change(items):
        if items:
            items.append({**items[-1], "RowKey": {"S": rule.get("row_key", "state_zz")}})
    return shape(answer, rule, change)


@kind(AFTER)
def foreign_partition(answer, rule, request):
    return set_attribute(answer, {"attribute": "PartitionKey", **rule}, {"S": rule.get("value", "foreign")}, ())


@kind(AFTER)
def items_of_wrong_shape(answer, rule, request):
    content = content_of(answer)
    if content is None:
        return answer
    for name in ("Item", "Items", "Responses"):
        if name in content:
            content[name] = rule.get("value", "none")
    return hold(answer, content)


@kind(AFTER)
def empty_page(answer, rule, request):
    """No item, but a key to go on with."""
    content = content_of(answer)
    if content is None or "Items" not in content:
        return answer
    items, start = content["Items"], (request.json or {}).get("ExclusiveStartKey")
    if not start and items:
        # Something that sorts just before the first item, in the order of the request.
        row_key = items[0]["RowKey"]["S"]
        backward = request.json.get("ScanIndexForward") is False
        start = {"PartitionKey": items[0]["PartitionKey"], "RowKey": {"S": row_key + "~" if backward else row_key[:-1]}}
    if start:
        content.update(Items=[], Count=0, ScannedCount=0, LastEvaluatedKey=start)
    return hold(answer, content)


@kind(AFTER)
def last_key(answer, rule, request):
    """LastEvaluatedKey as given: {} and null mean the end, too."""
    content = content_of(answer)
    if content is None or "Items" not in content:
        return answer
    return hold(answer, {**content, "LastEvaluatedKey": rule.get("value", {})})


@kind(AFTER)
def unprocessed(answer, rule, request):
    """All but the first `keep` keys of a BatchGetItem are left for later."""
    content, keep = content_of(answer), rule.get("keep", 1)
    if content is None or "Responses" not in content or request.operation != "BatchGetItem":
        return answer
    left = content.setdefault("UnprocessedKeys", {})
    for table, part in (request.json.get("RequestItems") or {}).items():
        keys = part["Keys"][keep:]
        if keys:
            left[table] = {**part, "Keys": keys}
            content["Responses"][table] = [
                item for item in content["Responses"].get(table, [])
                if {name: item.get(name) for name in keys[0]} not in keys]
    return hold(answer, content)


# ------------------------------------------------- connections, stalls and drips

@kind(BEFORE, "drop_before_read", "drop_after_headers")
def early_drop(answer, rule, request):
    """The web server looks at these before it reads on."""
    answer.drop = True
    answer.reset = rule.get("reset", rule["fault"] == "drop_before_read")
    return answer


@kind(AFTER)
def drop_after_body(answer, rule, request):
    answer.drop, answer.reset = True, rule.get("reset", False)
    return answer


@kind(AFTER)
def drop_mid_answer(answer, rule, request):
    answer.cut, answer.reset = rule.get("at", "body"), rule.get("reset", False)
    return answer


@kind(AFTER)
def drop_idle(answer, rule, request):
    """A good answer; then the connection ends after some idle seconds."""
    answer.close_after, answer.reset = rule.get("seconds", 0.0), rule.get("reset", False)
    return answer


@kind(AFTER)
def close(answer, rule, request):
    answer.close = True
    return answer


@kind(AFTER)
def stall(answer, rule, request):
    answer.stall, answer.stall_seconds = rule.get("at", "start"), rule.get("seconds", 3600.0)
    return answer


@kind(AFTER)
def drip(answer, rule, request):
    answer.interval, answer.drip_from = rule.get("interval", 1.0), rule.get("at", "headers")
    return answer


@kind(AFTER)
def delay(answer, rule, request):
    answer.delay = rule.get("seconds", 0.1)
    return answer
