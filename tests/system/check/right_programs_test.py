# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a report of oshrun --check about a right program.

Runs the programs that the tests of this build start with oshrun, as those tests do (those of DART
and of coarrays among them), and the benchmarks, the examples and the coarray examples, which it
compiles. exceptions.py has the few that differ; each program of the build that is linked with the
library, and each example, is run or listed there.
Usage: right_programs_test.py [--all] [--only REGEX] CTEST BUILD_FOLDER SOURCE_FOLDER

Without --all and --only: a sixteenth of them, chosen by name: a new test moves no other.
"""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import zlib

import exceptions

Run = collections.namedtuple("Run", "name pes command environment")
SECONDS = 240
LAYOUT = re.compile(r"(\d+)(?:x(\d+))?$")


def nodes_of(environment):
    return int(environment.get("SHMEM_VIRTUAL_NODES", 1))


def label(program, pes, environment):
    return f"{' '.join([os.path.basename(program[0]), *program[1:]])} {pes}x{nodes_of(environment)}"


def run_of(program, pes, environment):
    return Run(label(program, pes, environment), pes, program, environment)


def environment_of(test):
    """ctest gives a list; a value with a semicolon, as of a provider, is in two items."""
    environment = {}
    for item in (item for value in test["properties"] if value["name"] == "ENVIRONMENT"
                 for item in value["value"]):
        name, is_pair, value = item.partition("=")
        if is_pair:
            last = name
            environment[name] = value
        else:
            environment[last] += ";" + name
    return environment


def oshrun_runs(test):
    """oshrun -n N ... PROGRAM"""
    command = test["command"]
    first = next(i for i, word in enumerate(command) if i > 0 and word.startswith("/"))
    yield run_of(command[first:], int(command[command.index("-n") + 1]), environment_of(test))


def coarray_runs(test):
    """support/coarray_runs.py ... --status 0 ... --layouts 2 3x3 -- PROGRAM"""
    words = test["command"]
    if "--status" in words and words[words.index("--status") + 1:][:2] != ["0", "--output"]:
        return
    if "--compile" in words:  # Another level of optimisation of a program that is there.
        return
    for layout in words[words.index("--layouts") + 1:words.index("--")]:
        pes, nodes = LAYOUT.match(layout).groups()
        environment = {"SHMEM_SYMMETRIC_SIZE": "64M"}
        if nodes:
            environment |= {"SHMEM_VIRTUAL_NODES": nodes, "SHMEM_OFI_PROVIDER": "tcp;ofi_rxm"}
        yield run_of(words[words.index("--") + 1:], int(pes), environment)


def logs(build):
    """The files in which the ctest that runs this test writes what it sees."""
    return {path: os.stat(path).st_ino for path in glob.glob(f"{build}/Testing/Temporary/*.log*")}


def test_runs(ctest, build):
    """For each program and its arguments, runs with 2 PEs, with 4, and on several nodes, or the
    nearest of its tests."""
    before = logs(build)
    with tempfile.TemporaryDirectory() as folder:  # ctest writes a new log where it is started.
        with open(f"{folder}/CTestTestfile.cmake", "w", encoding="utf-8") as file:
            file.write(f"subdirs([[{build}]])\n")
        listed = subprocess.run([ctest, "--show-only=json-v1"], cwd=folder, check=True,
                                stdout=subprocess.PIPE).stdout
    if logs(build) != before:
        sys.exit(f"{ctest} has replaced logs: {before} became {logs(build)}")
    programs = collections.defaultdict(list)
    for test in json.loads(listed)["tests"]:
        command = test.get("command", [""])
        runs = ()
        if os.path.basename(command[0]) == "oshrun":
            runs = oshrun_runs(test)
        elif len(command) > 1 and command[1].endswith("coarray_runs.py"):
            runs = coarray_runs(test)
        for run in runs:
            programs[tuple(run.command)].append(run)
    for runs in programs.values():
        on_a_node = [run for run in runs if nodes_of(run.environment) == 1]
        on_nodes = [run for run in runs if nodes_of(run.environment) > 1 and run.pes <= 5]
        chosen = [min(on_a_node, key=lambda run, pes=pes: abs(run.pes - pes), default=None)
                  for pes in (2, 4)] + on_nodes[:1]
        yield from {run.name: run for run in chosen if run}.values()


def bench_runs(build):
    for path in sorted(glob.glob(f"{build}/bin/bench_*")):
        for pes in (2, 4):
            yield run_of([path, "--tiny"], pes, {"SHMEM_SYMMETRIC_SIZE": "256M"})
    for path in glob.glob(f"{build}/bin/local_memory"):
        yield run_of([path, "--tiny"], 2, {})
    for path in glob.glob(f"{build}/tests/system/launch/heat1d.openmpi"):
        yield run_of([path, "shmem-first"], 3, {})


def programs_of(build):
    """The names of the programs that the build links with the library, or with one of the runtimes.
    Tests compile others in its folders meanwhile.
    """
    with open(f"{build}/build.ninja", encoding="utf-8") as file:
        outputs = {name for line in file if line.startswith("build ")
                   for name in line[len("build "):].partition(": ")[0].split()}
    for name in outputs:
        path = os.path.join(build, name)
        if ".so" in name or not os.path.isfile(path) or os.path.islink(path) or \
                not os.access(path, os.X_OK):
            continue
        with open(path, "rb") as file:
            is_program = file.read(4) == b"\x7fELF"
        if is_program and re.search(rb"NEEDED.*lib(tessera|dart-tessera|caf_tessera)[.]so",
                                    subprocess.run(["readelf", "-d", path], check=True,
                                                   stdout=subprocess.PIPE).stdout):
            yield os.path.basename(name)


def is_matched(name, patterns):
    return any(re.fullmatch(pattern, name) for pattern in patterns)


def complaints_about_lists(runs, build, source):
    """Programs and examples that are neither run nor listed."""
    started = {os.path.basename(run.command[0]) for run in runs}
    started |= {os.path.basename(path).rpartition(".")[0] for path in compiled_sources(source)}
    for name in sorted(set(programs_of(build)) - started):
        if not is_matched(name, exceptions.NOT_STARTED):
            yield f"{name}: neither run nor in NOT_STARTED"
    for folder, _, names in os.walk(f"{source}/examples"):
        for name in names:
            path = os.path.join(folder, name)
            if not re.search(r"[.](c|cpp|f90|py)$", name) or path in compiled_sources(source):
                continue
            if not is_matched(os.path.relpath(path, f"{source}/examples"),
                              exceptions.NOT_COMPILED):
                yield f"{path}: neither compiled nor in NOT_COMPILED"


# Sources, their compiler, its options.
COMPILED = (("examples/*.c", "oshcc", ["-lm"]), ("examples/chapters/*.c", "oshcc", ["-lm"]),
            ("examples/fortran/*.f90", "oshfort", []), ("examples/coarrays/*.f90", "caf", []),
            ("examples/coarrays/with_fpm/app/*.f90", "caf", []),
            ("bench/coarrays/*.f90", "caf", []))


def compiled_sources(source):
    return {path for pattern, _, _ in COMPILED for path in glob.glob(f"{source}/{pattern}")}


def compiled_runs(build, source, folder):
    """The examples and coarray benchmarks, compiled into `folder`."""
    for pattern, compiler, flags in COMPILED:
        for path in sorted(glob.glob(f"{source}/{pattern}")):
            program = f"{folder}/{os.path.basename(path)}.run"
            done = subprocess.run([f"{build}/bin/{compiler}", "-O1", path, "-o", program, *flags],
                                  cwd=folder, stderr=subprocess.PIPE, text=True, check=False)
            if done.returncode != 0:
                print(f"not compiled: {path}\n{done.stderr[:500]}")
                continue
            arguments = ["--tiny"] if "/bench/" in path else []
            if path.endswith("wordcount.c"):
                arguments = [path]  # a text
            for pes in (2, 4):
                yield run_of([program, *arguments], pes, {"SHMEM_SYMMETRIC_SIZE": "64M"})


def is_in_sample(name):
    """The same in each build: without folders."""
    return zlib.crc32(re.sub(r"\S*/", "", name).encode()) % 16 == 0


def is_listed(run, patterns):
    return any(re.search(pattern, run.name) for pattern in patterns)


def complaint_about(run, build):
    """The reports about one run, or how it failed; None when it is well."""
    environment = {**os.environ, **run.environment, "SHMEM_CHECK": "warn"}
    command = [f"{build}/bin/oshrun", "-n", str(run.pes), "--check", "--timeout", str(SECONDS),
               *run.command]
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, errors="replace",
                          check=False)
    reports = re.findall(r"^\[pe \d+\] check: (?!note: ).*(?:\n    .*)*", done.stderr, flags=re.M)
    if is_listed(run, exceptions.REPORTED):
        reports = []
    if reports:
        return f"{run.name}: {len(reports)} reports\n" + "\n".join(reports[:3])
    if done.returncode != 0:
        return f"{run.name}: exit code {done.returncode}\n{done.stderr[-1500:]}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("ctest")
    parser.add_argument("build")
    parser.add_argument("source")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="right-programs-") as folder:
        runs = [*test_runs(options.ctest, options.build), *bench_runs(options.build)]
        unlisted = list(complaints_about_lists(runs, options.build, options.source))
        print("\n".join(unlisted))
        if options.all:
            runs += compiled_runs(options.build, options.source, folder)
        runs = {run.name: run for run in runs if re.search(options.only, run.name)
                and not is_listed(run, exceptions.NOT_RUN)}
        takes_all = options.all or options.only
        chosen = [runs[name] for name in sorted(runs) if takes_all or is_in_sample(name)]
        complaints = len(unlisted)
        with concurrent.futures.ThreadPoolExecutor(2) as executor:
            for complaint in executor.map(lambda run: complaint_about(run, options.build), chosen):
                if complaint:
                    complaints += 1
                    print(complaint, flush=True)
    print(f"{len(chosen)} runs, {complaints} with complaints")
    sys.exit(1 if complaints or not chosen else 0)


if __name__ == "__main__":
    main()
