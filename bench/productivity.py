#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts the lines of the heat conduction in DART, flat MPI and locality-aware MPI (Zhou and Gracia
2017, section 7), without blank lines and comments: those of the halo's memory and gets, which each
version has of its own, and those of the whole program with the headers of bench/ it includes."""
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VERSIONS = {"DART": "heat3d_gets", "flat MPI": "heat3d_mpi",
            "locality-aware MPI": "heat3d_shared_mpi"}


def code(path):
    """The file's lines that are neither blank nor a comment. The programs have only // comments."""
    with open(path, encoding="utf-8") as file:
        return [line for line in file if line.strip() and not line.lstrip().startswith("//")]


def program(path, seen):
    """All lines of the program, each header once."""
    seen.add(path)
    lines = code(path)
    for header in re.findall(r'#include "(bench/.+)"', "".join(lines)):
        if os.path.join(ROOT, header) not in seen:
            lines += program(os.path.join(ROOT, header), seen)
    return lines


def main():
    print("| version | halo: memory and gets | whole program |\n| --- | --- | --- |")
    for version, name in VERSIONS.items():
        path = os.path.join(ROOT, "bench", "dart", name + ".c")
        text = "".join(line for line in code(path) if not line.startswith("#"))
        halo = text[:text.index("int main(")]
        print(f"| {version} | {halo.count(chr(10))} | {len(program(path, set()))} |")


if __name__ == "__main__":
    main()
