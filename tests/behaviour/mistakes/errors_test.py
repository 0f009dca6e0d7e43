# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a program's mistake goes unnoticed, or is not told by one message that names the PE,
the routine and the value, or does not end the whole job, or leaves something behind.

The mistakes are made by error_cases.c. Run like the launch tests: OSHRUN FOLDER_OF_PROGRAMS.
"""
import re

from launching import LaunchTest, main, program

CASES = program("error_cases")
NPES = 3
LAST = NPES - 1
ADDRESS = r"0x[0-9a-f]+"

# Case -> what the message says behind "[pe 2] ". The whole line must match.
NOT_SYMMETRIC = (rf"address (?:{ADDRESS}|\(nil\)) is not symmetric: it is neither in the symmetric "
                 r"heap \[.*\) nor static data of the program \[.*\); use shmem_malloc .*")
OF_ANOTHER_PE = (rf"{ADDRESS} lies in the memory of PE 0 \(from shmem_ptr\?\); pass this PE's own "
                 "address of the object and the PE number")


def bad_pe(routine, pe):
    return rf"{routine}: pe {pe} is not in \[0, {NPES}\)"


def past_the_end(routine, size, segment):
    return (rf"{routine}: {size} bytes at {ADDRESS} run past the end of the {segment}, which ends "
            r"\d+ bytes behind that address; check the number of elements")


def unaligned(routine, size):
    return rf"{routine}: address {ADDRESS} is not aligned to {size} bytes, as this operation needs"


def bad_cmp(routine, cmp):
    return rf"{routine}: cmp {cmp} is none of SHMEM_CMP_EQ, NE, LT, LE, GT, GE"


def bad_strides(routine, dst, sst, bsize):
    return (rf"{routine}: strides dst {dst} and sst {sst} must be at least the block size, {bsize}")


ONE_PE_FAILS = {
    "pe_negative": bad_pe("shmem_long_p", -1),
    "pe_large_put": bad_pe("shmem_long_put", NPES),
    "pe_large_get": bad_pe("shmem_getmem", 1000000),
    "pe_large_g": bad_pe("shmem_double_g", 77),
    "pe_large_put_nbi": bad_pe("shmem_put64_nbi", 77),
    "pe_large_get_nbi": bad_pe("shmem_int_get_nbi", 77),
    "pe_large_iput": bad_pe("shmem_long_iput", 77),
    "pe_large_ibget": bad_pe("shmem_long_ibget", 77),
    "pe_large_ctx": bad_pe("shmem_ctx_long_put", 77),
    "pe_large_add": bad_pe("shmem_long_atomic_add", 77),
    "pe_large_fetch": bad_pe("shmem_float_atomic_fetch", 77),
    "pe_large_nbi": bad_pe("shmem_long_atomic_fetch_inc_nbi", 77),
    "pe_large_signal": bad_pe("shmem_long_put_signal", 77),
    "pe_large_signal_add": bad_pe("shmem_signal_add", 77),
    "pe_large_ptr": bad_pe("shmem_ptr", 77),
    "pe_large_pe_quiet": bad_pe("shmem_pe_quiet", 77),

    "stack_p": "shmem_long_p: " + NOT_SYMMETRIC,
    "stack_put": "shmem_long_put: " + NOT_SYMMETRIC,
    "stack_get": "shmem_long_get: " + NOT_SYMMETRIC,
    "stack_iget": "shmem_long_iget: " + NOT_SYMMETRIC,
    "stack_atomic": "shmem_long_atomic_inc: " + NOT_SYMMETRIC,
    "stack_signal": "shmem_putmem_signal: " + NOT_SYMMETRIC,
    "stack_signal_fetch": "shmem_signal_fetch: " + NOT_SYMMETRIC,
    "stack_wait": "shmem_long_wait_until: " + NOT_SYMMETRIC,
    "stack_wait_any": "shmem_int_wait_until_any: " + NOT_SYMMETRIC,
    "stack_test": "shmem_int_test: " + NOT_SYMMETRIC,
    "stack_lock": "shmem_set_lock: " + NOT_SYMMETRIC,
    "stack_psync": "shmem_barrier: " + NOT_SYMMETRIC,
    "malloc_put": "shmem_long_put: " + NOT_SYMMETRIC,
    "null_put": "shmem_long_put: " + NOT_SYMMETRIC,
    "constant_put": "shmem_putmem: " + NOT_SYMMETRIC,
    "pointer_put": "shmem_long_put: " + OF_ANOTHER_PE,
    "pointer_static": "shmem_long_p: " + OF_ANOTHER_PE,
    "below_heap": r"shmem_char_p: .*(?:is not symmetric|lies in the memory of PE).*",

    "long_heap_put": past_the_end("shmem_long_put", (8 << 20) + 8, "symmetric heap"),
    "long_heap_get": past_the_end("shmem_getmem", 1 << 40, "symmetric heap"),
    "long_static_get": past_the_end("shmem_long_get", 8 << 30, "program's static data"),
    "long_wraps": past_the_end("shmem_long_put", r"\d+", "symmetric heap"),
    "long_wraps_signal": past_the_end("shmem_put128_signal", r"\d+", "symmetric heap"),
    "long_stride": past_the_end("shmem_long_iput", (8 << 40) + 8, "symmetric heap"),
    "long_stride_wraps": past_the_end("shmem_long_iget", r"\d+", "symmetric heap"),
    "long_wait": past_the_end("shmem_long_wait_until_all", r"\d+", "symmetric heap"),

    "unaligned_atomic": unaligned("shmem_long_atomic_add", 8),
    "unaligned_fetch": unaligned("shmem_int_atomic_fetch", 4),
    "unaligned_signal": unaligned("shmem_signal_set", 8),
    "unaligned_wait": unaligned("shmem_int_wait_until", 4),
    "unaligned_lock": unaligned("shmem_test_lock", 8),

    "cmp_wait": bad_cmp("shmem_long_wait_until", 99),
    "cmp_test": bad_cmp("shmem_int_test", -1),
    "cmp_some": bad_cmp("shmem_long_test_some", 7),
    "cmp_signal": bad_cmp("shmem_signal_wait_until", 1000),
    "signal_op": "shmem_long_put_signal: sig_op 7 is neither SHMEM_SIGNAL_SET nor SHMEM_SIGNAL_ADD",
    "stride_zero": bad_strides("shmem_long_iput", 0, 1, 1),
    "stride_negative": bad_strides("shmem_iget64", 1, -2, 1),
    "stride_overlaps": bad_strides("shmem_long_ibput", 2, 3, 3),
    "ctx_invalid": "shmem_ctx_long_put: ctx is SHMEM_CTX_INVALID.*",
    "ctx_invalid_atomic": "shmem_ctx_int_atomic_inc: ctx is SHMEM_CTX_INVALID.*",
    "ctx_invalid_signal": "shmem_ctx_signal_set: ctx is SHMEM_CTX_INVALID.*",
    "set_negative": "shmem_barrier: active set PE_start -1, logPE_stride 0, PE_size 1 is not .*",
    "set_large": "shmem_sync: active set PE_start 0, logPE_stride 0, PE_size 4 is not within 3 PEs",
    "set_stride": "shmem_sync: active set PE_start 0, logPE_stride 40, PE_size 2 is not within .*",
    "level_unknown": "shmem_init_thread: requested thread level 7 is none of SHMEM_THREAD_SINGLE.*",

    "lock_twice": rf"shmem_set_lock: this PE holds the lock at {ADDRESS} already; .*",
    "lock_clear_free": rf"shmem_clear_lock: this PE does not hold the lock at {ADDRESS}; .*",
    "lock_clear_twice": rf"shmem_clear_lock: this PE does not hold the lock at {ADDRESS}; .*",
}

# All PEs make these mistakes, so one or more of them may come to tell.
FREED = rf"{ADDRESS} is not the start of an allocated block of the symmetric heap \(freed twice\?\)"
ALL_PES_FAIL = {
    "free_twice": "shmem_free: " + FREED,
    "free_static": rf"shmem_free: {ADDRESS} is static data of the program, .*",
    "realloc_static": rf"shmem_realloc: {ADDRESS} is static data of the program, .*",
    "free_stack": "shmem_free: " + NOT_SYMMETRIC,
    "free_pointer": rf"shmem_free: {ADDRESS} lies in the memory of PE \d \(from shmem_ptr\?\); .*",
    "realloc_freed": "shmem_realloc: " + FREED,
}

OUTSIDE = {
    "early_my_pe": "shmem_my_pe", "early_n_pes": "shmem_n_pes", "early_put": "shmem_long_put",
    "early_get": "shmem_getmem", "early_p": "shmem_int_p", "early_iput": "shmem_long_iput",
    "early_atomic": "shmem_long_atomic_inc", "early_signal": "shmem_signal_set",
    "early_signal_fetch": "shmem_signal_fetch", "early_wait": "shmem_long_wait_until",
    "early_test": "shmem_long_test", "early_malloc": "shmem_malloc", "early_calloc": "shmem_calloc",
    "early_realloc": "shmem_realloc", "early_free": "shmem_free",
    "early_barrier": "shmem_barrier_all", "early_sync": "shmem_sync_all",
    "early_set": "shmem_barrier", "early_fence": "shmem_fence", "early_quiet": "shmem_quiet",
    "early_ctx_quiet": "shmem_ctx_quiet", "early_pe_quiet": "shmem_pe_quiet",
    "early_lock": "shmem_set_lock", "early_ptr": "shmem_ptr",
    "early_accessible": "shmem_pe_accessible", "early_addr_accessible": "shmem_addr_accessible",
}


class Errors(LaunchTest):
    def run_case(self, *arguments, npes=NPES, code=1, **variables):
        variables.setdefault("SHMEM_SYMMETRIC_SIZE", "4M")
        variables.setdefault("SHMEM_TEAM_MEMORY_SIZE", "2M")
        variables.setdefault("SHMEM_LOCAL_MEMORY_SIZE", "2M")
        environment = self.environment(**variables)
        return self.run_job("-n", npes, CASES, *arguments, code=code, environment=environment)

    def lines_of_pes(self, error):
        """The library's messages; the rest must be oshrun's report of the end."""
        lines = error.splitlines()
        for line in lines:
            self.assertRegex(line, r"^(\[pe \d+\] |oshrun: )")
        return [line for line in lines if line.startswith("[pe ")]

    def test_mistakes_of_one_pe(self):
        for case, message in ONE_PE_FAILS.items():
            with self.subTest(case):
                _, error = self.run_case(case)
                told = self.lines_of_pes(error)
                self.assertEqual(len(told), 1, error)
                self.assertRegex(told[0], rf"^\[pe {LAST}\] {message}$")
                self.assertRegex(error, rf"oshrun: +pe {LAST} .*code 1")

    def test_mistakes_of_all_pes(self):
        for case, message in ALL_PES_FAIL.items():
            with self.subTest(case):
                _, error = self.run_case(case)
                told = self.lines_of_pes(error)
                self.assertIn(len(told), range(1, NPES + 1), error)
                for line in told:
                    self.assertRegex(line, rf"^\[pe \d\] {message}$")

    def test_free_of_an_address_inside_a_block(self):
        _, error = self.run_case("free_middle", code=0)
        told = self.lines_of_pes(error)
        self.assertEqual(len(told), NPES, error)
        for line in told:
            self.assertRegex(line, rf"^\[pe \d\] shmem_free: {ADDRESS} lies 16 bytes inside a "
                                   r"block of 800 bytes, which stays allocated; .*")

    def test_a_pe_outside_of_the_active_set(self):
        for variables in {}, {"SHMEM_VIRTUAL_NODES": "2"}:
            _, error = self.run_case("outside_of_set", code=0, **variables)
            self.assertRegex(error, rf"^\[pe {LAST}\] shmem_barrier: this PE is not in the active "
                                    r"set PE_start 0, logPE_stride 0, PE_size 2, .*said once\)\n$")

    def test_a_full_heap(self):
        for calls, variables in ((0, {}), (1, {"SHMEM_INFO": "1"}), (3, {"SHMEM_DEBUG": "1"}),
                                 (3, {"SHMEM_DEBUG": "1", "SHMEM_INFO": "1"})):
            _, error = self.run_case("free_room", code=0, **variables)
            routines = re.findall(
                r"\[pe 0\] (shmem_\w+): the symmetric heap has no room for 5000000 bytes, so NULL "
                r"is returned: \d+ of its 4194304 bytes are in use by 1 blocks, the largest free "
                r"piece has \d+; raise SHMEM_SYMMETRIC_SIZE", error)
            self.assertEqual(routines, ["shmem_malloc", "shmem_calloc", "shmem_realloc"][:calls])
            self.assertEqual(len(self.lines_of_pes(error)), calls, error)

    def test_a_single_pe(self):
        for case in ("pe_negative", "stack_put", "lock_clear_free", "free_twice"):
            _, error = self.run_case(case, npes=1)
            self.assertEqual(len(self.lines_of_pes(error)), 1, error)

    def test_calls_outside_of_init_and_finalize(self):
        for case, routine in OUTSIDE.items():
            with self.subTest(case):
                _, error = self.run_case(case)
                self.assertRegex(error, rf"(?m)^(\[pe \d\] )?{routine}: called before shmem_init$")
                _, error = self.run_case(case, "late")
                self.assertRegex(error, rf"(?m)^\[pe {LAST}\] {routine}: called after "
                                        r"shmem_finalize; call shmem_init again first$")

    def test_child_of_a_pe(self):
        for case, routine in (("child_put", "shmem_long_p"),
                              ("child_global_exit", "shmem_global_exit")):
            out, error = self.run_case(case, code=0)
            self.assertEqual(out, "child: 1\n")
            self.assertRegex(error, rf"^\[child of a PE\] {routine}: called in a child of "
                                    r"fork\(\); only the parent is a PE\n$")

    def test_static_data_through_the_fabric(self):
        for case in ("pe_negative", "stack_put", "long_static_get", "unaligned_fetch",
                     "lock_twice", "lock_clear_twice", "cmp_wait"):
            with self.subTest(case):
                _, error = self.run_case(case, SHMEM_STATIC_DATA="cma")
                self.assertRegex(self.lines_of_pes(error)[0],
                                 rf"^\[pe {LAST}\] {ONE_PE_FAILS[case]}$")


class Settings(LaunchTest):
    def run_with(self, code=0, npes=2, **variables):
        return self.run_job("-n", npes, CASES, "nothing", code=code,
                            environment=self.environment(**variables))

    def test_malformed_variables(self):
        for name, value in (("SHMEM_SYMMETRIC_SIZE", "lots"), ("SHMEM_SYMMETRIC_SIZE", "-1"),
                            ("SMA_SYMMETRIC_SIZE", "12Q"), ("SHMEM_STATIC_DATA", "maybe"),
                            ("SHMEM_AMO_PATH", "fast"), ("SHMEM_LOG", "everything"),
                            ("SHMEM_SYMMETRIC_HEAP_USE_HUGE_PAGES", "2")):
            with self.subTest(name + "=" + value):
                _, error = self.run_with(code=1, **{name: value})
                told = re.findall(rf"{name}={value} is not a valid setting; allowed: .+", error)
                self.assertEqual(len(told), 1, error)

    def test_program_without_oshrun(self):
        environment = self.environment(SHMEM_PROGRESS="fast")
        _, error = self.run_job("nothing", launcher=[CASES], code=1, environment=environment)
        self.assertRegex(error, r"^(\[pe 0\] )?SHMEM_PROGRESS=fast is not a valid setting")
        environment = self.environment(SHMEM_BARRIER_ALGORITHM="ring")
        _, error = self.run_job("nothing", launcher=[CASES], environment=environment)
        self.assertRegex(error, r"^\[pe 0\] SHMEM_BARRIER_ALGORITHM=ring is not .* taking auto\n$")

    def test_algorithms_of_other_libraries(self):
        for npes in (1, 3):
            _, error = self.run_with(npes=npes, SHMEM_BARRIER_ALGORITHM="ring",
                                     SHMEM_BCAST_ALGORITHM="tree")
            for told in ("SHMEM_BARRIER_ALGORITHM=ring", "SHMEM_BCAST_ALGORITHM=tree"):
                lines = re.findall(rf"\[pe 0\] {told} is not a valid setting; allowed: auto, .*; "
                                   "taking auto\n", error)
                self.assertEqual(len(lines), 1, error)
            self.assertEqual(error.count("\n"), 2)

    def test_names_of_other_libraries(self):
        out, error = self.run_with(npes=2, SHMEM_INFO="1", SHMEM_SYMMETRIC_HEAP_SIZE="6M",
                                   SMA_REDUCE_ALGORITHM="recdbl")
        self.assertEqual(error, "")
        self.assertIn("SHMEM_SYMMETRIC_SIZE=6M (environment, as SHMEM_SYMMETRIC_HEAP_SIZE)\n", out)
        self.assertEqual(out.count("SHMEM_SYMMETRIC_HEAP_SIZE"), 1)
        self.assertIn("6.0 MiB for each PE", out)
        self.assertRegex(out, "SHMEM_REDUCE_ALGORITHM=recursive_doubling.*"
                              r"\(environment, as SMA_REDUCE_ALGORITHM\)")

    def test_heap_too_large(self):
        for npes in (1, 4):
            _, error = self.run_with(code=1, npes=npes, SHMEM_SYMMETRIC_SIZE="900T")
            told = re.findall(rf"SHMEM_SYMMETRIC_SIZE asks for .* MiB in each of {npes} PEs on "
                              r"this node, but the job may use only .*", error)
            self.assertEqual(len(told), 1, error)

    def test_team_or_local_memory_too_large(self):
        for name in ("SHMEM_TEAM_MEMORY_SIZE", "SHMEM_LOCAL_MEMORY_SIZE"):
            for npes in (1, 4):
                _, error = self.run_with(code=1, npes=npes, **{name: "900T"})
                told = re.findall(rf"{name} asks for .* MiB in each of {npes} PEs on this node, "
                                  r"but the job may use only .*", error)
                self.assertEqual(len(told), 1, error)

    def test_unknown_variables_are_warned_about_once(self):
        for npes in (1, 3):
            _, error = self.run_with(npes=npes, SHMEM_BARIER_ALGORITHM="central")
            told = re.findall("unknown variable SHMEM_BARIER_ALGORITHM has no effect; did you mean "
                              r"SHMEM_BARRIER_ALGORITHM\?", error)
            self.assertEqual(len(told), 1, error)

    def test_information(self):
        for switches, expected in ((("SHMEM_VERSION",), ["Tessera"]),
                                   (("SHMEM_INFO",),
                                    ["Tessera", "SHMEM_BARRIER_ALGORITHM=", "PEs"]),
                                   (("SMA_INFO",), ["SHMEM_SYMMETRIC_SIZE="]), ((), [])):
            out, error = self.run_with(npes=3, **{name: "1" for name in switches})
            self.assertEqual(error, "")
            self.assertEqual(out == "", not expected)
            for text in expected:
                self.assertIn(text, out)
            self.assertEqual(out.count("OpenSHMEM 1.6"), bool(expected), "one PE tells it")
        out, _ = self.run_with(npes=1, SHMEM_INFO="1", SHMEM_BARRIER_ALGORITHM="central")
        self.assertRegex(out, r"SHMEM_BARRIER_ALGORITHM=central.*\(environment\)")

    def test_different_settings(self):
        for name, first, second, told in (
                ("BARRIER_ALGORITHM", "central", "dissemination",
                 "SHMEM_BARRIER_ALGORITHM is (central|dissemination) here, but "
                 "(central|dissemination) on PE \\d"),
                ("DEBUG", "1", "0", "SHMEM_DEBUG is (on|off) here, but (on|off) on PE \\d"),
                ("TEAM_MEMORY_SIZE", "4M", "8M",
                 "SHMEM_TEAM_MEMORY_SIZE is [48]M here, but differs on PE \\d"),
                ("OFI_PROVIDER", "tcp;ofi_rxm", "",
                 "SHMEM_OFI_PROVIDER is (not set|tcp;ofi_rxm) here, but differs on PE \\d")):
            one = ["env", f"SHMEM_{name}={first}", CASES, "nothing"]
            two = ["env", f"SHMEM_{name}={second}", CASES, "nothing"]
            for options in ([], ["--virtual-nodes", "3"]):
                _, error = self.run_job(*options, "-n", 2, *one, ":", "-n", 1, *two, code=1)
                self.assertRegex(error, rf"\[pe \d\] shmem_init: {told}; start all PEs with the "
                                        r"same environment")

    def test_debug_finds_calls_that_differ(self):
        environment = self.environment(SHMEM_DEBUG="1")
        _, error = self.run_job("-n", 2, CASES, "sizes_differ", code=1, environment=environment)
        self.assertRegex(error, r"\[pe \d\] shmem_malloc: PE \d did not make the same call: here "
                                r"\d+ bytes at heap offset \d+;")

    def test_debug_warns_about_alignments(self):
        for debug in "0", "1":
            environment = self.environment(SHMEM_DEBUG=debug)
            _, error = self.run_job("-n", 2, CASES, "align_three", environment=environment)
            told = re.findall(r"\[pe \d\] shmem_align: alignment 24 is not a power of two, so NULL "
                              "is returned", error)
            self.assertEqual(len(told), 2 * int(debug), error)

    def test_debug_reports_blocks_that_were_not_freed(self):
        _, error = self.run_with(npes=1, SHMEM_DEBUG="1")
        self.assertIn("shmem_finalize: not freed: 800 bytes at heap offset 0", error)
        self.assertIn("1 symmetric blocks, 800 bytes, not freed", error)


if __name__ == "__main__":
    main()
