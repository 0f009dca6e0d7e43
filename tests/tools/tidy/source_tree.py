# SPDX-License-Identifier: BSD-3-Clause
"""The files of the tree as the tidy rules see them.

A file is named by its path from the root of the tree, with slashes. Files are those that git tracks
or would track; where git is missing or refuses the tree, all but build folders. Each text is read
once.
"""
import functools
import os
import re
import shutil
import subprocess

CPP = (".cpp", ".hpp")
C_FAMILY = CPP + (".c", ".h")
FORTRAN = (".f90", ".F90", ".inc")
SCRIPTS = (".py", ".sh")
BUILD = (".cmake", "CMakeLists.txt")
NOT_OURS = ("build", ".git", ".cache", "__pycache__")

# A comment, a raw string, a string, or a character; a quote inside a number is none.
LITERALS = re.compile(
    r"""(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)
      | (?P<raw>\b(?:u8|[uUL])?R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)")
      | (?P<string>"(?:\\.|[^"\\\n])*")
      | (?P<char>(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+')""",
    re.VERBOSE | re.DOTALL)


INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)


def blank(text):
    """Spaces in the place of every character but the ends of lines."""
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    return LITERALS.sub(lambda m: blank(m.group()) if m.group("comment") else m.group(), text)


def without_literals(text):
    """C or C++ without comments and without what stands in quotes; lines stay where they were."""

    def replace(match):
        if match.group("comment"):
            return blank(match.group())
        quote = match.group()[0] if match.group()[0] in "\"'" else '"'
        return quote + blank(match.group())[1:-1] + quote

    return LITERALS.sub(replace, text)


def without_directives(text):
    return re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda m: blank(m.group()), text, flags=re.MULTILINE)


class Tree:
    def __init__(self, root):
        self.root = os.path.abspath(root)
        self.files = sorted(name for name in self._names() if self._is_ours(name))
        self._known = set(self.files)

    def _names(self):
        command = ["git", "-C", self.root, "ls-files", "-z", "-co", "--exclude-standard"]
        if os.path.exists(os.path.join(self.root, ".git")) and shutil.which("git"):
            listed = subprocess.run(command, stdout=subprocess.PIPE, check=False)
            if listed.returncode == 0:  # git refuses a tree that another user owns.
                return set(listed.stdout.decode().split("\0"))
        names = set()
        for folder, folders, files in os.walk(self.root):
            folders[:] = [name for name in folders if name not in NOT_OURS]
            names.update(os.path.relpath(os.path.join(folder, name), self.root) for name in files)
        return names

    def _is_ours(self, name):
        path = os.path.join(self.root, name)
        # These stand in for files of the same names while a harness takes others.
        is_shadow = name.startswith(("tests/protocols/shadows/", "tests/protocols/pes/"))
        return name and os.path.isfile(path) and not os.path.islink(path) and not is_shadow

    def __contains__(self, name):
        return name in self._known

    def has_folder(self, name):
        return os.path.isdir(os.path.join(self.root, name))

    @functools.lru_cache(maxsize=None)
    def text(self, name):
        with open(os.path.join(self.root, name), encoding="utf-8", errors="replace") as file:
            return file.read()

    @functools.lru_cache(maxsize=None)
    def code(self, name):
        """The text of a C or C++ file without comments and literals."""
        return without_literals(self.text(name))

    def lines(self, name):
        return self.text(name).splitlines()

    def named(self, *endings, under=("",)):
        """Files whose names end so, in the given folders."""
        return [name for name in self.files if name.endswith(endings) and name.startswith(under)]

    def is_script(self, name):
        """A script without an ending shows what it is in its first line."""
        has_ending = "." in os.path.basename(name)
        return not has_ending and self.text(name).startswith("#!")

    def source_files(self):
        """Everything that people write as code."""
        endings = C_FAMILY + FORTRAN + SCRIPTS + BUILD
        return [name for name in self.files if name.endswith(endings) or self.is_script(name)]

    def include_target(self, includer, name):
        """The file that `#include "name"` means, or None.

        Only public headers, which work wherever they are installed, and the parts of a tool, a
        test or an example, which lie side by side, may be named from their own folder. The parts of
        a runtime are named from its folder.
        """
        folders = ["src", "", "include"]
        if top_folder(includer) in ("include", "tests", "tools", "examples"):
            folders.append(os.path.dirname(includer))
        if top_folder(includer) == "tests":
            folders += ["tests", "tests/behaviour"]
        if top_folder(includer) == "runtimes":
            folders = ["/".join(includer.split("/")[:2]), "include"]
            if name.startswith("core/"):
                folders.append("runtimes/caf")  # PRIF stands on the core of coarrays.
            if "/include/" in includer:
                folders.append(os.path.dirname(includer))
        for folder in folders:
            target = os.path.normpath(os.path.join(folder, name))
            if target in self:
                return target
        # A header that CMake writes lies in the tree as a template beside its user.
        template = os.path.join(os.path.dirname(includer), name + ".in")
        return template if template in self else None

    @functools.lru_cache(maxsize=None)
    def includes(self, name):
        """(line, header, quote) of every #include, `quote` being " or <."""
        text = without_comments(self.text(name))
        return [(text.count("\n", 0, match.start()) + 1, match.group(2), match.group(1))
                for match in INCLUDE.finditer(text)]


def top_folder(name):
    return name.split("/")[0]


def layer(name):
    """The box of the design that a file belongs to: src/heap, transports/shm, runtimes/caf/core,
    tools."""
    parts = name.split("/")
    if parts[0] == "runtimes":
        return "/".join(parts[:-1][:3])
    if parts[0] in ("src", "transports") and len(parts) > 2:
        return "/".join(parts[:2])
    return parts[0]


NOT_FUNCTIONS = re.compile(r"^\s*(?:extern\s+\"[^\"]*\"\s*$|namespace\b|inline\s+namespace\b)")
ANNOTATIONS = re.compile(
    r"\[\[.*?\]\]|\b(?:alignas|__attribute__|noexcept|requires)\s*\(+[^()]*\)+")


def _opens_function(head):
    """Whether the text between the last statement and a brace is the head of a function."""
    if NOT_FUNCTIONS.match(head):
        return False
    return ")" in ANNOTATIONS.sub("", head)


def c_functions(code):
    """(first line, last line, head) of every function body in `code`, a text without literals.

    Counts braces: a brace outside of functions opens one if its head has an argument list.
    """
    code = without_directives(code)
    depth = 0
    function = None  # (depth, first line, head) of the one that we are in
    head_start = 0
    line = 1
    for match in re.finditer(r"[{};\n]", code):
        token = match.group()
        if token == "\n":
            line += 1
            continue
        head = code[head_start:match.start()].strip()
        head_start = match.end()
        if token == "{":
            if function is None and _opens_function(head):
                function = (depth, line, head)
            depth += 1
        elif token == "}":
            depth -= 1
            if function is not None and depth == function[0]:
                yield function[1], line, function[2]
                function = None
