#!/usr/bin/env python3
"""
A DynamoDB-speaking server with faults by script, for tests.

Prints "PORT n" and "CONTROL n" when it is ready; ends on SIGTERM or when its
standard input ends.  See README.md beside this file.
"""

import argparse
import json
import os
import signal
import ssl
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

from dynamodb.web import Server  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description="DynamoDB with faults, on loopback")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", metavar="FILE", help="append every request as a JSON line")
    parser.add_argument("--script", metavar="FILE", help="JSON as the control path takes it, at start")
    parser.add_argument("--verify", action="store_true", help="check signatures")
    parser.add_argument("--certificate", metavar="FILE", help="serve TLS with this certificate chain")
    parser.add_argument("--key", metavar="FILE")
    parser.add_argument("--wrong-certificate", metavar="FILE", help="for the fault wrong_certificate")
    parser.add_argument("--wrong-key", metavar="FILE")
    parser.add_argument("--idle-seconds", type=float, help="close connections that are idle for so long")
    options = parser.parse_args()
    server = Server(log=options.log, tls=tls_context(options.certificate, options.key),
                    wrong_tls=tls_context(options.wrong_certificate, options.wrong_key),
                    idle_seconds=options.idle_seconds)
    server.verify = options.verify
    if options.script:
        with open(options.script) as script:
            server.control.change(json.load(script))
    # Threads that wait in a fault must not keep the process.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    signal.signal(signal.SIGINT, lambda *_: os._exit(0))
    ports = server.listen(options.port), server.listen(main=False)
    sys.stdout.write("PORT %d\nCONTROL %d\n" % ports)
    sys.stdout.flush()
    while os.read(0, 1 << 16):
        pass
    os._exit(0)


def tls_context(certificate, key):
    if not certificate:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


if __name__ == "__main__":
    main()
