# SPDX-License-Identifier: BSD-3-Clause
"""SVG pictures by gnuplot, to stand inside an HTML page."""
import dataclasses
import math
import re
import shutil
import subprocess

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
    return shutil.which("gnuplot") is not None


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


def _tics(axis, values, name):
    return f"set {axis}tics ({', '.join(f'{_text(name(value))} {value:.10g}' for value in values)})"


# ---- gnuplot ----

def _text(words):
    return "'" + words.replace("'", "''") + "'"


def _x_axis(xs):
    if xs[0] <= 0 or xs[-1] < 8 * xs[0]:
        return []
    values = xs if len(xs) <= TICKS_MAX else binary_ticks(xs[0], xs[-1])
    return ["set logscale x 2", f"set xrange [{xs[0] / 1.15}:{xs[-1] * 1.15}]",
            _tics("x", values, binary_label)]


def _y_axis(ys, is_ratio):
    low, high = min(ys), max(ys)
    if is_ratio:
        low, high = min(0.5, low), max(2, high)
    if low <= 0 or high < 4 * low:
        return ["set yrange [0:*]"] if low >= 0 else []
    low, high = low / 1.15, high * 1.15
    return ["set logscale y", f"set yrange [{low}:{high}]", _tics("y", ticks(low, high), label)]


def _axes(figure):
    values = [value for series in figure.series.values() for value in series]
    return [*_x_axis(sorted({value[0] for value in values})),
            *_y_axis([y for value in values for y in value[1:]], figure.is_ratio)]


def _script(name, figure):
    blocks, plots = [], ["1 with lines lc 'black' dt 3 notitle"] if figure.is_ratio else []
    for number, (title, values) in enumerate(figure.series.items(), 1):
        rows = "\n".join(" ".join(f"{word:.10g}" for word in value) for value in sorted(values))
        blocks.append(f"$d{number} << end\n{rows}\nend")
        if len(values[0]) == 4:
            plots.append(f"$d{number} using 1:3:(0):($4-$3) with vectors nohead lc {number} "
                         "notitle")
        plots.append(f"$d{number} using 1:2 with linespoints lc {number} pt 7 ps 0.35 "
                     f"title {_text(title)}")
    return "\n".join([
        "reset", *blocks,
        f"set terminal svg size 345,270 noenhanced font 'sans-serif,10' name '{name}'",
        f"set xlabel {_text(figure.xlabel)}", f"set ylabel {_text(figure.ylabel)}",
        "set key below height 0.5", "set grid lc 'gray80'", "set tics nomirror",
        "set pointintervalbox 0", *_axes(figure),
        f"plot {', '.join(plots)}"])


def draw(figures):
    """RETURNS: one <svg> for each figure. One call of gnuplot draws them all."""
    if not figures:
        return []
    scripts = [_script(f"figure{number}", figure) for number, figure in enumerate(figures)]
    done = subprocess.run(["gnuplot"], input="\n".join([*scripts, "unset output"]), text=True,
                          capture_output=True, check=False)
    pieces = ["<svg" + piece.partition("</svg>")[0] + "</svg>"
              for piece in done.stdout.split("<svg")[1:]]
    if done.returncode != 0 or len(pieces) != len(figures):
        raise RuntimeError(f"gnuplot drew {len(pieces)} of {len(figures)} figures:\n"
                           f"{done.stderr[-2000:]}")
    return [re.sub(r"<title>figure\d+</title>", "", piece) for piece in pieces]
