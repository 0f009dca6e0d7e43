# SPDX-License-Identifier: BSD-3-Clause
"""Which figures the report shows: ratios and times by measure, over x or the number of PEs."""
from . import drawing
from . import judge
from . import points
from .drawing import Figure


def _by_measure(found):
    groups = {}
    for place in found:
        key = (place.program, place.measure, place.xname, place.unit, place.better)
        groups.setdefault(key, []).append(place)
    return groups


def _abscissa(places):
    """RETURNS: (label, function place -> x, function place -> what tells series apart)"""
    xname = places[0].xname
    if xname == "PEs" or len({place.x for place in places}) == 1:
        note = "" if xname == "PEs" else f" ({xname} {places[0].x:g})"
        return "PEs" + note, lambda place: place.npes, lambda place: ""
    return xname, lambda place: place.x, lambda place: f" {place.npes} PEs"


def _ratio_figure(caption, places, references):
    """With all its references."""
    label, x_of, series_of = _abscissa(places)
    series = {}
    for reference in references:
        for place in places:
            it = reference.comparisons.get(place)
            if it:
                series.setdefault(reference.name + series_of(place), []).append(
                    (x_of(place), it.ratio, it.low, it.high))
    return Figure(f"{caption}: ratio", label, "ours / theirs", series, True)


def _time_figure(caption, places, found):
    """Medians with spreads, and the limits that the programs of our library measured."""
    label, x_of, series_of = _abscissa(places)
    series = {}
    for place in places:
        for library, rounds in found[place].items():
            value = points.summary(rounds)
            low, high = judge.spread(rounds) or [value["median"]] * 2
            series.setdefault(library + series_of(place), []).append(
                (x_of(place), value["median"], low, high))
            if library == points.OURS and value["limit"]:
                series.setdefault("limit" + series_of(place), []).append(
                    (x_of(place), value["limit"]))
    if places[0].better == "higher":
        caption += " (more is better)"
    return Figure(caption, label, places[0].unit, series)


def figures(found, references):
    """{program: [[figures of times and ratios] of each measure with enough points]}"""
    result = {}
    for (program, measure, *_), places in _by_measure(found).items():
        pair = [_time_figure(measure, places, found),
                _ratio_figure(measure, places, references)]
        pair = list(filter(drawing.worth_drawing, pair))
        if pair:
            result.setdefault(program, []).append(pair)
    return result
