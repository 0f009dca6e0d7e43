#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Without this, bench/run could lose results, run again what it knows, or hide a failure.

usage: run_test.py OSHCC OSHRUN

Runs all of bench/suite.toml at its tiny level, and a suite of this test's own whose programs fail,
hang, and crash at their end.
"""
import csv
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from shlex import quote

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../bench")
SECTIONS = ("Where we are behind", '<a id="failures"></a>Failures', "Programs", "Papers", "Machine")
# Caches are not among them: some virtual machines show none.
FACTS = ("date", "commit", "Model name", "kernel", "compiler", "library tessera", "load before",
         "load after")

SUITE = """
[level.tiny]
options = ["--tiny"]
rounds = 2
timeout = 3
seconds = 1
[level.quick]
options = []
rounds = 1
timeout = 3
seconds = 1
budget_minutes = 0.001
[defaults]
npes = { tiny = [2], quick = [2] }
settings = {}
"""
PROGRAM = """
[[program]]
name = "{name}"
source = "{source}"
question = "What does {name} do?"
timeout = {timeout}
"""
# Prints a result, then does what its option says.
SOURCE = """
#define _GNU_SOURCE
#include "bench/measure.h"
int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    report_one("seven", "bytes", 8, "ns", 1, 7);
    if (has_option("--fail")) give_up("expected 3, found 4");
    if (has_option("--hang")) for (;;) pause();
    if (me == 0) puts("@ end");
    fflush(stdout);
    shmem_barrier_all();
    if (has_option("--crash")) shmem_global_exit(3);
    shmem_finalize();
    return 0;
}
"""


def check(condition, text):
    if not condition:
        sys.exit(f"run_test: {text}")


class Runner:
    def __init__(self, oshcc, oshrun, work):
        folder = os.path.dirname(oshcc)
        self.has_caf = bool(shutil.which("gfortran")) and os.path.exists(folder + "/caf")
        caf = os.path.join(folder, "caf" if self.has_caf else "no_caf")
        prefix = os.path.dirname(folder)
        cafrun = quote(os.path.join(folder, "cafrun"))
        oshcc, oshrun, caf = map(quote, (oshcc, oshrun, caf))  # bench/run takes commands
        self.ours = ["--oshcc", oshcc, "--oshrun", oshrun, "--caf", caf, "--cafrun", cafrun,
                     "--dart", prefix, "--without", "openmpi", "opencoarrays", "mpi"]
        self.other = ["--library", "other", oshcc, oshrun]
        self.other_dart = ["--dart-lib", f"other={prefix}/lib/libdart-tessera.so", "--dart-lib",
                           prefix, "--mpicc", oshcc, "--mpirun", oshrun]
        self.work = work

    def run(self, out, *words, clock="printf '90 90'"):
        """The clock's states are made up: those of a busy machine would repeat runs.

        RETURNS: (exit status, what it printed)"""
        done = subprocess.run([sys.executable, os.path.join(BENCH, "run"), *self.ours, "--out",
                               os.path.join(self.work, out), *(["--clock", clock] if clock else []),
                               *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout

    def read(self, out, name):
        with open(os.path.join(self.work, out, name), encoding="utf-8") as file:
            return file.read()


def check_report(text, programs):
    places = [text.find(f"<h2>{title}</h2>") for title in SECTIONS]
    check(-1 not in places and places == sorted(places), f"the report's sections: {places}")
    check("No run failed." in text, "the report does not say that no run failed")
    first = text.find('<table class="overview">')
    check(0 < first < places[0], "the report does not begin with the table of programs")
    if importlib.util.find_spec("plotly"):
        count = text.count('<div id="picture')
        check(0 < count == text.count("<figure>"), f"{count} figures")
    else:
        check("Plotly for Python is not installed" in text, "no word on why there are no figures")
    outside = re.findall(r"<(?:script\b[^>]*\bsrc|link|img|iframe)\b|url\(\s*['\"]?(?!#)|"
                         r"href='(?!#)", text)
    check(not outside, f"the report needs other files: {outside[:5]}")
    for name, table in programs.items():
        check(f'<h3 id="{name}">' in text, f"the report does not name {name}")
        for number in table.get("paper", []):
            check(number["measure"] in text, f"the paper's {number['measure']} is missing")


def check_whole_suite(runner):
    """All programs at the tiny level; then again, which runs nothing."""
    with open(os.path.join(BENCH, "suite.toml"), "rb") as file:
        suite = tomllib.load(file)
    programs = {table["name"]: table for table in suite["program"]
                if runner.has_caf or not table["source"].endswith(".f90")}
    counts = {name: table.get("npes", suite["defaults"]["npes"])["tiny"]
              for name, table in programs.items()}
    status, printed = runner.run("tiny", "--tiny")
    check(status == 0, f"status {status}\n{printed}")
    rows = list(csv.DictReader(runner.read("tiny", "results.csv").splitlines()))
    for name, pes in counts.items():
        found = {int(row["npes"]) for row in rows
                 if row["program"] == name and row["library"] == "tessera"}
        check(found == set(pes), f"{name}: results for {found} PEs, not for {pes}")
    for row in rows:
        check(float(row["q1"]) <= float(row["median"]) <= float(row["q3"]), f"quartiles: {row}")
    text = json.loads(runner.read("tiny", "results.json"))
    check([str(point["measure"]) for point in text["points"]] == [row["measure"] for row in rows],
          "results.json and results.csv have other points")
    check(not text["failures"] and not text["not_run"], f"{text['failures']} {text['not_run']}")
    for name in FACTS:
        check(text["machine"].get(name), f"the machine's description lacks {name}")
    check_report(runner.read("tiny", "report.html"), programs)

    before = runner.read("tiny", "runs.json")
    status, printed = runner.run("tiny", "--tiny")
    check(status == 0 and re.search(r"^0 of \d+ runs to do", printed, re.M),
          f"a second call runs again: status {status}\n{printed}")
    check(runner.read("tiny", "runs.json") == before, "a second call changes runs.json")
    check(runner.read("tiny", "results.csv").count("\n") == len(rows) + 1,
          "a second call loses results")


def write_suite(runner, source, **programs):
    """A suite of one source with a program for each {name: lines of its table}."""
    path = os.path.join(runner.work, "suite.toml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(SUITE)
        for name, lines in programs.items():
            # Only what hangs gets the level's short time: machines may be busy.
            timeout = 3 if name == "hangs" else 200
            file.write(PROGRAM.format(name=name, source=source, timeout=timeout) + lines + "\n")
    return path


def left_over(folder):
    """Processes that run a program of the folder."""
    result = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            path = os.readlink(f"/proc/{pid}/exe")
        except OSError:
            continue
        if path.startswith(folder + os.sep):
            result.append((int(pid), path))
    return result


def check_failures(runner, source):
    suite = write_suite(runner, source, good="", fails='arguments = ["--fail"]',
                        hangs='arguments = ["--hang"]', crashes='arguments = ["--crash"]')
    words = ("--tiny", "--suite", suite, "--rounds", "1", *runner.other)
    status, printed = runner.run("failing", *words)
    check(status == 1, f"programs failed, but the status is {status}\n{printed}")
    text = json.loads(runner.read("failing", "results.json"))
    failed = {(it["program"], it["library"]): it for it in text["failures"]}
    expected = {(name, library) for name in ("fails", "hangs", "crashes")
                for library in ("tessera", "other")}
    check(set(failed) == expected, f"failures: {set(failed)}")
    for (name, library), it in failed.items():
        check(it["is_crash_at_end"] == (name == "crashes" and library == "other"), f"{it}")
    page = runner.read("failing", "report.html")
    for words_of_it in ("expected 3, found 4", "not done within 3 s", "status 3 after"):
        check(words_of_it in page, f"the report does not say: {words_of_it}")
    check(not left_over(os.path.realpath(runner.work)),
          f"left over: {left_over(os.path.realpath(runner.work))}")
    status, printed = runner.run("failing", *words)
    check(status == 1 and "0 of 8 runs to do" in printed,
          f"failures that are known: status {status}\n{printed}")
    status, printed = runner.run("failing", *words, "--again", "--only", "good|fails")
    check(status == 1 and "2 of 4 runs to do" in printed, f"--again: status {status}\n{printed}")


def check_other_library(runner, source):
    """Another library's crash at the end and failures leave the status at 0."""
    suite = write_suite(runner, source, good="",
                        crashes='arguments = ["--crash"]\nlibraries = ["other"]')
    words = ("--tiny", "--suite", suite, *runner.other)
    status, printed = runner.run("other", *words)
    check(status == 0, f"another library's crash: status {status}\n{printed}")
    order = re.findall(r": good, (\w+), 2 PEs: ", printed)
    check(order == ["tessera", "other", "other", "tessera"], f"libraries take turns: {order}")
    rows = list(csv.DictReader(runner.read("other", "results.csv").splitlines()))
    check([(row["program"], row["library"]) for row in rows]
          == [("good", "tessera"), ("good", "other"), ("crashes", "other")], f"{rows}")
    check(all(row["rounds"] == "2" for row in rows), f"rounds: {rows}")
    check([row["ours_over_this"] for row in rows] == ["", "1.0", ""], f"ratios: {rows}")


