# SPDX-License-Identifier: BSD-3-Clause
"""Would break: jobs take a file for public copies that their PEs do not share, that another job
uses, or whose old contents they see; or they do not say why they end.

Usage: public_file_test.py OSHRUN CASES PROGRAM (public_pointer_cases.c, noncoherent_test.cpp).
"""
import mmap
import os
import struct
import subprocess
import sys
import tempfile
import threading

from misuse import HANG_SECONDS, Misuse, says

NAME = "shmem_init: SHMEM_HEAP=noncoherent:"
HOST = f" on {os.uname().nodename}: "
NOT_SHARED = (r"PE \d has stored to its part of the file, but this PE does not see it; the name "
              "must lead to the same memory on all hosts")
# Each PE in a folder of its own, where a relative name is another file.
OWN_FOLDER = 'mkdir -p pe$PMIX_RANK && cd pe$PMIX_RANK && exec "$@"'


# PublicPart (src/session/public_file.hpp), at the start of each part: the magic number, the job,
# the program, the bytes of static data, the pulse, the number of PEs and the bytes of a part.
PART = struct.Struct("<7Q")
MAGIC = 0x31424c4250534554
PULSE_AT = 32
PART_BYTES = 2 << 20


def run(command, **settings):
    return subprocess.run(command, env={**os.environ, **settings}, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=HANG_SECONDS)


def check_messages(misuse, folder):
    fifo = os.path.join(folder, "fifo")
    os.mkfifo(fifo)
    for case, path, text in (
            ("folder", folder, "cannot open the file: Is a directory; name a file, .*"),
            ("missing device", "/dev/none0.0", "cannot open the file: No such file.*; name the "
             "memory as this host does, or load the device's driver"),
            ("missing folder", folder + "/none/file", "cannot open the file: No such file.*"),
            ("no shared mapping", "/proc/self/comm", "cannot map the file for all PEs: No such "
             "device; take a file system with shared mappings, .*"),
            ("fifo", fifo, "this is neither a file nor a device of characters, .*"),
            # Each mapping of it is memory of its own.
            ("other memory", "/dev/zero", NOT_SHARED)):
        misuse.expect_error(case, NAME + path + HOST + text, SHMEM_HEAP="noncoherent:" + path)


def check_nodes(misuse, folder):
    """PEs of two nodes, which share a file, or have two of the same name."""
    settings = {"SHMEM_HEAP": "noncoherent:public", "SHMEM_VIRTUAL_NODES": "2",
                "SHMEM_SYMMETRIC_SIZE": "2M", "SHMEM_FABRIC": "loopback"}
    os.chdir(folder)
    command = [misuse.oshrun, "-n", "3"]
    result = run([*command, misuse.program, "none"], **settings)
    misuse.check("one file", result, result.returncode == 0 and "right" in result.stdout, "right")
    result = run([*command, "sh", "-c", OWN_FOLDER, "sh", misuse.program, "none"], **settings)
    misuse.check("two files", result, result.returncode != 0 and "has stored to its part of the "
                 "file, but this PE does not see it" in result.stdout, NOT_SHARED)
    # The signatures prove that two names lead to one file.
    os.symlink("public", "other")
    by_two_names = 'test $PMIX_RANK = 0 || export SHMEM_HEAP=noncoherent:other; exec "$@"'
    result = run([*command, "sh", "-c", by_two_names, "sh", misuse.program, "none"], **settings)
    misuse.check("two names", result, result.returncode == 0 and "right" in result.stdout, "right")
    result = run([*command, misuse.program, "none"],
                 **{**settings, "SHMEM_HEAP": "noncoherent-emulated"})
    misuse.check("emulation", result, result.returncode != 0 and "works with the PEs of one node"
                 in result.stdout, "a refusal")


def check_old_contents(misuse, folder, program):
    """A killed job leaves old contents in the file."""
    path = os.path.join(folder, "old")
    with open(path, "wb") as file:
        file.write(b"\xa5" * (8 << 20))
    result = run([misuse.oshrun, "-n", "2", program, "--gtest_brief=1"],
                 SHMEM_HEAP="noncoherent:" + path, SHMEM_SYMMETRIC_SIZE="16M")
    misuse.check("old contents", result, result.returncode == 0, "success")


def check_lock(misuse, folder):
    path = os.path.join(folder, "used")
    settings = {"SHMEM_HEAP": "noncoherent:" + path}
    command = [misuse.oshrun, "-n", "2", misuse.program]
    with subprocess.Popen([*command, "wait"], text=True, stdin=subprocess.PIPE,
                          env={**os.environ, **misuse.settings, **settings},
                          stdout=subprocess.PIPE) as user:
        said = user.stdout.readline()
        misuse.expect_error("used file", NAME + path + HOST + "another job uses the file; give "
                            "each job its own", **settings)
        user.communicate("\n", timeout=HANG_SECONDS)
    result = run([*command, "none"], **misuse.settings, **settings)
    misuse.check("file that was used", result, said == "ready\n" and user.returncode == 0 and
                 result.returncode == 0, "success")


