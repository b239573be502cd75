"""The control path, /_control: scripts and settings in, what happened out."""

import json
import urllib.parse

from .answers import Answer
from .errors import ServiceError
from .script import BadScript
from .tables import Row
from .values import check_item

ORLEANS_TABLE = {
    "AttributeDefinitions": [{"AttributeName": "PartitionKey", "AttributeType": "S"},
                             {"AttributeName": "RowKey", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "PartitionKey", "KeyType": "HASH"},
                  {"AttributeName": "RowKey", "KeyType": "RANGE"}],
    "BillingMode": "PAY_PER_REQUEST",
}


class Control:
    def __init__(self, server):
        self.server = server

    def answer(self, method, path, body):
        path, _, query = path.partition("?")
        query = dict(urllib.parse.parse_qsl(query))
        try:
            if method == "GET":
                content = self.read(path, query)
            elif method == "POST" and path == "/_control":
                content = self.change(json.loads(body or b"{}"))
            else:
                return Answer(404, b'{"error":"no such path"}', "application/json")
        except (BadScript, ServiceError, ValueError, TypeError, KeyError, AttributeError, OSError) as error:
            answer = Answer(400, json.dumps({"error": str(error)}).encode(), "application/json")
        else:
            answer = Answer(200, json.dumps(content).encode(), "application/json")
        answer.aws = False
        return answer

    # ------------------------------------------------------------------ what is

    def read(self, path, query):
        server = self.server
        if path == "/_control":
            return {**server.script.describe(), "verify": server.verify, "clock_offset": server.clock_offset,
                    "connections": server.connections, "open_connections": server.open,
                    "requests": server.recorder.number}
        if path == "/_control/log":
            return server.recorder.list(int(query.get("since", 0)), query.get("operation"), query.get("bodies") != "0")
        if path == "/_control/writes":
            with server.engine.lock:
                return {token: dict(count) for token, count in server.engine.writes.items()}
        if path == "/_control/tables":
            with server.engine.lock:
                return {name: table.sorted_items() for name, table in server.engine.tables.tables.items()}
        raise ValueError("no such path")

    # --------------------------------------------------------------- what changes

    def change(self, wanted):
        """Each member of the object is one change, carried out in the object's order."""
        for name in wanted:
            if name not in self.CHANGES:
                raise ValueError("no such change: %s; there are: %s" % (name, " ".join(sorted(self.CHANGES))))
        for name, value in wanted.items():
            self.CHANGES[name](self, value)
        return {"ok": True}

    def set_faults(self, rules):
        self.server.script.set(rules)

    def add_faults(self, rules):
        self.server.script.add(rules)

    def set_random(self, options):
        self.server.script.set_random(options)

    def reset(self, wanted):
        """Tables, tokens, log, faults; the settings stay."""
        engine = self.server.engine
        with engine.lock:
            engine.tables.tables.clear()
            engine.tokens.clear()
            engine.writes.clear()
        self.server.recorder.clear()
        self.server.script.set([])
        self.server.script.set_random(None)

    def clear_log(self, wanted):
        self.server.recorder.clear()
        with self.server.engine.lock:
            self.server.engine.writes.clear()

    def load_items(self, tables):
        """{table: [item...]}: put as they are, into a table made if need be."""
        engine = self.server.engine
        with engine.lock:
            for name, items in tables.items():
                if name not in engine.tables.tables:
                    wait, engine.tables.create_seconds = engine.tables.create_seconds, 0
                    engine.tables.create_table({"TableName": name, **ORLEANS_TABLE})
                    engine.tables.create_seconds = wait
                table = engine.tables.find(name)
                for item in items:
                    stored, size = check_item(item)
                    table.put(table.key_of_item(stored), Row(stored, size))

    def advance(self, seconds):
        """The engine's clock, by which tokens expire and tables become ready."""
        self.server.engine.clock_offset += float(seconds)

    def set_verify(self, wanted):
        self.server.verify = bool(wanted)

    def set_keys(self, keys):
        self.server.verifier.keys = {name: dict(key) for name, key in keys.items()}

    def set_region(self, region):
        self.server.verifier.region = region

    def set_clock(self, seconds):
        self.server.clock_offset = float(seconds)

    def set_idle(self, seconds):
        self.server.idle_seconds = seconds

    def set_pages(self, size):
        self.server.engine.page_bytes = int(size)

    def set_unprocessed(self, count):
        self.server.engine.unprocessed_after = count

    def set_waits(self, seconds):
        """{"create": s, "update": s, "delete": s}: how long tables take."""
        tables = self.server.engine.tables
        for name, value in seconds.items():
            if name not in ("create", "update", "delete"):
                raise ValueError("no such wait: " + name)
            setattr(tables, name + "_seconds", float(value))

    def set_metadata(self, settings):
        self.server.metadata.set(settings)

    CHANGES = {
        "faults": set_faults, "add_faults": add_faults, "random": set_random, "reset": reset, "clear_log": clear_log,
        "items": load_items, "advance": advance, "verify": set_verify, "keys": set_keys, "region": set_region,
        "clock_offset": set_clock, "idle_seconds": set_idle, "page_bytes": set_pages,
        "unprocessed_after": set_unprocessed, "table_seconds": set_waits, "metadata": set_metadata,
    }