def check_other_dart(runner):
    """Libraries of DART take turns in its programs, and have no others."""
    words = ("--tiny", "--only", "dart_lifecycle|^pointer", *runner.other_dart)
    status, printed = runner.run("dart", *words)
    check(status == 0, f"--dart-lib: status {status}\n{printed}")
    found = {(row["program"], row["library"])
             for row in csv.DictReader(runner.read("dart", "results.csv").splitlines())}
    check(found == {("pointer", "tessera"), *(("dart_lifecycle", name) for name in
                                              ("tessera", "other", "dart-tessera"))}, f"{found}")
    status, printed = runner.run("dart", "--tiny", "--dart-lib", "/nowhere")
    check(status == 1 and "no libdart" in printed, f"no DART: status {status}\n{printed}")


# Prints the words of its second argument one by one, a word a call, and the last one for ever.
CLOCK = """
import os, sys
count = sys.argv[1] + ".count"
with open(count, "a") as file:
    file.write("x")
words = open(sys.argv[1]).read().split()
print(2 * (words[min(os.path.getsize(count), len(words)) - 1] + " "))
"""


def check_clocks(runner, source):
    """Runs whose clocks disagree are repeated, and the report says so."""
    suite = write_suite(runner, source, good="")
    with open(os.path.join(runner.work, "clock.py"), "w", encoding="utf-8") as file:
        file.write(CLOCK)

    def run(out, clocks):
        path = os.path.join(runner.work, out + ".clocks")
        with open(path, "w", encoding="utf-8") as file:
            file.write(clocks)
        command = f"{sys.executable} {runner.work}/clock.py {path}"
        words = ("--tiny", "--suite", suite, "--rounds", "1", *runner.other)
        status, printed = runner.run(out, *words, clock=command)
        check(status == 0, f"clocks {clocks}: status {status}\n{printed}")
        status, again = runner.run(out, *words, clock=command)
        check("0 of 2 runs to do" in again, f"clocks {clocks}: a second call runs again:\n{again}")
        results = json.loads(runner.read(out, "runs.json")).values()
        return ({it["library"]: (it["clock"], it["repeats"]) for it in results},
                list(csv.DictReader(runner.read(out, "results.csv").splitlines())), printed)

    found, rows, printed = run("steady", "90")
    check(found == dict.fromkeys(("tessera", "other"), ([90, 90], 0)), f"steady clock: {found}")
    check("clock" not in printed, f"a steady clock is worth a line:\n{printed}")
    found, rows, printed = run("switches", "90 90 90 214 214")
    check(found == dict.fromkeys(("tessera", "other"), ([214, 214], 1)), f"it switches: {found}")
    check("2 runs were repeated" in printed, f"no word of a repeated run:\n{printed}")
    noted = json.loads(runner.read("switches", "results.json"))["clock"]
    check(noted == {"states": [[214, 2]], "contended": 0, "repeated": 2, "normalised": 0,
                    "left_out": 0}, f"results.json's clock: {noted}")
    check(rows[1]["ours_over_this"] == "1.0", f"no ratio of repeated runs: {rows}")
    found, rows, printed = run("wild", " ".join(["90 214"] * 20))
    check(found == dict.fromkeys(("tessera", "other"), ([90, 214], 2)), f"no end: {found}")
    check("2 runs are left out" in printed, f"no word of what is left out:\n{printed}")
    check([row["ours_over_this"] for row in rows] == ["", ""], f"compared nevertheless: {rows}")
    status, printed = runner.run("real", "--tiny", "--suite", suite, clock=None)
    check(status == 0, f"the real clock: status {status}\n{printed}")
    for it in json.loads(runner.read("real", "runs.json")).values():
        check(min(it["clock"]) > 1, f"512 loads take no time: {it}")


def check_limits_of_a_call(runner, source):
    """Runs without time are named; a program that cannot be compiled is a failure."""
    suite = write_suite(runner, source, good="")
    status, printed = runner.run("late", "--quick", "--suite", suite)
    check(status == 2 and "1 runs are left" in printed, f"no time: status {status}\n{printed}")
    check("Not run, as the time was used up: 1" in runner.read("late", "report.html"),
          "the report hides what was not run")
    suite = write_suite(runner, source + ".gone", good="")
    status, printed = runner.run("gone", "--tiny", "--suite", suite)
    check(status == 1 and "not compiled" in printed, f"no source: status {status}\n{printed}")


def main():
    with tempfile.TemporaryDirectory() as work:
        runner = Runner(*sys.argv[1:], work)
        source = os.path.join(work, "program.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(SOURCE)
        check_failures(runner, source)
        check_other_library(runner, source)
        check_other_dart(runner)
        check_clocks(runner, source)
        check_limits_of_a_call(runner, source)
        check_whole_suite(runner)


if __name__ == "__main__":
    main()
