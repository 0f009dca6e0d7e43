#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the protocols of protocols.toml: by GenMC those of shared words, by Spin the others.

A harness must be right in all executions, and each mutant, an exact change of a text, must fail in
one of them. The programs are no part of the repository; where one is missing the test is skipped.

    check.py genmc                    all harnesses; TESSERA_GENMC names the program genmc 0.10
    check.py genmc --only 'gate|ring' those whose name matches
    check.py genmc --no-mutants       only the harnesses
    check.py genmc --keep FOLDER      leaves the inputs of the checker there
    check.py spin                     all models of spin/
    check.py fits                     only: the texts of mutants are in the tree, once, and those
                                      that models stand for
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "../.."))
SKIPPED = 77
# A mutant that is not found within this time has survived.
TIMEOUT_SECONDS = 600
# -O1 without its passes: these would move loads of plain memory in front of branches. The inliner,
# sroa and sccp make registers of local objects, of which the checker would track each byte.
COMPILE = ("clang++-14 -std=c++20 -O1 -Xclang -disable-llvm-passes "
           "-Xclang -mno-constructor-aliases -fno-exceptions -fno-rtti -gline-tables-only "
           "-DTESSERA_GENMC -w -emit-llvm -c").split()
OPTIMIZE = ("opt-14 -enable-new-pm=0 -internalize "
            "-internalize-public-api-list=main,copy_by_words,zero_words -globaldce "
            "-inline-threshold=100000 -always-inline -inline -sroa -inline -sroa -sccp -adce "
            "-globaldce -S").split()
CHECK = ("--disable-ipr --disable-estimation --disable-mm-detector "
         "--input-from-bitcode-file").split()
# No constructor runs, and static data that such a list names would read as garbage. The checker
# does not know the pause and the prefetch.
DROPPED_LINES = re.compile(r"@llvm\.(global_ctors|global_dtors|compiler\.used|used)\b|module asm|"
                           r"declare void @llvm\.x86\.sse2\.pause|"
                           r"\s+(tail )?call void @llvm\.x86\.sse2\.pause|"
                           r"\s+(tail )?call void asm sideeffect \"prefetchw")

# The checker knows copies of constant size and known type alone; a shadow makes the others: by
# words, where a protocol says that all of it is words.
COPY_OF_ANY_SIZE = re.compile(r"call void @llvm\.memcpy\.p0i8\.p0i8\.i64\("
                              r"(i8\* [^,]*, i8\* [^,]*, i64 (?:%[^,]*|4|8)), i1 false\)")
COPY_OF_WORDS = re.compile(r"call void @llvm\.mem(?:cpy|move)\.p0i8\.p0i8\.i64\("
                           r"(i8\* [^,]*, i8\* [^,]*, i64 [^,]*), i1 false\)")
ZEROS_OF_WORDS = re.compile(r"call void @llvm\.memset\.p0i8\.i64\("
                            r"(i8\* [^,]*), i8 0, (i64 [^,]*), i1 false\)")


class Failure(Exception):
    """Something other than an error that the checker looks for."""


def read_table():
    """RETURNS: the table, in which each protocol has all of its settings."""
    with open(os.path.join(HERE, "protocols.toml"), "rb") as file:
        table = tomllib.load(file)
    for protocol in table["protocol"]:
        own = protocol.get("setting", [])
        protocol["setting"] = sum((table["settings"][name]
                                   for name in protocol.get("settings", [])), own)
    return table


def changed_files(changes):
    """The texts of the changed files, by path. Each change must fit what those before it left."""
    texts = {}
    for change in changes:
        path = change["file"]
        if path not in texts:
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                texts[path] = file.read()
        count = texts[path].count(change["old"])
        if count != 1:
            raise Failure(f"{path}: this text is there {count} times, not once:\n{change['old']}")
        texts[path] = texts[path].replace(change["old"], change["new"])
    return texts


def write_changes(changes, folder):
    """Writes the changed files below `folder`, each under its path in the tree."""
    for path, text in changed_files(changes).items():
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
            file.write(text)


def run(command, folder):
    result = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, errors="replace", timeout=TIMEOUT_SECONDS, check=False)
    return result.returncode, result.stdout


def must_run(command, folder):
    code, output = run(command, folder)
    if code != 0:
        raise Failure(f"{' '.join(command)} ends with {code}:\n{output}")


