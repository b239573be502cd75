"""An HTTP server that goes wrong in the middle, for the tests of src/net.

    stall_server.py FOLDER

Makes certificates in FOLDER, listens on free ports of 127.0.0.1 and prints one
line of JSON that names them; ends when its standard input does.  The path of a
request says what happens to it: one of the functions below that are registered
with @fault.  GET /stats tells how often each request (by its header X-Id) was
read, and how many connections and handshakes there were and are.
"""
import contextlib
import gzip
import json
import os
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
import zlib

FAULTS = {}
LOCK = threading.Lock()
HELD = threading.Event()
STATS = {"read": {}, "heads": {}, "connections": 0, "open": 0, "handshakes": 0, "stalled": {}}


def count(where, key):
    with LOCK:
        STATS[where][key] = STATS[where].get(key, 0) + 1


class Request:
    def __init__(self, head):
        self.head = head
        line, *lines = head.decode("latin-1").split("\r\n")
        self.method, self.target, _ = line.split(" ")
        self.path, _, self.query = self.target.partition("?")
        self.headers = {}
        for text in lines:
            if text:
                name, _, value = text.partition(":")
                self.headers[name.lower()] = value.strip()
        self.length = int(self.headers.get("content-length", 0))
        self.id = self.headers.get("x-id", self.target)
        self.body = b""


class Connection:
    """One connection and what is kept of it: requests one after another."""

    def __init__(self, sock):
        self.sock = sock
        self.bytes = b""

    def more(self):
        got = self.sock.recv(65536)
        self.bytes += got
        return bool(got)

    def read_head(self):
        while b"\r\n\r\n" not in self.bytes:
            if not self.more():
                return None
        head, _, self.bytes = self.bytes.partition(b"\r\n\r\n")
        request = Request(head)
        count("heads", request.id)
        return request

    def read_body(self, request):
        while len(self.bytes) < request.length:
            if not self.more():
                return False
        request.body, self.bytes = self.bytes[: request.length], self.bytes[request.length :]
        count("read", request.id)
        return True

    def send(self, data):
        self.sock.sendall(data)

    def answer(self, body=b"{}", status="200 OK", headers=(), length=None):
        self.send(head(status, len(body) if length is None else length, body, headers) + body)
        return True

    def stall(self, request):
        """Until the other side goes."""
        count("stalled", request.path)
        while self.more():
            pass
        return False

    def reset(self):
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False


def head(status, length, body=b"", headers=()):
    lines = [
        "HTTP/1.1 " + status,
        "Content-Length: %d" % length,
        "x-amz-crc32: %d" % zlib.crc32(body),
        "x-amzn-RequestId:  REQUEST1 ",
        "Date: Tue, 01 Dec 2026 05:15:00 GMT",
    ]
    return ("\r\n".join(lines + list(headers)) + "\r\n\r\n").encode("latin-1")


def fault(function):
    FAULTS["/" + function.__name__.replace("_", "-")] = function
    return function


# ------------------------------------------------------------- whole answers


@fault
def ok(c, request):
    return c.answer(b"x" * int(request.query or 2))


@fault
def echo(c, request):
    return c.answer(request.head + b"\r\n\r\n" + request.body)


@fault
def stats(c, request):
    with LOCK:
        return c.answer(json.dumps(STATS).encode())


@fault
def error(c, request):
    return c.answer(b'{"__type":"X"}', "400 Bad Request",
                    ["x-amzn-ErrorType: X", "x-amz-retry-after: 125", "X-AMZN-REQUESTID: second"])


@fault
def redirect(c, request):
    return c.answer(b"", "302 Found", ["Location: /ok"])


@fault
def compressed(c, request):
    return c.answer(gzip.compress(b"x" * 1000, mtime=0), headers=["Content-Encoding: gzip"])


@fault
def chunked(c, request):
    c.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\nx-amz-crc32: 7\r\n\r\n")
    return True


@fault
def continued(c, request):
    c.send(b"HTTP/1.1 100 Continue\r\nDate: never\r\n\r\n")
    return c.answer(b"at last")


@fault
def strange_bytes(c, request):
    return c.answer(b"", headers=["x-amz-retry-after: \xff\x01%n"])


@fault
def answer_then_close(c, request):
    """Closed while idle: the client can see that before it sends again."""
    c.answer()
    return False


@fault
def answer_then_reset(c, request):
    c.answer()
    return c.reset()


