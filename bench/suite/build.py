# SPDX-License-Identifier: BSD-3-Clause
"""Compiles each program once for each library, and tells builds of libraries apart."""
import concurrent.futures
import dataclasses
import hashlib
import os
import re
import shlex
import shutil
import subprocess

from .points import OURS, THREADS

# Alignment: where a loop happens to lie is worth up to a factor of two, and that would be noted as
# a difference between libraries.
FLAGS = ["-std=gnu11", "-O2", "-falign-functions=64", "-falign-loops=64"]


@dataclasses.dataclass
class Library:
    name: str
    oshcc: str
    oshrun: str

    @property
    def is_ours(self):
        return self.name == OURS

    def missing(self):
        """The commands that are not installed."""
        return [command for command in (self.oshcc, self.oshrun)
                if not shutil.which(shlex.split(command)[0])]


def _capture(command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False)


def _identity(program, sources):
    """Changes when the program, a header of bench/, or a library that it loads changes."""
    digest = hashlib.sha256()
    for path in sources:
        with open(path, "rb") as file:
            digest.update(file.read())
    for path in re.findall(r"=> (/\S+)", _capture(["ldd", program]).stdout):
        facts = os.stat(path)
        digest.update(f"{path} {facts.st_size} {facts.st_mtime}".encode())
    return digest.hexdigest()[:16]


def _compile(here, program, library, folder):
    """RETURNS: (path of the program, identity, ""), or (None, None, the compiler's messages)."""
    name = program["source"]
    if library.name == THREADS:
        name = program["threads_source"]
    source = os.path.join(here, name)
    target = os.path.join(folder, f"{program['name']}.{library.name}")
    words = [*shlex.split(library.oshcc), *FLAGS, "-I", here, "-I", os.path.dirname(here),
             *program["compile"], source, "-o", target, "-pthread", "-lm"]
    try:
        done = _capture(words)
    except OSError as error:
        return None, None, str(error)
    if done.returncode != 0:
        return None, None, f"{shlex.join(words)}\n{done.stderr[-2000:]}"
    headers = [os.path.join(here, file) for file in os.listdir(here) if file.endswith(".h")]
    return target, _identity(target, [source, *sorted(headers)]), ""


def clock(here, folder):
    """RETURNS: the path of the program that shows the clock's state"""
    os.makedirs(folder, exist_ok=True)
    target = os.path.join(folder, "clock")
    words = ["cc", *FLAGS, os.path.join(here, "clock.c"), "-o", target]
    done = _capture(words)
    if done.returncode != 0:
        raise SystemExit(f"bench/run: {shlex.join(words)}\n{done.stderr}")
    return target


def compile_all(here, suite, libraries, runs, folder):
    """RETURNS: {(program, library): the result of _compile} of all that `runs` need"""
    os.makedirs(folder, exist_ok=True)
    known = {**libraries, THREADS: Library(THREADS, "cc", "")}
    wanted = list(dict.fromkeys((run.program, run.library) for run in runs))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = pool.map(lambda pair: _compile(here, suite.programs[pair[0]], known[pair[1]],
                                              folder), wanted)
        return dict(zip(wanted, done))
