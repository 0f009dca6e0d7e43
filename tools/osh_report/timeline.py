# SPDX-License-Identifier: BSD-3-Clause
"""Writes a trace in the trace-event format, which Perfetto (ui.perfetto.dev), chrome://tracing and
other viewers open: a process for each PE, a slice for each long call and collective, a counter for
the heap. The format: "Trace Event Format", documented with Chromium's tracing.
"""
import json

from analysis import heap_series

MICRO = 1e-3  # The format's times are in microseconds.


def events_of(job):
    """Yields the events, those that name processes and threads first."""
    for part in job.parts:
        if part.thread == 0:
            text = f"PE {part.pe} ({part.host})"
            yield {"ph": "M", "name": "process_name", "pid": part.pe, "tid": 0,
                   "args": {"name": text}}
            yield {"ph": "M", "name": "process_sort_index", "pid": part.pe, "tid": 0,
                   "args": {"sort_index": part.pe}}
        yield {"ph": "M", "name": "thread_name", "pid": part.pe, "tid": part.thread,
               "args": {"name": f"thread {part.thread}"}}
    for part in job.parts:
        for record in sorted(part.matched + part.long, key=lambda record: record.start):
            yield slice_of(job, part, record)
        for at, used in heap_series(part):
            yield {"ph": "C", "name": "symmetric heap", "pid": part.pe, "tid": 0,
                   "ts": at * MICRO, "args": {"bytes": used}}


def slice_of(job, part, record):
    arguments = {"bytes": record.bytes}
    if record.peer >= 0:
        arguments["peer"] = record.peer
    is_collective = record in_collectives(record)
    return {"ph": "X", "name": record.operation, "cat": "shmem", "pid": part.pe,
            "tid": part.thread, "ts": record.start * MICRO, "dur": record.duration * MICRO,
            "args": arguments}
