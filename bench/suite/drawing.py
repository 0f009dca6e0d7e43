# SPDX-License-Identifier: BSD-3-Clause
"""Pictures by Plotly, in the page as those of tools/osh_report are."""
import dataclasses
import importlib.util
import math
import os
import sys

POINTS_MIN = 4  # of a curve
TICKS_MAX = 8   # of an axis
# Steps within a decade, from fine to coarse.
MANTISSAS = ((1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8), (1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,))


@dataclasses.dataclass
class Figure:
    caption: str
    xlabel: str
    ylabel: str
    series: dict  # {title: [(x, y) or (x, y, low, high)]}
    is_ratio: bool = False  # a line at 1


def is_installed():
    return importlib.util.find_spec("plotly") is not None


def pictures():
    """RETURNS: the pictures of a new page. REQUIRES: Plotly is installed."""
    sys.path.append(os.path.join(os.path.dirname(__file__), "../../tools/osh_report"))
    from plotly_bundle import Pictures
    return Pictures()


def worth_drawing(figure):
    return any(len({value[0] for value in values}) >= POINTS_MIN
               for values in figure.series.values())


# ---- Ticks of logarithmic axes ----

def _values(low, high, mantissas, every):
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    values = [round(mantissa * 10.0 ** decade, 12) for decade in decades if decade % every == 0
              for mantissa in mantissas]
    return [value for value in values if low <= value <= high]


def ticks(low, high):
    """As many round numbers as fit, at most TICKS_MAX."""
    candidates = [_values(low, high, mantissas, 1) for mantissas in MANTISSAS]
    candidates += [_values(low, high, (1,), every) for every in (2, 3, 4, 6)]
    return next((values for values in candidates if len(values) <= TICKS_MAX), [])


def binary_ticks(low, high):
    """Powers of two, all or each second, third, fourth... from the lowest on."""
    first, last = math.ceil(math.log2(low)), math.floor(math.log2(high))
    step = math.ceil((last - first + 1) / TICKS_MAX)
    return [2 ** power for power in range(first, last + 1, step)]


def label(value):
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:g}{name}"
    return f"{value:g}"


def binary_label(value):
    for unit, name in ((1 << 30, "Gi"), (1 << 20, "Mi"), (1 << 10, "Ki")):
        if value >= unit and value % unit == 0:
            return f"{value // unit:g}{name}"
    return f"{value:g}"


# ---- Plotly ----

def _logarithmic(low, high, values, name):
    """Plotly wants the ends of such an axis as exponents of ten."""
    return {"type": "log", "range": [math.log10(low), math.log10(high)],
            "tickvals": values, "ticktext": [name(value) for value in values]}


def _x_axis(xs):
    if xs[0] <= 0 or xs[-1] < 8 * xs[0]:
        return {}
    values = xs if len(xs) <= TICKS_MAX else binary_ticks(xs[0], xs[-1])
    return _logarithmic(xs[0] / 1.15, xs[-1] * 1.15, values, binary_label)


def _y_axis(ys, is_ratio):
    low, high = min(ys), max(ys)
    if is_ratio:
        low, high = min(0.5, low), max(2, high)
    if low <= 0 or high < 4 * low:
        return {"rangemode": "tozero"}
    low, high = low / 1.15, high * 1.15
    return _logarithmic(low, high, ticks(low, high), label)


def _curve(title, values):
    """The bars are the spreads, where there are some."""
    from plotly import graph_objects as go
    columns = list(zip(*sorted(values)))
    curve = go.Scatter(name=title, x=columns[0], y=columns[1], mode="lines+markers",
                       line={"width": 1.5}, marker={"size": 4})
    if len(columns) == 4:
        curve.error_y = {"type": "data", "symmetric": False, "width": 0, "thickness": 1,
                         "array": [high - y for _, y, _, high in sorted(values)],
                         "arrayminus": [y - low for _, y, low, _ in sorted(values)]}
    return curve


def picture(figure):
    from plotly import graph_objects as go
    values = [value for series in figure.series.values() for value in series]
    drawn = go.Figure([_curve(title, series) for title, series in figure.series.items()])
    if figure.is_ratio:
        drawn.add_hline(y=1, line={"color": "black", "dash": "dot", "width": 1})
    drawn.update_layout(
        width=345, height=250 + 18 * len(figure.series), showlegend=True, font={"size": 10},
        margin={"l": 55, "r": 10, "t": 28, "b": 40},
        legend={"orientation": "h", "y": -0.2, "yanchor": "top"},
        xaxis=_x_axis(sorted({value[0] for value in values})) | {"title": figure.xlabel},
        yaxis=_y_axis([y for value in values for y in value[1:]], figure.is_ratio)
        | {"title": figure.ylabel})
    return drawn
