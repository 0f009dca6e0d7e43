#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Shows that the conformance programs notice every broken library of mutants.txt.

Makes a copy of the tree, builds it, and then for each mutant changes one line, builds the library
again and runs the programs until one fails; a hang ends by oshrun's --timeout and counts as
noticed. A mutant that no program notices has survived: a check is missing. Each takes about as
long as building a part of the library, 10 seconds and more, so ctest only runs --check. Mutants
that only some orders of steps show are for the simulation (tests/sim), which tries seeds.

    run.py                        all mutants; the copy lies in a temporary folder
    run.py --only 'swap|signal'   those whose name matches
    run.py --work /tmp/mutants    keeps the copy for the next time
    run.py --programs build       takes oshrun and the programs from this build of the same tree
    run.py --timeout 60           a program may take so many seconds: on a busy machine
    run.py --seeds 10000          the simulation tries so many seeds
    run.py --check                only: every mutant's line is in the tree, once
"""
import argparse
import glob
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
RUNS = tuple({"npes": npes, "SHMEM_BARRIER_ALGORITHM": barrier}
             for npes, barrier in ((3, "auto"), (8, "auto"), (5, "dissemination"), (5, "central")))
# Runs of programs outside of the chapters.
PROGRAM_RUNS = ({"npes": 3}, {"npes": 4, "SHMEM_VIRTUAL_NODES": "2"}, {"npes": 1}, {"npes": 8},
                {"npes": 4, "SHMEM_VIRTUAL_NODES": "2", "SHMEM_OFI_PROVIDER": "net"})
# Runs of coarray programs, and of those that call PRIF.
COARRAY_RUNS = ({"npes": 3}, {"npes": 5}, {"npes": 4, "SHMEM_VIRTUAL_NODES": "2"})
# Runs of caf.NAME@emulated: on memory that software keeps coherent.
EMULATED_RUNS = tuple({"npes": npes, "SHMEM_HEAP": "noncoherent-emulated"} for npes in (2, 3, 5))
TIMEOUT_SECONDS = 20
SEEDS = 10000


# The target and the file of a program by the first part of its word.
COARRAYS = {"caf": ("caf_{0}", "tests/behaviour/coarrays/{0}/{0}"),
            "prif": ("prif_programs", "tests/behaviour/prif/{0}")}


def is_coarray(word):
    """Whether a word of a line `run` is a program for coarrays: caf.locks, prif.prif_test."""
    return word.partition(".")[0] in COARRAYS


def of_coarray(word, which):
    """The target (0) or the file (1) of such a program."""
    kind, _, name = program_of(word).partition(".")
    return COARRAYS[kind][which].format(name)


def is_simulated(word):
    """Whether a word of a line `run` is a simulated program, such as sim.hello@4x2."""
    return word.startswith("sim.")


def is_program(word):
    """Whether a word of a line `run` is a program of its own; else it is a chapter."""
    return program_of(word).endswith("_test") or is_coarray(word) or is_simulated(word)


def program_of(word):
    """The program of a word like segments_bytes_test@64, which says how it is run."""
    return word.partition("@")[0]


def is_unit_test(name):
    """Whether a program contains the library instead of loading it, and so is built again.

    noncoherent.copies_test is the file copies_test.cpp in a folder noncoherent.
    """
    file = name.replace(".", "/") + ".cpp"
    return bool(glob.glob(os.path.join(ROOT, "tests/unit", "**", file), recursive=True))


def runs_of(word):
    """How a word of a line `run` is run: the numbers of PEs and the settings."""
    if is_unit_test(word):
        return ({"npes": 1},)
    npes = word.partition("@")[2]
    if is_coarray(word):
        return EMULATED_RUNS if npes == "emulated" else COARRAY_RUNS
    if npes:
        return ({"npes": int(npes)}, {"npes": int(npes), "SHMEM_VIRTUAL_NODES": "2"})
    return PROGRAM_RUNS if is_program(word) else RUNS


class Mutant:
    def __init__(self, name):
        self.name = name
        self.fields = {}
        self.changes = []  # (the `in` line's number or "", old text, new text)

    @property
    def libraries(self):
        """The targets that contain the file."""
        if not self.file.startswith("runtimes/"):
            return ["tessera"]
        libraries = [] if self.file.startswith("runtimes/prif/") else ["tessera_caf"]
        return libraries + ["tessera_prif"] * ("prif." in self.fields["run"])

    @property
    def chapters(self):
        """The chapters that use the library, and this file: they run on shared memory."""
        is_apart = self.file.startswith(("runtimes/", "transports/noncoherent/"))
        return () if is_apart or self.is_simulated else CHAPTERS

    @property
    def is_simulated(self):
        return any(map(is_simulated, self.fields["run"].split()))

    @property
    def file(self):
        return self.fields["in"].split(" #")[0]

    def apply(self, text):
        """The text of the file with this mutation. Raises ValueError when it does not fit."""
        for change in self.changes:
            text = self.apply_change(text, *change)
        return text

    def apply_change(self, text, number, old, new):
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
                fields = mutants[-1].fields
                fields[key.strip()] = text
                if key == "new":
                    number = fields["in"].partition(" #")[2]
                    mutants[-1].changes.append((number, fields["old"], text))
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

    def __init__(self, work, programs, timeout, seeds, mutants):
        words = [word for mutant in mutants for word in mutant.fields["run"].split()]
        self.simulated = sorted({program_of(word).removeprefix("sim.") for word in words
                                 if is_simulated(word)})
        self.seeds = str(seeds)
        self.own_programs = sorted({word for word in words
                                    if is_program(word) and not is_simulated(word)})
        self.targets = sorted({of_coarray(word, 0) if is_coarray(word) else program_of(word)
                               for word in self.own_programs})
        self.unit_tests = [name for name in self.targets if is_unit_test(name)]
        self.libraries = sorted({each for mutant in mutants if not mutant.is_simulated
                                 for each in mutant.libraries})
        self.chapters = CHAPTERS if any(mutant.chapters for mutant in mutants) else ()
        self.tree = os.path.join(work, "tree")
        self.build = os.path.join(work, "build")
        self.build_sim = os.path.join(work, "build-sim")
        self.programs = os.path.abspath(programs or self.build)
        self.timeout = str(timeout)

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
        if self.simulated:
            self.configure(self.build_sim, "-DTESSERA_SIM=ON")
            if not self.ninja(self.build_sim, "sim", *self.simulated):
                sys.exit("the simulation does not build")
        if not self.libraries:
            return
        self.configure(self.build, "-DTESSERA_BUILD_BENCH=OFF")
        targets = [*self.libraries, *self.unit_tests]
        if self.programs == self.build:
            targets += ["oshrun"] + [f"conformance_{chapter}" for chapter in self.chapters]
            targets += self.targets
        if not self.ninja(self.build, *targets):
            sys.exit("the copy does not build")

    def configure(self, build, *options):
        command = ["cmake", "-S", self.tree, "-B", build, "-G", "Ninja",
                   "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O0", *options]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)  # Most time is compiling.

    def ninja(self, build, *targets):
        result = subprocess.run(["ninja", "-C", build, *targets], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, check=False)
        if result.returncode != 0:
            print(result.stdout.decode()[-3000:])
        return result.returncode == 0

    def simulate(self, word):
        """How the simulated program fails, with the seed; None when it does not."""
        pes, _, nodes = word.partition("@")[2].partition("x")
        program = f"lib/sim_{program_of(word).removeprefix('sim.')}.so"
        result = subprocess.run(
            [os.path.join(self.build_sim, "bin/sim"), "run", "--pes", pes, "--nodes", nodes or "1",
             "--seeds", self.seeds, "--first", os.path.join(self.build_sim, program)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        failed = re.search(rb"sim: (seed .*)", result.stdout)
        return f"{word}: {failed[1].decode()}" if failed else None

    def first_failure(self, words):
        """Which program fails first, and how it was run; None when none does."""
        for word in words:
            if is_simulated(word):
                failure = self.simulate(word)
                if failure is not None:
                    return failure
                continue
            name = program_of(word) if is_program(word) else f"conformance_{word}"
            for run in runs_of(word):
                settings = {key: value for key, value in run.items() if key != "npes"}
                environment = dict(os.environ, SHMEM_SYMMETRIC_SIZE="64M",
                                   SHMEM_TEAM_MEMORY_SIZE="64M" if is_coarray(word) else "4M",
                                   LD_LIBRARY_PATH=os.path.join(self.build, "lib"), **settings)
                folder = self.build if name in self.unit_tests else self.programs
                program = os.path.join(folder, "bin", name)
                arguments = []
                if is_coarray(word):
                    program = os.path.join(self.programs, of_coarray(word, 1))
                    if word.startswith("prif.") and "@" in word:
                        arguments = [word.partition("@")[2]]
                command = [os.path.join(self.programs, "bin", "oshrun"), "-n", str(run["npes"]),
                           "--timeout", self.timeout, program, *arguments]
                result = subprocess.run(command, env=environment, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, check=False)
                is_silent = is_coarray(word) and b"passed" not in result.stdout
                if result.returncode != 0 or is_silent:
                    how = "hangs" if result.returncode == 124 else "fails"
                    with_settings = "".join(f", {key}={value}" for key, value in settings.items())
                    return f"{word} {how} with {run['npes']} PEs{with_settings}"
        return None

    def try_mutant(self, mutant):
        """The test that noticed it, or None. A mutant that does not build ends the run."""
        path = os.path.join(self.tree, mutant.file)
        before = read(path)
        write(path, mutant.apply(before))
        try:
            wanted = mutant.fields["run"].split()
            if mutant.is_simulated:
                is_built = self.ninja(self.build_sim, *self.simulated)
            else:
                is_built = self.ninja(self.build, *mutant.libraries,
                                      *filter(is_unit_test, wanted))
            if not is_built:
                sys.exit(f"{mutant.name}: does not build")
            others = [chapter for chapter in mutant.chapters if chapter not in wanted]
            return self.first_failure(wanted + others)
        finally:
            write(path, before)


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


def run(mutants, work, options):
    copy = Copy(work, options.programs, options.timeout, options.seeds, mutants)
    copy.make()
    failure = copy.first_failure([*copy.chapters, *copy.own_programs])
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
    parser.add_argument("--timeout", type=int, default=TIMEOUT_SECONDS,
                        help="seconds that a program may take")
    parser.add_argument("--seeds", type=int, default=SEEDS,
                        help="seeds that the simulation tries for a mutant")
    parser.add_argument("--check", action="store_true", help="do not build anything")
    options = parser.parse_args()
    mutants = read_mutants(os.path.join(os.path.dirname(os.path.abspath(__file__)), "mutants.txt"))
    mutants = [mutant for mutant in mutants if re.search(options.only, mutant.name)]
    misfits = check(mutants)
    if misfits or options.check:
        print(f"{len(mutants)} mutants, {misfits} do not fit the tree")
        return 1 if misfits or not mutants else 0
    if options.work:
        return 1 if run(mutants, options.work, options) else 0
    with tempfile.TemporaryDirectory(prefix="tessera-mutants-") as work:
        return 1 if run(mutants, work, options) else 0


if __name__ == "__main__":
    sys.exit(main())
