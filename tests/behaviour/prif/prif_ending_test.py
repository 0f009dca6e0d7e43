#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Breaks when an end of the images, or a mistake without stat, gives another exit code or other
output than docs/runtimes/prif.md says, or hangs.

usage: ending_test.py OSHRUN PROGRAM
"""

import os
import re
import subprocess
import sys

# The argument, images x virtual nodes, the exit code, and patterns that the output matches and does
# not match. The output is what standard output got and then what standard error got: oshrun
# forwards the two by themselves, so a line of one may come between two lines of the other.
CASES = (
    ("stop", "1 3 3x3", 0, r"\Asecond: F T\nfirst: F T\n\Z", None),
    ("stop_code", "3", 7, r"kept (STOP 7\n)?", "no end"),
    ("stop_code", "1", 7, r"\Akept STOP 7\nsecond: F F 7\nfirst: F F 7\n", None),
    ("stop_text", "3", 0, r"STOP good bye\n(.*\n)*second: F F good bye\nfirst: F F good bye", None),
    ("stop_waits", "4", 0, r"second: F T\nfirst: F T\n", None),
    ("error_stop", "1 3 3x3", 9, r"(?s)(?=.*kept)(?=.*ERROR STOP 9\n)(?=.*second: T F 9\nfirst: T)",
     "no end"),
    ("error_stop_text", "3", 1, r"(?s)(?=.*ERROR STOP broken)(?=.*second: T F broken\n)", "no end"),
    ("error_stop_quiet", "3", 1, r"second: T T\nfirst: T T\n", "ERROR STOP|no end"),
    ("fail_image", "2 3 4x2", 0, r"", "ERROR|no end"),
    ("stopped", "2 3 3x3", 0, r"second: F T\nfirst: F T\n", "ERROR|no end"),
    ("failed_holder", "2 3 4 8 3x3 4x2", 0, r"passed", "wrong|ERROR|no end"),
    ("killed_holder", "2 3 4 8", 0, r"passed", "wrong|ERROR|no end"),
    # Between nodes a killed image takes its place in the queue along.
    ("killed_holder", "3x3 4x2", (0, 1), r"\A\Z|a PE has died|cannot be known|has failed|killed",
     "wrong|no end"),
    ("failed_with_many", "2 3x3", 0, r"passed", "wrong|ERROR|no end"),
    ("killed_with_many", "2 3", 0, r"passed", "wrong|ERROR|no end"),
    ("failed_untold", "2 3x3", 1, r"prif_lock: an image has failed while it held the lock on "
     r"image 1", "no end"),
    ("failed_critical", "2 3x3", 1, r"prif_critical: an image has failed in the critical construct",
     "no end"),
    ("lock_twice", "1 2", 1, r"\[image \d\] prif_lock: this image has locked the variable on image "
     r"1 already", "no end"),
    ("unlock_free", "1", 1, r"prif_unlock: no image has locked the variable on image 1", "no end"),
    ("unlock_other", "2 3x3", 1, r"prif_unlock: image 1 has locked the variable on image 2, not "
     r"this image", "no end"),
    ("lock_null", "1", 1, r"prif_lock: coarray_handle is null", "no end"),
    ("critical_small", "1", 1, r"prif_critical: critical_coarray has 4 bytes", "no end"),
    ("end_critical", "1", 1, r"prif_end_critical: this image is not in the critical construct",
     "no end"),
    ("before_init", "1", 1, r"prif_sync_all: .*call prif_init first", "no end"),
    ("put_image", "2", 1, r"(?s)(?=.*kept )(?=.*\[image \d\] prif_put: image_num 3 does not exist)",
     "no end"),
    ("put_range", "2", 1, r"prif_put: 8 bytes at the offset 4 on image 1 lie beyond the coarray, "
     r"which has 8 bytes", "no end"),
    ("put_null", "2", 1, r"prif_put: coarray_handle is null", "no end"),
    ("put_freed", "2", 1, r"prif_put: the coarray of coarray_handle is deallocated", "no end"),
    ("no_team", "2", 1, r"prif_change_team: the team argument holds no team", "no end"),
    ("dim", "1", 1, r"prif_lcobound_with_dim: dim 2 does not exist; the coarray has the corank 1",
     "no end"),
    ("sizes", "2", 1, r"prif_allocate_coarray: .*8 bytes.*same statement", "no end"),
)


def complaint(oshrun, program, case, layout):
    """Says what is wrong with a run, or None."""
    argument, _, status, wanted, unwanted = case
    images, _, nodes = layout.partition("x")
    environment = dict(os.environ, SHMEM_SYMMETRIC_SIZE="16M")
    if nodes:
        environment.update(SHMEM_VIRTUAL_NODES=nodes, SHMEM_OFI_PROVIDER="tcp;ofi_rxm")
    done = subprocess.run([oshrun, "-n", images, "--timeout", "60", program, argument],
                          env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, text=True, errors="replace", check=False)
    output = done.stdout + done.stderr
    statuses = status if isinstance(status, tuple) else (status,)
    if done.returncode in statuses and re.search(wanted, output) and not (
            unwanted and re.search(unwanted, output)):
        return None
    return f"{argument} {layout}: status {done.returncode}, wanted {status}\n{output}"


def main():
    oshrun, program = sys.argv[1:]
    wrong = []
    for case in CASES:
        for layout in case[1].split():
            if says := complaint(oshrun, program, case, layout):
                wrong.append(says)
    print("\n".join(wrong) or "all as expected")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
