"""
Random calls, each made on a storage of tables and on one of a DynamoDB server
that fails now and then in ways that are over at once.  Both must answer the same
at every step, and hold the same items in the end.

A call that is given up after all its retries is resolved as a caller must: load()
tells whether it was applied, and if not it is made again.  All attempts of one
request carry one token and the same bytes, and no two requests carry the same.
"""

import base64
import random
import sys

import fault_server
import psql
import recording
import tap
from psql import literal
from recording import StoreCall

SEQUENCES = 120
STEPS = 8
PROBABILITY = 0.15
# Those that are tried again after milliseconds; throttling is faults_test.py's.
FAULTS = ["http_500", "http_502", "http_503", "http_503_html", {"fault": "http_500", "when": "after"}, "html",
          "empty_body", "bad_json", "wrong_crc", "truncated", "drop_before_read", "drop_after_headers",
          "drop_after_body", {"fault": "drop_mid_answer", "at": "headers"}, {"fault": "drop_mid_answer", "at": "body"},
          "drop_idle", "close", "gzip", "chunked"]
MANAGER = b'{"$id":"1","$type":"Orleans.Transactions.ParticipantId, Orleans.Transactions"}'

# What a fault comes to when all retries have met one.
GIVEN_UP = ("08006", "08007", "08001", "53400", "55P03", "HV00L")

# A deletion is made again from wherever it came to.
ANY = object()


def version(generator, sequence, small):
    """The item of a state row, as far as store() is given it."""
    return {
        "RowKey": {"S": f"state_{sequence:016x}"},
        "TransactionId": {"S": f"{generator.getrandbits(128):032x}"},
        "TransactionTimestamp": {"S": f"2024-01-02T03:04:05.{generator.randrange(10 ** 7):07d}Z"},
        "TransactionManager": {"B": encode(MANAGER)},
        "GrainState": {"B": encode(generator.randbytes(generator.randrange(1, 20 if small else 2000)))}}


def encode(data):
    return base64.b64encode(data).decode()


