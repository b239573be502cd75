#!/usr/bin/env python3
"""Every fault as a raw socket sees it, whether it was applied, and the script that says when."""

import calendar
import gzip
import itertools
import json
import socket
import threading
import time
import zlib

from dynamodb.faults import CONNECTION_KINDS, KINDS
from fault_client import (TABLE, Broken, Connection, FaultServer, Tap, get, key, put, query, transaction)

tap = Tap()
tokens = ("token-%d" % number for number in itertools.count())
seen = set()


def main():
    with FaultServer() as server:
        for test in (service_errors, throttles, cancellations, statuses, bodies, forms, shapes, pages, drops, stalls,
                     drips, applications, not_applied, later, matching, random_mode, of_connections, scripts, resets):
            server.control(reset=True, items={TABLE: [
                {**key("p", "key"), "ETag": {"N": "3"}, "Metadata": {"B": "AAAA"}},
                {**key("p", "state_1"), "ETag": {"N": "1"}, "GrainState": {"B": "AAAA"}},
                {**key("p", "state_2"), "ETag": {"N": "2"}, "GrainState": {"B": "AAAA"}}]})
            test(server)
        exhaust(server)
    tap.ok(set(KINDS) | CONNECTION_KINDS - {"handshake_stall", "handshake_drop", "wrong_certificate",
                                            "plain_text"} <= seen,
           "every fault was seen, but those of tls_test", set(KINDS) - seen)
    tap.end()


def hit(server, fault, operation="GetItem", request=None, **fields):
    """The reply to a request that the fault hits, or Broken."""
    seen.add(fault)
    server.control(faults=[{"fault": fault, "operation": operation, **fields}])
    if request is None:
        request = {"GetItem": get("p", "key"), "Query": query("p"),
                   "BatchGetItem": {"RequestItems": {TABLE: {"Keys": [key("p", "key"), key("p", "state_1")]}}}}.get(
                       operation) or transaction(put(next(tokens), "key", 0), put("log", next(tokens), 0),
                                                 token=next(tokens))
    with Connection(server.port) as connection:
        try:
            return connection.call(operation, request)
        except Broken as broken:
            return broken


def last(server):
    return server.log()[-1]


def service_errors(server):
    for fault, code, status in (
            ("expired_token", "ExpiredTokenException", 400),
            ("unrecognized_client", "UnrecognizedClientException", 400),
            ("access_denied", "AccessDeniedException", 400), ("bad_signature", "InvalidSignatureException", 400),
            ("not_found", "ResourceNotFoundException", 400), ("in_progress", "TransactionInProgressException", 400),
            ("token_mismatch", "IdempotentParameterMismatchException", 400),
            ("replicated_write_conflict", "ReplicatedWriteConflictException", 409),
            ("http_500", "InternalServerError", 500), ("http_503", "ServiceUnavailable", 503),
            ("error", "InternalServerError", 400)):
        reply = hit(server, fault, "TransactWriteItems")
        tap.equal((reply.status, reply.code(), reply.crc_is_right(), last(server)["applied"]),
                  (status, code, True, False), fault)
    reply = hit(server, "error", code="com.amazon.coral.service#Odd", message="text", status=418, more={"Extra": [1]})
    tap.equal((reply.status, reply.json()),
              (418, {"__type": "com.amazon.coral.service#Odd", "message": "text", "Extra": [1]}), "any error")
    tap.ok("dynamodb:GetItem" in hit(server, "access_denied").json()["message"], "access_denied names the operation")
    for seconds, words in ((360, "Signature expired: "), (-360, "Signature not yet current: ")):
        reply = hit(server, "skew", seconds=seconds)
        date = calendar.timegm(time.strptime(reply.headers["date"], "%a, %d %b %Y %H:%M:%S GMT"))
        tap.ok(reply.code() == "InvalidSignatureException" and reply.json()["message"].startswith(words)
               and abs(date - time.time() - seconds) < 5, "skew of %d s" % seconds, reply.body, reply.headers)


