"""
What test/data/orleans recorded, and what it means: DynamoDB's requests as a
table that they change, as calls of store() that lead to them, and as what a
load() of that table must answer.

Everything here is worked out from Orleans' side alone, in other ways than the
extension's; nothing is asked of the extension.
"""

import base64
import json
import os
import re

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "orleans")

DATA_OPERATIONS = ("GetItem", "Query", "TransactWriteItems")


# ------------------------------------------------------------------------ files

def path(name):
    return os.path.join(FOLDER, name)


def read_json(name):
    with open(path(name), encoding="utf-8") as file:
        return json.load(file)


def read_text(name):
    with open(path(name), encoding="utf-8", newline="") as file:
        return file.read()


def read_requests(name):
    with open(path(name), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def split_array(text):
    """The elements of a JSON array, each in the text that it has there."""
    decoder = json.JSONDecoder()
    elements = []
    position = 1
    while text[position] != "]":
        _, end = decoder.raw_decode(text, position)
        elements.append(text[position:end])
        position = end + (text[end] == ",")
    assert text[0] == "[" and position == len(text) - 1
    return elements


def join_array(elements):
    return "[" + ",".join(elements) + "]"


def as_text(item):
    """An item in the form in which the recordings have it."""
    return json.dumps(item, ensure_ascii=False, separators=(",", ":"))


def without_time(text):
    """Items without when their key rows were written, which no replay repeats."""
    return re.sub(r'"Timestamp":\{"N":"\d+"\}', '"Timestamp":{"N":"-"}', text)


def times(text):
    return [int(time) for time in re.findall(r'"Timestamp":\{"N":"(\d+)"\}', text)]


# ------------------------------------------------------------------------ items

def text_of(item, name):
    return item[name]["S"] if name in item else None


def bytes_of(item, name):
    return base64.b64decode(item[name]["B"], validate=True) if name in item else None


def number_of(item, name):
    return int(item[name]["N"]) if name in item else None


def sequence_of(row_key):
    """The number of a state row; None: the key row."""
    if row_key == "key":
        return None
    assert re.fullmatch("state_[0-9a-f]{16}", row_key), row_key
    return int(row_key[6:], 16)


def count_size(item):
    """What Orleans counts for an item: names and values, numbers as text."""
    size = 0
    for name, value in item.items():
        (kind, text), = value.items()
        size += len(name) + len(base64.b64decode(text) if kind == "B" else text.encode())
    return size


# --------------------------------------------------------------------- requests

class Operation:
    """One action of a TransactWriteItems."""

    def __init__(self, action):
        (kind, body), = action.items()
        assert kind in ("Put", "Delete"), kind
        self.action = kind.lower()
        self.item = body.get("Item")
        key = self.item or body["Key"]
        self.partition = key["PartitionKey"]["S"]
        self.row_key = key["RowKey"]["S"]
        self.condition = body["ConditionExpression"]
        current = body.get("ExpressionAttributeValues", {}).get(":currentETag")
        self.expected_etag = None if current is None else int(current["N"])
        self.new_etag = None if self.item is None else number_of(self.item, "ETag")


class Batch:
    """One TransactWriteItems: state rows, then the key row of their partition."""

    def __init__(self, request):
        self.operations = [Operation(action) for action in request["request"]["TransactItems"]]
        self.key = self.operations[-1]
        self.partition = self.key.partition
        assert self.key.row_key == "key" and self.key.action == "put"
        assert all(o.partition == self.partition and o.row_key != "key" for o in self.operations[:-1])


class Table:
    """What the table holds; applies batches as DynamoDB does."""

    def __init__(self):
        self.items = {}

    def apply(self, batch):
        for operation in batch.operations:
            key = operation.partition, operation.row_key
            old = self.items.get(key)
            if operation.expected_etag is None:
                assert old is None, key
            else:
                assert old is not None and number_of(old, "ETag") == operation.expected_etag, key
        for operation in batch.operations:
            key = operation.partition, operation.row_key
            if operation.action == "put":
                self.items[key] = operation.item
            else:
                del self.items[key]

    def size_of(self, partition, row_key):
        return count_size(self.items[partition, row_key])

    def text(self):
        # DynamoDB compares strings by their UTF-8 bytes.
        order = sorted(self.items, key=lambda key: tuple(part.encode() for part in key))
        return join_array([as_text(self.items[key]) for key in order])


def plan_of(batches, table):
    """
    The rows that plan_store() must give for the batches of one store().  A
    deletion is counted with the size of the row that it deletes.
    """
    plan = []
    for number, batch in enumerate(batches, 1):
        for position, operation in enumerate(batch.operations):
            if operation.action == "put":
                size = count_size(operation.item)
            else:
                size = table.size_of(batch.partition, operation.row_key)
            plan.append({
                "batch": number, "operation": position, "action": operation.action,
                "row_key": operation.row_key,
                "condition": operation.condition, "expected_etag": operation.expected_etag,
                "new_etag": operation.new_etag, "bytes": size})
    return plan


# ------------------------------------------------------------------------ calls

class StoreCall:
    """The arguments of a store()."""

    def __init__(self, partition, expected_etag, metadata, prepares=(), commit_up_to=None, abort_after=None):
        self.partition = partition
        self.expected_etag = expected_etag
        self.metadata = metadata
        self.prepares = prepares  # items
        self.commit_up_to = commit_up_to
        self.abort_after = abort_after

    def sql(self, function, literal):
        versions = [
            "ROW({})::txstore.state_version".format(", ".join(literal(value) for value in (
                sequence_of(item["RowKey"]["S"]), text_of(item, "TransactionId"),
                text_of(item, "TransactionTimestamp"), bytes_of(item, "TransactionManager"),
                bytes_of(item, "GrainState") or b"")))
            for item in self.prepares]
        prepares = f"ARRAY[{', '.join(versions)}]" if versions else "NULL"
        return (f"txstore.{function}({literal(self.partition)}, {literal(self.expected_etag)}, "
                f"{literal(self.metadata)}, {prepares}, {literal(self.commit_up_to)}, "
                f"{literal(self.abort_after)})")


def call_of(batches, committed):
    """
    The store() that leads to these batches, on a partition where version
    committed is committed.  What the last key row says is what was asked for.
    Rows below the new commit point are deleted by store() of itself; any other
    deletion was an abort, of that row and all above it.
    """
    last = batches[-1].key.item
    new_committed = number_of(last, "CommittedSequenceId")
    states = [o for batch in batches for o in batch.operations[:-1]]
    aborted = [sequence_of(o.row_key) for o in states
               if o.action == "delete" and sequence_of(o.row_key) >= new_committed]
    etag = batches[0].key.expected_etag
    return StoreCall(
        batches[0].partition, None if etag is None else str(etag), bytes_of(last, "Metadata") or b"",
        [o.item for o in states if o.action == "put"],
        new_committed if new_committed > committed else None,
        min(aborted) - 1 if aborted else None)


# ---------------------------------------------------------------------- answers

def bytea(value):
    """Bytes as PostgreSQL writes them in JSON."""
    return None if value is None else "\\x" + value.hex()


def load_of(key, states):
    """What load() must answer for a key row (None: there is none) and its state rows."""
    if key is None:
        return {"etag": None, "committed_sequence_id": 0, "committed_state": None, "metadata": "\\x",
                "pending": []}
    committed = number_of(key, "CommittedSequenceId")
    versions = {sequence_of(item["RowKey"]["S"]): item for item in states}
    pending = []
    for sequence in sorted(versions):
        item = versions[sequence]
        if sequence > committed:
            if not bytes_of(item, "TransactionManager"):
                break
            pending.append({
                "sequence_id": sequence, "transaction_id": text_of(item, "TransactionId"),
                "transaction_timestamp": text_of(item, "TransactionTimestamp"),
                "transaction_manager": bytea(bytes_of(item, "TransactionManager")),
                "state": bytea(bytes_of(item, "GrainState") or b"")})
    state = bytes_of(versions[committed], "GrainState") or b"" if committed > 0 else None
    return {"etag": key["ETag"]["N"], "committed_sequence_id": committed, "committed_state": bytea(state),
            "metadata": bytea(bytes_of(key, "Metadata") or b""), "pending": pending}


class LoadReader:
    """
    Puts the requests of one load together: the key row, pages of state rows,
    the key row again.
    """

    def __init__(self):
        self.states = None

    def take(self, request):
        """The request's load if it is its last one, as (key row, state rows)."""
        assert request["status"] == 200
        if request["op"] == "Query":
            self.states.extend(request["response"]["Items"])
            return None
        assert request["op"] == "GetItem" and request["request"]["Key"]["RowKey"]["S"] == "key"
        key = request["response"].get("Item")
        if self.states is None:
            self.states = []
            return None
        states, self.states = self.states, None
        return key, states


def partition_of(request):
    """The partition that a read is of."""
    if request["op"] == "GetItem":
        return request["request"]["Key"]["PartitionKey"]["S"]
    return request["request"]["ExpressionAttributeValues"][":partitionKey"]["S"]
