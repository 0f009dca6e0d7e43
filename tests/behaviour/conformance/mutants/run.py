#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Shows that the conformance programs notice every broken library of mutants.txt.

Makes a copy of the tree, builds it, and then for each mutant changes one line, builds the library
again and runs the programs until one fails; a hang ends by oshrun's --timeout and counts as
noticed. A mutant that no program notices has survived: a check is missing. Each takes about as
long as building a part of the library, 10 seconds and more, so ctest only runs --check.

    run.py                        all mutants; the copy lies in a temporary folder
    run.py --only 'swap|signal'   those whose name matches
    run.py --work /tmp/mutants    keeps the copy for the next time
    run.py --programs build       takes oshrun and the programs from this build of the same tree
    run.py --check                only: every mutant's line is in the tree, once
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../.."))
CHAPTERS = ("rma", "atomics", "signals", "waits", "barriers", "moves", "reductions", "teams",
            "contexts", "memory", "setup")
# The automatic choice of a barrier depends on the cores there are: run with both.
RUNS = ((3, "auto"), (8, "auto"), (5, "dissemination"), (5, "central"))
TIMEOUT = "20"


class Mutant:
    def __init__(self, name):
        self.name = name
        self.fields = {}

    @property
    def file(self):
        return self.fields["in"].split(" #")[0]

    def apply(self, text):
        """The text of the file with this mutation. Raises ValueError when it does not fit."""
        old, new = self.fields["old"], self.fields["new"]
        _, _, number = self.fields["in"].partition(" #")
        count = text.count(old)
        if count == 0 or (not number and count > 1) or (number and count < int(number)):
            raise ValueError(f"{self.name}: stands {count} times in {self.file}: {old}")
        start = -1
        for _ in range(int(number or 1)):
            start = text.index(old, start + 1)
        return text[:start] + new + text[start + len(old):]


def read_mutants(path):
    mutants = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            key, text = line[:3], line[5:]
            if not line or line.startswith(("#", "----")):
                continue
            if key.strip() in ("in", "old", "new", "run") and line[3:5] == "  " or key == "in ":
                mutants[-1].fields[key.strip()] = text
            else:
                mutants.append(Mutant(line))
    return mutants


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def check(mutants):
    """Every mutant fits the tree."""
    failed = 0
    for mutant in mutants:
        try:
            mutant.apply(read(os.path.join(ROOT, mutant.file)))
        except (ValueError, OSError) as error:
            print(f"mutants.txt: {error}")
            failed += 1
    return failed


class Copy:
    """A copy of the tree and its build."""

    def __init__(self, work, programs):
        self.tree = os.path.join(work, "tree")
        self.build = os.path.join(work, "build")
        self.programs = os.path.abspath(programs or self.build)

    def make(self):
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "-co", "--exclude-standard"],
                                stdout=subprocess.PIPE, check=True).stdout.decode()
        for name in filter(None, listed.split("\0")):
            source, target = os.path.join(ROOT, name), os.path.join(self.tree, name)
            if not os.path.isfile(source):
                continue
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if not os.path.exists(target) or read_bytes(source) != read_bytes(target):
                shutil.copy(source, target)
        command = ["cmake", "-S", self.tree, "-B", self.build, "-G", "Ninja",
                   "-DCMAKE_BUILD_TYPE=Release", "-DTESSERA_BUILD_BENCH=OFF",
                   "-DCMAKE_CXX_FLAGS_RELEASE=-O0"]  # Compiling takes most of the time.
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        targets = ["tessera"]
        if self.programs == self.build:
            targets += ["oshrun"] + [f"conformance_{chapter}" for chapter in CHAPTERS]
        if not self.ninja(*targets):
            sys.exit("the copy does not build")

    def ninja(self, *targets):
        result = subprocess.run(["ninja", "-C", self.build, *targets], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, check=False)
        if result.returncode != 0:
            print(result.stdout.decode()[-3000:])
        return result.returncode == 0

    def first_failure(self, chapters):
        """Which program fails first, with how many PEs; None when none does."""
        for chapter in chapters:
            for npes, barrier in RUNS:
                environment = dict(os.environ, SHMEM_SYMMETRIC_SIZE="64M",
                                   SHMEM_BARRIER_ALGORITHM=barrier,
                                   LD_LIBRARY_PATH=os.path.join(self.build, "lib"))
                program = os.path.join(self.programs, "bin", f"conformance_{chapter}")
                command = [os.path.join(self.programs, "bin", "oshrun"), "-n", str(npes),
                           "--timeout", TIMEOUT, program]
                result = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, check=False)
                if result.returncode != 0:
                    how = "hangs" if result.returncode == 124 else "fails"
                    return f"{chapter} {how} with {npes} PEs, barrier {barrier}"
        return None

    def try_mutant(self, mutant):
        """The test that noticed it, or None."""
        path = os.path.join(self.tree, mutant.file)
        before = read(path)
        write(path, mutant.apply(before))
        try:
            if not self.ninja("tessera"):
                return None
            wanted = mutant.fields["run"].split()
            others = [chapter for chapter in CHAPTERS if chapter not in wanted]
            return self.first_failure(wanted + others)
        finally:
            write(path, before)


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


def run(mutants, work, programs):
    copy = Copy(work, programs)
    copy.make()
    failure = copy.first_failure(CHAPTERS)
    if failure is not None:
        sys.exit(f"without any mutation: {failure}")
    survivors = []
    for mutant in mutants:
        start = time.monotonic()
        noticed = copy.try_mutant(mutant)
        seconds = time.monotonic() - start
        print(f"{'SURVIVED' if noticed is None else 'detected'}  {mutant.name}: "
              f"{noticed or 'no program failed'} ({seconds:.0f} s)", flush=True)
        if noticed is None:
            survivors.append(mutant.name)
    print(f"{len(mutants)} mutants, {len(mutants) - len(survivors)} detected, "
          f"{len(survivors)} survived")
    return len(survivors)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="a regular expression for names")
    parser.add_argument("--work", help="folder for the copy and its build")
    parser.add_argument("--programs", help="a build of this tree, for oshrun and the programs")
    parser.add_argument("--check", action="store_true", help="do not build anything")
    options = parser.parse_args()
    mutants = read_mutants(os.path.join(os.path.dirname(os.path.abspath(__file__)), "mutants.txt"))
    mutants = [mutant for mutant in mutants if re.search(options.only, mutant.name)]
    misfits = check(mutants)
    if misfits or options.check:
        print(f"{len(mutants)} mutants, {misfits} do not fit the tree")
        return 1 if misfits or not mutants else 0
    if options.work:
        return 1 if run(mutants, options.work, options.programs) else 0
    with tempfile.TemporaryDirectory(prefix="tessera-mutants-") as work:
        return 1 if run(mutants, work, options.programs) else 0


if __name__ == "__main__":
    sys.exit(main())
