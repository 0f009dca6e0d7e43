#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the rules of docs/code/style.md that a machine can check.

usage: tidy.py [ROOT] [--rule NAME]...      exit status 0: clean, 1: findings
"""
import argparse
import collections
import os
import sys

import allowed
from form_rules import FORM_RULES
from named_paths import PATH_RULES
from order_rules import ORDER_RULES
from prose_rules import PROSE_RULES
from rules import FILE_LINES_MAX, RULES
from source_tree import Tree
from tree_rules import TREE_RULES, test_twins
from word_rules import WORD_RULES


RULES_OF_FILES = {**RULES, **TREE_RULES, **PATH_RULES, **WORD_RULES, **PROSE_RULES, **ORDER_RULES,
                  **FORM_RULES}


def findings_of(tree, exceptions, covered_by, wanted):
    """Findings as (path, line, rule, message), after the exceptions."""
    rules = {**RULES_OF_FILES,
             "test-twins": lambda tree: test_twins(tree, covered_by)}
    found = collections.defaultdict(list)
    for rule, check in rules.items():
        if not wanted or rule in wanted:
            for path, line, message in check(tree):
                found[rule, path].append((line, message))
    for rule, path, count, reason in exceptions:
        if wanted and rule not in wanted:
            continue
        hits = found.pop((rule, path), [])
        actual = hits[0][0] if rule == "file-size" and hits else len(hits)
        if rule not in rules:
            yield path, 1, rule, "allowed.py names an unknown rule"
        elif not hits:
            yield path, 1, rule, "allowed.py allows what is no longer there: remove the entry"
        elif actual > count:
            found[rule, path] = hits
        elif actual < count and rule != "file-size":
            yield path, 1, rule, f"allowed.py allows {count}, there are {actual}: lower the entry"
        if not reason:
            yield path, 1, rule, "allowed.py gives no reason"
    for (rule, path), hits in found.items():
        for line, message in hits:
            yield path, line, rule, message


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?",
                        default=os.path.join(os.path.dirname(__file__), "../../.."))
    parser.add_argument("--rule", action="append", default=[], help="only this rule")
    options = parser.parse_args()
    tree = Tree(options.root)
    findings = sorted(findings_of(tree, allowed.ALLOWED, allowed.COVERED_BY, set(options.rule)))
    for path, line, rule, message in findings:
        print(f"{path}:{line}: {rule}: {message}")
    print(f"{len(tree.files)} files, {len(findings)} findings (files of at most {FILE_LINES_MAX} "
          "lines; exceptions are in tests/tools/tidy/allowed.py)")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
