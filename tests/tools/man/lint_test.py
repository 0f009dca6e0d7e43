#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Breaks when groff has a complaint about a manual page, or when `man` does not find a routine by
its name.

Skipped (77) where there is no groff. Where there is mandoc, its complaints count as well.
usage: lint_test.py PAGES DOCS    the folder with man3 and man7; the folder of the other pages
"""

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

SKIPPED = 77
COMMANDS = [["groff", "-mdoc", "-Tutf8", "-ww", "-z"], ["mandoc", "-T", "lint", "-W", "warning"]]


def complaints(path):
    text = ""
    for command in COMMANDS:
        if shutil.which(command[0]):
            done = subprocess.run([*command, path], capture_output=True, text=True, check=False)
            text += done.stderr + done.stdout
            if done.returncode:
                text += f"{path}: {command[0]} ended with {done.returncode}\n"
    return text


def own_pages(folder):
    """The pages below folder that are no links."""
    for parent, _, names in os.walk(folder):
        for name in sorted(names):
            path = os.path.join(parent, name)
            if name[-2:] not in (".1", ".3", ".7"):
                continue
            with open(path, encoding="utf-8") as file:
                if not file.read(4).startswith(".so"):
                    yield path


def groff_finds_mistakes():
    """The test could not fail otherwise."""
    with tempfile.NamedTemporaryFile("w", suffix=".3") as page:
        page.write(".Dd November 20, 2026\n.Dt A 3\n.Os\n.Sh NAME\n.Nm a\n.Nd b\n.Unknown c\n")
        page.flush()
        return complaints(page.name) != ""


def main():
    pages, docs = (os.path.abspath(path) for path in sys.argv[1:3])
    if shutil.which("groff") is None:
        print("skipped: no groff (Debian: apt-get install groff-base)")
        return SKIPPED
    if not groff_finds_mistakes():
        print("FAILED: groff accepts an unknown macro")
        return 1
    paths = [*own_pages(pages), *own_pages(docs)]
    with ThreadPoolExecutor(2) as pool:
        found = [text for text in pool.map(complaints, paths) if text]
    for text in found:
        print("FAILED:", text, end="")
    print(f"{len(paths)} pages, {len(found)} with complaints")

    # With "man" itself. A system may have replaced it by a message, so it must know its own page.
    environment = {**os.environ, "MANPATH": pages, "MANPAGER": "cat", "LC_ALL": "C"}
    if shutil.which("manpath") is None:
        print("no man-db: not looked up with man")
        return 1 if found else 0
    for name, word in (("shmem_int_put", "shmem_TYPENAME_put("), ("SHMEM_CMP_EQ", "shmem_test"),
                       ("shmem_ctx_uint64_atomic_fetch_xor_nbi", "shmem_atomic_fetch_xor_nbi"),
                       ("tessera", "oshrun")):
        done = subprocess.run(["man", name], capture_output=True, text=True, check=False,
                              env=environment)
        if done.returncode != 0 or word not in done.stdout:
            found.append(name)
            print(f"FAILED: man {name} does not show '{word}': {done.stderr}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
