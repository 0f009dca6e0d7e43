# SPDX-License-Identifier: BSD-3-Clause
"""The report: one HTML file that needs nothing beside it."""
import dataclasses
import html
import statistics

from . import drawing
from . import judge
from . import plan
from . import plots
from . import points

STYLE = """
body { font: 15px/1.45 sans-serif; max-width: 1460px; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; margin: 0.7em 0; }
td, th { border-bottom: 1px solid #ccc; padding: 0.15em 0.8em; text-align: left; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
figure { display: inline-block; margin: 0.4em; } figcaption { font-weight: bold; }
pre { white-space: pre-wrap; margin: 0; }
"""
OUR_VALUES_MAX = 8  # beside a paper's number; beyond that their range


@dataclasses.dataclass
class Failure:
    library: str
    program: str
    npes: int | None  # None: not compiled
    round: int | None
    why: str
    is_crash_at_end: bool = False  # another library's, after all was measured: accepted


@dataclasses.dataclass
class Outcome:
    suite: plan.Suite
    libraries: dict  # {name: build.Library}
    machine: list    # [(name, text)]
    results: list    # of runs, as store.py keeps them
    failures: list   # of Failure
    not_run: list    # of plan.Run
    missing: list    # [what is not compared, and why]


def _cell(value):
    if value is None:
        return "<td>-</td>"
    if isinstance(value, float):
        return f'<td class="number">{value:.4g}</td>'
    if isinstance(value, int):
        return f'<td class="number">{value}</td>'
    return f"<td>{html.escape(value)}</td>"


def _table(heads, rows):
    head = "".join(f"<th>{html.escape(name)}</th>" for name in heads)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>\n" for row in rows)
    return f"<table><tr>{head}</tr>\n{body}</table>"


def _gallery(pictures):
    pictures = [figure for figure in pictures if drawing.worth_drawing(figure)]
    if not drawing.is_installed():
        return f"<p>{len(pictures)} figures are missing: gnuplot is not installed.</p>"
    return "\n".join(f"<figure><figcaption>{html.escape(figure.caption)}</figcaption>{svg}</figure>"
                     for figure, svg in zip(pictures, drawing.draw(pictures)))


def _where(place):
    return [place.program, place.measure, f"{place.xname} {place.x:g}", place.npes]


def _medians(found, place, library):
    """RETURNS: "ours unit against theirs"."""
    mine = points.summary(found[place][points.OURS])
    other = points.summary(found[place][library])["median"] if library else mine["limit"]
    return f"{mine['median']:.4g} against {other:.4g} {place.unit}"


def _ratios(references):
    rows = []
    for reference in references:
        values = [it.ratio for it in reference.comparisons.values()]
        if values:
            counts = reference.counts()
            rows.append([reference.name, len(values), *reversed(counts.values()),
                         statistics.median(values), min(values), max(values)])
    heads = ["ours against", "points", *reversed(judge.VERDICTS), "median ratio", "best", "worst"]
    return ("<p>Ratios of times: below 1 we are faster; rates are turned round. The limit is what "
            "the programs measure beside our library: a plain loop, or threads. A point is behind "
            f"or ahead where the spreads over the rounds do not overlap and the ratio is more than "
            f"{judge.NOISE:.0%} from the aim.</p>" + _table(heads, rows))


def _behind(found, references):
    parts = []
    for reference in references:
        rows = []
        for place, it in reference.beyond():
            other = reference.name
            if other == "limit":
                other = points.THREADS if points.THREADS in found[place] else None
            rows.append([*_where(place), it.ratio, f"{it.low:.3g} to {it.high:.3g}",
                         reference.aim(place), _medians(found, place, other)])
        heads = ["program", "measure", "x", "PEs", "ratio", "spread", "aim", "medians"]
        parts.append(f"<h3>Against {html.escape(reference.name)}: {len(rows)} of "
                     f"{len(reference.comparisons)} points</h3>"
                     + (_table(heads, rows) if rows else ""))
    return "\n".join(parts)


