#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a shared library that exports more than its interface, for example the C++ library
that it was linked with, which a program then takes for its own.

exports.py NM PATTERN LIBRARY: each dynamic symbol that LIBRARY defines must match PATTERN.
"""
import re
import subprocess
import sys


def main():
    nm, pattern, library = sys.argv[1:]
    listed = subprocess.run([nm, "-D", "--defined-only", library], capture_output=True, text=True,
                            check=True).stdout
    names = [line.split()[-1].split("@")[0] for line in listed.splitlines()]
    found = [name for name in names if re.fullmatch(pattern, name) is None]
    if not names or found:
        sys.exit(f"FAILED: {library} exports {len(names)} names; not of its interface are:\n" +
                 "\n".join(found))
    print(f"{len(names)} names")


if __name__ == "__main__":
    main()
