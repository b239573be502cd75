#!/usr/bin/env python3
"""The model against what is known of Orleans: worked examples of the spec."""

import sys

from store_model import (
    MAX_INT64,
    MAX_ITEM,
    NO_ETAG,
    Batch,
    Conflict,
    Delete,
    Key,
    Prepare,
    Put,
    Refused,
    Request,
    Row,
    Table,
    key_sizes,
    number_sizes,
    plan,
    state_sizes,
)

ID, TIME, MANAGER = 36, 28, 109


def prepares(*sequences, size=None):
    """Prepares whose items have this size in a partition of one byte."""
    state = 1 if size is None else size - 169 - 1 - MANAGER - 1
    return [Prepare(s, ID, TIME, MANAGER, state) for s in sequences]


def upto(count):
    return prepares(*range(1, count + 1))


def shape(result):
    """Numbers of operations in the batches; the ETag that is returned."""
    counts = [len(batch.operations) for batch in result.batches]
    return counts, result.batches[-1].key.etag


def in_words(result):
    words = []
    for batch in result.batches:
        for operation in batch.operations:
            letter = "P" if isinstance(operation, Put) else "D"
            words.append(f"{letter} {operation.sequence}")
        words.append("key")
    return ", ".join(words)


def refusal(table, *arguments, **named):
    try:
        table.store(*arguments, **named)
    except Refused as refused:
        return refused.kind
    return None


def filled(count, **named):
    table = Table()
    table.store(upto(count), **named)
    return table


# Tests: each returns pairs that should be equal.


def etags_of_one_prepare_call():
    """spec 1.6: returned ETags on a new partition, prepares"""
    expected = {
        98: ([98], 0),
        99: ([99, 0], 1),
        100: ([99, 1], 1),
        197: ([99, 98], 1),
        198: ([99, 99, 0], 2),
        199: ([99, 99, 1], 2),
        200: ([99, 99, 2], 2),
    }
    for count, result in expected.items():
        yield shape(Table().store(upto(count))), result


def etags_of_commits():
    """spec 1.6: prepare and commit, in one call and in two"""
    for count in 99, 100, 200:
        yield shape(Table().store(upto(count), commit=count)), ([1], 0)
    expected = {99: ([98], 2), 100: ([99], 2), 200: ([99, 99, 1], 5)}
    for count, result in expected.items():
        yield shape(filled(count).store(commit=count)), result


def etags_of_cancels_and_replacements():
    """spec 1.6: cancel all, replace all"""
    expected = {99: ([99, 0], 3), 100: ([99, 1], 3), 200: ([99, 99, 2], 5)}
    for count, result in expected.items():
        yield shape(filled(count).store(abort=0)), result
        yield shape(filled(count).store(upto(count))), result


def splits_by_size():
    """spec 1.6: operations of one size in a batch"""
    expected = {
        37567: 99,
        37568: 98,
        100000: 37,
        371916: 10,
        371917: 9,
        MAX_ITEM: 9,
    }
    for size, count in expected.items():
        result = Table().store(prepares(*range(1, 121), size=size))
        sizes = {o.size for batch in result.batches for o in batch.operations}
        yield sizes, {size}
        yield shape(result)[0][0], count
    too_large = prepares(1, size=MAX_ITEM + 1)
    yield refusal(Table(), too_large), "STATE_TOO_LARGE"


def sizes_of_items():
    """spec 1.6: size arithmetic"""
    row = Prepare(1, ID, TIME, 78, 116)
    yield state_sizes(68, row, 0)[0], 432
    yield state_sizes(68, row._replace(state=409284), 0)[0], MAX_ITEM
    yield key_sizes(68, Key(0, 1, 1704164645, 316, True))[0], 457
    yield key_sizes(68, Key(MAX_INT64, 1, 1704164645, 316, True))[0], 475
    empty = Prepare(1, 0, -1, 0, 0)
    yield state_sizes(1, empty, 0)[0], 12 + 1 + 6 + 22 + 4 + 1
    # New partition, first batch full: neither metadata nor time.
    early = Table().store(upto(99)).batches[0]
    yield early.key, Key(0, 0, None, 0, False)
    yield early.size, 12 + 1 + 6 + 3 + 19 + 1 + 4 + 1


