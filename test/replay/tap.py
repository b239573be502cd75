"""Results in TAP, the form in which check.sh counts them."""

import signal
import sys

# A replay that hangs must fail, not wait: this ends the program.
LONGEST_SECONDS = 240

# Of one result; the first ones explain, a thousand would hide them.
MOST_DIFFERENCES = 8
LONGEST_LINE = 600

failed = 0


def start():
    signal.alarm(LONGEST_SECONDS)


def check(name, differences):
    """One result: it passes if there are no differences to report."""
    global failed
    if not differences:
        print(f"ok - {name}", flush=True)
        return
    failed += 1
    print(f"not ok - {name}")
    for difference in differences[:MOST_DIFFERENCES]:
        print("#   " + difference.replace("\n", " ")[:LONGEST_LINE])
    if len(differences) > MOST_DIFFERENCES:
        print(f"#   and {len(differences) - MOST_DIFFERENCES} more")
    sys.stdout.flush()


def differ(what, got, expected):
    """The differences, down to the members of objects and lists."""
    if type(got) is type(expected) and got == expected:
        return []
    if isinstance(got, dict) and isinstance(expected, dict) and got.keys() == expected.keys():
        return [d for name in got for d in differ(f"{what}: {name}", got[name], expected[name])]
    if isinstance(got, list) and isinstance(expected, list) and len(got) == len(expected):
        return [d for i, pair in enumerate(zip(got, expected)) for d in differ(f"{what}: [{i}]", *pair)]
    return [f"{what}: got {shorten(got)}, expected {shorten(expected)}"]


def shorten(value):
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:120]}...{text[-60:]} ({len(text)} characters)"


def finish():
    sys.exit(1 if failed else 0)
