# SPDX-License-Identifier: BSD-3-Clause
"""A small reader of our own headers: which names does a preprocessed header declare, and where?

The reader understands the few shapes that include/ uses (prototypes, inline functions and templates
of them, typedefs, forward declared structs, __typeof__ twins) and refuses everything else, so that
nothing slips through.
"""

import os
import re

LINKAGE = re.compile(r'extern\s+"C(?:\+\+)?"\s*\{')
NOISE = re.compile(r"__attribute__\s*\(\(.*?\)\)|\[\[.*?\]\]|template <(?:[^<>]|<[^<>]*>)*>|\.\.\."
                   r"|\b(_Noreturn|inline|__extension__)\b")
FUNCTION = re.compile(r"[\w\s*]*?[\s*](\w+)\s*\([^()]*\)$")
TWIN = re.compile(r"__typeof__\s*\(\s*(\w+)\s*\)\s*(\w+)$")
# Classes for C++ lie in it, and nothing else.
OWN_NAMESPACE = "namespace shmemx "


def text_by_file(preprocessed, include):
    """The text of each header below include, by its path relative to it, line markers removed."""
    texts, current = {}, None
    for line in preprocessed.splitlines():
        marker = re.match(r'#(?:line)? \d+ "(.*?)"', line)
        if marker:
            path = os.path.realpath(marker[1])
            inside = path.startswith(include + os.sep)
            current = os.path.relpath(path, include) if inside else None
        elif current is not None and not line.startswith("#"):
            texts.setdefault(current, []).append(line)
    return {name: "\n".join(lines) for name, lines in texts.items()}


def statements(text):
    """Splits file-scope text: a statement ends at its semicolon, or at the brace of a body."""
    text, depth, statement = LINKAGE.sub(" ", text), 0, ""
    for character in text:
        if character == "}" and depth == 0:
            continue  # closes a linkage block, whose opening was removed
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == ";" and depth == 0:
            yield " ".join(statement.split())
            statement = ""
        else:
            statement += character
            head = statement.split("{")[0]
            if character == "}" and depth == 0 and (")" in head or OWN_NAMESPACE in head):
                yield " ".join(statement.split())
                statement = ""
    if statement.strip():
        yield " ".join(statement.split())


def classify(statement):
    """RETURNS (kind, name): kind is function, overload, twin, typedef, namespace or unknown."""
    plain = NOISE.sub(" ", statement).strip()
    if plain.startswith(OWN_NAMESPACE):
        return "namespace", plain.split()[1]
    if plain.startswith("typedef "):
        return "typedef", re.search(r"\(\*(\w+)\)|(\w+)$", plain)[0].strip("(*)")
    twin = TWIN.match(plain)
    if twin:
        return ("twin", twin[2]) if twin[2] == "p" + twin[1] else ("unknown", statement)
    head = plain.split("{")[0].strip()
    function = FUNCTION.match(head)
    if not function:
        return "unknown", statement
    return ("overload" if "{" in plain else "function"), function[1]


def is_of_extensions(header):
    """Whether a header below include declares routines that are not in the specification."""
    return header == "shmemx.h" or header.startswith("shmemx/")


def declared(preprocessed, include):
    """RETURNS a list of (header, kind, name) and the set of struct, union and enum tags."""
    found, tags = [], set()
    for header, text in text_by_file(preprocessed, include).items():
        tags.update(re.findall(r"\b(?:struct|union|enum)\s+(\w+)", text))
        found += [(header, *classify(statement)) for statement in statements(text)]
    return found, tags
