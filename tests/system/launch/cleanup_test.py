# SPDX-License-Identifier: BSD-3-Clause
"""Would break: something of a job outlives it, however the job or oshrun ended. The
checks that every launch test ends with (launching.py) find the remains.
"""
import os
import signal
import time
from shlex import quote

from launching import PLAIN, SHMEM, LaunchTest, main, processes_with, wait_gone


class Cleanup(LaunchTest):
    def keeper_of(self, process):
        """The process that cleans up after a killed oshrun; it has taken another name."""
        # It takes its name and leaves its siblings some time after its start.
        limit = time.monotonic() + 30
        while time.monotonic() < limit:
            with open(f"/proc/{process.pid}/task/{process.pid}/children") as file:
                children = file.read().split()
            for pid in children:
                try:
                    with open(f"/proc/{pid}/comm") as file:
                        if file.read().strip() == "tessera-keeper":
                            return int(pid)
                except FileNotFoundError:
                    pass
        self.fail("there is no keeper")

    def kill_oshrun(self, process, pids):
        before = processes_with(self.mark)
        process.kill()
        process.wait()
        for pid in pids:
            wait_gone(pid)
        # The keeper, too, and what it has to remove; it is the last to go.
        for pid, _ in before:
            wait_gone(pid)

    def pids_of(self, process, count):
        return [int(line.split()[-1]) for line in self.read_lines(process, count)]

    def test_kill_oshrun(self):
        process = self.start("-n", 4, SHMEM, "wait")
        self.kill_oshrun(process, self.pids_of(process, 4))

    def test_kill_oshrun_with_wrapped_programs(self):
        process = self.start("-n", 2, "sh", "-c", f"{quote(SHMEM)} wait; true")
        self.kill_oshrun(process, self.pids_of(process, 2))
        process = self.start("-n", 2, "sh", "-c", f"{quote(PLAIN)} stubborn >&2 & echo $!; wait")
        self.kill_oshrun(process, self.pids_of(process, 2))

    def test_kill_oshrun_and_keeper(self):
        # Only what each PE does for itself is left then. The folder stays, and the next start
        # removes it.
        for program in (["sh", "-c", f"{quote(SHMEM)} wait; true"],
                        ["sh", "-c", f"echo $$; exec {quote(PLAIN)} stubborn >&2"]):
            process = self.start("-n", 2, *program)
            pids = self.pids_of(process, 2)
            keeper = self.keeper_of(process)
            os.kill(keeper, signal.SIGSTOP)  # It must not be faster than we are.
            process.kill()
            os.kill(keeper, signal.SIGKILL)
            process.wait()
            for pid in [keeper, *pids]:
                wait_gone(pid)
        self.assertNotEqual(os.listdir(self.folder), [])
        self.run_job("-n", 1, "true")
        self.assertEqual(os.listdir(self.folder), [])

    def test_running_jobs_keep_their_folder(self):
        process = self.start("-n", 1, PLAIN, "signals")
        self.read_lines(process, 1)
        before = os.listdir(self.folder)
        self.assertEqual(len(before), 1)
        self.run_job("-n", 1, "true")
        self.assertEqual(os.listdir(self.folder), before)
        process.terminate()
        self.finish(process, 143)

    def test_killed_keeper_does_no_harm(self):
        process = self.start("-n", 2, PLAIN, "signals")
        self.read_lines(process, 2)
        keeper = self.keeper_of(process)
        os.kill(keeper, signal.SIGKILL)
        wait_gone(keeper)
        process.send_signal(signal.SIGUSR1)
        self.assertEqual(self.read_lines(process, 2), ["USR1"] * 2)
        process.terminate()
        self.finish(process, 143)

    def test_processes_left_behind_by_pes(self):
        out, _ = self.run_job("-n", 3, PLAIN, "orphan")
        for pid in out.split():
            self.assertFalse(os.path.exists(f"/proc/{pid}"), "gone before oshrun returns")
        program = f"{quote(PLAIN)} stubborn >&2 & echo $!; exit 3"
        out, _ = self.run_job("-n", 2, "sh", "-c", program, code=3)
        for pid in out.split():
            self.assertFalse(os.path.exists(f"/proc/{pid}"))

    def test_descriptors_of_pes(self):
        out, _ = self.run_job("-n", 2, PLAIN, "files")
        for line in out.splitlines():
            # Standard files, node file, heap file, control pipe, life pipe.
            self.assertLessEqual(len(line.split()), 3 + 4, line)

    def test_folder_for_temporary_files_that_is_none(self):
        environment = self.environment()
        environment["TMPDIR"] = "/no/such/folder"  # Then /tmp is taken.
        self.run_job("-n", 2, SHMEM, environment=environment)


if __name__ == "__main__":
    main()
