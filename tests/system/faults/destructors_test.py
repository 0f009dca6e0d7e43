# SPDX-License-Identifier: BSD-3-Clause
"""Would break: exit() in a forked child, another thread or a signal handler destroys objects that
are in use. Nothing of the library may be destroyed at exit: no object file may register a
destructor (__cxa_atexit). A static object that needs one is a reference: `T& name = *new T;`.

destructors_test.py NM LIBRARY, the static one, which has our object files only.
"""
import re
import subprocess
import sys

REGISTERS = re.compile(r"\bU (__cxa_atexit|__cxa_thread_atexit)\b")


def main():
    nm, library = sys.argv[1:]
    listed = subprocess.run([nm, "-A", library], capture_output=True, text=True, check=True).stdout
    if "shmem_init" not in listed:
        sys.exit(f"FAILED: {library} is not the library; is this test up to date?")
    found = [line for line in listed.splitlines() if REGISTERS.search(line)]
    if found:
        sys.exit("FAILED: these register destructors:\n" + "\n".join(found))


if __name__ == "__main__":
    main()
