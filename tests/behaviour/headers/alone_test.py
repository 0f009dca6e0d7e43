# SPDX-License-Identifier: BSD-3-Clause
"""Breaks when a header needs another one included first, warns, or cannot be included again.

Every installed header, the parts in shmem/ too, is compiled alone and twice without a warning, in
every language standard given; and mixed with the others in the last of them.
"""

import os

import headers


def installed(include):
    for folder, _, files in sorted(os.walk(include)):
        for name in sorted(files):
            yield os.path.relpath(os.path.join(folder, name), include)


def test(compiler, standards, failures):
    runs = 0
    for standard in standards:
        for header in installed(compiler.include):
            this = f"#include <{header}>\n"
            others = "#include <shmem.h>\n#include <pshmem.h>\n#include <pshmemx.h>\n"
            use = "int use(void);\nint use(void) { return SHMEM_MAJOR_VERSION; }\n"
            alone = this + this + "int use(void);\n"
            mixed = this + others + this + use
            texts = [alone]
            # A header that does not work before others does not in any standard.
            if standard == standards[-1] or header == "shmem.h":
                texts += ["#define SHMEM_INLINE\n" + mixed]
            if standard == standards[-1]:
                texts += [mixed, "#define SHMEM_INTERNAL_TYPE_TABLES\n" + mixed]
            for text in texts:
                errors = compiler.accepts(text, standard, *headers.WARNINGS)
                failures.check(not errors, f"{header} as {standard}:\n{text}{errors}")
                runs += 1
    failures.check(runs > 60, "no headers found")
    return f"{runs} translation units"


if __name__ == "__main__":
    headers.main(test)
