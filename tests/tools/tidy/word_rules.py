# SPDX-License-Identifier: BSD-3-Clause
"""Rules about the words that the project uses. Each yields (path, line, message)."""
import re

from old_words import CODE, TEXT
from rules import TIDY_ITSELF, numbered_matches
from source_tree import C_FAMILY

PRODUCT = ("include/", "src/", "transports/", "collectives/", "tools/")


def old_words(tree):
    texts = sorted(set(tree.source_files() + tree.named(".md", ".txt", ".in", ".toml", ".1", ".3")))
    yield from _findings(tree, texts, tree.text, TEXT)
    yield from _findings(tree, tree.named(*C_FAMILY), tree.code, CODE)


def _findings(tree, names, text_of, words):
    for name in names:
        if name.startswith(TIDY_ITSELF):
            continue
        for pattern, new, folders in words:
            if not name.startswith(folders):
                continue
            for line, word in numbered_matches(pattern, text_of(name)):
                yield name, line, f"{word}: the field's word is {new}"


def glossary(tree):
    """Each entry of the table "Words" in docs/code/architecture.md is a word of the code."""
    name = "docs/code/architecture.md"
    if name not in tree:
        return
    known = "\n".join(_identifiers(tree))
    in_table = False
    for number, text in enumerate(tree.lines(name), 1):
        if text.startswith("#"):
            in_table = text.strip() == "## Words"
        if not in_table or not text.startswith("|") or re.match(r"\|(?: word \||-)", text):
            continue
        for word in text.split("|")[1].split(","):
            if _squeezed(word) not in known:
                yield name, number, f"{word.strip()}: no identifier or file has this word"


def _squeezed(word):
    return re.sub(r"[\s_`*-]", "", word).lower()


def _identifiers(tree):
    files = tree.named(*C_FAMILY, under=PRODUCT)
    words = set(files)
    for file in files:
        words.update(re.findall(r"[A-Za-z_]\w+", tree.code(file)))
    return map(_squeezed, words)


WORD_RULES = {"old-words": old_words, "glossary": glossary}
