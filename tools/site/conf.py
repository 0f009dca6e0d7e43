# SPDX-License-Identifier: BSD-3-Clause
"""Sphinx reads this to make the site: the Markdown pages of the tree, and the manual pages.

CMakeLists.txt, beside this file, lays links to them into one folder and calls Sphinx with -W: a
broken link, or a page that no map names, ends the build. docs/README.md is the map, and the
navigation follows from its links, as it does from those of the READMEs that the map names. Sphinx
looks for words in scripts of the site, so the search also works for pages opened as files.
"""

import os
import posixpath
import re
import shutil
import subprocess

from docutils import nodes
from sphinx import addnodes
from sphinx.parsers import Parser

project = "Tessera"
copyright = "the Tessera authors"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown", ".1": "manual", ".3": "manual", ".7": "manual"}
root_doc = "docs/README"
highlight_language = "none"
myst_heading_anchors = 4
html_extra_path = ["index.html"]
html_copy_source = False
html_show_sphinx = False
html_theme = "alabaster"
html_theme_options = {"page_width": "72rem", "fixed_sidebar": True}
html_sidebars = {"**": ["about.html", "searchbox.html", "navigation.html"]}

LINK = re.compile(r"\]\(([^)#\s]+\.md)\)")


def read_entries(folder):
    """RETURNS {name.section: page}. Lays links into man/ to pages that are no link to another one:
    Sphinx compiles the patterns of what it excludes again for each page, minutes for thousands."""
    shutil.rmtree("man", ignore_errors=True)
    entries = {}
    for section in ("man1", "man3", "man7"):
        os.makedirs(f"man/{section}")
        for name in sorted(os.listdir(f"{folder}/{section}")):
            page = f"man/{section}/{name}"
            with open(f"{folder}/{section}/{name}", encoding="utf-8") as file:
                first = file.readline().split()
            if first[0] == ".so":
                page = f"man/{first[1]}"
            else:
                os.symlink(os.path.abspath(f"{folder}/{section}/{name}"), page)
            entries[name] = page
    return entries


ENTRIES = read_entries("../man")
exclude_patterns = ["docs/man"]


class ManualPage(Parser):
    """A manual page becomes HTML of mandoc, and all its names become entries of the index."""

    supported = ("manual",)

    def parse(self, inputstring, document):
        page = self.env.docname
        section = page[len("man/man")]
        names = [name[:-2] for name, owner in ENTRIES.items() if owner == f"{page}.{section}"]
        html = subprocess.run(["mandoc", "-T", "html", "-O", "fragment,man=%N.%S"], text=True,
                              input=inputstring, capture_output=True, check=True).stdout
        html = re.sub(r'<table class="(head|foot)">.*?</table>', "", html, flags=re.DOTALL)
        html = re.sub(r'<a class="permalink"[^>]*>(.*?)</a>', r"\1", html, flags=re.DOTALL)
        html = re.sub(r"(</?h)1", r"\g<1>2", html)
        html = re.sub(r'(?<=<a class="Xr" href=")[^"]+', self._address, html)
        title = posixpath.basename(page)
        self.env.metadata[page]["orphan"] = section == "3" or "_" in title
        index = [("single", name, "manual", "", None) for name in names]
        document += nodes.section("", nodes.title(text=title), addnodes.index(entries=index),
                                  nodes.raw("", html, format="html"), ids=["manual"])

    def _address(self, match):
        """The address of NAME.SECTION, from another manual page."""
        owner = ENTRIES.get(match[0])
        if owner is None:
            return f"https://manpages.debian.org/{match[0]}"
        return "../" + owner.removeprefix("man/")[:-2] + ".html"


def toctree(caption, pages):
    return "\n".join(["\n```{toctree}", ":hidden:", ":glob:", f":caption: {caption}", *pages,
                      "```\n"])


def add_navigation(app, page, source):
    """The groups of a map, and the pages that it names, become the navigation."""
    if not page.endswith("/README"):
        return
    for group in re.split("^##? ", source[0], flags=re.MULTILINE)[1:]:
        pages = [link for link in LINK.findall(group)
                 if page == root_doc or not link.startswith("..")]
        if pages:
            source[0] += toctree(group.split("\n")[0], pages)
    if page == root_doc:
        source[0] += toctree("Manual pages",
                             ["/man/man7/openshmem", "/man/man7/tessera", "/man/man1/*"])


def link_names(app, document):
    """`shmem_put` in a page links to its manual page."""
    here = posixpath.dirname(app.env.docname)
    for literal in list(document.findall(nodes.literal)):
        owner = ENTRIES.get(f"{literal.astext()}.3") or ENTRIES.get(f"{literal.astext()}.1")
        if owner and not isinstance(literal.parent, nodes.reference):
            address = posixpath.relpath(owner[:-2] + ".html", here)
            literal.replace_self(nodes.reference("", "", literal.deepcopy(), refuri=address))


def setup(app):
    app.add_source_parser(ManualPage)
    app.connect("source-read", add_navigation)
    app.connect("doctree-read", link_names)
