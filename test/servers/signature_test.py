#!/usr/bin/env python3
"""
Signatures: those that botocore made are accepted, anything changed in them is
refused; clock skew as the service words it.
"""

import calendar
import glob
import hashlib
import hmac
import json
import os
import time

from fault_client import DATA, TABLE, Connection, FaultServer, Tap, get

VECTORS = os.path.join(DATA, "vectors", "sigv4", "dynamodb-generated")
REFUSED = {"InvalidSignatureException", "MissingAuthenticationTokenException", "IncompleteSignatureException",
           "UnrecognizedClientException", "ExpiredTokenException"}
NOT_SERVED = {"UnknownOperationException"}
tap = Tap()


def main():
    with FaultServer("--verify") as server:
        names = sorted(glob.glob(os.path.join(VECTORS, "*.json")))
        tap.ok(len(names) >= 12, "there are vectors")
        for name in names:
            with open(name) as vector:
                vector = json.load(vector)
            server.control(keys={vector["access_key_id"]: {"secret": vector["secret_access_key"],
                                                           "token": vector["session_token"]}})
            set_clock(server, vector["timestamp"])
            accepted_and_refused(server, vector)
    with FaultServer("--verify") as server:
        server.control(items={TABLE: []})
        for test in (known_keys, windows, scopes):
            test(server)
        midnight(server)
    with FaultServer() as server:
        unverified(server)
    tap.end()


def set_clock(server, stamp):
    server.control(clock_offset=calendar.timegm(time.strptime(stamp, "%Y%m%dT%H%M%SZ")) - time.time())


def send(server, headers, body):
    """Headers as pairs, since one may come twice; the code of the answer, or None."""
    with Connection(server.port) as connection:
        head = "".join("%s: %s\r\n" % pair for pair in headers)
        connection.sock.sendall(("POST / HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n" % (head, len(body))).encode() + body)
        reply = connection.receive()
        if reply.status == 404:
            # Without a content type nobody looks at the signature.
            return "UnknownOperationException"
        return reply.code() if reply.status != 200 else None


def accepted_and_refused(server, vector):
    name, body = vector["name"], vector["body"].encode()
    host = dict(vector["headers_to_sign"])["host"]
    headers = [(header, value) for header, value in vector["request_headers"]
               if header.lower() not in ("host", "connection", "expect", "authorization", "content-length")]
    headers += [("Host", host), ("Authorization", vector["authorization"])]
    code = send(server, headers, body)
    if not tap.ok(code not in REFUSED, "%s is accepted" % name, code):
        return
    tap.equal(send(server, headers, body + b" "), "InvalidSignatureException", name + ": another body")
    for position, (header, value) in enumerate(headers):
        if header == "Authorization":
            broken = value[:-1] + ("0" if value[-1] != "0" else "1")
        elif header.lower() in dict(vector["headers_to_sign"]):
            broken = value + "1"
        else:
            continue
        code = send(server, headers[:position] + [(header, broken)] + headers[position + 1:], body)
        tap.ok(code in REFUSED, "%s: another %s" % (name, header), code)
        code = send(server, headers[:position] + headers[position + 1:], body)
        tap.ok(code in REFUSED | NOT_SERVED, "%s: no %s" % (name, header), code)


def sign(secret, key_id, stamp, body, host, region="us-east-1", service="dynamodb", token=None, operation="GetItem",
         unsigned=(), scope_day=None):
    """The headers of a signed request."""
    day = scope_day or stamp[:8]
    headers = {"content-type": "application/x-amz-json-1.0", "host": host, "x-amz-date": stamp,
               "x-amz-target": "DynamoDB_20120810." + operation}
    if token:
        headers["x-amz-security-token"] = token
    names = sorted(name for name in headers if name not in unsigned)
    canonical = "\n".join(["POST", "/", ""] + ["%s:%s" % (name, headers[name]) for name in names]
                          + ["", ";".join(names), hashlib.sha256(body).hexdigest()])
    scope = "%s/%s/%s/aws4_request" % (day, region, service)
    text = "AWS4-HMAC-SHA256\n%s\n%s\n%s" % (stamp, scope, hashlib.sha256(canonical.encode()).hexdigest())
    key = ("AWS4" + secret).encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), "sha256").digest()
    signature = hmac.new(key, text.encode(), "sha256").hexdigest()
    return list(headers.items()) + [("authorization",
                                     "AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s"
                                     % (key_id, scope, ";".join(names), signature))]


