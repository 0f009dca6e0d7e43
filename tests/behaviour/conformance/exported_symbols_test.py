# SPDX-License-Identifier: BSD-3-Clause
"""Would break: the library exports a name that neither exported_symbols.txt lists nor its source
spells out, lacks a listed one, exports a routine without its profiling twin or version, or in
another way than tools need, or defines one in another file than the list says.

The list exists so that a search for any routine's name finds the file that defines it: it has the
names that macros make. Beside routines, objects and REPLACED nothing may be exported.

Usage: exported_symbols_test.py [--write] NM LIBRARY LIST OBJECT...    --write makes the list anew.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
OBJECT_FILE = re.compile(r".*/((?:src|transports|collectives)(?:/[\w.]+)*)/CMakeFiles/[\w.]+\.dir/"
                         r"([\w./]+)\.o$")


# Of the C library, replaced by src/heap/static_stack.cpp.
REPLACED = {"fork", "pthread_create"}


def run_nm(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def exported(nm, library):
    """name -> kind: T strong function, W weak function, R constant object, - without a version of
    ours. The versions themselves (kind A) are left out.
    """
    lines = run_nm(nm, "-D", "--defined-only", library).splitlines()
    return {name.split("@")[0]: kind if re.search(r"@@TESSERA_\d+\.\d+$", name) else "-"
            for _, kind, name in map(str.split, lines) if kind != "A"}


def files_of(nm, objects, names):
    """name -> the source files that define it."""
    files = {}
    for path in objects:
        if path.endswith(".gch"):  # CMake counts precompiled headers as objects.
            continue
        match = OBJECT_FILE.match(os.path.normpath(path))
        source = "/".join(match.groups()) if match else path
        for line in run_nm(nm, "--defined-only", "--extern-only", path).splitlines():
            name = line.split()[-1]
            if name in names:
                files.setdefault(name, []).append(source)
    return files


def listed_names(kinds, complaints):
    """The names as the list has them: routines once, others with an = before."""
    names = []
    for name, kind in kinds.items():
        if name in REPLACED:
            continue
        if kind == "R" or (kind == "T" and name.startswith("shmem_internal_")):
            names.append("=" + name)
        elif kind == "W":
            names.append(name)
            if kinds.get("p" + name) != "T":
                complaints.append(f"p{name} is '{kinds.get('p' + name, 'missing')}', not 'T'")
        elif kind != "T" or kinds.get(name[1:]) != "W" or name[0] != "p":
            complaints.append(f"{name} is exported as '{kind}', and is no twin of a weak name")
    return sorted(names)


def is_spelled_out(name, source):
    """Whether a search for the name finds it in the file that defines it."""
    with open(os.path.join(ROOT, source), encoding="utf-8") as file:
        return re.search(rf"\b{name}\b", file.read()) is not None


def read_list(path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    heading = [line for line in lines if line.startswith("#")]
    return heading, [line for line in lines if line and not line.startswith("#")]


def main():
    is_write = sys.argv[1] == "--write"
    nm, library, path, *objects = sys.argv[1 + is_write:]
    complaints = []
    kinds = exported(nm, library)
    files = files_of(nm, objects, kinds)
    heading, expected = read_list(path)
    found = []
    for name in listed_names(kinds, complaints):
        sources = files.get(name.lstrip("="), [])
        if len(sources) != 1 or not is_spelled_out(name.lstrip("="), sources[0]):
            found.append(f"{name}\t{' '.join(sources)}")
        if len(sources) != 1:
            complaints.append(f"{name} is defined in {len(sources)} files: {' '.join(sources)}")
        elif name[0] != "=" and files.get("p" + name) != sources:
            complaints.append(f"p{name} is not defined in {sources[0]}, where {name} is")
    if is_write:
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join([*heading, *found]) + "\n")
    else:
        complaints += [f"not in the list: {line}" for line in found if line not in set(expected)]
        complaints += [f"not in the library: {line}" for line in expected
                       if line not in set(found)]
        if expected != sorted(expected):
            complaints.append("the list is not in order")
    print("\n".join(complaints) or f"{len(found)} names")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
