# SPDX-License-Identifier: BSD-3-Clause
"""Timelines of jobs that another launcher than oshrun has started, made as docs/run/timeline.md
says."""
import json
import os
import shutil
import subprocess

from launching import OSHRUN, preloading
from timelines import ROUNDS, TRACED

BUILD = os.path.dirname(os.path.dirname(OSHRUN))
LIBRARY = os.path.join(BUILD, "lib", "tessera", "libtessera-trace.so")
REPORT = os.path.join(BUILD, "bin", "osh_report")
NPES = 4


class Launched:
    """For a class of TimelineTest."""

    def launcher(self, **variables):
        """The command line before the program, which gets these variables."""
        raise NotImplementedError

    def check_ring_on(self, nodes):
        path = os.path.join(self.folder, "trace.json")
        parts = path + ".parts"
        self.addCleanup(shutil.rmtree, parts, ignore_errors=True)
        self.run_job(TRACED, "ring", ROUNDS, launcher=self.launcher(
            SHMEM_TRACE=path, SHMEM_VIRTUAL_NODES=nodes, **preloading(LIBRARY)))
        subprocess.run([REPORT, parts, "--trace", path], check=True)
        with open(path, encoding="utf-8") as file:
            trace = json.load(file)
        os.unlink(path)
        shutil.rmtree(parts)
        self.check_format(trace, NPES)
        self.assertEqual(trace["otherData"]["PEs"], NPES)
        self.check_ring(trace, NPES)

    def test_ring(self):
        self.check_ring_on(1)

    def test_ring_on_virtual_nodes(self):
        self.check_ring_on(2)
