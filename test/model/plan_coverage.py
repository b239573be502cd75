"""What the cases of compare_plans.py cover.

Each function gives the classes that a case is in; report() fails a run whose
generator has lost one of them.
"""

from store_model import (
    MAX_DATA,
    MAX_INT64,
    MAX_ITEM,
    MAX_OPERATIONS,
    MAX_TRANSACTION,
    NO_ETAG,
    Delete,
    Put,
    key_sizes,
    state_sizes,
)

PER = 20000  # cases, in which each class must have its floor
TOTALS = [0, 1, 97, 98, 99, 100, 197, 198, 199, 200, 250]  # of operations
LARGEST = MAX_TRANSACTION - 64 * 1024  # a batch with its key row, in bytes
NEAR = 1024


def of_refusal(case, error):
    found = {f"refused {error.kind}"}
    if error.size == MAX_ITEM + 1:
        found.add(f"refused {error.kind} by one byte")
    if error.kind == "STATE_TOO_LARGE":
        found |= of_large_state(case, error)
    if error.kind == "DUPLICATE_SEQUENCE":
        found |= of_duplicate(case, error)
    if error.kind == "METADATA_TOO_LARGE" and error.early:
        found.add("refused for the old metadata")
        if key_sizes(case.base.partition, error.early)[0] <= MAX_ITEM:
            found.add("refused for the old metadata by the service's count")
    if error.kind == "ETAG_EXHAUSTED":
        found.add(f"exhausted ETag of a {'row' if error.sequences else 'key'}")
    return found


def of_duplicate(case, error):
    found = set()
    prepared = [prepare.sequence for prepare in case.request.prepares]
    for sequence in error.sequences:
        if sequence < obsolete_before(case):
            found.add("duplicate of a skipped prepare")
        first = prepared.index(sequence)
        if sequence in prepared[first + MAX_OPERATIONS :]:
            found.add("duplicates in different batches")
    return found


def of_large_state(case, error):
    for prepare in case.request.prepares:
        if prepare.sequence in error.sequences:
            etags = {row.sequence: row.etag for row in case.base.rows}
            etag = etags.get(prepare.sequence, NO_ETAG) + 1
            sizes = state_sizes(case.base.partition, prepare, etag)
            if sizes[0] <= MAX_ITEM:
                return {"refused STATE_TOO_LARGE by the service's count"}
    return set()


def of_plan(case, plan):
    found = of_key_rows(case, plan) | of_cuts(plan)
    found |= of_points(case) | of_prepares(case)
    for batch in plan.batches:
        for operation in batch.operations:
            if isinstance(operation, Put):
                found |= of_put(case, operation)
            else:
                found |= of_delete(case, operation)
    if any(row.etag == NO_ETAG for row in plan.rows):
        found.add("row without ETag left alone")
    return found


def obsolete_before(case):
    commit = case.request.commit
    return (case.base.key.committed or 0) if commit is None else commit


def of_prepares(case):
    found = set()
    old = {row.sequence for row in case.base.rows}
    prepared = [prepare.sequence for prepare in case.request.prepares]
    kept = [s for s in prepared if s >= obsolete_before(case)]
    if len(kept) < len(prepared):
        found.add("prepare skipped")
    if kept != sorted(kept):
        found.add("prepares not ascending")
    if case.request.abort is not None:
        aborted = {s for s in old if s > case.request.abort}
        if aborted.intersection(kept):
            found.add("abort and prepare of one row")
        if aborted.intersection(set(prepared).difference(kept)):
            found.add("abort of a row whose prepare is skipped")
    return found


def of_delete(case, delete):
    found = set()
    abort = case.request.abort
    if abort is not None and delete.sequence > abort:
        if delete.sequence < obsolete_before(case):
            found.add("abort of a row below the commit point")
    elif case.request.commit is None:
        found.add("delete of leftovers without a commit")
    if delete.size > MAX_DATA:
        found.add("row too large for any batch")
    return found


