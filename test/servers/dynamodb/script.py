"""
The script: rules that say which requests are hit by which fault, and the
random mode.
"""

import random
import threading
import time

from .errors import REASON_MESSAGES
from .faults import AFTER, BEFORE, CONNECTION_KINDS, KINDS, THROTTLES

FIELDS = {
    # Which requests, and when.
    "operation", "nth", "times", "every", "for_seconds", "probability", "body_contains", "connection", "when", "later",
    "fault",
    # Of one fault or another.
    "headers", "code", "message", "status", "more", "reasons", "seconds", "action", "body", "content_type", "location",
    "crc", "date", "bytes", "item", "attribute", "value", "row_key", "keep", "reset", "at", "interval", "certificate",
    "key"}


class BadScript(Exception):
    pass


# What the random mode does unless told otherwise: faults that a client must
# survive, and that are over at once.
RANDOM_FAULTS = [
    "throttle", {"fault": "throttle", "code": "ThrottlingException"},
    {"fault": "throttle", "code": "RequestLimitExceeded"}, "http_500", {"fault": "http_500", "when": AFTER},
    "http_502", {"fault": "http_502", "when": AFTER}, "http_503", {"fault": "http_503_html", "when": AFTER},
    "http_504", {"fault": "http_504", "when": AFTER}, "html", "empty_body", "wrong_crc", "truncated", "bad_json",
    "drop_before_read", "drop_after_headers", "drop_after_body", {"fault": "drop_after_body", "when": BEFORE},
    {"fault": "drop_after_body", "reset": True}, "drop_mid_answer", {"fault": "drop_mid_answer", "at": "headers"},
    "drop_idle", "conflict", "in_progress", {"fault": "in_progress", "when": AFTER},
    {"fault": "delay", "seconds": 0.05}, {"fault": "skew", "seconds": 360}, {"fault": "skew", "seconds": -360},
    "expired_token",
]

# With these fields every fault is over soon.
SHORT = {"stall": {"seconds": 0.05}, "drip": {"interval": 0.0002}, "delay": {"seconds": 0.05},
         "big_answer": {"bytes": 1 << 20}, "big_headers": {"bytes": 20000}}


def all_faults():
    """Every fault of a request, those that can be both before and after."""
    rules = RANDOM_FAULTS + [{"fault": name, **SHORT.get(name, {})} for name in sorted(KINDS)]
    rules += [{"fault": "throttle", "code": code} for code in THROTTLES]
    rules += [{"fault": "cancel", "code": code} for code in REASON_MESSAGES]
    return [as_rule(rule) for rule in rules]


class Script:
    def __init__(self):
        self.lock = threading.Lock()
        self.rules, self.random, self.generator = [], None, None
        self.needs_body = False

    def set(self, rules):
        for rule in rules:
            check_rule(rule)
        with self.lock:
            self.rules = [{**rule, "_seen": 0, "_hits": 0, "_first": None} for rule in rules]
            self.note()

    def add(self, rules):
        for rule in rules:
            check_rule(rule)
        with self.lock:
            self.rules += [{**rule, "_seen": 0, "_hits": 0, "_first": None} for rule in rules]
            self.note()

    def note(self):
        self.needs_body = any("body_contains" in rule for rule in self.rules)

    def set_random(self, options):
        """{"probability": p, "seed": n, "operations": [...], "faults": [...]} or null."""
        if options:
            unknown = set(options) - {"probability", "seed", "operations", "faults"}
            if unknown:
                raise BadScript("the random mode has no %s" % ", ".join(sorted(unknown)))
            if options.get("faults") == "all":
                options = {**options, "faults": all_faults()}
            for fault in options.get("faults", []):
                check_rule(as_rule(fault))
        with self.lock:
            self.random = options
            self.generator = random.Random(options.get("seed", 0)) if options else None

    def choose(self, operation, connection, body=b""):
        """The rule that hits this request, or None."""
        if not self.rules and not self.random:
            return None
        with self.lock:
            hit = None
            for rule in self.rules:
                if matches(rule, operation, connection, body) and self.hits(rule) and hit is None:
                    rule["_hits"] += 1
                    rule["_first"] = rule["_first"] or time.monotonic()
                    hit = rule
            if hit is None and self.random and operation != "connection":
                hit = self.random_rule(operation)
            return hit

    def hits(self, rule):
        rule["_seen"] += 1
        number, nth, times = rule["_seen"], rule.get("nth", 1), rule.get("times", 1)
        if "for_seconds" in rule and rule["_first"] is not None and number >= nth:
            return time.monotonic() - rule["_first"] < rule["for_seconds"]
        if "probability" in rule:
            return random.random() < rule["probability"]
        if "every" in rule:
            return number >= nth and (number - nth) % rule["every"] == 0
        return number >= nth and (times is None or number < nth + times)

    def random_rule(self, operation):
        wanted = self.random.get("operations")
        if wanted and operation not in wanted:
            return None
        if self.generator.random() >= self.random.get("probability", 0.05):
            return None
        return as_rule(self.generator.choice(self.random.get("faults") or RANDOM_FAULTS))

    def describe(self):
        with self.lock:
            return {"faults": [{(name.lstrip("_")): value for name, value in rule.items() if name != "_first"}
                               for rule in self.rules],
                    "random": self.random}


def as_rule(fault):
    return {"fault": fault} if isinstance(fault, str) else fault


def check_rule(rule):
    if not isinstance(rule, dict):
        raise BadScript("a rule is an object, not %r" % (rule,))
    name = rule.get("fault")
    if name not in KINDS and name not in CONNECTION_KINDS:
        raise BadScript("no fault %r; there are: %s" % (name, " ".join(sorted(set(KINDS) | CONNECTION_KINDS))))
    unknown = set(rule) - FIELDS
    if unknown:
        raise BadScript("a rule has no %s" % ", ".join(sorted(unknown)))
    if (name in CONNECTION_KINDS) != (rule.get("operation") == "connection"):
        raise BadScript("fault %s %s operation \"connection\"" % (
            name, "needs" if name in CONNECTION_KINDS else "cannot have"))
    if "later" in rule and not isinstance(rule["later"], (int, float)):
        raise BadScript("later is a number of seconds")
    if name == "wrong_certificate":
        if not {"certificate", "key"} <= set(rule):
            raise BadScript("wrong_certificate needs certificate and key")
        for path in (rule["certificate"], rule["key"]):
            with open(path):
                pass
    if rule.get("when", BEFORE) not in (BEFORE, AFTER):
        raise BadScript("when is before or after")


def matches(rule, operation, connection, body):
    wanted = rule.get("operation", "*")
    if wanted == "*":
        if operation == "connection":
            return False
    elif operation != wanted and not (isinstance(wanted, list) and operation in wanted):
        return False
    if "connection" in rule and rule["connection"] != connection:
        return False
    return "body_contains" not in rule or rule["body_contains"].encode() in body