def throttles(server):
    for code, status in (("ProvisionedThroughputExceededException", 400), ("ThrottlingException", 400),
                         ("Throttling", 400), ("RequestLimitExceeded", 400), ("TooManyRequestsException", 429),
                         ("LimitExceededException", 400)):
        reply = hit(server, "throttle", code=code)
        tap.equal((reply.status, reply.code()), (status, code), "throttle: " + code)
    body = hit(server, "throttle", "TransactWriteItems").json()
    tap.equal(body["ThrottlingReasons"], [{"reason": "TableWriteProvisionedThroughputExceeded",
                                          "resource": "arn:aws:dynamodb:us-east-1:000000000000:table/" + TABLE}],
              "ThrottlingReasons")
    tap.ok("throttlingReasons" in hit(server, "throttle", code="ThrottlingException").json(),
           "in lower case of ThrottlingException")
    reply = hit(server, "throttle", headers={"x-amz-retry-after": "1500"})
    tap.equal(reply.headers.get("x-amz-retry-after"), "1500", "a header more")
    server.control(faults=[{"operation": "GetItem", "fault": "throttle", "times": 3}])
    with Connection(server.port) as connection:
        tap.equal([connection.call("GetItem", get("p", "key")).status for _ in range(5)], [400, 400, 400, 200, 200],
                  "three times")


def cancellations(server):
    for code in ("ConditionalCheckFailed", "TransactionConflict", "ProvisionedThroughputExceeded", "ThrottlingError",
                 "ValidationError",
                 "ItemCollectionSizeLimitExceeded", "AccessDenied", "DuplicateItem", "SomethingNew"):
        reply = hit(server, "cancel", "TransactWriteItems", code=code, action=1)
        tap.equal([reason["Code"] for reason in reply.json()["CancellationReasons"]], ["None", code],
                  "cancelled by " + code)
        tap.equal((reply.code(), last(server)["applied"]), ("TransactionCanceledException", False), "and not applied")
    reply = hit(server, "cancel", "TransactWriteItems", reasons=["TransactionConflict", "ConditionalCheckFailed"])
    tap.ok(reply.json()["Message"].endswith("[TransactionConflict, ConditionalCheckFailed]"), "reasons in order",
           reply.body)
    reply = hit(server, "cancel", "TransactWriteItems", code="ThrottlingError", action="all")
    tap.ok(reply.json()["Message"].endswith("[ThrottlingError, ThrottlingError]"), "all of them", reply.body)
    reply = hit(server, "conflict", "TransactWriteItems")
    tap.ok(reply.json()["Message"].endswith("[TransactionConflict, None]"), "conflict", reply.body)
    tap.equal(hit(server, "conflict", "PutItem", {"TableName": TABLE, "Item": key("p", "x")}).code(),
              "TransactionConflictException",
              "conflict of one write")


def statuses(server):
    for fault, status, body in (("http_502", 502, b"<html>"), ("http_503_html", 503, b"<html>"),
                                ("http_504", 504, b"")):
        reply = hit(server, fault)
        tap.ok(reply.status == status and reply.body.startswith(body) and bool(reply.body) == bool(body)
               and "x-amz-crc32" not in reply.headers, fault, reply.headers, reply.body)
    reply = hit(server, "http", status=401, body="no", content_type="text/plain")
    tap.equal((reply.status, reply.body, reply.headers["content-type"]), (401, b"no", "text/plain"), "any status")
    tap.equal(hit(server, "http", status=200, body="html").body[:6], b"<html>", "HTML with 200")
    reply = hit(server, "redirect", location="http://127.0.0.1:1/x")
    tap.equal((reply.status, reply.headers["location"]), (307, "http://127.0.0.1:1/x"), "redirect")


