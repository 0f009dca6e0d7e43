#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Breaks when a routine of the headers is missing in the Fortran module shmem.

usage: names_test.py SOURCES MODULE    the repository; the module's source in the build folder
"""

import re
import sys

sys.dont_write_bytecode = True
# tools/man has a generate.py, too.
sys.path[:0] = [sys.argv[1] + "/tools/oshfort", sys.argv[1] + "/tools/man"]

import generate  # noqa: E402
from reader import Header, read_tables  # noqa: E402



def expected_names(include):
    """Maps each name that a program calls to the routine of the headers."""
    names = {}
    tables = read_tables(include)
    for header in generate.HEADERS:
        for entry in Header(include, f"shmem/{header}.h").entries:
            for routine in entry.routines:
                name = routine.name
                for row, _ in tables[routine.table] if routine.table else ():
                    by_address = re.sub("TYPENAME|SIZE", row, name)
                    names[by_address] = by_address
                if "SIZE" in name:
                    continue
                if routine.table or re.match(r"shmem_ctx_(putmem|getmem|signal)", name):
                    name = name.replace("shmem_ctx_", "shmem_")
                names[name.replace("_TYPENAME", "")] = routine.name
    return names


def unreachable(text, include):
    """The routines without types that no specific of their generic name leads to."""
    generics = dict(re.findall(r"^  interface (shmem_\w+)\n(.*?)^  end interface", text,
                               re.MULTILINE | re.DOTALL))
    for header in generate.HEADERS:
        for entry in Header(include, f"shmem/{header}.h").entries:
            for routine in entry.routines:
                generic = routine.name.replace("shmem_ctx_", "shmem_")
                generic = routine.name if routine.name in generics else generic
                short = routine.name.removeprefix("shmem_")
                if not routine.table and generic in generics and \
                        not re.search(rf"\b(c_)?{short}\b", generics[generic]):
                    yield f"{routine.name}: not among the specifics of {generic}"


def main():
    with open(sys.argv[2], encoding="utf-8") as file:
        text = file.read()
    public = set(re.findall(r"\bshmem_\w+", "\n".join(re.findall(r"^  public :: (.*)$", text,
                                                                 re.MULTILINE))))
    expected = expected_names(sys.argv[1] + "/include")
    wrong = [f"{expected[name]}: no public {name}" for name in sorted(expected.keys() - public)]
    wrong += [f"{name}: no such routine" for name in sorted(public - expected.keys())]
    wrong += unreachable(text, sys.argv[1] + "/include")
    # Each type that Fortran has, with both kinds of counts, with and without a context.
    for procedure in ("int8_put", "ctx_int64_put_i", "longdouble_get_nbi", "complexd_iput",
                      "ctx_logical_ibget_i", "character_broadcast", "complexf_prod_reduce_i",
                      "ctx_double_atomic_swap", "int32_wait_until_some_vector_i"):
        if not re.search(rf"^ +(subroutine|function) {procedure}\(", text, re.MULTILINE):
            wrong.append(f"no procedure {procedure}")
    print("\n".join(wrong) or f"{len(public)} names")
    sys.exit(1 if wrong or len(public) < 100 else 0)


if __name__ == "__main__":
    main()
