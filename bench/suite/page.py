# SPDX-License-Identifier: BSD-3-Clause
"""The report's HTML: its style, and tables."""
import html

# One colour for each verdict: tint for cells, full for bars.
COLOURS = {"behind": ("#f8d0cc", "#d1382b"), "undecided": ("#fbecc0", "#e5b022"),
           "equal": ("#e8e8e8", "#a6a6a6"), "ahead": ("#d2ecd2", "#3f9c45")}
STYLE = """
body { font: 14px/1.4 sans-serif; max-width: 1460px; margin: 1em auto; padding: 0 1em; }
h1 { font-size: 1.4em; margin: 0.3em 0; } h2 { border-bottom: 2px solid #ccc; margin-top: 1.6em; }
p { margin: 0.35em 0; } a { color: inherit; }
table { border-collapse: collapse; margin: 0.6em 0; }
td, th { border-bottom: 1px solid #ccc; padding: 0.1em 0.7em; text-align: left; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
table.overview { line-height: 1.1; white-space: nowrap; font-variant-numeric: tabular-nums; }
table.overview td, table.overview th { border: 1px solid #fff; padding: 0 0.6em; }
table.overview th { background: #f4f4f4; } table.overview small { color: #555; }
table.overview td b { display: inline-block; min-width: 2.6em; }
.bar { display: flex; } .bar i { display: block; height: 3px; }
.chip { padding: 0.1em 0.5em; border-radius: 3px; margin-right: 0.3em; }
figure, div:has(> figure) { display: inline-block; white-space: nowrap; margin: 0.2em 0; }
figcaption { font-weight: bold; }
pre { white-space: pre-wrap; margin: 0; } summary { cursor: pointer; margin: 0.4em 0; }
""" + "".join(f".{verdict} {{ background: {tint}; }}\n" for verdict, (tint, _) in COLOURS.items())


def number(value):
    """Three digits, without an exponent where one can read it without."""
    return f"{value:.3g}" if 1e-4 < abs(value) < 1000 or value == 0 else f"{value:,.0f}"


def ratio(value):
    """Two digits behind the point, or two that count."""
    return f"{value:.2f}" if 0.095 < value < 100 else f"{value:.2g}" if value < 1 else number(value)


def spread(low, high):
    return f"{number(low)}–{number(high)}"


def _cell(value):
    if value is None:
        return "<td>-</td>"
    if isinstance(value, float):
        return f'<td class="number">{value:.4g}</td>'
    if isinstance(value, int):
        return f'<td class="number">{value}</td>'
    if value in COLOURS:
        return f'<td class="{value}">{value}</td>'
    return f"<td>{html.escape(value)}</td>"


def table(heads, rows):
    head = "".join(f"<th>{html.escape(name)}</th>" for name in heads)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>\n" for row in rows)
    return f"<table><tr>{head}</tr>\n{body}</table>"


def details(title, text, is_open=False):
    return f"<details{' open' * is_open}><summary>{html.escape(title)}</summary>{text}</details>"


def whole(title, sections):
    """sections: [(heading, text)]"""
    body = "\n".join(f"<h2>{heading}</h2>\n{text}" if heading else text
                     for heading, text in sections)
    return ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f"<title>{html.escape(title)}</title><style>{STYLE}</style></head>\n"
            f"<body><h1>{html.escape(title)}</h1>\n{body}\n</body></html>\n")
