# SPDX-License-Identifier: BSD-3-Clause
"""Reads the parts of a trace: the files of tools/trace/format.hpp, one for each thread of a PE.

A part of a PE that crashed is as good as any other: it ends where the PE ended. A file that is no
part, or is cut off, becomes an entry of Job.problems.
"""
import mmap
import os
import re
import struct
from dataclasses import dataclass, field

MAGIC = b"TESSTRC\0"
VERSION = 4
HEADER = struct.Struct("=8sIiiIIi" + "QQQQQQ" + "iI" + "64s128s")
SECTION = struct.Struct("=QIIQ")
SECTIONS = ("operations", "cells", "sizes", "matched", "long", "heap", "teams", "choices",
            "releases", "maps")
ENTRIES = {"operations": struct.Struct("=24s"), "cells": struct.Struct("=qQQQQQQQ"),
           "sizes": struct.Struct("=QQQd"),
           "matched": struct.Struct("=QQQiHHIIQQQ"), "long": struct.Struct("=QQQiHHIIQQQ"),
           "heap": struct.Struct("=QQ"), "teams": struct.Struct("=Qii"),
           "choices": struct.Struct("=32s40siIQ"), "releases": struct.Struct("=QQQQQQQiHH"),
           "maps": struct.Struct("=c")}
RUNNING, FINALIZED, EXITED = range(3)
SIZE_CLASSES = 48
TURN_BITS = 30
FILE_NAME = re.compile(r"pe(\d+)\.thread(\d+)\.part")


class BadPart(Exception):
    """A file that is no part of a trace; the text says why."""


@dataclass
class Record:
    """One call; times in nanoseconds of the job's common clock."""
    start: int
    duration: int
    bytes: int
    peer: int
    operation: str
    team: int
    sequence: int
    site: int
    word: int = 0   # of a wait: the global pointer to what it waited for
    value: int = 0
    flags: int = 0  # the comparison, and 256 times the bytes of a word
    line: str = ""  # of the program, "main (heat.c:12)"

    @property
    def end(self):
        return self.start + self.duration


@dataclass
class Release:
    """A call that changed words for which PE `peer` waited."""
    start: int
    duration: int
    word: int
    bytes: int
    value: int  # None: not known
    peer: int
    operation: str
    site: int
    line: str = ""


@dataclass
class Part:
    """One thread of one PE."""
    pe: int
    npes: int
    thread: int
    state: int
    node: int
    begin: int
    end: int
    left_init: int
    left_finalize: int
    long_from: int
    stride: int
    pid: int
    host: str
    program: str
    operations: list = field(default_factory=list)
    cells: list = field(default_factory=list)   # (operation, peer or -1, count, bytes, ns, timed)
    sizes: list = field(default_factory=list)   # (direction, route, log2, count, bytes, ns, best)
    matched: list = field(default_factory=list)
    long: list = field(default_factory=list)
    heap: list = field(default_factory=list)    # (ns, bytes)
    teams: list = field(default_factory=list)   # (key, npes, my_index)
    choices: list = field(default_factory=list)  # (collective, algorithm, npes, log2, calls)
    releases: list = field(default_factory=list)
    maps: str = ""  # lines of /proc/PID/maps

    def team_size(self, number):
        """RETURNS the PEs of a team; 0: it is not in the table."""
        return self.teams[number][1] if number < len(self.teams) else 0

    def shift(self, ns):
        """Moves all times, to the clock of another host."""
        self.begin += ns
        self.end += ns
        self.left_init += ns if self.left_init else 0
        self.left_finalize += ns if self.left_finalize else 0
        for record in self.matched + self.long + self.releases:
            record.start += ns
        self.heap = [(at + ns, used) for at, used in self.heap]


def _text(raw):
    return raw.split(b"\0", 1)[0].decode("utf-8", "replace")


