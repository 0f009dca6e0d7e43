# SPDX-License-Identifier: BSD-3-Clause
"""Reads the public headers for the manual pages: docstrings, prototypes, type tables, constants.

Used by generate.py. It reads the headers as C11 sees them and understands the shapes that include/
has, described in Header.read(). Everything else stops it with the file's name, so that no routine
and no part of a docstring can get lost.
"""

import os
import re
from dataclasses import dataclass, field

# Conditions as C11 decides them, None for include guards and the like, which are entered.
CONDITIONS = (
    (r"ifdef __cplusplus|(el)?if defined\(__cplusplus\).*", False),
    (r"(el)?if (!defined\(__cplusplus\) && )?defined\(__STDC_VERSION__\).*", True),
    (r"if !defined\(__LP64__\)", False),
    (r"ifndef SHMEM_INTERNAL_\w+|ifndef SHMEMX_TEAM_OBJECTS", True),
)
# The parts of a contract, the last paragraph of a docstring.
CONTRACT = re.compile(r"(RETURNS when|ERRORS, THREADS|ERRORS and THREADS|ERRORS|THREADS): "
                      r"|OpenSHMEM 1\.6, (?=\d+(?:\.\d+)?, |Annex )")
# The headings in the comment at the top of a file that hold for all its routines.
FOR_ALL = re.compile(r"(RETURNS|ERRORS|THREADS), for all[^:]*: ")
ARGUMENT = re.compile(r"((?:[\w\[\]]+|\.\.\.)(?:, \w+)*)  +(\S.*)")


@dataclass
class Routine:
    """A prototype. Its name has TYPENAME or SIZE in it, and its types TYPE, if it has a table."""
    name: str
    result: str
    parameters: list
    table: str = None


@dataclass(eq=False)
class Entry:
    """A docstring with the routines that follow it."""
    header: "Header"
    section: list
    description: list = field(default_factory=list)
    arguments: list = field(default_factory=list)
    contract: dict = field(default_factory=dict)
    routines: list = field(default_factory=list)


def paragraphs(lines):
    """Joins lines to paragraphs; an empty line separates them."""
    text = "\n".join(lines)
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]


def split_by(pattern, text):
    """RETURNS (text before the first match, {matched text: text up to the next one})."""
    matches = list(pattern.finditer(text))
    if not matches:
        return text, {}
    ends = [match.start() for match in matches[1:]] + [len(text)]
    parts = {match[1] or "SPECIFICATION": text[match.end():end].strip()
             for match, end in zip(matches, ends)}
    return text[:matches[0].start()].strip(), parts


def parse_docstring(lines, entry):
    """Fills the entry: description, then arguments with two blanks behind their names, then the
    contract. Each is a block of its own."""
    blocks = [block.split("\n") for block in re.split(r"\n\s*\n", "\n".join(lines).strip("\n"))]
    for block in blocks:
        text = " ".join(" ".join(block).split())
        if CONTRACT.match(text):
            before, entry.contract = split_by(CONTRACT, text)
            continue
        if not ARGUMENT.match(block[0]):
            entry.description.append(text)
            continue
        for line in block:
            start = ARGUMENT.match(line)
            if start:
                entry.arguments.append([start[1].split(", "), start[2].strip()])
            else:
                entry.arguments[-1][1] += " " + line.strip()


def parse_prototype(text, table=None):
    text = re.sub(r"SHMEM_INTERNAL_NO(RETURN|THROW)|__extension__", "", text)
    match = re.fullmatch(r"\s*(.*?[\s*])(\w+)\s*\((.*)\)\s*", text)
    if not match:
        raise ValueError(f"not a prototype: {text}")
    result, name, inside = match.groups()
    parameters = []
    for parameter in [] if inside == "void" else inside.split(","):
        kind, parameter_name = re.fullmatch(r"\s*(.*?)\s*(\w+|\.\.\.)\s*", parameter).groups()
        parameters.append((kind.replace("*", " *").replace("  ", " "), parameter_name))
    result = " ".join(result.replace("*", " *").split())
    return Routine(name, result, parameters, table)


def pattern_prototypes(first, second, body, table):
    """The prototypes in the body of SHMEM_INTERNAL_DECLARE(first, second), with the words of the
    specification for what its table replaces."""
    word = "SIZE" if first == "BITS" else "TYPENAME"
    body = re.sub(rf"\s*##\s*{first}\b(\s*##\s*)?", word, body)
    body = re.sub(rf"\b{second}\b", "TYPE", body)
    return [parse_prototype(" ".join(part.split()), table) for part in body.split(";")
            if part.strip()]


