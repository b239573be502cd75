"""
What Orleans' storage object was asked and what it answered, replayed: each
storage/NAME.trace.json through load() and store() of one psql session a client.

The trace has the steps and their results; the requests that Orleans sent have
the arguments.  For each step, the answer must be Orleans' (ETag, loaded values,
kind of error, whether a load() is needed), and plan_store() must give the very
requests that Orleans sent.  At the end the tables must hold the same items.
"""

import base64
import os
import re
import time

import orleans_state
import psql
import recording
import tap
from psql import literal
from recording import StoreCall

# These show the caller a fault of DynamoDB that a storage of tables cannot have.
# The other fault-* recordings are replayed: Orleans' retries hid the fault, so
# the answers are those of a storage without it.
LEFT_OUT = {
    "fault-conflict-1": "TransactionConflict (55P03): a store() on tables waits for its lock instead",
    "fault-conflict-9": "TransactionConflict (55P03): a store() on tables waits for its lock instead",
    "fault-throttle-99": "a write that is throttled until it is given up (53400)",
    "fault-get-throttle-99": "a read that is throttled until it is given up (53400)",
    "fault-get-http500-99": "a read that the service cannot answer until it is given up",
}

# (exception, its parameter) -> SQLSTATE, and does the next store() need a load()?
ERRORS = {
    ("Orleans.Storage.InconsistentStateException", None): ("40001", True),
    ("System.InvalidOperationException", None): ("55000", True),
    ("System.ArgumentException", "expectedETag"): ("22023", False),
    ("System.ArgumentOutOfRangeException", "state"): ("54000", True),
    ("System.ArgumentOutOfRangeException", "metadata"): ("54000", False),
    ("Amazon.DynamoDBv2.AmazonDynamoDBException", None): ("a refusal by DynamoDB", True),
}

# Where txstore is stricter on purpose: what it answers instead, and why.
STRICTER = {
    ("same-seq-twice", "prepare 1,1"): (
        ("22023", False), "one sequence twice in a call is found before anything is sent, so the handle stays usable"),
    ("large", "too large"): (
        ("54000", False), "the size of every item is checked before anything is sent, so the handle stays usable"),
}


def large_state(sequence, length):
    """The states of "large", which its requests give only as a number of bytes."""
    return (f'{{"$id":"1","$type":"Bank.Plain, Bank","State":{sequence * 10},'
            f'"SensitiveValue":"{"x" * length}"}}').encode()


def in_base64(data):
    return base64.b64encode(data).decode()


def too_large_prepare(client):
    # The trace tells its size, of which the check of SIZES sees that it is right.
    return StoreCall(client.partition, client.etag, client.metadata, [{
        "PartitionKey": {"S": client.partition}, "RowKey": {"S": "state_000000000000000d"},
        "GrainState": {"B": in_base64(large_state(13, 400 * 1024))},
        "TransactionId": {"S": "0000000d-0000-4000-8000-000000000000"},
        "TransactionTimestamp": {"S": "2024-01-02T03:04:05.1234580Z"},
        "TransactionManager": {"B": in_base64(
            b'{"$id":"1","$type":"Orleans.Transactions.ParticipantId, Orleans.Transactions"}')},
        "ETag": {"N": "0"}}])


def too_large_metadata(client):
    # Orleans counts 845378 bytes: 90, the partition key, two digits of 12, and this.
    return StoreCall(client.partition, client.etag, b"x" * (845378 - 90 - len(client.partition) - 2))


# Steps for which Orleans sent nothing, so their arguments are told here.
UNSENT = {
    ("conflict", "loser again without load"): lambda client: client.last_call,
    ("sequence", "store wrong etag"): lambda client: StoreCall(client.partition, "4", client.metadata),
    ("sequence", "store null etag"): lambda client: StoreCall(client.partition, None, client.metadata),
    ("large", "too large"): too_large_prepare,
    ("large", "metadata too large"): too_large_metadata,
}

# What the error must say beside its SQLSTATE: the size, as Orleans counted it in
# the trace, and the limit.
LIMIT = 409600
SIZES = {("large", "too large"): 409946, ("large", "metadata too large"): 845378}


class Client:
    """One of Orleans' storage objects, as a session."""

    def __init__(self, storage):
        self.session = psql.Session(storage)
        self.partition = None
        self.etag = None  # as the last load() or store() answered
        self.committed = 0
        self.metadata = b""
        self.last_call = None
        self.defaults = None  # of the state's class