def bodies(server):
    reply = hit(server, "html")
    tap.ok(reply.status == 200 and reply.body.startswith(b"<html>") and reply.headers["content-type"] == "text/html",
           "html")
    reply = hit(server, "empty_body")
    tap.equal((reply.status, reply.body), (200, b""), "empty_body")
    tap.equal(hit(server, "empty_object").body, b"{}", "empty_object")
    tap.equal(hit(server, "not_an_object").body, b"[]", "not_an_object")
    reply = hit(server, "bad_json")
    tap.ok(reply.status == 200 and reply.crc_is_right() and not_json(reply.body), "bad_json", reply.body)
    reply = hit(server, "wrong_crc")
    tap.ok(reply.status == 200 and not reply.crc_is_right() and "Item" in reply.json(), "wrong_crc")
    tap.equal(hit(server, "wrong_crc", crc="x").headers["x-amz-crc32"], "x", "a CRC that is no number")
    tap.ok("x-amz-crc32" not in hit(server, "no_crc").headers, "no_crc")
    tap.ok("date" not in hit(server, "no_date").headers, "no_date")
    tap.equal(hit(server, "bad_date").headers["date"], "yesterday", "bad_date")
    broken = hit(server, "truncated")
    tap.ok(isinstance(broken, Broken) and not broken.reset and b'"Item"' in broken.received,
           "truncated: less than Content-Length", broken)


def not_json(body):
    try:
        json.loads(body)
    except ValueError:
        return True
    return False


def forms(server):
    reply = hit(server, "gzip")
    tap.ok(reply.crc_is_right() and reply.headers["content-encoding"] == "gzip"
           and "Item" in json.loads(gzip.decompress(reply.body)), "gzip, with the CRC of what is sent")
    reply = hit(server, "chunked")
    tap.ok(reply.headers["transfer-encoding"] == "chunked" and "Item" in reply.json()
           and int(reply.headers["x-amz-crc32"]) == zlib.crc32(reply.body), "chunked")
    reply = hit(server, "big_answer", bytes=5 << 20)
    tap.ok(len(reply.body) > 5 << 20 and "Item" in reply.json(), "big_answer")
    tap.ok(sum(map(len, hit(server, "big_headers", bytes=100000).headers.values())) > 95000, "big_headers")
    reply = hit(server, "delay", seconds=0.1)
    tap.ok("Item" in reply.json(), "delay")
    reply = hit(server, "close")
    tap.equal(reply.headers.get("connection"), "close", "close")


def shapes(server):
    item = hit(server, "missing_attribute").json()["Item"]
    tap.ok("ETag" not in item and "Metadata" in item, "missing_attribute", item)
    item = hit(server, "missing_attribute", attribute="RowKey").json()["Item"]
    tap.ok("RowKey" not in item and "ETag" in item, "any attribute", item)
    tap.equal(hit(server, "bad_number").json()["Item"]["ETag"], {"N": "12x"}, "bad_number")
    tap.equal(hit(server, "bad_base64").json()["Item"]["Metadata"], {"B": "!no base64!"}, "bad_base64")
    tap.equal(hit(server, "wrong_type", attribute="ETag").json()["Item"]["ETag"], {"BOOL": True}, "wrong_type")
    items = hit(server, "bad_number", "Query", item=1).json()["Items"]
    tap.equal([row["ETag"]["N"] for row in items], ["1", "12x"], "in the second item")
    content = hit(server, "duplicate_row", "Query").json()
    tap.equal(([row["RowKey"]["S"] for row in content["Items"]], content["Count"]),
              (["state_1", "state_2", "state_2"], 3), "duplicate_row")
    items = hit(server, "unknown_row", "Query").json()["Items"]
    tap.equal(items[-1]["RowKey"], {"S": "state_zz"}, "unknown_row")
    items = hit(server, "foreign_partition", "Query").json()["Items"]
    tap.equal({row["PartitionKey"]["S"] for row in items}, {"foreign"}, "foreign_partition")
    tap.equal(hit(server, "items_of_wrong_shape", "Query").json()["Items"], "none", "items_of_wrong_shape")
    tap.equal(hit(server, "items_of_wrong_shape", value=[1]).json()["Item"], [1], "for GetItem")
    items = hit(server, "missing_attribute", "BatchGetItem").json()["Responses"][TABLE]
    tap.ok(len(items) == 2 and not any("ETag" in item for item in items), "in a batch", items)
    tap.ok(hit(server, "bad_number").crc_is_right(), "the CRC is that of the changed body")


