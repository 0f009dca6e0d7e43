# SPDX-License-Identifier: BSD-3-Clause
"""How our points compare with those of other libraries and with limits: ratios of times, by
rounds."""
import dataclasses
import statistics

from . import points

NOISE = 0.03  # a ratio within this of 1 is a draw


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


def ratios_to(found, library):
    """{place: ours / that library's}"""
    result = {}
    for place, libraries in found.items():
        if points.OURS in libraries and library in libraries:
            value = ratio(place, libraries[points.OURS], libraries[library])
            if value:
                result[place] = value
    return result


def ratios_to_limit(found):
    """{place: ours / limit}, where the program measured a limit, or threads are one."""
    result = ratios_to(found, points.THREADS)
    for place, libraries in found.items():
        value = limit_ratio(place, libraries.get(points.OURS, []))
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


def references(found, libraries, programs):
    """A Reference for each other library and one for the limit."""
    aims = {(name, measure): aim for name, program in programs.items()
            for measure, aim in program["aims"].items()}
    others = [name for name in libraries if name != points.OURS]
    return [*(Reference(name, ratios_to(found, name), {}) for name in others),
            Reference("limit", ratios_to_limit(found), aims)]
