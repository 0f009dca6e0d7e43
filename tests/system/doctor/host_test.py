# SPDX-License-Identifier: BSD-3-Clause
"""Would break: osh_info --doctor misses what makes starts fail on a host, or finds a problem on a
host where jobs start. Each test breaks one thing, in a process, a mount or a name of its own.

usage: host_test.py BIN_FOLDER [UNITTEST_OPTION]...
"""
import os
import platform
import resource
import struct
import subprocess
import sys
import unittest

import lab
import seccomp
from findings import DoctorTest

KIBI, GIBI = 1 << 10, 1 << 30
SECONDS = 240
OSH_INFO = os.path.join(os.path.abspath(sys.argv[1]), "osh_info")
FOLDER = "/tmp/doctor"
NO_HOST = "nowhere.invalid"


def limit(kind, value):
    return lambda: resource.setrlimit(kind, (value, value))


def write_file(name, text, mode=0o644):
    path = os.path.join(FOLDER, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


class HostTest(DoctorTest):
    def doctor(self, *options, shell="", preexec=None, user=(), **variables):
        """`shell`: commands before it, in a mount and name space of their own."""
        command = [*user, OSH_INFO, "--doctor", *options]
        if shell:
            command = ["unshare", "--mount", "--uts", "sh", "-ec", shell + '; exec "$@"', "sh",
                       *command]
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("SHMEM_", "SLURM_", "FI_"))}
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                           **variables)
        result = subprocess.run(command, env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                                preexec_fn=preexec, timeout=SECONDS, check=False)
        return result.returncode, result.stdout

    def test_health(self):
        self.expect_health(self.doctor())
        self.expect_health(self.doctor("-n", "2"))

    def test_public_memory(self):
        path = write_file("pool", "")
        folder = os.path.join(FOLDER, "folder")
        os.makedirs(folder, exist_ok=True)
        fifo = write_file("fifo", "")
        os.unlink(fifo)
        os.mkfifo(fifo)
        for name, pattern, remedy in (
                ("/dev/none0.0", "No such file", "driver"),
                ("/dev/null", "cannot be mapped", "map"),
                (folder, "Is a directory", "right"),
                (fifo, "neither a file nor", "DAX")):
            self.expect(self.doctor(SHMEM_HEAP="noncoherent:" + name), "public memory", "problem",
                        pattern, remedy)
        heap = {"SHMEM_HEAP": "noncoherent:" + path, "SHMEM_SYMMETRIC_SIZE": "2M"}
        code, output = self.doctor(**heap)
        self.assertIn(f"{path}: a file", output)
        self.assertEqual(code, 0, output)
        # The magic number, the job, the program, the bytes of static data, the pulse.
        write_file("pool", "")
        with open(path, "wb") as file:
            file.write(struct.pack("<5Q", 0x31424c4250534554, 1, 2, 3, 4).ljust(8192, b"\0"))
        self.expect(self.doctor(**heap), "public memory", "note", "has left its signature", "2 s")

    def test_open_files(self):
        result = self.doctor(preexec=limit(resource.RLIMIT_NOFILE, 24))
        self.expect(result, "open files", "problem", "24, at most 24, but", "ulimit -n")
        self.expect(result, "start", "problem", "ulimit -n", "findings above")

    def test_address_space(self):
        result = self.doctor(preexec=limit(resource.RLIMIT_AS, 2 * GIBI))
        self.expect(result, "address space", "problem", "2.0 GiB", "ulimit -v unlimited")

    def test_file_size(self):
        result = self.doctor(preexec=limit(resource.RLIMIT_FSIZE, GIBI))
        self.expect(result, "file size", "problem", "1.0 GiB", "ulimit -f unlimited")

    def test_locked_memory(self):
        verdict = "problem" if os.path.exists("/sys/class/infiniband") else "note"
        result = self.doctor(preexec=limit(resource.RLIMIT_MEMLOCK, 64 * KIBI))
        self.expect(result, "locked memory", verdict, "64.0 KiB", "ulimit -l unlimited")

    @unittest.skipIf(os.geteuid() != 0, "needs another user")
    def test_processes(self):
        user = ("setpriv", "--reuid", "12345", "--regid", "12345", "--clear-groups",
                "--bounding-set=-all", "--inh-caps=-all")
        result = self.doctor(user=user, preexec=limit(resource.RLIMIT_NPROC, 20))
        self.expect(result, "processes", "problem", "at most 20", "ulimit -u")

    @unittest.skipIf(os.cpu_count() == 1, "needs two cores")
    def test_one_core(self):
        first = min(os.sched_getaffinity(0))
        result = self.doctor("-n", "1", preexec=lambda: os.sched_setaffinity(0, {first}))
        self.expect(result, "cores", "note", "1 of .*share one", "taskset")
        result = self.doctor("-n", "4096", preexec=lambda: os.sched_setaffinity(0, {first}))
        self.expect(result, "cores", "note", "4096 PEs", "at most 1 PEs")

    def test_memory(self):
        result = self.doctor(SHMEM_SYMMETRIC_SIZE="100T")
        self.expect(result, "memory", "problem", "SHMEM_SYMMETRIC_SIZE", "smaller")

    def test_huge_pages(self):
        never = write_file("never", "always within_size advise [never] deny force\n")
        none = write_file("none", "0\n")
        pages = "/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages"
        if not os.path.exists(pages):
            self.skipTest("this kernel has no huge pages of 2 MiB")
        shell = (f"mount --bind {none} {pages}; mount --bind {never} "
                 "/sys/kernel/mm/transparent_hugepage/shmem_enabled")
        result = self.doctor("-n", "2", shell=shell, SHMEM_SYMMETRIC_SIZE="64M",
                             SHMEM_SYMMETRIC_HEAP_USE_HUGE_PAGES="1")
        self.expect(result, "huge pages", "note", "asks for 192,", "vm.nr_hugepages=192")

    def test_shared_memory(self):
        result = self.doctor(shell="mount -t tmpfs -o size=64k tmpfs /dev/shm")
        self.expect(result, "/dev/shm", "note", "only 64.0 KiB", "remount,size=50%")
        result = self.doctor(shell="mount -o remount,bind,ro /dev/shm")
        self.expect(result, "/dev/shm", "note", "Read-only", "remount,rw")

    def test_left_files(self):
        path = "/dev/shm/left_by_a_job"
        with open(path, "w") as file:
            file.write("x" * KIBI)
            file.flush()
            self.assertNotIn(path, self.doctor()[1], "a process has it open")
        self.addCleanup(os.unlink, path)
        self.expect(self.doctor(), "left files", "note", "1 in /dev/shm", f"rm {path}")

    def test_temporary_folder(self):
        self.expect(self.doctor(TMPDIR="/nonexistent"), "temporary folder", "note",
                    "TMPDIR=/nonexistent: No such file", "export TMPDIR=")
        result = self.doctor(shell="mount -o remount,bind,ro /tmp")
        self.expect(result, "temporary folder", "problem", "Read-only", "export TMPDIR=")
        self.expect_health(self.doctor(shell="mount -o remount,bind,ro /tmp", TMPDIR="/dev/shm"))

    @unittest.skipIf(platform.machine() not in seccomp.PROCESS_VM_READV,
                     "number of the call not known")
    def test_process_access(self):
        def forbid():
            seccomp.forbid(seccomp.PROCESS_VM_READV)
        result = self.doctor(preexec=forbid)
        self.expect(result, "process access", "note", "Operation not permitted", "seccomp")
        result = self.doctor(preexec=forbid, SHMEM_STATIC_DATA="cma")
        self.expect(result, "process access", "problem", "SHMEM_STATIC_DATA=cma", "unset")

    def test_launcher_without_pmix(self):
        write_file("slurm/srun", "#!/bin/sh\necho MPI plugin types are...; echo none; echo pmi2\n",
                   0o755)
        path = f"{FOLDER}/slurm:{os.environ['PATH']}"
        result = self.doctor(PATH=path, SLURM_JOB_NUM_NODES="2")
        self.expect(result, "launchers", "problem", "srun: .*offers no PMIx.*pmi2", "mpi_pmix.so")
        write_file("mpich/mpirun", "#!/bin/sh\necho HYDRA build details:\n", 0o755)
        path = f"{FOLDER}/mpich:/usr/sbin:/sbin:/bin"
        result = self.doctor("--hosts", "localhost", PATH=path)
        self.expect(result, "launchers", "problem", "not Open MPI's.*HYDRA", "openmpi-bin")

    def test_no_launcher_of_hosts(self):
        result = self.doctor("--hosts", "localhost", PATH=FOLDER)
        self.expect(result, "launchers", "problem", "neither is in PATH", "openmpi-bin")

    def test_library_path(self):
        for library, check in (("libfabric.so.1", "fabric"), ("libpmix.so.2", "PMIx library")):
            with self.subTest(library):
                path = write_file(f"libraries/{library}", "no library\n")
                result = self.doctor("--hosts", "localhost", LD_LIBRARY_PATH=f"{FOLDER}/libraries")
                os.unlink(path)
                self.expect(result, "library path", "problem", f"picks {path}, which cannot",
                            "LD_LIBRARY_PATH")
                if check == "fabric":
                    self.expect(result, check, "problem", "cannot be loaded", "SHMEM_OFI")

    def test_names(self):
        shell = f"hostname {NO_HOST}"
        self.expect(self.doctor(shell=shell), "host name", "note", f"{NO_HOST} does not resolve",
                    "/etc/hosts")
        result = self.doctor("--hosts", f"localhost,{NO_HOST}", shell=shell)
        self.expect(result, "host name", "problem", f"{NO_HOST} does not resolve", "/etc/hosts")
        self.expect(result, "hosts", "problem", f"{NO_HOST} does not resolve", "/etc/hosts")

    def test_wrong_interface(self):
        self.expect(self.doctor(SHMEM_OFI_INTERFACE="nosuch0"), "fabric", "note",
                    "SHMEM_OFI_INTERFACE=nosuch0: this host has no such interface",
                    "SHMEM_OFI_INTERFACE")
        self.expect(self.doctor("--hosts", "localhost", SHMEM_OFI_INTERFACE="nosuch0"), "fabric",
                    "problem", "no such interface", "ip -4 addr")

    def test_failed_start_points_here(self):
        oshrun = os.path.join(os.path.dirname(OSH_INFO), "oshrun")
        result = subprocess.run([oshrun, "-n", "2", OSH_INFO, "--doctor-part", "pe"], text=True,
                                preexec_fn=limit(resource.RLIMIT_NOFILE, 24), check=False,
                                stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)
        self.assertEqual(result.returncode, 1)
        self.assertIn("`osh_info --doctor`", result.stderr)


if __name__ == "__main__":
    lab.enter()
    os.makedirs(FOLDER)
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
