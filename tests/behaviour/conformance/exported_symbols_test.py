# SPDX-License-Identifier: BSD-3-Clause
"""Would break: the library exports a name that no header declares, lacks a declared one, exports a
routine without its profiling twin or version, or in another way than tools need, or defines a
routine and its twin in several files.

tests/behaviour/headers compares the declarations with the specification (symbols.txt). Beside
routines, objects, bodies for the headers' inline functions and REPLACED nothing may be exported.

Usage: exported_symbols_test.py NM CC INCLUDE LIBRARY OBJECT...
"""
import os
import re
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests", "behaviour", "headers"))

import declarations  # pylint: disable=wrong-import-position

OBJECT_FILE = re.compile(r".*/((?:src|transports|collectives)(?:/[\w.]+)*)/CMakeFiles/[\w.]+\.dir/"
                         r"([\w./]+)\.o$")


# Functions of the C library that src/heap/static_stack.cpp replaces.
REPLACED = {"fork", "pthread_create"}


def run(*command, text=None):
    return subprocess.run(command, check=True, text=True, input=text,
                          stdout=subprocess.PIPE).stdout


def exported(nm, library):
    """name -> kind: T strong function, W weak function, R constant object, - without a version of
    ours. The versions themselves (kind A) are left out.
    """
    lines = run(nm, "-D", "--defined-only", library).splitlines()
    return {name.split("@")[0]: kind if re.search(r"@@TESSERA_\d+\.\d+$", name) else "-"
            for _, kind, name in map(str.split, lines) if kind != "A"}


def declared(compiler, include):
    """The routines that the headers declare, without the twins."""
    text = run(compiler, "-E", "-I", include, "-x", "c", "-",
               text="#include <shmem.h>\n#include <shmemx.h>\n")
    found, _ = declarations.declared(text, os.path.realpath(include))
    return {name for _, kind, name in found if kind == "function"}


def files_of(nm, objects, names):
    """name -> the source files that define it."""
    files = {}
    for path in objects:
        if path.endswith(".gch"):  # CMake counts precompiled headers as objects.
            continue
        match = OBJECT_FILE.match(os.path.normpath(path))
        source = "/".join(match.groups()) if match else path
        for line in run(nm, "--defined-only", "--extern-only", path).splitlines():
            name = line.split()[-1]
            if name in names:
                files.setdefault(name, []).append(source)
    return files


def is_of_no_routine(name, kind):
    return name in REPLACED or kind == "R" or (kind == "T" and name.startswith("shmem_internal_"))


def main():
    nm, compiler, include, library, *objects = sys.argv[1:]
    kinds = exported(nm, library)
    files = files_of(nm, objects, kinds)
    routines = declared(compiler, include)
    expected = {**dict.fromkeys(routines, "W"), **{"p" + name: "T" for name in routines}}
    found = {name: kind for name, kind in kinds.items() if not is_of_no_routine(name, kind)}
    complaints = [f"{name} is {found.get(name, 'missing')}, not {expected.get(name, 'exported')}"
                  for name in sorted({*expected, *found}) if found.get(name) != expected.get(name)]
    for name in sorted(routines):
        sources = files.get(name, [])
        if len(sources) != 1 or files.get("p" + name) != sources:
            complaints.append(f"{name} is defined in {sources}, p{name} in {files.get('p' + name)}")
    print("\n".join(complaints) or f"{len(routines)} routines")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
