# SPDX-License-Identifier: BSD-3-Clause
"""Reads the code blocks of docs/tutorial, and compares what commands print with what a page shows.

A block's first line says what it is:

    ```c ring.c                 consecutive lines of listings/ring.c, or the whole file
    ```console                  commands behind "$ ", each followed by its output, stderr included
    ```console any-order        the same; the lines of an output may come in another order
    ```console fails            the same; the last command ends with an error
    ```console needs mpirun     the same, where there is such a command
    ```console not-run          only shown

In an output "..." stands for any text, and a line of nothing else for any number of lines.
"""
import dataclasses
import re

MARKS = ("any-order", "fails", "needs", "not-run")


@dataclasses.dataclass
class Block:
    line: int  # of the page, where the block begins
    words: list  # of its first line: language, then a file or marks
    lines: list


@dataclasses.dataclass
class Command:
    line: int
    text: str
    shown: list
    is_ordered: bool
    may_fail: bool


def blocks(text):
    """All blocks of a page. One that does not end is an error."""
    block = None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("```"):
            if block:
                block.lines.append(line)
        elif block:
            yield block
            block = None
        else:
            block = Block(number, line[3:].split(), [])
    if block:
        raise ValueError(f"the block of line {block.line} does not end")


def listings(text):
    """(block, file name) of the blocks of code."""
    for block in blocks(text):
        if block.words and block.words[0] in ("c", "cpp"):
            if len(block.words) != 2:
                raise ValueError(f"line {block.line}: name the file of the listing")
            yield block, block.words[1]


def commands(text, is_there):
    """The commands that this machine can run. `is_there` tells whether it has a program."""
    for block in blocks(text):
        if not block.words or block.words[0] != "console":
            continue
        marks = block.words[1:]
        needed = marks[marks.index("needs") + 1:] if "needs" in marks else []
        unknown = [mark for mark in marks if mark not in MARKS and mark not in needed]
        if unknown:
            raise ValueError(f"line {block.line}: unknown mark {unknown[0]}")
        if "not-run" in marks or not all(map(is_there, needed)):
            continue
        found = []
        for number, line in enumerate(block.lines, block.line + 1):
            if line.startswith("$ "):
                found.append(Command(number, line[2:], [], "any-order" not in marks, False))
            elif found:
                found[-1].shown.append(line)
            else:
                raise ValueError(f"line {number}: an output before any command")
        if "fails" in marks:
            found[-1].may_fail = True
        yield from found


def matches(command, printed):
    """Whether the lines that a command has printed are those of the page."""
    if not command.is_ordered:
        return all(matches_in_order([shown], [line]) for shown, line
                   in zip(sorted(command.shown), sorted(printed))) and \
            len(command.shown) == len(printed)
    return matches_in_order(command.shown, printed)


def matches_in_order(shown, printed):
    pattern = ""
    for line in shown:
        if line == "...":
            pattern += r"(?:[^\n]*\n)*"
        else:
            pattern += r"[^\n]*".join(map(re.escape, line.split("..."))) + r"\n"
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None
