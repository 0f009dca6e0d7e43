# SPDX-License-Identifier: BSD-3-Clause
"""Rules that look at one file at a time. Each yields (path, line, message).

docs/code/style.md says what they are for. A new rule is a function here or in tree_rules.py, its
name in RULES, and a case in tidy_selftest.py that shows it fire.
"""
import ast
import os
import re

from source_tree import C_FAMILY, c_functions, layer, without_comments

FILE_LINES_MAX = 500
LINE_COLUMNS_MAX = 100
FUNCTION_LINES_MAX = 70
SPDX = "SPDX-License-Identifier: BSD-3-Clause"
PRODUCT = ("src/", "transports/", "collectives/", "tools/")
# These files must name what they look for.
TIDY_ITSELF = "tests/tools/tidy/"


def numbered_matches(pattern, text):
    for match in re.finditer(pattern, text, re.MULTILINE):
        yield text.count("\n", 0, match.start()) + 1, match.group().strip()


def file_size(tree):
    for name in tree.source_files():
        count = len(tree.lines(name))
        if count > FILE_LINES_MAX:
            yield name, count, f"{count} lines, more than {FILE_LINES_MAX}: split it"


def line_length(tree):
    for name in tree.source_files():
        for number, line in enumerate(tree.lines(name), 1):
            if len(line) > LINE_COLUMNS_MAX:
                yield name, number, f"{len(line)} columns, more than {LINE_COLUMNS_MAX}"


def function_size(tree):
    for name in tree.named(*C_FAMILY):
        for first, last, head in c_functions(tree.code(name)):
            if last - first > FUNCTION_LINES_MAX:
                yield name, first, f"a function of {last - first} lines: {head.splitlines()[-1]}"
    for name in tree.named(".py"):
        for node in ast.walk(ast.parse(tree.text(name))):
            if isinstance(node, ast.FunctionDef):
                count = node.end_lineno - node.lineno
                if count > FUNCTION_LINES_MAX:
                    yield name, node.lineno, f"a function of {count} lines: {node.name}"


ROOMS = ("src/core", "src/settings", "src/teams", "src/locks", "src/progress", "src/memory")
UNDER_ROOMS = ("src/heap", "src/launch", "src/topology", "transports", "src/base", "include")

# What a layer may include besides itself and the system. The transport contract is a layer of its
# own: core sees it, and never a transport.
ARROWS = {
    "src/base": (),
    "src/heap": ("src/base",),
    "src/launch": ("src/base",),
    "src/topology": ("src/base",),
    "transports": ("src/base",),
    "transports/*": ("transports", "src/base"),
    **{room: (*ROOMS, *UNDER_ROOMS) for room in ROOMS},
    "src/session": (*ROOMS, *UNDER_ROOMS),
    "src/messaging": (*ROOMS, "src/base"),
    "collectives": ("src/messaging", *ROOMS, "src/heap", "src/topology", "src/base", "include"),
    "src/api": ("collectives", "src/messaging", "src/session", *ROOMS, *UNDER_ROOMS),
    # Runtimes stand on the public headers only. A runtime's core knows no front end of it.
    "runtimes/*/core": ("include",),
    "runtimes/*": ("runtimes/*", "include"),
    "include": (),
    "tools": ("collectives", *ROOMS, "src/heap", "src/launch", "src/topology",
              "src/base", "include"),
    "examples": ("include",),
    "bench": ("include",),
}


def arrows_of(source):
    if source.startswith("transports/"):
        return ARROWS["transports/*"]
    if source.startswith("runtimes/"):
        return ARROWS["runtimes/*/core" if source.endswith("/core") else "runtimes/*"]
    return ARROWS.get(source)


def is_allowed(name, target):
    """Whether no arrow forbids the file `name` to include `target`."""
    allowed, box = arrows_of(layer(name)), layer(target)
    if box.startswith("runtimes/") and allowed and "runtimes/*" in allowed:
        return True  # Another part of this runtime: its files see no other one's.
    return allowed is None or box == layer(name) or box in allowed


def include_arrows(tree):
    for name in tree.named(*C_FAMILY):
        for line, header, quote in tree.includes(name):
            target = tree.include_target(name, header)
            if target is None:
                if quote == '"':
                    yield name, line, f'"{header}" is no path from src/, include/ or the root'
                continue
            if not is_allowed(name, target):
                yield name, line, f"{layer(name)} must not include {target}"


def environment(tree):
    words = r"\b(?:std::|::)?(?:secure_)?getenv\b|\benviron\b"
    for name in tree.named(*C_FAMILY, under=PRODUCT):
        if name == "src/base/environment.cpp":
            continue
        for line, word in numbered_matches(words, tree.code(name)):
            yield name, line, f"{word}: go through base/environment.hpp"