def numbers_as_the_service_counts_them():
    """whole numbers measured in dynamodb-conformance, src/item-size.ts"""
    measured = {0: 1, 1: 2, 12: 2, 123: 3, 1234: 3, 100: 2, 1010: 3}
    measured |= {15: 2, 123456: 4, -42: 3, 1200: 2, 123400: 3}
    measured |= {12345678901234567890123456789012345678: 20}
    for number, count in measured.items():
        yield number_sizes(number), (len(str(number)), count)


def order_within_a_batch():
    """spec 1.6: step 2 of Orleans' ShrinkingBatch test"""
    result = filled(8).store(prepares(3, 4), commit=3, abort=4)
    expected = "D 8, D 7, D 6, D 5, P 3, P 4, D 1, D 2, key"
    yield in_words(result), expected


def commit_points():
    """spec 1.5: commits below, at and above the committed id"""
    table = filled(5, commit=5)
    result = table.store(prepares(3), commit=2)
    yield in_words(result), "P 3, key"
    yield table.key.committed, 5
    yield in_words(table.store()), "D 3, key"
    table = filled(5, commit=5)
    result = table.store(prepares(5), commit=5)
    yield result.batches[0].operations[0][:3], (5, 0, 1)
    yield table.key.committed, 5
    table = Table()
    table.store(prepares(0))
    yield in_words(table.store(prepares(1), commit=1)), "P 1, D 0, key"
    yield in_words(Table().store()), "key"


def failure_on_a_new_partition():
    """spec 1.5: 250 prepares, batch 2 of 3 fails"""
    table = Table()
    request = Request(316, 1704164645, upto(250), None, None)
    result = plan(table.base(), request)
    yield shape(result), ([99, 99, 52], 2)
    table.apply(result.batches[0])
    yield table.key, Key(0, 0, None, 0, False)
    yield table.pending(), list(range(1, 100))


def failure_before_the_commit_takes_effect():
    """spec 1.5: 101 prepares with a commit, batch 2 fails, the retry"""
    table = Table()
    rows = prepares(*range(101, 202))
    request = Request(316, 1704164645, rows, 101, None)
    table.apply(plan(table.base(), request).batches[0])
    yield (table.key.etag, table.key.committed), (0, 0)
    yield table.pending(), list(range(101, 200))
    yield shape(table.store(rows, commit=101)), ([99, 2], 2)
    yield (table.key.committed, len(table.pending())), (101, 100)


def failure_after_the_commit_took_effect():
    """spec 1.5: 250 rows, the 251st committed, batch 2 fails"""
    table = filled(250)
    yield table.key.etag, 2
    request = Request(316, 1704164645, prepares(251), 251, None)
    result = plan(table.base(), request)
    yield shape(result)[0], [99, 99, 53]
    table.apply(result.batches[0])
    yield table.key, Key(3, 251, 1704164645, 316, True)
    yield (table.pending(), len(table.rows)), ([], 153)
    yield shape(table.store())[0], [99, 53]
    yield sorted(table.rows), [251]


