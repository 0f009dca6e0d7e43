# SPDX-License-Identifier: BSD-3-Clause
"""Would break: the library lacks a name that shmemx.h declares or that a known library looks up,
has no profiling name for it, exports it in another way than programs and tools need, or exports
extensions that no header declares.

Usage: shmemx_symbols_test.py NM CC LIBRARY INCLUDE HEADER_TESTS HOST_LIBRARY_SYMBOLS.
HEADER_TESTS is the folder of the tests that read the headers.
"""
import os
import subprocess
import sys


def names_in(path):
    with open(path, encoding="utf-8") as file:
        lines = (line.split("\t")[0].strip() for line in file)
        return [line for line in lines if line and not line.startswith("#")]


def exported(nm, library):
    """name -> kind: T strong function, W weak function, R constant object."""
    text = subprocess.run([nm, "-D", "--defined-only", library], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    return {name.split("@")[0]: kind for _, kind, name in map(str.split, text.splitlines())}


def declared(compiler, include, header_tests):
    """The routines that <shmemx.h> declares, those that macros make too."""
    sys.path.insert(0, header_tests)
    import declarations
    text = subprocess.run([compiler, "-std=c99", "-I", include, "-E", "-x", "c", "-"], check=True,
                          text=True, input="#include <shmemx.h>\n", stdout=subprocess.PIPE).stdout
    found, _ = declarations.declared(text, os.path.realpath(include))
    return sorted(name for header, kind, name in found
                  if kind == "function" and declarations.is_of_extensions(header))


def main():
    nm, compiler, library, include, header_tests, host_file = sys.argv[1:]
    kinds = exported(nm, library)
    extensions = declared(compiler, include, header_tests)
    host = names_in(host_file)
    complaints = []

    def expect(name, kind, why):
        if kinds.get(name) != kind:
            complaints.append(f"{name} is '{kinds.get(name, 'missing')}', not '{kind}': {why}")

    for name in extensions:
        expect(name, "W", "a tool may replace it")
        expect("p" + name, "T", "a tool reaches the library by it")
    for name in host:
        is_object = name in ("SHMEM_TEAM_WORLD", "SHMEM_TEAM_SHARED", "SHMEMX_TEAM_NODE")
        expect(name, "R" if is_object else "W", "a library that loads this one needs it")
    for name in kinds:
        if name.startswith(("shmemx_", "pshmemx_")) and name[name.index("s"):] not in extensions:
            complaints.append(f"{name} is exported, but shmemx.h does not declare it")
    if len(set(host)) != 365 + 24:
        complaints.append(f"{len(set(host))} names in {host_file}, not 365 and 24")
    print("\n".join(complaints) or f"{len(extensions)} extensions, {len(host)} names looked up")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
