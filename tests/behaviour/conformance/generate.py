#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the header that lists every routine of OpenSHMEM 1.6 from spec_table.txt.

For each list of the table a macro EACH_list(X) that calls X(ID, NAME, TYPE, CTX) for each routine
and for its pshmem_ form; CTX is the macro WITH_CTX or WITHOUT_CTX. EACH_name(X) calls X(NAME,
CHAPTER) for all of them, in the order of their IDs; ID_name is the ID of one. For each type table a
macro TYPES_table(X) that calls X(TYPENAME, TYPE). Stops when the table does not stand for exactly
the names of the other list, or when no test program takes one of its chapters.
"""
import argparse
import re
import sys

EXPECTED = 1788


class Table:
    def __init__(self):
        self.types = {}
        self.sets = {}
        self.rows = []  # (chapter, list, name, type, has context)

    def read(self, path):
        chapter = None
        with open(path, encoding="utf-8") as file:
            for line in file:
                words = line.split("#")[0].split()
                if not words:
                    continue
                if words[0] == "type":
                    self.types[words[1]] = " ".join(words[2:])
                elif words[0] == "set":
                    self.sets.setdefault(words[1], []).extend(words[2:])
                elif words[0] == "chapter":
                    chapter = words[1]
                else:
                    self._expand(chapter, line, *words)

    def _expand(self, chapter, line, group, pattern, types, count, ctx=None):
        found = 0
        for name in self.sets.get(types, [types]):
            routine = re.sub("TYPENAME|SIZE", name, pattern)
            c_type = self.types.get(name, name) if name != "-" else "void"
            self.rows.append((chapter, group, routine, c_type, False))
            found += 1
            if ctx == "ctx":
                with_ctx = routine.replace("shmem_", "shmem_ctx_", 1)
                self.rows.append((chapter, group, with_ctx, c_type, True))
                found += 1
        if count != f"[{found}]":
            sys.exit(f"spec_table.txt: {found} names, not {count}: {line.strip()}")


def check(table, names_path, chapters):
    names = [row[2] for row in table.rows]
    with open(names_path, encoding="utf-8") as file:
        listed = {line.split("\t")[0] for line in file if line[0] != "#"}
    if len(names) != EXPECTED or set(names) != listed or len(set(names)) != len(names):
        different = sorted(set(names) ^ listed)
        sys.exit(f"spec_table.txt: {len(names)} names; not in both lists: {different}")
    left = {row[0] for row in table.rows} ^ set(chapters) if chapters else set()
    if left:
        sys.exit(f"chapters without a test program, or programs without a chapter: {sorted(left)}")


def write(table, path):
    entries = []  # (chapter, list, name, type, has context), with the pshmem_ names
    for chapter, group, name, c_type, has_ctx in table.rows:
        entries.append((chapter, group, name, c_type, has_ctx))
        entries.append((chapter, group, "p" + name, c_type, has_ctx))
    lines = ["// Made by tests/behaviour/conformance/generate.py from spec_table.txt.",
             "#pragma once", ""]
    lines.append("enum RoutineId {")
    lines += [f"    ID_{entry[2]}," for entry in entries]
    lines += ["};", ""]
    groups = {}
    for number, (_, group, name, c_type, has_ctx) in enumerate(entries):
        ctx = "WITH_CTX" if has_ctx else "WITHOUT_CTX"
        groups.setdefault(group, []).append(f"X({number}, {name}, {c_type}, {ctx})")
    for group, calls in groups.items():
        lines.append(f"#define EACH_{group}(X) \\")
        lines += [f"    {call} \\" for call in calls] + [""]
    lines.append("#define EACH_name(X) \\")
    lines += [f'    X({name}, "{chapter}") \\' for chapter, _, name, _, _ in entries] + [""]
    for name, members in table.sets.items():
        lines.append(f"#define TYPES_{name}(X) \\")
        lines += [f"    X({it}, {table.types.get(it, it)}) \\" for it in members] + [""]
    lines.append("")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", required=True)
    parser.add_argument("--names", required=True, help="the other list: name, tab, anything")
    parser.add_argument("--chapters", nargs="+", help="those with a test program")
    parser.add_argument("--output", required=True)
    options = parser.parse_args()
    table = Table()
    table.read(options.table)
    check(table, options.names, options.chapters)
    write(table, options.output)


if __name__ == "__main__":
    main()
