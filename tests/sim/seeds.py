#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs simulated programs with new seeds for some time, and prints how many of each have run and
failed. Seeds that have failed before (failed_seeds.txt) come first.

    seeds.py build/sim                       a minute, all programs that are built
    seeds.py build/sim --seconds 3600 --only 'conformance|locks' --first 1000000
"""
import argparse
import os
import re
import subprocess
import sys
import time

# Program, layouts (PEs x nodes), variables and arguments; SEED becomes the first seed of the run,
# NODES the number of nodes.
# Some have a message with which the job may end, too.
PROGRAMS = (
    ("hello", "3x1 4x2 5x5 8x2", ""),
    ("short_teams", "3x1 4x2 5x5", ""),
    ("helped", "2x1 3x1 4x2 3x3", "SHMEM_PROGRESS=helpers:2! SHMEM_SHARED_COPIES=always"),
    ("helped", "2x1 3x1", "SHMEM_SHARED_COPIES=always"),
    ("random_test", "3x1 4x2 5x1 6x3", "--seed SEED --sequences 3"),
    ("random_collectives_test", "3x1 4x2 5x2", "--seed SEED --sequences 3"),
    ("random_teams_test", "3x1 4x2", "SHMEM_TEAM_MEMORY_SIZE=4M 1"),
    ("requests_random_test", "3x1 4x2", "1"),
    ("epochs_random_test", "3x1 4x2", "1"),
    ("locks_random_test", "3x1 4x2", "1"),
    ("segments_random_test", "3x1 4x2", "1"),
    ("batch_stress_test", "2x1 4x2 3x3", "TESSERA_TEST_SEED=SEED 1 30 1"),
    ("batch_stress_test", "3x1 4x2", "TESSERA_TEST_SEED=SEED 1 20 2"),
    ("conformance_rma", "2x1 3x3", ""),
    ("conformance_atomics", "2x1 3x3", ""),
    ("conformance_signals", "3x1 3x3", ""),
    ("conformance_waits", "3x1 3x3", ""),
    ("conformance_barriers", "3x1 4x2", ""),
    ("conformance_moves", "3x1 4x2", ""),
    ("conformance_reductions", "3x1 4x2", ""),
    ("conformance_teams", "3x1 4x2", ""),
    ("conformance_contexts", "2x1 3x3", ""),
    ("conformance_memory", "3x1 4x2", ""),
    ("rma_test", "3x1 4x2", ""),
    ("atomics_test", "3x1 4x2", ""),
    ("ordering_test", "3x1 4x2", ""),
    ("signal_test", "3x1 4x2", ""),
    ("sync_test", "3x1 4x2", ""),
    ("locks_test", "3x1 5x1 4x2", ""),
    ("mutex_test", "3x1 4x2", ""),
    ("rwlock_test", "3x1 4x2", ""),
    ("mutex_deaths_test", "4x1", ""),
    ("epochs_test", "3x1 4x2", ""),
    ("windows_test", "3x1 4x2", ""),
    ("strided_shapes_test", "3x1 4x2", "10"),
    # A test that stops processes.
    ("requests_test", "3x1 4x2", "--gtest_filter=-*AWaitForOneWaitsForNoOther"),
    ("team_allocation_test", "3x1 4x2", ""),
    ("any_members_test", "3x1 5x2", ""),
    ("shmemx_segments_test", "3x1 4x2", ""),
    ("accumulate_test", "3x1 4x2", ""),
    ("get_accumulate_test", "3x1 4x2", ""),
    ("fence_mix_test", "3x1 4x2", ""),
    ("mixed_atomics_test", "4x2 6x3", ""),
    ("rma_threads_test", "2x1 4x2", ""),
    ("teams_threads_test", "3x1 4x2", ""),
    ("waits_threads_test", "3x1 4x2", ""),
    ("threads_test", "3x1 4x2", ""),
    ("mutex_threads_test", "3x1 4x2", ""),
    ("barrier_test", "3x1 5x1 5x3", ""),
    ("moves_test", "3x1 4x2", ""),
    ("reduce_test", "3x1 4x2", ""),
    ("scan_test", "3x1 4x2", ""),
    ("collectives_test", "3x1 4x2", ""),
    ("runtime_collectives_test", "3x1 4x2", ""),
    ("dart_onesided_test", "3x1 4x2", ""),
    ("dart_together_test", "3x1 4x2", "SHMEM_VIRTUAL_NODES=NODES"),
    ("caf_sync", "3x1 4x2", ""),
    ("caf_atomics", "3x1 4x2", ""),
    ("caf_locks", "3x1 4x2", ""),
    ("caf_events", "3x1 4x2", ""),
    ("caf_collectives", "3x1 4x2", ""),
    ("caf_teams", "3x1 4x2", ""),
    ("caf_control_random", "3x1 4x2", ""),
    ("caf_team_lifetimes", "3x1 4x2", ""),
    ("caf_ordering", "3x1 4x2", ""),
    ("caf_errmsg", "3x1 4x2", ""),
    ("caf_access_plain", "3x1 4x2", ""),
    ("caf_access_components", "3x1 4x2", ""),
    ("caf_access_pointers", "3x1 4x2", ""),
    ("caf_access_memory", "3x1 4x2", ""),
    ("caf_broadcast_components", "3x1 4x2", ""),
    ("caf_class_components", "3x1 4x2", ""),
    ("caf_gone_images", "3x1 5x2", "stop"),
    ("caf_gone_images", "4x1 5x2", "fail"),
    ("caf_killed_released", "5x1", "4"),
    ("caf_killed_anytime", "3x1 5x1", ""),
    ("forming_teams", "3x1 4x1 5x1 8x1", "", "has died during the call"),
)
FAILED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "failed_seeds.txt")


def simulate(build, row, layout, seed, *options):
    """The number of seeds that have run, of those that have failed, and what it printed."""
    pes, nodes = layout.split("x")
    program, _, words, *right_end = row
    words = words.replace("SEED", str(seed)).replace("=NODES", f"={nodes}").split()
    variables = [word for word in words if re.match("[A-Z_]+=", word)]
    for variable in variables:
        options += ("--env", variable)
    for text in right_end:
        options += ("--right-end", text)
    command = [os.path.join(build, "bin/sim"), "run", "--pes", pes, "--nodes", nodes,
               "--seed", str(seed), *options, os.path.join(build, f"lib/sim_{program}.so"),
               *words[len(variables):]]
    text = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False).stdout.decode(errors="replace")
    counts = re.search(r"sim: (\d+) seeds from .*: (\d+) failed", text)
    return (int(counts[1]), int(counts[2]), text) if counts else (0, 1, text)


def kept_seeds():
    with open(FAILED, encoding="utf-8") as file:
        return [line.split()[:3] for line in file if line.strip() and not line.startswith("#")]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--first", type=int, default=int(time.time()) * 1000, help="first seed")
    parser.add_argument("--layouts", help="in place of those of the table")
    parser.add_argument("--only", default="", help="a regular expression for PROGRAM LAYOUT")
    options = parser.parse_args()
    runs = [(row, layout) for row in PROGRAMS
            for layout in (options.layouts or row[1]).split()
            if re.search(options.only, f"{row[0]} {layout}") and
            os.path.exists(os.path.join(options.build, f"lib/sim_{row[0]}.so"))]
    failures = 0
    for program, layout, seed in kept_seeds():
        row = next((run[0] for run in runs if run[0][0] == program), None)
        if row:
            _, failed, text = simulate(options.build, row, layout, seed)
            failures += failed
            print(text if failed else f"{program} {layout} seed {seed}: right", flush=True)
    minutes = str(options.seconds / 60 / max(len(runs), 1))
    for row, layout in runs:
        done, failed, text = simulate(options.build, row, layout, options.first, "--minutes",
                                      minutes)
        failures += failed
        print(f"{row[0]} {layout} from {options.first}: {done} seeds, {failed} failed", flush=True)
        if failed:
            print(text, flush=True)
    return 1 if failures or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
