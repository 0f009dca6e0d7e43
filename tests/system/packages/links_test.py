#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a link of an installed page that leads to no installed file.

Usage: links_test.py PREFIX
"""
import glob
import os
import re
import sys

LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)]*)?\)")


def broken_links(folder):
    """Yields (page, link) of the pages in `folder`."""
    for page in sorted(glob.glob(f"{folder}/**/*.md", recursive=True)):
        with open(page, encoding="utf-8") as file:
            links = LINK.findall(file.read())
        for link in links:
            if "://" not in link and not os.path.exists(os.path.join(os.path.dirname(page), link)):
                yield os.path.relpath(page, folder), link


def main():
    pages = os.path.join(sys.argv[1], "share", "doc")
    broken = list(broken_links(pages))
    for page, link in broken:
        print(f"{page}: {link} is not installed")
    count = len(glob.glob(f"{pages}/**/*.md", recursive=True))
    print(f"{count} pages, {len(broken)} broken links")
    sys.exit(1 if broken or count < 20 else 0)


if __name__ == "__main__":
    main()
