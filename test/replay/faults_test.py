"""
The faults that a real Orleans met, met by load() and store(): each
storage/fault-*.trace.json with the same fault at the same request, as often.
What comes of it must be what came of it there, or better; the table of
doc/faults.md must say both.

What was recorded and what is done here are read off the same way: the steps'
outcomes, and how many requests it took.  The rows must be those of the outcome.
"""

import os
import re

import fault_server
import psql
import recording
import tap
from psql import literal

DOC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "doc", "faults.md")

# A recorded fault as one of the fault server's; what was answered is put in below.
KINDS = {
    "badcrc": {"fault": "wrong_crc"},
    "conflict": {"fault": "conflict"},
    "drop_after": {"fault": "drop_after_body"},
    "drop_before": {"fault": "drop_before_read"},
    "garbage": {"fault": "bad_json"},
    "http500": {"fault": "http_500"},
    "http503": {"fault": "http"},
    "inprogress": {"fault": "in_progress"},
    "skew": {"fault": "skew"},
    "throttle": {"fault": "throttle"},
    "trunc": {"fault": "truncated"},
}

# Where a write comes through that failed there, or is given up later.  Others are the same.
BETTER = {"fault-conflict-1", "fault-conflict-9"}

# What an error of Orleans' is as a SQLSTATE, where the same may be known.
SAME_ERRORS = {
    "TransactionCanceledException": "55P03",
    "ProvisionedThroughputExceededException": "53400",
    "InternalServerErrorException": "08006",
}


class Recorded:
    """One recording: the fault, and what became of the step that met it."""

    def __init__(self, name):
        self.name = name
        self.steps = recording.read_json(f"storage/{name}.trace.json")
        requests = [request for request in recording.read_requests(f"storage/{name}.requests.jsonl")
                    if request["op"] in recording.DATA_OPERATIONS]
        faulty = [request for request in requests if "fault" in request]
        self.partition = recording.partition_of(next(r for r in requests if r["op"] == "GetItem"))
        writes = [request for request in requests if request["op"] == "TransactWriteItems"]
        self.batch = recording.Batch(writes[0]) if writes else None
        self.operation, self.kind = faulty[0]["op"], faulty[0]["fault"]
        self.answered = faulty[0]["response"]
        self.status = faulty[0]["status"]
        assert all((r["op"], r["fault"]) == (self.operation, self.kind) for r in faulty)
        # The fault met the one write, or the first look at the key row.
        first = faulty[0]["request"]
        self.requests = sum(request["request"] == first for request in requests[requests.index(faulty[0]):]
                            if not self.is_second_read(requests, request))
        self.times = int(name.rsplit("-", 1)[1])
        step = next((s for s in self.steps if not s["ok"]), None)
        self.outcome = "done" if step is None else step["error"].rsplit(".", 1)[1]

    @staticmethod
    def is_second_read(requests, request):
        """A load() reads the key row again in the end, with the same request."""
        at = next(i for i, other in enumerate(requests) if other is request)
        return any(other["op"] == "Query" for other in requests[:at]) and request["op"] == "GetItem"

    def rule(self):
        rule = dict(KINDS[self.kind], operation=self.operation, times=self.times)
        if rule["fault"] == "http":
            rule.update(status=self.status, body=self.answered, content_type="text/html")
        elif rule["fault"] == "bad_json":
            rule["body"] = self.answered
        return rule


def is_load(step):
    """One that failed has no member that tells."""
    return step["step"].startswith("load")


