# SPDX-License-Identifier: BSD-3-Clause
"""The pictures of the page, by Plotly, from the numbers of analysis.py."""
from plotly import graph_objects as go

import analysis
from units import bytes_text, time_text

# One colour for each kind of call, in all pictures. Red and orange is waiting.
COLOURS = {"barrier": "#d6502f", "sync": "#e8825d", "wait": "#f0a63c", "set_lock": "#a33b8f",
           "quiet": "#c9b037", "reduce": "#2f6fb5", "broadcast": "#4f94cf", "fcollect": "#6fb1d8",
           "collect": "#8cc5de", "alltoall": "#3b5fa0", "alltoalls": "#5c7fb8", "scan": "#7a9fd0",
           "put": "#3c9a5f", "get": "#6cb87f", "alloc": "#9a9a9a", "free": "#b5b5b5",
           "init": "#d0d0d0", "finalize": "#c0c0c0"}
OTHER = "#777777"
# A browser still moves this many bars without delay.
BARS_MAX = 12000


def _pe_axis(npes):
    return {"title": "PE", "dtick": 1 if npes <= 32 else None}


def timeline_picture(job):
    """One lane for each PE, one bar for each long call; the longest BARS_MAX of them."""
    found = [(part.pe, record) for part in job.parts for record in part.matched + part.long]
    found.sort(key=lambda entry: -entry[1].duration)
    left_out = max(0, len(found) - BARS_MAX)
    kinds = {}
    for pe, record in found[:BARS_MAX]:
        kinds.setdefault(record.operation, []).append((pe, record))
    picture = go.Figure()
    for kind, entries in sorted(kinds.items(), key=lambda item: -sum(
            record.duration for _, record in item[1])):
        picture.add_trace(go.Bar(
            name=kind, orientation="h", y=[pe for pe, _ in entries],
            base=[record.start * 1e-6 for _, record in entries],
            x=[record.duration * 1e-6 for _, record in entries],
            marker={"color": COLOURS.get(kind, OTHER), "line": {"width": 0}}, width=0.8,
            customdata=[_about(record) for _, record in entries],
            hovertemplate="PE %{y}, at %{base:.4f} ms<br>%{customdata}<extra></extra>"))
    title = f"without {left_out} shorter calls" if left_out else None
    picture.update_layout(barmode="overlay", width=1140, height=130 + 26 * min(job.npes, 40),
                          title=title, bargap=0.1, yaxis=_pe_axis(job.npes),
                          xaxis={"title": "milliseconds"}, legend={"traceorder": "normal"})
    picture.update_yaxes(autorange="reversed")
    return picture


def _about(record):
    peer = f", PE {record.peer}" if record.peer >= 0 else ""
    return f"{record.operation}, {time_text(record.duration)}, {bytes_text(record.bytes)}{peer}"


def waiting_pictures(job, waits):
    """Time in waiting calls by PE, and the time that others waited for each PE."""
    pes = list(range(job.npes))
    inside = go.Figure()
    for operation, times in analysis.time_by_pe(job).items():
        inside.add_trace(go.Bar(name=operation, x=pes, y=[ns * 1e-6 for ns in times],
                                marker={"color": COLOURS.get(operation, OTHER)}))
    inside.update_layout(barmode="stack", width=560, height=340, xaxis=_pe_axis(job.npes),
                         title="time in calls that wait", yaxis={"title": "milliseconds"},
                         showlegend=True)
    caused = go.Figure(go.Bar(
        x=pes, y=[waits.caused_by(pe) * 1e-6 for pe in pes], marker={"color": "#d6502f"},
        customdata=waits.last_arrivals,
        hovertemplate="PE %{x}: %{y:.3f} ms<br>last at %{customdata} collectives<extra></extra>"))
    caused.update_layout(width=560, height=340, xaxis=_pe_axis(job.npes),
                         title="others waited for this PE", yaxis={"title": "milliseconds"})
    return inside, caused


def matrix_pictures(moved, messages):
    return (_heat_map(moved, "bytes", bytes_text),
            _heat_map(messages, "messages", lambda count: f"{count} messages"))


def _heat_map(rows, title, text_of):
    """Nothing is white; the colours follow the logarithm where numbers differ by much."""
    npes = len(rows)
    shown = [[value if value else None for value in row] for row in rows]
    texts = [[text_of(value) for value in row] for row in rows]
    picture = go.Figure(go.Heatmap(
        z=shown, text=texts, colorscale="Blues", xgap=1, ygap=1, zmin=0, colorbar={"title": title},
        hovertemplate="PE %{y} to PE %{x}: %{text}<extra></extra>"))
    picture.update_layout(title=title, width=560, height=480,
                          xaxis=_pe_axis(npes) | {"title": "PE whose memory is used"},
                          yaxis=_pe_axis(npes) | {"title": "PE that calls"})
    picture.update_yaxes(autorange="reversed")
    return picture


def calls_picture(rows):
    """Time and bytes of the operations, side by side."""
    rows = rows[:16][::-1]
    names = [row.operation for row in rows]
    picture = go.Figure()
    picture.add_trace(go.Bar(name="time, all PEs (ms)", y=names, x=[row.ns * 1e-6 for row in rows],
                             orientation="h", marker={"color": "#2f6fb5"}, xaxis="x"))
    picture.add_trace(go.Bar(name="MiB", y=names, x=[row.bytes / (1 << 20) for row in rows],
                             orientation="h", marker={"color": "#3c9a5f"}, xaxis="x2"))
    picture.update_layout(width=1140, height=110 + 24 * len(rows), showlegend=False,
                          xaxis={"title": "milliseconds, all PEs", "domain": [0, 0.47]},
                          xaxis2={"title": "MiB", "domain": [0.53, 1]})
    return picture


def heap_picture(job):
    """The PEs' curves; PEs that do the same as PE 0 lie under it."""
    picture = go.Figure()
    for pe, part in sorted(job.main.items()):
        series = analysis.heap_series(part)
        if len(series) > 0 and pe < 64:
            picture.add_trace(go.Scatter(
                name=f"PE {pe}", x=[at * 1e-6 for at, _ in series],
                y=[used / (1 << 20) for _, used in series], mode="lines",
                line={"shape": "hv", "width": 1.5}))
    picture.update_layout(width=1140, height=300, xaxis={"title": "milliseconds"},
                          yaxis={"title": "MiB in use", "rangemode": "tozero"})
    return picture


def bandwidth_picture(rows, profile):
    """Mean and best bandwidth by size; the limit is a dotted line."""
    picture = go.Figure()
    lanes = sorted({(row.direction, row.route) for row in rows})
    palette = ("#3c9a5f", "#2f6fb5", "#d6502f", "#a33b8f")
    for lane, colour in zip(lanes, palette):
        mine = [row for row in rows if (row.direction, row.route) == lane]
        sizes = [1 << row.log for row in mine]
        for style, dash, values in (
                ("mean", "solid", [row.mean for row in mine]),
                ("limit", "dot", [analysis.limit_of(row, rows, profile)[0] for row in mine])):
            picture.add_trace(go.Scatter(name=f"{lane[0]}, {lane[1]}: {style}", x=sizes, y=values,
                                         mode="lines+markers" if style == "mean" else "lines",
                                         line={"color": colour, "dash": dash}))
    picture.update_layout(width=1140, height=340,
                          xaxis={"type": "log", "title": "bytes of a transfer"},
                          yaxis={"title": "GB/s", "rangemode": "tozero"})
    return picture
