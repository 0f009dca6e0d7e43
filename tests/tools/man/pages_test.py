#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Breaks when a routine, a type-generic name or a constant has no manual page, when a page shows
another prototype than the specification, when a page lacks a section or an argument, or when the
generator passes over a docstring that is not complete.

The pages are compared with the lists of tests/behaviour/headers, which do not come from the
headers.
usage: pages_test.py PAGES SOURCES    the folder with man3 and man7; the root of the sources
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from man_page import Page, normal

PAGES, SOURCES = (os.path.abspath(path) for path in sys.argv[1:3])
sys.path.insert(0, os.path.join(SOURCES, "tests/behaviour/headers"))
import declarations  # noqa: E402: the path is an argument
REQUIRED = ["NAME", "SYNOPSIS", "DESCRIPTION", "ARGUMENTS", "RETURN VALUES", "ERRORS", "THREADS",
            "NOTES", "DEPRECATED FORMS", "SEE ALSO", "STANDARDS"]
OPTIONAL = {"ARGUMENTS", "NOTES", "DEPRECATED FORMS"}


def read_table(name):
    with open(os.path.join(SOURCES, "tests/behaviour/headers", name), encoding="utf-8") as lines:
        return [line.rstrip("\n").split("\t") for line in lines if not line.startswith("#")]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


ROUTINES = {row[0]: normal(row[2]) for name in ("symbols.txt", "extensions.txt")
            for row in read_table(name)}


def extensions():
    """The routines that <shmemx.h> declares; only those of other libraries are in a list."""
    include = os.path.join(SOURCES, "include")
    text = subprocess.run(["cc", "-std=c99", "-I", include, "-E", "-x", "c", "-"], check=True,
                          text=True, input="#include <shmemx.h>\n", stdout=subprocess.PIPE).stdout
    return [name for header, kind, name in declarations.declared(text, include)[0]
            if kind == "function" and declarations.is_of_extensions(header)]


def page_of(name, section=3):
    return Page(PAGES, f"man{section}/{name}.{section}")


def routine_pages():
    """The pages of section 3 that are no links."""
    names = os.listdir(os.path.join(PAGES, "man3"))
    return [Page(PAGES, f"man3/{name}") for name in names
            if not read(os.path.join(PAGES, "man3", name)).startswith(".so")]


class PagesTest(unittest.TestCase):
    def test_every_routine_has_a_page_with_its_prototype(self):
        self.assertEqual(len(ROUTINES), 1788 + len(read_table("extensions.txt")))
        cache = {}
        for name, prototype in ROUTINES.items():
            page = page_of(name)
            shown = cache.setdefault(page.name, page.prototypes()[0])
            self.assertEqual(shown.get(name), prototype)

    def test_pages_show_no_other_routines(self):
        shown = [name for page in routine_pages() for name in page.prototypes()[0]]
        self.assertEqual(sorted(shown), sorted({*ROUTINES, *extensions()}))

    def test_type_generic_forms(self):
        for name, form, typenames in read_table("generics.txt"):
            page = page_of(name)
            plain, generic, listed = page.prototypes()
            self.assertIn(name, page.names())
            own = [it for it in generic if re.search(rf"\b{name}\(", it)]
            with_context = [it for it in own if "(shmem_ctx_t ctx" in it]
            with_team = [it for it in own if "(shmem_team_t team" in it]
            count = {"ctx": (2, 1, 0), "ctx-only": (1, 1, 0), "team": (1, 0, 1),
                     "team-only": (1, 0, 1), "-": (1, 0, 0)}[form]
            self.assertEqual((len(own), len(with_context), len(with_team)), count, (name, own))
            self.assertLessEqual(set(typenames.split()) - {"-"}, listed, name)
            for prototype in own:
                self._check_generic(name, prototype, plain)

    def _check_generic(self, name, prototype, plain):
        """The prototype must be a routine's, without the parts that the type decides."""
        middle = "ctx_" if "shmem_ctx_t" in prototype else ""
        typed = name.replace("shmem_", f"shmem_{middle}TYPENAME_")
        candidates = [re.sub("TYPENAME", kind, typed) for kind in ("int", "uint", "short")]
        # Without a TYPE: the routine of a team, else that of a context.
        candidates += [name.replace("shmem_", "shmem_team_"), typed.replace("TYPENAME_", "")]
        routine = next(it for it in candidates if it in plain)
        kind = re.search(r"_(u?int|short)_", routine)
        text = prototype
        if kind:
            words = {"int": "int", "uint": "unsigned int", "short": "short"}
            text = re.sub(r"\bTYPE\b", words[kind[1]], prototype)
        self.assertEqual(re.sub(rf"\b{name}\(", f"{routine}(", text), plain[routine])

    def test_every_section_is_there_and_says_something(self):
        pages = routine_pages()
        self.assertGreater(len(pages), 90)
        for page in pages:
            self.assertEqual(list(page.sections), [it for it in REQUIRED if it in page.sections])
            self.assertLessEqual(set(REQUIRED) - OPTIONAL, set(page.sections), page.name)
            for title, lines in page.sections.items():
                self.assertTrue(re.search(r"\w{2}", " ".join(lines)), f"{page.name}: {title}")
            self.assertNotRegex(page.text, r"top of this file|SHMEM_INTERNAL|shmem_internal")

    def test_every_argument_is_described(self):
        for page in routine_pages():
            parameters = set()
            for prototype in page.prototypes()[0].values():
                inside = prototype[prototype.index("(") + 1:-1]
                parameters.update(re.split(r"[ *]", it)[-1] for it in inside.split(", "))
            described = page.items("ARGUMENTS") | page.items("DEPRECATED FORMS")
            self.assertEqual(described, parameters - {"void"}, page.name)

    def test_links_and_references_lead_somewhere(self):
        for folder in ("man3", "man7"):
            for name in os.listdir(os.path.join(PAGES, folder)):
                text = read(os.path.join(PAGES, folder, name))
                for section, target in re.findall(r"^\.so man(\d)/(\S+)$", text, re.MULTILINE):
                    self.assertFalse(read(os.path.join(PAGES, f"man{section}/{target}"))
                                     .startswith(".so"), f"{name} is a link to a link")
                targets = re.findall(r"\bXr (\w+) ([37])\b", text)
                targets += re.findall(r"\\fB\\%(\w+)\\fP\(([37])\)", text)
                for target, section in targets:
                    self.assertTrue(os.path.exists(
                        os.path.join(PAGES, f"man{section}", f"{target}.{section}")),
                        f"{name} names {target}({section})")

    def test_constants_and_types(self):
        for row in read_table("constants.txt"):
            page = page_of(row[0])
            self.assertIn(row[0], page.items("CONSTANTS"))
        for name in ("shmem_team_t", "shmem_ctx_t", "shmem_team_config_t", "shmemx_pcntr_t"):
            self.assertIn(name + ";", "\n".join(page_of(name).sections["TYPES"]))

    def test_overview_names_all_pages(self):
        text = page_of("openshmem", 7).text
        for page in routine_pages():
            for name in page.names():
                self.assertRegex(text, rf"Xr {name} 3\b")

    def test_tessera_has_all_environment_variables(self):
        text = page_of("tessera", 7).text
        markdown = read(os.path.join(SOURCES, "docs/run/environment.md"))
        variables = re.findall(r"^## `(\w+)`", markdown, re.MULTILINE)
        self.assertGreater(len(variables), 5)
        for name in variables:
            self.assertIn(f"\n.It Ev {name}\n", text)
        self.assertNotRegex(text, r"@\w+@|`")


class GeneratorTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.include = os.path.join(self._folder.name, "include")
        self.output = os.path.join(self._folder.name, "man")
        shutil.copytree(os.path.join(SOURCES, "include"), self.include)

    def tearDown(self):
        self._folder.cleanup()

    def change(self, header, old, new):
        path = os.path.join(self.include, header)
        text = read(path)
        self.assertIn(old, text)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new, 1))

    def generate(self):
        return subprocess.run(
            [sys.executable, "-B", os.path.join(SOURCES, "tools/man/generate.py"), "--include",
             self.include, "--docs", os.path.join(SOURCES, "docs"), "--version", "0",
             "--output", self.output], capture_output=True, text=True, check=False)

    def test_pages_follow_the_headers(self):
        self.assertEqual(self.generate().returncode, 0)
        path = os.path.join(self.output, "man3/shmem_int128_put.3")
        self.assertFalse(os.path.exists(path))
        self.change("shmem/types.h", "X(size, size_t)", "X(int128, __int128) X(size, size_t)")
        done = self.generate()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(read(path), ".so man3/shmem_put.3\n")
        shutil.copy(os.path.join(SOURCES, "include/shmem/types.h"),
                    os.path.join(self.include, "shmem/types.h"))
        self.assertEqual(self.generate().returncode, 0)
        self.assertFalse(os.path.exists(path), "a page that is no longer made stays")

    def expect_refusal(self, header, old, new, message):
        self.change(header, old, new)
        done = self.generate()
        self.assertNotEqual(done.returncode, 0, message)
        self.assertIn(message, done.stderr)

    def test_refuses_an_argument_without_words(self):
        self.expect_refusal("shmem/rma.h", " * pe         target.\n", "", "lacks arguments ['pe']")

    def test_refuses_words_about_another_argument(self):
        self.expect_refusal("shmem/rma.h", " * pe         target.", " * rank       target.",
                            "has others: ['rank']")

    def test_refuses_a_routine_without_a_docstring(self):
        self.expect_refusal("shmem/profiling.h", "/**", "/*", "no docstring")

    def test_refuses_a_docstring_that_does_not_say_when_it_returns(self):
        self.expect_refusal("shmem/profiling.h", "RETURNS when: at once; local. ", "",
                            "no RETURNS when")

    def test_refuses_a_condition_it_does_not_know(self):
        self.expect_refusal("shmem/locks.h", "#include", "#if __STDC__ > 3\n#endif\n#include",
                            "a condition")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
