# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a wrong use of a lock goes unnoticed, ends the job without saying why, or a wait for
a lock has no name in oshrun's report.

Usage: locks_errors_test.py OSHRUN PROGRAM (locks_cases.c).
"""
import sys

from misuse import Misuse

ADDRESS = r"(?:0x[0-9a-f]+|\(nil\))"
NOT_REENTRANT = "mutexes are not reentrant"
NEITHER = "rwlocks are neither reentrant nor can a reader become a writer"

MESSAGES = {
    "lock_twice": rf"shmemx_mutex_lock: this PE holds the mutex at {ADDRESS} of PE 0 already; "
                  + NOT_REENTRANT,
    "unlock_free": rf"shmemx_mutex_unlock: the mutex at {ADDRESS} of PE 1 is not locked; .*",
    "unlock_of_other": rf"shmemx_mutex_unlock: this PE does not hold the mutex at {ADDRESS} of "
                       "PE 0, PE 0 does; only the holder may unlock a mutex",
    "unlock_twice": rf"shmemx_mutex_unlock: the mutex at {ADDRESS} of PE 0 is not locked; .*",
    "other_instance": rf"shmemx_mutex_unlock: the mutex at {ADDRESS} of PE 1 is not locked; .*",
    "private_mutex": rf"shmemx_mutex_lock: address {ADDRESS} is not symmetric: .*",
    "null_mutex": rf"shmemx_mutex_trylock: address {ADDRESS} is not symmetric: .*",
    "unaligned": rf"shmemx_mutex_lock: address {ADDRESS} is not aligned to 8 bytes, .*",
    "bad_pe": r"shmemx_mutex_lock: pe 2 is not in \[0, 2\)",
    "owner_bad_pe": r"shmemx_mutex_owner: pe -1 is not in \[0, 2\)",
    "abandon_of_other": rf"shmemx_mutex_abandon: this PE does not hold the mutex at {ADDRESS} of "
                        "PE 0, PE 0 does; .*",
    "inherited_free": rf"shmemx_mutex_inherited: the mutex at {ADDRESS} of PE 1 is not locked; .*",
    "read_twice": rf"shmemx_rwlock_read_lock: this PE has locked the rwlock at {ADDRESS} of PE 0 "
                  f"for reading already; {NEITHER}",
    "upgrade": rf"shmemx_rwlock_write_lock: this PE has locked the rwlock at {ADDRESS} of PE 0 for "
               f"reading already; {NEITHER}",
    "read_unlock_free": rf"shmemx_rwlock_read_unlock: this PE has not locked the rwlock at "
                        rf"{ADDRESS} of PE 0; .*",
    "wrong_unlock": rf"shmemx_rwlock_read_unlock: this PE has locked the rwlock at {ADDRESS} of "
                    "PE 0 for writing; unlock it by the routine for writing",
    "rwlock_bad_pe": r"shmemx_rwlock_write_trylock: pe 99 is not in \[0, 2\)",
    "thread_unlock": rf"shmemx_mutex_unlock: this thread does not hold the mutex at {ADDRESS} of "
                     "PE 0, PE 1 does; .*",
    "late": "shmemx_mutex_lock: called after shmem_finalize; .*",
    "early": "shmemx_mutex_unlock: called before shmem_init",
}
FINE = ("fine_trylock_own", "fine_serialized")


def main():
    misuse = Misuse(npes=2, SHMEM_SYMMETRIC_SIZE="2M")
    for case, text in MESSAGES.items():
        misuse.expect_error(case, text)
    for case in FINE:
        misuse.expect_success(case)
    misuse.expect_hang("hang", "shmemx_mutex_lock")
    return misuse.end()


if __name__ == "__main__":
    sys.exit(main())
