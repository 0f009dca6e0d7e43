# SPDX-License-Identifier: BSD-3-Clause
"""Breaks when a header declares a routine that it must not, lacks one, gives it another type, or
lets a name out that programs may use themselves.

Compares the declarations with symbols.txt (shmemx.h and the headers of its folder have the names of
extensions.txt, and others),
name by name and part by part, redeclares every listed routine with the listed prototype, and
compares all macros and types with the lists and the one prefix that implementation names have.
"""

import re

import declarations
import headers

TYPEDEFS = {"shmem_ctx_t", "shmem_team_t", "shmem_team_config_t", "shmem_ctx_session_config_t"}
EXTENSION_TYPE = re.compile(r"shmemx_\w+_t$")
# The type-generic names of <shmemx.h>.
GENERIC_EXTENSIONS = {"shmemx_ibput", "shmemx_ibget", "shmemx_sum_inscan", "shmemx_sum_exscan",
                      "shmemx_signal_add", "shmemx_signal_set"}
GENERIC_EXTENSIONS |= {f"shmemx_{name}_req" for name in ("put", "get", "put_signal")}
GENERIC_EXTENSIONS |= {
    f"shmemx_atomic_{name}_req"
    for name in ("fetch", "set", "swap", "compare_swap", "fetch_inc", "inc", "fetch_add", "add",
                 "fetch_and", "and", "fetch_or", "or", "fetch_xor", "xor")}
INTERNAL = re.compile(r"SHMEM_INTERNAL_|shmem_internal_")
# Programs know a library with the features of OpenSHMEM 1.5 by these (docs/run/porting.md).
KNOWN_BY = {"SHMEM_DEF_H", "SHMEM_FUNCTION_ATTRIBUTES"}
# The routines that OpenSHMEM 1.5 has removed.
REMOVED = {f"shmem_{name}" for name in ("set_cache_inv", "clear_cache_inv", "set_cache_line_inv",
                                        "clear_cache_line_inv", "udcflush", "udcflush_line")}
INCLUDED_BY_US = "#include <stddef.h>\n#include <stdint.h>\n"


def names_of(found, kind):
    return [name for _, this_kind, name in found if this_kind == kind]


def has_generic_macros(standard):
    return headers.language(standard) == "c" and standard != "c99"


def check_declarations(compiler, standard, symbols, generics, failures):
    done = compiler.run("#include <pshmem.h>\n#include <pshmemx.h>\n", standard, "-E")
    failures.check(done.returncode == 0, done.stderr)
    found, tags = declarations.declared(done.stdout, compiler.include)

    for name in names_of(found, "unknown"):
        failures.add(f"{standard}: a declaration that the test does not understand: {name}")
    public = [(header, name) for header, kind, name in found
              if kind == "function" and header.startswith("shmem/") and not INTERNAL.match(name)]
    failures.check(len(public) == len(set(public)), f"{standard}: a routine is declared twice")
    failures.same_set(f"{standard}: routines by header", map("{0[0]} {0[1]}".format, public),
                      (f"shmem/{routine.part} {name}" for name, routine in symbols.items()))

    extensions = [name for header, kind, name in found
                  if kind == "function" and declarations.is_of_extensions(header)]
    failures.check(len(extensions) == len(set(extensions)), f"{standard}: shmemx.h repeats a name")
    missing = set(headers.read_symbols("extensions.txt")) - set(extensions)
    failures.check(not missing, f"{standard}: not in shmemx.h: {sorted(missing)}")

    for own, routines in (("pshmem.h", symbols), ("pshmemx.h", extensions)):
        profiling = [name for header, kind, name in found
                     if kind in ("twin", "function") and header == own]
        failures.check(len(profiling) == len(set(profiling)), f"{standard}: {own} repeats a name")
        failures.same_set(f"{standard}: {own}", profiling, ("p" + name for name in routines))

    want = [*generics, *GENERIC_EXTENSIONS] if headers.language(standard) == "c++" else []
    failures.same_set(f"{standard}: overloads", names_of(found, "overload"), want)

    types = [(header, name) for header, kind, name in found
             if kind == "typedef" and not INTERNAL.match(name)]
    failures.same_set(f"{standard}: types",
                      (name for header, name in types
                       if not declarations.is_of_extensions(header)), TYPEDEFS)
    for header, name in types:
        failures.check(not declarations.is_of_extensions(header) or EXTENSION_TYPE.match(name),
                       f"{standard}: the type {name} is not called shmemx_..._t")
    for tag in tags:
        failures.check(INTERNAL.match(tag), f"{standard}: struct {tag} lacks the prefix")


def check_types(compiler, standard, symbols, failures):
    """A second declaration with another type is an error in C, and for extern "C" in C++."""
    lines = ["#include <pshmem.h>", "#include <pshmemx.h>"]
    lines += ["#ifdef __cplusplus", 'extern "C" {', "#endif"]
    for routine in symbols.values():
        lines += [routine.declaration(), routine.declaration("p")]
    for routine in headers.read_symbols("extensions.txt").values():
        lines += [routine.declaration(), routine.declaration("p")]
    lines += ["#ifdef __cplusplus", "}", "#endif", ""]
    errors = compiler.accepts("\n".join(lines), standard, *headers.WARNINGS)
    failures.check(not errors, f"{standard}: other types than symbols.txt:\n{errors[:2000]}")


def macros(compiler, text, standard):
    done = compiler.run(text, standard, "-E", "-dM")
    return set(re.findall(r"^#define (\w+)", done.stdout, re.MULTILINE))


def check_macros(compiler, standard, generics, failures):
    before = macros(compiler, INCLUDED_BY_US, standard)
    constants = {row[0] for row in headers.read_table("constants.txt")}
    want = constants | KNOWN_BY | REMOVED
    if has_generic_macros(standard):
        want |= set(generics)

    for header in ("shmem.h", "pshmem.h"):
        text = INCLUDED_BY_US + f"#include <{header}>\n"
        after = macros(compiler, text, standard) - before
        visible = {name for name in after if not INTERNAL.match(name)}
        failures.same_set(f"{standard}: macros of {header}", visible, want)
        tables = {name for name in after if re.search(r"_TYPES$|_SIZES$|_BASIC_", name)}
        failures.check(not tables, f"{standard}: {header} leaves type tables: {tables}")
        kept = macros(compiler, "#define SHMEM_INTERNAL_TYPE_TABLES\n" + text, standard)
        failures.check("SHMEM_INTERNAL_RMA_TYPES" in kept, f"{standard}: {header} drops tables")

    for header in ("shmemx.h", "pshmemx.h"):
        extensions = macros(compiler, f"#include <{header}>\n", standard)
        extensions -= macros(compiler, "#include <shmem.h>\n", standard)
        functions = {name for name in extensions if not re.match(r"SHMEMX_|SHMEM_INTERNAL_", name)}
        failures.same_set(f"{standard}: macros of {header}", functions,
                          GENERIC_EXTENSIONS if has_generic_macros(standard) else [])


def test(compiler, standards, failures):
    symbols = headers.read_symbols()
    generics = [row[0] for row in headers.read_table("generics.txt")]
    for standard in standards:
        check_declarations(compiler, standard, symbols, generics, failures)
        check_types(compiler, standard, symbols, failures)
        check_macros(compiler, standard, generics, failures)
    return f"{len(symbols)} routines, {len(generics)} generic names, and the extensions"


if __name__ == "__main__":
    headers.main(test)