class Header:
    """One header: its comment, entries, constants [(names, text)] and types [(name, code, text)],
    and the type-generic names that it defines."""

    def __init__(self, root, name, has_routines=True):
        self.name = name
        self.intro, self.common, self.for_all = "", [], {}
        self.entries, self.constants, self.types, self.generics = [], [], [], {}
        self._section, self._docstring = [], None
        with open(os.path.join(root, name), encoding="utf-8") as file:
            text = file.read()
        self._lines = re.sub(r"\\\n", " ", text).split("\n")
        try:
            lines = self._in_c11()
            self._read_comment(lines)
            if has_routines:
                self._read(lines)
        except (ValueError, IndexError) as error:
            raise SystemExit(f"{name}: {error}") from error

    def _read(self, lines):
        macro = None
        while lines:
            line = lines.pop(0)
            if line.startswith("// ----"):
                self._read_section(lines)
            elif line.startswith("/**"):
                self._read_docstring(line, lines)
            elif line.startswith("typedef"):
                self._read_type(line, lines)
            elif line.startswith("#define SHMEM_INTERNAL_DECLARE("):
                macro = re.fullmatch(r".*?DECLARE\((\w+), (\w+)\)(.*)", line).groups()
            elif "(SHMEM_INTERNAL_DECLARE)" in line:
                table = line.split("(")[0]
                self._add_routines(pattern_prototypes(*macro, table))
            elif line.startswith("#define"):
                self._read_define(line)
            elif not line.strip() or line.startswith(("//", "#include", "#undef", "__extension__")):
                continue
            else:
                while not line.rstrip().endswith(";"):
                    line += " " + lines.pop(0).strip()
                self._add_routines([parse_prototype(line.rstrip(" ;"))])

    def _in_c11(self):
        """The lines that a C11 compiler sees, comments included."""
        kept, stack = [], []
        for line in self._lines:
            directive = re.match(r"#(if\w*|elif|else|endif)\b.*", line)
            if directive is None:
                if all(seen for seen, _ in stack):
                    kept.append(line)
            elif directive[1] == "endif":
                stack.pop()
            elif directive[1] == "else":
                stack[-1] = (not stack[-1][1], True)
            else:
                value = next((value for pattern, value in CONDITIONS
                              if re.fullmatch(f"#({pattern})", line)), None)
                if value is None:
                    raise ValueError(f"a condition without a row in CONDITIONS: {line}")
                earlier = stack.pop()[1] if directive[1] == "elif" else False
                stack.append((value and not earlier, value or earlier))
        return kept

    def _read_comment(self, lines):
        """The comment at the top: an introduction, then the contract of all routines."""
        lines.pop(0)  # SPDX
        comment = []
        while lines and lines[0].startswith("//"):
            comment.append(lines.pop(0)[2:])
        for number, text in enumerate(paragraphs(comment)):
            text = re.sub(r"\s*Part of <shmem\.h>.*?\.(?= |$)", "", text).strip()
            before, parts = split_by(FOR_ALL, text)
            self.for_all.update(parts)
            if number == 0:
                self.intro = before
            elif before:
                self.common.append(before)

    def _read_section(self, lines):
        """A comment "---- Title ----" and its text about the routines behind it."""
        text = []
        while lines and lines[0].startswith("//"):
            text.append(lines.pop(0)[2:])
        self._section = paragraphs(text)

    def _read_docstring(self, line, lines):
        text = [re.sub(r"^/\*\*|\*/$", "", line.rstrip())]
        while not line.rstrip().endswith("*/"):
            line = lines.pop(0)
            text.append(re.sub(r"^ \* ?", "", re.sub(r"\*/$", "", line.rstrip())))
        self._docstring = text
        self._entry = None

    def _read_type(self, line, lines):
        """A typedef, with the docstrings that its members may have."""
        code = [line]
        while not (code[-1].endswith(";") and
                   sum(it.count("{") - it.count("}") for it in code) == 0):
            code.append(lines.pop(0))
        name = re.search(r"\(\*(\w+)\)|(\w+);$", code[-1])
        name = name[1] or name[2]
        if not name.startswith("shmem_internal"):
            self.types.append((name, code, " ".join(paragraphs(self._docstring))))

    def _read_define(self, line):
        name, is_function, value = re.match(r"#define (\w+)(\(.*?\))?\s*(.*)", line).groups()
        if name.startswith("SHMEM_INTERNAL_"):
            return
        if is_function:
            self.generics[name] = value
            return
        if self._docstring is None:
            raise ValueError(f"{name} has no docstring")
        text = " ".join(paragraphs(self._docstring))
        if self.constants and self.constants[-1][1] == text:
            self.constants[-1][0].append(name)
        else:
            self.constants.append(([name], text))

    def _add_routines(self, routines):
        if self._docstring is None:
            raise ValueError(f"{routines[0].name} has no docstring")
        if self._entry is None:
            self._entry = Entry(self, self._section)
            parse_docstring(self._docstring, self._entry)
            self.entries.append(self._entry)
        self._entry.routines += routines


def read_tables(root):
    """The type tables: {macro: [(TYPENAME or bits, TYPE or bytes)]}."""
    with open(os.path.join(root, "shmem/types.h"), encoding="utf-8") as file:
        text = re.sub(r"\\\n", " ", file.read())
    names = dict(reversed(match) for match in
                 re.findall(r"__extension__ typedef (.*?) (\w+);", text))
    tables = {}
    for macro, body in re.findall(r"#define (\w+)\(X\)(.*)", text):
        tables[macro] = []
        for word, inside in re.findall(r"(\w+)\(([^()]*)\)", body):
            if word == "X":
                name, kind = inside.split(", ")
                tables[macro].append((name, names.get(kind, kind)))
            else:
                tables[macro] += tables[word]
    return tables
