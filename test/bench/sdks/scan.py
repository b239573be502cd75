"""
Scan a table with boto3 and take every value: scan.py ENDPOINT states|keys

Prints rows, bytes of states, and microseconds a row: wall, CPU.
"""

import resource
import sys
import time

import boto3

client = boto3.client("dynamodb", endpoint_url=sys.argv[1], region_name="us-east-1", aws_access_key_id="dummy", aws_secret_access_key="dummyKey")
names = {"#p": "PartitionKey", "#r": "RowKey", "#e": "ETag"}
if sys.argv[2] == "states":
    names["#s"] = "GrainState"


def scan():
    rows = size = 0
    arguments = {"TableName": "Pages", "ProjectionExpression": ",".join(names), "ExpressionAttributeNames": names, "ConsistentRead": True}
    while True:
        page = client.scan(**arguments)
        for item in page["Items"]:
            rows += 1
            size += len(item["GrainState"]["B"]) if "GrainState" in item else len(item["ETag"]["N"]) and 0
        if "LastEvaluatedKey" not in page:
            return rows, size
        arguments["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


scan()
started, cpu = time.monotonic(), used()
rows, size = scan()
print(rows, size, "%.2f %.2f" % ((time.monotonic() - started) / rows * 1e6, (used() - cpu) / rows * 1e6), f"boto3 {boto3.__version__}")
