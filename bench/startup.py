#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long does an empty program take, from the launcher's start to its end?

Compares, by turns and with the same number of processes on this node:
  oshrun   shmem_init, shmem_barrier_all, shmem_finalize (bench/startup_empty.c)
  pmix     the bare measure: a PMIx server forks clients that do init, one fence, finalize
  mpirun   Open MPI's launcher with processes that only sleep 0.1 s, which is subtracted: with
           shorter ones, /bin/true for example, mpirun 4.1 often hangs from 32 processes on
Prints medians, minima, and the ratios that the aims are about. Missing commands are left out.
"""
import argparse
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
INSTALLED = os.path.join(os.path.dirname(HERE), "build", "install", "bin")
PMIX_AIM = 1.25  # oshrun's time is at most this times the pair's
MPIRUN_AIM = 1.0
SLEEP_SECONDS = {"mpirun": 0.1}  # what the processes of a launcher spend asleep
TIMEOUT_SECONDS = 60


def run(command):
    """Seconds that the command took. Its output is shown only when it fails."""
    start = time.perf_counter()
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False,
                              timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        sys.exit(f"startup.py: more than {TIMEOUT_SECONDS} s for {shlex.join(command)}")
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit(f"startup.py: status {done.returncode} from {shlex.join(command)}\n{done.stdout}")
    return seconds


def compile_all(options, work):
    """The launch commands by name, each a function of the number of processes."""
    def path(name):
        return os.path.join(work, name)

    launchers = {}
    oshrun = shlex.split(options.oshrun)
    if shutil.which(options.oshcc) and shutil.which(oshrun[0]):
        run([options.oshcc, "-O2", os.path.join(HERE, "startup_empty.c"), "-o", path("empty")])
        launchers["oshrun"] = lambda n: [*oshrun, "-n", str(n), path("empty")]
    if subprocess.run(["pkg-config", "--exists", "pmix"], check=False).returncode == 0:
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "pmix"], check=True,
                               capture_output=True, text=True).stdout.split()
        for part in ("server", "client"):
            source = os.path.join(HERE, f"startup_pmix_{part}.cpp")
            run(["c++", "-std=c++20", "-O2", source, "-o", path(part), *flags])
        os.mkdir(path("session"))
        launchers["pmix"] = lambda n: [path("server"), str(n), path("session"), path("client")]
    mpirun = shlex.split(options.mpirun)
    if mpirun and shutil.which(mpirun[0]):
        launchers["mpirun"] = lambda n: [*mpirun, "-n", str(n), "/bin/sleep",
                                         str(SLEEP_SECONDS["mpirun"])]
    return launchers


def measure(launchers, npes, rounds):
    """Seconds of every round by launcher; the launchers take turns."""
    seconds = {name: [] for name in launchers}
    for name, command in launchers.items():
        run(command(npes))  # warms up the page cache
    for _ in range(rounds):
        for name, command in launchers.items():
            seconds[name].append(run(command(npes)) - SLEEP_SECONDS.get(name, 0))
    return seconds


def ratio(seconds, name):
    """The median over the rounds of oshrun's time by that of another launcher."""
    if "oshrun" not in seconds or name not in seconds:
        return None
    return statistics.median(a / b for a, b in zip(seconds["oshrun"], seconds[name]))


def verdict(value, aim):
    if value is None:
        return "-"
    return f"{value:.2f} <= {aim:.2f} {'ok' if value <= aim else 'miss'}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--oshcc", default=os.path.join(INSTALLED, "oshcc"))
    parser.add_argument("--oshrun", default=os.path.join(INSTALLED, "oshrun"),
                        help="with options, if any; default: build/install/bin/oshrun")
    parser.add_argument("--mpirun", help="with options, if any; '' leaves it out",
                        default="mpirun --allow-run-as-root --oversubscribe --bind-to none")
    parser.add_argument("--npes", type=int, nargs="+", default=[2, 16, 64])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--csv", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="startup-") as work:
        launchers = compile_all(options, work)
        if options.csv:
            print("npes,launcher,median_ms,min_ms")
        else:
            print(f"{'npes':>5}" + "".join(f"{name + ' ms (min)':>20}" for name in launchers)
                  + f"{'oshrun/pmix, aim':>24}{'oshrun/mpirun, aim':>24}", flush=True)
        for npes in options.npes:
            seconds = measure(launchers, npes, options.rounds)
            ms = {name: (statistics.median(s) * 1e3, min(s) * 1e3) for name, s in seconds.items()}
            if options.csv:
                for name, (median, least) in ms.items():
                    print(f"{npes},{name},{median:.2f},{least:.2f}")
            else:
                print(f"{npes:>5}" + "".join(f"{f'{m:.1f} ({l:.1f})':>20}" for m, l in ms.values())
                      + f"{verdict(ratio(seconds, 'pmix'), PMIX_AIM):>24}"
                      + f"{verdict(ratio(seconds, 'mpirun'), MPIRUN_AIM):>24}", flush=True)


if __name__ == "__main__":
    main()
