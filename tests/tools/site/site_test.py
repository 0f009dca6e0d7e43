#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Breaks when the site cannot be made without a warning, when one of its links or pictures leads
nowhere, or when its search does not find the manual page of a routine.

Skipped (77) where the programs for this are missing.
usage: site_test.py links HTML COMMAND...    runs COMMAND, which makes the site in the folder HTML
       site_test.py search HTML              types names into its search, in Chromium
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from urllib.parse import unquote

SKIPPED = 77
PAGES_MIN = 250
# The first of the results for a name, which is a part, a whole name, or one of several of a page.
FOUND = {"put_signal": "man/man3/shmem_put_signal.html",
         "shmem_ctx_uint64_atomic_fetch_xor_nbi": "man/man3/shmem_atomic_fetch_and_nbi.html",
         "oshrun": "man/man1/oshrun.html"}


class Page(HTMLParser):
    """The targets and the links of a page."""

    def __init__(self, path):
        super().__init__()
        self.targets, self.links = {"", "top"}, []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.targets.add(value)
            elif name in ("href", "src") and not re.match(r"\w+:", value):
                self.links.append(unquote(value))


def broken_links(folder, pages):
    """Yields (page, link)."""
    for name, page in pages.items():
        for link in page.links:
            path, _, target = link.partition("#")
            path = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
            if not os.path.isfile(os.path.join(folder, path)) or (
                    path in pages and target not in pages[path].targets):
                yield name, link


def check_links(folder, command):
    if not command:
        print("skipped: no Sphinx, MyST or mandoc (Debian: apt-get install python3-myst-parser "
              "mandoc)")
        return SKIPPED
    shutil.rmtree(folder, ignore_errors=True)
    if subprocess.run(command, check=False).returncode:
        print("FAILED: the site cannot be made")
        return 1
    pages = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(parent, name)
                pages[os.path.relpath(path, folder)] = Page(path)
    broken = list(broken_links(folder, pages))
    for page, link in broken:
        print(f"FAILED: {page}: {link} leads nowhere")
    count = sum(len(page.links) for page in pages.values())
    print(f"{len(pages)} pages, {count} links, {len(broken)} broken")
    return 1 if broken or len(pages) < PAGES_MIN else 0


def results_of(browser, folder, words):
    """The addresses that the search shows. Chromium's clock runs ahead while it waits, and on a
    busy machine this time may be over before the script with the index is read."""
    for seconds in (10, 100, 1000, 10000):
        with tempfile.TemporaryDirectory() as profile:
            shown = subprocess.run(
                [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                 f"--user-data-dir={profile}", f"--virtual-time-budget={seconds}000",
                 f"file://{os.path.abspath(folder)}/search.html?q={words}"],
                capture_output=True, text=True, check=False).stdout
        results = re.findall(r'<li><a href="([^"]*)" data-score', shown)
        if results:
            break
    return results


def check_search(folder):
    browser = shutil.which("chromium")
    if browser is None:
        print("skipped: no Chromium (Debian: apt-get install chromium)")
        return SKIPPED
    if not os.path.exists(os.path.join(folder, "search.html")):
        print("skipped: there is no site, see site.links")
        return SKIPPED
    failures = 0
    for words, page in FOUND.items():
        results = results_of(browser, folder, words)
        print(f"{words}: {results[:3]}")
        if not results or results[0] != f"{page}#manual":
            failures += 1
            print(f"FAILED: the search for {words} does not begin with {page}")
    return 1 if failures else 0


def main():
    what, folder, *command = sys.argv[1:]
    return check_links(folder, command) if what == "links" else check_search(folder)


if __name__ == "__main__":
    sys.exit(main())