def mapped_or_fabric(tree):
    """Whether a PE is mapped is decided in src/messaging, and nowhere in an algorithm."""
    words = r"\baddress_map\b|\bmapped_team_\w+|\bfabric\s*->"
    for name in tree.named(*C_FAMILY, under="collectives/"):
        for line, word in numbered_matches(words, tree.code(name)):
            yield name, line, f"{word}: go through src/messaging"


def mutex_kinds(tree):
    """Each mutex of the library says whether its holder may wait (docs/run/progress.md)."""
    words = r"\bstd::(?:recursive_|timed_|shared_)*mutex\b|\bpthread_mutex_t\b"
    for name in tree.named(*C_FAMILY, under=("src/", "transports/", "collectives/")):
        if name == "src/base/mutexes.hpp":
            continue
        for line, word in numbered_matches(words, tree.code(name)):
            yield name, line, f"{word}: take ShortMutex or LongMutex of base/mutexes.hpp"


def is_public_header(name):
    return name.startswith("include/") or re.match(r"runtimes/\w+/include/", name)


def conditionals(tree):
    pattern = r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b[^\n]*"
    for name in tree.named(*C_FAMILY):
        if name == "src/base/platform.hpp" or is_public_header(name):
            continue
        for line, text in numbered_matches(pattern, tree.code(name)):
            yield name, line, f"{text}: give the difference a name in base/platform.hpp"


def license_line(tree):
    pages = [name for name in tree.files if re.fullmatch(r"docs/man/.*\.\d", name)]
    for name in tree.source_files() + pages:
        if tree.text(name).startswith(".so "):
            continue  # A manual page that is another one; nothing else may stand before this.
        first = [line for line in tree.lines(name)[:2] if not line.startswith("#!")][:1]
        if not first or SPDX not in first[0]:
            yield name, 1, f"the first line must say {SPDX}"


# In all text, comments included: (pattern, what to do instead).
BANNED_WORDS = (
    (r"\b(?:TODO|FIXME|XXX)\b", "open an issue"),
    (r"(?i)\bstubs?\b", "finish it or leave it out"),
)
# In C and C++ outside of comments and literals.
BANNED_CODE = (
    (r"\bstd::c(?:out|err|in|log)\b|#[ \t]*include[ \t]*<(?:io|o|i)stream>",
     "use stdio or write()"),
    (r"\busing\s+namespace\b", "name what is used"),
    (r"\bgoto\b", "let a scope unwind"),
    (r"\bdynamic_cast\b|\btypeid\b", "no RTTI"),
)


def banned_words(tree):
    for name in tree.source_files() + tree.named(".md", ".in"):
        if name.startswith(TIDY_ITSELF):
            continue
        for pattern, advice in BANNED_WORDS:
            for line, word in numbered_matches(pattern, tree.text(name)):
                yield name, line, f"{word}: {advice}"
    for name in tree.named(*C_FAMILY):
        for pattern, advice in BANNED_CODE:
            for line, word in numbered_matches(pattern, tree.code(name)):
                yield name, line, f"{word}: {advice}"


def opening_comment(tree):
    """After the license, C++ says what the file is: a comment of at least one line of prose."""
    for name in tree.named(*C_FAMILY, under=PRODUCT + ("tests/", "examples/", "bench/")):
        top = tree.text(name)[:2000]
        rest = without_comments(top)
        code_start = len(rest) - len(rest.lstrip())
        prose = re.sub(r"[/*\s]|" + re.escape(SPDX), "", top[:code_start])
        prose = prose.replace(SPDX.replace(" ", ""), "")
        if not prose:
            yield name, 1, "the file does not open by saying what it is"


def readme_sizes(tree):
    limits = {"docs/code/architecture.md": 180}
    folders = {"transports", "collectives", "tests"}
    folders.update(os.path.dirname(name) for name in tree.named(".cpp", under="transports/"))
    for folder in sorted(folders):
        if not tree.has_folder(folder) or not tree.named("", under=folder + "/"):
            continue
        limits[folder + "/README.md"] = 40
        if folder + "/README.md" not in tree:
            yield folder + "/README.md", 1, "missing: what, entry file, variables, known limits"
    for name, limit in limits.items():
        if name in tree and len(tree.lines(name)) > limit:
            yield name, limit, f"{len(tree.lines(name))} lines, more than {limit}"


RULES = {
    "file-size": file_size,
    "line-length": line_length,
    "function-size": function_size,
    "include-arrows": include_arrows,
    "environment": environment,
    "mapped-or-fabric": mapped_or_fabric,
    "mutex-kinds": mutex_kinds,
    "conditionals": conditionals,
    "license-line": license_line,
    "banned-words": banned_words,
    "opening-comment": opening_comment,
    "readme-sizes": readme_sizes,
}
