#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Breaks when a command does not say its version, or bash does not complete its options.

usage: commands_test.py FOLDER_OF_COMMANDS VERSION COMPLETION
"""
import os
import subprocess
import sys
import unittest

FOLDER, VERSION, COMPLETION = sys.argv[1:4]
COMMANDS = ("oshrun", "oshcc", "oshc++", "oshfort", "caf", "cafrun", "prifc", "osh_info",
            "osh_tune", "osh_hang", "osh_report")


class Commands(unittest.TestCase):
    def test_version(self):
        for name in COMMANDS:
            path = os.path.join(FOLDER, name)
            if not os.path.exists(path):
                continue  # Fortran's without gfortran
            with self.subTest(name):
                result = subprocess.run([path, "--version"], capture_output=True, text=True)
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.assertIn("Tessera", result.stdout)
                self.assertIn(VERSION, result.stdout)

    def complete(self, *words):
        """The words that bash offers for the last one."""
        script = ('source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tessera_command "$1"; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        command = [os.path.join(FOLDER, words[0]), *words[1:]]
        result = subprocess.run(["bash", "-c", script, COMPLETION, *command], capture_output=True,
                                text=True)
        self.assertEqual(result.stderr, "")
        return result.stdout.split()

    def test_completion(self):
        self.assertEqual(self.complete("oshrun", "--bi"), ["--bind-to"])
        self.assertIn("-n", self.complete("oshrun", "-"))
        self.assertIn("numa", self.complete("oshrun", "-n", "2", "--bind-to", ""))
        self.assertEqual(self.complete("oshrun", "--bind-to", "pack"), ["package"])
        self.assertEqual(self.complete("oshrun", "--launcher", "s"), ["srun"])
        self.assertEqual(self.complete("oshrun", "-n", ""), [], "files are bash's")
        self.assertIn("--doctor", self.complete("osh_info", "--do"))
        self.assertEqual(self.complete("osh_report", "--tra"), ["--trace"])
        self.assertEqual(self.complete("osh_tune", "--fabric-h"), ["--fabric-helpers"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
