#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Breaks when a page of the tutorial shows a program, a command or an output that is not so.

usage: tutorial_test.py PREFIX TUTORIAL CHAPTER|index [HIDDEN_FOLDER]

Copies the tutorial to a scratch folder and types the commands of a chapter there, with the tools
installed in PREFIX. Where root may do so, HIDDEN_FOLDER (sources and build) is empty meanwhile, so
that nothing but the installation can serve the reader. tutorial_pages.py says how pages are marked.
"""
import filecmp
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import tutorial_pages

PREFIX = TUTORIAL = CHAPTER = HIDDEN = ""
HANG_SECONDS = 400
LINES_MAX = 160
# The times in it differ from machine to machine, so no chapter compares them.
MEASURED = ("puts.txt",)


def read(*path):
    with open(os.path.join(TUTORIAL, *path), encoding="utf-8") as file:
        return file.read()


def chapters():
    return sorted(name for name in os.listdir(TUTORIAL) if re.fullmatch(r"\d-.*\.md", name))


def may_hide():
    test = ["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"]
    try:
        return subprocess.run(test, stderr=subprocess.DEVNULL, check=False).returncode == 0
    except OSError:
        return False


class Reader:
    """A scratch folder, and a shell in its listings/ that types commands."""

    def __init__(self, folder):
        self.folder = folder
        self.prefix = os.path.join(folder, "tessera")
        is_inside = os.path.realpath(folder).startswith(os.path.realpath(HIDDEN) + os.sep)
        self.is_hiding = bool(HIDDEN) and not is_inside and may_hide()
        shutil.copytree(TUTORIAL, os.path.join(folder, "tutorial"))
        for name in ("tessera", "home", "tmp", "said"):
            os.mkdir(os.path.join(folder, name))
        if not self.is_hiding:
            self.prefix = os.path.abspath(PREFIX)
        self.environment = {
            "PATH": f"{self.prefix}/bin:/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C",
            "HOME": os.path.join(folder, "home"), "TMPDIR": os.path.join(folder, "tmp")}

    def is_there(self, program):
        return shutil.which(program, path=self.environment["PATH"]) is not None

    def _script(self, texts):
        """All commands go to one shell, so a command sees the exports of those before it."""
        script = [f"cd {shlex.quote(os.path.join(self.folder, 'tutorial', 'listings'))}"]
        for number, text in enumerate(texts):
            said = shlex.quote(os.path.join(self.folder, "said", str(number)))
            script.append(f"eval {shlex.quote(text)} >{said} 2>&1 </dev/null\n"
                          f"echo $? >{said}.status")
        script = "\n".join(script)
        if not self.is_hiding:
            return script
        return (f"mount --bind {shlex.quote(os.path.abspath(PREFIX))} {shlex.quote(self.prefix)} &&"
                f" mount -t tmpfs none {shlex.quote(HIDDEN)} || exit 99\n{script}")

    def type(self, texts):
        """[(status, lines)] of the commands."""
        shell = ["unshare", "--mount"] if self.is_hiding else []
        process = subprocess.Popen([*shell, "bash", "-c", self._script(texts)], cwd=self.folder,
                                   env=self.environment, start_new_session=True)
        try:
            status = process.wait(HANG_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            status = process.wait()
        results = []
        for number in range(len(texts)):
            said = os.path.join(self.folder, "said", str(number))
            if not os.path.exists(said + ".status"):
                raise AssertionError(f"the shell ended with {status} in: {texts[number]}")
            with open(said, encoding="utf-8") as file, open(said + ".status") as status_file:
                results.append((int(status_file.read()), file.read().splitlines()))
        return results


class Chapter(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tutorial-test-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.reader = Reader(self.folder)

    def test_listings_are_the_files(self):
        names = set()
        for block, name in tutorial_pages.listings(read(CHAPTER)):
            names.add(name)
            shown = "\n".join(["", *block.lines, ""])
            self.assertTrue(shown in "\n" + read("listings", name),
                            f"{CHAPTER}:{block.line}: these are no lines of {name}:{shown}")
        self.assertTrue(names)
        strict = "-O2 -Wall -Wextra -pedantic -Werror -fsyntax-only"
        for status, said in self.reader.type(
                [f"oshcc -std=c11 {strict} {name}" if name.endswith(".c") else
                 f"oshc++ -std=c++17 {strict} {name}" for name in sorted(names)]):
            self.assertEqual((status, said), (0, []))

    def test_commands_print_what_the_page_shows(self):
        commands = list(tutorial_pages.commands(read(CHAPTER), self.reader.is_there))
        self.assertTrue(commands)
        results = self.reader.type([command.text for command in commands])
        for command, (status, printed) in zip(commands, results):
            place = f"{CHAPTER}:{command.line}: $ {command.text}"
            said = "\n".join(printed)
            with self.subTest(place):
                self.assertEqual(status != 0, command.may_fail, f"{place}\n{status}\n{said}")
                self.assertTrue(tutorial_pages.matches(command, printed),
                                f"{place}\nthe page shows:\n" + "\n".join(command.shown) +
                                f"\nbut it printed:\n{said}")
        print(f"{len(commands)} commands", "with sources and build hidden" * self.reader.is_hiding)


class Index(unittest.TestCase):
    def test_six_short_chapters_are_in_the_index(self):
        self.assertEqual([name[0] for name in chapters()], list("123456"))
        for name in chapters():
            self.assertIn(f"]({name})", read("README.md"))
            self.assertLessEqual(len(read(name).splitlines()), LINES_MAX, name)

    def test_every_listing_is_shown_and_compiled(self):
        texts = {name: read(name) for name in chapters()}
        for listing in sorted(os.listdir(os.path.join(TUTORIAL, "listings"))):
            users = [chapter for chapter, text in texts.items() if any(
                name == listing for _, name in tutorial_pages.listings(text))]
            self.assertEqual(len(users), 1, f"{listing} is shown in {users}")
            self.assertIn(f"Chapter {users[0][0]}:", read("listings", listing))
            typed = [command.text for command in tutorial_pages.commands(texts[users[0]], bool)]
            self.assertTrue(any(re.match(rf"osh(cc|c\+\+) .*{re.escape(listing)}", text)
                                for text in typed), f"{users[0]} does not compile {listing}")

    def test_pictures_are_made_of_the_data(self):
        with tempfile.TemporaryDirectory() as folder:
            pictures = os.path.join(TUTORIAL, "pictures")
            for name in os.listdir(pictures):
                if name.endswith(".txt"):
                    shutil.copy(os.path.join(pictures, name), folder)
            subprocess.run([sys.executable, os.path.join(pictures, "plot.py"), folder], check=True)
            drawn = {name for name in os.listdir(folder) if name.endswith(".svg")}
            self.assertEqual(drawn, {it for it in os.listdir(pictures) if it.endswith(".svg")})
            for name in drawn:
                self.assertTrue(filecmp.cmp(os.path.join(folder, name),
                                            os.path.join(pictures, name), shallow=False),
                                f"{name} is old: run docs/tutorial/pictures/plot.py")
                self.assertTrue(any(f"](pictures/{name})" in read(it) for it in chapters()), name)

    def test_data_is_compared_by_a_chapter(self):
        typed = "\n".join(read(name) for name in chapters())
        for name in os.listdir(os.path.join(TUTORIAL, "pictures")):
            if name.endswith(".txt") and name not in MEASURED:
                self.assertRegex(typed, rf"(?m)^\$ cmp \S+ \.\./pictures/{re.escape(name)}$")
            picture, ending = os.path.splitext(name)
            if ending == ".svg" and picture + ".txt" not in MEASURED:
                self.assertIn(f"$ python3 ../pictures/plot.py . {picture}\n"
                              f"$ cmp {name} ../pictures/{name}\n", typed)


if __name__ == "__main__":
    PREFIX, TUTORIAL, CHAPTER = sys.argv[1:4]
    HIDDEN = sys.argv[4] if len(sys.argv) > 4 else ""
    chosen = "Index" if CHAPTER == "index" else "Chapter"
    CHAPTER += ".md"
    unittest.main(argv=sys.argv[:1], defaultTest=chosen)
