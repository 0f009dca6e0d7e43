# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a wrong use of an epoch goes unnoticed, ends the job without saying why, or a wait
for a partner has no name in oshrun's report.

Usage: epochs_errors_test.py OSHRUN PROGRAM (epochs_cases.c).
"""
import sys

from misuse import Misuse

HANDLE = r"(?:0x[0-9a-f]+|\(nil\))"


def not_open(routine, opener):
    return (rf"shmemx_epoch_{routine}: epoch {HANDLE} is no open epoch of this PE; open one by "
            rf"shmemx_epoch_{opener}")


def other_kind(routine, kind, wanted):
    return (rf"shmemx_epoch_{routine}: epoch {HANDLE} is an {kind} epoch, but this routine is for "
            rf"an {wanted} epoch")


def stranger(routine):
    return (rf"shmemx_epoch_{routine}: PE 1 is not among the 1 targets of the epoch; list it in "
            "shmemx_epoch_start")


def bad_options(routine, options):
    return rf"shmemx_epoch_{routine}: options {options} are not allowed here; .*"


def outside(routine, nbytes, offset):
    return (rf"{routine}: {nbytes} bytes at offset {offset} of PE 0's part of the window, which "
            r"has 120 bytes; access only bytes that the PE gave to shmemx_window_create")


def no_window(routine):
    return (rf"shmemx_window_{routine}: window {HANDLE} is no window of this PE \(any more\); "
            "pass one from shmemx_window_create, before shmemx_window_destroy")


MESSAGES = {
    "complete_without_start": not_open("complete", "start"),
    "wait_without_post": not_open("wait", "post"),
    "complete_twice": not_open("complete", "start"),
    "test_after_wait": not_open("test", "post"),
    "wait_for_access": other_kind("wait", "access", "exposure"),
    "complete_exposure": other_kind("complete", "exposure", "access"),
    "stranger_put": stranger("put"),
    "stranger_ready": stranger("ready"),
    "bad_pe_get": r"shmemx_epoch_get: pe 7 is not in \[0, 2\)",
    "post_twice": "shmemx_epoch_post: a list of 3 PEs, but the job has 2; list each PE once",
    "start_twice": "shmemx_epoch_start: PE 1 stands in the list more than once; list each PE once",
    "post_bad_pe": r"shmemx_epoch_post: pe 2 is not in \[0, 2\)",
    "null_list": "shmemx_epoch_post: .*origins.*",
    "null_handle": "shmemx_epoch_start: epoch is a null pointer; .*",
    "put_with_noput": "shmemx_epoch_put: the epoch was started with SHMEMX_EPOCH_NOPUT; start it "
                      "without",
    "options_of_start": bad_options("post", 4),
    "options_of_post": bad_options("start", 1),
    "two_modes": bad_options("start", 12),
    "out_of_order": "shmemx_epoch_complete: an older access epoch towards PE 0 is still open; "
                    "complete it first",
    "deferred_private": rf"shmemx_epoch_put: address {HANDLE} is not symmetric: .*",
    "null_source": "shmemx_epoch_put: .*source.*",
    "window_behind_part": outside("shmemx_epoch_put", 8, 120),
    "window_before_part": outside("shmemx_epoch_get", 8, -8),
    "window_put_across": outside("shmemx_window_put", 16, 112),
    "window_get_private": rf".*address {HANDLE} is not symmetric: .*",
    "window_other_memory": outside("shmemx_window_get", 8, "-?[0-9]+"),
    "window_stranger": "shmemx_window_start: PE 0 is not in the team of the window; list members "
                       "only",
    "window_put_stranger": "shmemx_window_put: PE 0 is not in the team of the window; pass a "
                           "member",
    "window_invalid": no_window("post"),
    "window_foreign": no_window("barrier"),
    "window_epoch_as_window": no_window("publish"),
    "window_destroyed": no_window("refresh"),
    "window_of_destroyed_team": not_open("complete", "start"),
    "window_open_epoch": "shmemx_window_destroy: 1 epochs of this PE on the window are open; end "
                         "them first",
    "window_conflict": "shmemx_window_post: 32 bytes from offset 0 of the window on are exposed by "
                       "an open epoch of another window, and puts are allowed; .*",
    "window_no_conflict": "shmemx_window_post: epoch is a null pointer; .*",
    "window_private_base": rf"shmemx_window_create: address {HANDLE} is not symmetric: .*",
    "window_null_base": "shmemx_window_create: base is NULL with 8 bytes",
    "window_null_handle": "shmemx_window_create: window is a null pointer; pass a variable",
    "window_options": r"shmemx_window_barrier: options 4 are not allowed here; .*",
    "early": "shmemx_epoch_post: called before shmem_init",
    "late": "shmemx_epoch_complete: called after shmem_finalize; .*",
}
HANGS = {"hang_window": "shmemx_epoch_wait", "hang": "shmemx_epoch_wait",
         "hang_ready": "shmemx_epoch_ready"}


def main():
    misuse = Misuse(npes=2, SHMEM_SYMMETRIC_SIZE="2M")
    for case, text in MESSAGES.items():
        misuse.expect_error(case, text)
    for case, routine in HANGS.items():
        misuse.expect_hang(case, routine)
    return misuse.end()


if __name__ == "__main__":
    sys.exit(main())
