# SPDX-License-Identifier: BSD-3-Clause
"""The report: one HTML file that needs nothing beside it."""
import dataclasses
import html

from . import drawing
from . import judge
from . import overview
from . import page
from . import plan
from . import plots
from . import points
from . import tables

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


def _x(place):
    return f"{drawing.binary_label(place.x)} {place.xname}"


def _side(rounds):
    """RETURNS: "median (low–high)" """
    ends = judge.spread(rounds)
    text = page.number(points.summary(rounds)["median"])
    return f"{text} ({page.spread(*ends)})" if ends else text


def _medians(found, place, name):
    """RETURNS: "ours against theirs, unit"."""
    libraries = found[place]
    mine = libraries[points.OURS]
    theirs = libraries.get(name) or judge.limits(mine) or libraries[points.BARE]
    return f"{_side(mine)} against {_side(theirs)} {place.unit}"


def _list(found, reference, verdict):
    rows = [[place.program, place.measure, _x(place), place.npes, it.ratio,
             page.spread(it.low, it.high), reference.aim(place),
             _medians(found, place, reference.name)]
            for place, it in reference.beyond(verdict)]
    heads = ["program", "measure", "x", "PEs", "ratio", "spread", "aim", "medians (spreads)"]
    is_open = verdict == "behind" and reference.name != judge.LIMIT
    title = (f"{len(rows)} {verdict} against {reference.name}, of "
             f"{len(reference.comparisons)} points")
    return page.details(title, page.table(heads, rows), is_open) if rows else ""


def _behind(found, references):
    parts = [_list(found, reference, verdict) for verdict in ("behind", "undecided")
             for reference in references]
    return "\n".join(filter(None, parts)) or "<p>Nowhere.</p>"


def _accepted(failures):
    """One row for each library that crashes after all was measured: it does so again and again."""
    rows = []
    for library in dict.fromkeys(failure.library for failure in failures):
        group = [failure for failure in failures if failure.library == library]
        rows.append([library, len(group),
                     ", ".join(dict.fromkeys(failure.program for failure in group)), group[0].why])
    return ("<h3>Crashed after all was measured: these runs count</h3>"
            + page.table(["library", "runs", "programs", "for example"], rows)) if rows else ""


def _failures(outcome):
    failed = [[it.library, it.program, it.npes, it.round, it.why] for it in outcome.failures
              if not it.is_crash_at_end]
    parts = [f"<p>{html.escape(text)}</p>" for text in outcome.missing]
    if failed:
        parts.append(f"<h3>Failed: {len(failed)}; what they printed before counts</h3>"
                     + page.table(["library", "program", "PEs", "round", "why"], failed))
    else:
        parts.append("<p>No run failed.</p>")
    if outcome.not_run:
        parts.append(f"<h3>Not run, as the time was used up: {len(outcome.not_run)}</h3>"
                     + page.table(["run", "round"],
                                  [[str(run), run.round] for run in outcome.not_run]))
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
    return "; ".join(f"{median:.4g} {place.unit} ({place.npes} PEs, {_x(place)})"
                     for median, place in values)


def _papers(outcome, found):
    rows = [[name, number["measure"], number["says"], number["machine"],
             _our_values(found, name, number)]
            for name, program in outcome.suite.programs.items() for number in program["paper"]]
    return page.table(["program", "measure", "paper", "its machine", "ours, here"], rows)


def _growth(found):
    rows = [[*key, library, exponent] for key, libraries in points.growth(found).items()
            for library, exponent in libraries.items() if exponent is not None]
    return ("<p>The exponent b of the best a PEs<sup>b</sup> through all numbers of PEs. 1 is what "
            "PEs cost that take turns on a core.</p>"
            + page.table(["program", "measure", "library", "exponent"], rows))


POINT = {"measure": "measure", "x": "x", "npes": "PEs", "library": "library", "median": "median",
         "low": "low", "high": "high", "unit": "unit", "limit": "limit", "rounds": "rounds",
         "samples": "samples", "over_limit": "over limit", "ours_over_this": "ours / this",
         "verdict": "verdict"}  # {column of tables.rows: heading}


def _curves(measures, pictures):
    """RETURNS: HTML of the figures of some measures"""
    return "\n".join(
        "<div>" + "".join(f"<figure><figcaption>{html.escape(it.caption)}</figcaption>"
                          f"{pictures.placed(drawing.picture(it))}</figure>" for it in figures)
        + "</div>" for figures in measures)


def _programs(outcome, found, references):
    """A section for each program: its question, its curves, all its points. Behind them, the script
    that draws the curves."""
    measures, pictures = {}, None
    note = "No curves: Plotly for Python is not installed (Debian: python3-plotly)."
    if drawing.is_installed():
        measures, pictures = plots.figures(found, references), drawing.pictures()
        note = f"Curves where x has {drawing.POINTS_MIN} points or more; bars: spread over rounds."
    rows = tables.rows(found)
    parts = [f"<p>{note}</p>"]
    for name, program in outcome.suite.programs.items():
        mine = [[row[column] for column in POINT] for row in rows if row["program"] == name]
        parts.append(f'<h3 id="{html.escape(name)}">{html.escape(name)}</h3>\n'
                     f"<p>{html.escape(program['question'])}</p>"
                     + _curves(measures.get(name, ()), pictures)
                     + page.details(f"{len(mine)} points", page.table(POINT.values(), mine)))
    return "\n".join(parts + [pictures.script() if pictures else ""])


def write(path, outcome, found):
    references = judge.references(found, outcome.libraries, outcome.suite.programs)
    sections = [
        ("", overview.write(outcome, references)),
        ("Where we are behind", _behind(found, references)),
        ('<a id="failures"></a>Failures', _failures(outcome)),
        ("Programs", _programs(outcome, found, references)),
        ("Growth with the number of PEs", _growth(found)),
        ("Papers", _papers(outcome, found)),
        ("Machine", page.table(["", ""], [list(pair) for pair in outcome.machine])),
    ]
    title = f"{' and '.join(outcome.libraries)} (bench/run, level {outcome.suite.level_name})"
    with open(path, "w", encoding="utf-8") as file:
        file.write(page.whole(title, sections))