@fault
def answer_twice(c, request):
    """An answer that nobody asked for must not be taken for the next one's."""
    if request.query == "at-once":
        answer = head("200 OK", 5) + b"first" + head("200 OK", 7) + b"unasked"
        c.send(answer)
        return True
    if request.query == "in-records":
        # One packet, but with TLS two records.
        c.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
        c.answer(b"first")
        c.answer(b"unasked")
        c.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 0)
        return True
    c.answer(b"first")
    time.sleep(0.05)
    return c.answer(b"unasked")


@fault
def time_out_idle(c, request):
    """What some load balancers say before they close an idle connection."""
    c.answer(b"first")
    time.sleep(0.05)
    c.answer(b"unasked", "408 Request Time-out", ["Connection: close"])
    return False


# ----------------------------------------------------------------- no answer


@fault
def close_second(c, request):
    """Kept after the first request; the second is read, and then it closes."""
    if hasattr(c, "had_one"):
        return False
    c.had_one = True
    return c.answer()


@fault
def reset_second(c, request):
    if hasattr(c, "had_one"):
        return c.reset()
    c.had_one = True
    return c.answer()


@fault
def part_second(c, request):
    if hasattr(c, "had_one"):
        c.send(b"HTT")
        return False
    c.had_one = True
    return c.answer()


@fault
def close(c, request):
    return False


@fault
def reset(c, request):
    return c.reset()


@fault
def close_in_status(c, request):
    c.send(b"HTTP/1.1 2")
    return False


