#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Breaks when a procedure of PRIF is not tested in one of the ways that docs/runtimes/prif.md shows
in its table, which this script makes of the sources of the tests.

usage: prif_table_test.py [--write]
"""

import os
import re
import sys

from prif_ending_test import CASES

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "../../..")
DOCUMENT = os.path.join(ROOT, "docs/runtimes/prif.md")
MODULE = os.path.join(ROOT, "runtimes/prif/fortran/prif.F90")
BEGIN = "<!-- made by tests/behaviour/prif/prif_table_test.py --write -->\n"
END = "<!-- end -->\n"
HEAD = ("| procedure | calls | images | nodes | `stat` 0 | error by `stat` | error without it |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n")
# Images, and images x virtual nodes, of prif_test; and those of prif_ending.f90.
SUITE = ("1 2 3 4 8", "3x3 4x2")
ENDING = tuple(" ".join(sorted({layout for case in CASES for layout in case[1].split()
                                if ("x" in layout) == on_nodes})) for on_nodes in (False, True))
NEVER_FAILS = ("prif_sync_memory",)
FAILING = re.compile(r"stat > 0|(stat|state) == PRIF_STAT|check_failed\(|call refused\(")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def statements(text):
    """The statements of a Fortran source, each on one line."""
    joined = re.sub(r"&\s*\n\s*", "", re.sub(r"^\s*!.*\n", "", text, flags=re.MULTILINE))
    return [line.strip() for line in joined.splitlines()]


def interfaces():
    """The dummy arguments of each procedure."""
    found = {}
    for line in statements(read(MODULE)):
        if match := re.match(r"(?:impure elemental )?module subroutine (prif_\w+)\((.*?)\)", line):
            found[match[1]] = [name.strip() for name in match[2].split(",") if name.strip()]
    return found


def arguments(text):
    """The actual arguments in front of the parenthesis that closes the call."""
    depth, start, parts = 0, 0, []
    for at, letter in enumerate(text):
        if letter in "([":
            depth += 1
        elif letter in ")]":
            if depth == 0:
                return [part for part in [*parts, text[start:at].strip()] if part]
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return parts


def has_stat(actual, dummies):
    if any(re.match(r"stat\s*=", part) for part in actual):
        return True
    positional = [part for part in actual if not re.match(r"\w+\s*=[^=]", part)]
    return "stat" in dummies and len(positional) > dummies.index("stat")


def calls_of(dummies_of):
    """Each call: the procedure, the file, whether it has stat, whether the stat tells an error."""
    for name in sorted(os.listdir(HERE)):
        if not name.endswith(".f90"):
            continue
        lines = statements(read(os.path.join(HERE, name)))
        for number, line in enumerate(lines):
            for match in re.finditer(r"call (prif_\w+)(\(?)", line):
                if match[1] not in dummies_of:
                    continue
                dummies = dummies_of[match[1]]
                actual = arguments(line[match.end():]) if match[2] else []
                # A check of the stat stands before the next call that sets it.
                behind = " ".join(lines[number + 1:number + 3])
                behind = re.split(r"call prif_(?!error_stop)", behind)[0]
                with_stat = has_stat(actual, dummies)
                yield match[1], name, with_stat, with_stat and bool(FAILING.search(behind))


def rows():
    dummies_of = interfaces()
    calls = list(calls_of(dummies_of))
    messages = {name for _, _, _, pattern, _ in CASES
                for name in re.findall(r"prif_\w+", pattern)}
    for name, dummies in sorted(dummies_of.items()):
        own = [call for call in calls if call[0] == name]
        files = {call[1] for call in own}
        images, nodes = SUITE if files - {"prif_ending.f90", "prif_killed.f90"} else ENDING
        stat = "stat" in dummies
        succeeds = any(call[2] and not call[3] for call in own)
        fails = any(call[3] for call in own)
        error = "none" if name in NEVER_FAILS else "yes" if fails else "no"
        yield (name, str(len(own)), images, nodes, ("yes" if succeeds else "no") if stat else "",
               error if stat else "", "yes" if name in messages else "")


def main():
    table = BEGIN + HEAD + "".join(f"| `{row[0].removeprefix('prif_')}` | {' | '.join(row[1:])} |\n"
                                   for row in rows()) + END
    text = read(DOCUMENT)
    start, end = text.index(BEGIN), text.index(END) + len(END)
    if "--write" in sys.argv:
        with open(DOCUMENT, "w", encoding="utf-8") as file:
            file.write(text[:start] + table + text[end:])
        return 0
    wrong = [f"{row[0]}: no test calls it" for row in rows() if row[1] == "0"]
    wrong += [f"{row[0]}: no test of its stat" for row in rows() if "no" in row[4:]]
    if text[start:end] != table:
        wrong.append("the table of docs/runtimes/prif.md is old: prif_table_test.py --write")
    print("\n".join(wrong) or "all procedures are tested")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
