# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a trace of a program lacks calls, has wrong bytes or peers, or is none that a viewer
takes; a program that dies leaves no trace; tracing changes a program that is not traced.
"""
import json
import os
import shutil
import sys
from shlex import quote

from launching import LaunchTest, main
from timelines import ROUNDS, TRACED, TimelineTest


class Trace(TimelineTest):
    def trace(self, npes, *arguments, options=(), code=0, **environment):
        """Runs a case and returns its timeline and what oshrun and osh_report said."""
        path = os.path.join(self.folder, "trace.json")
        _, error = self.run_job("-n", npes, "--trace", path, *options, TRACED, *arguments,
                                code=code, environment=self.environment(**environment))
        with open(path, encoding="utf-8") as file:
            trace = json.load(file)
        os.unlink(path)
        self.check_format(trace, npes)
        return trace, error

    def test_ring(self):
        for npes in (1, 2, 3, 4, 8):
            with self.subTest(npes=npes):
                trace, error = self.trace(npes, "ring", ROUNDS)
                self.assertEqual(error, "")
                self.assertEqual(trace["otherData"]["PEs"], npes)
                self.check_ring(trace, npes)

    def test_ring_on_virtual_nodes(self):
        for npes in (2, 3, 4, 8):
            with self.subTest(npes=npes):
                trace, error = self.trace(npes, "ring", ROUNDS, options=("--virtual-nodes", 2))
                self.assertEqual(error, "")
                self.check_ring(trace, npes)

    def test_words(self):
        """Many short calls: most are only counted, and done without a call of the library."""
        for npes, nodes in ((1, 1), (2, 1), (3, 1), (4, 2), (5, 1), (7, 1), (8, 2)):
            rounds = 2000 if nodes == 1 else 100  # between nodes each takes 20 round trips
            with self.subTest(npes=npes, nodes=nodes):
                trace, error = self.trace(npes, "words", rounds, options=("--virtual-nodes", nodes))
                self.assertEqual(error, "")
                for pe in range(npes):
                    after = str((pe + 1) % npes)
                    for operation, calls, size in (
                            ("p", 7 * rounds + rounds // 20, 43 * rounds + 8 * (rounds // 20)),
                            ("g", 7 * rounds, 43 * rounds), ("atomic", 6 * rounds, 32 * rounds),
                            ("fetching_atomic", 7 * rounds, 52 * rounds),
                            ("put", rounds // 100, rounds // 100 * 70000)):
                        self.assertEqual(self.counts(trace, operation, pe), {after: [calls, size]})
                    self.assertEqual(self.counts(trace, "quiet", pe), {"": [rounds, 0]})

    def test_locks(self):
        """Locks that are free are only counted, and waits for them are all timed."""
        for npes, nodes in ((1, 1), (2, 1), (3, 1), (4, 2), (5, 1), (8, 1)):
            rounds = 1000 if nodes == 1 else 20
            with self.subTest(npes=npes, nodes=nodes):
                trace, error = self.trace(npes, "locks", rounds, options=("--virtual-nodes", nodes))
                self.assertEqual(error, "")
                for pe in range(npes):
                    after = str((pe + 1) % npes)
                    for operation in ("set_lock", "clear_lock"):
                        self.assertEqual(self.counts(trace, operation, pe),
                                         {"": [rounds + 1, 0], after: [3 * rounds, 0]})
                    if pe > 0:
                        longest = max(event["dur"] for event in self.slices(trace, pe, "set_lock"))
                        self.assertGreater(longest, 1000, "microseconds; PE 0 computes for 100000")

    def test_arrows_to_waits(self):
        """Each wait of the last PE has its line, and an arrow from the call that ended it."""
        for npes, nodes in ((2, 1), (4, 2)):
            with self.subTest(npes=npes, nodes=nodes):
                trace, error = self.trace(npes, "flags", options=("--virtual-nodes", nodes))
                self.assertEqual(error, "")
                flows = {}
                for event in trace["traceEvents"]:
                    if event["ph"] in "sf":
                        flows.setdefault(event["id"], {})[event["ph"]] = event
                found = []
                for flow in sorted(flows.values(), key=lambda flow: flow["s"]["ts"]):
                    if flow["s"]["pid"] != 0:  # let_wait()
                        continue
                    self.assertEqual(flow["f"]["pid"], npes - 1)
                    self.assertLessEqual(flow["s"]["ts"], flow["f"]["ts"])
                    call, = (event for event in trace["traceEvents"] if event["ph"] == "X" and
                             event["pid"] == 0 and event["ts"] == flow["s"]["ts"])
                    wait, = (event for event in self.slices(trace, npes - 1, "wait")
                             if event["ts"] <= flow["f"]["ts"] < event["ts"] + event["dur"])
                    found.append((call["name"], wait["args"]["until"]))
                    self.assertRegex(call["args"]["line"], r"run_flags \(traced\.c:\d+\)")
                    self.assertRegex(wait["args"]["line"],
                                     r"await_flags \(traced\.c:\d+\)")
                self.assertEqual(found, [("p", "== 1"), ("atomic", "== 2"), ("atomic", "== 3"),
                                         ("put", "== 4"), ("put_signal", ">= 5"), ("p", "!= 0")])

    def test_variable_in_the_place_of_the_option(self):
        path = os.path.join(self.folder, "named.json")
        self.run_job("-n", 2, TRACED, "ring", 3, environment=self.environment(SHMEM_TRACE=path))
        with open(path, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["otherData"]["program"], "traced")
        os.unlink(path)

    def test_heap(self):
        trace, _ = self.trace(2, "heap")
        for pe in range(2):
            used = [event["args"]["bytes"] for event in trace["traceEvents"]
                    if event["ph"] == "C" and event["pid"] == pe]
            # shmem_realloc frees 500 and takes 2000.
            self.assertEqual(used, [1000, 1500, 1000, 3000, 2000, 0])

    def test_a_full_trace_keeps_the_same_collectives_on_all_pes(self):
        trace, _ = self.trace(3, "many", 1000, SHMEM_TRACE_EVENTS="64")
        stride = trace["otherData"]["every collective with a number that divides by"]
        self.assertGreater(stride, 1)
        for pe in range(3):
            self.assertEqual(self.counts(trace, "barrier", pe), {"": [1000, 0]})
            self.assertEqual(self.counts(trace, "put", pe),
                             {str((pe + 1) % 3): [1000, 4000000]})
            numbers = {event["args"]["number"] for event in self.slices(trace, pe, "barrier")}
            self.assertLessEqual(set(range(0, 1000, stride)), numbers)

    def test_a_crash_leaves_a_trace_up_to_it(self):
        trace, error = self.trace(3, "crash", code=134)
        # oshrun kills the others, which may have ended before.
        for text in (error, trace["otherData"]["problems"][0]):
            self.assertRegex(text, r"PEs? [0-9, and]*1[0-9, and]* crashed or w(as|ere) killed")
        for pe in range(3):
            self.assertGreaterEqual(len(self.slices(trace, pe, "barrier")), 9)

    def test_without_finalize(self):
        trace, _ = self.trace(2, "leave")
        self.assertIn("PEs 0 and 1 ended without shmem_finalize", str(trace["otherData"]))

    def test_not_traced_nothing_written(self):
        before = set(os.listdir(self.folder))
        self.run_job("-n", 2, TRACED, "ring", 2, cwd=self.folder)
        self.assertEqual(set(os.listdir(self.folder)), before)

    def test_a_shell_may_start_the_program(self):
        path = os.path.join(self.folder, "shell.json")
        self.run_job("-n", 2, "--trace", path, "sh", "-c", f"{quote(TRACED)} ring 2; true")
        os.unlink(path)

    def test_a_program_without_shmem_has_no_trace(self):
        path = os.path.join(self.folder, "none.json")
        for option in "--trace", "--report":
            _, error = self.run_job("-n", 1, option, path, "true", code=1)
            self.assertIn("did the program call shmem_init", error)
            _, error = self.run_job("-n", 1, option, path, "sh", "-c", "exit 5", code=5)

    def test_a_trace_goes_to_a_file(self):
        for path in "/dev/full", "/dev/null", self.folder:
            with self.subTest(path=path):
                _, error = self.run_job("-n", 1, "--trace", path, TRACED, "ring", 1, code=1)
                self.assertIn("name a file", error)
                self.assertFalse(os.path.exists(path + ".parts"))

    def test_a_full_disk(self):
        path = os.path.join(self.folder, "full.json")
        os.symlink("/dev/full", path + ".later")  # A regular file when the job starts.
        script = f"{quote(TRACED)} ring 1; mv {path}.later {path}"
        _, error = self.run_job("-n", 1, "--trace", path, "sh", "-c", script, code=1)
        self.assertIn("No space left on device", error)
        self.assertIn(f"{path}.parts", error)
        shutil.rmtree(f"{path}.parts")
        os.unlink(path)

    def test_a_folder_that_cannot_be_written(self):
        _, error = self.run_job("-n", 1, "--trace", "/proc/none/x.json", TRACED, "ring", 1,
                                code=1)
        self.assertIn("cannot be written", error)

    def test_a_job_is_either_checked_or_traced(self):
        path = os.path.join(self.folder, "both.json")
        for options, value in (("--check",), ""), ((), "1"), ((), "warn"):
            with self.subTest(options=options, SHMEM_CHECK=value):
                _, error = self.run_job("-n", 1, *options, "--trace", path, TRACED, "ring", 1,
                                        code=1, environment=self.environment(SHMEM_CHECK=value))
                self.assertIn("either checked or traced", error)
        self.trace(2, "ring", 3, SHMEM_CHECK="no")


class Page(LaunchTest):
    def test_the_slow_pe_is_named(self):
        try:
            import plotly  # noqa: F401
        except ImportError:
            self.skipTest("Plotly for Python is not installed")
        path = os.path.join(self.folder, "page.html")
        self.run_job("-n", 4, "--report", path, TRACED, "late", 2)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        os.unlink(path)
        self.assertIn("PE 2 made the others wait longest", text)
        self.assertIn("<td>barrier</td>", text)
        self.assertRegex(text, r"PEs waited longest in barrier at run_late \(traced\.c:\d+\)")


if __name__ == "__main__":
    sys.exit(main())