class Requests:
    """The requests of a recording, taken in order."""

    def __init__(self, name):
        self.requests = [
            request for request in expand(name, recording.read_requests(f"storage/{name}.requests.jsonl"))
            if request["op"] in recording.DATA_OPERATIONS]

    def next(self):
        """
        The next request as Orleans' storage saw it: the SDK repeats what failed
        below it, and the last attempt counts.
        """
        request = self.requests.pop(0)
        while "fault" in request and self.requests and self.requests[0]["request"] == request["request"]:
            request = self.requests.pop(0)
        assert "fault" not in request, request
        return request

    def take_load(self):
        reader = recording.LoadReader()
        while True:
            request = self.next()
            load = reader.take(request)
            if load is not None:
                return recording.partition_of(request), *load

    def take_store(self, step):
        """The batches that a step sent, and were they applied?"""
        batches = []
        while True:
            request = self.next()
            assert request["op"] == "TransactWriteItems"
            batches.append(recording.Batch(request))
            if not step["ok"]:
                assert request["status"] == 400
                return batches, False
            assert request["status"] == 200
            if str(batches[-1].key.new_etag) == step["etag"]:
                return batches, True


def expand(name, requests):
    """Put back the states that the recorder left out of "large"."""
    def visit(value):
        if isinstance(value, list):
            for element in value:
                visit(element)
        elif isinstance(value, dict):
            left_out = re.fullmatch(r"\((\d+) bytes\)", value.get("GrainState", {}).get("B", ""))
            if left_out:
                state = large_state(recording.sequence_of(value["RowKey"]["S"]), 300000)
                assert len(state) == int(left_out[1]), left_out[1]
                value["GrainState"]["B"] = in_base64(state)
            for element in value.values():
                visit(element)

    if name == "large":
        visit(requests)
    return requests


class Replay:
    """One recording, and what was different."""

    def __init__(self, name):
        self.name = name
        self.requests = Requests(name)
        self.table = recording.Table()
        self.clients = {}
        self.answers = []  # differences of answers from the trace
        self.plans = []  # differences of plans from the requests
        self.plans_seen = 0
        self.started = int(time.time())

    def client(self, step):
        """Most recordings have one client; the steps of others begin with its name."""
        first = step["step"].split()[0]
        name = first if first in ("winner", "loser") else ""
        if name not in self.clients:
            self.clients[name] = Client(self.name)
        return self.clients[name]

    def run(self):
        for step in recording.read_json(f"storage/{self.name}.trace.json"):
            client = self.client(step)
            if "load" in step:
                self.load(client, step)
            else:
                self.store(client, step)
        self.answers += tap.differ("requests that no step sent", self.requests.requests, [])

    def load(self, client, step):
        partition, key, states = self.requests.take_load()
        answer = client.session.run(f"SELECT row_to_json(l) FROM txstore.load({literal(partition)}) AS l")
        if client.defaults is None:
            client.defaults = step["load"]["state"]
        if not answer.ok:
            self.answers.append(f"{step['step']}: {answer}")
            return
        (got,) = answer.json()
        self.answers += tap.differ(f"{step['step']}: bytes", got, recording.load_of(key, states))
        self.answers += tap.differ(
            f"{step['step']}: values", as_trace(got, client.defaults), step["load"])
        client.partition = partition
        client.etag = got["etag"]
        client.committed = got["committed_sequence_id"]
        client.metadata = unhex(got["metadata"])

    def store(self, client, step):
        case = self.name, step["step"]
        if case in UNSENT:
            call, batches, applied = UNSENT[case](client), None, False
        else:
            batches, applied = self.requests.take_store(step)
            call = recording.call_of(batches, client.committed)
        client.last_call = call
        expected = (("00000", False) if step["ok"] else
                    STRICTER[case][0] if case in STRICTER else ERRORS[step["error"], step["param"]])

        self.compare_plan(client, step, call, batches, expected[0])
        answer = client.session.run(f"SELECT to_json({call.sql('store', literal)})")
        got = answer.sqlstate, must_load(client)
        self.answers += tap.differ(f"{step['step']}: SQLSTATE, must_load ({answer})", got, expected)
        if case in SIZES:
            self.answers += tap.differ(
                f"{step['step']}: sizes in the message", re.findall(r"\d{6}", " ".join(answer.lines)),
                [str(SIZES[case]), str(LIMIT)])
        if applied and answer.ok:
            self.answers += tap.differ(f"{step['step']}: etag", answer.json(), [step["etag"]])
        if applied:
            for batch in batches:
                self.table.apply(batch)
            client.etag = step["etag"]
            client.committed = recording.number_of(batches[-1].key.item, "CommittedSequenceId")
            client.metadata = call.metadata

    def compare_plan(self, client, step, call, batches, sqlstate):
        answer = client.session.run(f"SELECT row_to_json(p) FROM {call.sql('plan_store', literal)} AS p")
        # Only the storage knows of a conflict.
        sqlstate = "00000" if sqlstate == "40001" else sqlstate
        differences = tap.differ(f"{step['step']}: SQLSTATE of the plan", answer.sqlstate, sqlstate)
        if not differences and answer.ok:
            got = answer.json()
            expected = recording.plan_of(batches, self.table)
            differences = tap.differ(f"{step['step']}: rows of the plan", len(got), len(expected))
            for row in zip(got, expected):
                differences += tap.differ(f"{step['step']}: plan", *row)
        self.plans += differences
        self.plans_seen += 1

    def compare_items(self):
        """The differences of the storage from the recorded table."""
        got = recording.join_array(psql.export(next(iter(self.clients.values())).session))
        file = f"storage/{self.name}.items.json"
        recorded = self.table.text()
        differences = []
        if os.path.exists(recording.path(file)):
            differences += tap.differ("requests against items", recorded, recording.read_text(file))
        else:
            assert self.name == "large", "only large has no items file"
        differences += tap.differ("items", recording.without_time(got), recording.without_time(recorded))
        for written in recording.times(got):
            if not self.started <= written <= time.time():
                differences.append(f"a key row was written at {written}")
        return differences


