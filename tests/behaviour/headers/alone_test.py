# SPDX-License-Identifier: BSD-3-Clause
"""Breaks when a header needs another one included first, warns, or cannot be included again.

Every installed header is compiled alone and twice without a warning, in every language standard
given, the parts in shmem/ and shmemx/ in the first and the last one. All headers in both orders
are compiled with what a program may define, so that each comes before and after each other one.
In C++ the compiler warns of casts in the manner of C, too.
"""

import os

import headers


HANDLES = "".join(f"int use_{name}(void);\nint use_{name}(void) {{ return {name} != 0; }}\n"
                  for name in ("SHMEM_TEAM_WORLD", "SHMEM_TEAM_INVALID", "SHMEM_CTX_DEFAULT",
                               "SHMEMX_GPTR_NULL", "SHMEMX_REQ_COMPLETE"))


def installed(include):
    for folder, _, files in sorted(os.walk(include)):
        for name in sorted(files):
            yield os.path.relpath(os.path.join(folder, name), include)


def test(compiler, standards, failures):
    runs = 0
    use = "int use(void);\nint use(void) { return SHMEM_MAJOR_VERSION; }\n" + HANDLES
    lines = [f"#include <{header}>\n" for header in installed(compiler.include)]
    everything = "".join(lines + lines[::-1]) + use
    for standard in standards:
        casts = ["-Wold-style-cast"] if headers.language(standard) == "c++" else []
        texts = ["#define SHMEM_INLINE\n" + everything]
        if standard == standards[-1]:
            texts += ["#define SHMEM_INTERNAL_TYPE_TABLES\n" + everything,
                      "#define SHMEMX_TEAM_OBJECTS\n" + everything]
        for header, line in zip(installed(compiler.include), lines):
            if os.path.dirname(header) and standard not in (standards[0], standards[-1]):
                continue
            texts.append(line + line + "int use(void);\n")
        for text in texts:
            errors = compiler.accepts(text, standard, *headers.WARNINGS, *casts)
            failures.check(not errors, f"as {standard}:\n{text}{errors}")
            runs += 1
    failures.check(runs > 60, "no headers found")
    return f"{runs} translation units"


if __name__ == "__main__":
    headers.main(test)
