# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of wrong uses share: a program in C makes the mistake that its argument names, and
the job must end with a nonzero code after a line that says what is wrong.

    misuse = Misuse(npes=2, SHMEM_SYMMETRIC_SIZE="2M")     # oshrun and the program: sys.argv
    misuse.expect_error("lock_twice", "shmemx_mutex_lock: this PE holds the mutex .*")
    sys.exit(misuse.end())
"""
import os
import re
import subprocess
import sys

HANG_SECONDS = 60
CODE_OF_TIMEOUT = 124


class Misuse:
    def __init__(self, npes, options=(), **settings):
        """`settings`: variables of all jobs. `options`: of oshrun, in all jobs."""
        self.oshrun, self.program = sys.argv[1:3]
        self.npes, self.options, self.settings = npes, options, settings
        self.cases = self.failures = 0

    def run(self, *arguments, options=(), **settings):
        command = [self.oshrun, "-n", str(self.npes), *self.options, *options, self.program,
                   *arguments]
        return subprocess.run(command, env={**os.environ, **self.settings, **settings}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=HANG_SECONDS, check=False)

    def check(self, case, result, is_good, expected):
        self.cases += 1
        if is_good:
            return
        self.failures += 1
        print(f"{case}: expected {expected}, ended with {result.returncode} and said:\n"
              f"{result.stdout}")

    def expect_error(self, case, text, *arguments, **settings):
        """The job fails, and says `text`, a regular expression for a line behind "[pe N] ". Before
        initialization a PE does not know its number."""
        result = self.run(case, *arguments, **settings)
        self.check(case, result, result.returncode != 0 and says(result, text), text)

    def expect_success(self, case, text=None, **settings):
        """The job ends well. A line of it says `text`, a regular expression; None: no line need."""
        result = self.run(case, **settings)
        is_said = text is None or says(result, text)
        self.check(case, result, result.returncode == 0 and is_said, text or "success")

    def expect_hang(self, case, routine):
        """The job waits until oshrun's limit ends it, and oshrun names the routine. PEs may need
        longer to come there on a busy machine."""
        for seconds in (2, 10, 40):
            result = self.run(case, options=("--timeout", str(seconds)))
            is_good = result.returncode == CODE_OF_TIMEOUT and routine in result.stdout
            if is_good or result.returncode != CODE_OF_TIMEOUT:
                break
        self.check(case, result, is_good, f"a wait in {routine}")

    def end(self):
        """The exit code of the test."""
        print(f"{self.cases} cases, {self.failures} failures")
        return 1 if self.failures or not self.cases else 0


def says(result, text):
    return any(re.fullmatch(rf".*?(?:\[pe \d+\] )?(?:{text})", line)
               for line in result.stdout.splitlines())
