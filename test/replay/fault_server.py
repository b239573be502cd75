"""
What the fault server beside a test (test/servers/with_server) was asked, and what
it is told to do.
"""

import json
import os
import re
import urllib.request

import recording
import tap

URL = os.environ.get("FAULT_SERVER")


def get(path):
    with urllib.request.urlopen(os.environ["FAULT_CONTROL"] + path) as answer:
        return json.load(answer)


def change(**changes):
    request = urllib.request.Request(os.environ["FAULT_CONTROL"], json.dumps(changes).encode(), method="POST")
    with urllib.request.urlopen(request) as answer:
        answer.read()


def records(table):
    """The server's records of the requests that read or write a table's rows."""
    return [record for record in get("/log")
            if record["operation"] in recording.DATA_OPERATIONS
            and f'"TableName": "{table}"' in json.dumps(record["body"])]


def comparable(value):
    """A body without what is new each time: the token and the key row's time; and without the table's name."""
    if isinstance(value, dict):
        return {member: comparable(inner) for member, inner in value.items()
                if member not in ("ClientRequestToken", "Timestamp", "TableName")}
    if isinstance(value, list):
        return [comparable(inner) for inner in value]
    return value


def compare_requests(got, recorded):
    """The differences of the server's records from the requests of a recording."""
    got = [(record["operation"], comparable(record["body"])) for record in got]
    expected = [(request["op"], comparable(request["request"])) for request in recorded]
    differences = tap.differ("requests", len(got), len(expected))
    for number, pair in enumerate(zip(got, expected), 1):
        differences += tap.differ(f"request {number}", *pair)
    return differences


# What a recorded header must be here, too.  The others tell an SDK from another.
SAME_HEADERS = ("x-amz-target", "content-type")


def scope(authorization, date):
    """Whose key signed, where and for what; the day is that of x-amz-date."""
    match = re.match(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^,]+), ", authorization)
    return match and (match[1], match[2] == date[:8], match[3])


def compare_headers(got):
    """The differences of the records' headers from those that Orleans sent."""
    recorded = recording.read_json("request-headers.json")
    differences = []
    for record in got:
        headers, expected = record["headers"], recorded[record["operation"]]
        for name in SAME_HEADERS:
            differences += tap.differ(f"{record['operation']}, {name}", headers.get(name), expected[name])
        differences += tap.differ(f"{record['operation']}, scope", *(
            scope(one["authorization"], one["x-amz-date"]) for one in (headers, expected)))
    return differences
