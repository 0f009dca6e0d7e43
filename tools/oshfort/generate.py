#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the Fortran 2018 module shmem from the headers and their type tables, and the Fortran
interface of OpenSHMEM 1.4 (old.py).

    generate.py --include include --output shmem.f90 [--old old.c] [--old-header shmem.fh]

Every routine of the headers below that Fortran has types for becomes a procedure of the same name
and with the same arguments in the same order; docs/run/fortran.md has the rules and the exceptions.
tools/oshfort/CMakeLists.txt calls it; it needs Python's own library and tools/man/reader.py only.
"""

import argparse
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "man"))

import old  # noqa: E402
from fortran import Module  # noqa: E402
from reader import Header, read_tables  # noqa: E402

HEADERS = ("setup", "memory", "teams", "contexts", "rma", "atomics", "signal", "sync",
           "collectives", "ordering", "locks")


# Fortran does not tell upper from lower case, and routines have these names.
RENAMED = {"SHMEM_SIGNAL_SET": "SHMEM_SIGNAL_OP_SET", "SHMEM_SIGNAL_ADD": "SHMEM_SIGNAL_OP_ADD"}


def constants(path):
    """[(name, kind, value)] of a header's macros that are integers or handles, in Fortran."""
    found = []
    with open(path, encoding="utf-8") as file:
        for name, value in re.findall(r"^#define (SHMEM_\w+) (\S.*)$", file.read(), re.MULTILINE):
            handle = re.fullmatch(r"SHMEM_INTERNAL_(?:NO_)?HANDLE\((\w+)(?:, (\d+))?\)", value)
            bit = re.fullmatch(r"\(1L << (\d+)\)", value)
            if name.startswith("SHMEM_INTERNAL") or value.startswith('"'):
                continue
            name = RENAMED.get(name, name)
            if handle:
                number = handle[2] or 0
                found.append((name, f"type({handle[1]})", f"{handle[1]}({number}_c_intptr_t)"))
            elif bit:
                found.append((name, "integer(c_long)", f"{1 << int(bit[1])}_c_long"))
            else:
                found.append((name, "integer(c_int)", f"{int(value)}_c_int"))
    return found


def old_header(include):
    """shmem.fh, with the constants that Fortran had."""
    found = []
    for name in ("setup", "sync", "deprecated"):
        for constant, kind, value in constants(f"{include}/shmem/{name}.h"):
            if kind == "integer(c_int)":
                found.append((constant, value.removesuffix("_c_int")))
    with open(f"{include}/shmem/setup.h", encoding="utf-8") as file:
        vendor = re.search(r'define SHMEM_VENDOR_STRING "(.*)"', file.read())[1]
    return old.header(found, vendor)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def template(name):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    with open(path, encoding="utf-8") as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    for option in ("--include", "--output"):
        parser.add_argument(option, required=True)
    for option in ("--old", "--old-header"):
        parser.add_argument(option)
    arguments = parser.parse_args()
    module = Module(read_tables(arguments.include))
    for name in HEADERS:
        path = f"shmem/{name}.h"
        module.constants += constants(os.path.join(arguments.include, path))
        for entry in Header(arguments.include, path).entries:
            for routine in entry.routines:
                module.add(routine)
    write(arguments.output, module.fill(template("shmem.f90.in")))
    if arguments.old:
        write(arguments.old, old.fill_c(template("old.c.in")))
    if arguments.old_header:
        write(arguments.old_header, old_header(arguments.include))


if __name__ == "__main__":
    main()
