# SPDX-License-Identifier: BSD-3-Clause
"""Rules about how files belong together. Each yields (path, line, message)."""
import os
import re

from named_paths import code_spans
from rules import is_allowed
from source_tree import C_FAMILY, FORTRAN, top_folder

CODE_FOLDERS = ("src/", "transports/", "collectives/", "runtimes/", "tools/", "tests/", "bench/",
                "examples/")
PRODUCT = ("src/", "transports/", "collectives/", "tools/")
TEST_ENDINGS = (".cpp", ".c", ".py", ".sh")


def _names_file(text, path):
    """Whether a CMake text names `path` as a whole word, or by a pattern of file(GLOB)."""
    if re.search(r"(?<![\w.-])" + re.escape(path) + r"(?![\w.-])", text):
        return True
    patterns = []
    for arguments in re.findall(r"\bfile\(\s*GLOB\b([^)]*)\)", text):
        patterns += [word.strip('"') for word in arguments.split() if "*" in word]
    return any(re.fullmatch(re.escape(pattern).replace(r"\*", "[^/]*"), path)
               for pattern in patterns)


def _is_built(tree, name):
    """Whether a CMakeLists.txt or *.cmake of the file's folder or one above names it.

    Tests, benchmarks and examples may be listed without their ending and without "_test". Examples
    are programs that the tests compile, so any CMakeLists.txt may name them.
    """
    if name.startswith("examples/"):
        stem = os.path.splitext(os.path.basename(name))[0]
        return any(_names_file(tree.text(lists), stem) for lists in tree.named("CMakeLists.txt"))
    folder = os.path.dirname(name)
    while True:
        texts = [tree.text(lists) for lists in tree.named("CMakeLists.txt", ".cmake")
                 if os.path.dirname(lists) == folder]
        if texts:
            path = os.path.relpath(name, folder or ".")
            text = re.sub(r"#[^\n]*", "", "\n".join(texts))
            if _names_file(text, path):
                return True
            stem = os.path.splitext(path)[0]
            short = stem.removesuffix("_test")
            if not name.startswith(PRODUCT) and any(_names_file(text, it) for it in (stem, short)):
                return True
        if not folder:
            return False
        folder = os.path.dirname(folder)


def dead_files(tree):
    for name in tree.named(".cpp", ".c", *FORTRAN, under=CODE_FOLDERS):
        if not _is_built(tree, name):
            yield name, 1, "no CMakeLists.txt in or above its folder names it"
    included = set()
    for name in tree.named(*C_FAMILY):
        included.update(tree.include_target(name, header) for _, header, _ in tree.includes(name))
    for name in tree.named(".hpp", ".h"):
        is_public = top_folder(name) == "include" and not name.startswith("include/shmem/")
        is_umbrella = name.startswith("runtimes/") and "/include/" in name
        if name not in included and not is_public and not is_umbrella:
            yield name, 1, "no file includes it"
    callers = [name for name in tree.source_files() if not name.endswith(C_FAMILY)]
    callers += [name for name in tree.files if name.startswith(".")]
    for name in tree.named(".py", ".sh", under=CODE_FOLDERS):
        words = {os.path.basename(name)}
        if name.endswith(".py"):
            words.add("import " + os.path.basename(name)[:-3])
            words.add("from " + os.path.basename(name)[:-3])
        texts = (tree.text(caller) for caller in callers if caller != name)
        called = any(word in text for text in texts for word in words)
        if not called and not _is_built(tree, name):
            yield name, 1, "no test, build file or script calls it"


RUNTIME_LAYER = "tests/behaviour/runtime_layer/"


def _behaviour_twins(tree, under, base):
    folders = {os.path.dirname(file) for file in tree.named("", under=under)}
    return [f"{folder}/{base}_test" for folder in sorted(folders)]


def twins_of(tree, name):
    """The places where the test of a source file may lie, without their endings."""
    stem, parts = os.path.splitext(name)[0], name.split("/")
    base = os.path.basename(stem)
    if parts[:2] == ["src", "api"]:
        # signal.cpp has its test in tests/behaviour/signals, shmemx_epochs.cpp as epochs_test.
        return (_behaviour_twins(tree, "tests/behaviour/", base) +
                _behaviour_twins(tree, RUNTIME_LAYER, base.removeprefix("shmemx_")))
    if parts[0] == "src":
        folder = "/".join(parts[1:-1])
        words = base.split("_")
        # copy_x86_64.cpp has no header: it is a part of the unit copy.hpp, and has its test.
        units = ["_".join(words[:count]) for count in range(1, len(words))
                 if stem + ".hpp" not in tree]
        return ([f"tests/unit/{folder}/{unit}_test" for unit in [base, *units]] +
                _behaviour_twins(tree, RUNTIME_LAYER, base))
    if parts[0] == "collectives":
        if len(parts) == 2:
            return [f"tests/unit/{stem}_test"]
        # moves_test goes through all algorithms of broadcast, collect and alltoall.
        moves = parts[1] in ("alltoall", "broadcast", "collect")
        return [f"tests/behaviour/collectives/{'moves' if moves else parts[1]}_test",
                f"tests/unit/collectives/{parts[1]}_test"]
    if parts[0] == "transports":
        return ["tests/unit/transports/contract_test", f"tests/unit/{stem}_test"]
    return [f"tests/tools/{parts[1]}_test", f"tests/unit/{'/'.join(parts[1:])}"[:-4] + "_test"]


