#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the coarray program access_convert.f90: coindexed assignments between all pairs of numeric
types and kinds, of logical kinds, and of character kinds and lengths, compared with assignments
inside of an image.

    access_convert.py OUTPUT.f90
"""
import sys

NUMBERS = ([f"integer({kind})" for kind in (1, 2, 4, 8, 16)]
           + [f"{name}({kind})" for name in ("real", "complex") for kind in (4, 8, 10, 16)])
LOGICALS = [f"logical({kind})" for kind in (1, 2, 4, 8, 16)]
TEXTS = [f"character({length}, {kind})" for kind in (1, 4) for length in (1, 3, 6)]
TYPES = NUMBERS + LOGICALS + TEXTS
GROUPS = [range(0, 13), range(13, 18), range(18, 24)]


def values(number, image):
    """Four values of a type, which depend on an image."""
    if number < 5:
        return f"[(int({image} * i - 7, {TYPES[number][8:-1]}), i=1, 4)]"
    kind = TYPES[number].split("(")[-1].rstrip(")")
    if number < 9:
        return f"[({image} * i - 2.75_{kind}, i=1, 4)]"
    if number < 13:
        return f"[(cmplx({image} * i - 2.75_{kind}, i / 8.0_{kind}, {kind}), i=1, 4)]"
    if number < 18:
        return f"[(logical(mod({image} + i, 3) == 0, {kind}), i=1, 4)]"
    return f"text{number}({image})"


def equal(left, right, number):
    return f"all({same(left, right, number)})"


def same(left, right, number):
    return f"logical({left} .eqv. {right})" if 13 <= number < 18 else f"{left} == {right}"


def pair(to, source):
    what = f"{TYPES[source]} to {TYPES[to]}"
    return [
        f"    here{to} = there{source}(:)[next]",
        f"    from{source} = {values(source, 'next')}",
        f"    want{to} = from{source}",
        f"    call check({equal(f'here{to}', f'want{to}', to)}, 'get, {what}')",
        f"    here{to}(4) = there{source}(2)[next]",
        f"    call check({same(f'here{to}(4)', f'want{to}(2)', to)}, &",
        f"      'get of a scalar, {what}')",
        f"    here{source} = {values(source, 'me')}",
        "    sync all",
        f"    target{to}(4:1:-1)[next] = here{source}",
        "    sync all",
        f"    from{source} = {values(source, 'last')}",
        f"    want{to} = from{source}",
        f"    call check({equal(f'target{to}(4:1:-1)', f'want{to}', to)}, 'put, {what}')",
        "    sync all",
        f"    target{to}(2)[next] = here{source}(3)",
        f"    target{to}([4, 1])[next] = there{source}(1:3:2)[me]",
        "    sync all",
        f"    call check({same(f'target{to}(2)', f'want{to}(3)', to)}, &",
        f"      'put of a scalar, {what}')",
        f"    call check({equal(f'target{to}([4, 1])', f'want{to}(1:3:2)', to)}, &",
        f"      'image to image, {what}')",
        f"    target{to}(:)[me] = here{source}(2)",
        f"    want{to} = here{source}(2)",
        f"    call check({equal(f'target{to}', f'want{to}', to)}, 'one value to many, {what}')",
        "    sync all"]


def main():
    lines = ["! SPDX-License-Identifier: BSD-3-Clause", "!", "! Written by access_convert.py.",
             "program access_convert", "  use checks", "  implicit none",
             "  integer :: me, next, last, i"]
    for number, kind in enumerate(TYPES):
        lines += [f"  {kind} :: there{number}(4)[*], target{number}(4)[*], here{number}(4)",
                  f"  {kind} :: want{number}(4), from{number}(4)"]
    lines += ["  me = this_image()", "  next = mod(me, num_images()) + 1",
              "  last = mod(me - 2 + num_images(), num_images()) + 1"]
    lines += [f"  there{number} = {values(number, 'me')}" for number in range(len(TYPES))]
    lines += ["  sync all"]
    lines += [f"  call to{number}()" for number in range(len(TYPES))]
    # A character that kind 1 does not have.
    lines += ["  there22 = char(955, 4)", "  sync all", "  here18 = there22(:)[next]",
              "  call check(all(here18 == '?'), 'a character that kind 1 does not have')",
              "  call passed()", "contains"]
    for group in GROUPS:
        for to in group:
            lines += [f"  subroutine to{to}()"]
            for source in group:
                lines += pair(to, source)
            lines += [f"  end subroutine to{to}"]
    for number in GROUPS[2]:
        kind = TYPES[number]
        letters = ("[(achar(96 + image) // repeat(achar(64 + i), 9), i=1, 4)]" if ", 1)" in kind
                   else "[(char(96 + image, 4) // repeat(char(merge(233, 64 + i, i == 2), 4), 9), "
                        "i=1, 4)]")
        lines += [f"  function text{number}(image) result(texts)",
                  "    integer, intent(in) :: image", f"    {kind} :: texts(4)", "    integer :: i",
                  f"    texts = {letters}", f"  end function text{number}"]
    lines += ["end program access_convert", ""]
    with open(sys.argv[1], "w", encoding="utf-8") as output:
        output.write("\n".join(lines))


if __name__ == "__main__":
    main()
