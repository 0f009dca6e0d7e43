#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Breaks when a Fortran routine of OpenSHMEM 1.0 to 1.4 is missing, or does something else.

usage: old_test.py OSHFORT OSHRUN LIBRARY WORK    LIBRARY: libtessera_fortran.a

old_names.txt has all names of the specifications' synopses. For each one the test writes lines of a
program, which call it and compare the result. The program is compiled in fixed and in free form,
with shmem.fh, mpp/shmem.fh and without, and runs with several PEs and virtual nodes.
"""

import os
import re
import subprocess
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
BYTES = {"character": 1, "complex": 8, "double": 8, "integer": 4, "logical": 4, "real": 4, "4": 4,
         "8": 8, "32": 4, "64": 8, "128": 16, "mem": 1, "": 8}
KINDS = {"int4": "integer(4)", "int8": "integer(8)", "real4": "real(4)", "real8": "real(8)",
         "real16": "real(16)", "comp4": "complex(4)", "comp8": "complex(8)"}
LETTERS = {"int4": "i", "int8": "j", "real4": "e", "real8": "f", "real16": "q", "comp4": "c",
           "comp8": "z"}
REDUCED = {"sum": "n * (n + 1) / 2", "prod": "product", "max": "n", "min": "1",
           "and": "all_and", "or": "all_or", "xor": "all_xor"}
# Routines whose lines stand in SINGLE.
SINGLE_NAMES = """start_pes my_pe num_pes shmem_my_pe shmem_n_pes shmem_init shmem_finalize
    shmem_barrier_all shmem_fence shmem_quiet shmem_global_exit shmem_pe_accessible
    shmem_addr_accessible shmem_ptr shmem_info_get_version shmem_info_get_name
    shmem_set_lock shmem_test_lock shmem_clear_lock shpalloc shpdeallc shpclmove
    shmem_clear_cache_inv shmem_set_cache_inv shmem_udcflush
    shmem_set_cache_line_inv shmem_clear_cache_line_inv shmem_udcflush_line
    shmem_swap shmem_wait shmem_wait_until shmem_int4_wait shmem_int4_wait_until
    shmem_int8_wait shmem_int8_wait_until shmem_barrier""".split()
BEGIN = """      program old
      implicit none
@INCLUDE@
      integer shmem_my_pe, shmem_n_pes, my_pe, num_pes
      integer shmem_test_lock, shmem_swap
      logical shmem_pe_accessible, shmem_addr_accessible
      integer*8 shmem_ptr
      integer*4 shmem_int4_fetch, shmem_int4_swap, shmem_int4_cswap
      integer*4 shmem_int4_finc, shmem_int4_fadd
      integer*8 shmem_int8_fetch, shmem_int8_swap, shmem_int8_cswap
      integer*8 shmem_int8_finc, shmem_int8_fadd
      real*4 shmem_real4_fetch, shmem_real4_swap
      real*8 shmem_real8_fetch, shmem_real8_swap
      integer me, n, next, prev, k, code, product
      integer all_and, all_or, all_xor
      integer*8 long
      character*80 name
      integer pad, p(64), w(512), lock, flag, major, minor
      integer d(512), s(512)
      integer heap(8)
      pointer (addr, heap)
      integer*8 before
      integer*4 i(4), i2(4)
      integer*8 j(4), j2(4)
      real*4 e(4), e2(4)
      real*8 f(4), f2(4)
      real*16 q(4), q2(4)
      complex*8 c(4), c2(4)
      complex*16 z(4), z2(4)
      save pad, p, w, lock, flag, d, s, i, i2, j, j2, e, e2, f, f2
      save q, q2, c, c2, z, z2
      data p /64*0/, lock /0/, flag /0/
      call start_pes(0)
      me = shmem_my_pe()
      n = shmem_n_pes()
      if (me .ne. my_pe() .or. n .ne. num_pes()) call wrong('my_pe')
      next = mod(me + 1, n)
      prev = mod(me + n - 1, n)
      product = 1
      all_and = -1
      all_or = 0
      all_xor = 0
      do k = 1, n
        product = product * k
        all_and = iand(all_and, k)
        all_or = ior(all_or, k)
        all_xor = ieor(all_xor, k)
      end do
