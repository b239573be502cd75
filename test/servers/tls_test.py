#!/usr/bin/env python3
"""TLS: served, stalled, dropped, with a wrong certificate, not at all."""

import os
import shutil
import socket
import ssl
import subprocess
import tempfile

from fault_client import HERE, TABLE, Broken, Connection, FaultServer, Tap, get, key

tap = Tap()


def main():
    if not shutil.which("openssl"):
        print("ok 1 - TLS # SKIP there is no openssl to make certificates")
        return
    folder = tempfile.mkdtemp(prefix="fault-certificates.")
    try:
        subprocess.run([os.path.join(HERE, "make_certificates"), folder], check=True)
        paths = {name: os.path.join(folder, name) for name in os.listdir(folder)}
        with FaultServer("--certificate", paths["server.pem"], "--key", paths["server.key"]) as server:
            server.control(items={TABLE: [key("p", "key")]})
            context = ssl.create_default_context(cafile=paths["ca.pem"])
            served(server, context)
            certificates(server, context, paths)
            handshakes(server, context)
            drops(server, context)
    finally:
        shutil.rmtree(folder)
    tap.end()


def served(server, context):
    with Connection(server.port, context) as connection:
        tap.equal([connection.call("GetItem", get("p", "key")).json() for _ in range(3)],
                  [{"Item": key("p", "key")}] * 3,
                  "three answers on one TLS connection")
    tap.equal(server.get()["connections"], 1, "one connection was counted")
    with Connection(server.control_port) as connection:
        tap.equal(connection.call("GetItem", get("p", "key")).status, 200, "the control port is plain")


def attempt(server, context, timeout=10):
    """The answer, or the exception in its place."""
    try:
        with Connection(server.port, context, timeout) as connection:
            return connection.call("GetItem", get("p", "key"))
    except (OSError, Broken) as error:
        return error


def certificates(server, context, paths):
    for name, words in (("wrong", "mismatch"), ("expired", "expired"), ("foreign", "unable to get")):
        server.control(faults=[{"operation": "connection", "fault": "wrong_certificate",
                                "certificate": paths[name + ".pem"], "key": paths[name + ".key"]}])
        error = attempt(server, context)
        tap.ok(isinstance(error, ssl.SSLCertVerificationError) and words in str(error),
               "a certificate that is " + name, error)
        tap.equal(attempt(server, context).status, 200, "the next connection has the right one")


def handshakes(server, context):
    server.control(faults=[{"operation": "connection", "fault": "handshake_stall"}])
    error = attempt(server, context, timeout=0.2)
    tap.ok(isinstance(error, socket.timeout), "handshake_stall", repr(error))
    for reset in (False, True):
        server.control(faults=[{"operation": "connection", "fault": "handshake_drop", "reset": reset}])
        error = attempt(server, context)
        tap.ok(isinstance(error, (ssl.SSLError, ConnectionError)), "handshake_drop", repr(error))
    server.control(faults=[{"operation": "connection", "fault": "plain_text"}])
    error = attempt(server, context, timeout=0.2)
    tap.ok(isinstance(error, OSError), "plain_text", repr(error))
    server.control(faults=[])
    tap.equal(attempt(server, context).status, 200, "and then all is well")


def drops(server, context):
    for fault in ("drop_after_body", "drop_mid_answer", "truncated", "drop_before_read"):
        server.control(faults=[{"fault": fault}])
        error = attempt(server, context)
        tap.ok(isinstance(error, (OSError, Broken)), fault + " within TLS", repr(error))
    server.control(faults=[{"fault": "drop_idle"}])
    with Connection(server.port, context) as connection:
        tap.equal(connection.call("GetItem", get("p", "key")).status, 200, "drop_idle within TLS")
        tap.equal(connection.sock.recv(1), b"", "ends with close_notify")
    server.control(faults=[{"fault": "stall", "at": "body", "seconds": 0.1}])
    tap.equal(attempt(server, context).json(), {"Item": key("p", "key")}, "stall within TLS")


main()
