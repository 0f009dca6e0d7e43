# SPDX-License-Identifier: BSD-3-Clause
"""Rules about sentences: comments, documents, messages. Each yields (path, line, message)."""
import re

from rules import TIDY_ITSELF
from source_tree import C_FAMILY, LITERALS

DOCUMENT_COLUMNS_MAX = 119


def document_lines(tree):
    """Lines of documents can be read in an editor; a row of a table cannot be broken."""
    for name in tree.named(".md"):
        for number, line in enumerate(tree.lines(name), 1):
            if len(line) > DOCUMENT_COLUMNS_MAX and not line.lstrip().startswith("|"):
                yield name, number, f"{len(line)} columns, more than {DOCUMENT_COLUMNS_MAX}"


def _paragraphs(lines):
    """Joins consecutive (number, text) into (number of the first line, text); '' separates."""
    first, words = 0, []
    for number, text in lines:
        if words and (not text or number != first + len(words)):
            yield first, " ".join(words)
            words = []
        if text:
            first = first if words else number
            words.append(text)
    if words:
        yield first, " ".join(words)


def _comment_lines(tree, name):
    """The lines of comments without their marks; comments behind code stand by themselves."""
    text = tree.text(name)
    for match in LITERALS.finditer(text):
        if not match.group("comment"):
            continue
        number = text.count("\n", 0, match.start()) + 1
        start = text.rfind("\n", 0, match.start()) + 1
        if text[start:match.start()].strip():
            yield number - 1, ""
        for offset, line in enumerate(match.group().split("\n")):
            yield number + offset, line.strip().strip("/*").strip()


def _script_lines(tree, name):
    """Comments and docstrings of a script or of a build file."""
    in_docstring = False
    for number, line in enumerate(tree.lines(name), 1):
        marks = line.count('"""')
        is_prose = in_docstring or marks or line.lstrip().startswith("#")
        yield number, line.strip().strip('"#').strip() if is_prose else ""
        in_docstring ^= marks % 2 == 1


def _document_lines(tree, name):
    """Prose of Markdown and of manual pages; each cell of a table stands by itself."""
    in_block = False
    for number, line in enumerate(tree.lines(name), 1):
        if line.startswith("```"):
            in_block = not in_block
        line = re.sub(r"`[^`]*`|\"[^\"]*\"", "...", line)
        if in_block or line.startswith(("    ", "#", ".")):
            yield number, ""
        elif line.lstrip().startswith("|"):
            for cell in line.split("|"):
                yield number, ""
                yield number, cell.strip()
        else:
            if re.match(r"\s*[-*] ", line):
                yield number, ""
            yield number, re.sub(r"^\s*[-*] ", "", line).strip()


# The actor has a name: PE, waiter, sender, provider, launcher.
NO_ACTORS = re.compile(
    r"\b(?:nobody|somebody|everybody|anybody|someone|anyone|everyone|whoever|whomever)\b", re.I)
# Sentences without a subject; a question is none.
NO_SUBJECT = re.compile(r"^(?:Who|Whose|Whom|What)\b|[;:] (?:who|whose|whom|what)\b")
# A comment that begins without the noun that it is about: "of a put", "that of PE 0", "one that".
FRAGMENT = re.compile(
    r"^(?:[Oo]f|[Ww]hat|that|which|(?:[Tt]hat|[Tt]hose|[Oo]ne) (?:of|that|which))\b")
NO_FRAGMENTS_IN = ("bench/", "collectives/", "include/", "runtimes/", "src/", "tests/", "tools/",
                   "transports/")


def plain_english(tree):
    documents = tree.named(".md") + [name for name in tree.files if name.startswith("docs/man/")]
    for name in tree.source_files() + tree.named(".toml", ".in") + documents:
        if name.startswith(TIDY_ITSELF):
            continue
        if name in documents:
            lines = list(_document_lines(tree, name))
        else:
            lines = list(enumerate(tree.lines(name), 1))
        for number, line in lines:
            for word in NO_ACTORS.findall(line):
                yield name, number, f"{word}: name the actor"
        if name not in documents:
            read = _comment_lines if name.endswith(C_FAMILY) else _script_lines
            lines = read(tree, name)
        is_checked = name.startswith(NO_FRAGMENTS_IN) and name not in documents
        for number, text in _paragraphs(lines):
            sentences = re.split(r"(?<=[.!?]) ", text)
            if is_checked and FRAGMENT.search(text) and not sentences[0].endswith("?"):
                yield name, number, f"begin with the noun: {text[:60]}"
            for sentence in sentences:
                if NO_SUBJECT.search(sentence) and not sentence.endswith("?"):
                    yield name, number, f"begin with the subject: {sentence[:60]}"


PROSE_RULES = {
    "document-lines": document_lines,
    "plain-english": plain_english,
}
