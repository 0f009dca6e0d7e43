# SPDX-License-Identifier: BSD-3-Clause
"""Would break: caf compiles a statement for which gfortran makes a wrong call that the library
cannot see, or refuses one that is right.

Usage: caf_refuses_test.py CAF.
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

CAF = sys.argv.pop(1)
PROGRAM = """program statements
  use iso_fortran_env
  implicit none
  type part
    integer :: first = 1, v(2) = [1, 2]
    real, dimension(2) :: last
  end type part
  type owner
    integer, allocatable :: values(:)
    integer :: key
  end type owner
  type(part) :: p(3)[*]
  type(owner) :: o(3)[*]
  complex :: u(3)[*]
  type(team_type) :: t
  type(event_type) :: e[*]
  integer :: x(3)[*], y, i = 1, z(3)
  character(8) :: c(3)[*], d
  logical, external :: is_known
  {}
end program
"""
LINE = 20
TEAM = "gfortran drops team= here"
SUBSTRING = "a substring of a coindexed object"
COMPONENT = "gfortran forgets the place of a component in a section"
REFUSED = {
    "y = x(1)[i, team=t]": TEAM,
    "y = 2 * x(1)[merge(1, 2, [.true.]), & ! it's\n\n ! one\n    & TEAM = t]": TEAM,
    "if (x(1)[i, team=t] == 2) y = 1": TEAM,
    "x(z(x(1)[i, team=t])) = 4": TEAM,
    "print *, x(1)[i, team=t]": TEAM,
    "event post (e[1, team=t])": TEAM,
    "c(1)[i](2:3) = d": SUBSTRING,
    "d = c(1)[i](2:3) // d": SUBSTRING,
    "print *, c(1)[i] (2:3)": SUBSTRING,
    "y = 1; if (is_known(c(1)[i](:2))) y = 2": SUBSTRING,
    "p(2:3)[i]%last(1) = 1.0": COMPONENT,
    "z(1:2) = p(:2)[i]%v(2)": COMPONENT,
    "print *, aimag(u(:)[i]), u(:)[i]%im": COMPONENT,
}
RIGHT = (
    "x(1)[i, team=t] = 4",
    "if (i == 2) x(1)[i, team=t] = 4",
    "x(z(x(1)[i])) = 4 ! y = x(1)[i, team=t]",
    "d = 'y = x(1)[i, team=t]'; d = \"it''s c[1](2:3)\"",
    "d = c(1)[i](2:3)",
    "c(1)[i] = d(2:3)",
    "z = [1, 2, 3]; z(1:2) = [x(1)[i], y]",
    "p(1:2)[i]%first = z(:2); p(1)[i]%last(:) = u(2:3)%im",
    "o(1:2)[i]%key = z(1:2); u(:)[i]%re = 1",
    "form team (1, t); sync team (t)",
)


# GCC 15, which a script plays.
OWN = "gfortran 15 reads the object of this image"
REFUSED_BY_15 = {
    "y[i] = y[1] + 1": OWN,
    "if (i == 2) x(1)[i] = (x(2)[i])": OWN,
    "x(1:2)[i] = abs(x(2:3)[1])": OWN,
    "y[i] = y[1, team=t]": "gfortran 15 drops team= on the right",
}
RIGHT_IN_15 = (
    "y[i] = y[1]",
    "x(1:2)[i] = x(2:3)[1]",
    "p(1)[i]%v(2) = p(2)[1]%first",
    "x(1:2)[i] = [1, 2]",
    "x(y[1]) = 2 * y[i]",
    "if (y[1] == 2) y[i] = i",
    "y = y[1, team=t]; c(1)[i](2:3) = d",
)


class Refuses(unittest.TestCase):
    def compile(self, statement, suffix=".f90", plays_15=False):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "statements" + suffix)
            with open(path, "w", encoding="utf-8") as file:
                file.write(PROGRAM.format(statement))
            environment = dict(os.environ)
            if plays_15:
                compiler = environment["CAF_FC"] = os.path.join(folder, "gfortran-15")
                with open(compiler, "w", encoding="utf-8") as file:
                    file.write("#!/bin/sh\n[ $1 != -dumpversion ] || echo 15\n")
                os.chmod(compiler, 0o755)
            return subprocess.run([CAF, "-fsyntax-only", path], cwd=folder, text=True, check=False,
                                  env=environment, stderr=subprocess.PIPE)

    def test_what_would_be_wrong(self):
        for statement, message in REFUSED.items():
            with self.subTest(statement):
                result = self.compile(statement)
                self.assertEqual(result.returncode, 1)
                self.assertRegex(result.stderr,
                                 rf"^/.*statements\.f90:{LINE}: error: .*{re.escape(message)}")

    def test_nothing_else(self):
        for statement in RIGHT:
            with self.subTest(statement):
                result = self.compile(statement, ".F90")
                self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_gcc_15(self):
        for statement, message in REFUSED_BY_15.items():
            with self.subTest(statement):
                result = self.compile(statement, plays_15=True)
                self.assertEqual(result.returncode, 1)
                self.assertIn(message, result.stderr)
        for statement in RIGHT_IN_15:
            with self.subTest(statement):
                result = self.compile(statement, plays_15=True)
                self.assertEqual((result.returncode, result.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