"""
SINGLE = """      call shmem_init()
      call shmem_finalize()
      if (.not. shmem_pe_accessible(n - 1)) call wrong('pe_access')
      if (shmem_pe_accessible(n)) call wrong('pe_access')
      if (.not. shmem_addr_accessible(d, 0)) call wrong('addr')
      if (shmem_addr_accessible(me, 0)) call wrong('addr')
      if (shmem_ptr(d, me) .ne. loc(d)) call wrong('ptr')
      call shmem_info_get_version(major, minor)
      if (major .ne. 1 .or. minor .lt. 4) call wrong('version')
      call shmem_info_get_name(name)
      if (name(1:8) .ne. 'Tessera ') call wrong('name')
      if (name(80:80) .ne. ' ') call wrong('name')
      call shmem_clear_cache_inv
      call shmem_set_cache_inv
      call shmem_udcflush
      call shmem_set_cache_line_inv(d)
      call shmem_clear_cache_line_inv(d)
      call shmem_udcflush_line(d)
      flag = 0
      call shmem_barrier(0, 0, n, p)
      call shmem_set_lock(lock)
      k = 0
      call shmem_integer_get(k, flag, 1, 0)
      k = k + 1
      call shmem_integer_put(flag, k, 1, 0)
      call shmem_quiet
      call shmem_clear_lock(lock)
      call shmem_barrier(0, 0, n, p(2))
      if (me .eq. 0 .and. flag .ne. n) call wrong('lock')
      if (me .eq. n - 1) then
        if (shmem_test_lock(lock) .ne. 0) call wrong('test_lock')
        if (shmem_test_lock(lock) .ne. 1) call wrong('test_lock')
        call shmem_clear_lock(lock)
      end if
      call shmem_barrier_all
      flag = me
      call shmem_barrier_all
      if (shmem_swap(flag, 100 + me, next) .ne. next) call wrong('swap')
      call shmem_wait(flag, me)
      call shmem_wait_until(flag, 1, 100 + prev)
      call shmem_fence
      i(1) = 5
      j(1) = 5
      long = 4
      call shmem_barrier_all
      call shmem_int4_wait(i, 4)
      call shmem_int4_wait_until(i, 1, 5)
      call shmem_int8_wait(j, long)
      long = 5
      call shmem_int8_wait_until(j, 1, long)
      call shpalloc(addr, 0, code, 0)
      if (code .ne. -1) call wrong('shpalloc')
      call shpalloc(addr, 1000000000, code, 0)
      if (code .ne. -2) call wrong('shpalloc')
      call shpalloc(addr, 4, code, 1)
      if (code .ne. 0) call wrong('shpalloc')
      heap(4) = me
      before = loc(heap)
      call shpclmove(addr, 1000, code, 1)
      if (heap(4) .ne. me) call wrong('shpclmove')
      if (code .eq. 0 .neqv. loc(heap) .eq. before)                     &
     &  call wrong('shpclmove')
      call shmem_put4(heap(1), me, 1, next)
      call shmem_barrier_all
      if (heap(1) .ne. prev) call wrong('put to shpalloc')
      call shpdeallc(addr, code, 1)
      if (code .ne. 0) call wrong('shpdeallc')
      addr = loc(me)
      call shpdeallc(addr, code, 0)
      if (code .ne. -3) call wrong('shpdeallc')
      print *, 'right', me
      call flush(6)
      call shmem_barrier_all
      call shmem_global_exit(0)
      end
      subroutine wrong(text)
      character*(*) text
      print *, 'wrong: ', text
      call shmem_global_exit(1)
      end
