# SPDX-License-Identifier: BSD-3-Clause
"""Would break: two hosts that share a memory device do not run a job on it, whatever maps it; or a
pool that another job uses, that a host lacks, or that lost a host is no message but wrong data.

Usage: pool_test.py CACHE BIN_FOLDER COARRAYS, by hand with names of tests behind it. CACHE keeps
the kernel; COARRAYS is a program of coarrays, which need not exist.
"""
import os
import subprocess
import sys
import unittest

import image
from launching import skip_all
from machines import Machines

PROGRAMS = ("oshrun", "noncoherent_test", "public_pointers_test", "public_pointer_cases",
            "dart_together_test")
DAX, CXL = "/dev/dax0.0", "/dev/dax1.0"
# The parts of two PEs fit into the smallest device.
SETTINGS = ("SHMEM_SYMMETRIC_SIZE=8M SHMEM_TEAM_MEMORY_SIZE=2M SHMEM_LOCAL_MEMORY_SIZE=2M")
GTEST = "--gtest_brief=1"
COARRAYS = os.path.abspath(sys.argv[3])


def setUpModule():
    bin_folder = os.path.abspath(sys.argv[2])
    programs = [os.path.join(bin_folder, name) for name in PROGRAMS]
    if os.path.exists(COARRAYS):
        programs.append(COARRAYS)
    try:
        machines = Machines(sys.argv[1], programs)
    except (subprocess.CalledProcessError, OSError) as error:
        skip_all(f"no kernel (Debian package {image.KERNEL_PACKAGE}): {error}")
    PoolTest.vm0, PoolTest.vm1 = unittest.enterModuleContext(machines)
    for machine in (PoolTest.vm0, PoolTest.vm1):
        machine.run(f"export PATH=\"$PATH:{bin_folder}\" {SETTINGS}")
    _, PoolTest.pci = PoolTest.vm0.run("ls /sys/bus/pci/devices/*/resource2 | head -n 1")


class PoolTest(unittest.TestCase):
    vm0 = vm1 = None
    pci = ""

    def job(self, program, heap, options="--host vm0:1,vm1:1", machine=None):
        """A job's exit code and output. `heap`: of all PEs, or one for each PE."""
        heaps = [heap, heap] if isinstance(heap, str) else heap
        return (machine or self.vm0).run(
            f"SHMEM_HEAP=noncoherent:{heaps[0]} oshrun {options} sh -c 'test $PMIX_RANK = 0 || "
            f"export SHMEM_HEAP=noncoherent:{heaps[1]}; exec {program}'")

    def expect(self, result, *texts, code=0):
        """`code`: None: any but 0."""
        found, said = result
        if code is None:
            self.assertNotEqual(found, 0, said)
        else:
            self.assertEqual(found, code, said)
        for text in texts:
            self.assertRegex(said, text)

    def test_pci(self):
        """The hosts name the memory differently, and map it write-combining and uncached."""
        self.expect(self.job(f"public_pointers_test {GTEST}", (self.pci + "_wc", self.pci)),
                    "PASSED")

    def test_dax(self):
        self.expect(self.job(f"noncoherent_test {GTEST}", DAX), "PASSED")

    @unittest.skipUnless(os.path.exists(COARRAYS), "no Fortran compiler")
    def test_coarrays(self):
        self.expect(self.job(COARRAYS, self.pci + "_wc"), "passed")

    def test_dart(self):
        self.expect(self.job("dart_together_test moves reductions locks", self.pci))

    def test_cxl(self):
        """QEMU traps each access."""
        self.expect(self.job("public_pointer_cases", CXL), "right")

    def test_bad_paths(self):
        for case, heap, *texts in (
                ("missing", (self.pci, "/dev/dax7.0"),
                 r"noncoherent:/dev/dax7.0 on vm1: cannot open the file: No such file.*; "),
                ("other memory", (self.pci, DAX),
                 r"on vm[01]: PE [01] has stored to its part of the file, but this PE does not")):
            with self.subTest(case):
                self.expect(self.job("public_pointer_cases", heap), *texts, code=None)

    def test_too_small(self):
        self.expect(self.vm0.run(f"SHMEM_SYMMETRIC_SIZE=64M SHMEM_HEAP=noncoherent:{self.pci} "
                                 "oshrun -n 2 public_pointer_cases"),
                    "on vm0: the device has 67108864 bytes, but 2 PEs need .*; lower SHMEM_SYM",
                    code=None)

    def start_waiting(self):
        """A job of both hosts that waits for a line in the file /tmp/go."""
        self.vm0.run(f"rm -f /tmp/go; mkfifo /tmp/go; SHMEM_HEAP=noncoherent:{self.pci} oshrun "
                     "--host vm0:1,vm1:1 public_pointer_cases wait <>/tmp/go >/tmp/said 2>&1 &\n"
                     "until grep -q ready /tmp/said; do sleep 0.1; done")

    def test_other_job(self):
        self.start_waiting()
        for machine in (self.vm1, self.vm0):
            with self.subTest(machine.name):
                self.expect(self.job("public_pointer_cases", self.pci, "-n 1", machine),
                            f"on {machine.name}: another job uses", code=None)
        self.expect(self.vm0.run("echo >/tmp/go; wait $!; code=$?; cat /tmp/said; (exit $code)"),
                    "right")

    def test_z_vanished_host(self):
        """The last one, because vm1 is gone then."""
        self.start_waiting()
        self.vm1.kill()
        self.expect(self.vm0.run("wait $!; code=$?; cat /tmp/said; (exit $code)"), code=None)
        self.expect(self.job("public_pointer_cases", self.pci, "-n 2"), "right")


if __name__ == "__main__":
    if image.missing():
        skip_all(image.missing())
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
