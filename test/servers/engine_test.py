#!/usr/bin/env python3
"""Writes, conditions, transactions, tokens, limits: what the service does without faults."""

import json
import os
import sys
import threading

from dynamodb.control import ORLEANS_TABLE
from dynamodb.engine import Engine
from dynamodb.errors import ServiceError
from fault_client import DATA, TABLE, Connection, FaultServer, Tap, get, key, put, transaction

tap = Tap()
VECTORS = os.path.join(DATA, "vectors", "item-size", "number-bytes.json")


def main():
    with FaultServer() as server, Connection(server.port) as connection:
        for test in (single_writes, conditions, transactions, cancellations, tokens, limits, numbers, sizes, updates,
                     bad_requests, batches, http):
            server.control(reset=True, items={TABLE: []})
            test(server, connection.call)
    concurrency()
    interleaved()
    tap.end()


def write(call, *actions, token=None):
    return call("TransactWriteItems", transaction(*actions, token=token))


def items(server):
    return server.get("/tables")[TABLE]


def answer(reply):
    """Status and, of an error, its code."""
    return reply.status if reply.status == 200 else (reply.status, reply.code())


INVALID = 400, "ValidationException"
FAILED = 400, "ConditionalCheckFailedException"


def single_writes(server, call):
    item = {**key("p", "r"), "A": {"S": "x"}}
    tap.equal(call("GetItem", get("p", "r")).json(), {}, "a missing item is an empty answer")
    tap.equal(call("PutItem", {"TableName": TABLE, "Item": item}).json(), {}, "PutItem")
    tap.equal(call("GetItem", get("p", "r")).json(), {"Item": item}, "GetItem finds it")
    once = {"TableName": TABLE, "Item": item, "ConditionExpression": "attribute_not_exists(RowKey)"}
    tap.equal(answer(call("PutItem", once)), FAILED, "a condition that does not hold")
    old = call("PutItem", {**once, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}).json()
    tap.equal(old.get("Item"), item, "the failed check returns the old item")
    reply = call("DeleteItem", {"TableName": TABLE, "Key": key("p", "r"), "ReturnValues": "ALL_OLD"})
    tap.equal(reply.json(), {"Attributes": item}, "DeleteItem returns the old item")
    tap.equal(answer(call("DeleteItem", {"TableName": TABLE, "Key": key("p", "r")})), 200, "deleting nothing is well")
    tap.equal(items(server), [], "nothing is left")


def conditions(server, call):
    item = {**key("p", "r"), "ETag": {"N": "7"}, "S": {"S": "abc"}, "L": {"L": [{"N": "1"}]},
            "M": {"M": {"a": {"S": "b"}}}}
    server.control(items={TABLE: [item]})
    values = {":7": {"N": "7.0"}, ":8": {"N": "8"}, ":10": {"N": "10"}, ":s": {"S": "ab"}, ":t": {"S": "S"},
              ":b": {"S": "b"}}
    for holds, text in (
            (True, "ETag = :7"), (False, "ETag = :8"), (False, "ETag = :s"), (True, "ETag <> :8"), (True, "ETag < :10"),
            (True, "ETag >= :7 AND ETag <= :7"), (False, "Missing = :7"), (True, "attribute_exists(ETag)"),
            (True, "attribute_not_exists(Missing) AND attribute_not_exists(Other)"),
            (False, "attribute_not_exists(Missing) AND attribute_not_exists(ETag)"),
            (True, "attribute_not_exists(ETag) OR ETag = :7"), (True, "NOT ETag = :8"),
            (True, "(ETag = :8 or ETag = :7)"),
            (True, "begins_with(S, :s)"), (True, "contains(S, :b)"), (True, "attribute_type(S, :t)"),
            (True, "ETag BETWEEN :7 AND :8"), (True, "ETag IN (:8, :7)"), (True, "size(S) < :8"), (True, "L[0] < :7"),
            (True, "M.a = :b"), (False, "L[1] < :7")):
        used = {name: value for name, value in values.items() if name in text}
        request = {"TableName": TABLE, "Item": item, "ConditionExpression": text}
        if used:
            request["ExpressionAttributeValues"] = used
        tap.equal(answer(call("PutItem", request)), 200 if holds else FAILED, "%s: %s" % (text, holds))
    for text in ("ETag =", "ETag = :none", "nofunction(ETag)", "", "ETag = :7 AND", "ETag ! :7", "size(ETag)"):
        tap.equal(answer(call("PutItem", {"TableName": TABLE, "Item": item, "ConditionExpression": text,
                                          "ExpressionAttributeValues": {":7": {"N": "7"}}})), INVALID,
                  "%r is no condition" % text)
    tap.equal(answer(call("PutItem", {
        "TableName": TABLE, "Item": item, "ConditionExpression": "#e = :7",
        "ExpressionAttributeNames": {"#e": "ETag"}, "ExpressionAttributeValues": {":7": {"N": "7"}}})), 200, "#names")
    tap.equal(answer(call("PutItem", {
        "TableName": TABLE, "Item": item, "ConditionExpression": "attribute_exists(ETag)",
        "ExpressionAttributeValues": {":7": {"N": "7"}}})), INVALID, "a value that no expression uses")