def of_put(case, put):
    found = set()
    if put.expected != NO_ETAG:
        found.add("overwrite")
        if len(str(put.etag)) > len(str(put.expected)):
            found.add("ETag of a row grows a digit")
        if put.etag == MAX_INT64:
            found.add("largest ETag of a row")
    if put.sequence == MAX_INT64:
        found.add("largest sequence")
    if put.size >= MAX_ITEM - 2:
        prepare = case.request.prepares[put.index]
        sizes = state_sizes(case.base.partition, prepare, put.etag)
        if max(sizes) == MAX_ITEM - 1:
            found.add("state a byte below the limit")
        if sizes[0] == MAX_ITEM:
            found.add("state at the limit")
        if sizes[1] == MAX_ITEM > sizes[0]:
            found.add("state at the limit by the service's count")
    committed = case.base.key.committed or 0
    if put.sequence == committed > 0:
        found.add("prepare at the committed id")
    if put.sequence < committed:
        found.add("prepare below the committed row")
    return found


def of_points(case):
    found = set()
    request = case.request
    committed = case.base.key.committed or 0
    if request.commit is not None:
        order = (request.commit > committed) - (request.commit < committed)
        place = {-1: "below", 0: "at", 1: "above"}[order]
        found.add(f"commit {place} the committed id")
        if request.commit in {p.sequence for p in request.prepares}:
            found.add("commit of a prepare of the same call")
    if request.abort is not None:
        highest = max((row.sequence for row in case.base.rows), default=-1)
        found.add("abort of nothing" if request.abort >= highest else "abort")
        if request.abort == committed:
            found.add("abort at the committed id")
    if case.base.key.etag == NO_ETAG and case.base.rows:
        found.add("rows without a key row")
    return found


def of_key_rows(case, plan):
    found = set()
    old = case.base.key
    for batch in plan.batches:
        if len(str(batch.key.etag)) > len(str(max(batch.expected, 0))):
            found.add("ETag of a key row grows a digit")
        if batch.key.etag == MAX_INT64:
            found.add("largest ETag of a key row")
        if batch.size == MAX_ITEM - 1 and not batch.key.is_new_metadata:
            found.add("old metadata a byte below the limit")
        if batch.size == MAX_ITEM and not batch.key.is_new_metadata:
            found.add("old metadata at the limit")
        sizes = key_sizes(case.base.partition, batch.key)
        if sizes[0] < sizes[1] == MAX_ITEM:
            found.add("old metadata at the limit by the service's count")
    last = plan.batches[-1].key
    longest = key_sizes(case.base.partition, last._replace(etag=MAX_INT64))
    if max(longest) == MAX_ITEM - 1:
        found.add("new metadata a byte below the limit")
    if max(longest) == MAX_ITEM:
        found.add("new metadata at the limit")
    early = [b for b in plan.batches if not b.key.is_new_metadata]
    if early:
        found.add("key row before the metadata takes effect")
        if old.etag == NO_ETAG:
            found.add("key row before there is any metadata")
        elif old.timestamp is None:
            found.add("early key row without a time")
        if case.extra > 0:
            found.add("early key row loses an attribute")
        if old.etag != NO_ETAG and old.committed is None:
            found.add("early key row gains a committed id")
    if len(plan.batches) - len(early) > 1:
        found.add("new metadata before the last batch")
    return found


def of_cuts(plan):
    number = len(plan.batches)
    found = {f"batches: {number if number < 4 else '4 or more'}"}
    operations = sum(len(batch.operations) for batch in plan.batches)
    if operations in TOTALS:
        found.add(f"operations: {operations}")
    for batch, following in zip(plan.batches, plan.batches[1:]):
        total = sum(operation.size for operation in batch.operations)
        if len(batch.operations) < MAX_OPERATIONS:
            found.add("batch ended by its size")
            if total + following.operations[0].size == MAX_DATA + 1:
                found.add("batch ended by one byte")
        else:
            found.add("batch ended by its count")
        if total == MAX_DATA:
            found.add("batch with all the bytes it may have")
    before = MAX_OPERATIONS
    for batch in plan.batches:
        first = batch.operations[0] if batch.operations else None
        if before == MAX_OPERATIONS and first and first.size > MAX_DATA:
            found.add("row too large for any batch, with none open")
        before = len(batch.operations)
    for batch in plan.batches:
        total = sum(operation.size for operation in batch.operations)
        if len(batch.operations) > 1 and total + batch.size > LARGEST - NEAR:
            found.add("batch and key row close to 4 MiB less the margin")
    last = plan.batches[-1].operations
    if sum(operation.size for operation in last) == MAX_DATA:
        found.add("batch with all the bytes it may have")
    if len(plan.batches) > 1 and not last:
        found.add("key row alone at the end")
    if len(last) == MAX_OPERATIONS:
        found.add("full batch at the end")
    for batch in plan.batches:
        kinds = "".join(
            "D" if isinstance(o, Delete) else "P" for o in batch.operations
        )
        if "DP" in kinds and "PD" in kinds:
            found.add("abort, prepare and delete in one batch")
    return found


