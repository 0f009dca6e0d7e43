# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a signal to oshrun does not reach the PEs, or leaves them running."""
import fcntl
import os
import pty
import signal
import subprocess
import termios
from shlex import quote

from launching import OSHRUN, PLAIN, SHMEM, LaunchTest, main, wait_gone


def take_terminal():
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Signals(LaunchTest):
    def start_ready(self, npes, *program, **options):
        process = self.start("-n", npes, *program, **options)
        self.assertEqual(self.read_lines(process, npes), ["ready"] * npes)
        return process

    def test_user_signals_are_forwarded(self):
        process = self.start_ready(3, PLAIN, "signals")
        for number, name in ((signal.SIGUSR1, "USR1"), (signal.SIGUSR2, "USR2"),
                             (signal.SIGCONT, "CONT")):
            process.send_signal(number)
            self.assertEqual(self.read_lines(process, 3), [name] * 3)
        process.send_signal(signal.SIGTERM)
        out, _ = self.finish(process, 128 + signal.SIGTERM)
        self.assertEqual(out.count("TERM"), 3)

    def test_signals_reach_programs_in_wrappers(self):
        process = self.start_ready(2, "sh", "-c", f"trap : USR1 TERM; {quote(PLAIN)} signals; wait")
        process.send_signal(signal.SIGUSR1)
        self.assertEqual(self.read_lines(process, 2), ["USR1"] * 2)
        process.send_signal(signal.SIGTERM)
        self.finish(process, 128 + signal.SIGTERM)

    def test_end_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start("-n", 2, SHMEM, "wait")
            self.read_lines(process, 2)
            process.send_signal(number)
            _, error = self.finish(process, 128 + number)
            self.assertIn(number.name, error)
            self.assertNotIn("killed by", error, "the PEs' ends are no news then")

    def test_programs_that_ignore_signals_are_killed(self):
        process = self.start_ready(2, PLAIN, "stubborn")
        process.send_signal(signal.SIGTERM)
        self.finish(process, 128 + signal.SIGTERM)
        process = self.start_ready(2, PLAIN, "stubborn")
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        self.assertIn(process.wait(60), (130, 143))

    def test_stop_and_continue(self):
        # The test watches the PEs through a pipe of its own while oshrun is stopped.
        path = os.path.join(self.folder, "pipe")
        os.mkfifo(path)
        with open(os.open(path, os.O_RDWR)) as pipe:
            process = self.start_ready(2, PLAIN, "signals", path)
            process.send_signal(signal.SIGTSTP)
            self.assertEqual([pipe.readline(), pipe.readline()], ["TSTP\n"] * 2)
            _, status = os.waitpid(process.pid, os.WUNTRACED)
            self.assertTrue(os.WIFSTOPPED(status))
            process.send_signal(signal.SIGCONT)
            self.assertEqual([pipe.readline(), pipe.readline()], ["CONT\n"] * 2)
        process.send_signal(signal.SIGTERM)
        self.finish(process, 143)
        os.unlink(path)

    def test_default_actions_are_the_programs(self):
        # oshrun blocks and ignores signals; its PEs must not inherit that.
        out, _ = self.run_job("-n", 1, "grep", "-E", "Sig(Blk|Ign)", "/proc/self/status")
        masks = {line.split()[0]: int(line.split()[1], 16) for line in out.splitlines()}
        self.assertEqual(masks["SigBlk:"], 0)
        self.assertEqual(masks["SigIgn:"] & (1 << (signal.SIGPIPE - 1)), 0)

    def test_interrupt_from_the_terminal(self):
        master, terminal = pty.openpty()
        process = subprocess.Popen([OSHRUN, "-n", "2", PLAIN, "stubborn"], stdin=terminal,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=self.environment(), start_new_session=True,
                                   preexec_fn=take_terminal)
        os.close(terminal)
        self.running.append(process)
        self.assertEqual(self.read_lines(process, 2), ["ready"] * 2)
        os.write(master, b"\x03")
        self.finish(process, 130)
        os.close(master)

    def test_programs_in_the_background_of_wrappers_end_too(self):
        process = self.start("-n", 1, "sh", "-c", f"{quote(PLAIN)} stubborn >&2 & echo $!; wait")
        pid = int(self.read_lines(process, 1)[0])
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        wait_gone(pid)


if __name__ == "__main__":
    main()
