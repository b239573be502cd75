"""The examples of README.md and doc/: they run, and answer what the text says.

In each file the ```sql blocks are run in order in a database of their own, by
psql.  Where a ``` block without a language follows one directly, it must be
what psql prints.  Prints TAP.
"""

import glob
import os
import re
import subprocess
import sys

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def examples(text):
    """Pairs of SQL and the output that the text shows for it, or None."""
    found, end = [], None
    for block in BLOCK.finditer(text):
        language, body = block.groups()
        follows = end is not None and text[end:block.start()].strip() == ""
        if language == "sql":
            found.append([body, None])
            end = block.end()
        elif language == "" and follows:
            found[-1][1] = body
            end = None
        else:
            end = None
    return found


def psql(database, sql):
    run = subprocess.run(
        ["psql", "-X", "-q", "-d", database, "-v", "ON_ERROR_STOP=0"],
        input="\\pset footer off\n\\set SHOW_CONTEXT never\n" + sql,
        capture_output=True, text=True, check=False)
    # psql's errors come on another channel; a block shows one or the other.
    return run.stdout + run.stderr


def significant(text):
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def check_file(path, number):
    with open(path, encoding="utf-8") as file:
        found = examples(file.read())
    if not found:
        return number, True
    database = "docs_%s" % re.sub(r"\W", "_", path)
    subprocess.run(["createdb", database], check=True)
    good = True
    for i, (sql, shown) in enumerate(found):
        number += 1
        # What a session remembers is lost between blocks: run all so far
        # would repeat effects, so a block must do with its own.
        answer = psql(database, sql)
        wrong = None
        if shown is None:
            if "ERROR:" in answer:
                wrong = "it fails"
        elif significant(answer) != significant(shown):
            wrong = "it answers something else than the text says"
        print("%sok %d - %s, example %d%s"
              % ("not " if wrong else "", number, path, i + 1,
                 ": " + wrong if wrong else ""))
        if wrong:
            good = False
            for line in (sql + "--\n" + answer).splitlines():
                print("# " + line)
    return number, good


def main():
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
    os.chdir(root)
    number, good = 0, True
    for path in ["README.md"] + sorted(glob.glob("doc/*.md")):
        number, fine = check_file(path, number)
        good = good and fine
    print("1..%d" % number)
    return 0 if good and number > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
