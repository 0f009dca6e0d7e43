# SPDX-License-Identifier: BSD-3-Clause
"""Would break: PE 0 does not get oshrun's stdin, another PE gets it, or oshrun hangs on it."""
import os
import pty
import subprocess

from launching import OSHRUN, PLAIN, LaunchTest, main


class Input(LaunchTest):
    def test_pe_0_reads_all_of_it(self):
        text = "".join(f"line {i}\n" for i in range(500000))
        out, _ = self.run_job("-n", 2, "sh", "-c", "[ $PMIX_RANK = 0 ] && cat || cat >/dev/null",
                              input=text)
        self.assertEqual(out, text)

    def test_others_read_nothing(self):
        out, _ = self.run_job("-n", 3, "--tag-output", "wc", "-c", input="12345")
        self.assertEqual(sorted(out.splitlines()), ["[pe 0] 5", "[pe 1] 0", "[pe 2] 0"])

    def test_input_that_nobody_reads(self):
        process = self.start("-n", 2, "true", stdin=subprocess.PIPE)
        self.assertEqual(process.wait(60), 0, "does not wait for the end of its input")
        process = self.start("-n", 1, PLAIN, "close_input", stdin=subprocess.PIPE)
        self.assertEqual(self.read_lines(process, 1), ["ready"])
        process.terminate()
        self.finish(process, 143)

    def test_file(self):
        with open("/etc/passwd") as file:
            out, _ = self.run_job("-n", 2, "sh", "-c", "[ $PMIX_RANK = 1 ] || cat", stdin=file)
        with open("/etc/passwd") as file:
            self.assertEqual(out, file.read())

    def test_first_program_of_several(self):
        out, _ = self.run_job("-n", 1, "cat", ":", "-n", 1, "cat", input="once\n")
        self.assertEqual(out, "once\n")

    def start_on_terminal(self, *arguments):
        master, terminal = pty.openpty()
        process = subprocess.Popen([OSHRUN, *arguments], stdin=terminal, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=self.environment())
        self.running.append(process)
        os.close(terminal)
        return process, master

    def test_terminal(self):
        process, master = self.start_on_terminal("-n", "2", "sh", "-c", "cat; echo end")
        os.write(master, b"typed\n")
        self.assertIn("typed", self.read_lines(process, 2))
        os.write(master, b"more\n\x04")
        out, _ = self.finish(process, 0)
        self.assertIn("more\nend\n", out)
        os.close(master)

    def test_terminal_whose_input_nobody_reads(self):
        process, master = self.start_on_terminal("-n", "1", PLAIN, "close_input")
        self.assertEqual(self.read_lines(process, 1), ["ready"])
        os.write(master, b"typed\nmore\n")
        process.terminate()
        self.finish(process, 143)
        os.close(master)


if __name__ == "__main__":
    main()
