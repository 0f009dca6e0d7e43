# SPDX-License-Identifier: BSD-3-Clause
"""Writes a trace in the trace-event format, which Perfetto (ui.perfetto.dev), chrome://tracing and
other viewers open: a process for each PE, a slice for each long call and each collective that is
on record, a counter for the heap. The format: "Trace Event Format", by Chromium's tracing.
"""
import json

from analysis import condition, releases

MICRO = 1e-3  # The format's times are in microseconds.


def _names(job):
    for part in job.parts:
        if part.thread == 0:
            yield {"ph": "M", "name": "process_name", "pid": part.pe, "tid": 0,
                   "args": {"name": f"PE {part.pe} ({part.host})"}}
            yield {"ph": "M", "name": "process_sort_index", "pid": part.pe, "tid": 0,
                   "args": {"sort_index": part.pe}}
        yield {"ph": "M", "name": "thread_name", "pid": part.pe, "tid": part.thread,
               "args": {"name": f"thread {part.thread}"}}


def _slice(part, record, members):
    """`members`: the PEs of a collective's team; 0: not known, or no collective."""
    arguments = {"bytes": record.bytes}
    if record.line:
        arguments["line"] = record.line
    if record.word and condition(record):
        arguments["until"] = condition(record)[0]
    if record.peer >= 0:
        arguments["root" if members else "peer"] = record.peer
    if members:
        arguments["number"] = record.sequence
        arguments["PEs"] = members
    return {"ph": "X", "name": record.operation, "cat": "shmem", "pid": part.pe,
            "tid": part.thread, "ts": record.start * MICRO, "dur": record.duration * MICRO,
            "args": arguments}


def _arrows(job):
    """A flow from each call that ended a wait to that wait. A call that was too short for a record
    gets its slice here."""
    known = {(part.pe, part.thread, record.start) for part in job.parts for record in part.long}
    for number, (writer, release, part, wait) in enumerate(releases(job)):
        place = (writer.pe, writer.thread, release.start)
        begin = {"pid": writer.pe, "tid": writer.thread, "ts": release.start * MICRO}
        if place not in known:
            known.add(place)
            yield {"ph": "X", "name": release.operation, "cat": "shmem", **begin,
                   "dur": release.duration * MICRO,
                   "args": {"peer": release.peer, "line": release.line}}
        arrow = {"name": "ends the wait", "cat": "release", "id": number}
        yield {"ph": "s", **begin, **arrow}
        # The end lies in the wait's slice, which a viewer looks for.
        yield {"ph": "f", "bp": "e", "pid": part.pe, "tid": part.thread,
               "ts": max(wait.start, release.start, wait.end - 1) * MICRO, **arrow}


def events_of(job):
    """Yields the events; those that name processes and threads come first."""
    yield from _names(job)
    for part in job.parts:
        for record in part.matched + part.long:
            is_collective = record.operation in job.collectives and part.pe in job.main
            yield _slice(part, record,
                         job.main[part.pe].team_size(record.team) if is_collective else 0)
        for at, used in part.heap:
            yield {"ph": "C", "name": "symmetric heap", "pid": part.pe, "tid": 0,
                   "ts": at * MICRO, "args": {"bytes": used}}
    yield from _arrows(job)


def counts_of(job):
    """Every call, counted: {operation: {PE: {peer or "": [calls, bytes]}}}."""
    counts = {}
    for part in job.parts:
        for operation, peer, count, size, _, _ in part.cells:
            peers = counts.setdefault(operation, {}).setdefault(str(part.pe), {})
            entry = peers.setdefault("" if peer < 0 else str(peer), [0, 0])
            entry[0] += count
            entry[1] += size
    return counts


def write_timeline(job, path):
    """Writes the events one by one: a list of all of them would take ten times the file's size."""
    other = {"program": job.program, "PEs": job.npes, "problems": job.problems,
             "slices": "collectives; of other calls those that took at least "
                       f"{max((part.long_from for part in job.parts), default=0)} ns and "
                       "were timed",
             "every collective with a number that divides by":
                 max((part.stride for part in job.parts), default=1),
             "calls and bytes by operation, PE and peer": counts_of(job)}
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"displayTimeUnit": "ns",\n"otherData": ' + json.dumps(other) +
                   ',\n"traceEvents": [')
        separator = "\n"
        for event in events_of(job):
            file.write(separator + json.dumps(event))
            separator = ",\n"
        file.write("\n]}\n")
