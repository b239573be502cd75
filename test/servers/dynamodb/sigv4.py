"""
Verification of Signature Version 4, from the published description alone.

check() raises what the service would answer; headers are (name, value) pairs
as they came.
"""

import calendar
import hashlib
import hmac
import re
import time

from .errors import ServiceError
from .faults import skew_error

AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256\s+Credential=([^/,\s]+)/(\d{8})/([^/,\s]+)/([^/,\s]+)/aws4_request,\s*"
    r"SignedHeaders=([^,\s]+),\s*Signature=([0-9a-f]{64})\Z")
WINDOW = 300

# Test keys only; those of AKIDEXAMPLE are AWS's published example.
KEYS = {
    "dummy": {"secret": "dummyKey"},
    "AKIDEXAMPLE": {"secret": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"},
    "ASIAEXAMPLE": {"secret": "c2Vzc2lvbi1leGFtcGxlLXNlY3JldA", "token": "session+token/example=="},
}


def mismatch():
    return ServiceError("InvalidSignatureException",
                        "The request signature we calculated does not match the signature you provided. Check your "
                        "AWS Secret Access Key and signing method. Consult the service documentation for details.")


def incomplete(message):
    return ServiceError("IncompleteSignatureException", message)


class Verifier:
    def __init__(self):
        self.keys = {name: dict(key) for name, key in KEYS.items()}
        self.region = None
        self.derived = {}

    def check(self, method, path, pairs, body, clock_offset=0.0, service="dynamodb"):
        headers = {}
        for name, value in pairs:
            # Repeats are joined, inner runs of blanks count as one.
            value = re.sub(r"\s+", " ", value.strip())
            name = name.lower()
            headers[name] = headers[name] + "," + value if name in headers else value
        given = headers.get("authorization")
        if not given:
            raise ServiceError("MissingAuthenticationTokenException", "Request is missing Authentication Token")
        match = AUTHORIZATION.match(given)
        if not match:
            raise incomplete("Authorization header requires 'Credential', 'SignedHeaders' and 'Signature' parameters.")
        key_id, day, region, scope_service, names, signature = match.groups()
        signed = names.split(";")
        stamp = headers.get("x-amz-date", "")
        self.check_names(headers, signed)
        key = self.keys.get(key_id)
        if key is None or key.get("token") != headers.get("x-amz-security-token"):
            raise ServiceError("UnrecognizedClientException", "The security token included in the request is invalid.")
        if key.get("expired"):
            raise ServiceError("ExpiredTokenException", "The security token included in the request is expired")
        check_date(stamp, clock_offset)
        if stamp[:8] != day or scope_service != service or (self.region and region != self.region):
            raise ServiceError("InvalidSignatureException", "Credential should be scoped to a valid region, to "
                               "correct service: '%s', and with the date of the request." % service)
        canonical = "\n".join([method, path, "", *("%s:%s" % (name, headers[name]) for name in signed), "", names,
                               hashlib.sha256(body).hexdigest()])
        scope = "/".join([day, region, service, "aws4_request"])
        text = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        wanted = hmac.new(self.signing_key(key["secret"], day, region, service), text.encode(), "sha256").hexdigest()
        if not hmac.compare_digest(wanted, signature):
            raise mismatch()

    def check_names(self, headers, signed):
        """What must be signed is; what is signed was sent."""
        if signed != sorted(set(signed)):
            raise incomplete("SignedHeaders must be sorted and without repeats.")
        missing = [name for name in signed if name not in headers]
        if missing:
            raise ServiceError("InvalidSignatureException", "'%s' is named as a SignedHeader, but it does not exist in "
                               "the HTTP request." % missing[0])
        needed = ["host", "x-amz-date"] + [name for name in headers if name.startswith("x-amz-")]
        for name in needed:
            if name not in signed:
                raise ServiceError("InvalidSignatureException", "'%s' must be a 'SignedHeader' in the AWS "
                                   "Authorization." % name)

    def signing_key(self, secret, day, region, service):
        wanted = (secret, day, region, service)
        if wanted not in self.derived:
            key = ("AWS4" + secret).encode()
            for part in (day, region, service, "aws4_request"):
                key = hmac.new(key, part.encode(), "sha256").digest()
            self.derived[wanted] = key
        return self.derived[wanted]


def check_date(stamp, clock_offset):
    """The signature's time is within five minutes of the server's."""
    try:
        then = calendar.timegm(time.strptime(stamp, "%Y%m%dT%H%M%SZ"))
    except ValueError:
        raise incomplete("Date must be in ISO-8601 'basic format'. Got '%s'." % stamp) from None
    late = time.time() + clock_offset - then
    if abs(late) > WINDOW:
        error = skew_error(stamp, clock_offset)
        if late > 0 and clock_offset < 0 or late < 0 and clock_offset > 0:
            error = skew_error(stamp, 0.0 if late > 0 else -0.001)
        raise error
