# SPDX-License-Identifier: BSD-3-Clause
"""The finished runs, in one JSON file, so that a second call goes on where the first one ended."""
import json
import os


class Store:
    def __init__(self, path, is_fresh):
        self.path = path
        self.runs = {}
        if os.path.exists(path) and not is_fresh:
            with open(path, encoding="utf-8") as file:
                self.runs = json.load(file)

    @staticmethod
    def _key(run):
        return f"{run.program}|{run.library}|{run.npes}|{run.round}"

    def find(self, run, identity):
        """The run's result, or None: not run, or with another build or other options."""
        result = self.runs.get(self._key(run))
        return result if result and result["identity"] == identity else None

    def forget(self, run):
        del self.runs[self._key(run)]

    def add(self, run, identity, result):
        """The file is whole at any time: it is written beside the old one, which it replaces."""
        self.runs[self._key(run)] = {**result, "program": run.program, "library": run.library,
                                     "npes": run.npes, "round": run.round, "identity": identity}
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            json.dump(self.runs, file, indent=1)
        os.replace(self.path + ".new", self.path)