def pages(server):
    content = hit(server, "empty_page", "Query").json()
    tap.equal((content["Items"], content["Count"]), ([], 0), "empty_page")
    with Connection(server.port) as connection:
        rest = connection.call("Query", query("p", ExclusiveStartKey=content["LastEvaluatedKey"])).json()
    tap.equal([row["RowKey"]["S"] for row in rest["Items"]], ["state_1", "state_2"], "its key leads on to all rows")
    tap.equal(hit(server, "last_key", "Query").json()["LastEvaluatedKey"], {}, "last_key: an empty object")
    tap.equal(hit(server, "last_key", "Query", value=None).json()["LastEvaluatedKey"], None, "or null")
    content = hit(server, "unprocessed", "BatchGetItem").json()
    tap.equal((len(content["Responses"][TABLE]), content["UnprocessedKeys"][TABLE]["Keys"]),
              (1, [key("p", "state_1")]), "unprocessed")


def drops(server):
    for fault, reset, applied, fields in (
            ("drop_before_read", True, False, {}), ("drop_after_headers", False, False, {}),
            ("drop_after_headers", True, False, {"reset": True}),
            ("drop_after_body", False, True, {}), ("drop_after_body", True, True, {"reset": True}),
            ("drop_after_body", False, False, {"when": "before"}), ("drop_mid_answer", False, True, {}),
            ("drop_mid_answer", False, True, {"at": "headers"})):
        broken = hit(server, fault, "TransactWriteItems", **fields)
        record = last(server)
        tap.ok(isinstance(broken, Broken) and broken.reset == reset and record["applied"] == applied,
               "%s %s" % (fault, fields), broken, record)
        if applied:
            tap.equal(server.get("/writes")[record["token"]]["applied"], 1, "it was applied once")
        if "mid_answer" in fault:
            tap.equal((bool(broken.received), b"\r\n\r\n" in broken.received), (True, "at" not in fields),
                      "part of the answer came")
        else:
            tap.equal(broken.received, b"", "nothing came")
    seen.add("drop_idle")
    server.control(faults=[{"fault": "drop_idle", "operation": "GetItem"}])
    with Connection(server.port) as connection:
        reply = connection.call("GetItem", get("p", "key"))
        tap.ok("Item" in reply.json() and "connection" not in reply.headers, "drop_idle: a good answer")
        tap.equal(connection.sock.recv(1), b"", "and then the end")
    server.control(faults=[{"fault": "drop_idle", "operation": "GetItem", "seconds": 30, "reset": True}])
    with Connection(server.port) as connection:
        connection.call("GetItem", get("p", "key"))
        try:
            connection.call("TransactWriteItems", transaction(put("idle", "key", 0)))
            tap.ok(False, "the next request meets the end")
        except Broken as broken:
            tap.ok(broken.reset, "the next request meets the end")
    tap.equal(last(server)["operation"], "GetItem", "and was not read")


def stalls(server):
    for at, came in (("start", False), ("headers", True), ("body", True)):
        seen.add("stall")
        server.control(clear_log=True, faults=[{"fault": "stall", "at": at, "operation": "GetItem"}])
        connection = Connection(server.port, timeout=0.2)
        connection.send("POST", "/",
                        {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "DynamoDB_20120810.GetItem"},
                        json.dumps(get("p", "key")).encode())
        try:
            connection.receive()
            ended = False
        except OSError:
            ended = True
        tap.ok(ended and bool(connection.buffer) == came, "stall at " + at, connection.buffer)
        connection.sock.close()
        closed = time.time()
        wait_until(lambda: last(server)["client_closed"])
        tap.ok(abs(last(server)["client_closed"] - closed) < 0.5, "the log says when the client closed", last(server))
    reply = hit(server, "stall", seconds=0.1)
    tap.ok("Item" in reply.json(), "after its time it goes on")
    reply = hit(server, "stall", seconds=0.1, at="body")
    tap.ok("Item" in reply.json(), "also in the body")
    for fault in ("stall", "delay"):
        reply = hit(server, fault, "TransactWriteItems", seconds=0.05, when="before")
        tap.equal((reply.json(), last(server)["applied"]), ({}, True), fault + " before the request is carried out")
    server.control(faults=[{"fault": "stall", "when": "before"}])
    with Connection(server.port, timeout=0.2) as connection:
        try:
            connection.call("TransactWriteItems", transaction(put("left", "key", 0)))
            tap.ok(False, "a client that leaves meanwhile")
        except socket.timeout:
            tap.ok(True, "a client that leaves meanwhile")
    wait_until(lambda: last(server)["client_closed"])
    tap.equal((last(server)["applied"], server.call("GetItem", get("left", "key")).json()), (False, {}),
              "has changed nothing")


