# SPDX-License-Identifier: BSD-3-Clause
"""The Fortran interface of OpenSHMEM 1.0 to 1.4: its routines, as one table. Used by generate.py.

A routine is a C function with a _ behind its name, which takes addresses and calls a routine of
shmem.h; those that need more are in old.c.in. shmem.fh makes each name generic, because programs
may declare the names of routines again, and generic names allow that.
"""

from dataclasses import dataclass

# Argument -> (type in C, type in Fortran). Data has any type and rank; so do pSync, pWrk and locks,
# because programs declare them in several ways.
TYPES = {
    "data": ("void*", None), "count": ("const int*", "integer"),
    "int4": ("const int32_t*", "integer(4)"), "int8": ("const int64_t*", "integer(8)"),
    "real4": ("const float*", "real(4)"), "real8": ("const double*", "real(8)"),
    "pointer": ("void**", "integer(8)"), "out": ("int*", "integer"), "text": ("char*", None),
}
RESULTS = {"int4": ("int32_t", "integer(4)"), "int8": ("int64_t", "integer(8)"),
           "real4": ("float", "real(4)"), "real8": ("double", "real(8)"),
           "logical": ("int", "logical"), "integer": ("int", "integer")}
# The names of types in both languages.
ELEMENTS = {"int4": "int", "int8": "long", "real4": "float", "real8": "double",
            "comp4": "complexf", "comp8": "complexd"}
# Names of put and get -> the bits of an element.
MOVED = {"character_{}": 8, "complex_{}": 64, "double_{}": 64, "integer_{}": 32,
         "logical_{}": 32, "real_{}": 32, "{}4": 32, "{}8": 64, "{}32": 32, "{}64": 64,
         "{}128": 128}
SET = (("count", "PE_start"), ("count", "logPE_stride"), ("count", "PE_size"))
IN_C = "*PE_start, *logPE_stride, *PE_size"
SYNC = ("data", "pSync")


@dataclass
class Routine:
    name: str
    arguments: list
    call: str = ""      # the expression in C; none: old.c.in has the function
    result: str = ""
    in_header: bool = True


def moves():
    """put, get, iput, iget and the nonblocking ones."""
    transfer = [("data", "dest"), ("data", "source"), ("count", "nelems"), ("count", "pe")]
    strided = transfer[:2] + [("count", "dst"), ("count", "sst")] + transfer[2:]
    for action in ("put", "get", "put_nbi", "get_nbi"):
        stem, _, tail = action.partition("_")
        tail = tail and "_" + tail
        names = {**MOVED, "{}mem": 0, **({} if tail else {"{}": 64})}
        for pattern, bits in names.items():
            c_name = f"shmem_{stem}{bits or 'mem'}{tail}"
            yield Routine(f"shmem_{pattern.format(stem)}{tail}", transfer,
                          f"{c_name}(dest, source, (size_t)*nelems, *pe)")
    for action in ("iput", "iget"):
        for pattern, bits in MOVED.items():
            if bits != 8:
                yield Routine(f"shmem_{pattern.format(action)}", strided,
                              f"shmem_{action}{bits}(dest, source, *dst, *sst, "
                              "(size_t)*nelems, *pe)")


def atomics():
    dest, pe = ("data", "dest"), ("count", "pe")
    for row in ("int4", "int8", "real4", "real8"):
        name, kind, value = f"shmem_{row}_", ELEMENTS[row], (row, "value")
        routine = f"shmem_{kind}_atomic_"
        yield Routine(name + "fetch", [("data", "source"), pe], f"{routine}fetch(source, *pe)",
                      row)
        yield Routine(name + "set", [dest, value, pe], f"{routine}set(dest, *value, *pe)")
        yield Routine(name + "swap", [dest, value, pe], f"{routine}swap(dest, *value, *pe)", row)
        if row.startswith("real"):
            continue
        yield Routine(name + "cswap", [dest, (row, "cond"), value, pe],
                      f"{routine}compare_swap(dest, *cond, *value, *pe)", row)
        yield Routine(name + "finc", [dest, pe], f"{routine}fetch_inc(dest, *pe)", row)
        yield Routine(name + "inc", [dest, pe], f"{routine}inc(dest, *pe)")
        yield Routine(name + "fadd", [dest, value, pe], f"{routine}fetch_add(dest, *value, *pe)",
                      row)
        yield Routine(name + "add", [dest, value, pe], f"{routine}add(dest, *value, *pe)")
    yield Routine("shmem_swap", [dest, ("count", "value"), pe],
                  "shmem_int_atomic_swap(dest, *value, *pe)", "integer")