"""


def move(action, kind, tail):
    """4 elements, or their words, go around the ring; not a word more changes."""
    words = BYTES[kind]
    step = 2 if action.startswith("i") else 1
    size = max(words // 4, 1)  # words of an element
    count = 4 if words > 1 else 16
    stem = action[1:] if step == 2 else action
    peer, giver = ("next", "prev") if stem == "put" else ("next", "next")
    name = f"shmem_{kind}_{action}{tail}" if kind.isalpha() and kind != "mem" \
        else f"shmem_{action}{kind}{tail}"
    strides = "1, 2, " if step == 2 else ""
    yield from ("do k = 1, 512", "s(k) = 1000 * me + k", "d(k) = -1", "end do",
                "call shmem_barrier_all", f"call {name}(d, s, {strides}{count}, {peer})",
                "call shmem_barrier_all", f"do k = 0, {4 * size - 1}",
                f"if (d(k + 1) .ne. 1000 * {giver} + k + 1 +",
                f"+  {size if step == 2 else 0} * (k / {size}))",
                f"+  call wrong('{name}')", "end do",
                f"if (d({4 * size + 1}) .ne. -1) call wrong('{name}')")


def spread(action, kind):
    """Collectives of 2 elements."""
    size = BYTES[kind] // 4
    name = f"shmem_{action}{kind}"
    root, strides = "0, " if action == "broadcast" else "", "1, 1, " if action[-1] == "s" else ""
    yield from ("do k = 1, 512", "s(k) = 1000 * me + k", "d(k) = -1", "end do",
                "call shmem_barrier_all",
                f"call {name}(d, s, {strides}2, {root}0, 0,", "+  n, p)",
                "call shmem_barrier_all")
    mine = f"{2 * size} * me" if action.startswith("alltoall") else "0"
    if action == "broadcast":
        yield from ("if (me .ne. 0) then", f"if (d({2 * size}) .ne. {2 * size})",
                    f"+  call wrong('{name}')", "end if")
    else:
        yield from ("do k = 0, n - 1",
                    f"if (d({2 * size} * k + 1) .ne. 1000 * k + {mine} + 1)",
                    f"+  call wrong('{name}')", "end do")


def reduce(row, operation):
    name, letter = f"shmem_{row}_{operation}_to_all", LETTERS[row]
    yield from (f"{letter} = me + 1", "call shmem_barrier_all",
                f"call {name}({letter}2, {letter}, 3, 0, 0,", "+  n, w, p)",
                f"if ({letter}2(3) .ne. {REDUCED[operation]})", f"+  call wrong('{name}')")


def atomic(row, action):
    name, letter = f"shmem_{row}_{action}", LETTERS[row]
    value = {"int4": "3", "int8": "3_8", "real4": "3.0", "real8": "3d0"}[row]
    mine = "next + 1" if row != "int8" else "next + 1_8"
    arguments = {"cswap": f"{letter}, {mine}, {value}, next",
                 "add": f"{letter}, {value}, next", "fadd": f"{letter}, {value}, next",
                 "set": f"{letter}, {value}, next", "swap": f"{letter}, {value}, next"}
    after = {"inc": "me + 2", "finc": "me + 2", "add": "me + 4", "fadd": "me + 4",
             "fetch": "me + 1"}.get(action, "3")
    yield from (f"{letter} = me + 1", "call shmem_barrier_all")
    call = f"{name}({arguments.get(action, letter + ', next')})"
    if action in ("fetch", "swap", "cswap", "finc", "fadd"):
        yield from (f"if ({call}", "+  .ne. next + 1)", f"+  call wrong('{name}')")
    else:
        yield f"call {call}"
    yield from ("call shmem_barrier_all", f"if ({letter}(1) .ne. {after}) call wrong('{name}')")


def lines_for(name):
    kind = "|".join(sorted(BYTES, key=len, reverse=True))
    for pattern, make in (
            (rf"shmem_({kind})_(i?(?:put|get))(|_nbi)", lambda k, a, t: move(a, k, t)),
            (rf"shmem_(i?(?:put|get))({kind})(|_nbi)", move),
            (rf"shmem_(broadcast|f?collect|alltoalls?)({kind})", spread),
            (r"shmem_(\w+)_(and|or|xor|max|min|sum|prod)_to_all", reduce),
            (r"shmem_(int[48]|real[48])_(\w+)", atomic)):
        match = re.fullmatch(pattern, name)
        if match:
            return make(*match.groups())
    raise SystemExit(f"no rule for {name}")


def program(names, include):
    """Lines that are right in both forms: a continuation has & in columns 6 and 73."""
    text = BEGIN.replace("@INCLUDE@", include)
    for name in names:
        if name in SINGLE_NAMES:
            continue
        lines = list(lines_for(name))
        for line, following in zip(lines, lines[1:] + [""]):
            line = "     &" + line[1:] if line.startswith("+") else "      " + line
            text += (f"{line:<72}&" if following.startswith("+") else line) + "\n"
    return text + SINGLE


# The compiler keeps `a` on the stack.
UNSAVED = """      program unsaved
      include 'shmem.fh'
      integer a(4)
      call start_pes(0)
      call shmem_integer_put(a, a, 4, 0)
      end
"""


def check_unsaved(oshfort, oshrun, path):
    """The message on a variable of the main program without save names the cure."""
    with open(path + ".f", "w", encoding="utf-8") as file:
        file.write(UNSAVED)
    run(oshfort, "-frecursive", path + ".f", "-o", path)
    done = subprocess.run([oshrun, "-n", "1", path], capture_output=True, text=True, check=False)
    if done.returncode == 0 or "in Fortran, give it the attribute save" not in done.stderr:
        raise SystemExit(f"a variable without save: {done.stdout}{done.stderr}")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}:\n{done.stdout}{done.stderr}"[:6000])
    return done.stdout


def main():
    oshfort, oshrun, library, work = sys.argv[1:]
    with open(os.path.join(FOLDER, "old_names.txt"), encoding="utf-8") as file:
        names = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    there = set(re.findall(r" W (\w+)_$", run("nm", library), re.MULTILINE))
    if there != set(names):
        raise SystemExit(f"not in both lists: {sorted(there ^ set(names))}")
    path = os.path.join(work, "old_program")
    for form, include in (("fixed", "      include 'shmem.fh'"),
                          ("free", "      include 'mpp/shmem.fh'"), ("fixed", "")):
        source = path + (".f" if form == "fixed" else ".f90")
        with open(source, "w", encoding="utf-8") as file:
            file.write(program(names, include))
        # Without the header gfortran compares the calls of a routine with each other.
        checks = [] if include else ["-std=legacy"]
        run(oshfort, *checks, "-g", "-O1", source, "-o", path)
        for layout in (["-n", "1"], ["-n", "3"], ["-n", "4", "--virtual-nodes", "2"]):
            shown = run(oshrun, *layout, "-x", "SHMEM_SYMMETRIC_SIZE=64M", path)
            if shown.count("right") != int(layout[1]):
                raise SystemExit(f"{form} {layout}:\n{shown}")
    check_unsaved(oshfort, oshrun, path)
    print(f"{len(names)} names")


if __name__ == "__main__":
    main()