def wait_until(condition, seconds=5):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


def drips(server):
    for at in ("headers", "body"):
        began = time.monotonic()
        reply = hit(server, "drip", interval=0.001, at=at)
        tap.ok("Item" in reply.json() and time.monotonic() - began > 0.001 * len(reply.body), "drip from the " + at)


def applications(server):
    """What was applied is told by the server, and a replay shows it."""
    for fault in ("http_500", "throttle", "wrong_crc", "drop_after_body", "in_progress", "conflict"):
        for when in ("before", "after"):
            name = "%s-%s" % (fault, when)
            request = transaction(put(name, "key", 0), token=name)
            hit(server, fault, "TransactWriteItems", request, when=when)
            tap.equal(server.get("/writes").get(name, {}).get("applied", 0), int(when == "after"), name)
            tap.equal(server.call("TransactWriteItems", request).status, 200, "and then the same token succeeds")
            tap.equal(server.get("/writes")[name]["applied"], 1, "having been applied once")


def not_applied(server):
    """No answer of a request that was not carried out is a good one."""
    for fault, (_, when) in sorted(KINDS.items()):
        if when == "after" and fault not in ("stall", "delay", "drip", "big_answer", "unprocessed", "drop_idle"):
            reply = hit(server, fault, "TransactWriteItems", when="before")
            good = (not isinstance(reply, Broken) and reply.status == 200 and not not_json(reply.body)
                    and isinstance(reply.json(), dict))
            tap.ok(not good and last(server)["applied"] is False, "%s before does not say success" % fault, reply)


def later(server):
    request = transaction(put("late", "key", 0), token="late")
    tap.ok(isinstance(hit(server, "drop_after_body", "TransactWriteItems", request, later=0.3), Broken), "dropped")
    tap.equal((last(server)["applied"], last(server)["when"]), (None, "later"), "and not yet applied")
    tap.equal(server.call("GetItem", get("late", "key")).json(), {}, "as a read shows")
    number = server.log("TransactWriteItems")[-1]["number"]

    def applied():
        return next(record for record in server.log() if record["number"] == number)["applied"]
    wait_until(applied)
    tap.equal((applied(), server.call("GetItem", get("late", "key")).status), (True, 200), "but later")
    request = transaction(put("late2", "key", 0), token="late2")
    hit(server, "in_progress", "TransactWriteItems", request, later=0.1)
    server.call("TransactWriteItems", request)
    time.sleep(0.2)
    tap.equal(server.get("/writes")["late2"], {"sent": 2, "applied": 1, "replayed": 1},
              "a retry comes first: applied once")


