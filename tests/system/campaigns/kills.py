#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a job in which a random PE gets a random signal at a random moment does not end
within the limit, with the code of the signal and a message that names the PE, or leaves a process
or a file. Between nodes the other PEs see the death, too, and complain of it; oshrun must name the
PE that died all the same, and no other.

    export PYTHONPATH=tests/support
    kills.py OSHRUN PROGRAM... [--runs 200] [--seed N] [--limit 2.0] [--virtual-nodes] [--helpers]

Each job runs one of the programs, with `--sequences` so large that it never ends. The moment lies
between the start of oshrun and half a second later, so that many PEs die during shmem_init, too.
Virtual nodes start more slowly, so there it is a second later. With --helpers the PEs have progress
helpers, and one of these or oshrun may die instead.
"""
import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid

from processes import children_of, processes_with, runs, wait_gone

HANG_SECONDS = 60
FOR_EVER = 10**6  # sequences
HELPER = "tessera-helper"
MOMENT_SECONDS_MAX = 0.5
PES = (1, 2, 3, 4, 8)
MOMENT_SECONDS_MAX_OF_NODES = 1.0
PES_OF_NODES = (2, 3, 4, 5, 8)
PROVIDERS = ("tcp;ofi_rxm", "net", "shm")
# SIGQUIT ends nothing: it makes a report (docs/run/hangs.md). random_test uses SIGALRM.
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS,
           signal.SIGFPE, signal.SIGILL, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1,
           signal.SIGSYS, signal.SIGTRAP, signal.SIGPIPE)


class Failure(Exception):
    pass


def pick_pe(oshrun, program, chance):
    """A PE, as soon as there is one."""
    deadline = time.monotonic() + HANG_SECONDS
    while time.monotonic() < deadline:
        pes = [pid for pid in children_of(oshrun.pid) if runs(pid, program)]
        if pes:
            return chance.choice(pes)
        if oshrun.poll() is not None:
            raise Failure(f"oshrun ended by itself with {oshrun.returncode}")
    raise Failure("oshrun started no PE")


def check_end(process, output, error, pid, number, seconds, limit):
    # Coarray programs go on behind a death, up to a statement without stat=.
    goes_on = "goes on without it" in error
    if process.returncode != 128 + number and not (goes_on and process.returncode == 1):
        raise Failure(f"oshrun returned {process.returncode}, not {128 + number}")
    if not re.search(rf"^oshrun: pe \d+ \(host \S+, pid {pid}, .*\) was killed by signal {number} ",
                     error, re.MULTILINE):
        raise Failure("no message names the PE and the signal")
    blamed = r" was killed by " if goes_on else r""
    told = re.findall(rf"^oshrun: pe .*{blamed}.*$", error, re.MULTILINE)
    if len(told) != 1 or "more PEs failed" in error:
        raise Failure("other PEs are blamed, too")
    if seconds > limit:
        raise Failure(f"the job ended after {seconds:.2f} s, the limit is {limit} s")
    for line in output.splitlines():
        if "round" in line and not re.fullmatch(r"pe \d+ round \d+", line):
            raise Failure(f"a line of output is broken: {line!r}")


def check_end_of_helper(process, error, pid, number):
    if process.returncode != 128 + number:
        raise Failure(f"oshrun returned {process.returncode}, not {128 + number}")
    if not re.search(rf"^oshrun: a progress helper of node \d+ \(host \S+, pid {pid}\) was killed "
                     rf"by signal {number} .*, ending the job$", error, re.MULTILINE):
        raise Failure("no message names the helper and the signal")
    if re.search(r"^oshrun: pe ", error, re.MULTILINE):
        raise Failure("a PE is blamed")


def check_nothing_left(mark, folder, pids, shm_before):
    left = [pid for pid, _ in processes_with(mark)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    # Other jobs use /dev/shm, too. The library keeps no file there, and libfabric's shm provider
    # puts the number of the process into the names of its files; oshrun removes those.
    ours = re.compile(r"(?<!\d)(" + "|".join(map(str, pids)) + r")(?!\d)")
    new = set(os.listdir("/dev/shm")) - shm_before
    files = os.listdir(folder) + sorted(filter(ours.search, new))
    if left:
        raise Failure(f"processes are left: {left}")
    if files:
        raise Failure(f"files are left: {files}")


def run_once(arguments, chance):
    """One job and one death. Returns the seconds from the signal to the end of oshrun."""
    program = chance.choice(arguments.programs)
    options = ["-n", str(chance.choice(PES_OF_NODES if arguments.virtual_nodes else PES))]
    number = int(chance.choice(SIGNALS))
    moment = chance.uniform(0, MOMENT_SECONDS_MAX)
    if arguments.virtual_nodes:
        moment *= MOMENT_SECONDS_MAX_OF_NODES / MOMENT_SECONDS_MAX
        options += ["--virtual-nodes", chance.choice("23"),
                    "-x", "SHMEM_OFI_PROVIDER=" + chance.choice(PROVIDERS)]
    victim = "pe"
    if arguments.helpers:
        options += ["-x", f"SHMEM_PROGRESS=helpers:{chance.choice('12')}!",
                    "-x", "SHMEM_HELPER_SIZE=4K"]
        victim = chance.choice(("pe", "helper", "oshrun"))
        if victim != "pe":
            number = int(signal.SIGKILL)
    folder = tempfile.mkdtemp(prefix="kill-random-")
    mark = "TESSERA_TEST_MARK=" + uuid.uuid4().hex
    shm_before = set(os.listdir("/dev/shm"))
    environment = dict(os.environ, TMPDIR=folder, TESSERA_TEST_MARK=mark.split("=")[1])
    command = [arguments.oshrun, *options, program, "--sequences", str(FOR_EVER),
               "--seed", str(chance.randrange(1 << 32))]
    process = subprocess.Popen(command, text=True, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    output = error = ""
    try:
        time.sleep(moment)
        pid = pick_pe(process, program, chance)
        pids = [process.pid, *children_of(process.pid)]
        if victim == "helper":
            pid = pick_pe(process, HELPER, chance)
        elif victim == "oshrun":
            pid = process.pid
        killed_at = time.monotonic()
        os.kill(pid, number)
        output, error = process.communicate(timeout=HANG_SECONDS)
        seconds = time.monotonic() - killed_at
        if victim == "pe":
            check_end(process, output, error, pid, number, seconds, arguments.limit)
        elif victim == "helper":
            check_end_of_helper(process, error, pid, number)
        else:
            for left in pids:
                if not wait_gone(left, HANG_SECONDS):
                    raise Failure(f"process {left} has outlived oshrun")
        check_nothing_left(mark, folder, pids, shm_before)
        return seconds
    except (Failure, subprocess.TimeoutExpired) as failure:
        process.kill()
        print(f"{' '.join(command)}, signal {number} after {moment:.3f} s: {failure}\n"
              f"stderr: {error}")
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def take_default_actions():
    """nohup and shells without job control ignore signals, and programs that they start do so, too:
    a PE would outlive such a signal."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


def main():
    take_default_actions()
    parser = argparse.ArgumentParser(description="Kills random PEs; see the first lines.")
    parser.add_argument("oshrun")
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--limit", type=float, default=2.0, help="seconds a job may take to end")
    parser.add_argument("--virtual-nodes", action="store_true", help="kill PEs on 2 or 3 nodes")
    parser.add_argument("--helpers", action="store_true", help="kill PEs, helpers and oshrun")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    chance = random.Random(arguments.seed)
    seconds = []
    for run in range(arguments.runs):
        try:
            seconds.append(run_once(arguments, chance))
        except (Failure, subprocess.TimeoutExpired):
            print(f"FAILED in run {run + 1} of {arguments.runs}; "
                  f"again with --seed {arguments.seed}")
            return 1
    seconds.sort()
    print(f"{arguments.runs} jobs ended as they should: median {seconds[len(seconds) // 2]:.3f} s, "
          f"longest {seconds[-1]:.3f} s after the signal")
    return 0


if __name__ == "__main__":
    sys.exit(main())
