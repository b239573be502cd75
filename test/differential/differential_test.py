"""
Random queries against the foreign tables of a storage and against plain copies
of them: the answers must be equal.

    differential_test.py [queries [seed [endpoint [control]]]]

Half of the queries run in a database of locale C, half in one that orders texts
as English does.  With an endpoint, storages are tables of that DynamoDB server; with
the control path of a fault server, too, it gives small and empty pages, and
fails now and then.
A failure shows the seed, the number and the text of the query.
"""

import json
import os
import random
import subprocess
import sys
import urllib.request

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "replay"))

import data
import psql
import queries
import tap

QUERIES_OF_A_STORAGE = 125
PARTITIONS = 40

# Plans that the planner would hardly choose for tables of this size.
SETTINGS = ["", "", "", "enable_nestloop = off", "enable_hashjoin = off; SET enable_mergejoin = off",
            "enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; SET enable_memoize = off",
            "enable_hashjoin = off; SET enable_nestloop = off", "txstore.enable_lookup_join = off",
            "enable_hashjoin = off; SET enable_mergejoin = off; SET enable_nestloop = off", "enable_sort = off", "enable_hashagg = off"]
EXECUTIONS = 7  # the sixth may be the first with a generic plan


# What a client must survive, and what comes at once.
FAULTS = [{"fault": fault} for fault in ("empty_page", "empty_page", "unprocessed", "http_500", "drop_mid_answer", "wrong_crc", "chunked", "close")]
FAULTS.append({"fault": "throttle", "headers": {"x-amz-retry-after": "5"}})


def set_faults(control, seed):
    """From now on, or never more (seed None)."""
    if control is None:
        return
    settings = {"random": None, "page_bytes": 1 << 20}
    if seed is not None:
        settings = {"page_bytes": 600, "random": {
            "probability": 0.04, "seed": seed, "operations": ["Scan", "Query", "GetItem", "BatchGetItem"], "faults": FAULTS}}
    request = urllib.request.Request(control, json.dumps(settings).encode(), method="POST")
    urllib.request.urlopen(request).read()


def english():
    """How to make a database that orders texts as English does."""
    found = psql.Session()
    names = found.run("SELECT collname FROM pg_collation WHERE collname IN ('en_US.utf8', 'en_US.UTF-8')").rows()
    found.close()
    if names:
        return f"LC_COLLATE '{names[0]}' LC_CTYPE '{names[0]}'"
    return "LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LC_COLLATE 'C' LC_CTYPE 'C'"


def create_database(name, locale):
    command = f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8' {locale}"
    subprocess.run(["psql", "-X", "-q", "-c", command], check=True)
    os.environ["PGDATABASE"] = name


class Storage:
    """A storage of random rows in schema f, and a copy of its tables in schema c."""

    def __init__(self, session, generator, name, endpoint):
        self.session = session
        self.partitions = data.partition_keys(generator, PARTITIONS)
        self.items = data.items(generator, self.partitions)
        psql.create_storage(session, name, endpoint)
        lines = ", ".join(psql.literal(item.json()) for item in self.items)
        session.run(f"SELECT txstore.import_items(ARRAY[{lines}], {psql.literal(name)})").rows()
        for statement in self.statements(generator, name):
            session.run(statement).rows()

    def statements(self, generator, name):
        yield "SET client_min_messages = error"
        yield "DROP SCHEMA IF EXISTS f, c, l CASCADE"
        yield "CREATE SCHEMA f"
        yield "CREATE SCHEMA c"
        yield "CREATE SCHEMA l"
        yield f'IMPORT FOREIGN SCHEMA x FROM SERVER "{name}" INTO f'
        for short, kind in (("k", "keys"), ("s", "states"), ("p", "partitions")):
            yield f'ALTER FOREIGN TABLE f."{name}_{kind}" RENAME TO {short}'
            yield f"CREATE TABLE c.{short} AS SELECT * FROM f.{short}"
        yield "CREATE COLLATION l.ignore_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
        yield "CREATE TABLE l.l (id int PRIMARY KEY, k text, n bigint)"
        rows = ", ".join(f"({i}, {self.local_key(generator)}, {generator.choice([1, 2, 3, 9, 'NULL'])})" for i in range(30))
        yield f"INSERT INTO l.l VALUES {rows}"
        yield "ANALYZE l.l"

    def local_key(self, generator):
        if generator.random() < 0.1:
            return generator.choice(["NULL", "''", "'nowhere'"])
        return psql.literal(generator.choice(self.partitions))

    def check_copy(self, name):
        """The copies hold the rows that were imported, no more and no fewer."""
        states = [f"{item.partition}|{item.sequence}" for item in self.items if item.sequence is not None]
        keys = [item.partition for item in self.items if item.sequence is None]
        expected = {"s": states, "k": keys, "p": keys}
        for table, rows in expected.items():
            column = "|| '|' || sequence_id" if table == "s" else ""
            found = self.session.run(f"SELECT partition_key {column} FROM c.{table}").rows()
            tap.check(f"{name}: all rows are in table {table}", tap.differ(table, sorted(found), sorted(rows)))


