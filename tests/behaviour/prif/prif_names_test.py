#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Breaks when the procedures of the library are not those that docs/runtimes/prif.md promises: the
table there has each procedure of PRIF 0.8 once, and "not yet" in the line of those that are
missing.

usage: names_test.py LIBRARY
"""

import os
import re
import subprocess
import sys

COUNT = 109
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
DOCUMENT = os.path.join(ROOT, "docs/runtimes/prif.md")


def documented():
    """Returns the sets of the names that are there, and that are not yet."""
    there, missing = set(), set()
    with open(DOCUMENT, encoding="utf-8") as document:
        for line in document:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if len(cells) != 3 or not line.startswith("| "):
                continue
            names = re.findall(r"`(\w+)`", cells[1])
            (missing if cells[2].startswith("not yet") else there).update(
                "prif_" + name for name in names)
    return there, missing


def main():
    listing = subprocess.run(["nm", sys.argv[1]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             text=True, check=True)
    symbols = re.compile(r" T (?:__prif_MOD_|_QMprifP)?(prif_\w+)$", re.MULTILINE)
    found = set(symbols.findall(listing.stdout))
    there, missing = documented()
    wrong = []
    if len(there | missing) != COUNT or there & missing:
        wrong.append(f"docs/runtimes/prif.md has {len(there)} + {len(missing)} names, not {COUNT}")
    wrong += [f"{name}: not in the library" for name in sorted(there - found)]
    wrong += [f"{name}: not in docs/runtimes/prif.md, or not yet" for name in sorted(found - there)]
    print("\n".join(wrong) or f"{len(found)} of {COUNT} procedures")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
