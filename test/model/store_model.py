"""A model of store(): which batches it sends, or why it refuses.

It follows the phases of Orleans' DynamoDB storage as they are described, and
was written from the description and not from src/store/planner.c, so that the
two can be held against each other (compare_plans.py).  Byte strings and texts
appear as their lengths only.

It is orleans_model.py written anew, without the table and the bytes, and with
these differences, each where the design's "Stricter than Orleans" or the
description (spec transactional-storage) asks for it.  compare_models.py shows
that there is no other.

- check_sequences: a negative id or a sequence twice is refused before all
  else.  Orleans would send two writes of one row, or corrupt the partition.
- ABORTS_COMMITTED and NO_ROW_TO_COMMIT: Orleans stores them, and its next load
  finds the committed row missing.  At or below the committed id a commit names
  what is committed already, and passes, as it does with Orleans.
- Both counts limit an item, since the service refuses by its own.  Orleans'
  alone cuts batches, so that both providers cut them at the same place.
- check_metadata: with an ETag of 19 digits, as spec 1.4 step 3 has it; the
  first model leaves that step out.
- abort_rows: a row that is prepared anew stays and is overwritten, since a
  transaction cannot delete and put one row.
- check_etag, next_etag: a row without ETag cannot be named in a condition, and
  no ETag passes the largest bigint (Orleans: checked arithmetic).
- A plan that is refused leaves nothing done, so there is no flag that demands a
  load; whether the caller's ETag is the right one is not the planner's to say.
- Texts and bytes of length 0 are left out with their names, as spec 1.1 says.
"""

from bisect import bisect_left
from collections import namedtuple

NO_ETAG = -1
MAX_INT64 = 2**63 - 1

MAX_ITEM = 400 * 1024
MAX_TRANSACTION = 4 * 1024 * 1024
MAX_DATA = MAX_TRANSACTION - MAX_ITEM - 64 * 1024
MAX_OPERATIONS = 99

# None stands for an absent committed id, timestamp, commit point or abort.
Key = namedtuple("Key", "etag committed timestamp metadata is_new_metadata")
Row = namedtuple("Row", "sequence etag size")
Prepare = namedtuple("Prepare", "sequence id timestamp manager state")
Base = namedtuple("Base", "partition key rows")
Request = namedtuple("Request", "metadata now prepares commit abort")

# index: which of the request's prepares a put writes.
Put = namedtuple("Put", "sequence expected etag size index")
Delete = namedtuple("Delete", "sequence expected size")
Batch = namedtuple("Batch", "operations expected key size")
Plan = namedtuple("Plan", "batches rows")

FRESH = Key(NO_ETAG, None, None, 0, False)


class Refused(Exception):
    """
    sequences: those the error may name; None where any will do.
    early: the key row that is too large before the new metadata is in it.
    """

    def __init__(self, kind, sequences=None, size=None, early=None):
        super().__init__(kind, sequences, size)
        self.kind = kind
        self.sequences = sequences
        self.size = size
        self.early = early


# Sizes.  Each function gives two: Orleans' count and the service's.


def number_sizes(value):
    """Orleans counts the text, the service about half its digits."""
    significant = len(str(abs(value)).rstrip("0"))
    return len(str(value)), 1 + (significant + 1) // 2 + (value < 0)


def item_sizes(partition, row_key, lengths, numbers):
    """An empty text or byte string is left out, and its name with it."""
    size = len("PartitionKey") + partition + len("RowKey") + row_key
    for name, length in lengths:
        if length > 0:
            size += len(name) + length
    orleans = service = size
    for name, value in numbers:
        if value is not None:
            text, packed = number_sizes(value)
            orleans += len(name) + text
            service += len(name) + packed
    return orleans, service


def key_sizes(partition, key):
    return item_sizes(
        partition,
        len("key"),
        [("Metadata", key.metadata)],
        [
            ("CommittedSequenceId", key.committed),
            ("Timestamp", key.timestamp),
            ("ETag", key.etag),
        ],
    )


def state_sizes(partition, prepare, etag):
    return item_sizes(
        partition,
        len("state_0123456789abcdef"),
        [
            ("GrainState", prepare.state),
            ("TransactionId", prepare.id),
            ("TransactionTimestamp", prepare.timestamp),
            ("TransactionManager", prepare.manager),
        ],
        [("ETag", etag)],
    )


# Planning


def plan(base, request):
    """The plan of a store, or Refused."""
    check_sequences(request)
    committed = base.key.committed or 0
    if request.abort is not None and request.abort < committed:
        raise Refused("ABORTS_COMMITTED", {request.abort})
    store = Store(base, request)
    store.check_metadata()
    store.abort_rows()
    store.put_prepares()
    store.take_effect()
    store.delete_obsolete()
    store.finish()
    store.check_commit()
    return Plan(store.batches, store.rows)


def check_sequences(request):
    prepared = [prepare.sequence for prepare in request.prepares]
    negative = [sequence for sequence in prepared if sequence < 0]
    for sequence in request.commit, request.abort:
        if sequence is not None and sequence < 0:
            negative.append(sequence)
    if negative:
        raise Refused("NEGATIVE_SEQUENCE", set(negative))
    if len(set(prepared)) < len(prepared):
        twice = {s for s in prepared if prepared.count(s) > 1}
        raise Refused("DUPLICATE_SEQUENCE", twice)


