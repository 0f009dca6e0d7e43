#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the pictures of the tutorial from the data that its listings have printed.

usage: plot.py [FOLDER [heat|dice|puts]...]      reads FOLDER/*.txt (default: the folder of this
                                                 script), and writes heat.svg, dice.svg and puts.svg
                                                 there, or the named ones; needs nothing but Python
"""
import math
import os
import sys

WIDTH, HEIGHT = 520, 300
LEFT, RIGHT, TOP, BOTTOM = 70, 505, 15, 250
COLOURS = ("#0b5394", "#cc4125", "#38761d")


def columns(folder, name):
    """The columns of numbers of a data file, without a heading."""
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        rows = [line.split() for line in file]
    return list(zip(*(map(float, row) for row in rows if row[0][0].isdigit())))


class Axis:
    """Numbers to pixels: `ticks` are the marks, the first and the last one are the ends."""

    def __init__(self, name, ticks, first_pixel, last_pixel, is_log=False):
        self.name, self.ticks, self.is_log = name, ticks, is_log
        self.pixels = (first_pixel, last_pixel)

    def at(self, value):
        low, high, value = (math.log(it) if self.is_log else it
                            for it in (self.ticks[0], self.ticks[-1], value))
        first, last = self.pixels
        return round(first + (last - first) * (value - low) / (high - low), 1)


def frame(x, y):
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}"'
           f' font-family="sans-serif" font-size="12">')
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
    for tick in x.ticks:
        yield f'<text x="{x.at(tick)}" y="{BOTTOM + 16}" text-anchor="middle">{tick:g}</text>'
    for tick in y.ticks:
        yield f'<text x="{LEFT - 6}" y="{y.at(tick) + 4}" text-anchor="end">{tick:g}</text>'
        yield f'<path d="M{LEFT} {y.at(tick)}H{RIGHT}" stroke="#ccc"/>'
    middle = (TOP + BOTTOM) // 2
    yield f'<text x="{(LEFT + RIGHT) // 2}" y="{HEIGHT - 12}" text-anchor="middle">{x.name}</text>'
    yield (f'<text x="16" y="{middle}" text-anchor="middle" transform="rotate(-90 16 {middle})">'
           f'{y.name}</text>')


def lines(x, y, curves):
    """`curves`: (label, values of x, values of y)."""
    yield from frame(x, y)
    for number, (label, xs, ys) in enumerate(curves):
        points = " ".join(f"{x.at(a)},{y.at(b)}" for a, b in zip(xs, ys))
        colour, height = COLOURS[number], TOP + 20 + 18 * number
        yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        yield f'<path d="M{RIGHT - 190} {height - 4}h24" stroke="{colour}" stroke-width="2"/>'
        yield f'<text x="{RIGHT - 160}" y="{height}">{label}</text>'
    yield "</svg>"


def bars(x, y, xs, ys):
    yield from frame(x, y)
    for a, b in zip(xs, ys):
        yield (f'<rect x="{x.at(a) - 7:.1f}" y="{y.at(b)}" width="14" '
               f'height="{BOTTOM - y.at(b):.1f}" fill="{COLOURS[0]}"/>')
    yield "</svg>"


def write(folder, name, parts):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write("\n".join(parts) + "\n")


def draw_heat(folder):
    write(folder, "heat.svg", lines(
        Axis("cell", range(0, 49, 8), LEFT, RIGHT),
        Axis("temperature", range(0, 101, 20), BOTTOM, TOP),
        [(f"after {steps} steps", *columns(folder, f"heat-{steps}.txt"))
         for steps in (0, 50, 400)]))


def draw_dice(folder):
    write(folder, "dice.svg", bars(
        Axis("sum of four dice", range(2, 27, 2), LEFT, RIGHT),
        Axis("throws", range(0, 12001, 2000), BOTTOM, TOP), *columns(folder, "dice.txt")))


def draw_puts(folder):
    size, one_by_one, together = columns(folder, "puts.txt")
    write(folder, "puts.svg", lines(
        Axis("bytes of a put", [8**i for i in range(1, 6)], LEFT, RIGHT, is_log=True),
        Axis("microseconds for a put", [0.1, 1, 10, 100, 1000], BOTTOM, TOP, is_log=True),
        [("a quiet after each put", size, one_by_one), ("a quiet after 64 puts", size, together)]))


PICTURES = {"heat": draw_heat, "dice": draw_dice, "puts": draw_puts}

if __name__ == "__main__":
    chosen = sys.argv[2:] or list(PICTURES)
    if not set(chosen) <= set(PICTURES):
        sys.exit(__doc__)
    for picture in chosen:
        PICTURES[picture](sys.argv[1] if len(sys.argv) > 1
                          else os.path.dirname(os.path.abspath(__file__)))