def waits():
    for name, row in (("shmem_", "count"), ("shmem_int4_", "int4"), ("shmem_int8_", "int8")):
        wait = f"shmem_{ELEMENTS.get(row, 'int')}_wait_until"
        yield Routine(name + "wait", [("data", "ivar"), (row, "value")],
                      f"{wait}(ivar, SHMEM_CMP_NE, *value)")
        yield Routine(name + "wait_until", [("data", "ivar"), ("count", "cmp"), (row, "value")],
                      f"{wait}(ivar, *cmp, *value)")


def collectives():
    arrays = [("data", "dest"), ("data", "source")]
    yield Routine("shmem_barrier", [*SET, SYNC], f"shmem_barrier({IN_C}, SYNC(pSync))")
    for suffix, bits in (("4", 32), ("8", 64), ("32", 32), ("64", 64)):
        yield Routine(f"shmem_broadcast{suffix}",
                      [*arrays, ("count", "nelems"), ("count", "PE_root"), *SET, SYNC],
                      f"shmem_broadcast{bits}(dest, source, (size_t)*nelems, *PE_root, {IN_C}, "
                      "SYNC(pSync))")
        for action in ("collect", "fcollect", *(["alltoall"] if suffix in ("32", "64") else [])):
            yield Routine(f"shmem_{action}{suffix}", [*arrays, ("count", "nelems"), *SET, SYNC],
                          f"shmem_{action}{bits}(dest, source, (size_t)*nelems, {IN_C}, "
                          "SYNC(pSync))")
    for bits in (32, 64):
        yield Routine(f"shmem_alltoalls{bits}",
                      [*arrays, ("count", "dst"), ("count", "sst"), ("count", "nelems"), *SET,
                       SYNC],
                      f"shmem_alltoalls{bits}(dest, source, *dst, *sst, (size_t)*nelems, {IN_C}, "
                      "SYNC(pSync))")
    reduced = [*arrays, ("count", "nreduce"), *SET, ("data", "pWrk"), SYNC]
    of = {"and": 2, "or": 2, "xor": 2, "max": 4, "min": 4, "sum": 6, "prod": 6}
    for operation, rows in of.items():
        for row, kind in list(ELEMENTS.items())[:rows]:
            yield Routine(f"shmem_{row}_{operation}_to_all", reduced,
                          f"shmem_{kind}_{operation}_to_all(dest, source, *nreduce, {IN_C}, pWrk, "
                          "SYNC(pSync))")
        if rows > 2:
            yield Routine(f"shmem_real16_{operation}_to_all", reduced,
                          "(void)pWrk;\n    reduce_quads(dest, source, *nreduce, "
                          f"{IN_C}, SYNC(pSync), quad_{operation})")


def others():
    pe, lock = ("count", "pe"), ("data", "lock")
    yield Routine("start_pes", [("count", "npes")], "start_pes(*npes)")
    # Programs have variables of these names. Fortran takes both names for integers.
    yield Routine("my_pe", [], "shmem_my_pe()", "integer", in_header=False)
    yield Routine("num_pes", [], "shmem_n_pes()", "integer", in_header=False)
    for name, result in (("my_pe", "integer"), ("n_pes", "integer"), ("init", ""),
                         ("finalize", ""), ("barrier_all", ""), ("fence", ""), ("quiet", "")):
        yield Routine("shmem_" + name, [], f"shmem_{name}()", result)
    yield Routine("shmem_global_exit", [("count", "status")], "shmem_global_exit(*status)")
    yield Routine("shmem_pe_accessible", [pe], "shmem_pe_accessible(*pe)", "logical")
    yield Routine("shmem_addr_accessible", [("data", "addr"), pe],
                  "shmem_addr_accessible(addr, *pe)", "logical")
    yield Routine("shmem_ptr", [("data", "dest"), pe], "(int64_t)shmem_ptr(dest, *pe)", "int8")
    yield Routine("shmem_info_get_version", [("out", "major"), ("out", "minor")],
                  "shmem_info_get_version(major, minor)")
    yield Routine("shmem_info_get_name", [("text", "name")])
    yield Routine("shmem_set_lock", [lock])
    yield Routine("shmem_test_lock", [lock], "", "integer")
    yield Routine("shmem_clear_lock", [lock])
    ending = [("out", "errcode"), ("count", "abort")]
    yield Routine("shpalloc", [("pointer", "addr"), ("count", "length"), *ending])
    yield Routine("shpdeallc", [("pointer", "addr"), *ending])
    yield Routine("shpclmove", [("pointer", "addr"), ("count", "length"), *ending])
    # There is no cache to speak of.
    for name in ("clear_cache_inv", "set_cache_inv", "udcflush"):
        yield Routine("shmem_" + name, [], "(void)0")
    for name in ("set_cache_line_inv", "clear_cache_line_inv", "udcflush_line"):
        yield Routine("shmem_" + name, [("data", "dest")], "(void)dest")


