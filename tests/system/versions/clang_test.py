#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Breaks when clang refuses or warns of a source file of the library, which gcc has compiled.

usage: clang_test.py BUILD FOLDER...    folders of the sources, of which clang reads all files

clang gets the commands of the build folder, for a file or for a group (cmake/QuickBuild.cmake), and
checks only the language, which takes a tenth of a build; `cmake --preset clang` builds with it.
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


def folder_of(entry):
    """RETURNS the folder of an entry's sources, below those of the project: that of its object."""
    return re.search(r" -o (\S+)/CMakeFiles/", entry["command"]).group(1)


def check(entry):
    """RETURNS what clang has to say about one entry of compile_commands.json."""
    program = "clang" if entry["file"].endswith(".c") else "clang++"
    # The sources of a group may give one name to several things.
    done = subprocess.run([program, *arguments_for_clang(entry["command"]), "-fsyntax-only",
                           "-Werror", "-Wno-shadow"], cwd=entry["directory"],
                          capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"{entry['file']}:\n{done.stderr[:4000]}\n"


def main():
    build, folders = sys.argv[1], sys.argv[2:]
    commands = os.path.join(build, "compile_commands.json")
    if not shutil.which("clang++") or not os.path.exists(commands):
        print("skipped: no clang++, or no compile_commands.json in the build folder")
        sys.exit(77)
    with open(commands, encoding="utf-8") as file:
        entries = {entry["file"]: entry for entry in json.load(file)}
    chosen = {folder: [entry for entry in entries.values()
                       if f"{folder_of(entry)}/".startswith(f"{folder}/")] for folder in folders}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        texts = workers.map(check, sum(chosen.values(), []))
        complaints = [text for text in texts if text]
    complaints += [f"no commands for {folder}" for folder, those in chosen.items() if not those]
    print("\n".join(complaints) or "clang reads " +
          ", ".join(f"{len(those)} of {folder}" for folder, those in chosen.items()))
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
