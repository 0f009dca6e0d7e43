# SPDX-License-Identifier: BSD-3-Clause
"""From the lines of the runs to points: one for each program, measure, x, number of PEs and
library, with the medians of the rounds."""
import collections
import math
import statistics

from . import clocks

OURS = "tessera"
BARE = "bare"  # the pseudo-library of programs without SHMEM that measure a limit
MPI = "mpi"  # the pseudo-library of plain MPI programs
TIMES = ("ns", "us", "ms", "s")  # units

# Where a point is; program and measure make a plot.
PointKey = collections.namedtuple("PointKey", "program measure xname x npes unit better")


def parse_line(line):
    """The words of an "@ " line as {name: text}; None for others, such as "@ end"."""
    words = dict(word.split("=", 1) for word in line.split()[1:] if "=" in word)
    return words if "measure" in words else None


def _value(words, result, scale, is_left_out):
    """One round of a point. `scale`: of times, to those of the usual clock; rates fall as they
    rise."""
    if words["better"] == "higher":
        scale = 1 / scale
    elif words["unit"] not in TIMES:
        scale = 1
    value = {name: scale * float(words[name]) for name in ("median", "q1", "q3")}
    limit = scale * float(words["limit"]) if "limit" in words else None
    return {**value, "limit": limit, "samples": int(words["samples"]), "round": result["round"],
            "is_left_out": is_left_out}


def collect(results):
    """{place: {library: [one _value() for each round]}}"""
    points = {}
    scales = clocks.Scales(results)
    for result in results:
        for words in filter(None, map(parse_line, result["lines"])):
            place = PointKey(result["program"], words["measure"], words["xname"], float(words["x"]),
                          int(words["npes"]), words["unit"], words["better"])
            value = _value(words, result, scales.of(result), scales.is_left_out(result))
            points.setdefault(place, {}).setdefault(result["library"], []).append(value)
    return points


def trusted(rounds):
    """Rounds that are not left out; all where none would be left."""
    return [value for value in rounds if not value["is_left_out"]] or rounds


def summary(rounds):
    """The medians of the rounds."""
    rounds = trusted(rounds)
    result = {name: statistics.median(value[name] for value in rounds)
              for name in ("median", "q1", "q3")}
    limits = [value["limit"] for value in rounds if value["limit"]]
    return {**result, "samples": sum(value["samples"] for value in rounds), "rounds": len(rounds),
            "limit": statistics.median(limits) if limits else None}


def growth(points):
    """{(program, measure): {library: b of the best a * PEs^b}}, of measures by number of PEs."""
    times = {}
    for place, libraries in points.items():
        if place.xname != "PEs":
            continue
        for library, rounds in libraries.items():
            series = times.setdefault((place.program, place.measure), {}).setdefault(library, {})
            series[place.x] = summary(rounds)["median"]
    return {key: {library: slope(series) for library, series in libraries.items()}
            for key, libraries in times.items()}


def slope(times):
    """b of the best a * n^b through {n: time}, or None where less than three points are known."""
    if len(times) < 3 or min(times) <= 0 or min(times.values()) <= 0:
        return None
    return statistics.linear_regression([math.log(n) for n in times],
                                        [math.log(time) for time in times.values()]).slope
