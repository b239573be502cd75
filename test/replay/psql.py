"""Sessions of psql that stay open, so that they keep handles."""

import json
import os
import subprocess

MARKER = "--replay-end--"


class Answer:
    """What one statement gave: rows, each one line, or an error's text."""

    def __init__(self, lines, sqlstate):
        self.lines = lines
        self.sqlstate = sqlstate
        self.ok = sqlstate == "00000"

    def rows(self):
        """The rows of a statement that must succeed, as they are."""
        if not self.ok:
            raise AssertionError(f"statement failed with {self.sqlstate}: {' '.join(self.lines)}")
        return self.lines

    def json(self):
        """Those rows, which are JSON."""
        return [json.loads(row) for row in self.rows()]

    def __repr__(self):
        return f"{self.sqlstate} {' '.join(self.lines)}"[:300]


class Session:
    """One session, with a storage as its default."""

    def __init__(self, storage=None):
        environment = dict(os.environ, PGCLIENTENCODING="UTF8",
                           PGOPTIONS="-c client_min_messages=warning -c statement_timeout=60s")
        self.process = subprocess.Popen(
            ["psql", "--no-psqlrc", "--quiet", "--no-align", "--tuples-only"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
        if storage is not None:
            self.run(f"SET txstore.default_storage = {literal(storage)}").rows()

    def run(self, statement):
        # A meta-command ends with its line and takes no semicolon.
        end = "" if statement.startswith("\\") else ";"
        text = f"{statement}{end}\n\\echo {MARKER} :SQLSTATE\n"
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()
        lines = []
        while True:
            line = self.process.stdout.readline().decode()
            if not line:
                raise AssertionError(f"psql ended: {lines}")
            line = line[:-1]
            if line.startswith(MARKER):
                return Answer(lines, line.split()[1])
            lines.append(line)

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def literal(value):
    """A value as SQL; all settings that change its meaning are the defaults."""
    if value is None:
        return "NULL"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, bytes):
        return f"'\\x{value.hex()}'::bytea"
    return "'" + value.replace("'", "''") + "'"


def create_storage(session, name, endpoint=None):
    """A storage in tables, or in the table of a DynamoDB server."""
    where = "provider 'embedded'"
    if endpoint:
        where = f"provider 'dynamodb', endpoint {literal(endpoint)}"
    session.run(f'CREATE SERVER "{name}" FOREIGN DATA WRAPPER txstore_fdw '
                f"OPTIONS ({where}, table_name {literal(name)})").rows()
    if endpoint:
        session.run(f"SELECT txstore.initialize_storage({literal(name)})").rows()


def export(session, partition=None):
    """All items of the session's storage, as JSON text."""
    return session.run(f"SELECT txstore.export_items({literal(partition)})").rows()