def compile_harness(protocol, changes, folder):
    """RETURNS: the file for GenMC. `changes` stand in front of the tree, shadows in front of both.
    """
    here = os.path.join(folder, "tests/protocols")
    os.makedirs(here)
    for name in os.listdir(HERE):  # Beside their protocol.hpp they would find that one.
        if name.endswith((".cpp", ".hpp")) and name != "protocol.hpp":
            shutil.copy(os.path.join(HERE, name), here)
    write_changes(protocol["setting"] + changes, folder)
    with open(os.path.join(folder, "input.cpp"), "w", encoding="utf-8") as file:
        for source in [f"tests/protocols/{protocol['harness']}", *protocol.get("sources", [])]:
            file.write(f'#include "{source}"\n')
    includes = ["-I" + path for path in (
        os.path.join(here, "shadows"), os.path.join(HERE, "shadows"), here,
        os.path.join(HERE, "pes"),
        os.path.join(folder, "src"), folder,
        os.path.join(folder, "include"), os.path.join(folder, "runtimes/caf"),
        os.path.join(ROOT, "src"), ROOT, os.path.join(ROOT, "include"),
        os.path.join(ROOT, "runtimes/caf"))]
    must_run([*COMPILE, *includes, "input.cpp", "-o", "input.bc"], folder)
    must_run([*OPTIMIZE, "input.bc", "-o", "all.ll"], folder)
    with open(os.path.join(folder, "all.ll"), encoding="utf-8") as whole, \
            open(os.path.join(folder, "input.ll"), "w", encoding="utf-8") as file:
        for line in whole:
            if DROPPED_LINES.match(line):
                continue
            if protocol.get("is_of_words"):
                line = COPY_OF_WORDS.sub(r"call void @copy_by_words(\1)", line)
                line = ZEROS_OF_WORDS.sub(r"call void @zero_words(\1, \2)", line)
            file.write(COPY_OF_ANY_SIZE.sub(r"call void @copy_by_words(\1)", line))
    return "input.ll"


class Outcome:
    """Result of GenMC for one input."""

    def __init__(self, code, output):
        self.error = ""
        found = re.search(r"^Error: (.*)$", output, re.MULTILINE)
        if found:
            self.error = found.group(1)
        complete = re.search(r"complete executions explored: (\d+)", output)
        blocked = re.search(r"blocked executions seen: (\d+)", output)
        self.executions = int(complete.group(1)) if complete else 0
        self.blocked = int(blocked.group(1)) if blocked else 0
        seconds = re.search(r"wall-clock time: ([0-9.]+)", output)
        self.seconds = float(seconds.group(1)) if seconds else 0.0
        if not self.error and (code != 0 or not complete):
            raise Failure(f"genmc ends with {code} and tells nothing:\n{output[-3000:]}")


def explore(genmc, protocol, model, changes, folder):
    path = compile_harness(protocol, changes, folder)
    code, output = run([genmc, f"--{model}", *CHECK, path], folder)
    with open(os.path.join(folder, f"{model}.txt"), "w", encoding="utf-8") as file:
        file.write(output)
    return Outcome(code, output)


def check_harness(genmc, protocol, model, keep):
    """RETURNS: a line about the harness in one model, and whether it is right."""
    with work_folder(keep, f"{protocol['name']}.{model}") as folder:
        start = time.monotonic()
        outcome = explore(genmc, protocol, model, [], folder)
        seconds = time.monotonic() - start
    line = (f"{protocol['name']}, {model}: {outcome.executions} executions, {outcome.blocked} "
            f"blocked, {outcome.seconds or seconds} s")
    if outcome.error:
        return f"{line}: FAILS: {outcome.error}", False
    # A harness that does nothing is right as well.
    return line, outcome.executions + outcome.blocked > 1


def check_mutant(genmc, protocol, mutant, keep):
    """RETURNS: a line about a mutant, and whether one of the models finds it."""
    name = f"{protocol['name']}: {mutant['name']}"
    for model in protocol["models"]:
        with work_folder(keep, f"{name}.{model}") as folder:
            try:
                outcome = explore(genmc, protocol, model, [mutant], folder)
            except subprocess.TimeoutExpired:
                continue
        if outcome.error:
            return f"{name}: found by {model}: {outcome.error}", True
    return f"{name}: SURVIVES", False


def run_spin(model, defines, folder, optimization="-O2"):
    """RETURNS: the first error of a model, or nothing, and the states that were explored."""
    path = os.path.join(HERE, "spin", model["file"])
    must_run(["spin", "-a", *defines, path], folder)
    must_run(["gcc", optimization, "-w", "-DSAFETY", "pan.c", "-o", "pan"], folder)
    code, output = run(["./pan", "-m1000000", *model.get("options", [])], folder)
    states = re.search(r"(\d+) states, stored", output)
    errors = re.search(r"errors: (\d+)", output)
    if code != 0 or not states or not errors or "max search depth too small" in output:
        raise Failure(f"pan ends with {code}:\n{output}")
    found = re.search(r"^pan:1: (.*?) \(at depth", output, re.MULTILINE)
    return found.group(1) if found else "", int(states.group(1))


def defines_of(model):
    """The macros of a model, some of which come from a table of the tree: one for each truth."""
    defines = list(model.get("defines", []))
    if "table" in model:
        with open(os.path.join(ROOT, model["table"]), encoding="utf-8") as file:
            rows = re.findall(r"\{\w+::(\w+), .*, (true|false), (true|false)\}", file.read())
        for name, *truths in rows:
            defines += [f"-D{name}_{column}={int(truth == 'true')}"
                        for column, truth in zip(model["columns"], truths)]
    return defines