def signed(server, seconds=0, secret="dummyKey", key_id="dummy", **more):
    """The code of the answer to a request signed so many seconds from now."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(time.time() + seconds))
    body = json.dumps(get("p", "r")).encode()
    return send(server, sign(secret, key_id, stamp, body, "127.0.0.1:%d" % server.port, **more), body)


def known_keys(server):
    tap.equal(signed(server), None, "the key that Orleans uses for a URL")
    token = "session+token/example=="
    session = {"secret": "c2Vzc2lvbi1leGFtcGxlLXNlY3JldA", "key_id": "ASIAEXAMPLE"}
    tap.equal(signed(server, token=token, **session), None, "a session token")
    tap.equal(signed(server, **session), "UnrecognizedClientException", "without it")
    tap.equal(signed(server, token="other", **session), "UnrecognizedClientException", "with another")
    tap.equal(signed(server, token=token, unsigned=("x-amz-security-token",), **session), "InvalidSignatureException",
              "with the token unsigned")
    tap.equal(signed(server, key_id="unknown"), "UnrecognizedClientException", "an unknown key")
    tap.equal(signed(server, secret="wrong"), "InvalidSignatureException", "a wrong secret")
    server.control(keys={"dummy": {"secret": "dummyKey", "expired": True}})
    tap.equal(signed(server), "ExpiredTokenException", "an expired key")
    server.control(keys={"dummy": {"secret": "dummyKey"}})
    tap.equal(server.call("GetItem", get("p", "r")).code(), "MissingAuthenticationTokenException",
              "no signature at all")
    tap.equal(server.call("GetItem", get("p", "r"), Authorization="AWS4-HMAC-SHA256 nothing").code(),
              "IncompleteSignatureException", "half a signature")


def windows(server):
    for seconds, wanted in ((-290, None), (290, None), (-310, "InvalidSignatureException"),
                            (310, "InvalidSignatureException")):
        tap.equal(signed(server, seconds), wanted, "signed at %+d s" % seconds)
    for offset in (360, -360):
        server.control(clock_offset=offset)
        tap.equal(signed(server), "InvalidSignatureException", "the server's clock is %+d s off" % offset)
        tap.equal(signed(server, offset), None, "and a corrected signature is accepted")
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    with Connection(server.port) as connection:
        server.control(clock_offset=360, verify=False)
        reply = connection.call("GetItem", get("p", "r"), X_Amz_Date=stamp)
        tap.ok(reply.json()["message"].startswith("Signature expired: %s is now earlier than " % stamp)
               and reply.json()["message"].endswith(" - 5 min.)"), "expired, in the service's words", reply.body)
        tap.ok(350 < date_of(reply) - time.time() < 370, "Date says how far", reply.headers["date"])
        server.control(clock_offset=-360)
        reply = connection.call("GetItem", get("p", "r"), X_Amz_Date=stamp)
        tap.ok(reply.json()["message"].startswith("Signature not yet current: %s is still later than " % stamp)
               and reply.json()["message"].endswith(" + 5 min.)"), "not yet current, in the service's words",
               reply.body)
    server.control(clock_offset=0, verify=True)


def date_of(reply):
    return calendar.timegm(time.strptime(reply.headers["date"], "%a, %d %b %Y %H:%M:%S GMT"))


def scopes(server):
    tap.equal(signed(server, region="eu-west-1"), None, "any region")
    server.control(region="us-east-1")
    tap.equal(signed(server, region="eu-west-1"), "InvalidSignatureException", "only the region that is set")
    tap.equal(signed(server, service="s3"), "InvalidSignatureException", "another service")
    tap.equal(signed(server, scope_day="20200101"), "InvalidSignatureException", "the scope of another day")
    tap.equal(signed(server, unsigned=("x-amz-target",)), "InvalidSignatureException", "an unsigned target")
    tap.equal(signed(server, unsigned=("host",)), "InvalidSignatureException", "an unsigned host")


def midnight(server):
    body = json.dumps(get("p", "r")).encode()
    for stamp in ("20261130T235959Z", "20261201T000000Z"):
        set_clock(server, stamp)
        headers = sign("dummyKey", "dummy", stamp, body, "127.0.0.1")
        tap.equal(send(server, headers, body), None, "signed for the day of " + stamp)
    headers = sign("dummyKey", "dummy", "20261201T000001Z", body, "127.0.0.1", scope_day="20261130")
    tap.equal(send(server, headers, body), "InvalidSignatureException", "yesterday's key after midnight")


def unverified(server):
    server.control(items={TABLE: []})
    tap.equal(server.call("GetItem", get("p", "r"), Authorization="nothing").status, 200,
              "without --verify nothing is checked")


main()