def report(coverage, cases):
    """Print the coverage; return how many classes have too few cases."""
    missing = 0
    for name in sorted({*coverage, *FLOORS}):
        floor = FLOORS.get(name, 0) * cases // PER
        short = coverage[name] < floor
        missing += short
        note = f", too few: at least {floor}" if short else ""
        print(f"# {coverage[name]:6} {name}{note}")
    return missing


# The fewest cases of each class, about a third of what a usual seed gives.
FLOORS = {
    "ETag of a key row grows a digit": 1800,
    "ETag of a row grows a digit": 400,
    "abort": 1700,
    "abort and prepare of one row": 800,
    "abort at the committed id": 500,
    "abort of a row below the commit point": 90,
    "abort of a row whose prepare is skipped": 40,
    "abort of nothing": 900,
    "abort, prepare and delete in one batch": 240,
    "batch and key row close to 4 MiB less the margin": 20,
    "batch ended by its count": 1100,
    "batch ended by its size": 1400,
    "batch ended by one byte": 120,
    "batch with all the bytes it may have": 130,
    "batches: 1": 2400,
    "batches: 2": 800,
    "batches: 3": 400,
    "batches: 4 or more": 1100,
    "commit above the committed id": 2000,
    "commit at the committed id": 500,
    "commit below the committed id": 170,
    "commit of a prepare of the same call": 800,
    "delete of leftovers without a commit": 800,
    "duplicate of a skipped prepare": 30,
    "duplicates in different batches": 10,
    "early key row gains a committed id": 210,
    "early key row loses an attribute": 400,
    "early key row without a time": 150,
    "exhausted ETag of a key": 80,
    "exhausted ETag of a row": 20,
    "full batch at the end": 140,
    "key row alone at the end": 130,
    "key row before the metadata takes effect": 1700,
    "key row before there is any metadata": 400,
    "largest ETag of a key row": 20,
    "largest ETag of a row": 15,
    "largest sequence": 120,
    "new metadata a byte below the limit": 35,
    "new metadata at the limit": 80,
    "new metadata before the last batch": 1000,
    "old metadata a byte below the limit": 70,
    "old metadata at the limit": 70,
    "old metadata at the limit by the service's count": 30,
    "operations: 0": 300,
    "operations: 1": 200,
    "operations: 100": 160,
    "operations: 197": 130,
    "operations: 198": 130,
    "operations: 199": 130,
    "operations: 200": 130,
    "operations: 250": 130,
    "operations: 97": 160,
    "operations: 98": 160,
    "operations: 99": 160,
    "overwrite": 1600,
    "prepare at the committed id": 260,
    "prepare below the committed row": 90,
    "prepare skipped": 1500,
    "prepares not ascending": 2000,
    "refused ABORTS_COMMITTED": 80,
    "refused DUPLICATE_SEQUENCE": 160,
    "refused ETAG_EXHAUSTED": 110,
    "refused METADATA_TOO_LARGE": 400,
    "refused METADATA_TOO_LARGE by one byte": 240,
    "refused NEGATIVE_SEQUENCE": 120,
    "refused NO_ROW_TO_COMMIT": 270,
    "refused ROW_WITHOUT_ETAG": 200,
    "refused STATE_TOO_LARGE": 220,
    "refused STATE_TOO_LARGE by one byte": 150,
    "refused STATE_TOO_LARGE by the service's count": 40,
    "refused for the old metadata": 300,
    "refused for the old metadata by the service's count": 70,
    "row too large for any batch": 50,
    "row too large for any batch, with none open": 15,
    "row without ETag left alone": 30,
    "rows without a key row": 800,
    "state a byte below the limit": 90,
    "state at the limit": 130,
    "state at the limit by the service's count": 20,
}