@fault
def close_in_head(c, request):
    c.send(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n")
    return False


@fault
def close_after_continue(c, request):
    c.send(b"HTTP/1.1 100 Continue\r\n\r\n")
    return False


@fault
def close_in_body(c, request):
    c.answer(b"x" * 500, length=1000)
    return False


@fault
def reset_in_body(c, request):
    c.answer(b"x" * 500, length=1000)
    time.sleep(0.02)
    return c.reset()


@fault
def close_in_chunk(c, request):
    c.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nabcd")
    return False


@fault
def not_http(c, request):
    c.send(b"SSH-2.0-something\r\n")
    return False


@fault
def refuse_unread(c, request):
    """Answers before the body is read, and closes as it should be done: what still
    comes is thrown away, or the answer could be overtaken by a reset."""
    c.answer(b"no", "413 Too Large", ["Connection: close"])
    c.sock.shutdown(socket.SHUT_WR)
    while c.sock.recv(65536):
        pass
    return False


@fault
def refuse_reset(c, request):
    """The same without that care: unread bytes make closing a reset."""
    c.answer(b"no", "413 Too Large", ["Connection: close"])
    return False


@fault
def reset_unread(c, request):
    return c.reset()


# ------------------------------------------------------------ too large, slow


@fault
def many_headers(c, request):
    return c.answer(headers=["X-%d: %s" % (i, "y" * 100) for i in range(int(request.query))])


@fault
def endless_line(c, request):
    c.send(b"HTTP/1.1 200 OK\r\nX-Long: ")
    with contextlib.suppress(OSError):
        for _ in range(200):
            c.send(b"y" * 65536)
    return False


@fault
def endless_continue(c, request):
    with contextlib.suppress(OSError):
        while True:
            c.send(b"HTTP/1.1 100 Continue\r\nX: %s\r\n\r\n" % (b"y" * 1000))
    return False


@fault
def endless_body(c, request):
    with contextlib.suppress(OSError):
        c.send(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            c.send(b"y" * 65536)
    return False


@fault
def held(c, request):
    """Until somebody asks for its release."""
    HELD.wait(60)
    return c.answer(b"x" * 100000)


@fault
def release(c, request):
    HELD.set()
    return c.answer()


@fault
def silent(c, request):
    return c.stall(request)


@fault
def stall_unread(c, request):
    """Reads no more of the body than fits into buffers."""
    count("stalled", request.path)
    time.sleep(60)
    return False


@fault
def stall_in_head(c, request):
    c.send(b"HTTP/1.1 200 OK\r\nContent-")
    return c.stall(request)


@fault
def stall_after_head(c, request):
    c.answer(b"", length=1000)
    return c.stall(request)


@fault
def stall_in_body(c, request):
    c.answer(b"x" * 500, length=1000)
    return c.stall(request)


@fault
def drip(c, request):
    """A byte a second, or as often as the query says."""
    count("stalled", request.path)
    with contextlib.suppress(OSError):
        for byte in head("200 OK", 100000) + b"x" * 100000:
            c.send(bytes([byte]))
            time.sleep(float(request.query or 1))
    return False


@fault
def flood(c, request):
    """As fast as it goes, for as long as somebody reads."""
    count("stalled", request.path)
    with contextlib.suppress(OSError):
        c.send(head("200 OK", 1 << 60))
        while True:
            c.send(b"y" * 262144)
    return False


UNREAD = {"/refuse-unread", "/refuse-reset", "/reset-unread", "/stall-unread"}


def serve(sock):
    with LOCK:
        STATS["connections"] += 1
        STATS["open"] += 1
    c = Connection(sock)
    with contextlib.suppress(OSError):
        while True:
            request = c.read_head()
            if request is None or request.path not in UNREAD and not c.read_body(request):
                break
            if not FAULTS[request.path](c, request):
                break
    # Without reading what is left, closing would be a reset.
    if isinstance(sock, ssl.SSLSocket):
        with contextlib.suppress(OSError):
            sock = sock.unwrap()
    sock.close()
    with LOCK:
        STATS["open"] -= 1


def serve_tls(context):
    def run(sock):
        try:
            sock = context.wrap_socket(sock, server_side=True)
        except (OSError, ssl.SSLError):
            sock.close()
            return
        with LOCK:
            STATS["handshakes"] += 1
        serve(sock)

    return run


def serve_hello(sock):
    """Reads the first message of a handshake, and says nothing."""
    Connection(sock).stall(Request(b"GET /tls HTTP/1.1\r\n"))
    sock.close()


def close_hello(sock):
    sock.recv(65536)
    sock.close()


def listen(run):
    server = socket.create_server(("127.0.0.1", 0), backlog=128)

    def accept():
        while True:
            sock, _ = server.accept()
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=run, args=(sock,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return server.getsockname()[1]


def listen_full(keep):
    """A port that takes no connection: its queue is full."""
    server = socket.create_server(("127.0.0.1", 0), backlog=0)
    keep.append(server)
    for _ in range(4):
        client = socket.socket()
        client.setblocking(False)
        client.connect_ex(server.getsockname())
        keep.append(client)
    return server.getsockname()[1]


def closed_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


# --------------------------------------------------------------- certificates


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


def make_certificate(folder, name, names, issuer=None):
    """A key and a certificate for names, signed by issuer or by itself."""
    path = os.path.join(folder, name)
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", path + ".key"]
    if issuer is None:
        openssl("req", "-x509", *key, "-out", path + ".pem", "-days", "2", "-subj", "/CN=" + name)
        return
    with open(path + ".ext", "w", encoding="ascii") as file:
        file.write("subjectAltName=" + names + "\n")
    issuer = os.path.join(folder, issuer)
    openssl("req", *key, "-out", path + ".csr", "-subj", "/CN=" + name)
    openssl("x509", "-req", "-in", path + ".csr", "-CA", issuer + ".pem", "-CAkey", issuer + ".key",
            "-CAcreateserial", "-out", path + ".pem", "-days", "2", "-extfile", path + ".ext")


def trust(folder, name):
    """Put a certificate where TEST_CERTIFICATES of the preloaded library looks."""
    path = os.path.join(folder, name + ".pem")
    names = subprocess.run(["openssl", "x509", "-hash", "-noout", "-in", path], check=True, capture_output=True)
    os.mkdir(os.path.join(folder, "system"))
    os.symlink(os.path.abspath(path), os.path.join(folder, "system", names.stdout.decode().strip() + ".0"))


def tls(folder, name):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    path = os.path.join(folder, name)
    context.load_cert_chain(path + ".pem", path + ".key")
    return serve_tls(context)


def main():
    folder = sys.argv[1]
    make_certificate(folder, "ca", "")
    make_certificate(folder, "other-ca", "")
    make_certificate(folder, "good", "DNS:localhost,DNS:good.test,IP:127.0.0.1", "ca")
    make_certificate(folder, "wrong", "DNS:elsewhere.test", "ca")
    make_certificate(folder, "system-ca", "")
    make_certificate(folder, "trusted", "IP:127.0.0.1", "system-ca")
    trust(folder, "system-ca")
    keep = []
    ports = {
        "plain": listen(serve),
        "tls": listen(tls(folder, "good")),
        "wrong": listen(tls(folder, "wrong")),
        "trusted": listen(tls(folder, "trusted")),
        "hello": listen(serve_hello),
        "close_hello": listen(close_hello),
        "full": listen_full(keep),
        "closed": closed_port(),
    }
    print(json.dumps(ports), flush=True)
    sys.stdin.read()
    os._exit(0)


main()
