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

from .points import MPI, OURS, BARE

# Alignment: where a loop happens to lie is worth up to a factor of two, and that would be noted as
# a difference between libraries.
ALIGNED = ["-O2", "-falign-functions=64", "-falign-loops=64"]
FLAGS = ["-std=gnu11", *ALIGNED]


def is_fortran(program):
    """Programs in Fortran are for libraries of coarrays."""
    return program["source"].endswith(".f90")


def is_dart(program):
    """Programs for libraries of DART. Those that only ours has are as well in OpenSHMEM."""
    return program["source"].startswith("dart/")


@dataclasses.dataclass
class Library:
    """The commands of a library; "" for those of a language that it does not have."""
    name: str
    oshcc: str = ""
    oshrun: str = ""
    caf: str = ""
    cafrun: str = ""
    dartcc: str = ""
    dartrun: str = ""
    dartlibs: str = ""  # words for the linker, behind the program

    @property
    def is_ours(self):
        return self.name == OURS

    def missing(self):
        """The commands that are not installed."""
        return [command for command in (self.oshcc, self.oshrun, self.caf, self.cafrun,
                                        self.dartcc, self.dartrun)
                if command and not shutil.which(shlex.split(command)[0])]

    def has(self, program):
        """Whether the library has commands for the program's language."""
        if self.name == MPI:
            return bool(program["mpi_source"])
        return bool(self.caf if is_fortran(program)
                    else self.dartcc if is_dart(program) else self.oshcc)

    def launcher_of(self, program):
        if is_fortran(program):
            return self.cafrun
        return self.dartrun if is_dart(program) and self.name != MPI else self.oshrun

    def source_of(self, program):
        """The file of the program, relative to bench/."""
        if self.name in (BARE, MPI):
            return program[f"{self.name}_source"]
        return program["source"]


def _capture(command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False)


def _identity(program, sources):
    """Changes when the program, a header of bench/, or a library that it loads changes."""
    digest = hashlib.sha256()
    for path in sources:
        with open(path, "rb") as file:
            digest.update(file.read())
    for path in re.findall(r"=> (/.+) \(0x", _capture(["ldd", program]).stdout):
        facts = os.stat(path)
        digest.update(f"{path} {facts.st_size} {facts.st_mtime}".encode())
    return digest.hexdigest()[:16]


def _bare_words(source, target, here, packages):
    """The command that compiles a program without SHMEM."""
    compiler = ["c++", "-std=c++20", *ALIGNED] if source.endswith(".cpp") else ["cc", *FLAGS]
    flags = _capture(["pkg-config", "--cflags", "--libs", *packages]) if packages else None
    return [*compiler, "-I", os.path.dirname(here), source, "-o", target, "-pthread",
            *(flags.stdout.split() if flags else [])]


def _compile(here, program, library, folder):
    """RETURNS: (path of the program, identity, ""), or (None, None, the compiler's messages)."""
    source = os.path.join(here, library.source_of(program))
    target = os.path.join(folder, f"{program['name']}.{library.name}")
    if library.name == BARE:
        words = _bare_words(source, target, here, program["bare_packages"])
    elif is_fortran(program):
        words = [*shlex.split(library.caf), *ALIGNED, "-I", os.path.dirname(source),
                 *program["compile"], source, "-o", target]
    else:
        is_for_dart = is_dart(program) and library.name != MPI
        words = [*shlex.split(library.dartcc if is_for_dart else library.oshcc), *FLAGS, "-I", here,
                 "-I", os.path.dirname(here), *program["compile"], source, "-o", target,
                 *shlex.split(library.dartlibs if is_for_dart else ""), "-pthread", "-lm"]
    try:
        done = _capture(words)
    except OSError as error:
        return None, None, str(error)
    if done.returncode != 0:
        return None, None, f"{shlex.join(words)}\n{done.stderr[-2000:]}"
    folders = {os.path.dirname(source)} if is_fortran(program) else {here, os.path.dirname(source)}
    headers = [os.path.join(folder, file) for folder in folders for file in os.listdir(folder)
               if file.endswith((".h", ".inc"))]
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
    known = {**libraries, BARE: Library(BARE)}
    wanted = list(dict.fromkeys((run.program, run.library) for run in runs))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = pool.map(lambda pair: _compile(here, suite.programs[pair[0]], known[pair[1]],
                                              folder), wanted)
        return dict(zip(wanted, done))
