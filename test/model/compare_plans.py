#!/usr/bin/env python3
"""Hold the planner against the model: compare_plans.py [options] DRIVER

DRIVER is test/unit/plan_driver, which see for the form of cases and plans.
It gets all cases at once; each plan must be the model's, line for line.
"""

import argparse
import difflib
import subprocess
import sys
from collections import Counter

import plan_coverage
from plan_cases import Generator
from store_model import Put, Refused, plan

SHOWN = 3  # mismatches, the shortest
SHOWN_LINES = 24  # of each text


def case_text(case):
    base, request = case.base, case.request
    key = base.key
    lines = [
        f"partition {base.partition}",
        f"key {key.etag} {optional(key.committed)} {optional(key.timestamp)}"
        f" {key.metadata} {case.extra}",
    ]
    for row in base.rows:
        lines.append("row %d %d %d" % row)
    for prepare in request.prepares:
        lines.append("prepare %d %d %d %d %d" % prepare)
    if request.commit is not None:
        lines.append(f"commit {request.commit}")
    if request.abort is not None:
        lines.append(f"abort {request.abort}")
    lines.append(f"store {request.metadata} {request.now}")
    return "\n".join(lines) + "\n"


def optional(value):
    return "0 0" if value is None else f"1 {value}"


def plan_text(result):
    lines = []
    for batch in result.batches:
        for operation in batch.operations:
            word = "put" if isinstance(operation, Put) else "delete"
            lines.append(f"{word} " + " ".join(map(str, operation)))
        lines.append(key_text(batch))
    for row in result.rows:
        lines.append("row %d %d %d" % row)
    return "\n".join(lines) + "\n"


def key_text(batch):
    key = batch.key
    timestamp = "none" if key.timestamp is None else key.timestamp
    metadata = max(key.metadata, 0)
    kind = "M" if key.is_new_metadata and metadata > 0 else "m"
    return (
        f"key {batch.expected} {key.etag} {key.committed} {timestamp}"
        f" {kind}{metadata} 0 {batch.size}"
    )


def error_text(error):
    """What a driver may answer; "any" where the contract leaves it open."""
    names = "any"
    if error.sequences is not None:
        names = " or ".join(map(str, sorted(error.sequences)))
    size = "any" if error.size is None else error.size
    return f"error {error.kind}, sequence {names}, size {size}\n"


def error_agrees(error, answer):
    words = answer.split()
    if len(words) != 4 or words[:2] != ["error", error.kind]:
        return False
    sequences, size = error.sequences, error.size
    return (sequences is None or int(words[2]) in sequences) and (
        size is None or int(words[3]) == size
    )


def make_cases(seed, count):
    """Input text and the model's answer of each case, and what they cover."""
    generator = Generator(seed)
    coverage = Counter()
    cases = []
    for _ in range(count):
        case = generator.case()
        try:
            answer = plan(case.base, case.request)
            coverage.update(plan_coverage.of_plan(case, answer))
            answer = plan_text(answer)
        except Refused as error:
            coverage.update(plan_coverage.of_refusal(case, error))
            answer = error
        cases.append((case_text(case), answer))
    return cases, coverage


def run_driver(driver, cases):
    done = subprocess.run(
        [driver],
        input="".join(text for text, _ in cases),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout.split("end\n")


def compare(driver, cases):
    """Number of cases in which the driver's answer is not the model's."""
    status, answers = run_driver(driver, cases)
    mismatches = []
    for number, (text, expected) in enumerate(cases):
        if number + 1 >= len(answers):
            mismatches.append((number, text, expected, "no answer\n"))
            break
        if not agrees(expected, answers[number]):
            mismatches.append((number, text, expected, answers[number]))
    mismatches.sort(key=lambda mismatch: len(mismatch[1]))
    for mismatch in mismatches[:SHOWN]:
        show_mismatch(*mismatch)
    if status != 0 or answers[len(cases) :] != [""]:
        print(f"# driver: exit status {status}, {len(answers) - 1} answers")
        return max(len(mismatches), 1)
    return len(mismatches)


def agrees(expected, answer):
    if isinstance(expected, Refused):
        return error_agrees(expected, answer)
    return answer == expected


def show_mismatch(number, text, expected, answer):
    if isinstance(expected, Refused):
        expected = error_text(expected)
    print(f"# case {number}:")
    show(text.splitlines())
    print("# the model's answer (-) and the planner's (+):")
    difference = difflib.unified_diff(
        expected.splitlines(), answer.splitlines(), lineterm="", n=1
    )
    show(list(difference)[2:])


def show(lines):
    """The first and last lines: those between are rows and prepares."""
    if len(lines) > SHOWN_LINES:
        half = SHOWN_LINES // 2
        more = f"... {len(lines) - 2 * half} more lines"
        lines = lines[:half] + [more] + lines[-half:]
    for line in lines:
        print(f"#   {line}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=21000)
    parser.add_argument("--seed", type=int, default=20240102)
    parser.add_argument("driver")
    options = parser.parse_args()

    print("1..2")
    print(f"# {options.cases} cases, seed {options.seed}")
    cases, coverage = make_cases(options.seed, options.cases)
    mismatches = compare(options.driver, cases)
    verdict = "not ok" if mismatches else "ok"
    print(f"{verdict} 1 - the planner's plans are the model's")
    if mismatches:
        print(f"# {mismatches} of {options.cases} cases differ")
    missing = plan_coverage.report(coverage, options.cases)
    verdict = "not ok" if missing else "ok"
    print(f"{verdict} 2 - the cases cover what they should")
    return 1 if mismatches or missing else 0


if __name__ == "__main__":
    sys.exit(main())
