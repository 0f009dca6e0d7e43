# SPDX-License-Identifier: BSD-3-Clause
"""Would break: a client of the library that works on one kind of memory, with one kind of progress,
or on one node, does not work in another combination, or a combination without a meaning hangs
instead of ending with a message.

Runs the programs that ctest runs for each client, in each cell of the matrix, and prints a table.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import time

SECONDS = 300
REFUSED = {
    "helpers": "helpers do not keep memory coherent by software",
    "emulated": "noncoherent-emulated works with the PEs of one node",
    "two files": "has stored to its part of the file, but this PE does not see it",
}
# Folders of tests/behaviour, and the names of their tests.
CLIENTS = {
    "SHMEM": (r"", r"(conformance_(?!start_pes|setup|memory_debug|.*(inline|fabric))\w+"
                   r"|random_fixed_seed)_3"),
    "coarrays": (r"coarrays", r"caf\.(?!start_|exports|random_minutes|co_reduce_|sync_often"
                 r"|.*_(emulated|file)$)\w+"),
    "PRIF": (r"prif", r"prif\.(procedures|levels|killed)\w*"),
    "DART": (r"dart", r"dart_(onesided|together)_test_3"),
    "runtime layer": (r"runtime_layer/", r"(?!.*(cma|fabric|refused|copies|queries)_3)\w+_3"),
}
MEMORIES = ("shared", "emulated", "file", "two names", "two files")
# One program of each client, with arguments, for the slice and for cells that refuse.
SAMPLE = {"SHMEM": ("conformance_signals_3",), "coarrays": ("caf.hello",),
          "PRIF": ("prif.procedures",), "DART": ("dart_onesided_test_3", "notify"),
          "runtime layer": ("mutex_test_3",)}
# A node that dies takes the words of its PEs along, which these programs want afterwards.
OF_ONE_NODE = {"mutex_deaths_test"}
# Exports the file of the second virtual host to its PEs.
OF_SECOND_HOST = ("sh", "-c", 'test $PMIX_RANK -lt $FIRST || export SHMEM_HEAP=$SECOND; exec "$@"',
                  "sh")


def find_programs(ctest, build):
    """The tests of each client by their names: (command, environment)."""
    shown = subprocess.run([ctest, "--test-dir", build, "--show-only=json-v1"], check=True,
                           stdout=subprocess.PIPE, text=True).stdout
    programs = {client: {} for client in CLIENTS}
    for test in json.loads(shown)["tests"]:
        properties = {entry["name"]: entry["value"] for entry in test["properties"]}
        folder = os.path.relpath(properties["WORKING_DIRECTORY"],
                                 os.path.join(build, "tests/behaviour"))
        environment = dict(text.split("=", 1) for text in properties.get("ENVIRONMENT", [])
                           if "=" in text)
        command = test.get("command", [])
        if "SHMEM_HEAP" in environment or not {"--layouts", "-n"} & set(command):
            continue
        for client, (of_folder, name) in CLIENTS.items():
            if folder.startswith(of_folder) and re.fullmatch(name, test["name"]):
                programs[client][test["name"]] = (command, environment)
    return programs


def in_cell(command, nodes, wrapper):
    """The command with 4 PEs on these nodes; None: the test is for other numbers of nodes."""
    if "--layouts" in command:  # coarray_runs.py
        first = command.index("--layouts") + 1
        end = command.index("--", first)
        layouts = [layout for layout in command[first:end] if ("x" in layout) == (nodes == 2)]
        if not layouts:
            return None, 0
        layout = min(layouts, key=lambda text: abs(int(text.split("x")[0]) - 4))
        if nodes == 2:
            layout = layout.split("x")[0] + "x2"
        pes = int(layout.split("x")[0])
        return [*command[:first], layout, "--", *wrapper, *command[end + 1:]], pes
    if nodes == 2 and OF_ONE_NODE & {os.path.basename(word) for word in command}:
        return None, 0
    at = command.index("-n") + 1
    end = command.index("--timeout") + 2
    return [*command[:at], "4", *command[at + 1:end], *wrapper, *command[end:]], 4


def settings_of(memory, progress, nodes, folder):
    settings = {"SHMEM_PROGRESS": {"helpers": "helpers!"}.get(progress, progress)}
    if nodes == 2:
        settings |= {"SHMEM_VIRTUAL_NODES": "2", "SHMEM_OFI_PROVIDER": "tcp;ofi_rxm"}
    if memory == "emulated":
        return settings | {"SHMEM_HEAP": "noncoherent-emulated", "SHMEM_NONCOHERENT_SEED": "1"}
    if memory != "shared":
        settings |= {"SHMEM_HEAP": f"noncoherent:{folder}/one",
                     "SECOND": f"noncoherent:{folder}/two"}
        if memory == "two names":
            os.symlink("one", f"{folder}/two")
    return settings


def run(command, environment, cell):
    """Returns "right", "refused", None (not for this cell), or what the program printed."""
    memory, progress, nodes = cell
    wrapper = OF_SECOND_HOST if memory.startswith("two ") else ()
    command, pes = in_cell(command, nodes, wrapper)
    if command is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        settings = settings_of(memory, progress, nodes, folder) | {"FIRST": str((pes + 1) // 2)}
        try:
            done = subprocess.run(command, env={**os.environ, **environment, **settings},
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  stdin=subprocess.DEVNULL, errors="replace", check=False,
                                  timeout=SECONDS)
        except subprocess.TimeoutExpired as hung:
            return f"hangs\n{(hung.output or b'').decode(errors='replace')}"
    if done.returncode == 0:
        return "right"
    reason = refusal_of(cell)
    return "refused" if reason and reason in done.stdout else done.stdout


def refusal_of(cell):
    """Returns the message by which the cell refuses each program, or None."""
    memory, progress, nodes = cell
    if memory == "two files" or (memory == "emulated" and nodes == 2):
        return REFUSED[memory]
    return REFUSED["helpers"] if progress == "helpers" and memory != "shared" else None


def cells_of(arguments):
    for memory in arguments.memories:
        for nodes in arguments.nodes:
            if memory.startswith("two ") and nodes == 1:
                continue  # One host has one file.
            for progress in ("none", "thread", "helpers"):
                yield memory, progress, nodes


def summary_of(cell, results):
    """The text of a cell, and what is wrong in it."""
    expected = "refused" if refusal_of(cell) else "right"
    bad = {name: said for name, said in results.items() if said != expected}
    if not results or bad:
        return f"**{len(bad)} of {len(results)} bad**", bad
    return ("refused" if expected == "refused" else f"{len(results)} right"), bad


def tests_of(client, cell, programs, arguments):
    """The tests of a client for this cell by their names: (command, environment)."""
    if arguments.slice or refusal_of(cell):
        name, *more = SAMPLE[client]
        command, environment = programs[client][name]
        return {name: (command + more, environment)}
    return {name: test for name, test in programs[client].items()
            if re.search(arguments.only, name)}


def timed_run(*of_run):
    begin = time.monotonic()
    said = run(*of_run)
    return said, time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ctest")
    parser.add_argument("build")
    parser.add_argument("--slice", action="store_true", help="one program of each client")
    parser.add_argument("--clients", nargs="+", default=list(CLIENTS))
    parser.add_argument("--memories", nargs="+", default=list(MEMORIES))
    parser.add_argument("--nodes", type=int, nargs="+", choices=(1, 2), default=(1, 2))
    parser.add_argument("--only", default="", help="regular expression of names of tests")
    parser.add_argument("--jobs", type=int, default=max(1, len(os.sched_getaffinity(0)) // 2),
                        help="programs at a time; default: one for two cores")
    arguments = parser.parse_args()
    programs = find_programs(arguments.ctest, os.path.abspath(arguments.build))
    begin = time.monotonic()
    wrong = []
    slowest = []
    print(f"| memory | progress | nodes | {' | '.join(arguments.clients)} | seconds |")
    print(f"|{'---|' * (4 + len(arguments.clients))}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        rows = [(cell, [{name: pool.submit(timed_run, *test, cell) for name, test in
                         tests_of(client, cell, programs, arguments).items()}
                        for client in arguments.clients])
                for cell in cells_of(arguments)]
        for cell, row in rows:
            texts = []
            for started in row:
                done = {name: future.result() for name, future in started.items()}
                text, bad = summary_of(cell, {n: said for n, (said, _) in done.items() if said})
                texts.append(text)
                wrong += [f"---- {name} {cell}\n{said[-2000:]}" for name, said in bad.items()]
                slowest += [(seconds, name, cell) for name, (_, seconds) in done.items()]
            seconds = sum(each for each, _, of_cell in slowest if of_cell == cell)
            print(f"| {' | '.join([*map(str, cell), *texts])} | {seconds:.0f} |", flush=True)
    print("\nslowest:", *(f"{seconds:6.1f} s  {name} {cell}"
                          for seconds, name, cell in sorted(slowest, reverse=True)[:10]), sep="\n")
    print(f"\n{len(wrong)} bad, {time.monotonic() - begin:.0f} s with {arguments.jobs} at a time",
          *wrong, sep="\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
