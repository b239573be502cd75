"""Random storages: items as a silo, or somebody with less care, would leave them."""

import base64
import json

PARTS = ["Account", "account", "Konto", "Größe", "É", "E\u0301", "a b", "it''s", "x%y", "x_y", "back\\slash", '"q"',
         "tab\there", "😀", "ﬀ", "Z", "z", "ä", "ae", "-1", "10", "9", "_", "state", "key", "~"]
STATES = [b'{"n":1}', b'{"n":2,"s":"text"}', b'{"n":null}', b'[]', b'7', b'"x"', b'', b'no JSON', b'\x00\xff',
          b'{"n":"\\u0000"}', b'{"n":1e9999}', b'{"deep":' + b'[' * 90 + b']' * 90 + b'}']
MANAGERS = [None, b'{"$id":"1"}', b'{"Reference":{"Id":{"Type":"account","Key":"9"}}}', b'']
TIMES = ["2024-01-02T03:04:05.1234565Z", "2024-01-02T03:04:05.0000000Z", "1999-12-31T23:59:59.9999999Z", None]


class Item:
    """A row of a storage, with the values that the test itself looks at."""

    def __init__(self, partition, sequence, attributes):
        self.partition = partition
        self.sequence = sequence  # None: the key row
        row_key = "key" if sequence is None else f"state_{sequence:016x}"
        self.attributes = {"PartitionKey": {"S": partition}, "RowKey": {"S": row_key}, **attributes}

    def json(self):
        return json.dumps(self.attributes, ensure_ascii=False)


def binary(data):
    return {"B": base64.b64encode(data).decode()}


def partition_keys(random, count):
    keys = set()
    while len(keys) < count:
        kind, grain, state = (random.choice(PARTS) for _ in range(3))
        key = random.choice([f"{kind}/{grain}_default_{state}", f"{kind}/{grain}_default_{state}", f"{kind}/{grain}", kind])
        keys.add(key)
        if random.random() < 0.3:
            keys.add(key.swapcase())
    return sorted(keys)


def key_row(random, partition, committed):
    attributes = {"ETag": {"N": str(random.choice([0, 1, 7, 2**62]))}}
    if committed or random.random() < 0.8:
        attributes["CommittedSequenceId"] = {"N": str(committed)}
    if random.random() < 0.7:
        attributes["Metadata"] = binary(random.choice([b'{}', b'{"CommitRecords":{"$type":"x","a":{},"b":{}}}', b'x']))
    if random.random() < 0.7:
        attributes["Timestamp"] = {"N": str(random.choice([0, 1700000000, 1700000001]))}
    if random.random() < 0.3:
        attributes["Owner"] = random.choice([{"S": "somebody"}, {"N": "12"}, {"NULL": True}])
    return Item(partition, None, attributes)


def state_row(random, partition, sequence):
    attributes = {"ETag": {"N": str(random.randrange(3))}}
    manager = random.choice(MANAGERS)
    time = random.choice(TIMES)
    if random.random() < 0.9:
        attributes["GrainState"] = binary(random.choice(STATES))
    if manager is not None:
        attributes["TransactionManager"] = binary(manager)
    if time is not None:
        attributes["TransactionTimestamp"] = {"S": time}
    if random.random() < 0.8:
        attributes["TransactionId"] = {"S": f"00000000-0000-0000-0000-00000000000{random.randrange(4)}"}
    return Item(partition, sequence, attributes)


def items(random, partitions):
    """
    The rows of the partitions.  Some have no committed version, some pending
    ones, some no key row (which makes them no actors), some nothing else.
    """
    rows = []
    for partition in partitions:
        sequences = sorted(random.sample([1, 2, 3, 4, 5, 9, 10, 15, 16, 255, 2**31, 2**40], random.randrange(7)))
        committed = random.choice(sequences + [0])
        if sequences and random.random() < 0.05:
            committed = 0
        else:
            rows.append(key_row(random, partition, committed))
        rows += [state_row(random, partition, sequence) for sequence in sequences]
    random.shuffle(rows)
    return rows