class Store:
    """A store() at work: rows and key as they will be at each moment."""

    def __init__(self, base, request):
        self.partition = base.partition
        self.request = request
        self.rows = list(base.rows)
        self.old_committed = base.key.committed or 0
        self.key = base.key._replace(committed=self.old_committed)
        committed = self.old_committed
        if request.commit is not None and request.commit > committed:
            committed = request.commit
        self.new_key = Key(
            None, committed, request.now, request.metadata, True
        )
        self.obsolete_before = (
            self.old_committed if request.commit is None else request.commit
        )
        self.operations = []
        self.data = 0
        self.key_changed = False
        self.batches = []

    def check_metadata(self):
        key = self.new_key._replace(etag=MAX_INT64)
        size = max(key_sizes(self.partition, key))
        if size > MAX_ITEM:
            raise Refused("METADATA_TOO_LARGE", None, size)

    def abort_rows(self):
        """From the highest; but a row that is prepared anew stays."""
        if self.request.abort is None:
            return
        kept = []
        prepared = {
            prepare.sequence
            for prepare in self.request.prepares
            if prepare.sequence >= self.obsolete_before
        }
        while self.rows and self.rows[-1].sequence > self.request.abort:
            row = self.rows.pop()
            if row.sequence in prepared:
                kept.insert(0, row)
            else:
                self.delete(row)
        self.rows += kept

    def put_prepares(self):
        for index, prepare in enumerate(self.request.prepares):
            if prepare.sequence >= self.obsolete_before:
                self.put(index, prepare)

    def take_effect(self):
        self.key = self.new_key._replace(etag=self.key.etag)
        self.key_changed = True

    def delete_obsolete(self):
        while self.rows and self.rows[0].sequence < self.obsolete_before:
            self.delete(self.rows.pop(0))

    def finish(self):
        if self.operations or self.key_changed:
            self.flush()

    def check_commit(self):
        commit = self.request.commit
        if commit is not None and commit > self.old_committed:
            if commit not in {row.sequence for row in self.rows}:
                raise Refused("NO_ROW_TO_COMMIT", {commit})

    def put(self, index, prepare):
        sequence = prepare.sequence
        at = bisect_left(self.rows, sequence, key=lambda row: row.sequence)
        exists = at < len(self.rows) and self.rows[at].sequence == sequence
        expected = NO_ETAG
        etag = 0
        if exists:
            expected = self.rows[at].etag
            check_etag(self.rows[at])
            etag = next_etag(expected, {sequence})
        sizes = state_sizes(self.partition, prepare, etag)
        if max(sizes) > MAX_ITEM:
            raise Refused("STATE_TOO_LARGE", {sequence}, max(sizes))
        self.add(Put(sequence, expected, etag, sizes[0], index))
        self.rows[at : at + exists] = [Row(sequence, etag, sizes[0])]

    def delete(self, row):
        check_etag(row)
        self.add(Delete(row.sequence, row.etag, row.size))

    def add(self, operation):
        """The operation is found to be sound before it may end a batch."""
        if self.operations and self.data + operation.size > MAX_DATA:
            self.flush()
        self.operations.append(operation)
        self.data += operation.size
        if len(self.operations) == MAX_OPERATIONS:
            self.flush()

    def flush(self):
        """End a batch with the key row as it is now."""
        expected = self.key.etag
        self.key = self.key._replace(etag=next_etag(expected, None))
        sizes = key_sizes(self.partition, self.key)
        if max(sizes) > MAX_ITEM:
            raise Refused("METADATA_TOO_LARGE", None, max(sizes), self.key)
        self.batches.append(
            Batch(self.operations, expected, self.key, sizes[0])
        )
        self.operations = []
        self.data = 0
        self.key_changed = False


def check_etag(row):
    if row.etag == NO_ETAG:
        raise Refused("ROW_WITHOUT_ETAG", {row.sequence})


def next_etag(etag, sequences):
    """NO_ETAG is followed by 0."""
    if etag == MAX_INT64:
        raise Refused("ETAG_EXHAUSTED", sequences)
    return etag + 1


# Carrying plans out


class Conflict(Exception):
    pass


class Table:
    """One partition as the service would keep it."""

    def __init__(self, partition=1):
        self.partition = partition
        self.key = FRESH
        self.rows = {}

    def base(self):
        rows = [self.rows[sequence] for sequence in sorted(self.rows)]
        return Base(self.partition, self.key, rows)

    def apply(self, batch):
        """All of a batch or nothing, with the service's own checks."""
        sequences = [operation.sequence for operation in batch.operations]
        if len(sequences) > 99 or len(set(sequences)) < len(sequences):
            raise ValueError("not a transaction that the service takes")
        for operation in batch.operations:
            row = self.rows.get(operation.sequence)
            if (row.etag if row else NO_ETAG) != operation.expected:
                raise Conflict(operation)
        if self.key.etag != batch.expected:
            raise Conflict(batch)
        for operation in batch.operations:
            self.rows.pop(operation.sequence, None)
            if isinstance(operation, Put):
                self.rows[operation.sequence] = Row(
                    operation.sequence, operation.etag, operation.size
                )
        self.key = batch.key

    def store(self, prepares=(), commit=None, abort=None, metadata=316):
        """Plan a store, carry it out, return its plan."""
        request = Request(metadata, 1704164645, prepares, commit, abort)
        result = plan(self.base(), request)
        for batch in result.batches:
            self.apply(batch)
        return result

    def pending(self):
        committed = self.key.committed or 0
        return [s for s in sorted(self.rows) if s > committed]
