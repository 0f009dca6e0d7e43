# SPDX-License-Identifier: BSD-3-Clause
"""The report's first screen: the machine and its clock, and one table of programs by numbers of
PEs, in which what is behind comes first."""
import html
import statistics

from . import clocks
from . import drawing
from . import judge
from . import page


def _percent(share):
    return f"{100 * share:.0f} %"


def _machine(outcome):
    facts = dict(outcome.machine)
    cpu = f"{facts.get('Model name', '?')}, {facts.get('usable CPUs', '?')} CPUs"
    if "Hypervisor vendor" in facts:
        cpu += f" ({facts['Hypervisor vendor']} virtual machine)"
    words = [cpu, facts.get("kernel"), facts.get("compiler"),
             f"commit {facts.get('commit', '?')}", facts.get("date"),
             f"load {facts.get('load before', '?')} before, {facts.get('load after', '?')} after"]
    return f"<p>{html.escape('; '.join(word for word in words if word))}</p>"


def _clock(results):
    states = clocks.states(results)
    if not states:
        return "<p>Clock: not looked at.</p>"
    text = " and ".join(f"{page.number(ns)} ns in {runs} runs" for ns, runs in states)
    it, share = clocks.count(results), clocks.contended(results)
    return (f"<p>Clock, {len(states)} state{'s' * (len(states) > 1)} (512 loads of 8 bytes): "
            f"{text}. Repeated because clocks disagreed: {it.repeated} runs; normalised to the "
            f"usual clock: {it.normalised}; left out: {it.left_out}. At {_percent(share)} of the "
            "looks a hyperthread or another process slowed a core for a while.</p>")


def _verdicts(references):
    lines = []
    for it in references:
        counts = it.counts()
        chips = "".join(f'<span class="chip {verdict}">{counts[verdict]} {verdict}</span>'
                        for verdict in reversed(judge.VERDICTS))
        ratio = statistics.median(value.ratio for value in it.comparisons.values())
        lines.append(f"<span>Against {html.escape(it.name)}: {chips} of {len(it.comparisons)} "
                     f"points; median ratio {page.ratio(ratio)}.</span>")
    return f"<p>{' '.join(lines)}</p>"


def _summary(references):
    """RETURNS: a sentence for each reference, which needs no knowledge of the table."""
    lines = []
    for it in references:
        counts, total = it.counts(), len(it.comparisons)
        if it.name == judge.LIMIT:
            lines.append(f"Tessera is behind the limit that the programs measure at "
                         f"{counts['behind']} of {total} points.")
            continue
        ratio = statistics.median(value.ratio for value in it.comparisons.values())
        lines.append(f"Tessera is faster than {it.name} at {counts['ahead']} of {total} points, "
                     f"as fast at {counts['equal']} and slower at {counts['behind']}; it takes "
                     f"{page.ratio(ratio)} times as long in the median.")
    return "".join(f"<p><b>{html.escape(line)}</b></p>" for line in lines)


LEGEND = f"""<p><small>Ours / theirs in time: below 1 we are faster; rates are turned round.
A cell: median ratio of the program's points, its spread over the rounds, the worst point that is
behind, if any, else undecided, equal, ahead; a click on the program leads to all of them.
Behind or ahead: the spreads of both sides over the rounds do not overlap and are more than
{_percent(judge.NOISE)} apart. Equal: all rounds within {_percent(judge.DRAW)} of the
aim. Else undecided. The aim is 1, for some limits more. Limit: measured
beside our library, a plain loop, or a bare program.</small></p>"""


def _bar(counts, total):
    parts = "".join(f'<i style="width:{100 * counts[verdict] / total:.1f}%;'
                    f'background:{page.COLOURS[verdict][1]}"></i>'
                    for verdict in reversed(judge.VERDICTS) if counts[verdict])
    return f'<div class="bar">{parts}</div>'


def _class_of(counts):
    """One point behind colours the cell; else the verdict of most points."""
    return "behind" if counts["behind"] else max(reversed(judge.VERDICTS), key=counts.get)


def _cell(reference):
    """The cell for one program and number of PEs."""
    values = list(reference.comparisons.values())
    if not values:
        return '<td class="none"></td>'
    ratio, low, high = (statistics.median(getattr(it, name) for it in values)
                        for name in ("ratio", "low", "high"))
    counts = reference.counts()
    worst, it = next(filter(None, map(reference.beyond, judge.VERDICTS)))[0]
    others = "".join(f", {counts[verdict]} {verdict}" for verdict in ("behind", "undecided")
                     if counts[verdict])
    title = (f"{len(values)} points; worst: {worst.measure}, "
             f"{drawing.binary_label(worst.x)} {worst.xname}: "
             f"{page.number(it.ratio)} ({page.spread(it.low, it.high)}, {it.verdict})")
    return (f'<td class="{_class_of(counts)}" title="{html.escape(title)}">'
            f"<b>{page.ratio(ratio)}</b> {page.ratio(low)}–{page.ratio(high)}"
            f"{_bar(counts, len(values))}<small>worst {page.ratio(it.ratio)}{others}</small></td>")


def _urgency(references, program):
    """Sorts programs: the worst point that is behind first, then the greatest median."""
    key = []
    for reference in references:
        part = reference.part(lambda place: place.program == program)
        key.append(max((it.ratio / part.aim(place) for place, it in part.beyond()), default=0))
    ratios = [it.ratio for reference in references for place, it in reference.comparisons.items()
              if place.program == program]
    return (*key, statistics.median(ratios))


def _table(references):
    columns = [(reference, npes) for reference in references
               for npes in sorted({place.npes for place in reference.comparisons})]
    programs = sorted({place.program for it in references for place in it.comparisons},
                      key=lambda program: _urgency(references, program), reverse=True)
    heads = "".join(f'<th colspan="{sum(it is reference for it, _ in columns)}">'
                    f"{html.escape(reference.name)}</th>" for reference in references)
    rows = [f'<tr><th rowspan="2">program</th>{heads}</tr>',
            "<tr>" + "".join(f"<th>{npes} PE{'s' * (npes > 1)}</th>" for _, npes in columns)
            + "</tr>"]
    for program in programs:
        cells = "".join(_cell(reference.part(lambda place, npes=npes: (place.program, place.npes)
                                             == (program, npes)))
                        for reference, npes in columns)
        name = html.escape(program)
        rows.append(f'<tr><th><a href="#{name}">{name}</a></th>{cells}</tr>')
    return '<table class="overview">' + "\n".join(rows) + "</table>"


def write(outcome, references):
    """RETURNS: HTML"""
    references = [it for it in references if it.comparisons]
    failed = [it for it in outcome.failures if not it.is_crash_at_end]
    alarms = [f"{len(failed)} runs failed"] * bool(failed)
    alarms += [f"{len(outcome.not_run)} runs are left"] * bool(outcome.not_run)
    alarm = "".join(f'<p class="behind"><a href="#failures">{text}</a></p>' for text in alarms)
    parts = [_summary(references), _machine(outcome), _clock(outcome.results), alarm,
             _verdicts(references)]
    if references:
        parts += [_table(references), LEGEND]
    return "\n".join(parts)
