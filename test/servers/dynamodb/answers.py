"""
An answer: its status, headers and body, and how it is put on the wire.

The fields after `headers` are right for a healthy answer; faults change them.
"""

import email.utils
import gzip
import itertools
import json
import time
import zlib

REASONS = {200: "OK", 307: "Temporary Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
           404: "Not Found", 413: "Request Entity Too Large", 500: "Internal Server Error", 502: "Bad Gateway",
           503: "Service Unavailable", 504: "Gateway Timeout"}
JSON = "application/x-amz-json-1.0"
request_numbers = itertools.count(1)
dates = {}


class Answer:
    def __init__(self, status=200, body=b"", content_type=JSON, **headers):
        self.status, self.body, self.content_type = status, body, content_type
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self.code = None                # of the error
        self.aws = True                 # with request id, CRC and Date
        self.crc = "right"              # or "wrong", None, or a text
        self.date = None                # text in place of the clock's, "" for none
        self.date_offset = 0.0
        self.gzip = self.chunked = False
        self.missing = 0                # bytes that Content-Length claims too many
        self.padding = 0                # bytes of blanks sent after the body
        # What happens on the way: nothing is sent ("drop"), or the connection
        # ends, halts or drips from there on.
        self.drop = False
        self.delay = 0.0
        self.cut = None                 # "headers" or "body": half of it is sent, then the end
        self.stall = None               # "start", "headers", "body"
        self.stall_seconds = 3600.0
        self.interval = None            # seconds between two bytes
        self.drip_from = "headers"
        self.close_after = None         # idle seconds after the answer
        self.close = False              # says so, too
        self.reset = False              # ends the connection by RST

    @classmethod
    def error(cls, error):
        answer = cls(error.status, json.dumps(error.body(), separators=(",", ":")).encode())
        answer.code = error.code
        return answer

    def wire(self, clock_offset=0.0):
        """(head, body) as bytes."""
        body = self.body
        headers = [("Content-Type", self.content_type)] if self.content_type else []
        if self.gzip:
            body = gzip.compress(body)
            headers.append(("Content-Encoding", "gzip"))
        if self.aws:
            headers.append(("x-amzn-RequestId", "%052d" % next(request_numbers)))
            crc = zlib.crc32(body)
            if self.crc == "wrong":
                crc ^= 1
            if self.crc is not None:
                headers.append(("x-amz-crc32", crc if self.crc in ("right", "wrong") else self.crc))
            date = self.date if self.date is not None else date_text(clock_offset + self.date_offset)
            if date:
                headers.append(("Date", date))
        headers += self.headers.items()
        if self.close:
            headers.append(("Connection", "close"))
        if self.chunked:
            headers.append(("Transfer-Encoding", "chunked"))
            half = len(body) // 2
            body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:half], body[half:]) if part)
            body += b"0\r\n\r\n"
        else:
            headers.append(("Content-Length", len(body) + self.missing + self.padding))
        head = "HTTP/1.1 %d %s\r\n%s\r\n" % (
            self.status, REASONS.get(self.status, "Status"), "".join("%s: %s\r\n" % pair for pair in headers))
        return head.encode("latin-1"), body


def date_text(offset):
    second = int(time.time() + offset)
    text = dates.get(second)
    if text is None:
        if len(dates) > 100:
            dates.clear()
        text = dates[second] = email.utils.formatdate(second, usegmt=True)
    return text
