# SPDX-License-Identifier: BSD-3-Clause
"""The plan: bench/suite.toml as a list of Run in the order in which they run."""
import dataclasses
import re
import tomllib

from .points import BARE

KEYS = {"name", "source", "question", "arguments", "npes", "seconds", "timeout", "settings",
        "compile", "launcher", "libraries", "wall", "repeats", "bare_source", "bare_arguments",
        "bare_packages", "mpi_source", "aims", "paper"}
LEVELS = ("tiny", "quick", "full")


class SuiteError(Exception):
    """suite.toml says something that bench/run does not understand."""


@dataclasses.dataclass(frozen=True)
class Run:
    program: str
    library: str
    npes: int
    round: int

    def __str__(self):
        return f"{self.program}, {self.library}, {self.npes} PEs"


@dataclasses.dataclass
class Suite:
    level: dict
    level_name: str
    programs: dict  # {name: its table with all keys}


def read(path, level_name):
    with open(path, "rb") as file:
        text = tomllib.load(file)
    level, defaults = text["level"][level_name], text["defaults"]
    programs = {}
    for table in text["program"]:
        unknown = set(table) - KEYS
        if unknown:
            raise SuiteError(f"{path}: {table.get('name')}: what is {', '.join(unknown)}?")
        if table["name"] in programs:
            raise SuiteError(f"{path}: {table['name']} stands twice")
        programs[table["name"]] = {
            **{"arguments": [], "compile": [], "launcher": [], "libraries": None, "wall": None,
               "repeats": 1, "bare_source": None, "bare_arguments": [], "bare_packages": [],
               "mpi_source": None, "aims": {}, "paper": []},
            **table,
            "npes": {**defaults["npes"], **table.get("npes", {})}[level_name],
            "seconds": table.get("seconds", {}).get(level_name, level["seconds"]),
            "timeout": max(table.get("timeout", 0), level["timeout"]),
            "settings": {**defaults["settings"], **table.get("settings", {})},
        }
    return Suite(level, level_name, programs)


def choose(suite, only, npes):
    """Leaves the programs whose names match the regular expression, and the counts in `npes`."""
    for name in list(suite.programs):
        if only and not re.search(only, name):
            del suite.programs[name]
        elif npes and suite.programs[name]["npes"]:  # Programs that are not of the level stay out.
            suite.programs[name]["npes"] = npes
    if not suite.programs:
        raise SuiteError(f"no program's name matches {only}")


def _turn(program, libraries, without):
    """The names of the libraries that run the program, of those in {name: Library}."""
    names = [name for name, library in libraries.items()
             if library.has(program)
             and (program["libraries"] is None or name in program["libraries"])]
    return names + ([BARE] if program["bare_source"] and BARE not in without else [])


def runs(suite, libraries, rounds, without=()):
    """All runs. Libraries take turns, and another one begins in each round: noise hits all."""
    result = []
    for this_round in range(rounds):
        for name, program in suite.programs.items():
            turn = _turn(program, libraries, without)
            if turn:
                first = this_round % len(turn)
                turn = turn[first:] + turn[:first]
            for npes in program["npes"]:
                result += [Run(name, library, npes, this_round) for library in turn]
    return result


def turns(all_runs):
    """[the runs of all libraries of one program, number of PEs and round]"""
    result = {}
    for run in all_runs:
        result.setdefault((run.program, run.npes, run.round), []).append(run)
    return list(result.values())
