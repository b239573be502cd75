"""
The services that hand out credentials: IMDSv2, container (ECS and EKS), STS.

What they hand out is a setting: "credentials" is one object or a list, of
which each fetch takes the next until the last; see README.md.
"""

import json
import threading
import time
import urllib.parse
import uuid

from .answers import Answer

ROLES = "/latest/meta-data/iam/security-credentials/"
CONTAINER_PATHS = ("/v2/credentials", "/v1/credentials", "/ecs", "/eks")
DEFAULT = {"access_key_id": "ASIAEXAMPLE", "secret_access_key": "c2Vzc2lvbi1leGFtcGxlLXNlY3JldA",
           "session_token": "session+token/example==", "expires_in": 21600}


def operation_of(method, path, headers):
    """The name that rules and the log use, or None if this is no such request."""
    path = path.partition("?")[0]
    if path == "/latest/api/token":
        return "ImdsToken"
    if path == ROLES or path == ROLES[:-1]:
        return "ImdsRole"
    if path.startswith(ROLES):
        return "ImdsCredentials"
    if path.startswith("/latest/"):
        return "ImdsData"
    if path.startswith(CONTAINER_PATHS):
        return "ContainerCredentials"
    if path.startswith("/sts") or headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        return "AssumeRoleWithWebIdentity"
    return None


class Metadata:
    def __init__(self):
        self.lock = threading.Lock()
        self.tokens = {}
        self.settings = {"role": "test-role", "credentials": DEFAULT, "region": "us-east-1",
                         "container_token": None, "web_identity_token": None}

    def set(self, settings):
        unknown = set(settings) - set(self.settings)
        if unknown:
            raise ValueError("no such setting: " + ", ".join(sorted(unknown)))
        with self.lock:
            self.settings.update(settings)

    def credentials(self):
        with self.lock:
            given = self.settings["credentials"]
            if isinstance(given, list):
                given = given.pop(0) if len(given) > 1 else given[0]
        return {**DEFAULT, **given}

    def answer(self, operation, request):
        answer = getattr(self, {
            "ImdsToken": "imds_token", "ImdsRole": "imds_role", "ImdsCredentials": "imds_credentials",
            "ImdsData": "imds_data", "ContainerCredentials": "container", "AssumeRoleWithWebIdentity": "web_identity",
        }[operation])(request)
        answer.aws = False
        return answer

    # -------------------------------------------------------------------- IMDS

    def imds_token(self, request):
        seconds = request.headers.get("x-aws-ec2-metadata-token-ttl-seconds", "")
        if request.method != "PUT":
            return plain(405, "Method Not Allowed")
        if not seconds.isdigit() or not 1 <= int(seconds) <= 21600:
            return plain(400, "Bad Request")
        if "x-forwarded-for" in request.headers:
            return plain(403, "Forbidden")
        token = uuid.uuid4().hex
        self.tokens[token] = time.time() + int(seconds)
        answer = plain(200, token)
        answer.headers["X-Aws-Ec2-Metadata-Token-Ttl-Seconds"] = seconds
        return answer

    def may_read(self, request):
        return self.tokens.get(request.headers.get("x-aws-ec2-metadata-token"), 0) > time.time()

    def imds_role(self, request):
        if not self.may_read(request):
            return plain(401, "Unauthorized")
        return plain(200, self.settings["role"]) if self.settings["role"] else plain(404, "Not Found")

    def imds_credentials(self, request):
        if not self.may_read(request):
            return plain(401, "Unauthorized")
        if request.path != ROLES + (self.settings["role"] or ""):
            return plain(404, "Not Found")
        return Answer(200, json.dumps(self.credential_fields({"Code": "Success", "Type": "AWS-HMAC"})).encode(),
                      "text/plain")

    def imds_data(self, request):
        if not self.may_read(request):
            return plain(401, "Unauthorized")
        if request.path == "/latest/meta-data/placement/region":
            return plain(200, self.settings["region"])
        if request.path == "/latest/dynamic/instance-identity/document":
            return plain(200, json.dumps({"region": self.settings["region"]}))
        return plain(404, "Not Found")

    def credential_fields(self, fields):
        given = self.credentials()
        fields.update({
            "LastUpdated": iso_time(0), "AccessKeyId": given["access_key_id"],
            "SecretAccessKey": given["secret_access_key"], "Token": given["session_token"],
            "Expiration": given.get("expiration") or iso_time(given["expires_in"])})
        fields.update(given.get("more", {}))
        for name in given.get("omit", []):
            fields.pop(name, None)
        return fields

    # -------------------------------------------------------- ECS, EKS and STS

    def container(self, request):
        wanted = self.settings["container_token"]
        if wanted is not None and request.headers.get("authorization") != wanted:
            return Answer(401, b'{"code":"Unauthorized","message":"no such token"}', "application/json")
        fields = self.credential_fields({"RoleArn": "arn:aws:iam::000000000000:role/test-role"})
        return Answer(200, json.dumps(fields).encode(), "application/json")

    def web_identity(self, request):
        text = request.body.decode("utf-8", "replace") or request.path.partition("?")[2]
        fields = dict(urllib.parse.parse_qsl(text))
        if fields.get("Action") != "AssumeRoleWithWebIdentity" or fields.get("Version") != "2011-06-15":
            return sts_error(400, "InvalidAction", "Could not find operation %s" % fields.get("Action"))
        for name in ("RoleArn", "RoleSessionName", "WebIdentityToken"):
            if not fields.get(name):
                return sts_error(400, "ValidationError", "1 validation error detected: Value null at '%s'" % name)
        wanted = self.settings["web_identity_token"]
        if wanted is not None and fields["WebIdentityToken"] != wanted:
            return sts_error(400, "InvalidIdentityToken", "No OpenIDConnect provider found in your account")
        given = self.credential_fields({})
        names = {"AccessKeyId": "AccessKeyId", "SecretAccessKey": "SecretAccessKey", "SessionToken": "Token",
                 "Expiration": "Expiration"}
        parts = "".join("<%s>%s</%s>" % (name, escape(given[field]), name)
                        for name, field in names.items() if field in given)
        return Answer(200, (
            '<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">'
            "<AssumeRoleWithWebIdentityResult><SubjectFromWebIdentityToken>test</SubjectFromWebIdentityToken>"
            "<Credentials>%s</Credentials><AssumedRoleUser><Arn>%s</Arn><AssumedRoleId>AROAEXAMPLE:%s</AssumedRoleId>"
            "</AssumedRoleUser></AssumeRoleWithWebIdentityResult><ResponseMetadata><RequestId>%s</RequestId>"
            "</ResponseMetadata></AssumeRoleWithWebIdentityResponse>"
            % (parts, escape(fields["RoleArn"]), escape(fields["RoleSessionName"]), uuid.uuid4())).encode(), "text/xml")


def plain(status, text):
    return Answer(status, text.encode(), "text/plain")


def sts_error(status, code, message):
    answer = Answer(status, (
        '<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>%s</Code>'
        "<Message>%s</Message></Error><RequestId>%s</RequestId></ErrorResponse>"
        % (code, escape(message), uuid.uuid4())).encode(), "text/xml")
    answer.code = code
    return answer


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def iso_time(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))
