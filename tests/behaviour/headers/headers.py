# SPDX-License-Identifier: BSD-3-Clause
"""What the header tests share: the committed lists, the type names, and running a compiler.

Used by every *_test.py of this folder. The lists (symbols.txt, generics.txt, constants.txt) are the
specification's side of the comparison, extensions.txt that of other libraries; nothing here reads
the headers under test.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
C_STANDARDS = ["c99", "c11", "c17"]
CXX_STANDARDS = ["c++11", "c++14", "c++17", "c++20"]
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror"]

# On LP64 Linux these TYPENAMEs are the same C type as a basic one.
SAME_TYPE = {
    "int8": "schar", "int16": "short", "int32": "int", "int64": "long",
    "uint8": "uchar", "uint16": "ushort", "uint32": "uint", "uint64": "ulong",
    "size": "ulong", "ptrdiff": "long",
}


def read_table(name):
    """The rows of a committed list: one list of columns per line that is not a comment."""
    with open(os.path.join(FOLDER, name)) as lines:
        return [line.rstrip("\n").split("\t") for line in lines if not line.startswith("#")]


class Routine:
    """One row of symbols.txt: symbol, part (header), result type, and (type, name) parameters."""

    def __init__(self, symbol, part, prototype):
        match = re.match(r"(.*?)(\w+)\((.*)\)$", prototype)
        assert match and match[2] == symbol, prototype
        self.symbol, self.part, self.result = symbol, part, match[1].strip()
        self.parameter_list = match[3]
        texts = [] if match[3] == "void" else match[3].split(", ")
        self.parameters = [re.match(r"(.*?)(\w+|\.\.\.)$", text).groups() for text in texts]
        self.parameters = [(kind.strip(), name) for kind, name in self.parameters]

    def declaration(self, prefix=""):
        """The prototype with its name in parentheses, so that no macro of that name expands."""
        extension = "__extension__ " if "_Complex" in self.parameter_list else ""
        return f"{extension}{self.result} ({prefix}{self.symbol})({self.parameter_list});"


def read_symbols(name="symbols.txt"):
    return {row[0]: Routine(*row) for row in read_table(name)}


def language(standard):
    return "c++" if standard.startswith("c++") else "c"


class Compiler:
    """Runs one compiler driver; all files it writes live in a folder of its own."""

    def __init__(self, driver, include, folder):
        self.driver, self.include, self.folder = driver, include, folder

    def run(self, text, standard, *options, after=()):
        """Compiles text from a file, `after` behind it on the command line. RETURNS the finished
        process with its output as text."""
        suffix = ".cpp" if language(standard) == "c++" else ".c"
        with tempfile.NamedTemporaryFile("w", suffix=suffix, dir=self.folder) as source:
            source.write(text)
            source.flush()
            command = [self.driver, "-x", language(standard), "-std=" + standard,
                       "-I", self.include, *options, source.name, *after]
            return subprocess.run(command, capture_output=True, text=True, cwd=self.folder)

    def accepts(self, text, standard, *options):
        """Compiles without code. RETURNS an empty string, or the compiler's messages."""
        done = self.run(text, standard, "-fsyntax-only", *options)
        return "" if done.returncode == 0 else done.stderr or "failed without a message"


class Failures:
    """Collects what went wrong; the test ends with all of it, not with the first."""

    def __init__(self):
        self.count = 0

    def add(self, message):
        self.count += 1
        if self.count <= 20:
            print("FAILED:", message)

    def check(self, condition, message):
        if not condition:
            self.add(message)

    def same_set(self, what, have, want):
        have, want = set(have), set(want)
        self.check(have <= want, f"{what}: not in the list: {', '.join(sorted(have - want)[:10])}")
        self.check(want <= have, f"{what}: missing: {', '.join(sorted(want - have)[:10])}")


def main(test):
    """Runs test(compiler, standards, failures) with the command line of all tests here."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--cc", required=True, help="compiler driver")
    parser.add_argument("--include", required=True, help="folder that has shmem.h")
    parser.add_argument("--standards", nargs="+", default=C_STANDARDS + CXX_STANDARDS)
    options = parser.parse_args()
    failures = Failures()
    with tempfile.TemporaryDirectory() as folder:
        compiler = Compiler(options.cc, os.path.realpath(options.include), folder)
        checked = test(compiler, options.standards, failures)
    print(f"{options.cc} {' '.join(options.standards)}: {checked}; {failures.count} failed")
    sys.exit(1 if failures.count else 0)
