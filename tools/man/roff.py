# SPDX-License-Identifier: BSD-3-Clause
"""Writes manual pages in mdoc: text, lists, prototypes.

Used by generate.py. A Writer makes one page; it knows which words are routines and constants, so
that prose of a docstring gets its typefaces and references without marks in it.
"""

import re

# Names of arguments that are no English words: these are set in italics wherever they stand.
ARGUMENT_WORDS = {
    "dest", "source", "nelems", "pe", "dst", "sst", "bsize", "nblocks", "nreduce", "npes", "ivar",
    "ivars", "cmp", "cond", "ctx", "ct", "ptr", "pSync", "pWrk",
}
WORD = re.compile(r"<\w+\.h>|\bshmemx?/(\w+)\.h|(?<![\w<])\w+")
TITLES = {"shmemx.h": "shmemx", "pshmem.h": "pshmem"}


def chapter_page(header):
    """The page, of section 7, that is about a header."""
    stem = header.removeprefix("shmem/").removesuffix(".h")
    return TITLES.get(header) or ("" if "/" in stem else "openshmem_") + stem.replace("/", "_")


def escape(text):
    """Text in which nothing is an instruction of roff."""
    text = text.replace("\\", r"\[rs]").replace("^", r"\[ha]").replace("~", r"\[ti]")
    # A minus, not a hyphen: before a number, and between blanks.
    return re.sub(r"(?<![\w)])-(?=[\s\d])", r"\\-", text)


def first_upper(text):
    """The text with a capital letter, unless it begins with a name."""
    first = re.match(r"\w*", text)[0]
    if "_" in first or first in ARGUMENT_WORDS:
        return text
    return text[:1].upper() + text[1:]


class Writer:
    """One page. `pages` has the page of every routine, `constants` all constants."""

    def __init__(self, own_names, pages, constants):
        self._own_names, self._pages, self._constants = own_names, pages, constants
        self._lines = []
        self.mentioned = []

    def text(self):
        return "\n".join(self._lines) + "\n"

    def macro(self, name, *arguments):
        """A macro line. Arguments of more than one word are quoted."""
        words = [f'"{it}"' if re.search(r"[\s()]", it) else it for it in map(escape, arguments)]
        self._lines.append(" ".join([f".{name}", *words]))

    def comment(self, text):
        self._lines.append(rf'.\" {text}')

    def macro_list(self, name, rows):
        """A macro line for each row, a list of words, with commas between the rows."""
        for number, words in enumerate(rows):
            comma = [","] if number + 1 < len(rows) else []
            self._lines.append(" ".join([f".{name}", *words, *comma]))

    def _word(self, match):
        word = match[0]
        if word.startswith("<"):
            return rf"\fI{word}\fP"
        if match[1]:
            return rf"\fB\%{chapter_page(word)}\fP(7)"
        if word in self._own_names or word in self._constants:
            return rf"\fB\%{word}\fP"
        if word in self._pages:
            self.mentioned.append(word)
            is_call = match.string[match.end():].startswith("(")
            return rf"\fB\%{word}\fP" + ("" if is_call else "(3)")
        if word in ARGUMENT_WORDS or re.fullmatch(r"(PE|logPE)_\w+|cmp_values?", word):
            return rf"\fI{word}\fP"
        return rf"\%{word}" if "_" in word else word

    def prose(self, text):
        """Text to be filled, each sentence on its own line as roff wants it."""
        for sentence in re.split(r"(?<=[.!?]) +(?=[A-Z_(])", text):
            line = WORD.sub(self._word, escape(sentence))
            self._lines.append(re.sub(r"^([.'])", r"\\&\1", line))

    def paragraphs(self, texts):
        for number, text in enumerate(texts):
            if number:
                self.macro("Pp")
            self.prose(text)

    def section(self, title, texts=()):
        self.macro("Sh", title)
        self.paragraphs(texts)

    def tagged(self, rows, macro):
        """A list of (names, text), the names set by `macro`."""
        width = max((len(", ".join(names)) for names, _ in rows), default=0)
        self.macro("Bl", "-tag", "-width", "M" * min(width + 1, 14))
        for names, text in rows:
            words = [rf"\&{it}" if it.startswith(".") else it for it in names]
            words = [f"{it} ," for it in words[:-1]] + words[-1:]
            self._lines.append(f".It {macro} " + " ".join(words))
            self.prose(text)
        self.macro("El")

    def literal(self, lines):
        self.macro("Bd", "-literal", "-offset", "indent")
        self._lines += [re.sub(r"^([.'])", r"\\&\1", escape(line)) for line in lines]
        self.macro("Ed")

    def prototype(self, routine):
        self.macro("Ft", routine.result)
        self.macro("Fo", routine.name)
        parameters = [kind + ("" if kind.endswith("*") else " ") + name
                      for kind, name in routine.parameters]
        for parameter in parameters or ["void"]:
            self.macro("Fa", parameter.strip())
        self.macro("Fc")

    def references(self, names):
        """The pages (name, section), in order, with commas between."""
        self.macro_list("Xr", sorted(set(names), key=lambda it: (it[1], it[0])))
