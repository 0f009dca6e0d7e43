#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The interface is complete: libdart-tessera.so exports the functions of interface.txt, the
extensions of dart_tessera.h and nothing else; a C program that calls all of them links with this
library alone, and runs.

interface.txt has the functions of DART 3.2.0 that are not inline in its headers.
"""
import argparse
import os
import re
import subprocess
import tempfile


def output_of(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


def symbols(kind, path):
    lines = output_of("nm", "-D", kind, path).splitlines()
    return {line.split()[-1].split("@")[0] for line in lines}


def compare(what, found, expected):
    if found != expected:
        raise SystemExit(f"{what}: missing {sorted(expected - found)}, "
                         f"more {sorted(found - expected)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("program", "compiler", "library", "include", "oshrun"):
        parser.add_argument("--" + name, required=True)
    arguments = parser.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "interface.txt"), encoding="utf-8") as file:
        interface = set(file.read().split())
    header = os.path.join(arguments.include, "dash", "dart", "if", "dart_tessera.h")
    with open(header, encoding="utf-8") as file:
        interface |= set(re.findall(r"^dart_ret_t (dart_\w+)\(", file.read(), re.MULTILINE))
    compare("exports", symbols("--defined-only", arguments.library), interface)
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "every_function")
        libraries = os.path.dirname(arguments.library)
        subprocess.run([arguments.compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic",
                        "-I", arguments.include, arguments.program,
                        "-o", program, "-L", libraries, "-Wl,-rpath," + libraries,
                        "-ldart-tessera"], check=True)
        called = {name for name in symbols("--undefined-only", program) if name.startswith("dart_")}
        compare("calls of every_function.c", called, interface)
        needed = [line for line in output_of("readelf", "-d", program).splitlines()
                  if "NEEDED" in line and "libc.so" not in line]
        if len(needed) != 1 or "libdart-tessera.so" not in needed[0]:
            raise SystemExit(f"the program needs other libraries: {needed}")
        for options in (["-n", "1"], ["-n", "2"], ["-n", "5"], ["-n", "4", "--virtual-nodes", "2"]):
            done = subprocess.run([arguments.oshrun, *options, "--timeout", "100", program],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True,
                                  text=True)
            units = int(options[1])
            # The program switches messages on by dart_config, and starts DART twice.
            if (done.stdout.count("passed\n") != units or
                    done.stderr.count(f"DART runs: {units} units") != 2 * units):
                raise SystemExit(f"{options}: {done.stdout}{done.stderr}")


main()
