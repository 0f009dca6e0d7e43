# SPDX-License-Identifier: BSD-3-Clause
"""Exceptions to the tidy rules, each with its reason. These lists may only shrink: an entry that is
no longer needed, or that allows more than there is, fails the check.

ALLOWED: (rule, path, count, reason). `count` is the number of findings in that file; for file-size
it is the number of lines.
COVERED_BY: a source file without a test file of its own -> the test that fails when it is broken.
"""

ALLOWED = (
    ("banned-words", "src/api/sync.cpp", 1,
     "the entries are extern C, outside of the namespace, and nothing but calls of its functions"),
    ("conditionals", "tests/headers/constants.c", 2,
     "tests that the constants of shmem.h work in #if"),
    ("banned-words", "tests/static_data/share_test.cpp", 3,
     "tests that iostream's static objects work when static data is remapped"),
)

COVERED_BY = {
    "src/api/shmemx_aliases.cpp": "tests/shmemx/aliases_test.cpp",
    "src/api/shmemx_basics.cpp": "tests/shmemx/basics_test.cpp",
    "src/api/shmemx_counters.cpp": "tests/shmemx/counters_test.cpp",
    "src/api/shmemx_handles.cpp": "tests/shmemx/host_library_test.c",
    "src/api/shmemx_heap.cpp": "tests/shmemx/heap_test.cpp",
    "src/base/copy_portable.cpp": "tests/src/base/copy_test.cpp",
    "src/base/copy_x86_64.cpp": "tests/src/base/copy_test.cpp",
    "src/core/external_heap.cpp": "tests/shmemx/heap_test.cpp",
    "src/heap/static_data.cpp": "tests/static_data/share_test.cpp",
    "src/heap/static_fork.cpp": "tests/static_data/share_test.cpp",
    "src/heap/static_freeze.cpp": "tests/static_data/early_test.cpp",
    "src/heap/static_pages.cpp": "tests/static_data/huge_test.cpp",
}
