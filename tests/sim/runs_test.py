#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The simulator itself: runs of a seed are equal, runs of different seeds differ, a wait that does
not end is found, with the PE that holds up the others or the cycle, and so is a mistake that needs
a certain order of steps, which --shrink then shows."""
import re
import subprocess
import sys

sim, hello, deadlock, race = sys.argv[1:]


def run(program, *options, arguments=()):
    done = subprocess.run([sim, "run", *options, program, *arguments], capture_output=True,
                          text=True, check=False, timeout=250)
    return done.returncode, done.stdout + done.stderr


def traces(*options):
    code, text = run(hello, "-v", *options)
    assert code == 0, text
    found = re.findall(r"trace ([0-9a-f]+)", text)
    assert text.count("all PEs agree") == len(found), text
    return found


for layout in (["-n", "1"], ["-n", "3"], ["-n", "4", "--nodes", "2"], ["-n", "5", "--nodes", "5"]):
    first = traces(*layout, "--seeds", "5")
    assert len(first) == 5 and len(set(first)) == 5, first
    assert traces(*layout, "--seeds", "5") == first, "a seed has two traces"
    assert traces(*layout, "--seed", "3") == [first[3]], "a seed depends on those before"

for layout in (["-n", "3"], ["-n", "4", "--nodes", "2"]):
    code, text = run(deadlock, *layout, "--seeds", "2")
    assert code == 1, text
    assert text.count("status 124") == text.count("sim: deadlock: ") == 2, text
    last = int(layout[1]) - 1
    assert text.count(f"PE {last} waits in shmem_long_wait_until") == 2, text
    assert text.count("PE 0 waits in shmem_barrier_all") == 2, text
    assert text.count(f"PE {last} holds up PEs 0") == 2, text
    code, text = run(deadlock, *layout, "--seeds", "2", arguments=["locks"])
    assert code == 1, text
    assert text.count("A cycle: PE 0 waits for PE 1 (lock ") == 2, text
code, text = run(race, "-n", "2", "--seeds", "100")
failed = re.findall(r"seed (\d+), 2 PEs", text)
assert code == 1 and text.count("an addition is lost") == len(failed) > 0, text
code, text = run(race, "-n", "2", "--seed", failed[0], "--shrink")
window = re.search(rf"seed {failed[0]} fails with the random switches (\d+) to (\d+) alone", text)
assert code == 1 and window, text
shown = text.count("sim: switch ")
assert shown > 0, text

print("seeds are equal to themselves, and waits without an end are found")
