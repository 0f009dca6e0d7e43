# SPDX-License-Identifier: BSD-3-Clause
"""Would break: two operations whose order OpenSHMEM or docs/run/conformance.md promises pass each
other on a kind of memory, or between nodes.

Runs the litmus programs in each cell, and compares the outcomes with the table of the document. By
hand, with more rounds, it prints the rows of that table:

    litmus_test.py build/release/bin/oshrun build/release/bin/litmus_O2 docs/run/conformance.md \\
        --rounds 20000 --table
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

SECONDS = 250  # Only a hang takes as long.
TCP = {"SHMEM_OFI_PROVIDER": "tcp;ofi_rxm"}
EMULATED = {"SHMEM_HEAP": "noncoherent-emulated"}


def four_nodes(**more):
    return {"SHMEM_VIRTUAL_NODES": "4", **more}


# The columns of the table, and the settings of their jobs of 4 PEs. Two virtual nodes: both ways.
CELLS = {
    "shared": [{}],
    "messages": [four_nodes(**TCP), {**TCP, "SHMEM_VIRTUAL_NODES": "2"},
                 four_nodes(SHMEM_FABRIC="loopback"),
                 four_nodes(SHMEM_OFI_PROVIDER="tcp", SHMEM_OFI_RMA="off")],
    "emulated": [EMULATED, {**EMULATED, "SHMEM_NONCOHERENT_SEED": "1"}],
    "file": [{"SHMEM_HEAP": "FILE"},
             {"SHMEM_HEAP": "FILE", "SHMEM_FABRIC": "loopback", "SHMEM_VIRTUAL_NODES": "2"}],
}
ROW = re.compile(r"(\w+) +(\S.*?)  +(expected|allowed|open|forbidden)  +(-|never.*?)  +(\d+)(.*)")


def run(arguments, column, settings):
    """Returns {(test, outcome, verdict, promise): count} of a job, and what it complains of."""
    with tempfile.TemporaryDirectory(prefix="litmus-") as folder:
        settings = {name: f"noncoherent:{folder}/memory" if value == "FILE" else value
                    for name, value in settings.items()}
        promises = "coherent" if column in ("shared", "messages") else "all"
        done = subprocess.run(
            [arguments.oshrun, "-n", "4", "--timeout", str(arguments.seconds), arguments.program,
             "--rounds", str(arguments.rounds), "--seed", str(arguments.seed),
             "--promises", promises],
            env={**os.environ, "SHMEM_SYMMETRIC_SIZE": "16M", **settings}, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            check=False)
    rows = [match.groups() for match in map(ROW.match, done.stdout.splitlines()) if match]
    counts = {row[:4]: int(row[4]) for row in rows if row[2] != "expected"}
    if done.returncode == 0 and counts:
        return counts, ""
    return counts, f"---- {column} {settings}\n{done.stdout[-6000:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("oshrun")
    parser.add_argument("program")
    parser.add_argument("document")
    parser.add_argument("--rounds", type=int, default=64)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "little"))
    parser.add_argument("--seconds", type=int, default=SECONDS, help="limit of a job")
    parser.add_argument("--columns", nargs="+", default=list(CELLS))
    parser.add_argument("--table", action="store_true", help="print the rows of the document")
    arguments = parser.parse_args()
    totals, wrong, listed = {}, [], {}
    for column in arguments.columns:
        for settings in CELLS[column]:
            counts, complaint = run(arguments, column, settings)
            wrong += [complaint] if complaint else []
            for outcome, count in counts.items():
                listed.setdefault(outcome)
                totals[outcome, column] = totals.get((outcome, column), 0) + count
    with open(arguments.document, encoding="utf-8") as file:
        document = file.read()
    for outcome in listed:
        head = "| `{}`: {} | {} | {} |".format(*outcome)
        if arguments.table:
            print(head, *(f"{totals.get((outcome, column), 0):,} |"
                          for column in arguments.columns))
        elif head not in document:
            wrong.append(f"{arguments.document} has no row {head}")
    print(f"seed {arguments.seed}", *wrong, sep="\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
