# SPDX-License-Identifier: BSD-3-Clause
"""Makes the page of a trace: one file of HTML that needs no network. Plotly draws, because its
pictures can be enlarged and tell their numbers under the pointer, which the matrix of a hundred PEs
needs, and because Debian's package brings plotly.js, a part of which goes into the page.
"""
import html

import analysis
from pictures import (bandwidth_picture, calls_picture, heap_picture, matrix_pictures,
                      timeline_picture, waiting_pictures)
from plotly_bundle import Pictures
from units import bytes_text, count_text, percent_text, time_text

STYLE = """
body { font: 15px/1.45 sans-serif; margin: 0 auto; max-width: 1180px; padding: 0 20px 40px;
       color: #222; background: #fff; }
h1 { font-size: 25px; margin-bottom: 4px; } h2 { font-size: 19px; margin: 30px 0 4px; }
table { border-collapse: collapse; margin: 8px 0; }
th, td { padding: 2px 14px 2px 0; text-align: left; border-bottom: 1px solid #e4e4e4; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
.problem { background: #fff0ec; border-left: 4px solid #d6502f; padding: 6px 12px; margin: 6px 0; }
.finding { background: #eef4fb; border-left: 4px solid #2f6fb5; padding: 6px 12px; margin: 6px 0; }
.note { color: #555; } .pictures { display: flex; flex-wrap: wrap; }
"""


class PagePictures(Pictures):
    """Side by side where there is room."""

    def placed(self, *pictures):
        for picture in pictures:
            picture.update_layout(font={"size": 13}, margin={"l": 70, "r": 20, "t": 40, "b": 50})
        return f'<div class="pictures">{super().placed(*pictures)}</div>'


def _table(heads, rows):
    """Columns whose head begins with # hold numbers."""
    kinds = [' class="n"' if head.startswith("#") else "" for head in heads]
    lines = ["<table><tr>" + "".join(f"<th{kind}>{html.escape(head.lstrip('#'))}</th>"
                                     for head, kind in zip(heads, kinds)) + "</tr>"]
    for row in rows:
        lines.append("<tr>" + "".join(f"<td{kind}>{html.escape(str(cell))}</td>"
                                      for cell, kind in zip(row, kinds)) + "</tr>")
    return "\n".join(lines) + "</table>"


def findings(job, waits):
    """RETURNS sentences: the PE that makes others wait, and the time in the library."""
    found = []
    total = sum(part.end - part.begin for part in job.main.values())
    waited = sum(map(sum, waits.matrix))
    if waits.calls and total and waited > 0.02 * total:
        worst = max(range(job.npes), key=waits.caused_by)
        found.append(
            f"PE {worst} made the others wait longest: {time_text(waits.caused_by(worst))} in sum "
            f"of the {time_text(waited)} that PEs waited for late ones at collectives. It came "
            f"last at {waits.last_arrivals[worst]} of {waits.calls} collectives. All waiting for "
            f"late PEs is {percent_text(waited / total)} of the PEs' time.")
    elif waits.calls:
        found.append("The PEs come to collectives about the same time: waiting for late ones takes "
                     f"{percent_text(waited / max(1, total))} of their time.")
    lines = analysis.waits_by_line(job)
    if lines and lines[0].ns > 0.02 * total:
        found.append(f"PEs waited longest in {lines[0].operation} at {lines[0].text}: "
                     f"{time_text(lines[0].ns)} in sum.")
    if waits.first and total and waits.first[1] > 0.02 * total:
        found.append(f"Before the first collective the PEs waited {time_text(waits.first[1])} in "
                     f"sum for PE {waits.first[0]}: PEs start one after the other. That is in no "
                     "other number on who waits for whom.")
    inside = {}
    for row in analysis.calls_by_operation(job):
        inside[row.operation] = row.ns
    if total and inside:
        longest = max(inside, key=inside.get)
        found.append(f"{percent_text(sum(inside.values()) / total)} of the PEs' time was in calls "
                     f"of the library, most of it in {longest} ({time_text(inside[longest])}).")
    return found


def _head(job, waits):
    hosts = sorted({part.host for part in job.parts})
    nodes = len({(part.host, part.node) for part in job.main.values()})
    lines = [f"<h1>{html.escape(job.program)}</h1>",
             f"<p class=note>{job.npes} PE{'s' * (job.npes > 1)} on {nodes} "
             f"node{'s' * (nodes > 1)} ({html.escape(', '.join(hosts[:8]))}), "
             f"{time_text(job.end)} from the first shmem_init on. A trace of Tessera.</p>"]
    lines += [f"<p class=problem>{html.escape(text)}</p>" for text in job.problems]
    lines += [f"<p class=finding>{html.escape(text)}</p>" for text in findings(job, waits)]
    return lines