def check_model(model, keep):
    with work_folder(keep, f"{model['name']}.spin") as folder:
        start = time.monotonic()
        error, states = run_spin(model, defines_of(model), folder)
    line = f"{model['name']}: {states} states, {time.monotonic() - start:.1f} s"
    return (f"{line}: FAILS: {error}", False) if error else (line, states > 100)


def check_model_mutant(model, mutant, keep):
    name = f"{model['name']}: {mutant}"
    defines = model.get("mutant_defines", {}).get(mutant, defines_of(model))
    # A truth of the table that is a lie in the mutant.
    lies = [define for define in defines if define == f"-D{mutant}=1"]
    others = [define for define in defines if define not in lies]
    with work_folder(keep, name) as folder:
        # A mutant takes few states: the compiler would be the longest part.
        error, states = run_spin(
            model, [*others, f"-D{mutant}=0" if lies else f"-D{mutant}"], folder, "-O0")
    return (f"{name}: found in {states} states: {error}", True) if error else (
        f"{name}: SURVIVES", False)


def mutants_of(model):
    with open(os.path.join(HERE, "spin", model["file"]), encoding="utf-8") as file:
        mutants = sorted(set(re.findall(r"\bMUTANT_\w+", file.read())))
    return mutants + [define[2:-2] for define in defines_of(model) if define.endswith("=1")]


def check_spin(table, options):
    skip_without(("spin", "no spin (Debian: spin)"), ("gcc", "no gcc"))
    calls = []
    for model in table["model"]:
        if not re.search(options.only, model["name"]):
            continue
        calls.append((check_model, model, options.keep))
        if not options.no_mutants:
            calls += [(check_model_mutant, model, mutant, options.keep)
                      for mutant in mutants_of(model)]
    return in_parallel(calls)


class work_folder:  # pylint: disable=invalid-name
    """A temporary folder, or one of this name in `keep`."""

    def __init__(self, keep, name):
        self.name = re.sub(r"[^a-z0-9.]+", "_", name)
        self.keep = keep

    def __enter__(self):
        if not self.keep:
            self.path = tempfile.mkdtemp(prefix="protocols.")
            return self.path
        self.path = os.path.join(os.path.abspath(self.keep), self.name)
        shutil.rmtree(self.path, ignore_errors=True)
        os.makedirs(self.path)
        return self.path

    def __exit__(self, *_):
        if not self.keep:
            shutil.rmtree(self.path)


def in_parallel(calls):
    """Prints the line of each call as it comes. RETURNS: whether all are right."""
    is_right = True
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for future in concurrent.futures.as_completed(
                [pool.submit(call, *arguments) for call, *arguments in calls]):
            try:
                line, is_good = future.result()
            except (Failure, subprocess.TimeoutExpired) as error:
                line, is_good = str(error), False
            print(line, flush=True)
            is_right = is_right and is_good
    return is_right


def skip_without(*programs):
    for program, what in programs:
        if not program or not shutil.which(program):
            print(f"skipped: {what}")
            sys.exit(SKIPPED)


def check_genmc(table, options):
    genmc = os.environ.get("TESSERA_GENMC", "")
    skip_without((genmc, "TESSERA_GENMC names no program genmc"),
                 ("clang++-14", "no clang++-14 (Debian: clang-14)"),
                 ("opt-14", "no opt-14 (Debian: llvm-14)"))
    calls = []
    for protocol in table["protocol"]:
        if not re.search(options.only, protocol["name"]):
            continue
        calls += [(check_harness, genmc, protocol, model, options.keep)
                  for model in protocol["models"]]
        if not options.no_mutants:
            calls += [(check_mutant, genmc, protocol, mutant, options.keep)
                      for mutant in protocol["mutant"]]
    return in_parallel(calls)


def check_fits(table):
    """Whether every setting and mutant fits the tree."""
    is_right = True
    for protocol in table["protocol"]:
        settings = protocol["setting"]
        for mutant in protocol["mutant"]:
            try:
                changed_files([*settings, mutant])
            except Failure as failure:
                print(f"{protocol['name']}: {mutant['name']}: {failure}")
                is_right = False
        if len(protocol["mutant"]) < 3:
            print(f"{protocol['name']}: fewer than three mutants")
            is_right = False
    for model in table["model"]:
        for place in model.get("stands_for", []):
            with open(os.path.join(ROOT, place["file"]), encoding="utf-8") as file:
                if place["text"] not in file.read():
                    print(f"{place['file']} has changed; look at the model of {model['name']}, "
                          f"which stands for this text:\n{place['text']}")
                    is_right = False
        if len(mutants_of(model)) < 3:
            print(f"{model['name']}: fewer than three mutants")
            is_right = False
    return is_right


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("genmc", "spin", "fits"))
    parser.add_argument("--only", default="", help="a regular expression")
    parser.add_argument("--no-mutants", action="store_true")
    parser.add_argument("--keep", metavar="FOLDER")
    options = parser.parse_args()
    table = read_table()
    if options.what == "fits":
        is_right = check_fits(table)
    elif options.what == "genmc":
        is_right = check_genmc(table, options)
    else:
        is_right = check_spin(table, options)
    sys.exit(0 if is_right else 1)


if __name__ == "__main__":
    main()