def routines():
    return [*others(), *moves(), *atomics(), *waits(), *collectives()]


def in_c(routine):
    """The function, and the name that programs without shmem.fh call."""
    result = RESULTS[routine.result][0] if routine.result else "void"
    parameters = ", ".join(f"{TYPES[kind][0]} {name}" for kind, name in routine.arguments)
    internal = "shmem_internal_" + routine.name.removeprefix("shmem_") + "_"
    if routine.call:
        body = f" {{\n    {'return ' if routine.result else ''}{routine.call};\n}}"
    else:
        body = ";"
    hidden = ", size_t length" if ("text", "name") in routine.arguments else ""
    signature = f"({parameters or 'void'}{hidden})"
    if not routine.in_header:
        return f"__attribute__((weak)) {result} {routine.name}_{signature}{body}\n"
    return (f"{result} {internal}{signature}{body}\n"
            f"{result} {routine.name}_{signature} __attribute__((weak, alias(\"{internal}\")));\n")


def in_fortran(routine):
    """The interface in shmem.fh, in lines that are right in fixed and in free form."""
    internal = "shmem_internal_" + routine.name.removeprefix("shmem_")
    short = {name: chr(ord("a") + number) for number, (_, name) in enumerate(routine.arguments)}
    word = "function" if routine.result else "subroutine"
    lines = [f"interface {routine.name}", f"{word} {internal}({','.join(short.values())})"]
    free = [short[name] for kind, name in routine.arguments if kind == "data"]
    if free:
        lines += [f"!GCC$ ATTRIBUTES NO_ARG_CHECK :: {','.join(free)}",
                  f"integer {','.join(name + '(*)' for name in free)}"]
    for kind, name in routine.arguments:
        if kind == "text":
            lines.append(f"character(*) {short[name]}")
        elif kind != "data":
            lines.append(f"{TYPES[kind][1]} {short[name]}")
    if routine.result:
        lines.append(f"{RESULTS[routine.result][1]} {internal}")
    lines += [f"end {word}", "end interface"]
    return "\n".join(line if line.startswith("!") else "      " + line for line in lines)


def fill_c(template):
    return template.replace("@ROUTINES@", "\n".join(map(in_c, routines())))


def header(constants, vendor):
    """shmem.fh. constants: [(name, value)]."""
    lines = ["! SPDX-License-Identifier: BSD-3-Clause",
             "! OpenSHMEM 1.4 in Fortran, fixed and free form: docs/run/fortran.md.",
             "! tools/oshfort/generate.py makes this file."]
    for name, value in constants:
        lines += [f"      integer {name}", f"      parameter ({name} = {value})"]
    lines += [f"      character*{len(vendor)} SHMEM_VENDOR_STRING",
              f"      parameter (SHMEM_VENDOR_STRING = '{vendor}')"]
    lines += [in_fortran(routine) for routine in routines() if routine.in_header]
    text = "\n".join(lines) + "\n"
    too_long = [line for line in text.split("\n") if len(line) > 72]
    if too_long:
        raise SystemExit("shmem.fh: too long for the fixed form: " + too_long[0])
    return text

