#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""co_reduce of derived types of 1 to 16 bytes, which functions return in registers: every layout of
integers and reals of 1, 2, 4 and 8 bytes, with five operations, as several options compile them.

The script writes programs, compiles them with caf and runs them. Each co_reduce is compared with
the same operations in a loop, where the compiler makes the calls. --every N takes each Nth layout,
from one that the seed draws.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

INTEGERS = {"integer(1)": 1, "integer(2)": 2, "integer(4)": 4, "integer(8)": 8}
REALS = {"real(4)": 4, "real(8)": 8}
COMPONENTS = {**INTEGERS, **REALS}
BYTES_MAX = 16
TYPES_PER_FILE = 100
OPERATIONS = ("sum", "pick", "bits", "extremes", "calls")
SECONDS = 300


def aligned(offset, alignment):
    """The next offset that has the alignment."""
    return -(-offset // alignment) * alignment


def layouts(before=(), offset=0, alignment=1):
    """All lists of components that take up to BYTES_MAX bytes."""
    for name, size in COMPONENTS.items():
        end = aligned(offset, size) + size
        most = max(alignment, size)
        if aligned(end, most) <= BYTES_MAX:
            yield (*before, name)
            yield from layouts((*before, name), end, most)


def of_image(name, place):
    """The value of a component on image i: sums over 9 images fit into a byte."""
    value = f"{(-1) ** place * (place % 2 + 1)} * i"
    return f"{value} / {name[-2]}.0" if name in REALS else value


def operation(name, components, k):
    """The lines of one operation on the type t<k>."""
    places = range(len(components))
    key = f"c{k % len(components)}"
    if name == "sum":
        return [f"r%c{j} = p%c{j} + q%c{j}" for j in places]
    if name == "pick":  # One of the arguments.
        return ["r = p", f"if (q%{key} > p%{key}) r = q"]
    if name == "bits":
        return [f"r%c{j} = max(abs(p%c{j}), abs(q%c{j}))" if part in REALS
                else f"r%c{j} = ieor(p%c{j}, q%c{j})" for j, part in enumerate(components)]
    lines = [f"r%c{j} = {('max', 'min')[j % 2]}(p%c{j}, q%c{j})" for j in places]
    if name == "calls":  # Calls leave values in the registers of results.
        lines.append(f"if (hypot(real(r%{key}, 8), exp(real(q%{key}, 8))) < 0) r%{key} = 7")
    return lines


def module(number, types):
    """A module with some types: (k, components, names of operations) each."""
    lines = ["! SPDX-License-Identifier: BSD-3-Clause", f"module layouts{number}", "implicit none",
             "integer :: wrong = 0"]
    for k, components, names in types:
        lines += [f"type t{k}", *(f"{name} :: c{j}" for j, name in enumerate(components)),
                  "end type"]
    lines.append("contains")
    for k, components, names in types:
        for name in names:
            lines += [f"pure function {name}{k}(p, q) result(r)", f"type(t{k}), intent(in) :: p, q",
                      f"type(t{k}) :: r", *operation(name, components, k), "end function"]
        lines += [f"pure function value{k}(i) result(r)", "integer, intent(in) :: i",
                  f"type(t{k}) :: r", *(f"r%c{j} = {of_image(name, j)}"
                                        for j, name in enumerate(components)), "end function"]
        same = " .and. &\n".join(f"s%c{j} == e%c{j}" for j in range(len(components)))
        short = " ".join(part[0] + part[-2] for part in components)
        lines += [f"subroutine check{k}(f, name)", "interface",
                  "pure function f(p, q) result(r)", f"import :: t{k}",
                  f"type(t{k}), intent(in) :: p, q", f"type(t{k}) :: r", "end function",
                  "end interface", "character(*), intent(in) :: name",
                  f"type(t{k}) :: s, e", "integer :: i",
                  f"s = value{k}(this_image())", "call co_reduce(s, f)", f"e = value{k}(1)",
                  "do i = 2, num_images()", f"e = f(e, value{k}(i))", "end do",
                  f"if (.not. ({same})) call complain(name // ' of &", f"&{short}')",
                  "end subroutine"]
    lines += ["subroutine complain(what)", "character(*), intent(in) :: what", "wrong = wrong + 1",
              "print *, 'WRONG', what", "end subroutine", "subroutine check_all()",
              *(f"call check{k}({name}{k}, '{name}')"
                for k, _, names in types for name in names),
              "end subroutine", "end module"]
    return "\n".join(lines) + "\n"


def write(folder, chosen):
    """Writes the sources. Returns their names, the program last."""
    parts = [chosen[i:i + TYPES_PER_FILE] for i in range(0, len(chosen), TYPES_PER_FILE)]
    names = []
    for number, part in enumerate(parts):
        names.append(f"layouts{number}.f90")
        with open(os.path.join(folder, names[-1]), "w", encoding="utf-8") as source:
            source.write(module(number, part))
    numbers = range(len(parts))
    with open(os.path.join(folder, "main.f90"), "w", encoding="utf-8") as source:
        source.write("\n".join([
            "program main", *(f"use layouts{n}, only: check{n} => check_all, wrong{n} => wrong"
                              for n in numbers),
            "implicit none", "integer :: wrong", *(f"call check{n}()" for n in numbers),
            f"wrong = {' + '.join(f'wrong{n}' for n in numbers)}", "call co_sum(wrong)",
            "if (this_image() == 1) print '(i0, a)', wrong, ' wrong'", "if (wrong /= 0) error stop",
            "end program"]) + "\n")
    return [*names, "main.f90"]


def run(arguments, program, layout):
    """Runs the program with a layout, as coarray_runs.py has it. Returns the complaint, or None."""
    images, _, nodes = layout.partition("x")
    environment = {**os.environ, "SHMEM_SYMMETRIC_SIZE": "64M"}
    if nodes:
        environment |= {"SHMEM_VIRTUAL_NODES": nodes, "SHMEM_OFI_PROVIDER": "tcp;ofi_rxm"}
    done = subprocess.run([arguments.oshrun, "-n", images, "--timeout", str(SECONDS), program],
                          env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, text=True, errors="replace", check=False)
    if done.returncode == 0 and re.search("^0 wrong$", done.stdout, re.MULTILINE):
        return None
    return f"status {done.returncode}\n" + done.stdout[-4000:]


def main():
    """Exits with 0 if all is right."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--caf", required=True)
    parser.add_argument("--oshrun", required=True)
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--operations", type=int, default=len(OPERATIONS), metavar="N",
                        help="so many of each layout, drawn")
    parser.add_argument("--options", nargs="+", required=True, metavar="'-O2 ...'",
                        help="of the compiler, one word for each compilation, with a space first")
    parser.add_argument("--layouts", nargs="+", default=["3"], metavar="3x3")
    arguments = parser.parse_args()
    seed = int(os.environ.get("TESSERA_TEST_SEED", random.randrange(1 << 30)))
    print(f"TESSERA_TEST_SEED={seed}")
    draw = random.Random(seed)
    chosen = [(k, components, draw.sample(OPERATIONS, arguments.operations))
              for k, components in enumerate(layouts())]
    chosen = chosen[seed % arguments.every::arguments.every]
    failed = False
    for options in arguments.options:
        with tempfile.TemporaryDirectory() as folder:
            sources = write(folder, chosen)
            subprocess.run([arguments.caf, *options.split(), "-w", *sources, "-o", "program"],
                           cwd=folder, check=True)
            for layout in arguments.layouts:
                complaint = run(arguments, os.path.join(folder, "program"), layout)
                failed = failed or complaint is not None
                print(f"{len(chosen)} layouts x {arguments.operations} operations, "
                      f"{options.strip()}, "
                      f"{layout}: {complaint or 'right'}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