def matching(server):
    def statuses(connection, *operations):
        requests = {"GetItem": get("p", "key"), "Query": query("p")}
        return [connection.call(operation, requests[operation]).status for operation in operations]
    with Connection(server.port) as connection:
        server.control(faults=[{"operation": "GetItem", "nth": 2, "fault": "http_500"}])
        tap.equal(statuses(connection, "GetItem", "Query", "GetItem", "GetItem"), [200, 200, 500, 200],
                  "the second GetItem")
        server.control(faults=[{"operation": ["GetItem", "Query"], "nth": 2, "times": 2, "fault": "http_500"}])
        tap.equal(statuses(connection, "GetItem", "Query", "GetItem", "GetItem"), [200, 500, 500, 200],
                  "two operations")
        server.control(faults=[{"times": None, "fault": "http_500"}])
        tap.equal(statuses(connection, "GetItem", "Query", "GetItem"), [500] * 3, "all")
        server.control(faults=[{"every": 2, "fault": "http_500"}])
        tap.equal(statuses(connection, *["GetItem"] * 4), [500, 200, 500, 200], "every second")
        server.control(faults=[{"for_seconds": 0.2, "fault": "http_500"}])
        first = statuses(connection, "GetItem", "GetItem")
        time.sleep(0.3)
        tap.equal(first + statuses(connection, "GetItem"), [500, 500, 200], "for a time")
        server.control(faults=[{"body_contains": '"key"', "times": None, "fault": "http_500"}])
        tap.equal(statuses(connection, "Query", "GetItem", "Query"), [200, 500, 200], "by what the body holds")
        number = server.log()[-1]["connection"]
        server.control(faults=[{"connection": number + 1, "times": None, "fault": "http_500"}])
        with Connection(server.port) as other:
            tap.equal(statuses(connection, "GetItem") + statuses(other, "GetItem"), [200, 500], "of one connection")
        server.control(faults=[{"nth": 1, "fault": "http_500"}, {"nth": 1, "times": 2, "fault": "http_503"}])
        tap.equal(statuses(connection, "GetItem", "GetItem", "GetItem"), [500, 503, 200],
                  "the first rule wins, both count")
        server.control(add_faults=[{"fault": "http_502"}])
        rules = server.get()["faults"]
        tap.equal([(rule["seen"], rule["hits"]) for rule in rules], [(3, 1), (3, 1), (0, 0)],
                  "what rules have seen and hit")


def random_mode(server):
    def run(seed):
        server.control(faults=[], random={"probability": 0.3, "seed": seed, "operations": ["GetItem"], "faults": [
            "http_500", {"fault": "throttle", "code": "ThrottlingException"}]})
        with Connection(server.port) as connection:
            for _ in range(100):
                connection.call("Query", query("p"))
                connection.call("GetItem", get("p", "key"))
        server.control(random=None)
        log = server.log()[-200:]
        return [record["fault"] for record in log if record["operation"] == "GetItem"], [
            record["fault"] for record in log if record["operation"] == "Query"]
    first, others = run(1)
    tap.ok(15 <= len([fault for fault in first if fault]) <= 45 and set(first) == {None, "http_500", "throttle"},
           "about so many", first)
    tap.equal(set(others), {None}, "of these operations only")
    tap.equal(run(1)[0], first, "the same seed does the same")
    tap.ok(run(2)[0] != first, "another another")
    # With all of them nothing is applied twice and every client can go on.
    server.control(clear_log=True, random={"probability": 0.5, "seed": 3})
    acknowledged = set()
    for number in range(200):
        request = transaction(put("random", "r%d" % number, 0), token="r%d" % number)
        for _ in range(50):
            try:
                if server.call("TransactWriteItems", request).status == 200:
                    acknowledged.add("r%d" % number)
                    break
            except (Broken, KeyError, ValueError):
                pass
    server.control(random=None)
    writes = server.get("/writes")
    tap.equal(len(acknowledged), 200, "every write was acknowledged in the end")
    tap.equal({count["applied"] for count in writes.values()}, {1}, "and applied once")
    tap.ok(len({record["fault"] for record in server.log()}) > 15, "by many kinds of faults")
    every_kind(server)


