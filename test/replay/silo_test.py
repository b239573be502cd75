"""
The tables that a real silo left: each *.items.json is imported in every form
that import takes, loaded, and exported unchanged; with tables, and with a
DynamoDB server (test/servers/with_server).

The storages' own recordings go the same way: they have states of more kinds.
"""

import glob
import json
import os
import tempfile

import fault_server
import psql
import recording
import tap
from psql import literal


def bare(item):
    return item


def wrapped(item):
    """As the service's own exports have it."""
    return f'{{"Item":{item}}}'


def import_array(session, lines):
    elements = ", ".join(literal(line) for line in lines)
    (count,) = session.run(f"SELECT txstore.import_items(ARRAY[{elements}]::text[])").rows()
    return int(count)


def import_table(session, lines):
    """From a table that psql filled: no character of a line means anything to this COPY."""
    session.run("CREATE TEMP TABLE lines (line text)").rows()
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="") as file:
        file.write("".join(line + "\n" for line in lines))
        file.flush()
        session.run(f"\\copy lines from {literal(file.name)} csv quote e'\\x01' delimiter e'\\x02'").rows()
    (count,) = session.run("SELECT txstore.import_items_from('lines')").rows()
    session.run("DROP TABLE lines").rows()
    return int(count)


def compare_loads(session, items):
    """The differences of load() from what the items say, partition by partition."""
    partitions = {}
    for item in items:
        rows = partitions.setdefault(item["PartitionKey"]["S"], {"key": None, "states": []})
        if item["RowKey"]["S"] == "key":
            rows["key"] = item
        else:
            rows["states"].append(item)
    differences = []
    for partition, rows in partitions.items():
        answer = session.run(f"SELECT row_to_json(l) FROM txstore.load({literal(partition)}) AS l")
        expected = recording.load_of(rows["key"], rows["states"])
        differences += (tap.differ(partition, answer.json(), [expected]) if answer.ok
                        else [f"{partition}: {answer}"])
    return differences


def export_each(session, items):
    """All items, exported partition by partition."""
    # A dict keeps their order.
    partitions = {item["PartitionKey"]["S"]: None for item in items}
    return [line for partition in partitions for line in psql.export(session, partition)]


def test_file(admin, name, endpoint=None):
    text = recording.read_text(name)
    elements = recording.split_array(text)
    items = json.loads(text)
    storages = 0
    for how in (import_array, import_table):
        for form in (bare, wrapped):
            title = f"{name}, {how.__name__}, {form.__name__}{', DynamoDB' if endpoint else ''}"
            storages += 1
            storage = f"{os.path.basename(name)[:-len('.items.json')]}-{storages}{'-dynamodb' if endpoint else ''}"
            psql.create_storage(admin, storage, endpoint)
            session = psql.Session(storage)
            lines = [form(element) for element in elements]
            tap.check(f"{title}: every item is a new row",
                      tap.differ("rows", how(session, lines), len(items)))
            tap.check(f"{title}: load() answers what the items say", compare_loads(session, items))
            tap.check(f"{title}: the export is the file, byte for byte",
                      tap.differ("all", recording.join_array(psql.export(session)), text) +
                      tap.differ("each", recording.join_array(export_each(session, items)), text))
            tap.check(f"{title}: a second import changes nothing",
                      tap.differ("rows", how(session, lines), 0) +
                      tap.differ("all", recording.join_array(psql.export(session)), text))
            session.close()


def main():
    tap.start()
    admin = psql.Session()
    admin.run("CREATE EXTENSION txstore").rows()
    names = sorted(os.path.relpath(file, recording.FOLDER)
                   for file in glob.glob(recording.path("*/*.items.json")))
    tap.check("all tables of the silo are here",
              tap.differ("files", sum(name.startswith("silo") for name in names), 18))
    for name in names:
        # A fault that nothing came through leaves an empty table.
        if recording.read_text(name) != "[]":
            test_file(admin, name)
            test_file(admin, name, fault_server.URL)
    admin.close()
    tap.finish()


if __name__ == "__main__":
    main()
