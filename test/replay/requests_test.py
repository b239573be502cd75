"""
A live silo, replayed: its load() and store() calls through SQL, in the order in
which its requests reached the table, with one psql session for each start of
the silo; with tables, and with a DynamoDB server (test/servers/with_server).

silo/requests.jsonl has the requests of a bank: deposits, transfers, 200 of them
at once, and transfers that hang until the silo is killed.  Each load must answer
what the silo read.  Each TransactWriteItems becomes a store() call, of which
plan_store() must give that very request again; then the call is made, unless
the request hung and was never applied.  Whenever the silo's table was copied to
a silo/*.items.json, the export must equal it.  The server must receive the silo's
own requests: all writes in their order, and each partition's reads among them.
"""

import time

import fault_server
import psql
import recording
import tap
from psql import literal

# With 99 data operations and the key row, a store() may go on in the next request.
# The silo sent none such, so each request is all that one store() sends.
MOST_OPERATIONS = 99

# The copies, in the order in which they were made.
MOMENTS = ["1-deposits", "2-transfer-just-after", "3-transfer-settled", "4-many", "5-load-just-after",
           "6-load-settled"] + [
    f"{moment}-{number}" for number in range(1, 5) for moment in ("7-indoubt", "8-stopped", "9-recovered")]


class Silo:
    """One start of the silo, as a session."""

    def __init__(self, storage):
        self.session = psql.Session(storage)
        self.readers = {}  # partition -> LoadReader
        self.committed = {}  # partition -> as its last load() or store() answered


class Replay:
    def __init__(self, storage):
        self.storage = storage
        self.table = recording.Table()
        self.silo = None
        self.started = int(time.time())
        self.moments = list(MOMENTS)
        self.loads = []  # differences
        self.plans = []
        self.etags = []
        self.hangs = []
        self.counts = {"starts": 0, "loads": 0, "stores": 0, "hangs": 0}

    def run(self, requests):
        starting = False
        for line, request in enumerate(requests, 1):
            if request["op"] in recording.DATA_OPERATIONS:
                if starting:
                    self.start()
                    starting = False
                if request["op"] == "TransactWriteItems":
                    self.write(line, request)
                else:
                    self.read(line, request)
            else:
                # A silo describes its table when it starts, and only then.
                starting = True

    def start(self):
        if self.silo is not None:
            self.silo.session.close()
        self.silo = Silo(self.storage)
        self.counts["starts"] += 1

    def read(self, line, request):
        partition = recording.partition_of(request)
        reader = self.silo.readers.setdefault(partition, recording.LoadReader())
        load = reader.take(request)
        if load is None:
            return
        answer = self.silo.session.run(f"SELECT row_to_json(l) FROM txstore.load({literal(partition)}) AS l")
        expected = recording.load_of(*load)
        self.loads += (tap.differ(f"line {line}", answer.json(), [expected]) if answer.ok
                       else [f"line {line}: {answer}"])
        self.silo.committed[partition] = expected["committed_sequence_id"]
        self.counts["loads"] += 1

    def write(self, line, request):
        batch = recording.Batch(request)
        partition = batch.partition
        if len(batch.operations) > MOST_OPERATIONS:
            self.plans.append(f"line {line}: is full, so its store() may have sent more")
        call = recording.call_of([batch], self.silo.committed[partition])
        answer = self.silo.session.run(f"SELECT row_to_json(p) FROM {call.sql('plan_store', literal)} AS p")
        expected = recording.plan_of([batch], self.table)
        self.plans += (tap.differ(f"line {line}", answer.json(), expected) if answer.ok
                       else [f"line {line}: {answer}"])

        if request["status"] is None:
            self.hang(line, request)
            return
        assert request["status"] == 200, line
        answer = self.silo.session.run(f"SELECT to_json({call.sql('store', literal)})")
        etag = batch.key.item["ETag"]["N"]
        self.etags += (tap.differ(f"line {line}", answer.json(), [etag]) if answer.ok
                       else [f"line {line}: {answer}"])
        self.table.apply(batch)
        self.silo.committed[partition] = recording.number_of(batch.key.item, "CommittedSequenceId")
        self.counts["stores"] += 1
        self.pass_moments()

    def hang(self, line, request):
        """The silo waits for an answer for ever; DynamoDB has done nothing."""
        assert request["fault"] == "hang", line
        self.counts["hangs"] += 1
        name = f"7-indoubt-{self.counts['hangs']}"
        self.hangs += tap.differ(f"line {line}: table", self.table.text(), read_moment(name))
        if name in self.moments:
            self.hangs.append(f"line {line}: {name} was not met yet")

    def pass_moments(self):
        """Compare with each copy that was made now."""
        while self.moments and read_moment(self.moments[0]) == self.table.text():
            name = self.moments.pop(0)
            tap.check(f"{self.storage}: the export is silo-{name}", self.compare_items())

    def compare_items(self):
        got = recording.join_array(psql.export(self.silo.session))
        differences = tap.differ(
            "items", recording.without_time(got), recording.without_time(self.table.text()))
        for written in recording.times(got):
            if not self.started <= written <= time.time():
                differences.append(f"a key row was written at {written}")
        return differences


