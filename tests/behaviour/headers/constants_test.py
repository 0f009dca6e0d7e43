# SPDX-License-Identifier: BSD-3-Clause
"""Breaks when constants.c does not compile, warns, or finds a wrong value; or when the version in
SHMEM_VENDOR_STRING and the SHMEMX_VERSION_ numbers, or a version given by the build, differ.
"""

import os
import re
import subprocess

import headers


def check_version(compiler, failures):
    done = compiler.run("#include <shmemx.h>\n", "c11", "-E", "-dM")
    macros = dict(re.findall(r'^#define (\w+) "?(.*?)"?$', done.stdout, re.MULTILINE))
    numbers = [macros["SHMEMX_VERSION_" + part] for part in ("MAJOR", "MINOR", "PATCH")]
    want = "Tessera " + ".".join(numbers)
    have = macros["SHMEM_VENDOR_STRING"]
    # A prerelease has a suffix.
    failures.check(have.split("-")[0] == want,
                   f"SHMEM_VENDOR_STRING is {have}, shmemx.h says {want}")
    build = os.environ.get("TESSERA_BUILD_VERSION")
    failures.check(not build or have == "Tessera " + build, f"{have}, but the build is {build}")


def test(compiler, standards, failures):
    with open(os.path.join(headers.FOLDER, "constants.c")) as source:
        text = source.read()
    # __thread is a keyword of the compilers, older than the ones of the standards.
    program = os.path.join(compiler.folder, "constants")
    for standard in standards:
        done = compiler.run(text, standard, *headers.WARNINGS, "-o", program)
        failures.check(done.returncode == 0, f"{standard}:\n{done.stderr[:3000]}")
        if done.returncode == 0:
            ran = subprocess.run([program])
            failures.check(ran.returncode == 0, f"{standard}: constants.c found a wrong value")
            os.remove(program)
    check_version(compiler, failures)
    return "constants.c"


if __name__ == "__main__":
    headers.main(test)
