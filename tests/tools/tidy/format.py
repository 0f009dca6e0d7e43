#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that C and C++ files look as .clang-format says; with --fix makes them so.

Exit status 77 (a skipped test) where there is no clang-format 14: versions format differently.
usage: format.py [--fix] [FILE...]     without files: all of the tree
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

from source_tree import C_FAMILY, Tree

VERSION = 14
SKIPPED = 77


def find_clang_format():
    for name in (f"clang-format-{VERSION}", "clang-format"):
        path = shutil.which(name)
        if path is None:
            continue
        shown = subprocess.run([path, "--version"], stdout=subprocess.PIPE, check=False)
        match = re.search(r"version (\d+)", shown.stdout.decode())
        if match and int(match.group(1)) == VERSION:
            return path
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fix", action="store_true", help="rewrite the files")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    program = find_clang_format()
    if program is None:
        print(f"skipped: no clang-format {VERSION} (Debian 12: apt-get install clang-format-14)")
        return SKIPPED
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
    names = options.files or [os.path.join(root, name) for name in Tree(root).named(*C_FAMILY)]
    mode = ["-i"] if options.fix else ["--dry-run", "-Werror", "--ferror-limit=2"]
    result = subprocess.run([program, "--style=file"] + mode + names, check=False)
    if result.returncode != 0:
        print("run tests/tools/tidy/format.py --fix, with the files' names for a few only")
    return result.returncode


if __name__ == "__main__":
    sys.exit(main())