def _entries(data, name, offset, size, capacity, count):
    shape = ENTRIES[name]
    if capacity and size != shape.size:
        raise BadPart(f"its table {name} has entries of {size} bytes, not {shape.size}")
    # A PE that was killed while it appended has counted the entry after writing it.
    count = min(count, capacity)
    if offset + count * shape.size > len(data):
        raise BadPart("it is cut off")
    if name == "maps":
        return data[offset:offset + count].decode("utf-8", "replace")
    return list(shape.iter_unpack(data[offset:offset + count * shape.size]))


def _check(is_right, what):
    if not is_right:
        raise BadPart(f"it is damaged: {what}")


def _check_header(part, tables):
    _check(0 <= part.pe < part.npes and part.stride > 0, "its header makes no sense")
    _check(len(tables["cells"]) == (part.npes + 1) * (len(tables["operations"]) + 1),
           f"its counts are not those of {part.npes} PEs")


def _choices(rows):
    _check(all(log < 64 for *_, log, _ in rows), "a size of more than 64 bits")
    return [(_text(collective), _text(algorithm), *rest) for collective, algorithm, *rest in rows]


def _check_call(part, operation, peer):
    _check(operation < len(part.operations) and -1 <= peer < part.npes,
           f"it has a call of operation {operation} with PE {peer}")


def _records(part, rows):
    records = []
    for start, duration, size, peer, operation, flags, team, sequence, site, word, value in rows:
        _check_call(part, operation, peer)
        records.append(Record(start, duration, size, peer, part.operations[operation], team,
                              sequence, site, word, value, flags))
    return records


def _releases(part, rows):
    releases = []
    for start, duration, _, word, size, value, site, peer, operation, has_value in rows:
        _check_call(part, operation, peer)
        releases.append(Release(start, duration, word, size, value if has_value else None, peer,
                                part.operations[operation], site))
    return releases


def read_part(path):
    """RETURNS a Part. ERRORS: BadPart."""
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size < HEADER.size + SECTION.size * len(SECTIONS):
            raise BadPart("it is empty or cut off")
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    (magic, version, pe, npes, thread, state, node, begin, end, left_init, left_finalize,
     long_from, stride, pid, _, host, program) = HEADER.unpack_from(data)
    if magic != MAGIC:
        raise BadPart("it is no part of a trace")
    if version != VERSION:
        raise BadPart(f"it has version {version} of the format, and this osh_report reads "
                      f"{VERSION}; use the osh_report of the Tessera that wrote it")
    tables = {}
    for number, name in enumerate(SECTIONS):
        section = SECTION.unpack_from(data, HEADER.size + number * SECTION.size)
        tables[name] = _entries(data, name, *section)
    part = Part(pe, npes, thread, state, node, begin, end, left_init, left_finalize, long_from,
                stride, pid, _text(host), _text(program))
    _check_header(part, tables)
    part.operations = [_text(name) for name, in tables["operations"]]
    part.cells = _cells(part, tables["cells"])
    for index, row in enumerate(tables["sizes"]):
        lane, log = divmod(index, SIZE_CLASSES)
        if row[0]:
            part.sizes.append(("get" if lane >= 2 else "put",
                               "other nodes" if lane % 2 else "this node", log, *row))
    part.matched = _records(part, tables["matched"])
    part.long = _records(part, tables["long"])
    part.heap = tables["heap"]
    part.teams = tables["teams"]
    part.choices = _choices(tables["choices"])
    part.releases = _releases(part, tables["releases"])
    part.maps = tables["maps"]
    _find_end(part)
    return part


def _cells(part, rows):
    """RETURNS Part.cells. The samples of an operation stand for its calls with any peer."""
    operations = len(part.operations)
    width = operations + 1  # the first one of a row is the PE's own
    sampled, covered = [0] * operations, [0] * operations
    used = [(*divmod(index, width), row) for index, row in enumerate(rows) if index % width]
    for _, column, row in used:
        sampled[column - 1] += row[3]
        covered[column - 1] += row[4]
    cells = []
    for peer, column, (turn, planned, size, _, _, exact_ns, exact, timed) in used:
        operation = column - 1
        count = planned - (turn >> TURN_BITS)
        size += turn & ((1 << TURN_BITS) - 1)
        if count:
            rest = sampled[operation] * max(0, count - exact) // max(1, covered[operation])
            cells.append((part.operations[operation], -1 if peer == part.npes else peer, count,
                          size, exact_ns + rest, timed))
    return cells


