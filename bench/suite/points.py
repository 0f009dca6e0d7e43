# SPDX-License-Identifier: BSD-3-Clause
"""From the lines of the runs to points: one for each program, measure, x, number of PEs and
library, with the medians of the rounds."""
import collections
import math
import statistics

OURS = "tessera"
THREADS = "threads"  # the pseudo-library of programs with threads, without SHMEM: a limit

# Where a point is; program and measure make a plot.
Place = collections.namedtuple("Place", "program measure xname x npes unit better")


def parse_line(line):
    """The words of an "@ " line as {name: text}; None for others, such as "@ end"."""
    words = dict(word.split("=", 1) for word in line.split()[1:] if "=" in word)
    return words if "measure" in words else None


def collect(results):
    """{place: {library: [one {"median", "q1", "q3", "samples", "limit"} for each round]}}"""
    points = {}
    for result in results:
        for line in result["lines"]:
            words = parse_line(line)
            if not words:
                continue
            place = Place(result["program"], words["measure"], words["xname"], float(words["x"]),
                          int(words["npes"]), words["unit"], words["better"])
            value = {name: float(words[name]) for name in ("median", "q1", "q3")}
            value.update(samples=int(words["samples"]), round=result["round"],
                         limit=float(words["limit"]) if "limit" in words else None)
            points.setdefault(place, {}).setdefault(result["library"], []).append(value)
    return points


def summary(rounds):
    """The medians of the rounds."""
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
