#!/usr/bin/env python3
"""Query, Scan and their pages; tables."""

from fault_client import TABLE, Connection, FaultServer, Tap, get, key, query

tap = Tap()


def main():
    with FaultServer() as server, Connection(server.port) as connection:
        for test in (ranges, limits, big_pages, scans, bad_reads, tables):
            server.control(reset=True, items={TABLE: []})
            test(server, connection.call)
    tap.end()


def rows(reply):
    return [item["RowKey"]["S"] for item in reply.json()["Items"]]


def pages(call, operation, request):
    """The rows of each page until no key is left."""
    found, request = [], dict(request)
    while True:
        reply = call(operation, request)
        found.append(rows(reply))
        if "LastEvaluatedKey" not in reply.json():
            return found
        request["ExclusiveStartKey"] = reply.json()["LastEvaluatedKey"]


def ranges(server, call):
    names = ["key", "state_1", "state_2", "state_3", "state_~", "state_~~", "zz"]
    server.control(items={TABLE: [key("p", name) for name in reversed(names)] + [key("o", "state_1"),
                                                                                 key("q", "state_1")]})
    reply = call("Query", query("p"))
    tap.equal(rows(reply), ["state_1", "state_2", "state_3", "state_~"], "BETWEEN, in order")
    tap.equal((reply.json()["Count"], reply.json()["ScannedCount"]), (4, 4), "Count, ScannedCount")
    tap.equal(rows(call("Query", query("none"))), [], "a partition that is not there")
    tap.equal(rows(call("Query", query("p", ScanIndexForward=False))), ["state_~", "state_3", "state_2", "state_1"],
              "backwards")
    for condition, wanted in (
            ("PartitionKey = :p", names), ("PartitionKey = :p AND RowKey = :r", ["state_2"]),
            ("PartitionKey = :p AND RowKey > :r", names[3:]), ("PartitionKey = :p AND RowKey >= :r", names[2:]),
            ("RowKey < :r AND PartitionKey = :p", names[:2]), ("PartitionKey = :p AND RowKey <= :r", names[:3]),
            ("PartitionKey = :p AND begins_with(RowKey, :r)", ["state_2"])):
        values = {":p": {"S": "p"}, ":r": {"S": "state_2"}}
        request = {"TableName": TABLE, "KeyConditionExpression": condition, "ExpressionAttributeValues": {
            name: value for name, value in values.items() if name in condition}}
        tap.equal(rows(call("Query", request)), wanted, condition)
    # By unsigned bytes of UTF-8, which is not the order of UTF-16.
    server.control(items={TABLE: [key("u", "state_" + name) for name in ("\U0001f600", "\uffee", "a", "B")]})
    request = {"TableName": TABLE, "KeyConditionExpression": "PartitionKey = :p",
               "ExpressionAttributeValues": {":p": {"S": "u"}}}
    tap.equal(rows(call("Query", request)), ["state_B", "state_a", "state_\uffee", "state_\U0001f600"],
              "the order of bytes")
    tap.equal(call("Query", {**request, "Select": "COUNT"}).json(), {"Count": 4, "ScannedCount": 4}, "only the count")
    reply = call("Query", {**request, "ProjectionExpression": "#r", "ExpressionAttributeNames": {"#r": "RowKey"}})
    tap.equal(reply.json()["Items"][0], {"RowKey": {"S": "state_B"}}, "a projection")
    reply = call("Query", {**request, "FilterExpression": "RowKey = :r", "ExpressionAttributeValues": {
        ":p": {"S": "u"}, ":r": {"S": "state_a"}}}).json()
    tap.equal((reply["Count"], reply["ScannedCount"]), (1, 4), "a filter reads all")


def limits(server, call):
    server.control(items={TABLE: [key("p", "state_%d" % n) for n in range(5)]})
    tap.equal(pages(call, "Query", query("p", Limit=2)), [["state_0", "state_1"], ["state_2", "state_3"], ["state_4"]],
              "Limit")
    tap.equal(pages(call, "Query", query("p", Limit=5)), [["state_%d" % n for n in range(5)], []],
              "Limit of as many as there are: one more page")
    tap.equal(pages(call, "Query", query("p", Limit=2, ScanIndexForward=False)),
              [["state_4", "state_3"], ["state_2", "state_1"], ["state_0"]], "backwards")
    start = query("p", ExclusiveStartKey=key("p", "state_1x"))
    tap.equal(rows(call("Query", start)), ["state_2", "state_3", "state_4"], "from a key that is not there")
    reply = call("Query", query("p", ExclusiveStartKey=key("q", "state_1")))
    tap.equal(reply.code(), "ValidationException", "from another partition")


