# SPDX-License-Identifier: BSD-3-Clause
"""What the page shows, computed from the parts: plain numbers, no drawing."""
import bisect
import operator
from dataclasses import dataclass, field

from parts import Job

# The operations in which a PE may wait for another one.
WAITING = ("wait", "set_lock", "quiet") + Job.collectives


@dataclass
class Row:
    """All calls of an operation by all PEs."""
    operation: str
    calls: int = 0
    bytes: int = 0
    ns: int = 0
    timed: int = 0


def calls_by_operation(job):
    """RETURNS rows, the longest time first."""
    rows = {}
    for part in job.parts:
        for operation, _, count, size, ns, timed in part.cells:
            row = rows.setdefault(operation, Row(operation))
            row.calls += count
            row.bytes += size
            row.ns += ns
            row.timed += timed
    return sorted(rows.values(), key=lambda row: -row.ns)


def matrix(job):
    """RETURNS (bytes, messages): lists of lists, [origin][peer]. A get's origin is the PE that
    calls it. Collectives are not in it: the library decides who sends what."""
    size = range(job.npes)
    moved = [[0] * job.npes for _ in size]
    messages = [[0] * job.npes for _ in size]
    for part in job.parts:
        for _, peer, count, number, _, _ in part.cells:
            if peer >= 0:
                moved[part.pe][peer] += number
                messages[part.pe][peer] += count
    return moved, messages


def time_by_pe(job):
    """RETURNS {operation: [ns of each PE]} for the operations in which a PE waits for others."""
    times = {}
    for part in job.parts:
        for operation, _, _, _, ns, _ in part.cells:
            if operation in WAITING:
                times.setdefault(operation, [0] * job.npes)[part.pe] += ns
    return times


def matched_calls(job):
    """Yields [(PE, record), ...] for each collective that all its members have on record."""
    calls = {}
    for part in job.parts:
        teams = job.main[part.pe].teams if part.pe in job.main else []
        for record in part.matched:
            if record.team < len(teams):
                key, npes, _ = teams[record.team]
                calls.setdefault((key, npes, record.sequence), []).append((part.pe, record))
    for (_, npes, _), members in calls.items():
        if len(members) == npes > 1:
            yield members


@dataclass
class Waits:
    """[waiter][PE it waited for], in nanoseconds, from the arrivals at collectives."""
    matrix: list
    last_arrivals: list  # how often each PE came last
    calls: int           # collectives that were compared
    stride: int          # each stands for so many
    first: tuple = None  # (PE that came last to the job's first collective, ns waited for it)

    def caused_by(self, pe):
        return sum(row[pe] for row in self.matrix)


def waits(job):
    """The waiting at collectives. All members of a collective wait for the last one to come;
    in a broadcast they wait for the root only. The first collective is set apart: there PEs wait
    for a PE that was started later, however even their work is."""
    found = Waits([[0] * job.npes for _ in range(job.npes)], [0] * job.npes, 0,
                  max((part.stride for part in job.parts), default=1))
    firsts = {pe: min(part.matched, key=lambda record: record.start, default=None)
              for pe, part in job.main.items()}
    for members in matched_calls(job):
        last_pe, last = max(members, key=lambda member: member[1].start)
        if last.operation == "broadcast":
            roots = [member for member in members if member[0] == last.peer]
            last_pe, last = roots[0] if roots else (last_pe, last)
        waited = {pe: min(max(0, last.start - record.start), record.duration)
                  for pe, record in members if pe != last_pe}
        if len(members) == job.npes and all(firsts[pe] is record for pe, record in members):
            found.first = (last_pe, sum(waited.values()))
            continue
        found.calls += 1
        found.last_arrivals[last_pe] += 1
        for pe, ns in waited.items():
            found.matrix[pe][last_pe] += ns * found.stride
    return found


@dataclass
class Line:
    """The waiting calls of a line of the program that are on record."""
    operation: str
    text: str
    calls: int = 0
    ns: int = 0
    longest: int = 0
    pes: set = field(default_factory=set)


def waits_by_line(job):
    """RETURNS Line rows, the longest time first."""
    lines = {}
    for part in job.parts:
        for record in part.matched + part.long:
            if record.operation in WAITING and record.line:
                key = (record.operation, record.line)
                line = lines.setdefault(key, Line(*key))
                line.calls += 1
                line.ns += record.duration
                line.longest = max(line.longest, record.duration)
                line.pes.add(part.pe)
    return sorted(lines.values(), key=lambda line: -line.ns)


# By the numbers of SHMEM_CMP_EQ and the others.
COMPARISONS = (None, ("==", operator.eq), ("!=", operator.ne), (">", operator.gt),
               (">=", operator.ge), ("<", operator.lt), ("<=", operator.le))


def condition(wait):
    """RETURNS (the sign, whether a value is what the wait waited for), or None where waits for
    several words have several values. Words are taken for signed numbers."""
    number, width = wait.flags % 256, wait.flags // 256
    if not 0 < number < len(COMPARISONS):
        return None
    sign, holds = COMPARISONS[number]
    wanted = _signed(wait.value, width)
    return f"{sign} {wanted}", lambda value: holds(_signed(value, width), wanted)