def transactions(server, call):
    tap.equal(answer(write(call, put("p", "state_1", 0), put("p", "key", 0))), 200, "two inserts")
    check = {"ConditionCheck": {"TableName": TABLE, "Key": key("p", "key"), "ConditionExpression": "ETag = :e",
                                "ExpressionAttributeValues": {":e": {"N": "0"}}}}
    delete = {"Delete": {"TableName": TABLE, "Key": key("p", "state_1"), "ConditionExpression": "ETag = :e",
                         "ExpressionAttributeValues": {":e": {"N": "0"}}}}
    tap.equal(answer(write(call, delete, check, put("q", "key", 5))), 200, "delete, check and insert")
    tap.equal([(item["PartitionKey"]["S"], item["RowKey"]["S"]) for item in items(server)],
              [("p", "key"), ("q", "key")], "all three were applied")
    tap.equal(answer(write(call, put("p", "a", 0), put("p", "a", 1))), INVALID, "an item twice")
    tap.equal(answer(write(call, put("p", "a", 0), {"Delete": {"TableName": TABLE, "Key": key("p", "a")}})), INVALID,
              "an item twice in two kinds")
    tap.equal(answer(write(call)), INVALID, "no action")
    tap.equal(answer(write(call, *(put("n", "%03d" % n, 0) for n in range(100)))), 200, "100 actions")
    tap.equal(answer(write(call, *(put("m", "%03d" % n, 0) for n in range(101)))), INVALID, "101 actions")
    tap.equal(len(items(server)), 102, "none of the 101 was applied")
    tap.equal(answer(write(call, {"Put": {"TableName": "missing-table", "Item": key("p", "r")}})),
              (400, "ResourceNotFoundException"), "a table that is not there")
    tap.equal(answer(write(call, {"Put": {}, "Delete": {}})), INVALID, "two kinds in one action")
    reply = call("TransactGetItems", {"TransactItems": [
        {"Get": {"TableName": TABLE, "Key": key("q", "key")}}, {"Get": {"TableName": TABLE, "Key": key("q", "no")}}]})
    tap.equal(reply.json()["Responses"], [{"Item": {**key("q", "key"), "ETag": {"N": "5"}}}, {}], "TransactGetItems")