def every_kind(server):
    """A good answer is the truth, whatever goes wrong."""
    server.control(clear_log=True, random={"probability": 0.9, "seed": 4, "faults": "all"})
    good = set()
    for number in range(300):
        token = "all-%d" % number
        try:
            reply = server.call("TransactWriteItems", transaction(put("all", token, 0), token=token))
            if reply.status == 200 and isinstance(reply.json(), dict) and reply.crc_is_right():
                good.add(token)
        except (Broken, OSError, KeyError, ValueError):
            pass
        if number % 4 == 0:
            try:
                server.call("Query", query("p"))
            except (Broken, OSError, KeyError, ValueError):
                pass
    server.control(random=None)
    writes, log = server.get("/writes"), server.log()
    tap.ok(len(good) > 50 and all(writes[token]["applied"] == 1 for token in good),
           "every good answer was applied once", good)
    tap.equal({count["applied"] for count in writes.values()}, {1}, "and no write twice")
    tap.ok(len({record["fault"] for record in log}) > 40, "with most kinds of faults")
    tap.ok(all(record["status"] or "drop" in record["fault"] for record in log), "and no accident in the server",
           [record for record in log if not record["status"]][:3])


def of_connections(server):
    seen.update(("connection_drop", "connection_stall"))
    server.control(faults=[{"operation": "connection", "fault": "connection_drop", "reset": True}])
    # It may be reset before connect() has returned.
    try:
        with Connection(server.port) as connection:
            connection.call("GetItem", get("p", "key"))
        tap.ok(False, "connection_drop")
    except (Broken, ConnectionError):
        tap.ok(True, "connection_drop")
    tap.equal(server.call("GetItem", get("p", "key")).status, 200, "the next is well")
    server.control(faults=[{"operation": "connection", "fault": "connection_stall"}])
    with Connection(server.port, timeout=0.2) as connection:
        try:
            connection.call("GetItem", get("p", "key"))
            tap.ok(False, "connection_stall")
        except socket.timeout:
            tap.ok(True, "connection_stall")
    before = server.get()["connections"]
    server.get()
    tap.equal(server.get()["connections"], before, "the control port's do not count")
    server.control(idle_seconds=0.1)
    with Connection(server.port) as connection:
        connection.call("GetItem", get("p", "key"))
        began = time.monotonic()
        tap.ok(connection.sock.recv(1) == b"" and time.monotonic() - began < 2, "idle connections are closed")
    server.control(idle_seconds=None)


def scripts(server):
    for rules in ([{"fault": "nothing"}], [{"fault": "throttle", "when": "later"}], [3], [{"fault": "connection_drop"}],
                  [{"fault": "throttle", "operation": "connection"}], [{"fault": "throttle", "nht": 2}]):
        try:
            server.control(faults=rules)
            tap.ok(False, "a wrong script is refused: %s" % rules)
        except ValueError:
            tap.ok(True, "a wrong script is refused: %s" % rules)
    try:
        server.control(fautls=[])
        tap.ok(False, "and so is an unknown change")
    except ValueError:
        tap.ok(True, "and so is an unknown change")


def resets(server):
    server.call("TransactWriteItems", transaction(put("p", "x", 0), token="x"))
    server.control(faults=[{"fault": "throttle"}], random={"probability": 1}, clear_log=True)
    tap.equal((server.log(), server.get("/writes")), ([], {}), "clear_log")
    server.control(reset=True)
    state = server.get()
    tap.equal((server.get("/tables"), server.log(), state["faults"], state["random"]), ({}, [], [], None), "reset")
    server.control(items={TABLE: []})
    tap.equal(server.call("TransactWriteItems", transaction(put("p", "x", 0), token="x")).status, 200,
              "tokens are forgotten")
    tap.equal(server.get("/writes"), {"x": {"sent": 1, "applied": 1, "replayed": 0}}, "and so are counts")
    server.control(reset=True)
    tap.equal(server.get("/writes"), {}, "as a look shows")


def exhaust(server):
    """A thousand connections that end badly leave the server as it was."""
    server.control(reset=True, items={TABLE: []}, faults=[{"fault": "drop_after_body", "times": None}])

    def many():
        for _ in range(125):
            try:
                server.call("GetItem", get("p", "key"))
            except (Broken, OSError):
                pass
    threads = [threading.Thread(target=many) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    server.control(faults=[])
    tap.equal(server.call("GetItem", get("p", "key")).status, 200,
              "it still answers after a thousand dropped connections")
    tap.ok(wait_until(lambda: server.get()["open_connections"] == 1), "and none is left open but the one that asks")


main()
