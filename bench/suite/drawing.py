# SPDX-License-Identifier: BSD-3-Clause
"""SVG pictures by gnuplot, to stand inside an HTML page."""
import dataclasses
import re
import shutil
import subprocess


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
    return any(len(values) > 1 for values in figure.series.values())


def _text(words):
    return "'" + words.replace("'", "''") + "'"


def _axes(figure):
    xs = sorted({value[0] for values in figure.series.values() for value in values})
    ys = [value[1] for values in figure.series.values() for value in values]
    lines = []
    if figure.xlabel.startswith("PEs"):
        lines += ["set logscale x 2", f"set xtics ({', '.join(f'{x:g}' for x in xs)})"]
    elif min(xs) > 0 and max(xs) >= 8 * min(xs):
        lines.append("set logscale x 2")
        if figure.xlabel == "bytes":
            lines.append("set format x '%.0b%B'")
    if figure.is_ratio or (min(ys) > 0 and max(ys) >= 4 * min(ys)):
        lines.append("set logscale y")
    elif min(ys) >= 0:
        lines.append("set yrange [0:*]")
    if figure.is_ratio:
        lines.append(f"set yrange [{0.9 * min(0.5, *ys)}:{1.1 * max(2, *ys)}]")
    return lines


def _script(name, figure):
    blocks, plots = [], ["1 with lines lc 'black' dt 3 notitle"] if figure.is_ratio else []
    for number, (title, values) in enumerate(figure.series.items(), 1):
        rows = "\n".join(" ".join(f"{word:.10g}" for word in value) for value in sorted(values))
        blocks.append(f"$d{number} << end\n{rows}\nend")
        plots.append(f"$d{number} using 1:2 with linespoints lc {number} pt 7 ps 0.35 "
                     f"title {_text(title)}")
        if len(values[0]) == 4:
            plots.append(f"$d{number} using 1:2:3:4 with yerrorbars lc {number} pt 7 ps 0.1 "
                         "notitle")
    return "\n".join([
        "reset", *blocks,
        f"set terminal svg size 460,300 noenhanced font 'sans-serif,10' name '{name}'",
        f"set xlabel {_text(figure.xlabel)}", f"set ylabel {_text(figure.ylabel)}",
        "set key below", "set grid", *_axes(figure), f"plot {', '.join(plots)}"])


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