def cancellations(server, call):
    write(call, put("p", "a", 1), put("p", "b", 2))
    reply = write(call, put("p", "new", 0), put("p", "a", 9, expected=8), put("p", "b", 3, expected=2))
    tap.equal(answer(reply), (400, "TransactionCanceledException"), "one condition does not hold")
    reasons = reply.json()["CancellationReasons"]
    tap.equal([reason["Code"] for reason in reasons], ["None", "ConditionalCheckFailed", "None"], "reasons in order")
    tap.ok("Message" not in reasons[0] and reasons[1]["Message"], "None has no message", reasons)
    tap.ok(reply.json()["Message"].endswith("[None, ConditionalCheckFailed, None]"), "the message sums up")
    tap.equal(len(items(server)), 2, "nothing was applied")
    action = put("p", "a", 9, expected=8)
    action["Put"]["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    reasons = write(call, action).json()["CancellationReasons"]
    tap.equal(reasons[0].get("Item"), {**key("p", "a"), "ETag": {"N": "1"}}, "ALL_OLD")
    for item, name in (({"PartitionKey": {"S": "p"}}, "no sort key"),
                       ({**key("p", "r"), "RowKey": {"N": "1"}}, "another type")):
        reply = write(call, put("p", "c", 0), {"Put": {"TableName": TABLE, "Item": item}})
        tap.equal([reason["Code"] for reason in reply.json()["CancellationReasons"]], ["None", "ValidationError"],
                  "an item with " + name)
    tap.equal(answer(write(call, put("p", "", 0))), INVALID, "an empty key is no reason, but refuses all")
    update = {"Update": {"TableName": TABLE, "Key": key("p", "a"), "UpdateExpression": "SET ETag = Missing"}}
    tap.equal([reason["Code"] for reason in write(call, put("p", "c", 0), update).json()["CancellationReasons"]],
              ["None", "ValidationError"], "an update that cannot be done")
    tap.equal(len(items(server)), 2, "and again nothing")


def tokens(server, call):
    body = json.dumps(transaction(put("p", "key", 0), token="t1")).encode()
    add = {"Update": {"TableName": TABLE, "Key": key("p", "n"), "UpdateExpression": "ADD N :1",
                      "ExpressionAttributeValues": {":1": {"N": "1"}}}}
    tap.equal(answer(call("TransactWriteItems", body)), 200, "first with a token")
    tap.equal(answer(call("TransactWriteItems", body)), 200, "the same again succeeds")
    tap.equal([answer(write(call, add, token="t2")) for _ in range(3)], [200] * 3, "an increment three times")
    tap.equal(call("GetItem", get("p", "n")).json()["Item"]["N"], {"N": "1"}, "was applied once")
    tap.equal(answer(write(call, put("p", "x", 0), token="t1")), (400, "IdempotentParameterMismatchException"),
              "the token with another request")
    loose = json.dumps(transaction(add, token="t2"), indent=1, sort_keys=True).encode()
    tap.equal(answer(call("TransactWriteItems", loose)), 200, "the same request in other bytes")
    tap.equal(server.get("/writes"), {"t1": {"sent": 3, "applied": 1, "replayed": 1},
                                      "t2": {"sent": 4, "applied": 1, "replayed": 3}}, "applications are counted")
    tap.equal([record["applied"] for record in server.log("TransactWriteItems")],
              [True, False, True, False, False, False, False], "the log says which were applied")
    server.control(advance=599)
    write(call, add, token="t2")
    server.control(advance=2)
    write(call, add, token="t2")
    tap.equal(call("GetItem", get("p", "n")).json()["Item"]["N"], {"N": "2"}, "after ten minutes it is new")
    failing = transaction(put("p", "key", 1, expected=5), token="t3")
    tap.equal(answer(call("TransactWriteItems", failing))[1], "TransactionCanceledException", "cancelled")
    write(call, put("p", "key", 5, expected=0))
    tap.equal(answer(call("TransactWriteItems", failing)), 200, "a cancelled request does not use up its token")
    tap.equal(answer(write(call, put("p", "y", 0), token="x" * 36)), 200, "36 characters")
    tap.equal(answer(write(call, put("p", "z", 0), token="x" * 37)), INVALID, "37 characters")
    tap.equal(answer(write(call, put("p", "z", 0), token="")), INVALID, "no character")


def padded(partition, row, size):
    """An item of so many bytes by the service's count."""
    item = key(partition, row)
    used = sum(len(name) + len(value["S"]) for name, value in item.items())
    return {**item, "D": {"S": "x" * (size - used - 1)}}


def limits(server, call):
    def put_of(partition, row, size):
        return {"Put": {"TableName": TABLE, "Item": padded(partition, row, size)}}
    tap.equal(answer(call("PutItem", put_of("p", "a", 409600)["Put"])), 200, "an item of 409,600 bytes")
    tap.equal(answer(call("PutItem", put_of("p", "b", 409601)["Put"])), INVALID, "one more is refused")
    tap.equal(answer(write(call, put_of("p", "b", 409601))), INVALID, "in a transaction, too")
    exact = [put_of("q", "r%02d" % n, 409600) for n in range(10)] + [put_of("q", "s", 4 * 1024 * 1024 - 4096000)]
    tap.equal(answer(write(call, *exact)), 200, "a transaction of 4 MB")
    exact[-1] = put_of("q", "s", 4 * 1024 * 1024 - 4096000 + 1)
    tap.equal(answer(write(call, *exact)), INVALID, "one byte more is refused")
    for size, wanted in ((2048, 200), (2049, INVALID)):
        tap.equal(answer(call("PutItem", {"TableName": TABLE, "Item": key("k" * size, "r")})), wanted,
                  "a partition key of %d bytes" % size)
    for size, wanted in ((1024, 200), (1025, INVALID)):
        tap.equal(answer(call("PutItem", {"TableName": TABLE, "Item": key("k", "r" * size)})), wanted,
                  "a sort key of %d bytes" % size)
    tap.equal(answer(call("PutItem", {"TableName": TABLE, "Item": key("", "r")})), INVALID, "an empty key")
    tap.equal(answer(call("GetItem", {"TableName": TABLE, "Key": {"PartitionKey": {"S": "p"}}})), INVALID, "half a key")
    tap.equal(answer(call("GetItem", {"TableName": TABLE, "Key": {**key("p", "r"), "X": {"S": "x"}}})), INVALID,
              "more than a key")
    tap.equal(answer(call("PutItem", {"TableName": TABLE, "Item": {**key("p", "r"), "RowKey": {"N": "1"}}})), INVALID,
              "a key of another type")
    tap.equal(answer(call("PutItem", {"TableName": TABLE, "Item": {**key("p", "r"), "B": {"B": ""}}})), 200,
              "an empty value that is no key")


def numbers(server, call):
    for text, stored in (
            ("0042.1200", "42.12"), ("-0", "0"), ("1E125", "1" + "0" * 125), ("1e-130", "0." + "0" * 129 + "1"),
            (".5", "0.5"), ("5.", "5"), ("+3", "3"), ("-1.50", "-1.5"), ("9007199254740995", "9007199254740995"),
            ("1" * 38, "1" * 38), ("9" * 38 + "E88", "9" * 38 + "0" * 88), ("1000", "1000"), ("0.0", "0"),
            ("12.3e1", "123"), ("-120e-1", "-12")):
        call("PutItem", {"TableName": TABLE, "Item": {**key("p", "r"), "N": {"N": text}}})
        tap.equal(call("GetItem", get("p", "r")).json()["Item"]["N"], {"N": stored}, "%s is stored expanded" % text)
    for text in ("", "x", "1 ", " 1", "1e", "--1", "0x1", "NaN", "Infinity", "1" * 39, "1E126", "1E-131", "0e126",
                 "1.2.3", "1e9999999999", "\u0661"):
        tap.equal(answer(call("PutItem", {"TableName": TABLE, "Item": {**key("p", "r"), "N": {"N": text}}})), INVALID,
                  "%r is no number for the service" % text)


def sizes(server, call):
    """By what still fits into 409,600 bytes."""
    with open(VECTORS) as vectors:
        captured = [(literal["literal"], {"N": literal["literal"]}, literal["bytes"])
                    for literal in json.load(vectors)["captured"]]
    others = [("4 characters", {"S": "\u00e9\u20ac\U0001f600a"}, 10), ("binary", {"B": "AAAA"}, 3),
              ("true", {"BOOL": True}, 1),
              ("null", {"NULL": True}, 1), ("a list", {"L": [{"S": "ab"}, {"N": "1"}]}, 3 + 3 + 3),
              ("a map", {"M": {"ab": {"S": "c"}}}, 3 + 1 + 2 + 1), ("a set", {"SS": ["a", "bc"]}, 3)]
    for name, value, size in captured + others:
        fits = {**padded("p", "r", 409600 - size - 1), "X": value}
        over = {**padded("p", "r", 409600 - size), "X": value}
        tap.equal([answer(call("PutItem", {"TableName": TABLE, "Item": item})) for item in (fits, over)],
                  [200, INVALID], "%s counts %d bytes" % (name, size))


def updates(server, call):
    def update(text, **values):
        request = {"TableName": TABLE, "Key": key("p", "r"), "UpdateExpression": text, "ReturnValues": "ALL_NEW"}
        if values:
            request["ExpressionAttributeValues"] = {":" + name: value for name, value in values.items()}
        reply = call("UpdateItem", request)
        return reply.json().get("Attributes") if reply.status == 200 else answer(reply)
    tap.equal(update("SET A = :a, B = :b", a={"S": "x"}, b={"N": "1"}),
              {**key("p", "r"), "A": {"S": "x"}, "B": {"N": "1"}}, "an update makes the item")
    tap.equal(update("SET B = B + :one REMOVE A", one={"N": "1"}), {**key("p", "r"), "B": {"N": "2"}}, "adds, removes")
    tap.equal(update("ADD B :n SET C = if_not_exists(C, :n)", n={"N": "5"})["B"], {"N": "7"}, "ADD")
    tap.equal(update("SET B = Missing + :n", n={"N": "5"}), INVALID, "an attribute that is not there")
    tap.equal(update("SET RowKey = :s", s={"S": "other"}), INVALID, "the key stays")


def bad_requests(server, call):
    serialization = 400, "SerializationException"
    for body, name in ((b"", "no body"), (b"[1]", "no object"), (b"{", "no JSON"), (b"\xff", "no UTF-8")):
        tap.equal(answer(call("GetItem", body)), serialization, name)
    for item, name in (({"A": {"S": 1}}, "S of a number"), ({"A": {"B": "!"}}, "B of no base64"),
                       ({"A": {"N": 1}}, "N of a number"),
                       ({"A": "x"}, "a bare value")):
        tap.equal(answer(call("PutItem", {"TableName": TABLE, "Item": {**key("p", "r"), **item}})), serialization, name)
    for item, name in (({"A": {}}, "an empty value"), ({"A": {"S": "x", "N": "1"}}, "two types"),
                       ({"A": {"SS": []}}, "an empty set"), ({"A": {"SS": ["a", "a"]}}, "a member twice"),
                       ({"A": {"Q": 1}}, "no such type")):
        tap.equal(answer(call("PutItem", {"TableName": TABLE, "Item": {**key("p", "r"), **item}})), INVALID, name)
    nested = {"S": "x"}
    for _ in range(32):
        nested = {"L": [nested]}
    tap.equal(answer(call("PutItem", {"TableName": TABLE, "Item": {**key("p", "r"), "A": nested}})), INVALID,
              "32 lists in lists")
    tap.equal(answer(call("PutItem", {"TableName": TABLE, "Item": {**key("p", "r"), "A": nested["L"][0]}})), 200,
              "31 lists in lists")
    tap.equal(answer(call("NoSuch", {})), (400, "UnknownOperationException"), "an operation that is not there")
    tap.equal(answer(call("GetItem", {"TableName": "x", "Key": {}})), INVALID, "a name that no table has")
    tap.equal(answer(call("GetItem", {"TableName": TABLE})), serialization, "no key")


def batches(server, call):
    server.control(items={TABLE: [{**key("p", "r%d" % n), "ETag": {"N": str(n)}} for n in range(5)]})
    keys = [key("p", "r%d" % n) for n in (0, 3, 9)]
    reply = call("BatchGetItem", {"RequestItems": {TABLE: {"Keys": keys}}}).json()
    tap.equal(sorted(item["ETag"]["N"] for item in reply["Responses"][TABLE]), ["0", "3"], "BatchGetItem")
    tap.equal(reply["UnprocessedKeys"], {}, "all were processed")
    server.control(unprocessed_after=1)
    reply = call("BatchGetItem", {"RequestItems": {TABLE: {"Keys": keys, "ConsistentRead": True}}}).json()
    tap.equal(reply["UnprocessedKeys"], {TABLE: {"Keys": keys[1:], "ConsistentRead": True}}, "the rest is given back")
    writes = [{"PutRequest": {"Item": key("q", "a")}}, {"DeleteRequest": {"Key": key("p", "r0")}}]
    reply = call("BatchWriteItem", {"RequestItems": {TABLE: writes}}).json()
    tap.equal(reply["UnprocessedItems"], {TABLE: writes[1:]}, "the same for writes")
    server.control(unprocessed_after=None)
    tap.equal(answer(call("BatchGetItem", {"RequestItems": {TABLE: {"Keys": keys + keys[:1]}}})), INVALID,
              "a key twice")
    many = [key("p", "r%d" % n) for n in range(101)]
    tap.equal(answer(call("BatchGetItem", {"RequestItems": {TABLE: {"Keys": many}}})), INVALID, "101 keys")
    server.control(items={TABLE: [padded("big", "r%d" % n, 400000) for n in range(4)]})
    reply = call("BatchGetItem", {"RequestItems": {TABLE: {"Keys": [key("big", "r%d" % n) for n in range(4)]}}}).json()
    tap.equal((len(reply["Responses"][TABLE]), len(reply["UnprocessedKeys"][TABLE]["Keys"])), (2, 2),
              "1 MB of one partition")
    tap.equal(answer(call("BatchWriteItem",
                          {"RequestItems": {TABLE: [{"PutRequest": {"Item": key("m", "%d" % n)}}
                                                    for n in range(26)]}})),
              INVALID, "26 writes")


def http(server, call):
    with Connection(server.port) as connection:
        reply = connection.request("GET", "/", {}, b"")
        tap.equal(reply.body, b"healthy: dynamodb.us-east-1.amazonaws.com ", "GET /")
        reply = connection.request("POST", "/", {"Content-Type": "text/plain"}, b"{}")
        tap.equal((reply.status, reply.body.strip()), (404, b"<UnknownOperationException/>"), "another content type")
        reply = connection.call("GetItem", get("p", "r"))
        tap.ok(reply.crc_is_right() and len(reply.headers["x-amzn-requestid"]) == 52 and "date" in reply.headers,
               "CRC, request id and Date", reply.headers)
        reply = connection.call("GetItem", {})
        tap.ok(reply.status == 400 and reply.crc_is_right() and "x-amzn-requestid" in reply.headers, "of an error, too")
        body = json.dumps(get("p", "r")).encode()
        connection.sock.sendall(b"POST / HTTP/1.1\r\nContent-Type: application/x-amz-json-1.0\r\n"
                                b"X-Amz-Target: DynamoDB_20120810.GetItem\r\nExpect: 100-continue\r\n"
                                b"Content-Length: %d\r\n\r\n" % len(body))
        tap.equal(connection.sock.recv(100), b"HTTP/1.1 100 Continue\r\n\r\n", "100 Continue")
        connection.sock.sendall(body)
        tap.equal(connection.receive().status, 200, "and then the answer")
        connection.sock.sendall(b"POST / HTTP/1.1\r\nContent-Type: application/x-amz-json-1.0\r\n"
                                b"X-Amz-Target: DynamoDB_20120810.ListTables\r\nTransfer-Encoding: chunked\r\n\r\n"
                                b"1\r\n{\r\n1\r\n}\r\n0\r\n\r\n")
        tap.equal(connection.receive().json(), {"TableNames": [TABLE]}, "a body in chunks, on the same connection")
    log = server.log()
    tap.equal(len({record["connection"] for record in log}), 1, "all on one connection")
    tap.equal(log[2]["headers"]["x-amz-target"], "DynamoDB_20120810.GetItem", "the log keeps headers")
    tap.equal(log[2]["body"], get("p", "r"), "and bodies")


def concurrency():
    """Every client's increments are there, whoever wins."""
    with FaultServer() as server:
        server.control(items={TABLE: [{**key("p", "n"), "ETag": {"N": "0"}}]})
        wins = []

        def client(name):
            won = 0
            with Connection(server.port) as connection:
                for turn in range(60):
                    etag = int(connection.call("GetItem", get("p", "n")).json()["Item"]["ETag"]["N"])
                    reply = connection.call("TransactWriteItems", transaction(
                        put("p", "n", etag + 1, expected=etag), put("log", "%s-%d" % (name, turn), etag + 1),
                        token="%s-%d" % (name, turn)))
                    won += reply.status == 200
            wins.append(won)

        threads = [threading.Thread(target=client, args=("c%d" % n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        tables = server.get("/tables")[TABLE]
        counter = next(item for item in tables if item["PartitionKey"]["S"] == "p")
        logged = sorted(int(item["ETag"]["N"]) for item in tables if item["PartitionKey"]["S"] == "log")
        tap.equal(len(wins), 8, "8 clients ended")
        tap.equal(int(counter["ETag"]["N"]), sum(wins), "the counter is what was acknowledged")
        tap.equal(logged, list(range(1, sum(wins) + 1)), "each step was written down once")
        applied = sum(count["applied"] for count in server.get("/writes").values())
        tap.equal(applied, sum(wins), "the server counted as many applications")


def interleaved():
    """The same within a process whose threads change places all the time."""
    engine, won, wait = Engine(), [], sys.getswitchinterval()
    engine.run("CreateTable", {"TableName": TABLE, **ORLEANS_TABLE}, b"")
    write(direct(engine), put("p", "n", 0))

    def client(name):
        for turn in range(100):
            etag = int(json.loads(engine.run("GetItem", get("p", "n"), b"")[0])["Item"]["ETag"]["N"])
            request = transaction(put("p", "n", etag + 1, expected=etag), put("log", "%s-%d" % (name, turn), etag + 1),
                                  token="%s-%d" % (name, turn))
            try:
                engine.run("TransactWriteItems", request, json.dumps(request).encode())
                won.append(name)
            except ServiceError:
                pass

    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=client, args=("c%d" % n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(wait)
    counter = int(json.loads(engine.run("GetItem", get("p", "n"), b"")[0])["Item"]["ETag"]["N"])
    tap.ok(len(won) < 400, "some have lost", len(won))
    tap.equal(counter, len(won), "no increment is lost when threads interleave")


def direct(engine):
    """call() without a server."""
    def call(operation, request):
        text, _ = engine.run(operation, request, json.dumps(request).encode())
        return text
    return call


main()
