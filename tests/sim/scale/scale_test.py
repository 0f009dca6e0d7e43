# SPDX-License-Identifier: BSD-3-Clause
"""Breaks when a job of many PEs needs more contacts, messages or time than it should, or when the
simulation of it is not the same each time."""
import subprocess
import sys

SCALE, PROGRAM = sys.argv[1:3]
PES, NODES = 96, 6
ROUNDS = 3  # ceil(lg NODES)


def run():
    """The rows of the table by phase: the columns but the last, which is real time."""
    command = [SCALE, "--pes", str(PES), "--pes-of-node", str(PES // NODES), PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    rows = {}
    for line in done.stdout.splitlines()[1:-1]:
        name, rest = line[:24].strip(), line[24:].split()
        rows[name] = rest[:-1]
    return rows


def main():
    first, second = run(), run()
    assert first == second, (first, second)
    for name in ("barrier_all", "sync_all"):
        time_us, messages, contacts = (float(each) for each in first[name][:3])
        assert contacts == 0, name
        assert messages == NODES * ROUNDS, (name, messages)
        # A round takes L + 2 o; the node's PEs meet before and behind.
        assert ROUNDS * 5.5 <= time_us <= ROUNDS * 5.5 + 10, (name, time_us)
    # A parent's meeting: each PE has at most a parent and lg PES children.
    assert float(first["team of all PEs"][1]) < 20 * PES, first["team of all PEs"]


main()
