"""What the server was asked and what it did, in memory and as JSON lines."""

import hashlib
import json
import os
import threading
import time


class Recorder:
    def __init__(self, path=None):
        self.lock = threading.Lock()
        self.records, self.number = [], 0
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644) if path else None

    def begin(self, connection, on_connection, operation, headers):
        record = {
            "number": 0, "time": round(time.time(), 6), "operation": operation, "connection": connection,
            "on_connection": on_connection, "attempt": headers.get("amz-sdk-request"), "token": None,
            "fault": None, "when": None, "applied": None, "status": None, "code": None, "length": None,
            "headers": headers, "client_closed": None, "raw": b""}
        with self.lock:
            self.number += 1
            record["number"] = self.number
            self.records.append(record)
        return record

    def write(self, record):
        """Before the answer goes out, so that a client finds it in the file."""
        if self.file is not None:
            os.write(self.file, (json.dumps(readable(record), separators=(",", ":")) + "\n").encode())

    def list(self, since=0, operation=None, bodies=True):
        with self.lock:
            chosen = [record for record in self.records
                      if record["number"] > since and operation in (None, record["operation"])]
        return [readable(record) if bodies else digested(record) for record in chosen]

    def clear(self):
        with self.lock:
            self.records.clear()


def digested(record):
    """A copy with a digest of the body."""
    return {**{name: value for name, value in record.items() if name != "raw"},
            "body": hashlib.sha256(record["raw"]).hexdigest()}


def readable(record):
    """A copy with the body as JSON, or as text if it is none, and what tells whether two have the same bytes."""
    copy = {name: value for name, value in record.items() if name != "raw"}
    copy["sha256"] = hashlib.sha256(record["raw"]).hexdigest()
    try:
        copy["body"] = json.loads(record["raw"]) if record["raw"] else None
    except ValueError:
        copy["body"] = record["raw"].decode("utf-8", "replace")
    return copy
