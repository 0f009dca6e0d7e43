# SPDX-License-Identifier: BSD-3-Clause
"""From the lines of the runs to points: one for each program, measure, x, number of PEs and
library, with the medians of the rounds; and the ratios between them, by rounds."""
import collections
import dataclasses
import math
import statistics

OURS = "tessera"
THREADS = "threads"  # the pseudo-library of programs with threads, without SHMEM: a limit
NOISE = 0.03  # a ratio within this of 1 is a draw

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


def _by_time(better, mine, theirs):
    """As a ratio of times, also where the unit is a rate: below 1 `mine` is ahead."""
    over, under = (mine, theirs) if better == "lower" else (theirs, mine)
    return over / under if under else None


def ratio(place, mine, theirs):
    """Ours / theirs, the median of the rounds that both have."""
    others = {value["round"]: value["median"] for value in theirs}
    ratios = [_by_time(place.better, value["median"], others[value["round"]])
              for value in mine if value["round"] in others]
    ratios = [value for value in ratios if value]
    return statistics.median(ratios) if ratios else None


def limit_ratio(place, rounds):
    """Measured / limit, the median of the rounds."""
    ratios = [_by_time(place.better, value["median"], value["limit"])
              for value in rounds if value["limit"]]
    ratios = [value for value in ratios if value]
    return statistics.median(ratios) if ratios else None


def ratios_to(points, library):
    """{place: ours / that library's}"""
    result = {}
    for place, libraries in points.items():
        if OURS in libraries and library in libraries:
            value = ratio(place, libraries[OURS], libraries[library])
            if value:
                result[place] = value
    return result


def ratios_to_limit(points):
    """{place: ours / limit}, where the program measured a limit, or threads are one."""
    result = ratios_to(points, THREADS)
    for place, libraries in points.items():
        value = limit_ratio(place, libraries.get(OURS, []))
        if value:
            result[place] = value
    return result


@dataclasses.dataclass
class Reference:
    """What ours is held against."""
    name: str      # of a library, or "limit"
    ratios: dict   # {place: ours / that}
    aims: dict     # {(program, measure): what the ratio may be}; 1 where left out

    def aim(self, place):
        return float(self.aims.get((place.program, place.measure), 1))

    def ahead(self):
        return sum(value < 1 for value in self.ratios.values())

    def beyond(self):
        """[(place, ratio)] of the ratios above the aim by more than noise, the worst one first."""
        result = [(place, value) for place, value in self.ratios.items()
                  if value > self.aim(place) * (1 + NOISE)]
        return sorted(result, key=lambda pair: -pair[1] / self.aim(pair[0]))


def references(points, libraries, programs):
    """A Reference for each other library and one for the limit."""
    aims = {(name, measure): aim for name, program in programs.items()
            for measure, aim in program["aims"].items()}
    return [*(Reference(name, ratios_to(points, name), {}) for name in libraries if name != OURS),
            Reference("limit", ratios_to_limit(points), aims)]


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
