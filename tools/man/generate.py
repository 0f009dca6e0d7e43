#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the manual pages of the library from the docstrings of its headers.

    generate.py --include include --docs docs --version 1.0.0 --output DIR

writes DIR/man3: one page for each docstring, and a link (.so) to it for every name that it is
about, so that `man shmem_int_put` works; and DIR/man7: one page for each header, openshmem with all
routines, and tessera with the environment variables of docs/run/environment.md. Files that are no
longer made are removed. The pages have the date of packaging/deb/changelog.in, beside the folder
docs. tools/man/CMakeLists.txt calls it; it needs Python's own library only.
"""

import argparse
import email.utils
import os
import re

from pages import Manual
from roff import Writer


def date_of_release(docs):
    path = os.path.join(docs, "../packaging/deb/changelog.in")
    with open(path, encoding="utf-8") as file:
        signature = re.search(r"^ -- .*>  (.*)$", file.read(), re.MULTILINE)
    date = email.utils.parsedate_to_datetime(signature.group(1))
    return f"{date:%B} {date.day}, {date.year}"


def markdown_section(writer, lines):
    """The Markdown that environment.md uses: paragraphs, lists, and names in backquotes."""
    blocks = re.split(r"\n\n+|\n(?=- )", "\n".join(lines).strip())
    in_list = False
    for block in blocks:
        text = " ".join(block.split()).replace("`", "")
        is_item = text.startswith("- ")
        if is_item and not in_list:
            writer.macro("Bl", "-dash", "-compact")
        elif in_list and not is_item:
            writer.macro("El")
        if is_item:
            writer.macro("It")
        elif block is not blocks[0]:
            writer.macro("Pp")
        in_list = is_item
        writer.prose(text.removeprefix("- "))
    if in_list:
        writer.macro("El")


def environment_roff(markdown, manual):
    """The list of variables, and the common sections, from docs/run/environment.md."""
    title, *sections = re.split(r"^## ", markdown, flags=re.MULTILINE)
    variables = re.findall(r"^`(\w+)`$", "\n".join(sections), re.MULTILINE)
    writer = Writer(set(), manual.pages, set(variables))
    markdown_section(writer, title.split("\n")[2:])
    variable_list = [section for section in sections if section.startswith("`")]
    writer.macro("Bl", "-tag", "-width", "Ds")
    for section in variable_list:
        name, *lines = section.split("\n")
        writer.macro("It", "Ev", name.strip("`"))
        markdown_section(writer, lines)
    writer.macro("El")
    for section in sections:
        if section not in variable_list:
            heading, *lines = section.split("\n")
            writer.macro("Ss", heading)
            markdown_section(writer, lines)
    return writer.text()


def tessera_page(docs, manual):
    with open(os.path.join(docs, "run/environment.md"), encoding="utf-8") as file:
        environment = environment_roff(file.read(), manual)
    with open(os.path.join(docs, "man/tessera.7.in"), encoding="utf-8") as file:
        page = file.read()
    for mark, text in (("ENVIRONMENT", environment.rstrip("\n")), ("DATE", manual.date),
                       ("VERSION", manual.version)):
        page = page.replace(f"@{mark}@", text)
    return page


def write_files(output, files):
    """Makes the folder hold these files {path: text} and no others."""
    for folder in sorted({os.path.dirname(path) for path in files}):
        os.makedirs(os.path.join(output, folder), exist_ok=True)
        for name in os.listdir(os.path.join(output, folder)):
            if os.path.join(folder, name) not in files:
                os.remove(os.path.join(output, folder, name))
    for path, text in files.items():
        path = os.path.join(output, path)
        if os.path.exists(path):
            # Writing over thousands of files is slow, and most pages stay as they are.
            with open(path, encoding="utf-8") as file:
                if file.read() == text:
                    continue
            os.remove(path)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for option in ("include", "docs", "version", "output"):
        parser.add_argument(f"--{option}", required=True)
    options = parser.parse_args()
    manual = Manual(options.include, options.version, date_of_release(options.docs))
    files = manual.files()
    files["man7/tessera.7"] = tessera_page(options.docs, manual)
    write_files(options.output, files)


if __name__ == "__main__":
    main()