class Twins:
    """One partition in two storages, each with a session, and another writer."""

    def __init__(self, number, sessions):
        self.generator = random.Random(number)
        self.partition = f"account/twin{number}_default_balance"
        self.sessions = sessions
        self.last = None  # the last load()'s answer
        self.differences = []
        self.counts = {}

    def run(self):
        for step in range(STEPS):
            choice = self.generator.random()
            if step == 0 or choice < 0.25:
                self.load()
            elif choice < 0.32:
                self.delete()
            elif choice < 0.42:
                self.store(self.sessions["other"], self.other_call())
            else:
                self.store(self.sessions["first"], self.random_call())
        self.load()

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    # ------------------------------------------------------------------ calls

    def load(self):
        answers = self.load_both(self.sessions["first"])
        self.compare("load", answers)
        (self.last,) = answers[0].json()

    def load_both(self, pair):
        statement = f"SELECT row_to_json(l) FROM txstore.load({literal(self.partition)}) AS l"
        return [pair[0].run(statement), self.insist(pair[1], statement)]

    def insist(self, session, statement):
        """The answer of a call that may be repeated: it changes nothing."""
        answer = session.run(statement)
        while answer.sqlstate in GIVEN_UP:
            self.count("loads given up")
            answer = session.run(statement)
        return answer

    def random_call(self):
        """Mostly one that is right for what was loaded last."""
        generator, loaded = self.generator, self.last
        pending = [one["sequence_id"] for one in loaded["pending"]]
        committed = loaded["committed_sequence_id"]
        highest = max([committed, *pending])
        abort_after = generator.choice([committed, *pending]) if generator.random() < 0.25 else None
        first = (highest if abort_after is None else abort_after) + 1
        many = generator.random() < 0.08
        prepares = list(range(first, first + (generator.randrange(99, 230) if many else generator.randrange(4))))
        if generator.random() < 0.1:
            prepares = prepares[::-1]
        kept = [n for n in pending if abort_after is None or n <= abort_after] + prepares
        commit = generator.choice(kept) if kept and generator.random() < 0.6 else None
        etag = loaded["etag"]
        if generator.random() < 0.06:
            # Wrong in one way: each is refused before anything is sent.
            wrong = generator.randrange(4)
            etag = "77" if wrong == 0 else etag
            commit = highest + 500 if wrong == 1 else commit
            abort_after = -1 if wrong == 2 else abort_after
            prepares = prepares + prepares[:1] if wrong == 3 else prepares
        return StoreCall(self.partition, etag, generator.randbytes(generator.randrange(40)),
                         [version(generator, n, many) for n in prepares], commit, abort_after)

    def other_call(self):
        """Of another writer, who has just loaded."""
        answers = self.load_both(self.sessions["other"])
        self.compare("other's load", answers)
        (loaded,) = answers[0].json()
        highest = max([loaded["committed_sequence_id"], *(one["sequence_id"] for one in loaded["pending"])])
        return StoreCall(self.partition, loaded["etag"], b"other", [version(self.generator, highest + 1, True)],
                         highest + 1)

    def store(self, pair, call):
        planned = [session.run(f"SELECT row_to_json(p) FROM {call.sql('plan_store', literal)} AS p")
                   for session in pair]
        self.compare("plan", planned)
        statement = f"SELECT to_json({call.sql('store', literal)})"
        seen = fault_server.get("")["requests"]
        answers = [session.run(statement) for session in pair]
        if answers[1].sqlstate in GIVEN_UP:
            self.resolve(pair, answers, lambda _: statement, call.expected_etag)
        else:
            self.compare_tokens(seen, planned[0], answers[0])
        self.compare("store", answers)
        self.count(f"stores {answers[0].sqlstate}")
        if pair is self.sessions["first"] and answers[0].sqlstate != "22023":
            self.load()

    def resolve(self, pair, answers, statement_of, expected_etag):
        """
        Until what was given up is done: load() tells whether it was applied.  If
        only the first of several batches were, what is left would be another call.
        """
        while answers[1].sqlstate in GIVEN_UP:
            self.count("writes given up")
            there, here = (answer.json()[0] for answer in self.load_both(pair))
            if here == there:
                answers[1] = answers[0]
            elif here["etag"] == expected_etag or expected_etag is ANY:
                answers[1] = pair[1].run(statement_of(here["etag"]))
            else:
                self.differences.append(f"{self.partition}: given up between two batches")
                return

    def delete(self):
        def statement_of(etag):
            return f"SELECT to_json(txstore.delete_partition({literal(self.partition)}, {literal(etag)}))"

        answers = [session.run(statement_of(self.last["etag"])) for session in self.sessions["first"]]
        self.resolve(self.sessions["first"], answers, statement_of, ANY)
        self.compare("deletion", answers)
        self.count("deletions")
        self.load()

    # ------------------------------------------------------------ comparisons

    def compare(self, what, answers):
        self.differences += tap.differ(f"{self.partition}, {what}", *(
            (one.sqlstate, [] if not one.ok else one.lines) for one in answers[::-1]))

    def compare_tokens(self, seen, planned, answer):
        """One token and the same bytes for all attempts of a batch; as many tokens as batches."""
        records = fault_server.get(f"/log?since={seen}&operation=TransactWriteItems")
        sent = [record for record in records if record["body"] is not None]
        bodies = {record["sha256"]: record["body"]["ClientRequestToken"] for record in sent}
        tokens = set(bodies.values())
        batches = planned.json()[-1]["batch"] if planned.ok and answer.ok else 1 if answer.sqlstate == "40001" else 0
        self.differences += tap.differ(f"{self.partition}: different bodies", len(bodies), batches)
        self.differences += tap.differ(f"{self.partition}: tokens", len(tokens), batches)
        if len(records) > batches:
            self.count("stores with retries")


def main():
    tap.start()
    admin = psql.Session()
    admin.run("CREATE EXTENSION IF NOT EXISTS txstore").rows()
    psql.create_storage(admin, "twin-tables")
    psql.create_storage(admin, "twin-dynamodb", fault_server.URL)
    storages = ("twin-tables", "twin-dynamodb")
    sessions = {name: [psql.Session(storage) for storage in storages] for name in ("first", "other")}
    sequences = int(sys.argv[1]) if len(sys.argv) > 1 else SEQUENCES
    counts, differences = {}, []
    # Reads and writes only: tables are made before.
    fault_server.change(clear_log=True, random={
        "probability": PROBABILITY, "seed": 20240102, "operations": list(recording.DATA_OPERATIONS),
        "faults": FAULTS})
    for number in range(sequences):
        twins = Twins(number, sessions)
        twins.run()
        differences += twins.differences
        for name, count in twins.counts.items():
            counts[name] = counts.get(name, 0) + count
    tap.check(f"{sequences} sequences of calls are answered the same, each request with one token", differences)
    fault_server.change(random=None)
    exports = [recording.without_time(recording.join_array(psql.export(session))) for session in sessions["first"]]
    tap.check("both storages hold the same items", tap.differ("items", *exports[::-1]))
    print(f"# {', '.join(f'{name}: {count}' for name, count in sorted(counts.items()))}")

    writes = fault_server.get("/writes").values()
    tap.check("no write was applied twice", [f"{write}" for write in writes if write["applied"] > 1])
    wanted = ["stores 00000", "stores 22023", "stores 40001", "deletions", "stores with retries"]
    tap.check("calls of every kind were made", [f"no {name}" for name in wanted if not counts.get(name)])
    for pair in sessions.values():
        for session in pair:
            session.close()
    admin.close()
    tap.finish()


if __name__ == "__main__":
    main()
