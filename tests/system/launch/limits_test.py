# SPDX-License-Identifier: BSD-3-Clause
"""Would break: under a small limit of the shell (ulimit), or with a program that does not fit into
memory, oshrun crashes, or says something that does not name the limit. Or the name of the host is
too long for it.
"""
import ctypes
import os
import resource
import socket
import struct
import subprocess
import unittest

from launching import OSHRUN, PLAIN, SHMEM, LaunchTest, main

SANITIZERS = (b"__asan_init", b"__tsan_init")
HUGE_BYTES = 1 << 40


def is_sanitized():
    with open(OSHRUN, "rb") as file:
        text = file.read()
    return any(name in text for name in SANITIZERS)


def with_static_data(source, target, size):
    """Copies a program and makes its .bss larger: the kernel sees only the program header."""
    with open(source, "rb") as file:
        image = bytearray(file.read())
    offset, = struct.unpack_from("<Q", image, 32)
    entry_bytes, count = struct.unpack_from("<HH", image, 54)
    for at in range(offset, offset + count * entry_bytes, entry_bytes):
        kind, flags = struct.unpack_from("<II", image, at)
        if kind == 1 and flags & 2:  # PT_LOAD, PF_W
            struct.pack_into("<Q", image, at + 40, size)
    with open(target, "wb") as file:
        file.write(image)
    os.chmod(target, 0o755)


class Limits(LaunchTest):
    def refuse(self, limit, value, *texts, npes=2):
        """The job ends with a line that has all of the texts, and one that points to the doctor."""
        _, error = self.run_job("-n", npes, SHMEM, code=1,
                                preexec_fn=lambda: resource.setrlimit(limit, (value, value)))
        self.assertEqual(error.count("\n"), 2, error)
        for text in ("oshrun: ", *texts, "osh_info --doctor"):
            self.assertIn(text, error)

    def test_file_size(self):
        self.refuse(resource.RLIMIT_FSIZE, 0, "ulimit -f", "0 KiB", "unlimited")
        self.refuse(resource.RLIMIT_FSIZE, 1 << 30, "ulimit -f", "1048576 KiB")

    def test_open_files(self):
        self.refuse(resource.RLIMIT_NOFILE, 8, "ulimit -n", " 8", "32 or more")
        self.refuse(resource.RLIMIT_NOFILE, 64, "ulimit -n", " 64", "100 PEs", npes=100)

    @unittest.skipIf(is_sanitized(), "sanitizers need more stack and memory than the limits")
    def test_stack(self):
        self.refuse(resource.RLIMIT_STACK, 64 << 10, "ulimit -s", "64 KiB", "256 KiB")

    @unittest.skipIf(is_sanitized(), "sanitizers need more stack and memory than the limits")
    def test_data(self):
        for size in (1 << 20, 4 << 20, 10 << 20):
            self.refuse(resource.RLIMIT_DATA, size, "ulimit -d", f"{size >> 10} KiB")

    @unittest.skipIf(is_sanitized(), "sanitizers need more stack and memory than the limits")
    def test_address_space(self):
        # Where Python itself has more already, only the program that prlimit(1) starts is limited.
        for size in (20 << 20, 36 << 20):
            _, error = self.run_job("-n", 2, SHMEM, code=1,
                                    launcher=("prlimit", f"--as={size}", OSHRUN))
            self.assertIn("ulimit -v", error)
            self.assertIn(f"{size >> 10} KiB", error)

    def test_soft_limit_is_raised(self):
        for limit, value in ((resource.RLIMIT_NOFILE, 8), (resource.RLIMIT_FSIZE, 1 << 20)):
            hard = resource.getrlimit(limit)[1]
            out, _ = self.run_job("-n", 2, PLAIN, "limit", int(limit), preexec_fn=lambda:
                                  resource.setrlimit(limit, (value, hard)))
            self.assertEqual(out, f"{value}\n" * 2, "the PEs get back what the user had")
            self.run_job("-n", 2, SHMEM,
                         preexec_fn=lambda: resource.setrlimit(limit, (value, hard)))

    def test_long_host_names(self):
        unshare = ctypes.CDLL(None, use_errno=True).unshare
        clone_new_uts, clone_new_user = 0x04000000, 0x10000000
        flags = clone_new_uts | (clone_new_user if os.geteuid() != 0 else 0)
        if subprocess.run(["true"], preexec_fn=lambda: unshare(flags) and os.abort()).returncode:
            self.skipTest("this system gives no name space for a host name")

        def rename(name):
            unshare(flags)
            socket.sethostname(name)

        for name in ("a" * 64, "a" * 51, "node" + "1" * 60, "a" * 30 + "." + "b" * 33):
            for nodes in (1, 2):
                out, _ = self.run_job("-n", 2, "--virtual-nodes", nodes, SHMEM,
                                      preexec_fn=lambda: rename(name))
                self.assertEqual(len(out.splitlines()), 2, name)

    def test_static_data_larger_than_memory(self):
        with open("/proc/sys/vm/overcommit_memory") as file:
            if file.read().strip() == "1":
                self.skipTest("this kernel promises any amount of memory")
        program = os.path.join(self.folder, "huge")
        with_static_data(SHMEM, program, HUGE_BYTES)
        for npes in (1, 2):
            _, error = self.run_job("-n", npes, program, code=126)
            self.assertIn("1024.0 GiB of static data", error)
            self.assertIn("GiB of memory", error)
            self.assertEqual(error.count("\n"), 1, error)
        os.unlink(program)


if __name__ == "__main__":
    main()
