# SPDX-License-Identifier: BSD-3-Clause
"""Numbers as people read them."""


def time_text(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.0f} ns"


def time_axis(longest_ns):
    """RETURNS (name of the unit, its nanoseconds) for an axis that ends with `longest_ns`."""
    return next((unit for unit in (("seconds", 1e9), ("milliseconds", 1e6), ("microseconds", 1e3))
                 if longest_ns >= unit[1]), ("nanoseconds", 1))


def bytes_text(count):
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:.4g} {unit}"
    return f"{count} B"


def count_text(count):
    return f"{count:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def percent_text(ratio):
    return f"{100 * ratio:.1f} %" if ratio < 0.1 else f"{100 * ratio:.0f} %"
