#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a Fortran program with several numbers of images and says which runs went wrong.

A layout is a number of images ("5"), or images and virtual nodes ("5x2"), which are connected by
tcp. Each run must end with an expected status and print a line that matches the pattern. With
--valgrind the images run under memcheck, and a run with a finding of memcheck went wrong, too. With
--compile the program is made first, in a folder of its own: its first word is then the name.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile

SECONDS = 120
VALGRIND_SECONDS = 900
SUPPRESSIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "valgrind.supp")
# Text of memcheck -q about the end of an image by a signal, which is no finding.
ENDED = re.compile(r"(==\d+== \n)*==\d+== Process terminating with default action of .*", re.S)


def memcheck(valgrind, folder):
    """Returns the command that runs an image under memcheck, with the report in a file of folder.

    Without --fair-sched the thread that serves other nodes may never get valgrind's lock. With
    --vgdb an image that is killed leaves three pipes in /tmp.
    """
    return [valgrind, "-q", "--fair-sched=yes", "--vgdb=no", "--num-callers=30",
            f"--log-file={folder}/%p", f"--suppressions={SUPPRESSIONS}"]


def findings(folder):
    """Returns what the reports in the folder say."""
    reports = []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as report:
            reports.append(ENDED.sub("", report.read()))
    return "".join(reports)


def run(arguments, layout, folder):
    """Returns the complaint about one run, or None. The folder is for the reports of memcheck."""
    images, _, nodes = layout.partition("x")
    environment = dict(os.environ)
    environment.setdefault("SHMEM_SYMMETRIC_SIZE", "64M")
    if nodes:
        environment["SHMEM_VIRTUAL_NODES"] = nodes
        environment.setdefault("SHMEM_OFI_PROVIDER", "tcp;ofi_rxm")
    seconds = VALGRIND_SECONDS if arguments.valgrind else SECONDS
    tool = memcheck(arguments.valgrind, folder) if arguments.valgrind else []
    command = [arguments.oshrun, "-n", images, "--timeout", str(seconds), *tool, *arguments.program]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                          errors="replace", check=False)
    complaint = None
    if done.returncode not in arguments.status:
        complaint = f"status {done.returncode}, expected {arguments.status}"
    elif not re.search(arguments.output, done.stdout, re.MULTILINE):
        complaint = f"no line matches {arguments.output!r}"
    elif found := findings(folder):
        complaint = f"memcheck reports\n{found[:6000]}"
    if complaint:
        complaint = f"images x nodes = {layout}: {complaint}\n{done.stdout[-3000:]}"
    return complaint


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--oshrun", required=True)
    parser.add_argument("--status", type=int, nargs="+", default=[0])
    parser.add_argument("--output", default="passed")
    parser.add_argument("--layouts", nargs="+", required=True)
    parser.add_argument("--valgrind", help="path of valgrind")
    parser.add_argument("--compile", help="command, with options and sources in absolute paths")
    parser.add_argument("program", nargs="+")
    arguments = parser.parse_args()
    complaints = []
    with tempfile.TemporaryDirectory() as made:
        if arguments.compile:
            arguments.program[0] = os.path.join(made, arguments.program[0])
            subprocess.run([*shlex.split(arguments.compile), "-o", arguments.program[0]], cwd=made,
                           check=True)
        for layout in arguments.layouts:
            with tempfile.TemporaryDirectory() as folder:
                if complaint := run(arguments, layout, folder):
                    complaints.append(complaint)
    print("\n".join(complaints) or f"{len(arguments.layouts)} runs as expected")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
