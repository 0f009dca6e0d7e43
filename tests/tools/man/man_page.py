# SPDX-License-Identifier: BSD-3-Clause
"""Reads a manual page as a person would: its sections, prototypes, type tables and lists.

Used by pages_test.py. It knows mdoc, and nothing of the generator: a prototype with TYPENAME or
SIZE in it stands for one with each row of the list that follows it.
"""

import os
import re

CELL = re.compile(r"(\w+) +(\w+(?: \w+)*)(?:  +|$)")


def normal(text):
    """A prototype with its blanks in standard places."""
    return re.sub(r"\s*\*\s*", " *", " ".join(text.split()))


class Page:
    def __init__(self, folder, name):
        """Reads folder/name, and the page it is a link to."""
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            self.text = file.read()
        self.name = name
        link = re.fullmatch(r"\.so (man\d/\S+)\n", self.text)
        if link:
            self.__init__(folder, link[1])
            return
        self.sections, current = {}, None
        for line in self.text.splitlines():
            heading = re.match(r"\.Sh (.*)", line)
            if heading:
                current = self.sections.setdefault(heading[1].strip('"'), [])
            elif current is not None:
                current.append(line)

    def names(self):
        return [line.split()[1] for line in self.sections["NAME"] if line.startswith(".Nm ")]

    def items(self, section):
        """The words of all list items."""
        return {word.strip(",").replace("\\&", "") for line in self.sections.get(section, [])
                if line.startswith(".It ") for word in line.split()[2:]} - {""}

    def prototypes(self):
        """RETURNS the C prototypes with all names and types written out, {name: prototype}; the
        type-generic ones with their TYPE, a list; and the TYPENAMEs of all tables."""
        plain, generic, typenames, waiting, is_generic = {}, [], set(), [], False
        lines = iter(self.sections["SYNOPSIS"])
        for line in lines:
            if line.startswith(".Em"):
                is_generic = "C11" in line
            elif line.startswith(".Ft "):
                prototype = self._prototype(line, lines)
                if is_generic:
                    generic.append(prototype)
                elif re.search("TYPE|SIZE", prototype):
                    waiting.append(prototype)
                else:
                    plain[re.search(r"(\w+)\(", prototype)[1]] = prototype
            elif line.startswith("where "):
                rows = self._rows(line, lines)
                if "TYPENAME" in line:
                    typenames.update(name for name, _ in rows)
                for name, kind in rows:
                    for prototype in waiting:
                        text = re.sub("TYPENAME|SIZE", name, prototype)
                        text = normal(re.sub(r"\bTYPE\b", kind, text))
                        symbol = re.search(r"(\w+)\(", text)[1]
                        assert symbol not in plain, f"{self.name}: {symbol} twice"
                        plain[symbol] = text
                waiting = []
        assert not waiting, f"{self.name}: no list of types for {waiting}"
        return plain, generic, typenames

    @staticmethod
    def _prototype(line, lines):
        result, name, parameters = line[4:].strip('"'), next(lines).split()[1], []
        for line in lines:
            if line.startswith(".Fc"):
                break
            parameters.append(line.removeprefix(".Fa ").strip('"'))
        return normal(f"{result} {name}({', '.join(parameters)})")

    @staticmethod
    def _rows(line, lines):
        if "SIZE" in line:
            return [(bits, "") for bits in re.findall(r"\d+", line)]
        cells = []
        for row in lines:
            if row.startswith(".Ed"):
                return cells
            if not row.startswith("."):
                cells += CELL.findall(row)
        raise AssertionError("a list of types does not end")
