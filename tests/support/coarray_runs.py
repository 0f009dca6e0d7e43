#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a Fortran program with several numbers of images and says which runs went wrong.

A layout is a number of images ("5"), or images and virtual nodes ("5x2"), which are connected by
tcp. Each run must end with an expected status and print a line that matches the pattern.
"""

import argparse
import os
import re
import subprocess
import sys

SECONDS = 120


def run(arguments, layout):
    """Returns the complaint about one run, or None."""
    images, _, nodes = layout.partition("x")
    environment = dict(os.environ)
    environment.setdefault("SHMEM_SYMMETRIC_SIZE", "64M")
    if nodes:
        environment["SHMEM_VIRTUAL_NODES"] = nodes
        environment.setdefault("SHMEM_OFI_PROVIDER", "tcp;ofi_rxm")
    command = [arguments.oshrun, "-n", images, "--timeout", str(SECONDS), *arguments.program]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                          errors="replace", check=False)
    complaint = None
    if done.returncode not in arguments.status:
        complaint = f"status {done.returncode}, expected {arguments.status}"
    elif not re.search(arguments.output, done.stdout, re.MULTILINE):
        complaint = f"no line matches {arguments.output!r}"
    if complaint:
        complaint = f"images x nodes = {layout}: {complaint}\n{done.stdout[-3000:]}"
    return complaint


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--oshrun", required=True)
    parser.add_argument("--status", type=int, nargs="+", default=[0])
    parser.add_argument("--output", default="passed")
    parser.add_argument("--layouts", nargs="+", required=True)
    parser.add_argument("program", nargs="+")
    arguments = parser.parse_args()
    complaints = [complaint for layout in arguments.layouts
                  if (complaint := run(arguments, layout))]
    print("\n".join(complaints) or f"{len(arguments.layouts)} runs as expected")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
