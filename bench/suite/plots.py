# SPDX-License-Identifier: BSD-3-Clause
"""Which figures the report shows: ratios and times by measure, over x or the number of PEs."""
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


def ratio_figures(references):
    """A figure for each measure, with all that it is held against."""
    result = []
    shown = {place: None for reference in references for place in reference.comparisons}
    for (program, measure, *_), places in _by_measure(shown).items():
        label, x_of, series_of = _abscissa(places)
        series = {}
        for reference in references:
            for place in places:
                if place in reference.comparisons:
                    values = series.setdefault(reference.name + series_of(place), [])
                    values.append((x_of(place), reference.comparisons[place].ratio))
        result.append(Figure(f"{program}: {measure}", label, "ours / theirs", series, True))
    return result


def time_figures(found):
    """Medians with quartiles, and the limits that the programs of our library measured."""
    result = []
    for (program, measure, _, unit, better), places in _by_measure(found).items():
        label, x_of, series_of = _abscissa(places)
        series = {}
        for place in places:
            for library, rounds in found[place].items():
                value = points.summary(rounds)
                series.setdefault(library + series_of(place), []).append(
                    (x_of(place), value["median"], value["q1"], value["q3"]))
                if library == points.OURS and value["limit"]:
                    series.setdefault("limit" + series_of(place), []).append(
                        (x_of(place), value["limit"]))
        caption = f"{program}: {measure}" + (" (more is better)" if better == "higher" else "")
        result.append(Figure(caption, label, unit, series))
    return result


def overview(references):
    """All ratios in order: where a line crosses 1 we stop being ahead."""
    series = {}
    for reference in references:
        values = sorted(it.ratio for it in reference.comparisons.values())
        if len(values) > 1:
            series[reference.name] = [(100 * i / (len(values) - 1), value)
                            for i, value in enumerate(values)]
    return Figure("All ratios, in order", "% of the points", "ours / theirs", series, True)
