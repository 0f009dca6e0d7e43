# SPDX-License-Identifier: BSD-3-Clause
"""Would break: output of PEs is lost, or lines of different PEs are mixed."""
import os
import pty
import re
import subprocess
from shlex import quote

from launching import HANG_SECONDS, OSHRUN, PLAIN, LaunchTest, main


class Output(LaunchTest):
    def check_lines(self, text, npes, count, length):
        seen = [0] * npes
        for line in text.splitlines():
            found = re.fullmatch(r"(\d+):(\d+):(x*)", line)
            self.assertIsNotNone(found, f"mixed line: {line[:100]!r}")
            pe = int(found[1])
            self.assertEqual(int(found[2]), seen[pe], "order within a PE")
            self.assertEqual(len(found[3]), length)
            seen[pe] += 1
        self.assertEqual(seen, [count] * npes)

    def test_lines_stay_whole(self):
        for length in (0, 7, 100, 5000):
            out, _ = self.run_job("-n", 8, PLAIN, "lines", 2000, length)
            self.check_lines(out, 8, 2000, length)

    def test_very_long_lines_stay_whole(self):
        out, _ = self.run_job("-n", 4, PLAIN, "lines", 3, 1 << 20)
        self.check_lines(out, 4, 3, 1 << 20)

    def test_stdout_and_stderr_in_one_file(self):
        program = f"{quote(PLAIN)} lines 500 50; {quote(PLAIN)} lines 500 50 >&2"
        shell = ["sh", "-c", '"$0" "$@" 2>&1', OSHRUN]
        out, _ = self.run_job("-n", 4, "sh", "-c", program, launcher=shell)
        self.assertEqual(len(out.splitlines()), 4000)
        for line in out.splitlines():
            self.assertRegex(line, r"^\d:\d+:x{50}$")

    def test_tens_of_megabytes(self):
        out, _ = self.run_job("-n", 2, PLAIN, "lines", 40000, 500)
        self.check_lines(out, 2, 40000, 500)

    def test_bytes_of_one_pe_are_not_changed(self):
        out, _ = self.run_job("-n", 1, PLAIN, "bytes", 3 << 20)
        self.assertEqual(out, "y" * (3 << 20))

    def test_last_line_without_newline(self):
        out, _ = self.run_job("-n", 1, "printf", "no newline")
        self.assertEqual(out, "no newline")
        out, _ = self.run_job("-n", 3, "printf", "a")
        self.assertEqual(out.split("\n"), ["a"] * 3, "no two PEs on a line")

    def test_half_a_line_waits_for_its_other_half(self):
        # PE 0 ends its line only after PE 1 has written; they meet over a pipe in the file system.
        path = os.path.join(self.folder, "meet")
        os.mkfifo(path)
        program = (f"if [ $PMIX_RANK = 0 ]; then printf half; read x < {path}; echo ' whole';"
                   f"else echo other; echo go > {path}; fi")
        out, _ = self.run_job("-n", 2, "sh", "-c", program)
        os.unlink(path)
        self.assertEqual(sorted(out.splitlines()), ["half whole", "other"])

    def test_long_half_a_line_waits_for_its_other_half(self):
        # The same, but each half is more than any buffer, and PE 1 must get rid of its own first.
        path = os.path.join(self.folder, "meet")
        os.mkfifo(path)
        count = 3 << 20
        program = (f"head -c {count} /dev/zero | tr '\\0' $PMIX_RANK;"
                   f"if [ $PMIX_RANK = 0 ]; then read x < {path}; echo whole;"
                   f"else echo; echo go > {path}; fi")
        out, _ = self.run_job("-n", 2, "sh", "-c", program)
        os.unlink(path)
        self.assertEqual(sorted((len(line), line[-5:]) for line in out.splitlines()),
                         [(count, "11111"), (count + 5, "whole")])

    def test_slow_reader(self):
        # stdout is not read until the job has been killed for its timeout; oshrun must notice that
        # all the same.
        process = self.start("-n", 2, "--timeout", "1", PLAIN, "lines", 1000000, 1000)
        error = b""
        while b"--timeout" not in error:
            error += os.read(process.stderr.fileno(), 4096)
        out, _ = process.communicate(timeout=HANG_SECONDS)
        self.assertEqual(process.returncode, 124)
        self.assertGreater(len(out), 0)
        self.assertLess(len(out), 64 << 20, "oshrun keeps no more than it can hold")

    def test_reader_that_leaves(self):
        shell = ["bash", "-c", '"$0" "$@" | head -n 1; echo ${PIPESTATUS[0]}', OSHRUN]
        out, _ = self.run_job("-n", 2, PLAIN, "lines", 1000000, 100, launcher=shell)
        lines = out.splitlines()
        self.assertEqual(len(lines), 2)
        self.assertEqual(lines[1], str(128 + 13), "like any program whose reader leaves")

    def test_full_disk(self):
        shell = ["sh", "-c", '"$0" "$@" > /dev/full', OSHRUN]
        _, error = self.run_job("-n", 2, "echo", "x", launcher=shell, code=1)
        self.assertIn("cannot write to stdout", error)

    def test_prompt_on_a_terminal(self):
        master, terminal = pty.openpty()
        program = ("if [ $PMIX_RANK = 0 ]; then printf 'name? '; read x; echo hello $x; fi")
        process = subprocess.Popen([OSHRUN, "-n", "2", "sh", "-c", program], stdin=terminal,
                                   stdout=terminal, stderr=subprocess.PIPE, text=True,
                                   env=self.environment())
        self.running.append(process)
        os.close(terminal)
        seen = b""
        while b"name? " not in seen:
            seen += os.read(master, 1024)
        os.write(master, b"you\n")
        while b"hello you" not in seen:
            seen += os.read(master, 1024)
        self.finish(process, 0)
        os.close(master)

    def test_prompt_to_a_program(self):
        process = self.start("-n", 1, "sh", "-c", "printf 'name? '; read x; echo hello $x",
                             stdin=subprocess.PIPE)
        self.assertEqual(process.stdout.read(6), "name? ")
        process.stdin.write("you\n")
        process.stdin.flush()
        self.assertEqual(process.stdout.readline(), "hello you\n")
        self.finish(process, 0)


if __name__ == "__main__":
    main()