def test_twins(tree, covered_by):
    for name in tree.named(".cpp", under=PRODUCT):
        twins = [stem + ending for stem in twins_of(tree, name) for ending in TEST_ENDINGS]
        found = [twin for twin in twins if twin in tree]
        other = covered_by.get(name)
        if found and other:
            yield name, 1, f"has its test {found[0]}: take it off COVERING in allowed.py"
        elif not found and not other:
            yield name, 1, f"has no test: {twins[0]}, or name another one in COVERING"
        elif other and other not in tree:
            yield name, 1, f"COVERING names {other}, which does not exist"
    for name in covered_by:
        if name not in tree:
            yield name, 1, "does not exist: take it off COVERING in allowed.py"


def one_name(tree):
    """A test is found by the name of its file, so no two files of tests/ have the same."""
    first = {}
    for name in tree.named("", under="tests/"):
        base = os.path.basename(name)
        if base not in ("CMakeLists.txt", "README.md") and first.setdefault(base, name) != name:
            yield name, 1, f"has the name of {first[base]}: add a suffix"


FUNCTION = re.compile(r"^(?:[\w:]+(?:::|\.|->))?(~?\w+)\(.*\)$")


def named_functions(tree):
    """Functions that docs/code/path-of-a-put.md names must exist.

    On a line that names files they must be in a file of this paragraph.
    """
    name = "docs/code/path-of-a-put.md"
    if name not in tree:
        return
    sources = [file for file in tree.named(*C_FAMILY) if not file.startswith("tests/")]
    lists = tree.named("symbols.txt", under="tests/")  # Names that macros make.
    exported = {word for symbols in lists for word in tree.text(symbols).split()}
    by_line = {}
    for line, span in code_spans(tree.text(name)):
        by_line.setdefault(line, []).append(span)
    ends = [number for number, text in enumerate(tree.lines(name), 1) if not text.strip()]
    paragraphs = {}
    for line, spans in by_line.items():
        named = [span.split(":")[0] for span in spans if span.split(":")[0] in tree]
        in_paragraph = paragraphs.setdefault(sum(end < line for end in ends), [])
        in_paragraph += named
        files = in_paragraph if named else []
        for span in spans:
            match = FUNCTION.match(span)
            if match is None or match.group(1) in exported:
                continue
            word = re.compile(r"(?<!\w)" + re.escape(match.group(1)) + r"\s*\(")
            if not any(word.search(tree.code(file)) for file in files or sources):
                where = files[0] if files else "the sources"
                yield name, line, f"{span} is not in {where}"


def _unit(name):
    return os.path.splitext(name)[0]


def _circle_of(unit, uses):
    """The shortest way from a unit over those that it includes back to itself, or None."""
    before = {other: unit for other in sorted(uses.get(unit, {}))}
    todo = list(before)
    while todo:
        at = todo.pop(0)
        if at == unit:
            way = [at]
            while len(way) == 1 or way[-1] != unit:
                way.append(before[way[-1]])
            return way[::-1]
        for other in sorted(uses.get(at, {})):
            if other not in before:
                before[other] = at
                todo.append(other)
    return None


def circles(tree):
    """A unit, which is a header with its source file, includes none that needs it in turn."""
    uses = {}
    for name in tree.named(*C_FAMILY):
        for line, header, _ in tree.includes(name):
            target = tree.include_target(name, header)
            if target is None or _unit(target) == _unit(name):
                continue
            if is_allowed(name, target):  # The rule include-arrows tells the others.
                uses.setdefault(_unit(name), {}).setdefault(_unit(target), (name, line))
    told = set()
    for unit in sorted(uses):
        way = None if unit in told else _circle_of(unit, uses)
        if way is not None:
            told.update(way)
            name, line = uses[unit][way[1]]
            yield name, line, "a circle of units: " + " -> ".join(way)


TREE_RULES = {
    "circles": circles,
    "dead-files": dead_files,
    "one-name": one_name,
    "named-functions": named_functions,
}
