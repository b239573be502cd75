#!/usr/bin/env python3
"""The services that hand out credentials: IMDSv2, container, STS."""

import calendar
import json
import time
import urllib.parse
import xml.etree.ElementTree as ElementTree

from fault_client import Broken, Connection, FaultServer, Tap

tap = Tap()
ROLES = "/latest/meta-data/iam/security-credentials/"


def main():
    with FaultServer() as server:
        for test in (imds, handed_out, container, sts, faults):
            server.control(reset=True)
            test(server)
    tap.end()


def ask(server, method, path, body=b"", **headers):
    with Connection(server.port) as connection:
        return connection.request(method, path, {name.replace("_", "-"): value for name, value in headers.items()},
                                  body)


def token(server):
    return ask(server, "PUT", "/latest/api/token", X_aws_ec2_metadata_token_ttl_seconds="21600").body.decode()


def imds(server):
    reply = ask(server, "PUT", "/latest/api/token", X_aws_ec2_metadata_token_ttl_seconds="21600")
    tap.equal((reply.status, reply.headers["x-aws-ec2-metadata-token-ttl-seconds"]), (200, "21600"), "a token")
    tap.equal(ask(server, "PUT", "/latest/api/token").status, 400, "not without its time")
    tap.equal(ask(server, "PUT", "/latest/api/token", X_aws_ec2_metadata_token_ttl_seconds="21601").status, 400,
              "nor for longer")
    tap.equal(ask(server, "GET", "/latest/api/token", X_aws_ec2_metadata_token_ttl_seconds="60").status, 405,
              "nor by GET")
    good = {"X_aws_ec2_metadata_token": reply.body.decode()}
    tap.equal(ask(server, "GET", ROLES, **good).body, b"test-role", "the role")
    tap.equal(ask(server, "GET", ROLES).status, 401, "not without the token")
    tap.equal(ask(server, "GET", ROLES + "test-role", X_aws_ec2_metadata_token="other").status, 401, "nor with another")
    credentials = ask(server, "GET", ROLES + "test-role", **good).json()
    tap.equal([credentials[name] for name in ("Code", "AccessKeyId", "Token")],
              ["Success", "ASIAEXAMPLE", "session+token/example=="], "credentials")
    left = calendar.timegm(time.strptime(credentials["Expiration"], "%Y-%m-%dT%H:%M:%SZ")) - time.time()
    tap.ok(21590 < left <= 21601, "for six hours", left)
    tap.equal(ask(server, "GET", ROLES + "other-role", **good).status, 404, "no other role")
    tap.equal(ask(server, "GET", "/latest/meta-data/placement/region", **good).body, b"us-east-1", "the region")
    server.control(metadata={"role": None})
    tap.equal(ask(server, "GET", ROLES, **good).status, 404, "a machine without a role")
    server.control(metadata={"role": "test-role"})
    tap.equal([record["operation"] for record in server.log()[-2:]], ["ImdsData", "ImdsRole"], "the log names them")
    short = ask(server, "PUT", "/latest/api/token", X_aws_ec2_metadata_token_ttl_seconds="1").body.decode()
    time.sleep(1.1)
    tap.equal(ask(server, "GET", ROLES, X_aws_ec2_metadata_token=short).status, 401, "a token that has expired")


def handed_out(server):
    good = {"X_aws_ec2_metadata_token": token(server)}
    server.control(metadata={"credentials": [
        {"access_key_id": "A", "expires_in": -60}, {"access_key_id": "B", "omit": ["SecretAccessKey"]},
        {"more": {"Code": "Failed", "Message": "no"}, "omit": ["AccessKeyId", "SecretAccessKey", "Token"]},
        {"access_key_id": "D", "expiration": "never"}]})
    replies = [ask(server, "GET", ROLES + "test-role", **good).json() for _ in range(5)]
    tap.ok(replies[0]["AccessKeyId"] == "A"
           and replies[0]["Expiration"] < time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "expired")
    tap.ok("SecretAccessKey" not in replies[1] and replies[1]["AccessKeyId"] == "B", "a key that is missing")
    tap.ok(replies[2]["Code"] == "Failed" and "AccessKeyId" not in replies[2], "a failure with status 200")
    tap.equal([reply["Expiration"] for reply in replies[3:]], ["never", "never"], "the last is given again and again")
    server.control(metadata={"credentials": {}})


