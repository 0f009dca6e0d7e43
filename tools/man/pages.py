# SPDX-License-Identifier: BSD-3-Clause
"""Turns the results of reader.py into manual pages: one for each docstring, one for each header.

Used by generate.py. A page is named after the first of its names that the docstring cites from the
specification. Text that a docstring leaves to the top of its file, or to another routine ("same
arguments"), is repeated here, so that every page stands for itself. A deprecated routine whose name
another page already has is described on that page.
"""

import os
import re
from dataclasses import replace

from reader import Header, Routine, read_tables
from roff import Writer, chapter_page, first_upper

COLUMNS = 2  # of a type table
ALSO = re.compile(r"see the top of this file(; also (?P<also>.*))?", re.IGNORECASE)


def generic_of(routine, generics):
    """RETURNS the type-generic form of a routine, or None."""
    base = re.sub(r"^(shmemx?_)(ctx_)?(TYPENAME_)?", r"\1", routine.name)
    is_special = "TYPENAME" in routine.name or "_ctx_" in routine.name
    if base in generics and is_special:
        return replace(routine, name=base, table=None)
    base = routine.name.replace("_team_", "_")
    if base != routine.name and "TEAM_OR_FUNCTION" in generics.get(base, ""):
        return replace(routine, name=base)
    return None


def parts_of(include, header):
    """The parts of a header that declare routines, in their order."""
    folder = header.removesuffix(".h")
    with open(os.path.join(include, header), encoding="utf-8") as file:
        return re.findall(rf'#include "({folder}/(?!tables_end|generic|inline)\w+\.h)"',
                          file.read())


def is_of_extensions(header):
    return header.name.startswith("shmemx")


def unique(items):
    return list(dict.fromkeys(items))


class Page:
    """A page of section 3: its entry, and entries of deprecated forms with the same names."""

    def __init__(self, entry, names):
        self.entry, self.names, self.deprecated = entry, names, []
        self.name = names[0]

    def entries(self):
        return [self.entry, *self.deprecated]


