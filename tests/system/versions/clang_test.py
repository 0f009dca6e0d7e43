#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Breaks when clang refuses or warns of a source file of the library, which gcc has compiled.

usage: clang_test.py SOURCES BUILD FOLDER...    the folders of SOURCES whose files clang reads

clang gets the commands of the build folder and checks only the language, which takes a tenth of a
build; `cmake --preset clang` builds with it.
"""

import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys


def arguments_for_clang(command):
    """The arguments of a compiler's command, without its precompiled header."""
    words = shlex.split(command)
    start = next(i for i, word in enumerate(words) if word.startswith("-"))
    kept = []
    for word in words[start:]:
        if kept and kept[-1] == "-include":
            kept.pop()
        elif word != "-Winvalid-pch":
            kept.append(word)
    return kept


def alone(entry):
    """RETURNS an entry for each source of a group, which cmake/QuickBuild.cmake makes."""
    group = entry["file"]
    if "/Unity/" not in group:
        return [entry]
    with open(group, encoding="utf-8") as file:
        sources = re.findall(r'^#include "(.*)"', file.read(), re.MULTILINE)
    return [{**entry, "file": source, "command": entry["command"].replace(group, source)}
            for source in sources]


def check(entry):
    """RETURNS what clang has to say about one entry of compile_commands.json."""
    program = "clang" if entry["file"].endswith(".c") else "clang++"
    done = subprocess.run([program, "-fsyntax-only", "-Werror",
                           *arguments_for_clang(entry["command"])], cwd=entry["directory"],
                          capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"{entry['file']}:\n{done.stderr[:4000]}\n"


def main():
    sources, build, folders = sys.argv[1], sys.argv[2], sys.argv[3:]
    commands = os.path.join(build, "compile_commands.json")
    if not shutil.which("clang++") or not os.path.exists(commands):
        print("skipped: no clang++, or no compile_commands.json in the build folder")
        sys.exit(77)
    with open(commands, encoding="utf-8") as file:
        entries = {entry["file"]: entry for group in json.load(file) for entry in alone(group)}
    inside = tuple(os.path.join(sources, folder) + os.sep for folder in folders)
    chosen = [entry for path, entry in sorted(entries.items()) if path.startswith(inside)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        complaints = [text for text in workers.map(check, chosen) if text]
    print("\n".join(complaints) or f"clang reads {len(chosen)} files")
    sys.exit(1 if complaints or len(chosen) < 50 else 0)


if __name__ == "__main__":
    main()