def run_as(session, schema, query, form):
    """The answers of a query, whose tables are those of the schema."""
    session.run(f"SET search_path = {schema}").rows()
    if form == "constants":
        return [session.run(query.with_constants())]
    prepare, execute = query.prepared()
    if form == "cursor":
        session.run("BEGIN")
        session.run(f"DECLARE c CURSOR FOR {query.with_constants()}")
        answers = [session.run("FETCH 3 FROM c"), session.run("FETCH ALL FROM c"), session.run("FETCH ALL FROM c")]
        session.run("ROLLBACK")
        return answers
    session.run(f"SET plan_cache_mode = {'force_generic_plan' if form == 'generic' else 'auto'}").rows()
    answers = [session.run(prepare)]
    answers += [session.run(execute) for _ in range(1 if form == "generic" else EXECUTIONS)]
    session.run("DEALLOCATE ALL").rows()
    return answers


def comparable(answer, is_ordered):
    if not answer.ok:
        return answer.sqlstate
    return answer.lines if is_ordered else sorted(answer.lines)


def compare(session, query, form, settings):
    session.run(f"SET {settings}" if settings else "RESET ALL").rows()
    foreign, local = (run_as(session, schema, query, form) for schema in ("f", "c"))
    session.run("RESET ALL").rows()
    found = [comparable(answer, query.is_ordered) for answer in foreign]
    expected = [comparable(answer, query.is_ordered) for answer in local]
    if found == expected:
        return []
    return [f"{form}, {settings or 'no settings'}: {query.with_constants()}"] + tap.differ("answers", found, expected)


def run_queries(session, database, count, seed, endpoint, control):
    differences = []
    errors = 0
    for first in range(0, count, QUERIES_OF_A_STORAGE):
        name = f"{database}_{seed}_{first}"
        generator = random.Random(name)
        set_faults(control, None)
        storage = Storage(session, generator, name, endpoint)
        storage.check_copy(name)
        set_faults(control, first)
        maker = queries.Maker(generator, storage.partitions)
        for number in range(first, min(count, first + QUERIES_OF_A_STORAGE)):
            query = maker.make()
            forms = ["constants", "constants", "generic", "prepared"] + (["cursor"] if query.is_ordered else [])
            form = generator.choice(forms)
            found = compare(session, query, form, generator.choice(SETTINGS))
            differences += [f"query {number} of {name}: {line}" for line in found]
            errors += session.run(query.with_constants()).sqlstate not in ("00000", "42P01")
    tap.check(f"{count} queries have the same answers in database {database}, seed {seed}", differences)
    tap.check(f"few of them fail in database {database}", [f"{errors} of {count}"] if errors > count / 10 else [])


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    seed = sys.argv[2] if len(sys.argv) > 2 else "1"
    endpoint = sys.argv[3] if len(sys.argv) > 3 else None
    control = sys.argv[4] if len(sys.argv) > 4 else None
    if len(sys.argv) <= 1:
        tap.start()
    for database, locale in (("locale_c", "LC_COLLATE 'C' LC_CTYPE 'C'"), ("locale_english", english())):
        create_database(database, locale)
        session = psql.Session()
        session.run("CREATE EXTENSION txstore").rows()
        run_queries(session, database, count // 2, seed, endpoint, control)
        session.close()
        del os.environ["PGDATABASE"]
    tap.finish()


main()