def check_permission(misuse, folder):
    path = os.path.join(folder, "forbidden")
    with open(path, "wb"):
        os.chmod(path, 0)
    # Root may open any file, but for this right.
    as_user = ("setpriv", "--bounding-set=-dac_override") if os.geteuid() == 0 else ()
    misuse.expect_error("permission", NAME + path + HOST + "cannot open the file: Permission "
                        "denied; give the user of the job the right to read and write it on each "
                        "host", options=as_user, SHMEM_HEAP="noncoherent:" + path)


def check_full_file_system(misuse, folder):
    """The file system of the file has less memory than the user asks for, or than PEs touch."""
    own_mounts = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    if run([*own_mounts, "true"]).returncode != 0:
        return print("no mount namespaces here: full file systems are not tested")
    said = NAME + folder + "/file" + HOST
    start = r"the file system has room for \d+ bytes, but 2 PEs need \d+; lower SHMEM_SYM.* room"
    late = "the file system is full, so the file gets no more memory; lower SHMEM_SYM.* room"
    for case, size, asked, text in (("none", "8M", "16M", start), ("none", "4k", "0", start),
                                    ("none", "8M", "0", None), ("fill", "8M", "0", late)):
        result = run([*own_mounts, "sh", "-c", f'mount -t tmpfs -o size={size} none {folder} && '
                      'exec "$@"', "sh", misuse.oshrun, "-n", "2", misuse.program, case],
                     SHMEM_HEAP=f"noncoherent:{folder}/file", SHMEM_SYMMETRIC_SIZE=asked)
        is_good = result.returncode == 0 if text is None else (
            result.returncode != 0 and says(result, text if case == "fill" else said + text))
        misuse.check(f"{case} in a file system of {size}", result, is_good, text or "success")


def check_signatures(misuse, folder):
    """A job that has ended leaves no signature: the next job would wait for its pulse."""
    path = os.path.join(folder, "ended")
    for case in ("none", "alone"):
        result = run([misuse.oshrun, "-n", "2", misuse.program, case],
                     **misuse.settings, SHMEM_HEAP="noncoherent:" + path)
        with open(path, "rb") as file:
            has_signature = file.read(8) == struct.pack("<Q", MAGIC)
        misuse.check("signature of " + case, result, result.returncode == 0 and not has_signature,
                     "no signature")


class Pulse(threading.Thread):
    """Another host's job of two PEs in the file, which no lock shows."""

    def __init__(self, path, living_pe):
        """`living_pe`: None: all have died."""
        super().__init__()
        with open(path, "r+b") as file:
            file.truncate(max(2 * PART_BYTES, os.path.getsize(path)))
            self.memory = mmap.mmap(file.fileno(), 0)
        # As a job does: it empties its memory, then signs it.
        self.memory[:] = b"\0" * len(self.memory)
        for at in (0, PART_BYTES):
            self.memory[at:at + PART.size] = PART.pack(MAGIC, 12345, 1, 0, 0, 2, PART_BYTES)
        self.is_over = threading.Event()
        self.living_pe = living_pe

    def run(self):
        pulse = 0
        while self.living_pe is not None and not self.is_over.wait(0.005):
            pulse += 1
            at = self.living_pe * PART_BYTES
            if PART.unpack(self.memory[at:at + PART.size])[1] == 12345:
                at += PULSE_AT
                self.memory[at:at + 8] = struct.pack("<Q", pulse)

    def end(self):
        self.is_over.set()
        self.join()


def check_other_hosts(misuse, folder):
    """A job on another host uses the file, has died there, or takes it."""
    path = os.path.join(folder, "pool")
    settings = {"SHMEM_HEAP": "noncoherent:" + path}
    command = [misuse.oshrun, "-n", "2", misuse.program]
    for living_pe in (0, 1, None):
        with open(path, "wb"):
            pass
        other = Pulse(path, living_pe)
        other.start()
        if living_pe is not None:
            misuse.expect_error("live job", NAME + path + HOST + "another job uses this memory, "
                                "perhaps on another host; give each job its own", **settings)
        else:
            result = run([*command, "none"], **misuse.settings, **settings)
            misuse.check("dead job", result, result.returncode == 0, "success")
        other.end()
    with subprocess.Popen([*command, "wait"], text=True, stdin=subprocess.PIPE,
                          env={**os.environ, **misuse.settings, **settings},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as user:
        said = user.stdout.readline()
        Pulse(path, None)
        text, _ = user.communicate("\n", timeout=HANG_SECONDS)
        result = subprocess.CompletedProcess(command, user.returncode, text)
        misuse.check("taken memory", result, said == "ready\n" and user.returncode != 0 and
                     f"SHMEM_HEAP=noncoherent:{path}{HOST}another job has overwritten this memory; "
                     "give each job its own" in text, "a message")


def main():
    misuse = Misuse(npes=2, SHMEM_SYMMETRIC_SIZE="2M")
    misuse.oshrun, misuse.program = map(os.path.abspath, sys.argv[1:3])
    program = os.path.abspath(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        check_messages(misuse, folder)
        check_permission(misuse, folder)
        check_full_file_system(misuse, folder)
        check_lock(misuse, folder)
        check_signatures(misuse, folder)
        check_old_contents(misuse, folder, program)
        check_other_hosts(misuse, folder)
        check_nodes(misuse, folder)
    return misuse.end()


if __name__ == "__main__":
    sys.exit(main())
