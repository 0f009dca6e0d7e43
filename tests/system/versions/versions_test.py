# SPDX-License-Identifier: BSD-3-Clause
"""Would break: Tessera does not run with another version of a library that it stands on, or a
program does not compile with another compiler.

Compilers: all g++-N and clang++-N of PATH, with gcc-N and clang-N. Libraries: each prefix in
TESSERA_VERSIONS_PREFIXES (with colons between), e.g. of a libfabric, PMIx or hwloc that was built
by hand; the folder lib below it comes first for the loader. Prints a table.

usage: versions_test.py BIN_FOLDER PROGRAM_IN_C PROGRAM_IN_CXX [UNITTEST_OPTION]...
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SECONDS = 300
BIN = os.path.abspath(sys.argv[1])
IN_C, IN_CXX = (os.path.abspath(name) for name in sys.argv[2:4])
PREFIXES = [one for one in os.environ.get("TESSERA_VERSIONS_PREFIXES", "").split(":") if one]
LAYOUTS = ((), ("--virtual-nodes", "2"))  # Of these, the second one takes a provider.
PROVIDERS = ("tcp;ofi_rxm", "net", "sockets")
PROGRAMS = ("conformance_rma", "conformance_atomics", "conformance_signals", "conformance_teams",
            "conformance_reductions")


def run(command, **variables):
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("SHMEM_", "SLURM_", "FI_", "OSHC"))}
    environment.update(SHMEM_SYMMETRIC_SIZE="64M", **variables)
    return subprocess.run(command, env=environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=SECONDS,
                          check=False)


def compilers():
    """(compiler of C, compiler of C++) of all versions in PATH."""
    found = set()
    for folder in os.environ["PATH"].split(":"):
        if os.path.isdir(folder):
            found.update(name for name in os.listdir(folder)
                         if re.fullmatch(r"(g|clang)\+\+-\d+", name))
    pairs = [(name.replace("g++", "gcc").replace("clang++", "clang"), name)
             if name.startswith("g++") else (name.replace("++", ""), name)
             for name in sorted(found)]
    return [pair for pair in pairs if shutil.which(pair[0])]


class CompilerTest(unittest.TestCase):
    def test_programs_compile_and_run(self):
        for c, cxx in compilers():
            with self.subTest(compiler=cxx), tempfile.TemporaryDirectory() as folder:
                program = os.path.join(folder, "program")
                for wrapper, variable, compiler, source in (
                        ("oshcc", "OSHCC_CC", c, IN_C), ("oshc++", "OSHCXX_CXX", cxx, IN_CXX)):
                    made = run([os.path.join(BIN, wrapper), "-O2", "-Wall", "-Wextra", "-Werror",
                                source, "-o", program], **{variable: compiler})
                    self.assertEqual(made.returncode, 0, made.stdout)
                    ended = run([os.path.join(BIN, "oshrun"), "-n", "2", program, IN_C])
                    self.assertEqual(ended.returncode, 0, ended.stdout)
                print(f"| {cxx} | ran |")


class LibraryTest(unittest.TestCase):
    def check(self, prefix, path):
        versions = run([os.path.join(BIN, "osh_info")], LD_LIBRARY_PATH=path).stdout
        fabric = run([os.path.join(BIN, "osh_info"), "--doctor-part", "fabric"],
                     LD_LIBRARY_PATH=path).stdout
        found = re.findall(r"^  (?:hwloc|PMIx) +.*|libfabric [\d.]+", versions + fabric,
                           re.MULTILINE)
        for program in PROGRAMS:
            for layout in LAYOUTS:
                for provider in PROVIDERS if layout else ("",):
                    with self.subTest(prefix=prefix, program=program, provider=provider):
                        job = run([os.path.join(BIN, "oshrun"), "-n", "3", *layout,
                                   os.path.join(BIN, program)],
                                  SHMEM_OFI_PROVIDER=provider, LD_LIBRARY_PATH=path)
                        self.assertEqual(job.returncode, 0, job.stdout[-3000:])
        print(f"| {prefix} | {'; '.join(' '.join(one.split()) for one in found)} | ran |")

    def test_prefixes(self):
        for prefix in PREFIXES:
            path = os.path.join(prefix, "lib")
            self.assertTrue(os.path.isdir(path), f"{path}: there is no such folder")
            self.check(prefix, path)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
