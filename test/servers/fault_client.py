"""
What tests of the fault server share: start it, ask it by a raw socket or by
its control path, print TAP.
"""

import json
import os
import socket
import subprocess
import sys
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data")
TABLE = "OrleansTransactionalState"
sys.dont_write_bytecode = True


class FaultServer:
    """A server of one's own; ends with the `with` block, and with this process."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([sys.executable, os.path.join(HERE, "fault_server.py"), *arguments],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline().split()[1])
        self.control_port = int(self.process.stdout.readline().split()[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise

    def get(self, path=""):
        with Connection(self.control_port) as connection:
            return connection.request("GET", "/_control" + path, {}, b"").json()

    def control(self, **changes):
        with Connection(self.control_port) as connection:
            answer = connection.request("POST", "/_control", {}, json.dumps(changes).encode())
        if answer.status != 200:
            raise ValueError(answer.body.decode())

    def log(self, operation=None):
        return self.get("/log" + ("?operation=" + operation if operation else ""))

    def call(self, operation, request, **headers):
        """On a connection of its own."""
        with Connection(self.port) as connection:
            return connection.call(operation, request, **headers)


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)

    def code(self):
        return self.json().get("__type", "").rpartition("#")[2]

    def crc_is_right(self):
        return int(self.headers["x-amz-crc32"]) == zlib.crc32(self.body)


class Broken(Exception):
    """The connection ended; .received is what came before."""

    def __init__(self, received, reset):
        super().__init__("connection ended after %d bytes" % len(received))
        self.received, self.reset = received, reset


class Connection:
    def __init__(self, port, context=None, timeout=10):
        self.sock = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if context:
            self.sock = context.wrap_socket(self.sock, server_hostname="localhost")
        # What was not looked at yet; all that came since the last request.
        self.buffer = self.received = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def call(self, operation, request, **headers):
        return self.request("POST", "/", {
            "Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "DynamoDB_20120810." + operation,
            **{name.replace("_", "-"): value for name, value in headers.items()}},
            request if isinstance(request, bytes) else json.dumps(request).encode())

    def request(self, method, path, headers, body):
        self.send(method, path, headers, body)
        return self.receive()

    def send(self, method, path, headers, body):
        headers = {"Host": "127.0.0.1", "Content-Length": len(body), **headers}
        head = "%s %s HTTP/1.1\r\n%s\r\n" % (method, path, "".join("%s: %s\r\n" % pair for pair in headers.items()))
        self.received = b""
        self.sock.sendall(head.encode() + body)

    def receive(self):
        while b"\r\n\r\n" not in self.buffer:
            self.fill()
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        if headers.get("transfer-encoding") == "chunked":
            body = self.chunks()
        else:
            length = int(headers["content-length"])
            while len(self.buffer) < length:
                self.fill()
            body, self.buffer = self.buffer[:length], self.buffer[length:]
        return Reply(int(lines[0].split()[1]), headers, body)

    def chunks(self):
        body = b""
        while True:
            while b"\r\n" not in self.buffer:
                self.fill()
            line, _, self.buffer = self.buffer.partition(b"\r\n")
            length = int(line, 16)
            while len(self.buffer) < length + 2:
                self.fill()
            body, self.buffer = body + self.buffer[:length], self.buffer[length + 2:]
            if not length:
                return body

    def fill(self):
        try:
            data = self.sock.recv(1 << 18)
        except ConnectionResetError:
            raise Broken(self.received, True) from None
        if not data:
            raise Broken(self.received, False)
        self.buffer += data
        if len(self.received) < 1 << 20:
            self.received += data


class Tap:
    """Counts and prints; exits 1 at the end if anything failed."""

    def __init__(self):
        self.count = self.failed = 0

    def ok(self, condition, name, *why):
        self.count += 1
        self.failed += not condition
        print(("ok" if condition else "not ok") + " %d - %s" % (self.count, name))
        if not condition:
            for line in why:
                print("#   " + str(line)[:1000])
        sys.stdout.flush()
        return condition

    def equal(self, found, wanted, name):
        return self.ok(found == wanted, name, "found  " + repr(found), "wanted " + repr(wanted))

    def end(self):
        print("1..%d" % self.count)
        sys.exit(1 if self.failed else 0)


def strings(**values):
    return {name: {"S": value} for name, value in values.items()}


def key(partition, row):
    return {"PartitionKey": {"S": partition}, "RowKey": {"S": row}}


def put(partition, row, etag, expected=None, **more):
    """A Put of a transaction as Orleans writes it."""
    fields = {"TableName": TABLE, "Item": {**key(partition, row), "ETag": {"N": str(etag)}, **more}}
    if expected is None:
        fields["ConditionExpression"] = "attribute_not_exists(PartitionKey) AND attribute_not_exists(RowKey)"
    else:
        fields["ConditionExpression"] = "ETag = :currentETag"
        fields["ExpressionAttributeValues"] = {":currentETag": {"N": str(expected)}}
    return {"Put": fields}


def transaction(*actions, token=None):
    request = {"TransactItems": list(actions)}
    if token is not None:
        request["ClientRequestToken"] = token
    return request


def get(partition, row):
    return {"TableName": TABLE, "ConsistentRead": True, "Key": key(partition, row)}


def query(partition, **more):
    return {"TableName": TABLE, "ConsistentRead": True, "Select": "ALL_ATTRIBUTES",
            "KeyConditionExpression": "PartitionKey = :partitionKey and RowKey between :minRowKeyPrefix and "
                                      ":maxRowKeyPrefix",
            "ExpressionAttributeValues": {":partitionKey": {"S": partition}, ":minRowKeyPrefix": {"S": "state_"},
                                          ":maxRowKeyPrefix": {"S": "state_~"}}, **more}
