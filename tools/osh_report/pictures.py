# SPDX-License-Identifier: BSD-3-Clause
"""The pictures of the page, by Plotly, from the numbers of analysis.py."""
import html

from plotly import graph_objects as go

import analysis
from units import bytes_text, time_axis, time_text

# One colour for each operation of tools/trace/operations.hpp, in all pictures. Red, orange and
# yellow is waiting, blue a collective, green a transfer, violet a lock or an atomic; the rest is
# brown, grey or black.
COLOURS = {"barrier": "#d6502f", "sync": "#f29a80", "wait": "#f0a63c", "quiet": "#d8c62f",
           "fence": "#8f7f10", "test": "#f7d9a0",
           "set_lock": "#a33b8f", "test_lock": "#d98bcb", "clear_lock": "#6b1f5c",
           "atomic": "#8a6fd1", "fetching_atomic": "#5332a8",
           "reduce": "#1f4e9c", "broadcast": "#4f94cf", "fcollect": "#8cc5de", "collect": "#2fa3b5",
           "alltoall": "#3b6fe0", "alltoalls": "#9db8f2", "scan": "#123163",
           "put": "#3c9a5f", "get": "#8fcf6a", "p": "#1f6b3c", "g": "#5f8f1e",
           "put_nbi": "#6fd6a0", "get_nbi": "#bfe69a", "iput": "#0d4a2a", "iget": "#3f5f10",
           "put_signal": "#1fa88a", "put_signal_nbi": "#b8f5ea", "signal": "#0f6b5a",
           "alloc": "#8c6239", "free": "#cfa97a", "team": "#5a3a1a", "context": "#e3cdb2",
           "init": "#d4d4d4", "finalize": "#8a8a8a"}
OTHER = "#333333"
# A browser still moves this many bars without delay.
BARS_MAX = 12000


def _pe_axis(npes):
    return {"title": "PE", "dtick": 1 if npes <= 32 else None}


def _legend_height(names):
    """The pixels that a legend beside the picture takes; Plotly would let it scroll."""
    return 110 + 21 * len(names)


def timeline_picture(job):
    """One lane for each PE, one bar for each long call; the longest BARS_MAX of them."""
    found = [(part.pe, record) for part in job.parts for record in part.matched + part.long]
    found.sort(key=lambda entry: -entry[1].duration)
    left_out = max(0, len(found) - BARS_MAX)
    kinds = {}
    for pe, record in found[:BARS_MAX]:
        kinds.setdefault(record.operation, []).append((pe, record))
    unit, scale = time_axis(job.end)
    picture = go.Figure()
    for kind, entries in sorted(kinds.items(), key=lambda item: -sum(
            record.duration for _, record in item[1])):
        picture.add_trace(go.Bar(
            name=kind, orientation="h", y=[pe for pe, _ in entries],
            base=[record.start / scale for _, record in entries],
            x=[record.duration / scale for _, record in entries],
            marker={"color": COLOURS.get(kind, OTHER), "line": {"width": 0}}, width=0.8,
            customdata=[_about(record) for _, record in entries],
            hovertemplate=f"PE %{{y}}, at %{{base:.7~g}} {unit}<br>%{{customdata}}<extra></extra>"))
    title = f"without {left_out} shorter calls" if left_out else None
    height = max(130 + 26 * min(job.npes, 40), _legend_height(kinds))
    picture.update_layout(barmode="overlay", width=1140, height=height, showlegend=True,
                          title=title, bargap=0.1, yaxis=_pe_axis(job.npes),
                          xaxis={"title": unit}, legend={"traceorder": "normal"})
    picture.update_yaxes(autorange="reversed")
    return picture


def _about(record):
    peer = f", PE {record.peer}" if record.peer >= 0 else ""
    line = f"<br>{html.escape(record.line)}" if record.line else ""
    return (f"{record.operation}, {time_text(record.duration)}, {bytes_text(record.bytes)}{peer}"
            f"{line}")


def waiting_pictures(job, waits):
    """Time in waiting calls by PE, and the time that others waited for each PE."""
    pes = list(range(job.npes))
    times_inside = analysis.time_by_pe(job)
    inside = go.Figure()
    unit, scale = time_axis(max(map(sum, zip(*times_inside.values())), default=0))
    for operation, times in times_inside.items():
        inside.add_trace(go.Bar(name=operation, x=pes, y=[ns / scale for ns in times],
                                marker={"color": COLOURS.get(operation, OTHER)}))
    inside.update_layout(barmode="stack", width=560, height=max(340, _legend_height(times_inside)),
                         xaxis=_pe_axis(job.npes), title="time in calls that wait",
                         yaxis={"title": unit}, showlegend=True)
    unit, scale = time_axis(max(map(waits.caused_by, pes), default=0))
    caused = go.Figure(go.Bar(
        x=pes, y=[waits.caused_by(pe) / scale for pe in pes], marker={"color": "#d6502f"},
        customdata=waits.last_arrivals,
        hovertemplate=f"PE %{{x}}: %{{y:.4~g}} {unit}<br>last at %{{customdata}} collectives"
                      "<extra></extra>"))
    caused.update_layout(width=560, height=340, xaxis=_pe_axis(job.npes),
                         title="others waited for this PE", yaxis={"title": unit})
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
        z=shown, text=texts, colorscale="Blues", xgap=1, ygap=1, zmin=0,
        zmax=max(map(max, rows)) or 1, colorbar={"title": title},
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
    unit, scale = time_axis(max((row.ns for row in rows), default=0))
    picture = go.Figure()
    picture.add_trace(go.Bar(name="time, all PEs", y=names, x=[row.ns / scale for row in rows],
                             orientation="h", marker={"color": "#2f6fb5"}, xaxis="x"))
    picture.add_trace(go.Bar(name="MiB", y=names, x=[row.bytes / (1 << 20) for row in rows],
                             orientation="h", marker={"color": "#3c9a5f"}, xaxis="x2"))
    picture.update_layout(width=1140, height=110 + 24 * len(rows), showlegend=False,
                          xaxis={"title": f"{unit}, all PEs", "domain": [0, 0.47]},
                          xaxis2={"title": "MiB", "domain": [0.53, 1]})
    return picture


HEAP_CURVES_MAX = 12  # More have no legend: the pointer tells which is which.


def heap_picture(job):
    """The PEs' curves; PEs that do the same as PE 0 lie under it."""
    unit, scale = time_axis(job.end)
    picture = go.Figure()
    for pe, part in sorted(job.main.items()):
        series = analysis.heap_series(part)
        if len(series) > 0 and pe < 64:
            picture.add_trace(go.Scatter(
                name=f"PE {pe}", x=[at / scale for at, _ in series],
                y=[used / (1 << 20) for _, used in series], mode="lines",
                line={"shape": "hv", "width": 1.5}))
    curves = picture.data
    picture.update_layout(width=1140, height=max(300, _legend_height(curves[:HEAP_CURVES_MAX])),
                          showlegend=len(curves) <= HEAP_CURVES_MAX, xaxis={"title": unit},
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