def _signed(value, width):
    value &= (1 << 8 * width) - 1
    return value - (1 << 8 * width) if value >> (8 * width - 1) else value


def releases(job):
    """Yields (part, Release, part of the wait, its Record) for each wait on record that a call on
    record ended: the first call that gave the word a value that the wait wanted. If calls added to
    the word, so that its value is not known, the last one before the end of the wait."""
    by_peer = {}
    for part in job.parts:
        for release in part.releases:
            by_peer.setdefault(release.peer, []).append((part, release))
    for found in by_peer.values():
        found.sort(key=lambda entry: entry[1].start)
    starts = {pe: [release.start for _, release in found] for pe, found in by_peer.items()}
    for part in job.parts:
        for wait in part.long if part.pe in by_peer else ():
            first = bisect.bisect_left(starts[part.pe], wait.start)
            last = bisect.bisect_right(starts[part.pe], wait.end)
            mine = [entry for entry in by_peer[part.pe][first:last]
                    if entry[1].word < wait.word + wait.bytes and
                    wait.word < entry[1].word + entry[1].bytes]
            chosen = _choose(mine, condition(wait))
            if wait.word and chosen:
                yield (*chosen, part, wait)


def _choose(candidates, wanted):
    _, holds = wanted or ("", lambda value: False)
    known = [entry for entry in candidates
             if entry[1].value is not None and holds(entry[1].value)]
    others = [entry for entry in candidates if not wanted or entry[1].value is None]
    return (known[:1] or others[-1:] or [None])[0]


def heap_series(part):
    """[(ns, bytes)] of a PE: steps from 0 to the end of its trace."""
    if not part.heap:
        return []
    return [(part.begin, 0)] + part.heap + [(part.end, part.heap[-1][1])]


def algorithms(job):
    """RETURNS [(collective, PEs, smallest bytes, largest bytes, algorithm, calls)]. All members of
    a team take the same, so the calls are those of the PE that made most."""
    counts = {}
    for part in job.parts:
        for collective, algorithm, npes, log, calls in part.choices:
            key = (collective, npes, log, algorithm)
            counts[key] = max(counts.get(key, 0), calls)
    rows = []
    for (collective, npes, log, algorithm), calls in sorted(counts.items()):
        low, high = (0, 1) if log == 0 else (1 << log, (2 << log) - 1)
        if rows and rows[-1][:2] == (collective, npes) and rows[-1][4] == algorithm:
            rows[-1] = rows[-1][:3] + (high, algorithm, rows[-1][5] + calls)
        else:
            rows.append((collective, npes, low, high, algorithm, calls))
    return rows


BANDWIDTH_LOG = 12


@dataclass
class Bandwidth:
    """The timed transfers of one direction, route and size class."""
    direction: str
    route: str
    log: int
    count: int
    bytes: int
    ns: int
    best: float  # bytes per ns: the best single transfer

    @property
    def mean(self):
        return self.bytes / max(1, self.ns)


def bandwidths(job):
    """RETURNS Bandwidth rows, sorted. Shorter transfers are a matter of latency."""
    rows = {}
    for part in job.parts:
        for direction, route, log, count, size, ns, best in part.sizes:
            if log < BANDWIDTH_LOG:
                continue
            row = rows.setdefault((direction, route, log),
                                  Bandwidth(direction, route, log, 0, 0, 0, 0.0))
            row.count += count
            row.bytes += size
            row.ns += ns
            row.best = max(row.best, best)
    return [rows[key] for key in sorted(rows)]


CACHED_LOG = 20  # Source and dest of less than 1 MiB stay in the caches of most machines.


def profile_limits(path):
    """The bandwidths that osh_tune has measured, from its profile's values in seconds for a byte.
    RETURNS {(route, is cached): bytes per ns}; {} if there is no profile."""
    values = {}
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                words = line.split("#")[0].split()
                if len(words) == 2:
                    values.setdefault(words[0], words[1])
    except OSError:
        return {}
    limits = {}
    for route, is_cached, name in (("this node", True, "beta"), ("this node", False, "beta_memory"),
                                   ("other nodes", True, "off_node_gap_per_byte"),
                                   ("other nodes", False, "off_node_gap_per_byte")):
        try:
            limits[route, is_cached] = 1e-9 / float(values[name])
        except (KeyError, ValueError, ZeroDivisionError):
            continue
    return limits


def limit_of(row, rows, profile):
    """RETURNS (bytes per ns, its origin): the profile's, if the job was no quicker; else the best
    transfer of the job in this direction and on this route, among those that caches hold or among
    the longer ones."""
    alike = [other.best for other in rows if (other.direction, other.route) ==
             (row.direction, row.route) and (other.log < CACHED_LOG) == (row.log < CACHED_LOG)]
    best = max(alike, default=row.best)
    known = profile.get((row.route, row.log < CACHED_LOG), 0)
    return (known, "osh_tune") if known > best else (best, "best of this run")
