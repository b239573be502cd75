"""
The web server: connections, HTTP/1.1, faults on the wire.

A thread a connection, which blocks in reads; what is shared has locks of its
own (engine, script, recorder).  A connection has a number, counted from 1 over
the life of the server, on the main port only; the control port's have 0.
"""

import json
import select
import socket
import ssl
import struct
import threading
import time

from . import metadata
from .answers import Answer
from .control import Control
from .engine import Engine
from .errors import ServiceError
from .faults import Request, apply_fault, carries_out
from .record import Recorder
from .script import Script
from .sigv4 import Verifier, check_date

TARGET = "DynamoDB_20120810."
MAX_HEAD = 1 << 20
MAX_BODY = 16 << 20
EARLY_DROPS = ("drop_before_read", "drop_after_headers")
WAITS = ("stall", "delay")
UNKNOWN_OPERATION = b"<UnknownOperationException/>\n"


def tls_context(certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


class Closed(Exception):
    """The client has gone, or the connection is to end."""


class Server:
    def __init__(self, log=None, tls=None, idle_seconds=None):
        self.engine, self.script, self.recorder = Engine(), Script(), Recorder(log)
        self.verifier, self.metadata = Verifier(), metadata.Metadata()
        self.verify, self.clock_offset, self.idle_seconds = False, 0.0, idle_seconds
        self.tls = tls
        self.control = Control(self)
        self.lock, self.connections, self.open = threading.Lock(), 0, 0

    def listen(self, port=0, main=True):
        """Accepts in a thread; the port."""
        listener = socket.create_server(("127.0.0.1", port), backlog=512)
        threading.Thread(target=self.accept, args=(listener, main), daemon=True).start()
        return listener.getsockname()[1]

    def accept(self, listener, main):
        while True:
            try:
                sock, _ = listener.accept()
            except OSError:
                time.sleep(0.01)
                continue
            number = 0
            if main:
                with self.lock:
                    self.connections += 1
                    number = self.connections
            threading.Thread(target=self.serve, args=(sock, number), daemon=True).start()

    def serve(self, sock, number):
        with self.lock:
            self.open += 1
        connection = Connection(self, sock, number)
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if number:
                connection.start()
            connection.run()
        except (Closed, OSError, ssl.SSLError):
            pass
        finally:
            # TLS has put a socket of its own in the place of the first.
            connection.sock.close()
            with self.lock:
                self.open -= 1


class Connection:
    def __init__(self, server, sock, number):
        self.server, self.sock, self.number = server, sock, number
        self.buffer, self.requests = b"", 0

    def start(self):
        """Faults of the connection itself, and the handshake."""
        server = self.server
        rule = server.script.choose("connection", self.number)
        fault = rule["fault"] if rule else None
        context = server.tls
        if fault in ("handshake_drop", "connection_drop"):
            self.end(reset=rule.get("reset", False))
        if fault in ("handshake_stall", "connection_stall"):
            self.wait(rule.get("seconds", 3600.0))
            self.end()
        if fault == "wrong_certificate":
            context = tls_context(rule["certificate"], rule["key"])
        if context and fault != "plain_text":
            self.sock = context.wrap_socket(self.sock, server_side=True)

    def run(self):
        if self.server.idle_seconds:
            self.sock.settimeout(self.server.idle_seconds)
        while self.request():
            pass

    # ------------------------------------------------------------------ requests

    def request(self):
        """Read one request and answer it; false at the end of the connection."""
        end = self.buffer.find(b"\r\n\r\n")
        while end < 0:
            if len(self.buffer) > MAX_HEAD:
                raise Closed
            self.fill()
            end = self.buffer.find(b"\r\n\r\n")
        lines = self.buffer[:end].decode("latin-1").split("\r\n")
        self.buffer = self.buffer[end + 4:]
        method, path, version = (lines[0].split(" ") + ["", ""])[:3]
        pairs, headers = [], {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            value = value.strip()
            pairs.append((name, value))
            name = name.lower()
            headers[name] = headers[name] + "," + value if name in headers else value
        if path.startswith("/_control"):
            self.send(self.server.control.answer(method, path, self.body(headers)))
            return True
        self.requests += 1
        request = Request()
        request.method, request.path, request.headers, request.pairs = method, path, headers, pairs
        target = headers.get("x-amz-target", "")
        request.operation = metadata.operation_of(method, path, headers) or (
            target[len(TARGET):] if target.startswith(TARGET) else target or method + " " + path)
        request.json = request.body = None
        self.handle(request)
        return headers.get("connection", "").lower() != "close" and version == "HTTP/1.1"

    def handle(self, request):
        server = self.server
        record = request.record = server.recorder.begin(
            self.number, self.requests, request.operation, request.headers)
        if server.script.needs_body:
            request.body = self.body(request.headers)
            rule = server.script.choose(request.operation, self.number, request.body)
        else:
            rule = server.script.choose(request.operation, self.number)
        if rule:
            record["fault"] = rule["fault"]
            record["when"] = "after" if carries_out(rule) else "before"
            if rule["fault"] in EARLY_DROPS:
                record["applied"] = False
                server.recorder.write(record)
                self.end(rule.get("reset", rule["fault"] == "drop_before_read"))
        if request.body is None:
            request.body = self.body(request.headers)
        record["raw"] = request.body
        if rule and not carries_out(rule):
            request.json = parsed(request.body)
            record["token"] = (request.json or {}).get("ClientRequestToken")
            record["applied"] = False
            if rule["fault"] in WAITS:
                self.wait_before(rule, record)
                rule = None
            elif "later" in rule:
                record["when"], record["applied"] = "later", None
                later = threading.Timer(rule["later"], self.carry_out_late, (request,))
                later.daemon = True
                later.start()
        if rule is None or carries_out(rule):
            answer = self.carry_out(request)
        else:
            # Whatever the fault makes of it must not say success.
            answer = Answer.error(ServiceError("InternalServerError", "Internal server error", 500))
        if rule:
            answer = apply_fault(answer, rule, request)
        record["status"], record["code"] = (None, None) if answer.drop else (answer.status, answer.code)
        record["length"] = None if answer.drop else len(answer.body)
        server.recorder.write(record)
        self.send(answer, record)

    def wait_before(self, rule, record):
        """A client that leaves meanwhile has changed nothing."""
        try:
            self.wait(rule.get("seconds", 3600.0), record)
        except Closed:
            self.server.recorder.write(record)
            raise

    def carry_out_late(self, request):
        """When the client has got an answer, or none, long ago."""
        self.carry_out(request)
        self.server.recorder.write(request.record)

    def carry_out(self, request):
        server, record = self.server, request.record
        if request.operation == "GET /":
            return Answer(200, b"healthy: dynamodb.us-east-1.amazonaws.com ", "text/plain")
        kind = metadata.operation_of(request.method, request.path, request.headers)
        if kind:
            return server.metadata.answer(kind, request)
        if request.method != "POST" or request.path != "/" or not request.headers.get(
                "content-type", "").startswith("application/x-amz-json-1."):
            return Answer(404, UNKNOWN_OPERATION, "text/xml")
        if len(request.body) > MAX_BODY:
            return Answer(413, b"", None)
        try:
            if not request.headers.get("x-amz-target", "").startswith(TARGET):
                raise ServiceError("UnknownOperationException")
            self.check_signature(request)
            request.json = parsed(request.body)
            if request.json is None:
                raise ServiceError("SerializationException")
            record["token"] = request.json.get("ClientRequestToken")
            text, record["applied"] = server.engine.run(request.operation, request.json, request.body)
            return Answer(200, text.encode("utf-8", "surrogatepass"))
        except ServiceError as error:
            record["applied"] = False
            return Answer.error(error)
        except (AttributeError, KeyError, TypeError, ValueError):
            # A request of a shape that nothing above has looked for.
            record["applied"] = False
            return Answer.error(ServiceError("SerializationException", "Unexpected field type"))

    def check_signature(self, request):
        server = self.server
        if server.verify:
            server.verifier.check(request.method, request.path, request.pairs, request.body, server.clock_offset)
        elif server.clock_offset and "x-amz-date" in request.headers:
            check_date(request.headers["x-amz-date"], server.clock_offset)

    # ------------------------------------------------------------------- reading

    def fill(self):
        try:
            data = self.sock.recv(1 << 18)
        except socket.timeout:
            raise Closed from None
        if not data:
            raise Closed
        self.buffer = self.buffer + data if self.buffer else data

    def body(self, headers):
        if headers.get("expect", "").lower() == "100-continue":
            self.sock.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        if headers.get("transfer-encoding", "").lower() == "chunked":
            return self.chunked_body()
        length = int(headers.get("content-length") or 0)
        return self.take(length) if length else b""

    def take(self, length):
        if len(self.buffer) < length:
            parts, have = [self.buffer], len(self.buffer)
            while have < length:
                self.buffer = b""
                self.fill()
                parts.append(self.buffer)
                have += len(self.buffer)
            self.buffer = b"".join(parts)
        data, self.buffer = self.buffer[:length], self.buffer[length:]
        return data

    def chunked_body(self):
        parts = []
        while True:
            while b"\r\n" not in self.buffer:
                self.fill()
            line, _, self.buffer = self.buffer.partition(b"\r\n")
            length = int(line.partition(b";")[0], 16)
            data = self.take(length + 2)[:length]
            if not length:
                return b"".join(parts)
            parts.append(data)

    # ------------------------------------------------------------------- sending

    def send(self, answer, record=None):
        if answer.delay:
            self.wait(answer.delay, record)
        if answer.stall == "start":
            self.wait(answer.stall_seconds, record)
        if answer.drop:
            self.end(answer.reset)
        head, body = answer.wire(self.server.clock_offset)
        if answer.cut or answer.stall in ("headers", "body") or answer.interval:
            self.send_oddly(answer, head, body, record)
        else:
            # Sent apart, so that a big body is not copied; TCP_NODELAY is on.
            if len(body) < 1 << 16:
                self.sock.sendall(head + body)
            else:
                self.sock.sendall(head)
                self.sock.sendall(body)
        self.pad(answer.padding)
        if answer.missing:
            self.end()
        if answer.close:
            self.end(polite=True)
        if answer.close_after is not None:
            if answer.close_after:
                self.wait(answer.close_after, record, until_data=True)
            self.end(answer.reset, polite=True)

    def send_oddly(self, answer, head, body, record):
        """In part, or with waits."""
        whole = head + body
        middle = len(head) // 2 if "headers" in (answer.cut, answer.stall) else len(head) + max(1, len(body) // 2)
        if answer.cut:
            # Never all of it: then it would be a good answer.
            self.sock.sendall(whole[:min(middle, len(whole) - 1)])
            self.end(answer.reset)
        if answer.stall:
            self.sock.sendall(whole[:min(middle, len(whole) - 1)])
            self.wait(answer.stall_seconds, record)
            self.sock.sendall(whole[min(middle, len(whole) - 1):])
            return
        begin = 0 if answer.drip_from == "headers" else len(head)
        self.sock.sendall(whole[:begin])
        for position in range(begin, len(whole)):
            self.sock.sendall(whole[position:position + 1])
            self.wait(answer.interval, record)

    def pad(self, length):
        blanks = b" " * (1 << 16)
        while length > 0:
            self.sock.sendall(blanks[:length])
            length -= len(blanks)

    def wait(self, seconds, record=None, until_data=False):
        """Wait, but end when the client closes; the record says when it did."""
        began, poll = time.monotonic(), select.poll()
        poll.register(self.sock, select.POLLIN)
        while True:
            left = seconds - (time.monotonic() - began)
            if left <= 0:
                return
            if not poll.poll(left * 1000):
                return
            try:
                data = self.sock.recv(1 << 16)
            except (ConnectionError, ssl.SSLError, socket.timeout):
                data = b""
            if not data:
                if record is not None:
                    record["client_closed"] = round(time.time(), 6)
                raise Closed
            self.buffer += data
            if until_data:
                # The next request is there: the idle connection dies on it.
                return

    def end(self, reset=False, polite=False):
        """End the connection; politely, TLS says so."""
        if polite and not reset and isinstance(self.sock, ssl.SSLSocket):
            self.sock.settimeout(0)
            try:
                self.sock.unwrap()
            except (OSError, ValueError):
                pass
        if reset:
            # Linger of no time: the kernel sends RST, whatever is unread.
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise Closed


def parsed(body):
    """The object in a body, or None."""
    try:
        content = json.loads(body)
    except ValueError:
        return None
    return content if isinstance(content, dict) else None
