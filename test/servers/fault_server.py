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
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

from dynamodb.web import Server, tls_context  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description="DynamoDB with faults, on loopback")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", metavar="FILE", help="append every request as a JSON line")
    parser.add_argument("--script", metavar="FILE", help="JSON as the control path takes it, at start")
    parser.add_argument("--verify", action="store_true", help="check signatures")
    parser.add_argument("--certificate", metavar="FILE", help="serve TLS with this certificate chain")
    parser.add_argument("--key", metavar="FILE")
    parser.add_argument("--idle-seconds", type=float, help="close connections that are idle for so long")
    options = parser.parse_args()
    tls = tls_context(options.certificate, options.key) if options.certificate else None
    server = Server(log=options.log, tls=tls, idle_seconds=options.idle_seconds)
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


if __name__ == "__main__":
    main()
