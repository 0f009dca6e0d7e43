# SPDX-License-Identifier: BSD-3-Clause
"""Would break: lines of a PE appear when it ends, and are lost when it is killed."""
import os
import shutil
import signal
import subprocess
import unittest

from launching import LaunchTest, main, program

PRINT = program("print_probe")
FORTRAN = """
print *, 'print'
write (*, '(a)') 'write'
call sleep(1000)
end
"""


def lines_of(pes):
    return sorted(f"{how} of PE {pe}" for pe in pes for how in ("printf", "cout"))


class LiveOutput(LaunchTest):
    def test_lines_appear_while_the_program_runs(self):
        process = self.start("-n", 2, "--timeout", 20, PRINT, "wait")
        self.assertEqual(sorted(self.read_lines(process, 4)), lines_of(range(2)))
        process.send_signal(signal.SIGINT)
        self.finish(process, 130)

    def test_they_are_there_at_the_time_limit(self):
        out, _ = self.run_job("-n", 2, "--timeout", 2, "sh", "-c", '"$0" wait', PRINT, code=124)
        self.assertEqual(sorted(out.splitlines()), lines_of(range(2)))

    def test_nothing_is_lost_by_a_death(self):
        for trick, code in ((["abort"], 134), (["signal", signal.SIGSEGV.value], 139),
                            (["signal", signal.SIGKILL.value], 137)):
            out, _ = self.run_job("-n", 1, PRINT, *trick, code=code)
            self.assertEqual(sorted(out.splitlines()), lines_of([0]), trick)

    def test_a_buffer_of_the_program_counts(self):
        process = self.start("-n", 1, "--timeout", 2, PRINT, "own")
        out, _ = self.finish(process, 124)
        self.assertEqual(out, "")
        if shutil.which("stdbuf"):
            process = self.start("-n", 1, "--timeout", 2, "stdbuf", "-o64K", PRINT, "wait")
            self.assertEqual(self.finish(process, 124)[0], "")

    def test_files_keep_their_buffers(self):
        path = os.path.join(self.folder, "out")
        out, error = self.run_job("-n", 1, PRINT, "again", path)
        self.assertEqual(sorted(out.splitlines()), lines_of([0]))
        self.assertEqual(error, "0 bytes\n")
        os.unlink(path)
        shell = ["sh", "-c", f'"$0" abort > {path}', PRINT]
        self.run_job("-n", 1, *shell, code=134)
        with open(path) as file:
            self.assertEqual(file.read(), "", "a file of the script's")
        os.unlink(path)

    @unittest.skipIf(shutil.which("gfortran") is None, "there is no gfortran")
    def test_fortran_units(self):
        binary = os.path.join(self.folder, "program")
        subprocess.run(["gfortran", "-xf95", "-", "-o", binary], input=FORTRAN, text=True,
                       check=True)
        process = self.start("-n", 2, "--timeout", 20, binary)
        self.assertEqual(sorted(self.read_lines(process, 4)), [" print"] * 2 + ["write"] * 2)
        process.send_signal(signal.SIGTERM)
        self.finish(process, 143)
        os.unlink(binary)


if __name__ == "__main__":
    main()
