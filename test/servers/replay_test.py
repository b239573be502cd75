#!/usr/bin/env python3
"""
The server against every recording of a real Orleans: each request again, the
same answer again, and at the end the recorded table.
"""

import base64
import glob
import json
import os
import re

from fault_client import DATA, TABLE, Connection, FaultServer, Tap

ORLEANS = os.path.join(DATA, "orleans")
SILO = os.path.join(ORLEANS, "silo")
LONG = re.compile(r"\((\d+) bytes\)$")
COMPARED = ("TransactWriteItems", "GetItem", "Query")


def code_and_reasons(answer):
    """What an error says to a program; texts are the service's own affair."""
    if not isinstance(answer, dict) or "__type" not in answer:
        return answer
    return (answer["__type"].rpartition("#")[2],
            [reason["Code"] for reason in answer.get("CancellationReasons", [])])


def replay(path, connection, written=lambda: None):
    """(answers compared, differences); written() is called after each write."""
    compared, differences = 0, []
    with open(path) as lines:
        for number, line in enumerate(lines, 1):
            recorded = json.loads(line)
            fault = recorded.get("fault")
            if fault and not was_applied(recorded):
                continue
            answer = connection.call(recorded["op"], lengthen(recorded["request"]))
            if recorded["op"] == "TransactWriteItems":
                written()
            if fault:
                continue
            compared += 1
            wanted, found = recorded["status"], answer.status
            # Descriptions of tables differ in what tests do not look at.
            if recorded["op"] in COMPARED or wanted != 200:
                wanted = wanted, code_and_reasons(recorded["response"])
                found = found, code_and_reasons(shorten(answer.json()))
            if found != wanted or not answer.crc_is_right():
                differences.append("%s line %d: found %s wanted %s" % (
                    os.path.basename(path), number, str(found)[:300], str(wanted)[:300]))
    return compared, differences


def lengthen(value):
    """The recorder wrote "(300069 bytes)" for long binaries."""
    if isinstance(value, dict):
        return {name: lengthen(member) for name, member in value.items()}
    if isinstance(value, list):
        return [lengthen(member) for member in value]
    match = LONG.match(value) if isinstance(value, str) else None
    return base64.b64encode(bytes(int(match.group(1)))).decode() if match else value


def shorten(value):
    if isinstance(value, dict):
        return {name: shorten(member) for name, member in value.items()}
    if isinstance(value, list):
        return [shorten(member) for member in value]
    if isinstance(value, str) and len(value) > 10000:
        return "(%d bytes)" % len(base64.b64decode(value))
    return value


def was_applied(recorded):
    return recorded["status"] in (200, "dropped")


def items_of(path):
    with open(path) as items:
        return json.load(items)


def replay_storage(tap, server, connection):
    for path in sorted(glob.glob(os.path.join(ORLEANS, "storage", "*.requests.jsonl"))):
        name = os.path.basename(path).replace(".requests.jsonl", "")
        server.control(reset=True)
        compared, differences = replay(path, connection)
        tap.ok(not differences and compared, "%s: %d answers as recorded" % (name, compared), *differences[:5])
        path = path.replace(".requests.jsonl", ".items.json")
        if os.path.exists(path):
            tap.ok(server.get("/tables").get(TABLE) == items_of(path), "%s: the table ends as recorded" % name)


def replay_silo(tap, server, connection):
    """The recorder wrote the table down at moments that requests do not tell."""
    moments = {os.path.basename(path): items_of(path) for path in glob.glob(os.path.join(SILO, "*.items.json"))}
    unseen = dict(moments)

    def written():
        items = server.get("/tables")[TABLE]
        for name in [name for name, wanted in unseen.items() if wanted == items]:
            del unseen[name]

    server.control(reset=True)
    compared, differences = replay(os.path.join(SILO, "requests.jsonl"), connection, written)
    tap.ok(not differences and compared, "silo: %d answers as recorded" % compared, *differences[:5])
    for name in sorted(moments):
        tap.ok(name not in unseen, name + ": the table was as recorded")


def main():
    tap = Tap()
    with FaultServer() as server, Connection(server.port) as connection:
        replay_storage(tap, server, connection)
        replay_silo(tap, server, connection)
    tap.end()


if __name__ == "__main__":
    main()