def _accepted(failures):
    """One row for each library that crashes after all was measured: it does so again and again."""
    rows = []
    for library in dict.fromkeys(failure.library for failure in failures):
        group = [failure for failure in failures if failure.library == library]
        rows.append([library, len(group),
                     ", ".join(dict.fromkeys(failure.program for failure in group)), group[0].why])
    return ("<h3>Crashed after all was measured: these runs count</h3>"
            + _table(["library", "runs", "programs", "for example"], rows)) if rows else ""


def _failures(outcome):
    failed = [[it.library, it.program, it.npes, it.round, it.why] for it in outcome.failures
              if not it.is_crash_at_end]
    parts = [f"<p>{html.escape(text)}</p>" for text in outcome.missing]
    if failed:
        parts.append(f"<h3>Failed: {len(failed)}; what they printed before counts</h3>"
                     + _table(["library", "program", "PEs", "round", "why"], failed))
    else:
        parts.append("<p>No run failed.</p>")
    if outcome.not_run:
        parts.append(f"<h3>Not run, as the time was used up: {len(outcome.not_run)}</h3>"
                     + _table(["run", "round"], [[str(run), run.round] for run in outcome.not_run]))
    parts.append(_accepted([it for it in outcome.failures if it.is_crash_at_end]))
    return "\n".join(parts)


def _our_values(found, program, number):
    values = []
    for place, libraries in found.items():
        if ((place.program, place.measure) == (program, number["measure"])
                and points.OURS in libraries
                and place.npes == number.get("npes", place.npes)
                and place.x == number.get("x", place.x)):
            median = points.summary(libraries[points.OURS])["median"]
            values.append((median, place))
    if not values:
        return "not measured at this level"
    if len(values) > OUR_VALUES_MAX:
        return (f"{min(values)[0]:.4g} to {max(values)[0]:.4g} {values[0][1].unit} over "
                f"{len(values)} points")
    return "; ".join(f"{median:.4g} {place.unit} ({place.npes} PEs, {place.xname} {place.x:g})"
                     for median, place in values)


def _papers(outcome, found):
    rows = [[name, number["measure"], number["says"], number["machine"],
             _our_values(found, name, number)]
            for name, program in outcome.suite.programs.items() for number in program["paper"]]
    return _table(["program", "measure", "paper", "its machine", "ours, here"], rows)


def _growth(found):
    rows = [[*key, library, exponent] for key, libraries in points.growth(found).items()
            for library, exponent in libraries.items() if exponent is not None]
    return ("<p>The exponent b of the best a PEs<sup>b</sup> through all numbers of PEs. 1 is what "
            "PEs cost that take turns on a core.</p>"
            + _table(["program", "measure", "library", "exponent"], rows))


def _all_points(found):
    rows = []
    for place, libraries in found.items():
        for library, rounds in libraries.items():
            value = points.summary(rounds)
            rows.append([*_where(place), library, value["median"], value["q1"], value["q3"],
                         value["limit"], place.unit, value["samples"]])
    heads = ["program", "measure", "x", "PEs", "library", "median", "q1", "q3", "limit", "unit",
             "samples"]
    return f"<details><summary>{len(rows)} points</summary>{_table(heads, rows)}</details>"


def write(path, outcome, found):
    references = judge.references(found, outcome.libraries, outcome.suite.programs)
    questions = [[name, program["question"]] for name, program in outcome.suite.programs.items()]
    sections = [
        ("Ratios", _ratios(references) + _gallery([plots.overview(references)])
         + _gallery(plots.ratio_figures(references))),
        ("Where we are behind", _behind(found, references)),
        ("Failures", _failures(outcome)),
        ("Times", _gallery(plots.time_figures(found))),
        ("Growth with the number of PEs", _growth(found)),
        ("Papers", _papers(outcome, found)),
        ("Machine", _table(["", ""], [list(pair) for pair in outcome.machine])),
        ("Programs", _table(["program", "question"], questions)),
        ("All points", _all_points(found)),
    ]
    body = "\n".join(f"<h2>{title}</h2>\n{text}" for title, text in sections)
    title = f"bench/run, level {outcome.suite.level_name}: {', '.join(outcome.libraries)}"
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
                   f"<title>{html.escape(title)}</title><style>{STYLE}</style></head>\n"
                   f"<body><h1>{html.escape(title)}</h1>\n{body}\n</body></html>\n")
