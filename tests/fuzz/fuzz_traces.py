# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a damaged part of a trace, as a full disk or a crash leaves it, ends osh_report by
an exception, or takes all memory.

Changes bytes and fields of good parts at random and makes the timeline and the tables of the page
of them. It prints its seed; a finding prints the one of its input.

    python3 tests/fuzz/fuzz_traces.py tools/osh_report [--seconds N] [--seed N] [--page]
"""
import argparse
import os
import random
import resource
import signal
import struct
import sys
import tempfile
import time

ARGUMENTS = argparse.ArgumentParser()
ARGUMENTS.add_argument("modules")
ARGUMENTS.add_argument("--seconds", type=float, default=1)
ARGUMENTS.add_argument("--seed", type=int, help="run this input only")
ARGUMENTS.add_argument("--page", action="store_true",
                       help="draw the page, too, by Plotly; that takes most of the time")
GIVEN = ARGUMENTS.parse_args()
sys.path.insert(0, GIVEN.modules)

import analysis  # noqa: E402
import lines  # noqa: E402
import parts  # noqa: E402
from timeline import write_timeline  # noqa: E402
from trace_parts import OPERATIONS, Written  # noqa: E402

NPES = 2
MEMORY_MAX = 1 << 30
SECONDS_MAX = 10
NUMBERS = (0, 1, 2, 3, 7, 8, 63, 64, 127, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**40,
           2**63 - 1, 2**63, 2**64 - 1)


def good_parts():
    """RETURNS a job's parts, which have rows in all tables."""
    for pe in range(NPES):
        part = Written(pe, NPES, host=f"host{pe}")
        part.collective("barrier", 0, 2000, 100).collective("broadcast", 1, 3000, 200, root=0)
        part.wait(4000, 2000, 5000, 8, 1, 7, site=0x1010)
        part.releases = [(4500, 10, 100, 5000, 8, 7, 0x1020, 1 - pe, OPERATIONS.index("put"), 1)]
        part.heap = [(2000, 4096), (3000, 0)]
        part.choices = [(b"broadcast", b"flat", NPES, 3, 4)]
        part.cells = {("put", 1 - pe): (3, 24, 0, 0, 9, 3, 3), ("wait", -1): (1, 8, 0, 0, 9, 1, 1)}
        part.maps = b"1000-2000 r-xp 00000000 00:00 1 /bin/program\n"
        yield part


def change(data, dice):
    """One change of a part, a bytearray."""
    kind = dice.randrange(8)
    at = dice.randrange(len(data))
    if kind == 0:
        del data[at:]
    elif kind == 1:
        data[at] = dice.randrange(256)
    elif kind == 2:
        data[at:at] = dice.randbytes(dice.randrange(1, 65))
    else:
        shape = struct.Struct(("=H", "=I", "=Q")[kind % 3])
        at = min(at, len(data) - shape.size) // 4 * 4
        if at >= 0:
            number = dice.choice(NUMBERS) & ((1 << 8 * shape.size) - 1)
            shape.pack_into(data, at, number)
    return data or bytearray(1)  # One more change has a byte to change.


def run(folder, originals, seed):
    dice = random.Random(seed)
    for path, data in originals.items():
        if dice.randrange(3):
            for _ in range(dice.randrange(1, 5)):
                data = change(bytearray(data), dice)
        with open(path, "wb") as file:
            file.write(data)
    job = parts.Job(folder)
    if not job.parts:
        return
    lines.name_lines(job, "")
    write_timeline(job, os.devnull)
    for table in (analysis.waits, analysis.waits_by_line, analysis.matrix, analysis.time_by_pe,
                  analysis.algorithms, analysis.bandwidths, analysis.calls_by_operation):
        table(job)
    if GIVEN.page:
        from page import make_page
        make_page(job, {})


def give_up(*_):
    raise TimeoutError(f"an input took more than {SECONDS_MAX} seconds of the processor")


def main():
    signal.signal(signal.SIGPROF, give_up)
    lines._ask = lambda *arguments: []  # An osh_hang for each input would take most of the time.
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX, MEMORY_MAX))
    first = GIVEN.seed if GIVEN.seed is not None else time.time_ns() // 1000
    end = time.monotonic() + GIVEN.seconds
    seed = first
    with tempfile.TemporaryDirectory(prefix="fuzz-traces-") as folder:
        originals = {}
        for part in good_parts():
            path = part.write(folder)
            with open(path, "rb") as file:
                originals[path] = file.read()
        while seed == first or (GIVEN.seed is None and time.monotonic() < end):
            signal.setitimer(signal.ITIMER_PROF, SECONDS_MAX)
            try:
                run(folder, originals, seed)
            except BaseException:
                print(f"finding: --seed {seed}")
                raise
            seed += 1
    print(f"{seed - first} inputs, from --seed {first}")


if __name__ == "__main__":
    main()
