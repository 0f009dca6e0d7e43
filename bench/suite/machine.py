# SPDX-License-Identifier: BSD-3-Clause
"""The facts about machine, compiler and libraries that a reader needs to judge numbers."""
import os
import platform
import shlex
import subprocess
import time

LSCPU = ("Model name", "Hypervisor vendor", "CPU(s)", "Thread(s) per core", "Core(s) per socket",
         "Socket(s)", "NUMA node(s)", "L1d cache", "L1i cache", "L2 cache", "L3 cache")


def _first_line(command, folder=None):
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False, cwd=folder)
    except OSError as error:
        return str(error)
    return (done.stdout.strip() or done.stderr.strip() or "?").splitlines()[0]


def _lscpu():
    try:
        text = subprocess.run(["lscpu"], capture_output=True, text=True, check=False,
                              env={**os.environ, "LC_ALL": "C"}).stdout
    except OSError:
        return []
    facts = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    return [(name, facts[name].strip()) for name in LSCPU if name in facts]


def _word_of(path, name):
    try:
        with open(path, encoding="ascii") as file:
            lines = [line for line in file if line.startswith(name)]
    except OSError:
        return "?"
    return lines[0].removeprefix(name).strip() if lines else "?"


def load():
    """The mean number of runnable processes in the last minute; ours are among them."""
    return f"{os.getloadavg()[0]:.2f}"


def commit(folder):
    name = _first_line(["git", "rev-parse", "--short=12", "HEAD"], folder)
    changed = _first_line(["git", "status", "--porcelain", "--untracked-files=no"], folder)
    return name + ("" if changed == "?" else ", with changes")


def _library(library):
    commands = [word for word in list(vars(library).values())[1:] if word]
    launcher = library.oshrun or library.cafrun or library.dartrun
    return "; ".join([_first_line([shlex.split(launcher)[0], "--version"]), *commands])


def describe(root, libraries):
    """[(name, text)]"""
    return [
        ("date", time.strftime("%Y-%m-%d %H:%M:%S %Z")),
        ("commit", commit(root)),
        *_lscpu(),
        ("usable CPUs", str(len(os.sched_getaffinity(0)))),
        ("memory", _word_of("/proc/meminfo", "MemTotal:")),
        ("huge pages of shared memory",
         _word_of("/sys/kernel/mm/transparent_hugepage/shmem_enabled", "")),
        ("kernel", f"{platform.system()} {platform.release()}"),
        ("compiler", _first_line(["cc", "--version"])),
        *((f"library {library.name}", _library(library)) for library in libraries.values()),
        ("load before", load()),
    ]
