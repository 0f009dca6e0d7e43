# SPDX-License-Identifier: BSD-3-Clause
"""Compares our points with those of other libraries and with limits: ratios of times by rounds,
their spreads, and a verdict. README.md says how points are judged."""
import dataclasses
import statistics

from . import points

NOISE = 0.03     # spreads that are no further apart are neither ahead nor behind
DRAW = 0.1       # points are equal where the ratios of all rounds are within this of the aim
ROUNDS_MIN = 3   # fewer have no spread of their own: their samples' quartiles count
SAMPLES_MIN = 4  # fewer have no quartiles
LIMIT = "limit"  # the name of that Reference
VERDICTS = ("behind", "undecided", "equal", "ahead")


@dataclasses.dataclass
class Comparison:
    """A ratio of times: below 1 ours is ahead, also where the unit is a rate."""
    ratio: float  # the median of the rounds
    low: float    # its spread over the rounds
    high: float
    verdict: str  # one of VERDICTS, against the aim


def _without_extremes(values):
    """RETURNS: (low, high) of the values without one at each end for every six of them"""
    values = sorted(values)
    cut = len(values) // 6
    return values[cut], values[len(values) - 1 - cut]


def spread(rounds):
    """RETURNS: (low, high) of the rounds' medians, of few rounds also of their quartiles; or None

    Rounds that are left out of ratios count: they, too, show how much the medians vary."""
    if len(rounds) >= ROUNDS_MIN:
        return _without_extremes(value["median"] for value in rounds)
    if any(value["samples"] < SAMPLES_MIN for value in rounds):
        return None
    return min(value["q1"] for value in rounds), max(value["q3"] for value in rounds)


def _by_time(better, mine, theirs):
    over, under = (mine, theirs) if better == "lower" else (theirs, mine)
    return over / under if over > 0 and under > 0 else None


def _verdict(better, mine, theirs, ratios, aim):
    """`mine` and `theirs`: spreads; `ratios`: low, median and high."""
    if not mine or not theirs:
        return "undecided"
    if better == "higher":  # as times
        mine, theirs = [[1 / value if value > 0 else 0 for value in reversed(ends)]
                        for ends in (mine, theirs)]
    low, ratio, high = ratios
    if mine[0] > aim * (1 + NOISE) * theirs[1] and ratio > aim * (1 + NOISE):
        return "behind"
    if (1 + NOISE) * mine[1] < aim * theirs[0] and ratio * (1 + NOISE) < aim:
        return "ahead"
    return "equal" if low >= aim / (1 + DRAW) and high <= aim * (1 + DRAW) else "undecided"


def compare(better, mine, theirs, aim=1.0):
    """RETURNS: the Comparison of rounds that both have, or None where no clocks agree"""
    others = {value["round"]: value for value in theirs}
    pairs = [(value, others[value["round"]]) for value in mine if value["round"] in others]
    ratios = [_by_time(better, value["median"], other["median"]) for value, other in pairs
              if not value["is_left_out"] and not other["is_left_out"]]
    ratios = [value for value in ratios if value]
    if not ratios:
        return None
    spreads = [spread([pair[side] for pair in pairs]) for side in (0, 1)]
    low, high = _without_extremes(ratios)
    if len(pairs) < ROUNDS_MIN and all(spreads):
        (low, high), (their_low, their_high) = spreads
        ends = (_by_time(better, low, their_high), _by_time(better, high, their_low))
        low, high = sorted(value or ratios[0] for value in ends)
    ratio = statistics.median(ratios)
    return Comparison(ratio, low, high, _verdict(better, *spreads, (low, ratio, high), aim))


def limits(rounds):
    """The limits of our rounds, as if they were rounds of another library."""
    return [{**value, **dict.fromkeys(("median", "q1", "q3"), value["limit"])}
            for value in rounds if value["limit"]]


def _with(found, library, aims):
    """{place: Comparison} with a library."""
    return {place: compare(place.better, libraries[points.OURS], libraries[library],
                           aims.get(place[:2], 1))
            for place, libraries in found.items()
            if points.OURS in libraries and library in libraries}


def _with_limit(found, aims):
    """{place: Comparison} with the limit that the program measured, or with the bare program."""
    result = _with(found, points.BARE, aims)
    for place, libraries in found.items():
        mine = libraries.get(points.OURS, [])
        if limits(mine):
            result[place] = compare(place.better, mine, limits(mine), aims.get(place[:2], 1))
    return result


@dataclasses.dataclass
class Reference:
    """The reference for our points."""
    name: str          # of a library, or LIMIT
    comparisons: dict  # {place: Comparison}
    aims: dict         # {(program, measure): what the ratio may be}; 1 where left out

    def __post_init__(self):
        self.comparisons = {place: it for place, it in self.comparisons.items() if it}

    def part(self, holds):
        """The comparisons of the places for which holds(place)."""
        return Reference(self.name, {place: it for place, it in self.comparisons.items()
                                     if holds(place)}, self.aims)

    def aim(self, place):
        return float(self.aims.get(place[:2], 1))

    def counts(self):
        """{verdict: number of points}"""
        verdicts = [it.verdict for it in self.comparisons.values()]
        return {verdict: verdicts.count(verdict) for verdict in VERDICTS}

    def beyond(self, verdict="behind"):
        """[(place, Comparison)] of the points behind the aim, the worst one first."""
        result = [(place, it) for place, it in self.comparisons.items() if it.verdict == verdict]
        return sorted(result, key=lambda pair: -pair[1].ratio / self.aim(pair[0]))


def references(found, libraries, programs):
    """A Reference for each other library and one for the limit."""
    aims = {(name, measure): aim for name, program in programs.items()
            for measure, aim in program["aims"].items()}
    others = [name for name in libraries if name != points.OURS]
    return [*(Reference(name, _with(found, name, {}), {}) for name in others),
            Reference(LIMIT, _with_limit(found, aims), aims)]
