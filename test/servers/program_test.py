#!/usr/bin/env python3
"""The program around the server: how it starts, logs, ends, and how fast it is."""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

from fault_client import HERE, TABLE, Connection, FaultServer, Tap, get, key, put, query, transaction

tap = Tap()
PROGRAM = [sys.executable, os.path.join(HERE, "fault_server.py")]
WITH_SERVER = os.path.join(HERE, "with_server")
PERL = """use FaultServer; my $s = FaultServer->new('--verify');
$s->control(reset => 1, items => { 'TableOfPerl' => [] }, faults => [ { fault => 'throttle', times => 2 } ]);
eval { $s->control(faults => [ { fault => 'none' } ]) };
print join(' ', $s->url =~ /^http:/,
	$@ =~ /no fault/, keys %{ $s->tables }, $s->get->{faults}[0]{times}, scalar(@{ $s->log })),
	' ', $s->pid;"""


def main():
    ends()
    logs_and_scripts()
    wrappers()
    speed()
    tap.end()


def start(*options):
    process = subprocess.Popen(PROGRAM + list(options), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    ports = [int(process.stdout.readline().split()[1]) for _ in range(2)]
    return process, ports


def stop_by(process, how):
    """The exit status, having ended by itself."""
    how()
    try:
        return process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        return "had to be killed"
    finally:
        process.stdout.close()
        process.stdin.close()


def ends():
    process, _ = start()
    tap.equal(stop_by(process, process.stdin.close), 0, "it ends with its standard input")
    for signal_number in (signal.SIGTERM, signal.SIGINT):
        process, _ = start()
        tap.equal(stop_by(process, lambda: process.send_signal(signal_number)), 0, "and on " + signal_number.name)
    process, ports = start()
    with Connection(ports[1]) as connection:
        connection.request("POST", "/_control", {}, b'{"faults": [{"fault": "stall"}]}')
    with Connection(ports[0]) as connection:
        connection.send("POST", "/", {"X-Amz-Target": "DynamoDB_20120810.GetItem"}, b"{}")
        time.sleep(0.1)
        tap.equal(stop_by(process, process.terminate), 0, "also while a request stalls")


def logs_and_scripts():
    with tempfile.TemporaryDirectory() as folder:
        log, script = os.path.join(folder, "log"), os.path.join(folder, "script")
        with open(script, "w") as file:
            json.dump({"items": {TABLE: [key("p", "key")]},
                       "faults": [{"operation": "GetItem", "fault": "wrong_crc"}]}, file)
        with FaultServer("--log", log, "--script", script) as server:
            tap.ok(not server.call("GetItem", get("p", "key"), amz_sdk_request="attempt=2; max=4").crc_is_right(),
                   "--script")
            server.call("TransactWriteItems", transaction(put("p", "new", 0), token="t"))
            server.call("GetItem", b"no JSON")
            with open(log) as file:
                lines = [json.loads(line) for line in file]
            tap.equal([(line["operation"], line["fault"], line["when"], line["applied"], line["status"])
                       for line in lines],
                      [("GetItem", "wrong_crc", "after", True, 200), ("TransactWriteItems", None, None, True, 200),
                       ("GetItem", None, None, False, 400)], "--log: what happened")
            tap.equal((lines[0]["attempt"], lines[1]["token"], lines[2]["body"]), ("attempt=2; max=4", "t", "no JSON"),
                      "attempt, token, body")
            tap.equal(lines, server.log(), "the control path tells the same")
            tap.equal([line["number"] for line in server.get("/log?since=1")], [2, 3], "since a number")
    process = subprocess.run(PROGRAM + ["--script", "/nonexistent"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
    tap.ok(process.returncode != 0 and b"PORT" not in process.stdout, "it does not start without its script")


def wrappers():
    process = subprocess.run([WITH_SERVER, "--verify", "--", "bash", "-c",
                              "echo $FAULT_SERVER $FAULT_CONTROL $FAULT_PORT; exit 7"],
                             stdout=subprocess.PIPE)
    words = process.stdout.decode().split()
    tap.ok(process.returncode == 7 and words[0] == "http://127.0.0.1:" + words[2] and words[1].endswith("/_control"),
           "with_server", words)
    process = subprocess.run([WITH_SERVER, "--nothing", "--", "true"], stderr=subprocess.PIPE)
    tap.equal(process.returncode, 1, "with_server says when it does not start")
    for number in (signal.SIGTERM, signal.SIGKILL):
        process = subprocess.Popen([WITH_SERVER, "--", "bash", "-c", "echo $FAULT_PORT; exec sleep 30"],
                                   stdout=subprocess.PIPE,
                                   start_new_session=True)
        port = int(process.stdout.readline())
        process.send_signal(number)
        if number == signal.SIGTERM:
            # bash handles it when the command has ended.
            os.killpg(process.pid, number)
        process.wait(5)
        tap.ok(refuses(port), "its server ends by " + number.name)
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.stdout.close()
    process = subprocess.run(["perl", "-I" + os.path.join(HERE, "..", "t"), "-e", PERL], stdout=subprocess.PIPE)
    *said, pid = process.stdout.decode().split() or [""]
    tap.equal(said, ["1", "1", "TableOfPerl", "2", "0"], "FaultServer.pm")
    tap.ok(pid and not os.path.exists("/proc/" + pid), "and its server has ended")


def refuses(port):
    end = time.monotonic() + 5
    while time.monotonic() < end:
        try:
            Connection(port).sock.close()
        except ConnectionRefusedError:
            return True
        time.sleep(0.02)
    return False


def speed():
    """By the processor time of the server, which other load does not change much."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    state = {"B": "A" * 1368}
    with FaultServer() as server:
        server.control(items={TABLE: []})

        def client(name):
            with Connection(server.port) as connection:
                for turn in range(60):
                    was = None if turn == 0 else turn - 1
                    write = transaction(put(name, "state_1", turn, was, GrainState=state), put(name, "key", turn, was),
                                        token="%s-%d" % (name, turn))
                    for operation, request in (("TransactWriteItems", write), ("GetItem", get(name, "key")),
                                               ("Query", query(name)), ("GetItem", get(name, "key"))):
                        if connection.call(operation, request).status != 200:
                            raise RuntimeError("a request failed")
        threads = [threading.Thread(target=client, args=("p%d" % number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        requests = server.get()["requests"]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    tap.equal(requests, 8 * 60 * 4, "8 clients, 4 requests a turn")
    tap.ok(requests / used > 1500, "more than 1,500 requests a second of one core", requests / used)
    print("# %d requests a second" % (requests / used))


main()