def _calls(job, pictures):
    rows = analysis.calls_by_operation(job)
    table = [(row.operation, count_text(row.calls), bytes_text(row.bytes), time_text(row.ns),
              time_text(row.ns / max(1, row.calls)),
              "all" if row.timed == row.calls else count_text(row.timed)) for row in rows]
    return ["<h2>Calls</h2>",
            "<p class=note>All calls and bytes are counted. Where not all calls were timed, the "
            "time is an estimate from those that were.</p>", pictures.placed(calls_picture(rows)),
            _table(("operation", "#calls", "#bytes", "#time, all PEs", "#of a call",
                    "#calls timed"), table)]


def _waiting(job, waits, pictures):
    text = ("Left: time in calls that may wait for other PEs. Right: how long the others waited at "
            "collectives, without the first one, for a PE that came later than they did.")
    if waits.stride > 1:
        text += (f" Of the collectives, each {waits.stride}th is on record; it counts "
                 f"{waits.stride} times.")
    return ["<h2>Waiting</h2>", f"<p class=note>{text}</p>",
            pictures.placed(*waiting_pictures(job, waits))] + _waiting_lines(job)


LINES_MAX = 12


def _waiting_lines(job):
    lines = analysis.waits_by_line(job)
    if not lines:
        return []
    rows = [(line.text, line.operation, time_text(line.ns), time_text(line.longest),
             count_text(line.calls), len(line.pes)) for line in lines[:LINES_MAX]]
    text = "The lines of the program where PEs waited longest, by the calls on record."
    if len(lines) > LINES_MAX:
        text += f" {len(lines) - LINES_MAX} shorter ones are left out."
    return [f"<p class=note>{text}</p>",
            _table(("line", "operation", "#time, all PEs", "#longest", "#calls", "#PEs"), rows)]


def _traffic(job, pictures):
    return ["<h2>Traffic</h2>",
            "<p class=note>Puts, gets, atomics and signals by the PE that calls and the PE whose "
            "memory is used. Collectives are not in it: the library decides who sends what.</p>",
            pictures.placed(*matrix_pictures(*analysis.matrix(job)))]


def _algorithms(job):
    rows = [(name, npes, f"{bytes_text(low)} to {bytes_text(high)}" if high > 1 else "any",
             algorithm, count_text(calls))
            for name, npes, low, high, algorithm, calls in analysis.algorithms(job)]
    if not rows:
        return []
    return ["<h2>Algorithms of collectives</h2>",
            _table(("collective", "#PEs", "bytes of a PE", "algorithm", "#calls"), rows)]


def _bandwidth(job, profile, pictures):
    rows = analysis.bandwidths(job)
    if not rows:
        return []
    table = []
    for row in rows:
        limit, origin = analysis.limit_of(row, rows, profile)
        table.append((row.direction, row.route, bytes_text(1 << row.log), count_text(row.count),
                      f"{row.mean:.2f}", f"{row.best:.2f}", f"{limit:.2f} ({origin})",
                      percent_text(row.mean / limit)))
    return ["<h2>Bandwidth of blocking puts and gets</h2>",
            "<p class=note>GB/s (bytes per nanosecond) of the timed transfers by size. The limit "
            "is the bandwidth that osh_tune measured on this machine, if there is its profile and "
            "no transfer was quicker; else the best transfer of this run in the same direction, on "
            "the same route, and of those that caches hold (below 1 MiB) or do not.</p>",
            pictures.placed(bandwidth_picture(rows, profile)),
            _table(("direction", "to or from", "#bytes from", "#timed", "#mean GB/s", "#best",
                    "#limit", "#mean / limit"), table)]


def make_page(job, profile):
    """RETURNS the page's text. `profile`: the limits that osh_tune measured."""
    waits, pictures = analysis.waits(job), PagePictures()
    lines = ["<!DOCTYPE html>", '<html lang="en"><head><meta charset="utf-8">',
             f"<title>{html.escape(job.program)}: {job.npes} PEs</title>",
             f"<style>{STYLE}</style>", "</head><body>"]
    lines += _head(job, waits)
    lines += ["<h2>Timeline</h2>",
              "<p class=note>Long calls and collectives; white is computing, and calls too short "
              "for a record.</p>", pictures.placed(timeline_picture(job))]
    lines += _waiting(job, waits, pictures) + _traffic(job, pictures) + _calls(job, pictures)
    if any(part.heap for part in job.parts):
        lines += ["<h2>Symmetric heap</h2>", pictures.placed(heap_picture(job))]
    lines += _algorithms(job) + _bandwidth(job, profile, pictures)
    return "\n".join(lines + [pictures.script(), "</body></html>", ""])


