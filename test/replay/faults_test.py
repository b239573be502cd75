"""
The recordings in which DynamoDB fails Orleans' storage (fault-*): the same
fault, on the same request and as often, met by txstore on the fault server.

Each comes to what it came to for Orleans, or to something better, and to what
the table of doc/faults.md says of both.  Where it comes to the same, the
table holds the same items at the end.

FAULT_SERVER and FAULT_CONTROL name the server (test/servers/with_server).
"""

import json
import os
import re
import urllib.request

import psql
import recording
import storage_test
import tap
from psql import literal

# The recorder's faults as rules of the fault server.
FAULTS = {
    "badcrc": {"fault": "wrong_crc"},
    "conflict": {"fault": "cancel", "reasons": ["TransactionConflict", "None"]},
    "drop_after": {"fault": "drop_after_body"},
    "drop_before": {"fault": "drop_before_read"},
    "garbage": {"fault": "bad_json", "body": '{"Item": {"PartitionKey": {"S": "x", '},
    "http500": {"fault": "http_500"},
    "http503": {"fault": "http_503_html"},
    "inprogress": {"fault": "in_progress"},
    "skew": {"fault": "skew", "seconds": 360},
    "throttle": {"fault": "throttle"},
    "trunc": {"fault": "truncated"},
}

# How the table of doc/faults.md names what was failed.
OPERATIONS = {"GetItem": "load()", "TransactWriteItems": "store()"}

# Orleans' exceptions, in that table.
EXCEPTIONS = {
    "Amazon.DynamoDBv2.Model.TransactionCanceledException": "TransactionCanceledException",
    "Amazon.DynamoDBv2.Model.ProvisionedThroughputExceededException": "ProvisionedThroughputExceededException",
    "Amazon.DynamoDBv2.Model.InternalServerErrorException": "InternalServerErrorException",
}


def control(**changes):
    request = urllib.request.Request(os.environ["FAULT_CONTROL"], data=json.dumps(changes).encode())
    with urllib.request.urlopen(request) as answer:
        assert answer.status == 200


def writes():
    with urllib.request.urlopen(os.environ["FAULT_CONTROL"] + "/writes") as answer:
        return json.load(answer)


class Scenario:
    """A recording: its fault, what Orleans was asked, and what became of it."""

    def __init__(self, name):
        self.name = name
        self.requests = recording.read_requests(f"storage/{name}.requests.jsonl")
        self.steps = recording.read_json(f"storage/{name}.trace.json")
        failed = [request for request in self.requests if "fault" in request]
        self.fault = failed[0]["fault"]
        self.operation = failed[0]["op"]
        self.times = int(name.rsplit("-", 1)[1])
        assert all(request["fault"] == self.fault for request in failed)

    def rule(self):
        return {"operation": self.operation, "nth": 1, "times": None if self.times == 99 else self.times,
                **FAULTS[self.fault]}

    def store_call(self):
        """What the one store of the recording was given."""
        batch = next(request for request in self.requests if request["op"] == "TransactWriteItems")
        return recording.call_of([recording.Batch(batch)], 0)

    def expected(self):
        """What became of the step that met the fault."""
        for step in self.steps:
            if not step["ok"]:
                return EXCEPTIONS[step["error"]]
        return "done"


def run(admin, scenario):
    """What becomes of the same steps here: "done" or an SQLSTATE, and what is wrong."""
    psql.create_storage(admin, scenario.name, os.environ["FAULT_SERVER"])
    session = psql.Session(scenario.name)
    control(clear_log=True, faults=[scenario.rule()])
    outcome, wrong = "done", []
    partition = None
    for step in scenario.steps:
        if "load" in step or step["step"].startswith("load"):
            request = next(r for r in scenario.requests if r["op"] == "GetItem")
            partition = recording.partition_of(request)
            answer = session.run(f"SELECT row_to_json(l) FROM txstore.load({literal(partition)}) AS l")
            if answer.ok and "load" in step:
                (got,) = answer.json()
                if outcome == "done" and scenario.expected() == "done":
                    wrong += tap.differ(f"{step['step']}: etag", got["etag"], step["load"]["etag"])
                    wrong += tap.differ(f"{step['step']}: committed", got["committed_sequence_id"],
                                        step["load"]["committed"])
        else:
            answer = session.run(f"SELECT to_json({scenario.store_call().sql('store', literal)})")
        if not answer.ok:
            outcome = answer.sqlstate
    if any(write["applied"] > 1 for write in writes().values()):
        wrong.append("a write was applied twice")
    control(faults=[])
    applied = sum(write["applied"] for write in writes().values())
    if outcome == "done" and scenario.operation == "TransactWriteItems" and applied != 1:
        wrong.append(f"success, and {applied} writes were applied")
    if outcome not in ("done", "08007") and applied:
        wrong.append(f"{outcome}, and {applied} writes were applied")
    if (outcome == "done") == (scenario.expected() == "done"):
        got = recording.join_array(psql.export(session))
        recorded = recording.read_text(f"storage/{scenario.name}.items.json")
        wrong += tap.differ("items", recording.without_time(got), recording.without_time(recorded))
    session.close()
    return outcome, wrong


def documented():
    """The rows of the table in doc/faults.md: (fault, times, operation) -> (Orleans, txstore)."""
    with open(os.path.join(os.path.dirname(__file__), "../../doc/faults.md"), encoding="utf-8") as file:
        text = file.read()
    rows = {}
    for line in text.splitlines():
        cells = [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        recorded = re.fullmatch(r"fault-\S+", cells[-1]) if len(cells) == 6 else None
        if recorded:
            rows[cells[-1]] = tuple(cells[1:5])
    return rows


def main():
    tap.start()
    files = os.listdir(recording.path("storage"))
    names = sorted(file[:-len(".trace.json")] for file in files
                   if file.startswith("fault-") and file.endswith(".trace.json"))
    table = documented()
    admin = psql.Session()
    admin.run("CREATE EXTENSION IF NOT EXISTS txstore").rows()
    tap.check("doc/faults.md has every recording", tap.differ("rows", sorted(table), names))
    for name in names:
        scenario = Scenario(name)
        outcome, wrong = run(admin, scenario)
        expected = scenario.expected()
        if expected == "done" and outcome != "done":
            wrong.append(f"Orleans had success, here it is {outcome}")
        tap.check(f"{name}: as Orleans had it, or better", wrong)
        times = "always" if scenario.times == 99 else "once" if scenario.times == 1 else str(scenario.times)
        tap.check(f"{name}: as doc/faults.md says", tap.differ(
            "row", (OPERATIONS[scenario.operation], times, expected, outcome), table.get(name)))
    admin.close()
    tap.finish()


if __name__ == "__main__":
    main()