def container(server):
    for path in ("/v2/credentials/id", "/ecs", "/eks/v1/credentials", "/v1/credentials"):
        reply = ask(server, "GET", path)
        tap.equal((reply.status, reply.json()["AccessKeyId"]), (200, "ASIAEXAMPLE"), path)
    server.control(metadata={"container_token": "secret-1"})
    tap.equal(ask(server, "GET", "/v1/credentials").status, 401, "not without the token")
    tap.equal(ask(server, "GET", "/v1/credentials", Authorization="secret-1").status, 200, "with it")
    server.control(metadata={"container_token": "secret-2"})
    tap.equal(ask(server, "GET", "/v1/credentials", Authorization="secret-1").status, 401, "not with the one before")
    server.control(metadata={"container_token": None})


def sts(server):
    fields = {"Action": "AssumeRoleWithWebIdentity", "Version": "2011-06-15", "RoleArn": "arn:aws:iam::1:role/<r>",
              "RoleSessionName": "s", "WebIdentityToken": "jwt"}

    def assume(**change):
        wanted = {name: value for name, value in {**fields, **change}.items() if value is not None}
        reply = ask(server, "POST", "/", urllib.parse.urlencode(wanted).encode(),
                    Content_Type="application/x-www-form-urlencoded")
        tree = ElementTree.fromstring(reply.body)
        return reply.status, {element.tag.rpartition("}")[2]: element.text for element in tree.iter()}
    status, answer = assume()
    tap.equal((status, answer["AccessKeyId"], answer["SessionToken"], answer["Arn"]),
              (200, "ASIAEXAMPLE", "session+token/example==", fields["RoleArn"]), "AssumeRoleWithWebIdentity")
    tap.equal(assume(WebIdentityToken=None)[1]["Code"], "ValidationError", "without the token")
    tap.equal(assume(Action="Other")[1]["Code"], "InvalidAction", "another action")
    server.control(metadata={"web_identity_token": "other"})
    tap.equal(assume()[1]["Code"], "InvalidIdentityToken", "a token that is not known")
    server.control(metadata={"web_identity_token": None, "credentials": {"omit": ["Token"]}})
    tap.ok("SessionToken" not in assume()[1], "an answer without a token")
    server.control(metadata={"credentials": {}})
    server.control(faults=[{"operation": "AssumeRoleWithWebIdentity", "fault": "http", "status": 400,
                            "content_type": "text/xml", "body":
                            "<ErrorResponse><Error><Code>IDPCommunicationError</Code></Error></ErrorResponse>"}])
    tap.equal([assume()[1].get("Code"), assume()[0]], ["IDPCommunicationError", 200],
              "an error by script, and then none")


def faults(server):
    server.control(faults=[{"operation": "ImdsCredentials", "fault": "http", "status": 401}])
    good = {"X_aws_ec2_metadata_token": token(server)}
    tap.equal([ask(server, "GET", ROLES + "test-role", **good).status for _ in range(2)], [401, 200], "401 once")
    server.control(faults=[{"operation": ["ImdsToken", "ContainerCredentials"], "fault": "drop_before_read",
                            "times": None}])
    for method, path in (("PUT", "/latest/api/token"), ("GET", "/ecs")):
        try:
            ask(server, method, path)
            tap.ok(False, path + " is down")
        except Broken:
            tap.ok(True, path + " is down")
    server.control(faults=[{"operation": "ContainerCredentials", "fault": "bad_json"}])
    try:
        json.loads(ask(server, "GET", "/ecs").body)
        tap.ok(False, "no JSON")
    except ValueError:
        tap.ok(True, "no JSON")
    for settings in ({"roll": 1},):
        try:
            server.control(metadata=settings)
            tap.ok(False, "an unknown setting is refused")
        except ValueError:
            tap.ok(True, "an unknown setting is refused")


main()
