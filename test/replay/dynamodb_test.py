"""
The recordings of Orleans' storage, replayed through SQL against a DynamoDB
server: the answers are the same as from tables, and the server receives the
requests that Orleans sent, in order and member for member.

Recordings whose fault the caller sees are faults_test.py's.
"""

import os

import fault_server
import psql
import recording
import storage_test
import tap


def sent(name):
    """
    The requests of a recording, each once: the SDK repeats what failed below it.
    Not those of a step that is refused here before anything is sent; the only
    one that Orleans sent is refused by the service for its form.
    """
    return [request for request in storage_test.Requests(name).requests
            if "fault" not in request and "ValidationException" not in str(request["response"])]


def replay(admin, name):
    psql.create_storage(admin, name, fault_server.URL)
    one = storage_test.Replay(name)
    try:
        one.run()
    except (AssertionError, LookupError, ValueError) as error:
        one.answers.append(f"ended early: {error!r}")
    received = fault_server.records(name)
    tap.check(f"{name}: answers as from tables", one.answers)
    if one.plans_seen:
        tap.check(f"{name}: plans", one.plans)
    tap.check(f"{name}: the server received what Orleans sent",
              fault_server.compare_requests(received, sent(name)))
    tap.check(f"{name}: target, type and scope of the signature are Orleans'",
              fault_server.compare_headers(received))
    tap.check(f"{name}: items", one.compare_items())
    for client in one.clients.values():
        client.session.close()


def compare_table_requests(name):
    """The differences of what made the table from how Orleans made it, but for its look at the time to live."""
    def comparable(operation, body):
        return operation, {member: value for member, value in body.items() if member != "TableName"}

    wanted = ("DescribeTable", "CreateTable", "UpdateTable")
    recorded = [comparable(request["op"], request["request"])
                for request in recording.read_requests(f"storage/{name}.requests.jsonl") if request["op"] in wanted]
    got = [comparable(record["operation"], record["body"]) for record in fault_server.get("/log")
           if record["operation"] in wanted and record["body"]["TableName"] == name]
    return tap.differ("requests", got, recorded)


def main():
    tap.start()
    files = os.listdir(recording.path("storage"))
    names = sorted(file[:-len(".trace.json")] for file in files if file.endswith(".trace.json"))
    admin = psql.Session()
    admin.run("CREATE EXTENSION IF NOT EXISTS txstore").rows()
    for name in names:
        if name not in storage_test.LEFT_OUT:
            replay(admin, name)
    tap.check("a table is made as Orleans makes it", compare_table_requests("prepare1"))
    admin.close()
    tap.finish()


if __name__ == "__main__":
    main()
