# SPDX-License-Identifier: BSD-3-Clause
"""Would break: the report shows wrong numbers, or says nothing about parts that are missing or cut
off. The parts are written here, by the layout of tools/trace/format.hpp.

    python3 tests/system/trace/timeline_test.py tools/osh_report
"""
import importlib.util
import itertools
import json
import operator
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

MODULES = os.path.abspath(sys.argv[1])
sys.path.insert(0, MODULES)

import analysis  # noqa: E402
import parts  # noqa: E402
import units  # noqa: E402
from lines import name_lines  # noqa: E402
from timeline import write_timeline  # noqa: E402
from trace_parts import OPERATIONS, Written  # noqa: E402


class Report(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="report-test-")
        self.addCleanup(self.folder.cleanup)
        self.path = self.folder.name

    def job(self, *written):
        for part in written:
            part.write(self.path)
        return parts.Job(self.path)

    def test_waits_go_to_the_last_to_come(self):
        # PE 2 comes at 500; the others have come at 0, 100 and wait. In the broadcast all wait for
        # the root, PE 0, though PE 1 comes later still.
        # The first barrier only shows which PE was started last.
        starts = ((2000, 4000), (2100, 4300), (2500, 3900))
        job = self.job(*(Written(pe, 3).collective("barrier", 7, 1100 + 300 * pe, 700 - 300 * pe)
                         .collective("barrier", 0, start, 2600 - start)
                         .collective("broadcast", 1, second, 4400 - second, root=0)
                         for pe, (start, second) in enumerate(starts)))
        waits = analysis.waits(job)
        self.assertEqual(waits.calls, 2)
        self.assertEqual(waits.matrix, [[0, 0, 500], [0, 0, 400], [100, 0, 0]])
        self.assertEqual(waits.last_arrivals, [1, 0, 1])
        self.assertEqual(waits.first, (2, 600 + 300))

    @unittest.skipUnless(importlib.util.find_spec("plotly"), "Plotly for Python is not installed")
    def test_the_start_is_set_apart(self):
        """PE 1 of 2 starts late, and comes to the next barrier with the other one."""
        import page
        late, early = 20e9, 1100
        job = self.job(*(Written(pe, 2, end=int(21e9))
                         .collective("barrier", 0, int(start), int(late - start) + 50)
                         .collective("barrier", 1, int(late) + 2000, 10)
                         for pe, start in enumerate((early, late))))
        said = " ".join(page.findings(job, analysis.waits(job)))
        self.assertIn("Before the first collective the PEs waited 20 s in sum for PE 1", said)
        self.assertNotIn("made the others wait", said)

    def test_a_stride_counts(self):
        job = self.job(*(Written(pe, 2, stride=4).collective("barrier", 0, 1500, 10)
                         .collective("barrier", 4, start, 2100 - start)
                         for pe, start in enumerate((2000, 2060))))
        self.assertEqual(analysis.waits(job).caused_by(1), 240)

    def test_a_collective_without_all_members_is_not_compared(self):
        job = self.job(Written(0, 2).collective("barrier", 0, 2000, 100), Written(1, 2))
        self.assertEqual(analysis.waits(job).calls, 0)

    def test_times_of_samples(self):
        # 10 calls, of which 2 took 50 ns together; the samples stand for 4 calls and say 40 ns.
        part = Written(0, 1)
        part.cells["put", 0] = (10, 800, 40, 4, 50, 2, 3)
        row, = analysis.calls_by_operation(self.job(part))
        self.assertEqual((row.operation, row.calls, row.bytes, row.ns, row.timed),
                         ("put", 10, 800, 50 + 8 * 10, 3))

    def test_matrix(self):
        first, second = Written(0, 2), Written(1, 2)
        first.cells["put", 1] = (3, 24, 0, 0, 9, 3, 3)
        first.cells["get", 1] = (2, 16, 0, 0, 9, 2, 2)
        first.cells["barrier", -1] = (5, 7, 0, 0, 9, 5, 5)
        second.cells["get", 0] = (1, 100, 0, 0, 9, 1, 1)
        moved, messages = analysis.matrix(self.job(first, second))
        self.assertEqual(moved, [[0, 40], [100, 0]])
        self.assertEqual(messages, [[0, 5], [1, 0]])

    def test_algorithms_join_sizes(self):
        part = Written(0, 2)
        part.choices = [(b"broadcast", b"flat", 2, log, 3) for log in (3, 4)]
        part.choices.append((b"broadcast", b"tree", 2, 5, 1))
        self.assertEqual(analysis.algorithms(self.job(part)),
                         [("broadcast", 2, 8, 31, "flat", 6), ("broadcast", 2, 32, 63, "tree", 1)])

    def test_clocks_of_two_hosts(self):
        first = Written(0, 2, host="a").collective("barrier", 0, 2000, 100)
        second = Written(1, 2, host="b", begin=51000, left_init=51100)
        second.collective("barrier", 0, 52050, 50)
        job = self.job(first, second)
        starts = [part.matched[0].start for part in job.parts]
        self.assertEqual(starts, [1000, 1050])

    def test_missing_killed_and_left(self):
        job = self.job(Written(0, 4), Written(1, 4, state=parts.RUNNING),
                       Written(3, 4, state=parts.EXITED))
        text = " ".join(job.problems)
        self.assertIn("no trace of PE 2", text)
        self.assertIn("PE 1 crashed or was killed", text)
        self.assertIn("PE 3 ended without shmem_finalize", text)

    def test_a_cut_off_part_is_left_out(self):
        path = Written(0, 2).collective("barrier", 0, 2000, 100).write(self.path)
        Written(1, 2).write(self.path)
        os.truncate(path, os.path.getsize(path) - 20)
        job = parts.Job(self.path)
        self.assertEqual(list(job.main), [1])
        self.assertIn("cut off", job.problems[0])
        with open(path, "r+b") as file:
            file.write(b"rubbish!")
        self.assertIn("no part of a trace", parts.Job(self.path).problems[0])

    def test_a_damaged_part_is_left_out(self):
        """By a number that no table has, as a full disk leaves it."""
        unknown, beyond = Written(0, 2), Written(0, 2)
        unknown.long.append((4000, 2500, 64, 0, len(OPERATIONS), 0, 0, 0, 0, 0, 0))
        beyond.long.append((4000, 2500, 64, 2, OPERATIONS.index("put"), 0, 0, 0, 0, 0, 0))
        sized = Written(0, 2)
        sized.choices = [(b"broadcast", b"flat", 2, 64, 3)]
        for part in (unknown, beyond, sized):
            job = self.job(part, Written(1, 2))
            self.assertEqual(list(job.main), [1])
            self.assertIn("pe0.thread0.part is left out: it is damaged", job.problems[0])

    def test_another_version(self):
        path = Written(0, 1).write(self.path)
        with open(path, "r+b") as file:
            file.seek(8)
            file.write(struct.pack("=I", 99))
        self.assertIn("version 99", parts.Job(self.path).problems[0])

    def test_timeline(self):
        part = Written(0, 1).collective("broadcast", 5, 2000, 1500, root=0)
        part.long.append((4000, 2500, 64, 0, OPERATIONS.index("put"), 0, 0, 0, 0, 0, 0))
        part.heap = [(3000, 4096)]
        path = os.path.join(self.path, "out.json")
        write_timeline(self.job(part), path)
        with open(path, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        slices = [event for event in events if event["ph"] == "X"]
        self.assertEqual([(event["name"], event["pid"], event["ts"], event["dur"])
                          for event in slices],
                         [("broadcast", 0, 1.0, 1.5), ("put", 0, 3.0, 2.5)])
        self.assertEqual(slices[0]["args"], {"bytes": 0, "root": 0, "number": 5, "PEs": 1})
        self.assertEqual(slices[1]["args"], {"bytes": 64, "peer": 0})
        self.assertEqual([event["args"] for event in events if event["ph"] == "C"],
                         [{"bytes": 4096}])

    def flows_of(self, compared, *changes):
        """The numbers of the changes that ended a wait for the int at 1000 from 2000 to 3000.
        changes: (time, word, bytes, value or None) by PE 1."""
        waiter, writer = Written(0, 2), Written(1, 2)
        waiter.wait(2000, 1000, 1000, 4, *compared)
        writer.releases = [(at, 10, 100, word, size, value or 0, 0, 0, OPERATIONS.index("atomic"),
                            0 if value is None else 1) for at, word, size, value in changes]
        found = [release for _, release, _, _ in analysis.releases(self.job(waiter, writer))]
        starts = [at - 1000 for at, _, _, _ in changes]
        return [starts.index(release.start) for release in found]

    def test_the_call_that_ended_a_wait(self):
        at_least_2 = (4, 2)  # SHMEM_CMP_GE
        self.assertEqual(self.flows_of(at_least_2), [])
        self.assertEqual(self.flows_of(at_least_2, (2500, 1000, 4, 2), (2600, 1000, 4, 3)), [0])
        # Not what makes the word 1 or -1; not what comes before or later, or changes another word.
        self.assertEqual(self.flows_of(at_least_2, (2500, 1000, 4, 1), (2600, 1000, 4, 2**32 - 1),
                                       (1900, 1000, 4, 2), (3100, 1000, 4, 2),
                                       (2700, 1004, 4, 2), (2700, 996, 4, 2)), [])
        # The last call that adds counts, and bytes around the word.
        self.assertEqual(self.flows_of(at_least_2, (2500, 1000, 4, None), (2600, 990, 20, None)),
                         [1])
        # Words with values of their own: the last change.
        self.assertEqual(self.flows_of((0, 0), (2500, 1000, 4, 1), (2600, 1000, 4, 1)), [1])

    def test_an_arrow_has_both_slices(self):
        waiter, writer = Written(0, 2), Written(1, 2)
        waiter.wait(2000, 1000, 1000, 4, 1, 7)
        writer.releases = [(2990, 20, 900, 1000, 4, 7, 0, 0, OPERATIONS.index("put"), 1)]
        path = os.path.join(self.path, "out.json")
        write_timeline(self.job(waiter, writer), path)
        with open(path, encoding="utf-8") as file:
            events = [event for event in json.load(file)["traceEvents"] if event["ph"] in "Xsf"]
        self.assertEqual([(event["ph"], event["pid"], event["ts"], event.get("dur"))
                          for event in events],
                         [("X", 0, 1.0, 1.0), ("X", 1, 1.99, 0.02), ("s", 1, 1.99, None),
                          ("f", 0, 1.999, None)])
        self.assertEqual(events[0]["args"], {"bytes": 4, "until": "== 7"})

    def test_lines_of_waits(self):
        """PEs load the program at different addresses. Without osh_hang a line is an offset."""
        bases = (0x10000, 0x70000)
        for pe, base in enumerate(bases):
            part = Written(pe, 2)
            part.maps = (f"{base:x}-{base + 0x1000:x} r--p 0 00:00 7 /some/pro gram\n"
                         f"{base + 0x1000:x}-{base + 0x2000:x} r-xp 1000 00:00 7 /some/pro gram\n"
                         ).encode()
            part.wait(2000, 1000 * (pe + 1), 1000, 8, 1, 7, site=base + 0x1234)
            part.write(self.path)
        tool = os.path.join(self.path, "tool")
        for script, line in (("exit 1", "pro gram+0x1234"),
                             ('test "$4" = 0x11234 && echo "work (a.c:7)"', "work (a.c:7)")):
            with open(tool, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{script}\n")
            os.chmod(tool, 0o755)
            job = parts.Job(self.path)
            name_lines(job, tool)
            row, = analysis.waits_by_line(job)
            self.assertEqual((row.operation, row.text, row.calls, row.ns, row.longest, row.pes),
                             ("wait", line, 2, 3000, 2000, {0, 1}))

    def command(self, *arguments, **environment):
        program = f"import sys; sys.path.insert(0, {MODULES!r}); sys.dont_write_bytecode = True\n" \
                  "from osh_report import main; sys.exit(main())"
        return subprocess.run([sys.executable, "-c", program, *arguments], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              env=os.environ | environment)

    def test_without_plotly_a_message_says_what_to_install(self):
        Written(0, 1).write(self.path)
        hidden = os.path.join(self.path, "hidden")
        os.mkdir(hidden)
        with open(os.path.join(hidden, "plotly.py"), "w", encoding="utf-8") as file:
            file.write("raise ImportError('No module named plotly')\n")
        page = os.path.join(self.path, "page.html")
        ran = self.command(self.path, "--report", page, "--remove", PYTHONPATH=hidden)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("python3-plotly", ran.stdout)
        self.assertFalse(os.path.exists(page))
        self.assertTrue(os.path.exists(os.path.join(self.path, "pe0.thread0.part")), "parts stay")

    def test_no_parts(self):
        ran = self.command(self.path, "--trace", os.path.join(self.path, "x.json"))
        self.assertEqual(ran.returncode, 1)
        self.assertIn("has no part of a trace", ran.stdout)
        ran = self.command(os.path.join(self.path, "none"), "--trace", "x.json")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("has no part of a trace", ran.stdout)

    @unittest.skipUnless(importlib.util.find_spec("plotly"), "Plotly for Python is not installed")
    def test_each_operation_has_its_colour(self):
        import pictures
        with open(os.path.join(MODULES, "../trace/operations.hpp"), encoding="utf-8") as file:
            names = re.findall(r"^    X\((\w+), k", file.read(), re.MULTILINE)
        self.assertEqual(set(names), set(pictures.COLOURS))
        values = {name: tuple(bytes.fromhex(pictures.COLOURS[name][1:])) for name in names}
        for one, other in itertools.combinations(names, 2):
            distance = sum(map(abs, map(operator.sub, values[one], values[other])))
            self.assertGreater(distance, 45, f"{one} and {other} look alike")

    def test_axes_have_units_of_their_size(self):
        self.assertEqual([units.time_axis(ns)[0] for ns in (100e9, 1e9, 999e6, 5e3, 10)],
                         ["seconds", "seconds", "milliseconds", "microseconds", "nanoseconds"])

    @unittest.skipUnless(importlib.util.find_spec("plotly"), "Plotly for Python is not installed")
    def test_page(self):
        starts = (2000, 2100, 7000)
        written = [Written(pe, 3).collective("barrier", 0, 1200, 10)
                   .collective("barrier", 1, start, 7100 - start)
                   for pe, start in enumerate(starts)]
        written[0].heap = [(3000, 4096)]
        written[0].choices = [(b"barrier", b"central", 3, 0, 1)]
        self.job(*written)
        page = os.path.join(self.path, "page.html")
        ran = self.command(self.path, "--report", page, "--trace", page + ".json", "--remove")
        self.assertEqual((ran.returncode, ran.stdout), (0, ""))
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("PE 2 made the others wait longest", text)
        for words in ("Timeline", "Waiting", "Traffic", "Symmetric heap", "central"):
            self.assertIn(words, text)
        self.assertNotIn('src="http', text)  # It needs no network.
        self.assertLess(os.path.getsize(page), 2000000)
        self.assertFalse(os.path.exists(os.path.join(self.path, "pe0.thread0.part")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