def big_pages(server, call):
    server.control(items={TABLE: [{**key("p", "state_%d" % n), "D": {"S": "x" * 300000}} for n in range(9)]})
    tap.equal([len(page) for page in pages(call, "Query", query("p"))], [4, 4, 1],
              "the item that passes 1 MB ends a page")
    server.control(page_bytes=1)
    tap.equal([len(page) for page in pages(call, "Query", query("p"))], [1] * 9, "pages can be made small")
    server.control(page_bytes=1 << 20)
    tap.equal([len(page) for page in pages(call, "Scan", {"TableName": TABLE})], [4, 4, 1], "Scan, too")


def scans(server, call):
    everything = [key("p%02d" % n, "r%d" % row) for n in range(40) for row in range(3)]
    server.control(items={TABLE: everything})

    def scanned(**more):
        found, request = [], {"TableName": TABLE, **more}
        while True:
            reply = call("Scan", request).json()
            found += reply["Items"]
            if "LastEvaluatedKey" not in reply:
                return found
            request["ExclusiveStartKey"] = reply["LastEvaluatedKey"]

    def in_order(items):
        return sorted(items, key=str)
    tap.equal(in_order(scanned()), in_order(everything), "Scan finds all")
    tap.equal(in_order(scanned(Limit=7)), in_order(everything), "by 7 as well, each once")
    for segments in (1, 2, 5):
        parts = [scanned(TotalSegments=segments, Segment=segment, Limit=7) for segment in range(segments)]
        tap.equal(in_order(sum(parts, [])), in_order(everything), "%d segments are all, each once" % segments)
        tap.ok(all(parts), "no segment is empty", [len(part) for part in parts])
    server.call("DeleteItem", {"TableName": TABLE, "Key": key("p01", "r0")})
    tap.equal(len(scanned()), 119, "a deleted item is gone")


def bad_reads(server, call):
    good = {"TableName": TABLE, "KeyConditionExpression": "PartitionKey = :p",
            "ExpressionAttributeValues": {":p": {"S": "p"}}}
    values = {":p": {"S": "p"}, ":r": {"S": "r"}}
    for change, name in (
            ({"KeyConditionExpression": "RowKey = :p"}, "no partition key"),
            ({"KeyConditionExpression": "PartitionKey > :p"}, "a range of partitions"),
            ({"KeyConditionExpression": "PartitionKey = :p AND Other = :r", "ExpressionAttributeValues": values},
             "no key"),
            ({"KeyConditionExpression": None}, "no condition"), ({"Limit": 0}, "Limit 0"),
            ({"ExpressionAttributeValues": {":p": {"N": "1"}}}, "another type"),
            ({"ExpressionAttributeValues": values}, "an unused value"),
            ({"KeyConditionExpression": "PartitionKey = :p AND RowKey BETWEEN :r AND :p",
              "ExpressionAttributeValues": values},
             "a range upside down"), ({"ExpressionAttributeValues": {":p": {"S": ""}}}, "an empty key")):
        reply = call("Query", {**good, **change})
        tap.equal((reply.status, reply.code()), (400, "ValidationException"), "Query: " + name)
    for change in ({"Segment": 0}, {"TotalSegments": 2}, {"Segment": 2, "TotalSegments": 2}):
        reply = call("Scan", {"TableName": TABLE, **change})
        tap.equal((reply.status, reply.code()), (400, "ValidationException"), "Scan with %s" % change)


