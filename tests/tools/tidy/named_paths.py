# SPDX-License-Identifier: BSD-3-Clause
"""Rules about the files and folders that documents, READMEs and comments name. Each yields (path,
line, message)."""
import os
import re

from source_tree import C_FAMILY, LITERALS

CODE_SPAN = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"(?:[\w.-]+/)+[\w.*{},-]*[\w*}]+")
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
DOCUMENTED_FOLDERS = ("src", "transports", "collectives", "include", "tests", "tools", "examples",
                      "bench", "docs", "cmake")
# A file's name in prose: with an ending that only files have.
ENDINGS = r"\.(?:cpp|hpp|c|h|py|sh|md)"
FILE = re.compile(r"(?<![\w./<>*{}\"$-])(?:[\w.-]+/)*[\w-]+" + ENDINGS + r"(?![\w/*{(]|\.\w)")
SCRIPT_COMMENT = re.compile(r"(?m)(?:^|(?<=\s))#[ \t][^\n]*")
# READMEs that are the map of a folder: they name what lies in it.
MAPS = ("collectives/", "tests/", "transports/")


def code_spans(text):
    """(line, text) of what is set as code: spans, and the words of indented or fenced blocks."""
    in_block = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            in_block = not in_block
        elif in_block:
            for word in line.split():
                yield number, word.strip(",;")
        else:
            for span in CODE_SPAN.findall(line):
                yield number, span


def _exists(tree, path):
    """`path` may hold * and {a,b}, end in a slash, or be a program's name without .c."""
    pattern = re.escape(path.rstrip("/")).replace(r"\*", "[^/]*")
    pattern = re.sub(r"\\{(.*?)\\}", lambda m: "(?:" + m.group(1).replace(",", "|") + ")", pattern)
    return any(re.match(pattern + r"(?:/|$|\.c(?:pp)?$)", name) for name in tree.files)


def named_paths(tree):
    yield from _in_documents(tree)
    yield from _in_comments(tree)
    yield from _in_maps(tree)
    yield from _in_map_of_documents(tree)


def _in_documents(tree):
    """Paths that READMEs and docs/ name must exist; files in READMEs also without their folder."""
    documents = tree.named("README.md") + tree.named(".md", under="docs/")
    known = _known_names(tree)
    for name in sorted(set(documents)):
        for line, span in code_spans(tree.text(name)):
            path = PATH.match(span)
            if path is None or span.split("/")[0] not in DOCUMENTED_FOLDERS:
                if name.endswith("/README.md") and FILE.fullmatch(span) and span not in known:
                    yield name, line, f"{span} does not exist"
                continue
            if not _exists(tree, path.group()):
                yield name, line, f"{path.group()} does not exist"
        for number, text in enumerate(tree.lines(name), 1):
            for target in LINK.findall(text):
                path = os.path.normpath(os.path.join(os.path.dirname(name), target))
                if "://" not in target and not _exists(tree, path):
                    yield name, number, f"links to {target}, which does not exist"


def _in_comments(tree):
    """Files that comments name must exist, by their path or the last parts of it."""
    known = _known_names(tree)
    for name in tree.source_files():
        for line, comment in _comments(tree, name):
            for match in FILE.finditer(comment):
                if match.group() not in known:
                    yield (name, line + comment.count("\n", 0, match.start()),
                           f"{match.group()} does not exist")


def _comments(tree, name):
    """(line, text) of the comments of a file."""
    text = tree.text(name)
    found = LITERALS.finditer(text) if name.endswith(C_FAMILY) else SCRIPT_COMMENT.finditer(text)
    for match in found:
        if not name.endswith(C_FAMILY) or match.group("comment"):
            yield text.count("\n", 0, match.start()) + 1, match.group()


def _known_names(tree):
    """The files of the tree, each with and without the folders before its name; and what the
    system brings."""
    known = set()
    for name in tree.files:
        parts = name.split("/")
        known.update("/".join(parts[i:]) for i in range(len(parts)))
    for name in tree.named(*C_FAMILY):
        known.update(header for _, header, _ in tree.includes(name))
    return known


def _in_maps(tree):
    """The README of a folder in MAPS names each folder in it that has source files."""
    for folder in MAPS:
        name = folder + "README.md"
        if name not in tree:
            continue
        inner = (file[len(folder):] for file in tree.source_files() if file.startswith(folder))
        for part in sorted({file.split("/")[0] for file in inner if "/" in file}):
            if not re.search(r"(?<![\w/])" + re.escape(part) + r"/", tree.text(name)):
                yield name, 1, f"does not name its folder {part}/"


def _in_map_of_documents(tree):
    """docs/README.md, from which the navigation of the site follows, links each page below it but
    those of folders that have a map of their own."""
    name = "docs/README.md"
    pages = [page[len("docs/"):] for page in tree.named(".md", under="docs/")
             if os.path.dirname(page) + "/README.md" not in tree or os.path.dirname(page) == "docs"
             and page != name]
    for page in pages if name in tree else []:
        if f"]({page})" not in tree.text(name):
            yield name, 1, f"does not link {page}"


PATH_RULES = {"named-paths": named_paths}
