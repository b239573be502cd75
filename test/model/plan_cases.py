"""Random stores for compare_plans.py, drawn where mistakes are likely.

A case is a base, a request and the length of the key row's unknown
attributes.  Most cases are built from a shape and then bent towards a limit.
"""

import random
from collections import namedtuple

from store_model import (
    FRESH,
    MAX_DATA,
    MAX_INT64,
    MAX_ITEM,
    NO_ETAG,
    Base,
    Delete,
    Key,
    Prepare,
    Put,
    Refused,
    Request,
    Row,
    key_sizes,
    plan,
    state_sizes,
)

Case = namedtuple("Case", "base request extra")

# Spec 1.6: sizes at which the number of equal items in a batch changes.
SPLIT_SIZES = [37567, 37568, 100000, 371916, 371917, MAX_ITEM]
ETAGS = [0, 1, 5, 8, 9, 10, 98, 99, 100, 998, 999, 10**9 - 1, 10**17 + 1]
NOW = 1704164645


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def case(self):
        draw = self.random.random
        case = self.mixture() if draw() < 0.35 else self.scattered()
        case = self.set_sizes(case)
        bends = [
            (0.12, self.aim_at_data_limit),
            (0.10, self.aim_at_item_limit),
            (0.06, self.aim_at_metadata_limit),
            (0.30, self.aim_at_old_metadata_limit),
            (0.02, self.make_giant),
            (0.05, self.drop_etags),
            (0.06, self.exhaust_etag),
            (0.02, self.make_negative),
            (0.03, self.prepare_twice),
            (0.03, self.make_two_mistakes),
        ]
        for share, bend in bends:
            if draw() < share:
                case = bend(case)
        return case

    # Shapes

    def mixture(self):
        """Aborts, prepares and deletes that nearly fill whole batches."""
        pick = self.random.choice
        total = pick(
            [97, 98, 99, 100, 101, 197, 198, 199, 200, 250, 297, 298]
        )
        aborts, rewrites, inserts, deletes = self.divide(total, 4)
        merged = self.random.randint(0, rewrites)
        stay = deletes + 1 + rewrites - merged
        have = self.ascending(stay + aborts + merged)
        commit_at = have[deletes]
        last_stay = have[stay - 1]
        merge = self.random.sample(have[stay:], merged)
        after = have[-1] + pick([1, 1, 50])
        prepared = have[deletes + 1 : stay] + merge
        prepared += range(after, after + inserts)
        prepared += have[: pick([0, 0, 0, min(deletes, 2)])]
        if pick([True, False]):
            self.random.shuffle(prepared)
        abort = pick([None, have[-1]])
        if aborts + merged > 0:
            abort = self.random.randint(last_stay, have[stay] - 1)
        key, commit = self.key_for_commit(have[: deletes + 1])
        if abort is not None and abort < commit_at:
            abort = None
        return self.make(key, have, prepared, commit, abort)

    def key_for_commit(self, sequences):
        """A key row and commit point that make all but the last obsolete."""
        way = self.random.randint(0, 3)
        if way == 0:
            return FRESH, sequences[-1]
        if way == 1:
            return self.key(sequences[-1]), None
        if way == 2:
            return self.key(0), sequences[-1]
        return self.key(self.random.choice(sequences)), sequences[-1]

    def scattered(self):
        """Anything: gaps, leftovers, commits and aborts anywhere."""
        draw, pick = self.random.random, self.random.choice
        have = self.ascending(self.count(250))
        key = self.key(self.committed(have))
        if draw() < 0.15:
            key = FRESH
        prepared = self.prepared(have)
        if draw() < 0.4:
            self.random.shuffle(prepared)
        committed = key.committed or 0
        existing = sorted({*have, *prepared})
        commit = abort = None
        if draw() < 0.5:
            commit = self.point(existing, committed)
        if draw() < 0.4:
            abort = max(self.point(have, committed), committed)
            if committed > 0 and draw() < 0.08:
                abort = pick([committed - 1, self.random.randrange(committed)])
        return self.make(key, have, prepared, commit, abort)

    def make(self, key, have, prepared, commit, abort):
        etag = self.random.choice([0, 0, self.random.choice(ETAGS), None])
        rows = [Row(s, self.etag(etag), 0) for s in have]
        prepares = [self.prepare(s) for s in prepared]
        metadata = self.random.choice([-1, 0, 2, 316, 316, 2000, 50000])
        now = self.random.choice([NOW] * 12 + [0, 5, 99, -5, 10**10])
        return Case(
            Base(self.partition(), key, rows),
            Request(metadata, now, prepares, commit, abort),
            self.random.choice([-1, -1, 0, 40]),
        )

    # Parts

    def divide(self, total, parts):
        """Into random parts; often some of them are 0."""
        weights = [
            self.random.choice([0, 0, self.random.random()])
            for _ in range(parts)
        ]
        weights[self.random.randrange(parts)] += 0.01
        shares = [int(total * w / sum(weights)) for w in weights]
        shares[weights.index(max(weights))] += total - sum(shares)
        return shares

    def count(self, limit):
        low, high = self.random.choice(
            [(0, 0), (0, 2), (0, 8), (0, 8), (3, 30), (95, 103), (30, limit)]
        )
        return self.random.randint(low, high)

    def ascending(self, count):
        pick = self.random.choice
        gap = pick([1, 1, 2, 10**6])
        starts = [0, 1, 1, 5, 2**40, MAX_INT64 - gap * count - 400, None]
        sequence = pick(starts)
        if sequence is None:
            sequence = self.random.randrange(1000)
        found = []
        for _ in range(count):
            found.append(sequence)
            sequence += self.random.randint(1, gap)
        return found

    def committed(self, have):
        draw = self.random.random()
        if not have or draw < 0.15:
            return self.random.choice([0, 0, 0, 7, 123456])
        if draw < 0.35:
            return have[0]
        if draw < 0.45:
            return have[-1]
        return self.random.choice(have)

    def prepared(self, have):
        """Sequences to prepare: new ones, existing ones, gaps."""
        last = have[-1] if have else self.random.choice([-1, 0, 0, 99])
        room = MAX_INT64 - last
        last += self.random.choice([0, 0, 0, 1, min(room, 5000)])
        count = min(self.count(210), MAX_INT64 - last)
        found = list(range(last + 1, last + 1 + count))
        if have and self.random.random() < 0.5:
            amount = self.random.randint(0, min(len(have), 110))
            found = self.random.sample(have, amount) + found
        if have and self.random.random() < 0.3:
            near = self.random.choice(have) + self.random.choice([-1, 1])
            if 0 <= near <= MAX_INT64 and near not in found:
                found.insert(0, near)
        if have and self.random.random() < 0.05:
            found.append(MAX_INT64)
        return list(dict.fromkeys(found))

    def point(self, existing, committed):
        """Where to commit or abort."""
        draw = self.random.random()
        if draw < 0.08:
            return committed
        if draw < 0.16:
            return self.random.randint(0, max(committed, 0))
        if draw < 0.20:
            return MAX_INT64
        if not existing or draw < 0.24:
            return max(committed + self.random.randint(-2, 300), 0)
        if draw < 0.34:
            return existing[-1]
        if draw < 0.40:
            return max(self.random.choice(existing) - 1, 0)
        above = [s for s in existing if s > committed]
        return self.random.choice(above or existing)

    def key(self, committed):
        pick = self.random.choice
        timestamps = [NOW - 5, NOW - 5, 1700000000, None, 0, 7, -1, 10**10]
        return Key(
            pick([0, 0, 0, 7, 8, 9, 97, 98, 99, 998, self.etag(None)]),
            committed or pick([None, 0]),
            pick(timestamps),
            pick([-1, 0, 316, 316, 5000]),
            False,
        )

    def etag(self, etag):
        return self.random.choice(ETAGS) if etag is None else etag

    def partition(self):
        pick = self.random.choice
        return pick([1, 36, 68, 68, self.random.randint(2, 2047), 2048])

    def prepare(self, sequence):
        pick = self.random.choice
        return Prepare(
            sequence,
            pick([36] * 8 + [-1, 0, 7]),
            pick([28] * 8 + [-1, 0]),
            pick([78, 78, 109, 220, 0, -1]),
            pick([-1, 0, 1, 4, 116, 116]),
        )

    # Sizes

    def set_sizes(self, case):
        """Sizes of all items, after one of a few fashions."""
        pick = self.random.choice
        equal = pick(SPLIT_SIZES) + pick([-1, 0, 0, 1])
        low, high = pick(
            [(150, 2600)] * 4
            + [(equal, equal)] * 2
            + [(2600, 60000), (2600, MAX_ITEM), (10**5, MAX_ITEM)]
        )
        draw = self.random.randint
        rows = {row.sequence: draw(low, high) for row in case.base.rows}
        puts = {}
        if high > 2600:
            # One less than allowed: the service may count one byte more.
            highest = high if low == high else MAX_ITEM - 1
            for index in range(len(case.request.prepares)):
                puts[index] = min(draw(low, high), highest)
        return resize(case, rows, puts)

    def aim_at_data_limit(self, case):
        """Make some operations fill a batch to the last byte, or nearly."""
        result = plan_or_none(case)
        if result is None:
            return case
        operations = [o for b in result.batches for o in b.operations]
        begin = self.random.choice([0, 0, 99])
        count = self.random.choice([10, 10, 11, 40, 97, 98, 99])
        group = operations[begin : begin + count]
        if len(group) < 10:
            return case
        sizes = [(operation, 1000) for operation in operations[:begin]]
        total = MAX_DATA + self.random.choice([-1, 0, 0, 1, 1])
        self.random.shuffle(group)
        for left, operation in zip(range(len(group), 0, -1), group):
            size = total // left
            if left > 1 and self.random.random() < 0.5:
                size += self.random.randint(-900, 900)
            sizes.append((operation, size))
            total -= size
        deletes = {o.sequence: z for o, z in sizes if isinstance(o, Delete)}
        puts = {o.index: z for o, z in sizes if isinstance(o, Put)}
        return resize(case, deletes, puts)

    def aim_at_item_limit(self, case):
        if not case.request.prepares:
            return case
        index = self.random.randrange(len(case.request.prepares))
        size = MAX_ITEM + self.random.choice([-2, -1, -1, 0, 0, 0, 1, 1, 2])
        return resize(case, {}, {index: size})

    def aim_at_metadata_limit(self, case):
        """Orleans counts more here: the ETag has 19 digits."""
        request = case.request
        committed = max(case.base.key.committed or 0, request.commit or 0)
        key = Key(MAX_INT64, committed, request.now, 1, True)
        rest = key_sizes(case.base.partition, key)[0] - 1
        size = MAX_ITEM + self.random.choice([-9, -8, -1, 0, 0, 1, 1, 2])
        return case._replace(request=request._replace(metadata=size - rest))

    def aim_at_old_metadata_limit(self, case):
        """Let the key rows of early batches be about as large as may be."""
        result = plan_or_none(case)
        if result is None:
            return case
        early = [b.key for b in result.batches if not b.key.is_new_metadata]
        if not early:
            return case
        key = self.random.choice(early)._replace(metadata=1)
        rest = self.random.choice(key_sizes(case.base.partition, key)) - 1
        size = MAX_ITEM + self.random.choice([-1, 0, 0, 1, 1])
        base = case.base
        if base.key.etag == NO_ETAG:
            return case
        key = base.key._replace(metadata=size - rest)
        return case._replace(base=base._replace(key=key))

    def make_giant(self, case):
        """A row that no batch should hold, yet one has to delete it."""
        if not case.base.rows:
            return case
        row = self.random.choice(case.base.rows)
        result = plan_or_none(case)
        if result is not None and self.random.random() < 0.5:
            # The first operation of a batch: no other is to be sent before.
            batch = self.random.choice([result.batches[0], *result.batches])
            for operation in batch.operations[:1]:
                if isinstance(operation, Delete):
                    row = operation
        rows = {row.sequence: MAX_DATA + self.random.choice([0, 1, 10**6])}
        return resize(case, rows, {})

    # Cases that are refused, or nearly

    def drop_etags(self, case):
        for _ in range(self.random.randint(1, 3)):
            case = self.change_etag(case, NO_ETAG)
        return case

    def exhaust_etag(self, case):
        etag = MAX_INT64 - self.random.choice([0, 0, 1, 1, 2])
        key = case.base.key
        if key.etag != NO_ETAG and self.random.random() < 0.5:
            base = case.base._replace(key=key._replace(etag=etag))
            return case._replace(base=base)
        return self.change_etag(case, etag)

    def change_etag(self, case, etag):
        rows = list(case.base.rows)
        if rows:
            at = self.random.randrange(len(rows))
            touched = [p.sequence for p in case.request.prepares]
            for index, row in enumerate(rows):
                if row.sequence in touched[:5]:
                    at = self.random.choice([at, index])
            rows[at] = rows[at]._replace(etag=etag)
        return case._replace(base=case.base._replace(rows=rows))

    def make_negative(self, case):
        request = case.request
        negative = self.random.choice([-1, -2, -(2**63)])
        way = self.random.choice(["prepare", "commit", "abort"])
        if way == "commit":
            request = request._replace(commit=negative)
        elif way == "abort":
            request = request._replace(abort=negative)
        else:
            at = self.random.randint(0, len(request.prepares))
            prepares = list(request.prepares)
            prepares.insert(at, self.prepare(negative))
            request = request._replace(prepares=prepares)
        return case._replace(request=request)

    def prepare_twice(self, case):
        prepares = list(case.request.prepares)
        if prepares:
            again = self.random.choice(prepares)
            at = self.random.choice([0, len(prepares), len(prepares) // 2])
            prepares.insert(at, again._replace(state=5))
        return case._replace(request=case.request._replace(prepares=prepares))


    def misplace(self, case):
        """Commit what there is not, or abort what is committed."""
        request = case.request
        committed = case.base.key.committed or 0
        if committed > 0 and self.random.random() < 0.5:
            abort = self.random.choice([0, committed - 1])
            return case._replace(request=request._replace(abort=abort))
        commit = self.random.choice([committed + 1, MAX_INT64])
        return case._replace(request=request._replace(commit=commit))

    def make_two_mistakes(self, case):
        """Which of them is reported?"""
        mistakes = [
            self.aim_at_item_limit,
            self.aim_at_metadata_limit,
            self.aim_at_old_metadata_limit,
            self.drop_etags,
            self.exhaust_etag,
            self.make_negative,
            self.prepare_twice,
            self.misplace,
        ]
        for mistake in self.random.sample(mistakes, 2):
            case = mistake(case)
        return case


def plan_or_none(case):
    try:
        return plan(case.base, case.request)
    except Refused:
        return None


def resize(case, deletes, puts):
    """Give items these sizes: of deletes by sequence, of puts by index."""
    base, request = case.base, case.request
    rows = [
        row._replace(size=deletes.get(row.sequence, row.size))
        for row in base.rows
    ]
    etags = {row.sequence: row.etag for row in rows}
    prepares = list(request.prepares)
    for index, size in puts.items():
        prepare = prepares[index]._replace(state=1)
        etag = etags.get(prepare.sequence, NO_ETAG) + 1
        rest = state_sizes(base.partition, prepare, etag)[0] - 1
        prepares[index] = prepare._replace(state=max(size - rest, 0))
    return case._replace(
        base=base._replace(rows=rows),
        request=request._replace(prepares=prepares),
    )