def _find_end(part):
    """A PE that was killed has not noted its end: take the last thing it did."""
    if part.state != RUNNING:
        return
    part.end = max([part.begin] + [record.end for record in part.matched + part.long] +
                   [at for at, _ in part.heap])


class Job:
    """All parts of a trace, on one clock that begins with 0."""

    collectives = ("barrier", "sync", "broadcast", "collect", "fcollect", "alltoall", "alltoalls",
                   "reduce", "scan")

    def __init__(self, directory):
        self.parts, self.problems = [], []
        # A program that never calls shmem_init makes no folder.
        there = os.listdir(directory) if os.path.isdir(directory) else ()
        names = sorted(name for name in there if FILE_NAME.fullmatch(name))
        for name in names:
            try:
                self.parts.append(read_part(os.path.join(directory, name)))
            except BadPart as error:
                self.problems.append(f"{name} is left out: {error}.")
        self.parts.sort(key=lambda part: (part.pe, part.thread))
        self.npes = max((part.npes for part in self.parts), default=0)
        self.program = self.parts[0].program if self.parts else ""
        self.main = {part.pe: part for part in self.parts if part.thread == 0}
        self._note_missing()
        self._align()

    def _note_missing(self):
        missing = [pe for pe in range(self.npes) if pe not in self.main]
        if missing:
            self.problems.append(f"There is no trace of {pes_text(missing)}: no part was found.")
        killed = [pe for pe, part in self.main.items() if part.state == RUNNING]
        if killed:
            self.problems.append(
                f"{pes_text(killed)} crashed or {'was' if len(killed) == 1 else 'were'} killed: "
                "the trace ends there with the last long call, and short calls have counts only.")
        exited = [pe for pe, part in self.main.items() if part.state == EXITED]
        if exited:
            self.problems.append(f"{pes_text(exited)} ended without shmem_finalize.")

    def _align(self):
        """Hosts have clocks of their own. All PEs leave shmem_init together, and so do they leave
        each barrier of all PEs; the median difference of these moments is that of the clocks."""
        if not self.parts:
            return
        reference = self.parts[0].host
        for host in {part.host for part in self.parts} - {reference}:
            shift = self._clock_difference(reference, host)
            for part in self.parts:
                if part.host == host:
                    part.shift(shift)
        zero = min(part.begin for part in self.parts)
        for part in self.parts:
            part.shift(-zero)

    def _clock_difference(self, reference, host):
        def moments(name):
            found = {}
            for part in self.main.values():
                if part.host != name:
                    continue
                found.setdefault("init", []).append(part.left_init)
                for record in part.matched:
                    if record.operation in ("barrier", "sync") and \
                            part.team_size(record.team) == part.npes:
                        found.setdefault(record.sequence, []).append(record.end)
            return {at: min(ends) for at, ends in found.items()}
        ours, theirs = moments(reference), moments(host)
        differences = sorted(ours[at] - theirs[at] for at in ours.keys() & theirs.keys())
        return differences[len(differences) // 2] if differences else 0

    @property
    def end(self):
        return max((part.end for part in self.parts), default=0)


def pes_text(pes):
    """PE 3; PEs 1, 2 and 5; long lists are cut."""
    if len(pes) == 1:
        return f"PE {pes[0]}"
    if len(pes) > 8:
        return f"PEs {', '.join(map(str, pes[:7]))} and {len(pes) - 7} others"
    return f"PEs {', '.join(map(str, pes[:-1]))} and {pes[-1]}"
