# SPDX-License-Identifier: BSD-3-Clause
"""results.csv and results.json: every point of every library, with its ratios."""
import csv
import json

from . import clocks
from . import judge
from . import points

COLUMNS = ("program", "measure", "xname", "x", "npes", "unit", "better", "library", "median", "low",
           "high", "q1", "q3", "samples", "rounds", "limit", "over_limit", "ours_over_this",
           "ratio_low", "ratio_high", "verdict")


def _against(place, libraries, library):
    """Ours / this library's, with its spread and verdict."""
    it = None
    if library != points.OURS and points.OURS in libraries:
        it = judge.compare(place.better, libraries[points.OURS], libraries[library])
    return {"ours_over_this": it.ratio, "ratio_low": it.low, "ratio_high": it.high,
            "verdict": it.verdict} if it else {}


def rows(found):
    """One {column: value} for each point of each library; None: there is no such value."""
    result = []
    for place, libraries in found.items():
        for library, rounds in libraries.items():
            low, high = judge.spread(rounds) or (None, None)
            limit = judge.compare(place.better, rounds, judge.limits(rounds))
            row = {**place._asdict(), "library": library, **points.summary(rounds),
                   "low": low, "high": high, "over_limit": limit.ratio if limit else None,
                   **_against(place, libraries, library)}
            result.append({column: row.get(column) for column in COLUMNS})
    return result


def write_csv(path, table):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)


def write_json(path, outcome, table):
    text = {
        "level": outcome.suite.level_name,
        "machine": dict(outcome.machine),
        "clock": {"states": clocks.states(outcome.results),
                  "contended": clocks.contended(outcome.results),
                  **vars(clocks.count(outcome.results))},
        "libraries": {name: vars(library) for name, library in outcome.libraries.items()},
        "failures": [vars(failure) for failure in outcome.failures],
        "not_run": [str(run) for run in outcome.not_run],
        "points": table,
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump(text, file, indent=1)
