# SPDX-License-Identifier: BSD-3-Clause
"""SHMEM_PROGRESS=none between nodes: each routine that docs/run/progress.md says a program may
repeat serves the other nodes, and no routine is missing in that table. Arguments: oshrun, the
program repeated_calls_test, docs/run/progress.md, layouts (PEs x nodes, then the fabric's
settings)."""
import os
import re
import subprocess
import sys
import unittest

OSHRUN, PROGRAM, PAGE = sys.argv[1:4]
LAYOUTS = sys.argv[4:]
HEADING = "## Routines that serve other nodes"
SECONDS = 60  # a limit that only a hang reaches


def routines_in_page():
    with open(PAGE, encoding="utf-8") as page:
        section = page.read().split(HEADING + "\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])}


class RepeatedCalls(unittest.TestCase):
    def test_table_names_the_tested_routines(self):
        listed = subprocess.run([PROGRAM, "--list"], stdout=subprocess.PIPE, check=True)
        self.assertEqual(routines_in_page(), set(listed.stdout.decode().split()))

    def test_each_loop_ends(self):
        for layout in LAYOUTS:
            pes, nodes, *settings = layout.split(",")
            environment = {**os.environ, "SHMEM_PROGRESS": "none", "SHMEM_VIRTUAL_NODES": nodes,
                           "SHMEM_SYMMETRIC_SIZE": "64M",
                           **dict(setting.split("=") for setting in settings)}
            with self.subTest(layout):
                job = subprocess.run([OSHRUN, "-n", pes, "--timeout", str(SECONDS), PROGRAM],
                                     env=environment, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, check=False)
                output = job.stdout.decode()
                self.assertEqual(job.returncode, 0, output[-2000:])
                self.assertIn("loops have ended", output)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