def must_load(client):
    """What the view handles says; None if there is no handle."""
    rows = client.session.run(
        f"SELECT must_load FROM txstore.handles WHERE partition_key = {literal(client.partition)}").rows()
    return rows[0] == "t" if rows else None


def unhex(value):
    return bytes.fromhex(value[2:])


def as_trace(load, defaults):
    """An answer of load() as the traces write one."""
    state = load["committed_state"]
    return {
        "etag": load["etag"],
        "committed": load["committed_sequence_id"],
        "state": defaults if state is None else orleans_state.read_state(unhex(state), defaults),
        "metadata": orleans_state.read_metadata(unhex(load["metadata"])),
        "pending": [{
            "seq": version["sequence_id"],
            "tx": version["transaction_id"],
            "ts": version["transaction_timestamp"],
            "state": orleans_state.read_state(unhex(version["state"]), defaults),
            "tm": orleans_state.read_manager(unhex(version["transaction_manager"])),
        } for version in load["pending"]]}


def hides_its_faults(name):
    """Did every step end as if there had been no fault?"""
    trace = recording.read_json(f"storage/{name}.trace.json")
    return all(step["ok"] or (step["error"], step.get("param")) in ERRORS for step in trace if "load" not in step)


def main():
    tap.start()
    files = os.listdir(recording.path("storage"))
    names = sorted(file[:-len(".trace.json")] for file in files if file.endswith(".trace.json"))
    admin = psql.Session()
    admin.run("CREATE EXTENSION txstore").rows()

    tap.check("every recording is replayed, but for those whose fault the caller sees", tap.differ(
        "left out", [name for name in names if not hides_its_faults(name)], sorted(LEFT_OUT)))
    cases = set()
    for name in names:
        if name in LEFT_OUT:
            continue
        psql.create_storage(admin, name)
        replay = Replay(name)
        try:
            replay.run()
        except (AssertionError, LookupError, ValueError) as error:
            # The next recordings can still be replayed.
            replay.answers.append(f"ended early: {error!r}")
        tap.check(f"{name}: load() and store() answer as Orleans' storage did", replay.answers)
        if replay.plans_seen:
            tap.check(f"{name}: plan_store() gives the requests that Orleans sent", replay.plans)
        tap.check(f"{name}: the items are those that Orleans left", replay.compare_items())
        cases |= {(name, step["step"]) for step in recording.read_json(f"storage/{name}.trace.json")}
        for client in replay.clients.values():
            client.session.close()
    tap.check("every exception that is listed was met",
              [f"no step {case}" for case in [*STRICTER, *UNSENT, *SIZES] if case not in cases])
    admin.close()
    tap.finish()


if __name__ == "__main__":
    main()