class Met:
    """The steps of a recording through SQL, while the server does the same."""

    def __init__(self, recorded):
        self.recorded = recorded
        self.session = psql.Session(recorded.name)
        self.differences = []
        self.outcome = "done"
        self.requests = 0

    def run(self):
        for step in self.recorded.steps:
            meets = is_load(step) == (self.recorded.operation == "GetItem")
            fault_server.change(clear_log=True, faults=[self.recorded.rule()] if meets else [])
            answer = self.session.run("SELECT " + self.statement(step))
            if meets:
                self.outcome = "done" if answer.ok else answer.sqlstate
                self.look(answer)
            elif not answer.ok:
                self.differences.append(f"{step['step']}: {answer}")
            if is_load(step) and answer.ok:
                self.compare_load(step, answer)
        fault_server.change(faults=[])
        self.items = recording.join_array(psql.export(self.session))
        self.session.close()

    def statement(self, step):
        if is_load(step):
            return f"row_to_json(l) FROM txstore.load({literal(self.recorded.partition)}) AS l"
        return f"to_json({recording.call_of([self.recorded.batch], 0).sql('store', literal)})"

    def look(self, answer):
        """What the server says of the step that met the fault."""
        records = [r for r in fault_server.get("/log") if r["operation"] == self.recorded.operation]
        if self.recorded.operation == "GetItem" and answer.ok:
            # The last one is the load()'s second look at the key row.
            records.pop()
        self.requests = len(records)
        hit = sum(record["fault"] is not None for record in records)
        self.differences += tap.differ("faults met", hit, max(1, min(self.recorded.times, len(records))))
        # All attempts are the same bytes, the token among them; of one that was cut off the server has none.
        bodies = {record["sha256"] for record in records if record["body"] is not None}
        self.differences += tap.differ("different bodies", len(bodies), 1)
        if self.recorded.batch:
            writes = fault_server.get("/writes").values()
            self.differences += tap.differ("times applied", sum(write["applied"] for write in writes),
                                           int(self.outcome == "done"))

    def compare_load(self, step, answer):
        if self.recorded.batch is None or step is self.recorded.steps[0] or self.outcome != "done":
            expected = recording.load_of(None, [])
        else:
            operations = self.recorded.batch.operations
            expected = recording.load_of(operations[-1].item, [o.item for o in operations[:-1]])
        self.differences += tap.differ(step["step"], answer.json(), [expected])

    def compare_items(self):
        """The rows are Orleans', but where a write came through here only: then they are what Orleans sent."""
        table = recording.Table()
        if self.recorded.batch and self.outcome == "done":
            table.apply(self.recorded.batch)
        expected = table.text()
        differences = tap.differ("items", recording.without_time(self.items), recording.without_time(expected))
        if self.outcome == "done" and self.recorded.outcome != "done":
            return differences
        return differences + tap.differ("recorded items", recording.without_time(expected), recording.without_time(
            recording.read_text(f"storage/{self.recorded.name}.items.json")))


def compare_outcomes(recorded, met):
    """Nothing that came through there fails here, and an error is of the same kind."""
    if met.outcome == "done":
        return []
    return tap.differ("outcome", met.outcome, SAME_ERRORS.get(recorded.outcome, "done"))


def describe(outcome, requests):
    return f"{outcome}, {requests} request{'s' if requests > 1 else ''}"


def read_table():
    """The rows of doc/faults.md: name -> cells after it."""
    with open(DOC, encoding="utf-8") as file:
        rows = [[cell.strip() for cell in line.strip().strip("|").split("|")]
                for line in file if re.match(r"\| `fault-", line)]
    return {row[0].strip("`"): row[1:] for row in rows}


def compare_row(row, recorded, met):
    """Cells: fault, request, times, a silo's storage, txstore, the same or better."""
    if row is None:
        return ["it is not in the table"]
    times = "always" if recorded.times == 99 else str(recorded.times)
    expected = [recorded.operation, times, describe(recorded.outcome, recorded.requests),
                describe(met.outcome, met.requests)]
    differences = tap.differ("cells", row[1:5], expected)
    better = met.outcome != SAME_ERRORS.get(recorded.outcome, "done") or met.requests != recorded.requests
    differences += tap.differ("is different", better, recorded.name in BETTER)
    differences += tap.differ("is called better", row[5].startswith("better: "), better)
    differences += tap.differ("is called the same", row[5] == "the same", not better)
    return differences


def main():
    tap.start()
    files = os.listdir(recording.path("storage"))
    names = sorted(file[:-len(".trace.json")] for file in files if re.match("fault-.*trace", file))
    table = read_table()
    tap.check("doc/faults.md has all recorded faults, and no others", tap.differ("names", sorted(table), names))
    admin = psql.Session()
    admin.run("CREATE EXTENSION IF NOT EXISTS txstore").rows()
    for name in names:
        psql.create_storage(admin, name, fault_server.URL)
        recorded = Recorded(name)
        met = Met(recorded)
        met.run()
        tap.check(f"{name}: each step ends as it must", met.differences)
        tap.check(f"{name}: the outcome is Orleans', or better", compare_outcomes(recorded, met))
        tap.check(f"{name}: items", met.compare_items())
        tap.check(f"{name}: doc/faults.md says so", compare_row(table.get(name), recorded, met))
    admin.close()
    tap.finish()


if __name__ == "__main__":
    main()