def tables(server, call):
    wanted = {
        "TableName": "Other.Table-1", "BillingMode": "PROVISIONED",
        "AttributeDefinitions": [{"AttributeName": "H", "AttributeType": "N"},
                                 {"AttributeName": "R", "AttributeType": "B"}],
        "KeySchema": [{"AttributeName": "H", "KeyType": "HASH"}, {"AttributeName": "R", "KeyType": "RANGE"}],
        "ProvisionedThroughput": {"ReadCapacityUnits": 10, "WriteCapacityUnits": 5}}
    name = {"TableName": "Other.Table-1"}

    def status():
        reply = call("DescribeTable", name)
        return reply.json()["Table"]["TableStatus"] if reply.status == 200 else reply.code()
    server.control(table_seconds={"create": 5, "update": 3, "delete": 2})
    tap.equal(status(), "ResourceNotFoundException", "no table yet")
    reply = call("CreateTable", wanted)
    tap.equal((reply.status, reply.json()["TableDescription"]["TableStatus"]), (200, "CREATING"), "CreateTable")
    tap.equal(call("CreateTable", wanted).code(), "ResourceInUseException", "twice")
    item = {"H": {"N": "1"}, "R": {"B": "AA=="}}
    tap.equal(call("PutItem", {**name, "Item": item}).code(), "ResourceNotFoundException", "no use before it is ready")
    tap.equal(call("DeleteTable", name).code(), "ResourceInUseException", "nor can it be deleted")
    server.control(advance=5)
    tap.equal(status(), "ACTIVE", "after its time it is active")
    tap.equal(call("PutItem", {**name, "Item": item}).status, 200, "and takes items")
    tap.equal(call("GetItem", {**name, "Key": {"H": {"N": "1.0"}, "R": {"B": "AA=="}}}).json(), {"Item": item},
              "a number is a key by value")
    described = call("DescribeTable", name).json()["Table"]
    tap.equal([described[part] for part in ("ItemCount", "TableSizeBytes", "KeySchema", "AttributeDefinitions")],
              [1, 5, wanted["KeySchema"], wanted["AttributeDefinitions"]], "its description")
    tap.equal((described["ProvisionedThroughput"]["ReadCapacityUnits"], "BillingModeSummary" in described),
              (10, False), "provisioned")
    tap.equal(call("UpdateTable", {**name, "ProvisionedThroughput": wanted["ProvisionedThroughput"]}).code(),
              "ValidationException",
              "an update that changes nothing")
    reply = call("UpdateTable", {**name, "BillingMode": "PAY_PER_REQUEST"})
    tap.equal(reply.json()["TableDescription"]["TableStatus"], "UPDATING", "UpdateTable")
    tap.equal(call("UpdateTable", {**name, "BillingMode": "PROVISIONED"}).code(), "ResourceInUseException", "twice")
    server.control(advance=3)
    described = call("DescribeTable", name).json()["Table"]
    tap.equal((described["TableStatus"], described["BillingModeSummary"]["BillingMode"],
               described["ProvisionedThroughput"]["ReadCapacityUnits"]),
              ("ACTIVE", "PAY_PER_REQUEST", 0), "on demand")
    tap.equal(call("DescribeTimeToLive", name).json(), {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}},
              "no TTL")
    call("UpdateTimeToLive", {**name, "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "T"}})
    tap.equal(call("DescribeTimeToLive", name).json()["TimeToLiveDescription"],
              {"TimeToLiveStatus": "ENABLED", "AttributeName": "T"}, "TTL")
    tap.equal(call("ListTables", {"Limit": 1}).json(), {"TableNames": [TABLE], "LastEvaluatedTableName": TABLE},
              "ListTables")
    tap.equal(call("DeleteTable", name).json()["TableDescription"]["TableStatus"], "DELETING", "DeleteTable")
    server.control(advance=2)
    tap.equal(status(), "ResourceNotFoundException", "and it is gone")
    tap.equal(call("ListTables", {}).json(), {"TableNames": [TABLE]}, "from the list, too")
    for change in ({"ProvisionedThroughput": None}, {"BillingMode": "PAY_PER_REQUEST"},
                   {"KeySchema": wanted["KeySchema"][1:]},
                   {"TableName": "a b"}, {"AttributeDefinitions": wanted["AttributeDefinitions"][:1]}):
        tap.equal(call("CreateTable", {**wanted, **change}).code(), "ValidationException",
                  "CreateTable with %s" % list(change))
    server.control(table_seconds={"create": 0, "update": 0, "delete": 0})
    tap.equal(call("GetItem", get("p", "r")).status, 200, "the other table is as it was")


main()