class Manual:
    def __init__(self, include, version, date):
        self.version, self.date = version, date
        self._tables = read_tables(include)
        parts = [*parts_of(include, "shmem.h"), "shmemx.h", *parts_of(include, "shmemx.h")]
        self._headers = [Header(include, part) for part in parts]
        self._comments = [Header(include, "shmem/generic.h", has_routines=False),
                          Header(include, "pshmem.h", has_routines=False)]
        self._generics = Header(include, "shmem/generic_c11.h").generics
        for header in self._headers:
            if is_of_extensions(header):
                self._generics.update(header.generics)
        self._constants = {name: header for header in self._headers
                           for names, _ in header.constants for name in names}
        self.pages = {}
        self._make_pages()

    def _make_pages(self):
        for entry in [entry for header in self._headers for entry in header.entries]:
            names = self._names_of(entry)
            owner = self.pages.get(names[0])
            if owner is None:
                owner = Page(entry, names)
            elif set(names) <= set(owner.names):
                owner.deprecated.append(entry)
            else:
                raise SystemExit(f"{entry.header.name}: {names} is on page {owner.name} in part")
            for name in names + self._symbols_of(entry):
                if self.pages.setdefault(name, owner) is not owner:
                    raise SystemExit(f"{name} is on the pages {self.pages[name].name} and "
                                     f"{owner.name}")

    def _generic_routines(self, entry):
        forms = (generic_of(routine, self._generics) for routine in entry.routines)
        return [form for form in forms if form]

    def _symbols(self, routine):
        if routine.table is None:
            return [routine.name]
        return [re.sub("TYPENAME|SIZE", word, routine.name)
                for word, _ in self._tables[routine.table]]

    def _symbols_of(self, entry):
        return [symbol for routine in entry.routines for symbol in self._symbols(routine)]

    def _names_of(self, entry):
        """The names in the title of the page. The specification's names come first."""
        generic = [form.name for form in self._generic_routines(entry)]
        plain = [it.name for it in entry.routines if it.table is None and "_ctx_" not in it.name]
        if not plain:
            plain = [it.name for it in entry.routines if it.table is None]
        sized = [] if generic else [symbol for it in entry.routines if "SIZE" in it.name
                                    for symbol in self._symbols(it)]
        typed = [it.name.replace("TYPENAME_", "") for it in entry.routines if "TYPENAME" in it.name
                 and not generic]
        names = unique(generic + plain + typed + sized)
        cited = re.findall(r"\w+", entry.contract.get("SPECIFICATION", ""))
        return [it for it in cited if it in names] + [it for it in names if it not in cited]

    def _writer(self, names):
        return Writer(set(names), self.pages, self._constants)

    def _begin(self, writer, name, section, names, about):
        writer.comment("Made by tools/man/generate.py from the headers; do not edit.")
        writer.macro_list("Dd", [[self.date]])
        writer.macro("Dt", name.upper(), section)
        writer.macro("Os", "Tessera", self.version)
        writer.macro("Sh", "NAME")
        writer.macro_list("Nm", [[it] for it in names])
        writer.macro("Nd", about)

    def files(self):
        """All pages and links: {path: text}, but for tessera(7)."""
        files = {}
        for name, page in self.pages.items():
            files[f"man3/{name}.3"] = f".so man3/{page.name}.3\n"
        for header in self._headers:
            names = [name for names, _ in header.constants for name in names]
            for name in names + [name for name, _, _ in header.types]:
                files[f"man3/{name}.3"] = f".so man7/{chapter_page(header.name)}.7\n"
        for page in unique(self.pages.values()):
            files[f"man3/{page.name}.3"] = self._routine_page(page)
        for header in self._headers + self._comments:
            files[f"man7/{chapter_page(header.name)}.7"] = self._chapter(header)
        files["man7/openshmem.7"] = self._overview()
        return files

    # ---- A page of routines -------------------------------------------------------------------

    def _routine_page(self, page):
        entry = page.entry
        writer = self._writer(page.names)
        self._begin(writer, page.name, "3", page.names, self._summary(entry))
        self._synopsis(writer, page)
        writer.section("DESCRIPTION", entry.description)
        self._arguments(writer, entry, "ARGUMENTS")
        self._contract(writer, entry)
        group = f"all routines of {chapter_page(entry.header.name)}(7)"
        notes = [re.sub(r"(?i)all routines here", group, it)
                 for it in entry.section + entry.header.common]
        if notes:
            writer.section("NOTES", notes)
        for number, deprecated in enumerate(page.deprecated):
            if number == 0:
                writer.macro("Sh", "DEPRECATED FORMS")
            self._deprecated(writer, deprecated)
        self._end(writer, page)
        return writer.text()

    @staticmethod
    def _summary(entry):
        """The first sentence, up to a colon, for the title."""
        text = re.split(r"[.:] |[.:]$", entry.description[0])[0]
        return text if "_" in text.split()[0] else text[0].lower() + text[1:]

    def _synopsis(self, writer, page):
        writer.macro("Sh", "SYNOPSIS")
        writer.macro("In", "shmemx.h" if is_of_extensions(page.entry.header) else "shmem.h")
        generic = [form for entry in page.entries() for form in self._generic_routines(entry)]
        shown = {}
        for form in generic:
            shown.setdefault(f"{form.name} {form.parameters}", form)
        if shown:
            writer.macro("Pp")
            writer.macro("Em", "C11 and C++, for each TYPE below:" if "TYPE" in str(shown)
                         else "C11 and C++:")
            for form in shown.values():
                writer.prototype(form)
        for number, entry in enumerate(page.entries()):
            if number < 2 and (generic or number):
                writer.macro("Pp")
                writer.macro("Em", "Deprecated:" if number else "C:")
            tables = unique(it.table for it in entry.routines)
            for table in tables:
                for routine in entry.routines:
                    if routine.table == table:
                        writer.prototype(routine)
                if table:
                    self._table(writer, table)

    def _table(self, writer, table):
        rows = self._tables[table]
        writer.macro("Pp")
        if table.endswith("_SIZES"):
            writer.prose(f"where SIZE is one of {', '.join(bits for bits, _ in rows)}.")
            return
        writer.prose("where TYPENAME and TYPE are")
        rows = [f"{name:<10} {kind:<20}" for name, kind in rows]
        height = -(-len(rows) // COLUMNS)
        writer.literal("  ".join(rows[line::height]).rstrip() for line in range(height))

    def _arguments_of(self, entry):
        """The docstring's arguments, and those it leaves to the routines that it names."""
        rows = [(list(names), text) for names, text in entry.arguments]
        needed = unique(name for routine in entry.routines for _, name in routine.parameters)
        known = {name for names, _ in rows for name in names}
        others = re.findall(r"\w+", " ".join(entry.description))
        for other in unique(self.pages[it].entry for it in others if it in self.pages):
            for names, text in other.arguments:
                names = [it for it in names if it in needed and it not in known]
                if names and other is not entry:
                    rows.append((names, text))
                    known.update(names)
        missing = [name for name in needed if name not in known]
        extra = [name for name in known if name not in needed]
        if missing or extra:
            raise SystemExit(f"{entry.header.name}: {self._names_of(entry)[0]}: the docstring "
                             f"lacks arguments {missing}, or has others: {extra}")
        if len(rows) > len(entry.arguments):
            rows.sort(key=lambda row: needed.index(row[0][0]))
        return rows

    def _arguments(self, writer, entry, title=None):
        rows = self._arguments_of(entry)
        if rows and title:
            writer.macro("Sh", title)
        if rows:
            writer.tagged([(names, first_upper(text)) for names, text in rows], "Fa")

    def _contract(self, writer, entry):
        writer.section("RETURN VALUES", [self._returns(entry)])
        for title in ("ERRORS", "THREADS"):
            writer.section(title, [self._clause(entry, title)])

    @staticmethod
    def _returns(entry):
        text = entry.contract.get("RETURNS when")
        if text is None:
            raise SystemExit(f"{entry.header.name}: {entry.routines[0].name}: no RETURNS when")
        if text.startswith("at once"):
            text = "Returns " + text
        elif text.startswith("never"):
            text = "Does not return."
        elif re.match(r"[\w, ]+: ", text) or text.startswith("as "):
            text = "Returns when: " + text
        else:
            text = "Returns when " + text
        value = entry.header.for_all.get("RETURNS")
        if value and "; 0" not in text and any(it.result != "void" for it in entry.routines):
            text += f" The value is {value}"
        return text

    @staticmethod
    def _clause(entry, title):
        """ERRORS or THREADS of an entry, with the text at the top of its file."""
        contract, for_all = entry.contract, entry.header.for_all.get(title)
        text = next((contract[key] for key in (title, "ERRORS, THREADS", "ERRORS and THREADS")
                     if key in contract), for_all)
        if text is None:
            raise SystemExit(f"{entry.header.name}: {entry.routines[0].name}: no {title}")
        also = ALSO.match(text)
        if also:
            text = for_all
            if title == "ERRORS" and also["also"]:
                text += " Also an error: " + also["also"]
        return first_upper(text)

    def _deprecated(self, writer, entry):
        writer.macro("Ss", self._symbols_of(entry)[0] + (" and so on" if len(entry.routines) > 1
                                                         else ""))
        writer.paragraphs(entry.description)
        if entry.arguments or "argument" in " ".join(entry.description):
            self._arguments(writer, entry)
        writer.macro("Pp")
        writer.prose(self._returns(entry) + " Errors: " + self._clause(entry, "ERRORS"))

    def _end(self, writer, page):
        related = {(self.pages[it].name, "3") for it in writer.mentioned}
        twin = page.name.removesuffix("_nbi") if page.name.endswith("_nbi") else page.name + "_nbi"
        if twin in self.pages:
            related.add((self.pages[twin].name, "3"))
        related -= {(page.name, "3")}
        related |= {(chapter_page(page.entry.header.name), "7"), ("openshmem", "7")}
        writer.macro("Sh", "SEE ALSO")
        writer.references(related)
        writer.macro("Sh", "STANDARDS")
        cited = page.entry.contract.get("SPECIFICATION")
        if cited is None:
            writer.prose("An extension, no part of OpenSHMEM 1.6.")
            return
        section = re.sub(r"^(\d[\d.]*), (.*)\.$", r"section \1 (\2).", cited)
        writer.paragraphs([f"OpenSHMEM 1.6, {section}".replace("_", r"_")])

    # ---- Pages of section 7 -------------------------------------------------------------------

    @staticmethod
    def _title(header):
        return re.split(r" \(OpenSHMEM|\.$|\. ", header.intro)[0]

    def _routine_list(self, writer, header):
        writer.macro("Bl", "-tag", "-width", "Ds")
        for entry in header.entries:
            first, *others = self._names_of(entry)
            writer.macro("It", "Xr", first, "3",
                         *(word for name in others for word in (",", "Xr", name, "3")))
            writer.prose(first_upper(self._summary(entry)) + ".")
        writer.macro("El")

    def _chapter(self, header):
        name = chapter_page(header.name)
        title = self._title(header)
        writer = self._writer([])
        self._begin(writer, name, "7", [name], title[0].lower() + title[1:])
        writer.macro("Sh", "SYNOPSIS")
        writer.macro("In", "shmemx.h" if is_of_extensions(header) else
                     header.name if "/" not in header.name else "shmem.h")
        writer.section("DESCRIPTION", [header.intro, *header.common])
        for key in ("ERRORS", "THREADS"):
            if key in header.for_all:
                writer.macro("Ss", key.capitalize())
                writer.prose(first_upper(header.for_all[key]))
        if header.types:
            writer.macro("Sh", "TYPES")
        for number, (_, code, text) in enumerate(header.types):
            if number:
                writer.macro("Pp")
            writer.prose(text)
            writer.literal(code)
        if header.constants:
            writer.macro("Sh", "CONSTANTS")
            writer.tagged(header.constants, "Dv")
        if header.entries:
            writer.macro("Sh", "ROUTINES")
            self._routine_list(writer, header)
        writer.macro("Sh", "SEE ALSO")
        mentioned = {(self.pages[it].name, "3") for it in writer.mentioned if it in self.pages}
        writer.references(mentioned | {("openshmem", "7"), ("tessera", "7")})
        return writer.text()

    def _overview(self):
        """openshmem(7): all routines, by header."""
        writer = self._writer([])
        self._begin(writer, "openshmem", "7", ["openshmem"],
                    "the routines of OpenSHMEM 1.6 and the extensions of Tessera")
        writer.section("DESCRIPTION", [
            "Each group of routines has a page of its own, named behind its title, with the types, "
            "the constants and the rules that its routines share. A routine with TYPENAME or SIZE "
            "in its name has a page under each full name, shmem_int_put as well as shmem_put. "
            "For how to compile and run a program, see tessera(7)."])
        chapters = []
        for header in self._headers + self._comments:
            chapters.append((chapter_page(header.name), "7"))
            writer.macro("Ss", self._title(header) + f" - {chapter_page(header.name)}(7)")
            if header.entries:
                self._routine_list(writer, header)
            else:
                writer.prose(header.intro)
        writer.macro("Sh", "SEE ALSO")
        writer.references(chapters + [("tessera", "7")])
        return writer.text()
