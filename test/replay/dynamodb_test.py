"""
The recordings of Orleans' storage, replayed through SQL against a DynamoDB
server: the answers are the same as from tables, and the server receives the
requests that Orleans sent, in order and member for member.

FAULT_SERVER and FAULT_CONTROL name the server (test/servers/with_server).
"""

import json
import os
import urllib.request

import psql
import recording
import storage_test
import tap

# Recordings with a request that is refused here before it is sent.
UNSENT = {name for name, _ in storage_test.STRICTER} | {name for name, _ in storage_test.UNSENT} - {"sequence"}


def received(table):
    """The requests for a table that the server has logged, as JSON values."""
    with urllib.request.urlopen(os.environ["FAULT_CONTROL"] + "/log") as answer:
        records = json.load(answer)
    requests = []
    for record in records:
        body = record["body"]
        body = json.loads(body) if isinstance(body, str) else body
        if record["operation"] in recording.DATA_OPERATIONS and f'"TableName": "{table}"' in json.dumps(body):
            requests.append((record["operation"], comparable(body)))
    return requests


def sent(name):
    """The requests of a recording, each once: the SDK repeats what failed below it."""
    return [(request["op"], comparable(request["request"]))
            for request in storage_test.Requests(name).requests if "fault" not in request]


def comparable(value, name=None):
    """A body without what is new each time: the token and the key row's time; and without the table's name."""
    if isinstance(value, dict):
        return {member: comparable(inner, member) for member, inner in value.items()
                if member not in ("ClientRequestToken", "Timestamp", "TableName")}
    if isinstance(value, list):
        return [comparable(inner) for inner in value]
    return value


def replay(admin, name):
    psql.create_storage(admin, name, os.environ["FAULT_SERVER"])
    one = storage_test.Replay(name)
    try:
        one.run()
    except (AssertionError, LookupError, ValueError) as error:
        one.answers.append(f"ended early: {error!r}")
    tap.check(f"{name}: answers as from tables", one.answers)
    tap.check(f"{name}: plans", one.plans)
    if name not in UNSENT:
        got, expected = received(name), sent(name)
        differences = tap.differ("requests", len(got), len(expected))
        for number, pair in enumerate(zip(got, expected), 1):
            differences += tap.differ(f"request {number}", *pair)
        tap.check(f"{name}: the server received what Orleans sent", differences)
    tap.check(f"{name}: items", one.compare_items())
    for client in one.clients.values():
        client.session.close()


def main():
    tap.start()
    files = os.listdir(recording.path("storage"))
    names = sorted(file[:-len(".trace.json")] for file in files if file.endswith(".trace.json"))
    admin = psql.Session()
    admin.run("CREATE EXTENSION IF NOT EXISTS txstore").rows()
    for name in names:
        if name not in storage_test.LEFT_OUT:
            replay(admin, name)
    admin.close()
    tap.finish()


if __name__ == "__main__":
    main()