def read_moment(name):
    return recording.read_text(f"silo/silo-{name}.items.json")


def partition_of(operation, request):
    if operation == "TransactWriteItems":
        return recording.Batch({"request": request}).partition
    return recording.partition_of({"op": operation, "request": request})


def compare_requests(storage, requests):
    """
    The differences of what the server received from what the silo sent.  Its
    loads overlap, ours do not, so that reads have an order in their partition only.
    """
    sent = [r for r in requests if r["op"] in recording.DATA_OPERATIONS and r["status"] == 200]
    received = fault_server.records(storage)
    differences = fault_server.compare_requests(
        [r for r in received if r["operation"] == "TransactWriteItems"],
        [r for r in sent if r["op"] == "TransactWriteItems"])
    for partition in {partition_of(r["op"], r["request"]): None for r in sent}:
        differences += fault_server.compare_requests(
            [r for r in received if partition_of(r["operation"], r["body"]) == partition],
            [r for r in sent if partition_of(r["op"], r["request"]) == partition])
    return differences + tap.differ("all", len(received), len(sent)) + fault_server.compare_headers(received)


def replay_all(storage, requests):
    replay = Replay(storage)
    replay.run(requests)

    def check(name, differences):
        tap.check(f"{storage}: {name}", differences)

    check("each load() answers what the silo read", replay.loads)
    check("plan_store() gives each request that the silo sent", replay.plans)
    check("each store() answers the silo's ETag", replay.etags)
    check("a transfer hangs over the table that was copied then", replay.hangs)
    check("every copy of the table was met", [f"not met: {name}" for name in replay.moments])
    check("the export is what all requests lead to", replay.compare_items())

    writes = [r for r in requests if r["op"] == "TransactWriteItems"]
    applied = sum(r["status"] == 200 for r in writes)
    check("nothing was skipped", tap.differ("counts", replay.counts, {
        "starts": 7, "loads": sum(r["op"] == "Query" for r in requests), "stores": applied,
        "hangs": len(writes) - applied}))
    replay.silo.session.close()


def main():
    tap.start()
    admin = psql.Session()
    admin.run("CREATE EXTENSION txstore").rows()
    requests = recording.read_requests("silo/requests.jsonl")
    psql.create_storage(admin, "silo")
    replay_all("silo", requests)
    psql.create_storage(admin, "silo-dynamodb", fault_server.URL)
    replay_all("silo-dynamodb", requests)
    tap.check("the server received what the silo sent", compare_requests("silo-dynamodb", requests))
    admin.close()
    tap.finish()


if __name__ == "__main__":
    main()
