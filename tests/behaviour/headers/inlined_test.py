# SPDX-License-Identifier: BSD-3-Clause
"""Breaks when SHMEM_INLINE puts nothing into the program, or puts it where the library is to be
called: a routine's address, a size that is not constant, a program without SHMEM_INLINE.
"""

import re

import headers

# Function, statement, whether the library's map of the node must be used by it.
CASES = [
    ("word", "shmem_long_p(longs, 1, pe);", True),
    ("element", "longs[1] = shmem_long_g(longs, pe);", True),
    ("block", "shmem_putmem(longs, longs + 4, 24, pe);", True),
    ("back", "shmem_int64_get(longs, longs + 4, 2, pe);", True),
    ("add", "longs[1] = shmem_long_atomic_fetch_add(longs, 2, pe);", True),
    ("context", "shmem_ctx_long_p(SHMEM_CTX_DEFAULT, longs, 1, pe);", True),
    ("large", "shmem_putmem(longs, longs + 16, 72, pe);", False),
    ("unknown", "shmem_putmem(longs, longs + 4, (size_t)pe, pe);", False),
    ("address", "take(&shmem_long_p);", False),
]
START = """#include <shmem.h>
static long longs[32];
void take(void (*)(long*, long, int));
"""


def assembly(compiler, standard, failures, define):
    text = define + START
    for name, statement, _ in CASES:
        text += f"void case_{name}(int pe);\nvoid case_{name}(int pe) {{ (void)pe; {statement} }}\n"
    done = compiler.run(text, standard, *headers.WARNINGS, "-O2", "-S", "-o", "-")
    failures.check(done.returncode == 0, f"{standard}:\n{done.stderr[:3000]}")
    return done.stdout


def test(compiler, standards, failures):
    for standard in standards:
        for define in ("#define SHMEM_INLINE\n", ""):
            text = assembly(compiler, standard, failures, define)
            for name, statement, is_inline in CASES:
                body = re.search(rf"^\w*case_{name}(?:i|\b)\w*:(.*?)^\s*\.size", text, re.M | re.S)
                uses_map = body is not None and "shmem_internal_inline_map" in body[1]
                failures.check(body is not None and uses_map == (is_inline and define != ""),
                               f"{standard}, {define!r}: {statement} inline: {uses_map}")
    return f"{len(CASES)} statements"


if __name__ == "__main__":
    headers.main(test)
