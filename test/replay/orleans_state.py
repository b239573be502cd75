"""
What a silo holds after reading stored JSON, in the form in which the traces
write it down.  Enough of Newtonsoft.Json and of the recorder's classes for
that; the rules are in the protocol's notes on the default serializer.
"""

import json

STATE_CLASSES = ("Bank.Plain, Bank", "Bank.Wide, Bank")

# A reference to an object that was met before; the recorder left such members out.
SEEN = object()

# The recorder wrote a long text as its length, see "large".
LONG_TEXT = 1000


def read_state(data, defaults):
    """
    An actor's state.  A member that is not stored has its default, which is
    what a fresh load() answered.
    """
    def build(members):
        names = [name for name, _ in members]
        kind = None
        # These two count only as the first members: later, $id is a name.
        if names[:1] == ["$id"]:
            members = members[1:]
        if members and members[0][0] == "$type":
            kind = members[0][1]
            members = members[1:]
        value = dict(members)
        if "$ref" in value:
            return SEEN
        if kind in STATE_CLASSES:
            value = {**defaults, **value}
            return {name: member for name, member in value.items() if member is not SEEN}
        if list(value) in (["$values"], ["$value"]):
            return list(value.values())[0]
        return value

    return shorten(json.loads(data.decode(), object_pairs_hook=build))


def shorten(state):
    if isinstance(state, dict):
        return {name: shorten(value) for name, value in state.items()}
    if isinstance(state, str) and len(state) > LONG_TEXT:
        return f"({len(state)} {state[0]})"
    return state


def seven_digits(time):
    """A time of JSON, which drops trailing zeros, with all its digits."""
    seconds, rest = time[:19], time[19:]
    digits = ""
    if rest.startswith("."):
        digits = rest[1:].rstrip("Z")
        rest = rest[1 + len(digits):]
    return f"{seconds}.{digits:0<7}{rest}"


def read_metadata(data):
    """The time of the last commit, and how many wrote in each commit record."""
    if not data:
        return {"ts": "0001-01-01T00:00:00.0000000", "commits": {}}
    metadata = json.loads(data.decode())
    return {
        "ts": seven_digits(metadata.get("TimeStamp", "0001-01-01T00:00:00")),
        "commits": {
            name: {"ts": seven_digits(record["Timestamp"]), "n": len(record["WriteParticipants"]["$values"])}
            for name, record in metadata["CommitRecords"].items() if not name.startswith("$")}}


def read_manager(data):
    """The manager's reference; no recording of a storage has one."""
    return json.loads(data.decode()).get("Reference")
