# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a wrong use of an extension goes unnoticed, ends a job without saying why, or right
uses end it, too.

The mistakes are made by shmemx_error_cases.c. Usage: shmemx_errors_test.py OSHRUN PROGRAM.
"""
import os
import re
import subprocess
import sys

NPES = 3
HANG_SECONDS = 60
ADDRESS = r"0x[0-9a-f]+"
CREATE = "shmemx_heap_create: "


def cannot_be_used(why):
    return (rf"{CREATE}the memory at {ADDRESS} cannot be used by other PEs: {why}; give memory "
            "from mmap, malloc or aligned_alloc")


NO_MEMORY = CREATE + rf"base (?:{ADDRESS}|\(nil\)) with size \d+ is no memory"
IS_SYMMETRIC = CREATE + rf"\[{ADDRESS}, {ADDRESS}\) is already symmetric, at least in part; .*"
NOT_SYMMETRIC = rf"address (?:{ADDRESS}|\(nil\)) is not symmetric: .*"
KIND = "(?:host|Level Zero)"
DIFFERS = rf"PE \d gives memory of kind {KIND}, this PE {KIND}; all PEs must give the same kind"
ALIGNMENT = (r"base is [08] bytes beyond a multiple of 16, that of PE \d [08]; give memory of the "
             "same alignment on all PEs")


def of_a_device(name):
    return (rf"{ADDRESS} is memory of a device \({name}\), registered by shmemx_heap_create; no "
            "transport of this job reaches it, copy it through memory from shmem_malloc")


def of_another_thread(routine, owner=r"\d+", caller=r"\d+"):
    return (rf"{routine}: ctx {ADDRESS} is private to thread {owner}, which created it, and thread "
            rf"{caller} calls; .*")


# Case -> what a message says behind "[pe 1] ".
MESSAGES = {
    "heap_no_size": NO_MEMORY,
    "heap_no_base": NO_MEMORY,
    "heap_past_the_end": NO_MEMORY,
    "heap_bad_kind": CREATE + r"device_type 3 is none of SHMEMX_EXTERNAL_HEAP_ZE, _CUDA, _HOST",
    "heap_of_shmem_malloc": IS_SYMMETRIC,
    "heap_around_static_data": IS_SYMMETRIC,
    "heap_twice": IS_SYMMETRIC,
    "heap_of_a_peer": IS_SYMMETRIC,
    "heap_device_twice": IS_SYMMETRIC,
    "heap_constant": cannot_be_used("part of it is not for reading and writing"),
    "heap_hole": cannot_be_used("part of it is not mapped"),
    "heap_stack": cannot_be_used("it holds the stack of the calling thread"),
    "one_heap_other_alignment": CREATE + ALIGNMENT,
    "one_use_other_size": r"shmem_putmem: 8 bytes at .* of the part of PE 2 of a segment, are not "
                          r"all in that part, which has \d+ bytes; .*",
    "one_heap_other_kind": CREATE + DIFFERS,
    "use_device_put": "shmem_long_put: " + of_a_device("CUDA"),
    "use_device_get": "shmem_long_get: " + of_a_device("Level Zero"),
    "use_device_atomic": "shmem_long_atomic_inc: " + of_a_device("CUDA"),
    "use_device_wait": "shmem_long_wait_until: " + of_a_device("CUDA"),
    "use_past_the_end": rf"shmem_putmem: \d+ bytes at {ADDRESS} run past the end of the external "
                        r"heap, which ends \d+ bytes behind that address; .*",
    "use_of_a_peer": rf"shmem_putmem: {ADDRESS} lies in the memory of PE \d \(from shmem_ptr\?\); "
                     ".*",
    "counter_no_room": "shmemx_ct_create: no room for a counter in the symmetric heap; .*",
    "counter_null": "shmemx_ct_wait: " + NOT_SYMMETRIC,
    "counter_bad_pe": r"shmemx_putmem_ct: pe 77 is not in \[0, 3\)",
    "counter_bad_address": "shmemx_getmem_ct: " + NOT_SYMMETRIC,
    "counter_freed_twice": rf"shmemx_ct_free: {ADDRESS} is not the start of an allocated block .*",
    "pcntr_invalid_context": "shmemx_pcntr_get_issued_write: ctx is SHMEM_CTX_INVALID; .*",
    "team_node_destroyed": "shmem_team_destroy: predefined teams cannot be destroyed",
    "late_postinit": "shmemx_heap_postinit: called after shmem_finalize; .*",
    "late_create": CREATE + "called after shmem_finalize; .*",
    "late_counter": "shmemx_ct_create: called after shmem_finalize; .*",
    "early_postinit": "shmemx_heap_postinit: called before shmem_init",
    "early_create": CREATE + "called before shmem_init",
    "early_level": "shmem_init_thread: requested thread level 77 .*",
}
# With SHMEM_DEBUG=1; without it these are not looked for.
DEBUG_MESSAGES = {
    "private_destroy": of_another_thread("shmem_ctx_destroy"),
    "private_session": of_another_thread("shmem_ctx_session_start"),
    "private_registered": of_another_thread("shmem_ctx_destroy", 111, 222),
}
FINE = {"fine_registered": "1", "private_destroy": "0", "private_registered": "0"}


def run(oshrun, program, case, debug):
    environment = dict(os.environ, SHMEM_SYMMETRIC_SIZE="2M", SHMEM_DEBUG=debug)
    return subprocess.run([oshrun, "-n", str(NPES), program, case], env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=HANG_SECONDS)


def main():
    oshrun, program = sys.argv[1:]
    failures = 0

    def complain(case, result):
        nonlocal failures
        failures += 1
        print(f"{case}: ended with {result.returncode} and said:\n{result.stdout}")

    wanted = [(case, text, "0") for case, text in MESSAGES.items()]
    wanted += [(case, text, "1") for case, text in DEBUG_MESSAGES.items()]
    for case, text, debug in wanted:
        result = run(oshrun, program, case, debug)
        lines = result.stdout.splitlines()
        # Before initialization a PE does not know its number.
        is_said = any(re.fullmatch(rf".*?(?:\[pe \d\] )?{text}", line) for line in lines)
        if result.returncode == 0 or not is_said:
            complain(case, result)
    for case, debug in FINE.items():
        result = run(oshrun, program, case, debug)
        if result.returncode != 0:
            complain(case, result)
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
