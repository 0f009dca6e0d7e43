# SPDX-License-Identifier: BSD-3-Clause
"""Processes and their ports, as /proc shows them: the tests that start jobs ask for the end of a
process, for what a job has left, and for the ports of PEs. No process of a test is waited for by
sleeping."""
import os
import re
import select

LISTENS = "0A"  # The state of a socket in /proc/PID/net/tcp.


def wait_gone(pid, seconds):
    """Whether a process, which need not be our child, has ended within so many seconds."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], max(seconds, 0))[0])
    finally:
        os.close(descriptor)


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


def runs(pid, program):
    """Whether a process has become the program: a child of oshrun may be its keeper, or a PE that
    has not called exec yet."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().split(b"\0")[0] == program.encode()
    except OSError:
        return False


def processes_with(mark):
    """(pid, command) of the processes whose environment has the mark, zombies excepted."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/environ", "rb") as file:
                if mark.encode() not in file.read():
                    continue
            with open(f"/proc/{entry}/cmdline", "rb") as file:
                found.append((int(entry), file.read().replace(b"\0", b" ").decode()))
        except OSError:
            continue
    return found


def listening_ports(pid):
    """[(address, port)] of the TCP sockets on which a process of any network waits for
    connections."""
    inodes = set()
    for descriptor in os.listdir(f"/proc/{pid}/fd"):
        try:
            match = re.match(r"socket:\[(\d+)\]", os.readlink(f"/proc/{pid}/fd/{descriptor}"))
        except OSError:
            continue
        inodes.update(match.groups() if match else ())
    with open(f"/proc/{pid}/net/tcp") as file:
        rows = [line.split() for line in file.readlines()[1:]]
    return [_place(row[1]) for row in rows if row[3] == LISTENS and row[9] in inodes]


def _place(text):
    address, port = text.split(":")
    return ".".join(str(int(address[i:i + 2], 16)) for i in (6, 4, 2, 0)), int(port, 16)