def stricter_arguments():
    """what Orleans would send, or corrupt, is refused"""
    table = filled(5, commit=3)
    again = prepares(7, 8, 7)
    cases = [
        ("NEGATIVE_SEQUENCE", (prepares(-1),)),
        ("NEGATIVE_SEQUENCE", ((), -1)),
        ("NEGATIVE_SEQUENCE", ((), None, -1)),
        ("DUPLICATE_SEQUENCE", (again,)),
        ("DUPLICATE_SEQUENCE", (prepares(1, 1), 3)),
        ("DUPLICATE_SEQUENCE", (upto(99) + prepares(1), 3)),
        ("NO_ROW_TO_COMMIT", ((), 9)),
        ("NO_ROW_TO_COMMIT", ((), 4, 3)),
        ("ABORTS_COMMITTED", ((), None, 2)),
        (None, (prepares(9), 9)),
        (None, (prepares(9), 9, 9)),
        (None, ((), 1, 9)),
    ]
    for kind, arguments in cases:
        before = table.base()
        yield refusal(table, *arguments), kind
        if kind is not None:
            yield table.base(), before


def abort_and_prepare():
    """an abort and a prepare of one row are one overwrite"""
    table = filled(6, commit=4)
    result = table.store(prepares(7, 6), abort=4)
    yield in_words(result), "D 5, P 7, P 6, key"
    yield result.batches[0].operations[2][:3], (6, 0, 1)
    yield [row.sequence for row in result.rows], [4, 6, 7]
    # Below the commit point the prepare is left out, so the abort stands.
    table = filled(4)
    result = table.store(prepares(3, 9), commit=9, abort=2)
    yield in_words(result), "D 4, D 3, P 9, D 1, D 2, key"


def rows_without_etag():
    """a row without ETag is refused only where it would change"""
    table = filled(3)
    table.rows[2] = table.rows[2]._replace(etag=NO_ETAG)
    for arguments in (prepares(2),), ((), None, 1), ((), 3):
        yield refusal(table, *arguments), "ROW_WITHOUT_ETAG"
    yield refusal(table, prepares(3, 4), 1), None


def limits_of_etags():
    """no ETag passes the largest bigint"""
    table = filled(1)
    table.rows[1] = Row(1, MAX_INT64, 300)
    yield refusal(table, prepares(1)), "ETAG_EXHAUSTED"
    table.key = table.key._replace(etag=MAX_INT64 - 1)
    yield shape(table.store()), ([0], MAX_INT64)
    yield refusal(table), "ETAG_EXHAUSTED"


def limits_of_items():
    """an item fits if both counts do"""
    table = filled(1)
    row = prepares(1, size=MAX_ITEM)
    # The new ETag 1 is one byte of text, but two to the service.
    yield refusal(table, row), "STATE_TOO_LARGE"
    yield refusal(table, prepares(2, size=MAX_ITEM)), None
    most = MAX_ITEM - 90 - 1 - 1
    yield refusal(Table(), metadata=most), None
    yield refusal(Table(), metadata=most + 1), "METADATA_TOO_LARGE"


def conditions():
    """the model's table refuses what a service would"""
    table = filled(2)
    stale = table.base()
    table.store(prepares(3))
    result = plan(stale, Request(316, 0, prepares(4), None, None))
    try:
        table.apply(result.batches[0])
        yield "applied", "a conflict"
    except Conflict:
        pass
    twice = [Delete(1, 0, 1), Delete(1, 0, 1)]
    try:
        table.apply(Batch(twice, table.key.etag, table.key, 1))
        yield "applied", "refused"
    except ValueError:
        pass


TESTS = [
    etags_of_one_prepare_call,
    etags_of_commits,
    etags_of_cancels_and_replacements,
    splits_by_size,
    sizes_of_items,
    numbers_as_the_service_counts_them,
    order_within_a_batch,
    commit_points,
    failure_on_a_new_partition,
    failure_before_the_commit_takes_effect,
    failure_after_the_commit_took_effect,
    stricter_arguments,
    abort_and_prepare,
    rows_without_etag,
    limits_of_etags,
    limits_of_items,
    conditions,
]


def main():
    print(f"1..{len(TESTS)}")
    failed = 0
    for number, test in enumerate(TESTS, 1):
        wrong = [pair for pair in test() if pair[0] != pair[1]]
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {test.__doc__}")
        for found, expected in wrong:
            print(f"#   found    {found}")
            print(f"#   expected {expected}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
