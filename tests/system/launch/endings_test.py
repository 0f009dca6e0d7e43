# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a job goes on after a PE has failed, or oshrun returns another code than the
failure's, or does not say which PE it was.
"""
import re
import signal
import socket
from shlex import quote

from launching import PLAIN, PMIX, SHMEM, LaunchTest, main


class Endings(LaunchTest):
    @staticmethod
    def told(error, pe, who=rf"oshrun: +pe %d \(host {socket.gethostname()}, pid \d+, [^)]*\)"):
        """The ends of the lines that name PE, host and pid."""
        return re.findall(rf"^{who % pe} (.*)$", error, re.MULTILINE)

    def told_at_timeout(self, error, pe):
        """The same of osh_hang, which tells for oshrun."""
        return self.told(error, pe, r"  PE %d \(pid \d+\)")

    def check_message(self, error, pe, what):
        """The line comes once."""
        told = self.told(error, pe)
        self.assertEqual(len(told), 1, error)
        self.assertIn(what, told[0])

    def check_timeout(self, command, messages):
        """The report of --timeout has its message for each PE. The PEs may need longer to come
        there on a busy machine."""
        for seconds in (1, 5, 60):
            _, error = self.run_job("-n", len(messages), "--timeout", seconds, *command, code=124)
            self.assertIn("--timeout", error)
            told = ["".join(self.told_at_timeout(error, pe)) for pe in range(len(messages))]
            if all(what in text for what, text in zip(messages, told)):
                break
        for what, text in zip(messages, told):
            self.assertIn(what, text, error)

    def test_success(self):
        for npes in (1, 2, 3, 4, 7):
            out, error = self.run_job("-n", npes, SHMEM)
            self.assertEqual(len(out.splitlines()), npes)
            self.assertEqual(error, "")
        out, _ = self.run_job("-n", 3, SHMEM, "again")
        self.assertEqual(len(out.splitlines()), 3)

    def test_killed_pe(self):
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT):
            _, error = self.run_job("-n", 4, SHMEM, "kill", int(number), code=128 + number)
            self.check_message(error, 3, f"killed by signal {int(number)} ({number.name}")

    def test_exit_without_finalize(self):
        _, error = self.run_job("-n", 4, SHMEM, "exit", 3, code=3)
        self.check_message(error, 3, "exited with code 3 without shmem_finalize")
        _, error = self.run_job("-n", 4, SHMEM, "exit", 0, code=1)
        self.check_message(error, 3, "ended without shmem_finalize")
        _, error = self.run_job("-n", 4, SHMEM, "return", 0, code=1)
        self.check_message(error, 3, "ended without shmem_finalize")
        _, error = self.run_job("-n", 4, SHMEM, "atexit")
        self.assertEqual(error, "")

    def test_global_exit(self):
        for code in (0, 5, 255):
            _, error = self.run_job("-n", 4, SHMEM, "global", code, code=code)
            self.assertEqual(error, "")

    def test_misuse(self):
        _, error = self.run_job("-n", 4, SHMEM, "misuse", code=1)
        self.assertIn("[pe 3] shmem_long_p", error)
        self.check_message(error, 3, "has failed with code 1")

    def test_worst_code_after_finalize(self):
        out, error = self.run_job("-n", 4, SHMEM, "late", code=3)
        self.assertEqual(len(out.splitlines()), 4)
        for pe in (1, 2, 3):
            self.check_message(error, pe, f"exited with code {pe}")

    def test_failure_before_init_ends_the_job(self):
        _, error = self.run_job("-n", 2, "sh", "-c",
                                f"[ $PMIX_RANK = 1 ] && exit 4; exec {quote(PLAIN)} stubborn",
                                code=4)
        self.check_message(error, 1, "exited with code 4")
        self.assertIn("ending the job", error)

    def test_pe_that_never_calls_init(self):
        _, error = self.run_job("-n", 3, SHMEM, "absent", 1, code=1)
        self.check_message(error, 1, "ended without shmem_init")

    def test_pe_that_does_not_come_again(self):
        _, error = self.run_job("-n", 3, SHMEM, "gone", 0, code=1)
        self.check_message(error, 2, "ended after shmem_finalize")
        self.assertIn("shmem_init once more, ending the job", error)
        _, error = self.run_job("-n", 3, SHMEM, "gone", 6, code=6)
        self.assertIn("exited with code 6\n", error)
        self.assertIn("shmem_init once more, ending the job", error)

    def test_program_of_several_starts(self):
        out, _ = self.run_job("-n", 2, "sh", "-c", f"{quote(SHMEM)} && {quote(SHMEM)}")
        self.assertEqual(len(out.splitlines()), 4)

    def test_wrapped_program_dies(self):
        _, error = self.run_job("-n", 2, "sh", "-c", f"{quote(SHMEM)} kill 9; true", code=1)
        self.check_message(error, 1, "ended without shmem_finalize")

    def test_timeout_report(self):
        self.check_timeout([SHMEM, "wait"],
                           ["is in no SHMEM routine", *["waits in shmem_barrier_all"] * 2])
        self.check_timeout([PLAIN, "stubborn"], ["has not called shmem_init"] * 2)
        self.run_job("-n", 2, "--timeout", "50", "true")

    def test_timeout_in_init(self):
        program = f'[ $PMIX_RANK = 1 ] && exec {quote(PLAIN)} stubborn; exec {quote(SHMEM)}'
        self.check_timeout(["sh", "-c", program], ["waits in shmem_init",
                                                   "has not called shmem_init",
                                                   "waits in shmem_init"])

    def test_output_before_the_end_is_kept(self):
        out, error = self.run_job("-n", 1, "sh", "-c", "echo last words >&2; echo out; kill -9 $$",
                                  code=137)
        self.assertEqual(out, "out\n")
        self.assertLess(error.index("last words"), error.index("killed by"))

    def test_pmix_clients(self):
        out, _ = self.run_job("-n", 3, PMIX)
        self.assertEqual(sorted(out.splitlines()),
                         [f"rank {i} of 3 sum 30 app 0" for i in range(3)])
        _, error = self.run_job("-n", 3, PMIX, "abort", 9, code=9)
        self.check_message(error, 2, "PMIx_Abort with code 9 (on purpose)")
        _, error = self.run_job("-n", 3, PMIX, "leave", code=1)
        self.check_message(error, 2, "ended without PMIx_Finalize")

    def test_many_pes(self):
        out, _ = self.run_job("-n", 64, SHMEM)
        self.assertEqual(len(out.splitlines()), 64)
        out, _ = self.run_job("-n", 300, "echo", "x")
        self.assertEqual(out, "x\n" * 300)


class EndingsAcrossNodes(Endings):
    """The same with two nodes, whose PEs are clients of oshrun's PMIx server as well."""

    def environment(self, **more):
        return super().environment(SHMEM_VIRTUAL_NODES="2", **more)

    # Nodes make no difference, or (several starts) are not allowed.
    test_failure_before_init_ends_the_job = None
    test_program_of_several_starts = None
    test_output_before_the_end_is_kept = None
    test_pmix_clients = None

    def test_many_pes(self):
        out, _ = self.run_job("-n", 24, SHMEM)
        self.assertEqual(len(out.splitlines()), 24)

    def test_timeout_report(self):
        # How far PEs have come depends on the machine.
        _, error = self.run_job("-n", 3, "--timeout", "8", SHMEM, "wait", code=124)
        for pe in range(3):
            told = re.findall(rf"  PE {pe} \(.*\) (is in|waits in) (?:no SHMEM|shmem_)", error)
            self.assertEqual(len(told), 1, error)

    def test_complaint_before_the_death_is_seen(self):
        # The survivor complains and ends first; the cause is the PE that dies later all the same.
        for end, code, what in (("kill", 137, "was killed by signal 9"),
                                ("exit", 3, "exited with code 3")):
            for provider in ("tcp;ofi_rxm", "net"):
                environment = self.environment(SHMEM_PROGRESS="none", SHMEM_OFI_PROVIDER=provider)
                _, error = self.run_job("-n", 2, SHMEM, "sever", end, 9 if end == "kill" else 3,
                                        code=code, environment=environment)
                self.check_message(error, 1, what)
                self.assertRegex(error, r"(?m)^\[pe 0\] .*node")
                self.assertNotIn("oshrun: pe 0", error)
                self.assertNotIn("more PEs failed", error)

    def test_complaint_without_a_death(self):
        environment = self.environment(SHMEM_PROGRESS="none")
        _, error = self.run_job("-n", 2, SHMEM, "sever", "never", 0, code=1,
                                environment=environment)
        self.check_message(error, 0, "has failed with code 1")

    def test_exit_without_farewell(self):
        self.run_job("-n", 3, SHMEM, "farewell")


if __name__ == "__main__":
    main()
